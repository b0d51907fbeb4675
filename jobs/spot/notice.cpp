#include "jobs/spot/notice.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>

namespace trestle::jobs {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// By what the firmware says; nobody is asked on a machine that is no cloud's.
io::SpotChoice cloud_of_firmware() {
  const std::string vendor = first_line("/sys/class/dmi/id/sys_vendor");
  if (vendor.starts_with("Amazon") || first_line("/sys/hypervisor/uuid").starts_with("ec2"))
    return io::SpotChoice::aws;
  if (vendor.starts_with("Google")) return io::SpotChoice::gcp;
  constexpr const char* azure_tag = "7783-7084-3265-9085-8269-3286-77";  // of every machine there
  if (first_line("/sys/class/dmi/id/chassis_asset_tag") == azure_tag) return io::SpotChoice::azure;
  return io::SpotChoice::off;
}

std::unique_ptr<SpotSource> make_source(io::SpotChoice choice, MetadataClient& client) {
  switch (choice) {
    case io::SpotChoice::aws:
      return make_aws_source(client);
    case io::SpotChoice::gcp:
      return make_gcp_source(client);
    case io::SpotChoice::azure:
      return make_azure_source(client);
    default:
      return nullptr;
  }
}

/// Which cloud answers at an address that the operator has given.
io::SpotChoice cloud_that_answers(MetadataClient& client) {
  const MetadataReply root =
      client.ask({.path = "/computeMetadata/v1/", .headers = {"Metadata-Flavor: Google"}});
  if (root.status == 0) return io::SpotChoice::off;
  if (root.flavor == "Google") return io::SpotChoice::gcp;
  const MetadataReply name =
      client.ask({.path = "/metadata/instance/compute/name?api-version=2021-02-01&format=text",
                  .headers = {"Metadata: true"}});
  if (name.ok()) return io::SpotChoice::azure;
  const MetadataReply token = client.ask({.method = "PUT",
                                          .path = "/latest/api/token",
                                          .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 60"}});
  return token.status != 0 ? io::SpotChoice::aws : io::SpotChoice::off;
}

}  // namespace

std::unique_ptr<SpotSource> find_spot_source(io::SpotChoice choice, MetadataClient& client) {
  if (choice != io::SpotChoice::automatic) return make_source(choice, client);
  const bool told = std::getenv("TRESTLE_METADATA_URL") != nullptr;
  return make_source(told ? cloud_that_answers(client) : cloud_of_firmware(), client);
}

std::optional<double> seconds_until(const std::string& utc) {
  std::tm parts{};
  const char* text = utc.c_str();
  const char* end = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
  if (end == nullptr) {
    parts = {};
    end = strptime(text, "%a, %d %b %Y %H:%M:%S", &parts);
  }
  if (end == nullptr) return {};
  const std::time_t time = timegm(&parts);
  if (time == -1) return {};
  return std::max(0.0, std::difftime(time, std::time(nullptr)));
}

}  // namespace trestle::jobs

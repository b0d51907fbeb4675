// The notice of Google's cloud: `preempted` turns TRUE some 30 s before the machine is gone.
#include <fmt/format.h>

#include "jobs/spot/notice.hpp"

namespace trestle::jobs {
namespace {

constexpr double window = 30;  // [s]
constexpr int forbidden = 403, not_found = 404;

class GcpSource final : public SpotSource {
 public:
  explicit GcpSource(MetadataClient& client) : client_(client) {}
  const char* name() const override { return "gcp"; }
  std::chrono::milliseconds pause() const override { return std::chrono::milliseconds(100); }

  /// The service answers when the value changes, or after some seconds.
  SpotLook look() override {
    std::string path = "/computeMetadata/v1/instance/preempted";
    std::chrono::milliseconds limit(1000);
    if (!etag_.empty()) {
      path += "?wait_for_change=true&timeout_sec=5&last_etag=" + etag_;
      limit = std::chrono::milliseconds(6000);
    }
    const MetadataReply reply =
        client_.ask({.path = path, .headers = {"Metadata-Flavor: Google"}, .limit = limit});
    if (!reply.ok()) {
      etag_.clear();
      return {{},
              reply.status == 0 ? reply.fault : fmt::format("HTTP {}", reply.status),
              reply.status == forbidden || reply.status == not_found};
    }
    if (reply.flavor != "Google")
      return {{}, "a reply without the header Metadata-Flavor: Google is not Google's", true};
    etag_ = is_plain(reply.etag) ? reply.etag : "";
    const std::string value = reply.body.substr(0, reply.body.find_last_not_of(" \r\n") + 1);
    if (value == "TRUE")
      return {SpotNotice{StopLevel::stop, "Google takes this spot machine away", window}, "",
              false};
    if (value != "FALSE") return {{}, "`preempted` is neither TRUE nor FALSE", false};
    return {};
  }

 private:
  static bool is_plain(const std::string& etag) {
    constexpr std::size_t longest = 64;
    return etag.size() <= longest &&
           etag.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  }

  MetadataClient& client_;
  std::string etag_;
};

}  // namespace

std::unique_ptr<SpotSource> make_gcp_source(MetadataClient& client) {
  return std::make_unique<GcpSource>(client);
}

}  // namespace trestle::jobs

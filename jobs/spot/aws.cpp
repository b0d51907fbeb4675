// Notices of AWS: the action planned for a spot instance, two minutes ahead, and the recommendation
// to rebalance, which comes earlier or not at all.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "jobs/spot/notice.hpp"

namespace trestle::jobs {
namespace {

constexpr const char* token_path = "/latest/api/token";
constexpr const char* action_path = "/latest/meta-data/spot/instance-action";
constexpr const char* rebalance_path = "/latest/meta-data/events/recommendations/rebalance";
constexpr int not_found = 404, unauthorised = 401;
constexpr int looks_per_rebalance = 5;

class AwsSource final : public SpotSource {
 public:
  explicit AwsSource(MetadataClient& client) : client_(client) {}
  const char* name() const override { return "aws"; }

  SpotLook look() override {
    SpotLook result;
    const MetadataReply action = ask(action_path, result);
    if (!result.fault.empty()) return result;
    if (action.ok()) return take_action(action.body);
    if (n_looks_++ % looks_per_rebalance == 0) {
      const MetadataReply rebalance = ask(rebalance_path, result);
      if (rebalance.ok() && rebalance.body != rebalance_) {
        rebalance_ = rebalance.body;
        result.notice = {StopLevel::save, "AWS recommends to rebalance this instance", {}};
      }
    }
    return result;
  }

 private:
  /// With a token, which is fetched again where it has expired.
  MetadataReply ask(const char* path, SpotLook& look) {
    for (int attempt = 0;; ++attempt) {
      if (token_.empty() && !fetch_token(look)) return {};
      MetadataReply reply =
          client_.ask({.path = path, .headers = {"X-aws-ec2-metadata-token: " + token_}});
      if (reply.status == unauthorised && attempt == 0) {
        token_.clear();
        continue;
      }
      if (!reply.ok() && reply.status != not_found)
        look.fault =
            reply.status == 0 ? reply.fault : fmt::format("{} gave HTTP {}", path, reply.status);
      return reply;
    }
  }

  bool fetch_token(SpotLook& look) {
    const MetadataReply reply =
        client_.ask({.method = "PUT",
                     .path = token_path,
                     .headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"}});
    constexpr std::size_t longest = 4096;
    const bool is_token = reply.ok() && !reply.body.empty() && reply.body.size() <= longest &&
                          reply.body.find_first_of("\r\n") == std::string::npos;
    if (is_token) {
      token_ = reply.body;
      return true;
    }
    look.refused = reply.status != 0;
    look.fault = reply.status == 0 ? reply.fault +
                                         " (in a container: raise the hop limit of the instance's "
                                         "metadata options to 2)"
                                   : fmt::format("no token: HTTP {}", reply.status);
    return false;
  }

  static SpotLook take_action(const std::string& text) {
    const auto action = nlohmann::json::parse(text, nullptr, false);
    const auto is_text = [&](const char* key) {
      return action.is_object() && action.contains(key) && action[key].is_string();
    };
    if (!is_text("action")) return {{}, "instance-action is no notice that can be read", false};
    const auto what = action["action"].get<std::string>();
    if (what != "terminate" && what != "stop" && what != "hibernate")
      return {{}, "instance-action names no known action", false};
    const auto time = is_text("time") ? action["time"].get<std::string>() : std::string();
    return {SpotNotice{StopLevel::stop, fmt::format("AWS will {} this spot instance", what),
                       seconds_until(time)},
            "", false};
  }

  MetadataClient& client_;
  std::string token_, rebalance_;
  int n_looks_ = 0;
};

}  // namespace

std::unique_ptr<SpotSource> make_aws_source(MetadataClient& client) {
  return std::make_unique<AwsSource>(client);
}

}  // namespace trestle::jobs

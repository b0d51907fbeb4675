// Notices of Azure: scheduled events, of which those that name this machine count.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "jobs/spot/notice.hpp"

namespace trestle::jobs {
namespace {

constexpr const char* events_path = "/metadata/scheduledevents?api-version=2020-07-01";
constexpr const char* name_path =
    "/metadata/instance/compute/name?api-version=2021-02-01&format=text";

std::string text_of(const nlohmann::json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

class AzureSource final : public SpotSource {
 public:
  explicit AzureSource(MetadataClient& client) : client_(client) {}
  const char* name() const override { return "azure"; }

  SpotLook look() override {
    SpotLook result;
    if (name_.empty()) {
      const MetadataReply reply = ask(name_path, result);
      if (!reply.ok()) return result;
      name_ = reply.body.substr(0, reply.body.find_last_not_of(" \r\n") + 1);
    }
    const MetadataReply reply = ask(events_path, result);
    if (!reply.ok()) return result;
    const auto document = nlohmann::json::parse(reply.body, nullptr, false);
    const auto events = document.is_object() ? document.find("Events") : document.end();
    if (!document.is_object() || events == document.end() || !events->is_array())
      return {{}, "the scheduled events cannot be read", false};
    for (const auto& event : *events)
      if (auto notice = take(event)) {
        result.notice = std::move(notice);
        if (result.notice->level == StopLevel::stop) return result;
      }
    return result;
  }

  /// Tells Azure that it need not wait for the end of the notice.
  void acknowledge() override {
    if (event_.empty()) return;
    client_.ask({.method = "POST",
                 .path = events_path,
                 .headers = {"Metadata: true", "Content-Type: application/json"},
                 .body = nlohmann::json{{"StartRequests", {{{"EventId", event_}}}}}.dump()});
    event_.clear();
  }

 private:
  MetadataReply ask(const char* path, SpotLook& look) {
    // The first request for events starts the service on the host, which takes up to two minutes.
    MetadataReply reply = client_.ask({.path = path, .headers = {"Metadata: true"}});
    if (reply.ok()) return reply;
    constexpr int bad_request = 400, server_fault = 500;
    look.refused = reply.status >= bad_request && reply.status < server_fault;
    look.fault = reply.status == 0 ? reply.fault : fmt::format("HTTP {}", reply.status);
    return reply;
  }

  bool is_own(const nlohmann::json& event) const {
    const auto resources = event.find("Resources");
    return resources != event.end() && resources->is_array() &&
           std::any_of(resources->begin(), resources->end(), [&](const nlohmann::json& one) {
             return one.is_string() && one.get<std::string>() == name_;
           });
  }

  /// A machine that will be taken stops the run, one that will start anew has it saved.
  std::optional<SpotNotice> take(const nlohmann::json& event) {
    if (!event.is_object() || !is_own(event)) return {};
    const std::string type = text_of(event, "EventType"), id = text_of(event, "EventId"),
                      status = text_of(event, "EventStatus");
    if (status != "Scheduled" && status != "Started") return {};
    const bool ends = type == "Preempt" || type == "Terminate";
    if (!ends && type != "Reboot" && type != "Redeploy") return {};
    if (!known_.insert(id).second) return {};
    if (type == "Preempt") event_ = id;
    return SpotNotice{ends ? StopLevel::stop : StopLevel::save,
                      fmt::format("Azure announces {} of this machine", type),
                      ends ? seconds_until(text_of(event, "NotBefore")) : std::optional<double>()};
  }

  MetadataClient& client_;
  std::string name_, event_;
  std::set<std::string> known_;
};

}  // namespace

std::unique_ptr<SpotSource> make_azure_source(MetadataClient& client) {
  return std::make_unique<AzureSource>(client);
}

}  // namespace trestle::jobs

// Notices of clouds that a machine will be taken away, as their metadata services give them.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "io/case/case.hpp"
#include "jobs/spot/metadata_client.hpp"
#include "jobs/stop/request.hpp"

namespace trestle::jobs {

struct SpotNotice {
  StopLevel level = StopLevel::none;  // save, stop
  std::string reason;
  std::optional<double> left_s;  // until the machine is gone [s]
};

/// What one look brought.
struct SpotLook {
  std::optional<SpotNotice> notice;
  std::string fault;     // why nothing is known; "" where all is well
  bool refused = false;  // the service does not want to talk to us, now or later
};

/// The notices of one cloud; for one thread.
class SpotSource {
 public:
  virtual ~SpotSource() = default;
  /// Takes up to `wait()`, each notice once.
  virtual SpotLook look() = 0;
  /// The pause between two looks.
  virtual std::chrono::milliseconds pause() const { return std::chrono::seconds(1); }
  /// The run is saved: the machine may be taken at once.
  virtual void acknowledge() {}
  virtual const char* name() const = 0;
};

/// `client` outlives the result.
std::unique_ptr<SpotSource> make_aws_source(MetadataClient& client);
std::unique_ptr<SpotSource> make_gcp_source(MetadataClient& client);
std::unique_ptr<SpotSource> make_azure_source(MetadataClient& client);

/// The source that `choice` names; of `automatic` that of the cloud which the firmware of this
/// machine names or, where the operator gave an address, that which answers there; null without.
std::unique_ptr<SpotSource> find_spot_source(io::SpotChoice choice, MetadataClient& client);

/// Seconds from now to a time such as 2026-01-01T12:00:00Z or "Mon, 19 Sep 2016 18:29:47 GMT"; not
/// below 0, and nothing for another text.
std::optional<double> seconds_until(const std::string& utc);

}  // namespace trestle::jobs

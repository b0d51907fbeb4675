// What asks a run to stop or to save: how urgent it is, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.hpp"

namespace trestle::jobs {

enum class StopLevel : std::uint8_t {
  none,
  save,       // a checkpoint at the end of the step, then on
  stop,       // a checkpoint of the last accepted state, now, and the end
  terminate,  // the same, unless the process will be killed before that is done
};
const char* to_string(StopLevel level);

struct StopRequest {
  StopLevel level = StopLevel::none;
  std::string reason;                 // such as "signal USR1"
  std::optional<double> remaining_s;  // until the process is killed, where that is known [s]
};

/// A run that was asked to stop has done so: 75 with a checkpoint, 85 without a new one. All ranks
/// throw it at the same point.
class Stopped : public Error {
 public:
  using Error::Error;
};
inline bool is_stop(ExitCode code) {
  return code == ExitCode::stopped_saved || code == ExitCode::stopped_unsaved;
}

}  // namespace trestle::jobs

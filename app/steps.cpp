#include "app/steps.hpp"

namespace trestle::app {

Steps::Steps(const MarchParts& parts, io::VisitState visit)
    : parts_(parts), visit_(std::move(visit)) {}

bool Steps::begin() { return parts_.checkpoints != nullptr && parts_.checkpoints->begin(visit_); }

void Steps::taken(const Progress& after, double end) {
  RunControl& control = parts_.control;
  control.step(after.step, after.time, end);
  const jobs::StopLevel level = control.stop().poll();
  const jobs::StopRequest request{level, control.stop().request().reason,
                                  control.stop().remaining_s()};
  if (parts_.checkpoints == nullptr) return control.stop().check();
  parts_.checkpoints->after_step(after, request, visit_, parts_.timers);
  control.set_save(parts_.checkpoints->cost());
}

void Steps::give_up(const Progress& before) {
  if (parts_.checkpoints == nullptr) return;
  jobs::StopRequest request = parts_.control.stop().request();
  request.remaining_s = parts_.control.stop().remaining_s();
  parts_.checkpoints->after_step(before, request, visit_, parts_.timers);
}

}  // namespace trestle::app

#include "app/march/steps.hpp"

namespace trestle::app {

Steps::Steps(const MarchParts& parts, io::VisitState visit)
    : parts_(parts), visit_(std::move(visit)) {}

bool Steps::begin() {
  parts_.control.stop().take_silence_s();  // of what came before the steps
  if (parts_.checkpoints == nullptr || !parts_.checkpoints->begin(visit_)) return false;
  parts_.control.set_loss(jobs::Loss::none);
  return true;
}

void Steps::taken(const Progress& after, double end) {
  RunControl& control = parts_.control;
  control.set_loss(jobs::Loss::steps);
  control.step(after.step, after.time, end);
  const jobs::StopLevel level = control.stop().poll();
  const jobs::StopRequest request{level, control.stop().request().reason,
                                  control.stop().remaining_s()};
  if (parts_.checkpoints == nullptr) return control.stop().check();
  parts_.checkpoints->add_silence(control.stop().take_silence_s());
  save_or_stop(after, request);
  if (parts_.checkpoints->has(after)) control.set_loss(jobs::Loss::none);
  control.set_save(parts_.checkpoints->cost());
}

void Steps::give_up(const Progress& before) {
  if (parts_.checkpoints == nullptr) return;
  jobs::StopRequest request = parts_.control.stop().request();
  request.remaining_s = parts_.control.stop().remaining_s();
  save_or_stop(before, request);
}

void Steps::save_or_stop(const Progress& progress, const jobs::StopRequest& request) {
  try {
    parts_.checkpoints->after_step(progress, request, visit_, parts_.timers);
  } catch (const jobs::Stopped& stopped) {
    if (stopped.code() == ExitCode::stopped_saved) parts_.control.saved();
    throw;
  }
}

}  // namespace trestle::app

// Steps: how a march goes from step to step, and where it begins, saves and stops.
#pragma once

#include "app/march/march.hpp"
#include "app/state/checkpointer.hpp"
#include "app/state/run_control.hpp"

namespace trestle::app {

class Steps {
 public:
  /// `visit` visits all that the march needs to go on; valid between two steps. Both outlive this.
  Steps(const MarchParts& parts, io::VisitState visit);

  /// Loads the checkpoint of the run; false where there is none. Collective.
  bool begin();

  /// Takes a step by `work`. Where the run is asked to stop meanwhile, the state before it is
  /// saved. Throws jobs::Stopped. Collective.
  template <class Work>
  void take(const Progress& before, const Work& work) {
    try {
      work();
    } catch (const Error& e) {  // ranks that agree on an error keep its code alone
      if (jobs::is_stop(e.code())) give_up(before);
      throw;
    }
  }
  /// A step was accepted: tells of it, saves and stops as Checkpointer::after_step. Collective.
  void taken(const Progress& after, double end);

 private:
  void give_up(const Progress& before);
  void save_or_stop(const Progress& progress, const jobs::StopRequest& request);

  const MarchParts& parts_;
  io::VisitState visit_;
};

}  // namespace trestle::app

// StepControl: how long each time step is, so that given times are hit exactly.
#pragma once

#include <cstddef>
#include <vector>

#include "solver/state_visitor.hpp"

namespace trestle::solver {

struct StepOptions {
  double step = 0;       // [s] of fixed steps, or of the first one
  double tolerance = 0;  // of the error of a step; 0: fixed steps
  double smallest = 0;   // [s]
  double largest = 0;    // [s] 0: no bound
  int order = 1;         // of the scheme: the error grows as step^(order + 1)
};

/// Steps from 0 to the last stop. Between two stops all steps are alike: the way to the next stop
/// is divided into as few equal steps as the wanted length allows, so that no tiny one is left
/// over, and times are counted, not summed. A step that was refused, or an error far from the
/// tolerance, divides what is left anew [Soderlind 2002, elementary controller].
class StepControl {
 public:
  /// `stops` ascend from above 0; the last one is the end. Throws Error(70) where they do not.
  StepControl(const StepOptions& options, std::vector<double> stops);

  bool done() const { return next_stop_ >= stops_.size(); }
  /// Time of the last accepted step [s].
  double time() const { return time_; }
  /// Time at the end of the step to take [s], a stop exactly where it is one.
  double next_time() const;
  /// Length of the step to take [s]; the same bits for all steps between two stops, but half of it
  /// where `halve` said so.
  double step() const { return halved() ? 0.5 * step_ : step_; }
  /// Number of accepted steps.
  std::size_t n_steps() const { return n_steps_; }
  std::size_t n_refused() const { return n_refused_; }

  /// Whether a step with this error is refused. Not with fixed steps.
  bool too_large(double error) const;
  /// Goes to the next step; true where a stop was reached. `error` is 0 where it is not known.
  bool accept(double error);
  /// Takes a step shorter by the error that was found, or by half where it is not known (0) because
  /// the step failed. False where that would be below the smallest step.
  bool refuse(double error);

  /// No step is longer than this from now on [s]; where no smallest one was given, a millionth of
  /// the first limit is.
  void limit(double longest);
  /// Takes the next n steps as two halves each.
  void halve(int n) { halves_ = 2 * n; }
  /// Whether the step to take is such a half.
  bool halved() const { return halves_ > 0; }

  /// Between steps. Loaded with other stops, it goes on from its time to the next of them.
  /// Collective.
  void visit(StateVisitor& visitor);

 private:
  /// After loading: the stop ahead, and a new division of the way to it unless it is `stop`.
  void find_next_stop(double stop);
  /// Divides the way to the next stop.
  void plan();
  double wanted_after(double error) const;

  StepOptions options_;
  std::vector<double> stops_;
  std::size_t next_stop_ = 0;
  double time_ = 0;
  double wanted_;             // [s]
  double longest_ = 0;        // [s] by `limit`; 0: none
  double from_ = 0;           // where the present division starts [s]
  std::size_t taken_ = 0;     // steps of it
  std::size_t division_ = 0;  // all steps of it
  double step_ = 0;           // [s]
  int halves_ = 0;            // still to take; of an odd number the first one of a step is taken
  std::size_t n_steps_ = 0, n_refused_ = 0;
};

}  // namespace trestle::solver

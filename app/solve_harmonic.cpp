#include "app/solve_harmonic.hpp"

#include <fmt/format.h>

#include "app/march/step_log.hpp"
#include "app/march/steps.hpp"
#include "app/measure.hpp"
#include "physics/harmonic.hpp"

namespace trestle::app {
namespace {

/// Frequency after frequency; a checkpoint holds how many are written.
class Sweep {
 public:
  Sweep(const MarchParts& parts, StateSink& output)
      : parts_(parts),
        frequencies_(parts.c.problem.analysis.frequencies),
        output_(output),
        steps_(parts, [this](solver::StateVisitor& visitor) {
          visitor.number("march.n_written", n_written_);
        }) {}

  void run() {
    const bool goes_on = steps_.begin();
    if (n_written_ == frequencies_.size()) return;
    physics::HarmonicProblem problem = [&] {
      const auto scope = parts_.timers.time("assemble");
      return physics::HarmonicProblem(parts_.analysis);
    }();
    if (goes_on) {  // to the same bits
      const auto scope = parts_.timers.time("setup");
      problem.factor(frequencies_.front());
    }
    while (n_written_ < frequencies_.size()) {
      parts_.control.stop().check();
      steps_.take(progress(), [&] { respond(problem); });
      steps_.taken(progress(), frequencies_.back());
    }
  }

 private:
  void respond(physics::HarmonicProblem& problem) {
    const double frequency = frequencies_[n_written_];
    solver::SolveResult result;
    const physics::State state =
        problem.respond(frequency, parts_.c.solver.tolerance, asks_reactions(parts_.c), result);
    parts_.timers.add("setup", result.setup_s);
    parts_.timers.add("solve", result.solve_s);
    add_solve(result, state.name, parts_.report);
    parts_.console.step(
        static_cast<double>(n_written_ + 1) / static_cast<double>(frequencies_.size()),
        fmt::format("{}: residual {:.2e}", state.name, result.true_relative_residual));
    const auto scope = parts_.timers.time("output");
    output_.add(state, frequency);
    ++n_written_;
    if (n_written_ == frequencies_.size()) record_norms(parts_.analysis, state, parts_.report);
  }

  Progress progress() const {
    return {static_cast<std::int64_t>(n_written_),
            n_written_ == 0 ? 0 : frequencies_[n_written_ - 1], n_written_ == frequencies_.size()};
  }

  const MarchParts& parts_;
  const std::vector<double>& frequencies_;
  StateSink& output_;
  std::size_t n_written_ = 0;
  Steps steps_;
};

}  // namespace

void solve_harmonic(const MarchParts& parts, StateSink& output) {
  Sweep(parts, output).run();
  parts.console.line(fmt::format("harmonic response: {} frequencies, a factorisation each",
                                 parts.c.problem.analysis.frequencies.size()));
}

}  // namespace trestle::app

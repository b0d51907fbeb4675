#include "app/solve_harmonic.hpp"

#include <fmt/format.h>

#include "app/march/step_log.hpp"
#include "app/measure.hpp"
#include "app/state/run_control.hpp"
#include "physics/harmonic.hpp"

namespace trestle::app {

void solve_harmonic(const MarchParts& parts, StateSink& output) {
  const io::Case& c = parts.c;
  const std::unique_ptr<physics::HarmonicProblem> problem = [&] {
    const auto scope = parts.timers.time("assemble");
    return std::make_unique<physics::HarmonicProblem>(parts.analysis);
  }();
  const std::vector<double>& frequencies = c.problem.analysis.frequencies;
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    parts.control.stop().check();
    solver::SolveResult result;
    const physics::State state =
        problem->respond(frequencies[k], c.solver.tolerance, asks_reactions(c), result);
    parts.timers.add("setup", result.setup_s);
    parts.timers.add("solve", result.solve_s);
    add_solve(result, state.name, parts.report);
    parts.console.step(
        static_cast<double>(k + 1) / static_cast<double>(frequencies.size()),
        fmt::format("{}: residual {:.2e}", state.name, result.true_relative_residual));
    const auto scope = parts.timers.time("output");
    output.add(state, frequencies[k]);
    if (k + 1 == frequencies.size()) record_norms(parts.analysis, state, parts.report);
  }
  parts.console.line(
      fmt::format("harmonic response: {} frequencies, a factorisation each", frequencies.size()));
}

}  // namespace trestle::app

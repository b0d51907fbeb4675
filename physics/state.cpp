#include "physics/state.hpp"

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::physics {

const solver::Vector<double>& reactions_of(const State& state) {
  require(state.reactions.has_value(), ExitCode::bug,
          "the reactions of a state are needed but were not computed");
  return *state.reactions;
}

State make_state(const Analysis& analysis, std::size_t load_case, solver::Vector<double> u,
                 bool with_reactions) {
  std::optional<solver::Vector<double>> reactions;
  if (with_reactions) reactions = analysis.reactions(load_case, u);
  return {analysis.case_name(load_case),
          analysis.time(),
          std::move(u),
          std::move(reactions),
          {std::shared_ptr<const void>(), &analysis.thermal(load_case)}};
}

State make_state(const Analysis& analysis, solver::Vector<double> u,
                 std::optional<solver::Vector<double>> reactions) {
  return {"",
          analysis.time(),
          std::move(u),
          std::move(reactions),
          {std::shared_ptr<const void>(), &analysis.thermal(0)}};
}

State combine(const Analysis& analysis, const Combination& combination,
              const std::vector<State>& states) {
  const gpu::Device& device = analysis.discretisation().device();
  State sum{
      combination.name, 0,
      solver::Vector<double>(device, analysis.mesh().nodes, analysis.n_components(), "solution"),
      std::nullopt, nullptr};
  fem::ThermalStrain thermal;
  gpu::fill(device, sum.u.view(), 0.0);
  for (const State& state : states) {
    const auto found = combination.factors.find(state.name);
    if (found == combination.factors.end()) continue;
    gpu::axpy(device, found->second, state.u.view(), sum.u.view());
    if (state.reactions) {
      if (!sum.reactions) {
        sum.reactions.emplace(device, analysis.mesh().nodes, analysis.n_components(), "solution");
        gpu::fill(device, sum.reactions->view(), 0.0);
      }
      gpu::axpy(device, found->second, state.reactions->view(), sum.reactions->view());
    }
    for (std::size_t b = 0; b < state.thermal->size(); ++b) {
      if (thermal.size() <= b) {
        thermal.emplace_back(device, (*state.thermal)[b].size(), "loads");
        gpu::fill(device, thermal[b].view(), 0.0);
      }
      gpu::axpy(device, found->second, (*state.thermal)[b].view(), thermal[b].view());
    }
  }
  sum.thermal = std::make_shared<const fem::ThermalStrain>(std::move(thermal));
  return sum;
}

}  // namespace trestle::physics

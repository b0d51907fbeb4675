#include "physics/results/flow_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "gpu/vector_ops.hpp"

namespace trestle::physics {
namespace {

/// The sum of the owned entries over all ranks, and that of their sizes.
std::array<double, 2> sums(const solver::Vector<double>& flow) {
  std::array<double, 2> both{};
  {
    const auto values = gpu::read(flow.values());
    for (Offset i = 0; i < flow.n_owned(); ++i) {
      both[0] += values[i];
      both[1] += std::abs(values[i]);
    }
  }
  flow.map().comm().sum(std::span<double>(both));
  return both;
}

/// Internal forces alone: their sum is what a flow carries away and reactions consume, as those of
/// conduction add up to 0.
solver::Vector<double> internal_force(const Analysis& analysis, std::size_t c,
                                      const solver::Vector<double>& u) {
  solver::Vector<double> force(u.device(), u.shared_map(), 1, "balance");
  gpu::fill(u.device(), force.view(), 0.0);
  analysis.add_internal_force(c, u, 1, force);
  return force;
}

}  // namespace

double Flows::imbalance() const {
  const double scale = std::max(turnover, std::abs(stored));
  return scale > 0 ? (stored - loads - supports + carried) / scale : 0;
}

FlowBalance::FlowBalance(Analysis& analysis, StepEquations& equations,
                         const solver::RateScheme& scheme, const solver::Vector<double>& start,
                         double stored_rate)
    : analysis_(analysis), equations_(equations), scheme_(scheme) {
  Parts& rate = memory_.rate;
  rate[stored] = stored_rate;
  rate[loads] = sums(analysis_.external(0, start))[0];
  if (!analysis_.cells().homogeneous())
    rate[carried] = sums(internal_force(analysis_, 0, start))[0];
  rate[supports] = rate[stored] - rate[loads] + rate[carried];
}

void FlowBalance::add(const solver::Vector<double>& u, double dt) {
  Parts rate{};
  rate[stored] = equations_.stored_rate(u);
  const auto take = [&](Part part, const solver::Vector<double>& flow) {
    const auto [sum, size] = sums(flow);
    rate[part] = sum;
    memory_.turnover += dt * size;
  };
  take(loads, analysis_.external(0, u));
  take(supports, equations_.reactions(u));
  if (!analysis_.cells().homogeneous()) take(carried, internal_force(analysis_, 0, u));
  Parts now{};
  const solver::RateScheme::Past& past = scheme_.past();
  for (int part = 0; part < n_parts; ++part) {
    double sum = rate[part] + past.rate * memory_.rate[part];
    for (std::size_t k = 0; k < past.weights.size(); ++k)
      sum -= past.weights[k] * memory_.past[k][part];
    now[part] = sum / scheme_.factor();
  }
  memory_.past = {now, memory_.past[0]};
  memory_.rate = rate;
}

Flows FlowBalance::flows() const {
  const Parts& now = memory_.past[0];
  return {now[stored], now[loads], now[supports], now[carried], memory_.turnover};
}

Flows steady_flows(const Analysis& analysis, std::size_t c, const solver::Vector<double>& u) {
  Flows flows;
  const auto take = [&](double& part, const solver::Vector<double>& flow) {
    const auto [sum, size] = sums(flow);
    part = sum;
    flows.turnover += size;
  };
  const solver::Vector<double> internal = internal_force(analysis, c, u);
  solver::Vector<double> left = analysis.external(c, u);
  take(flows.loads, left);
  take(flows.carried, internal);
  gpu::axpy(u.device(), -1, internal.owned(), left.owned());
  analysis.keep_supports(left);
  take(flows.supports, left);
  return flows;
}

void FlowBalance::visit(solver::StateVisitor& visitor) {
  const char* names[n_parts] = {"stored", "loads", "supports", "carried"};
  for (int part = 0; part < n_parts; ++part) {
    const std::string name = std::string("balance.") + names[part];
    visitor.value(name, memory_.past[0][part]);
    visitor.value(name + ".before", memory_.past[1][part]);
    visitor.value(name + ".rate", memory_.rate[part]);
  }
  visitor.value("balance.turnover", memory_.turnover);
}

}  // namespace trestle::physics

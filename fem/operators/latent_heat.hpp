// LatentHeat: heat that materials take up while they melt, kept at nodes, in enthalpy form.
#pragma once

#include <memory>
#include <vector>

#include "gpu/halo.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::fem {

/// A material that melts: its molten part grows linearly from solidus to liquidus.
struct Melting {
  solver::Vector<double> heat;  // [owned node] latent heat of the material around the node [J]
  double solidus, liquidus;     // [K], solidus < liquidus
};

/// The content w_a(T_a) = sum over materials of heat_a f(T_a), f the molten part. What a step
/// stores is the difference of contents, so that no heat is lost where a node passes the whole
/// range in one step [Voller and Swaminathan 1991].
class LatentHeat {
 public:
  /// At least one material; vectors are on one map and have one component. Collective.
  explicit LatentHeat(std::vector<Melting> materials);

  /// w of the owned nodes [J].
  void content(const solver::Vector<double>& temperature, solver::Vector<double>& w) const;
  /// dw/dT of the owned nodes [J/K]: its right-hand limit where that jumps.
  void slope(const solver::Vector<double>& temperature, solver::Vector<double>& slope) const;
  /// Turns a correction of Newton's method for the temperature into that for the enthalpy
  /// H = C T + w, dT <- T(H + H' dT) - T at every node: the latter passes the kinks of T(H) without
  /// going to and fro between them. `capacity` is C of the owned nodes [J/K]. Ghosts of dT follow.
  /// Collective.
  void limit(const solver::Vector<double>& capacity, const solver::Vector<double>& temperature,
             solver::Vector<double>& change) const;

 private:
  gpu::Array<double> heat_;   // [material, local node]
  gpu::Array<double> range_;  // [material, 2]: solidus, liquidus
  std::unique_ptr<gpu::Halo> halo_;
};

}  // namespace trestle::fem

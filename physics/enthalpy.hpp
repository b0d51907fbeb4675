// What materials store whose heat capacity depends on temperature.
#pragma once

#include <span>
#include <vector>

#include "fem/expression.hpp"
#include "fem/operators/mass.hpp"

namespace trestle::physics {

/// h(T), the integral from a fixed temperature to T of a capacity per volume [J/(m^3 K)] that uses
/// T and nothing else [J/m^3]: linear between knots 0.25 K apart up to 4000 K and the pairs of its
/// tables, with Gauss integrals between them. Where the capacity is not finite any more, and beyond
/// the last knots, it is taken as it was there: who evaluates it, tells.
fem::Expression enthalpy_of(const fem::Expression& capacity);

/// A capacity per volume as a product: one factor uses no place, the other no temperature.
struct CapacityFactors {
  fem::Expression by_temperature = 1.0, by_place = 1.0;
};

/// w_a(T) = integral of h(T) N_a. What a step stores is a difference of it, so that no heat is lost
/// however fast a capacity changes. With lumped capacities w_a is that of the node's own
/// temperature.
class Enthalpy {
 public:
  /// `capacities` [material]; `material` by block: [cell], outlives this. `lumped`, where there are
  /// any: [material] the lumped integral of N_a over the material, times the factor by place.
  Enthalpy(const fem::Discretisation& discretisation,
           std::span<const gpu::ConstantArray<Index>> material,
           const std::vector<CapacityFactors>& capacities,
           std::vector<solver::Vector<double>> lumped);

  bool is_lumped() const { return !lumped_.empty(); }
  /// w += w(T), owned entries; ghosts of T are up to date. Collective.
  void add(const solver::Vector<double>& T, solver::Vector<double>& w) const;
  /// slope += dw/dT of the owned nodes [J/K], of lumped capacities.
  void add_slope(const solver::Vector<double>& T, solver::Vector<double>& slope) const;

 private:
  fem::CellCoefficient at_points(const solver::Vector<double>& T) const;

  const fem::Discretisation& discretisation_;
  std::span<const gpu::ConstantArray<Index>> material_;
  std::vector<fem::Expression> of_material_;    // h
  std::vector<solver::Vector<double>> lumped_;  // [material], none: consistent
};

}  // namespace trestle::physics

// What flows through a body carries: the fields of fem::Advection, streamline weighting included.
#pragma once

#include "fem/operators/cell_operator.hpp"
#include "mesh/mesh.hpp"
#include "physics/materials.hpp"

namespace trestle::physics {

/// Whether a problem has terms of advection or reaction: `transport`, and `heat` where a material
/// has a velocity.
bool has_flow(const Problem& problem);

/// What the streamline weight at a point depends on.
struct StreamPoint {
  double speed = 0;        // |b| [m/s, times what is stored per volume]
  double length = 0;       // h of the cell along b [m]
  double diffusivity = 0;  // k along b
  double reaction = 0;     // s
  int order = 1;           // of the cell
  double diffusion_rate =
      0;  // of quadratic cells, greatest ||div(k grad u)||^2 / (grad u, k grad u)
};
/// The streamline weight tau [s, over what is stored per volume]. Linear cells:
/// 1 / (2 |b| / h / (coth a - 1/a) + s), a = |b| h / 2k, which makes solutions in one dimension
/// exact at nodes where s is 0 [Brooks and Hughes 1982; Codina 1998]. Quadratic ones: the same
/// between neighbouring nodes, and at most half of 1 / diffusion_rate, so that the weighted
/// diffusion, which has no sign, is outweighed by the one that is not also in thin cells along a
/// stream [Franca, Frey and Hughes 1992].
double streamline_weight(const StreamPoint& point);

/// A source in some groups of cells; where they overlap, once.
struct SourceTerm {
  Groups groups;
  fem::Expression value;
};

/// The fields of one problem. All arguments outlive it.
class AdvectionFields {
 public:
  /// Throws NumericalError (81) or CaseError where a value at a point is not right. Collective.
  AdvectionFields(const fem::Discretisation& discretisation, const Problem& problem,
                  const CellMaterials& materials);

  /// Of everything but the rate and the sources.
  fem::MaterialData steady() const;
  /// Of what is stored: its operator times a rate is (N_a + w . grad N_a, c u').
  fem::MaterialData rate() const;
  /// sum += (N_a + w . grad N_a, f) at owned nodes. Throws NumericalError (81). Collective.
  void add_sources(const std::vector<SourceTerm>& terms, double time,
                   solver::Vector<double>& sum) const;
  /// Local nodes of the cells where a reaction consumes, ascending.
  std::vector<Index> consuming_nodes() const;
  /// The greatest Peclet number |b| h / 2k of a cell. Collective.
  double greatest_peclet() const { return greatest_peclet_; }

 private:
  struct Point {
    fem::Vec3 conductivity, carrier, weight;
    double storage, reaction;
    fem::Vec3 drift;  // divergence of the conductivity
  };
  void fill(std::size_t block);
  void fill_drift(std::size_t block);
  Point at(const Material& material, const fem::Vec3& x) const;
  template <class Row>
  fem::MaterialData data(const Row& row) const;

  const fem::Discretisation& discretisation_;
  const Problem& problem_;
  const CellMaterials& materials_;
  std::vector<std::vector<Point>> points_;  // by block: [cell, point] of the load rule
  double greatest_peclet_ = 0;
};

}  // namespace trestle::physics

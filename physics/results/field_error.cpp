#include "physics/results/field_error.hpp"

#include <fmt/format.h>

#include <cmath>

#include "fem/cells/quadrature.hpp"
#include "physics/host_cells.hpp"

namespace trestle::physics {
namespace {

struct Sums {
  double error = 0, exact = 0, measure = 0;
};

double value_at(const fem::Expression& exact, const fem::Vec3& x, double time) {
  const double value = exact(x[0], x[1], x[2], time);
  if (std::isfinite(value)) return value;
  throw NumericalError(
      ExitCode::not_a_number,
      fmt::format("{}: exact: {} at ({:g}, {:g}, {:g}) m, t = {:g} s", to_string(exact.where()),
                  exact.words_of(value), x[0], x[1], x[2], time));
}

/// Adds the owned cells of a block.
template <class Values>
void add_block(const Analysis& analysis, const mesh::CellBlock& block, const Values& values,
               const std::vector<fem::Expression>& exact, double time, Sums& sums) {
  const int degree = mesh::traits(block.type).order == 1 ? 5 : 7;
  const HostCells host(analysis.discretisation(), block.type, block.nodes,
                       fem::quadrature(block.type, degree));
  const fem::CellView cells = host.view();
  const Offset n = host.n_nodes();
  const auto n_components = static_cast<Offset>(exact.size());
  fem::CellView plain = cells;
  plain.section = {};
  for (Index c = 0; c < block.n_cells(); ++c) {
    if (block.owned[static_cast<std::size_t>(c)] == 0) continue;
    for (int q = 0; q < host.n_points(); ++q) {
      const auto point = fem::map_point<mesh::max_nodes_per_cell>(cells, c, q, host.n_nodes());
      sums.measure += fem::volume_element(plain, c, q);
      for (Offset k = 0; k < n_components; ++k) {
        double value = 0;
        for (Offset a = 0; a < n; ++a)
          value += cells.N(q, a) * values[cells.nodes(c, a) * n_components + k];
        const double known = value_at(exact[static_cast<std::size_t>(k)], point.x, time);
        sums.error += point.dv * (value - known) * (value - known);
        sums.exact += point.dv * known * known;
      }
    }
  }
}

}  // namespace

FieldError field_error(const Analysis& analysis, const solver::Vector<double>& u,
                       const std::vector<fem::Expression>& exact, double time) {
  const mesh::Mesh& mesh = analysis.mesh();
  Sums sums;
  mesh.comm().agree([&] {
    const auto values = gpu::read(u.values());
    for (const mesh::CellBlock& block : mesh.cells)
      add_block(analysis, block, values, exact, time, sums);
  });
  const double measure = mesh.comm().sum(sums.measure);
  return {std::sqrt(mesh.comm().sum(sums.error)), std::sqrt(mesh.comm().sum(sums.exact)),
          std::pow(measure / static_cast<double>(mesh.n_cells_global), 1.0 / mesh.dim)};
}

}  // namespace trestle::physics

#include "physics/advection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "fem/cells/element.hpp"
#include "fem/materials/advection.hpp"
#include "fem/point_values.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/host_cells.hpp"
#include "physics/models/heat.hpp"
#include "physics/models/transport.hpp"

namespace trestle::physics {
namespace {

bool gives(const Material& material, const char* name) {
  return material.parameters.find(name) != material.parameters.end();
}

/// Length of a cell along a direction, from the gradients of its vertices' linear functions at its
/// centre [Tezduyar 1992]: 2 / sum |e . grad N_a|. [m]
class CellLength {
 public:
  explicit CellLength(mesh::CellType type)
      : traits_(mesh::traits(type)), linear_(mesh::traits(traits_.linear)) {
    double centre[3] = {};
    const auto n = static_cast<std::size_t>(linear_.n_nodes);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t d = 0; d < 3; ++d) centre[d] += linear_.nodes[a][d] / static_cast<double>(n);
    dN_.resize(3 * n);
    fem::shape_functions(linear_.type, centre, nullptr, dN_.data());
  }
  /// The gradients of the vertices of a cell whose nodes are `nodes`.
  std::vector<fem::Vec3> gradients(const mesh::Mesh& mesh, const Index* nodes) const {
    const auto n = static_cast<std::size_t>(linear_.n_nodes);
    fem::Mat3 J{};
    for (std::size_t a = 0; a < n; ++a)
      J += fem::outer(fem::node_place(mesh, nodes[a]),
                      fem::Vec3{dN_[3 * a], dN_[3 * a + 1], dN_[3 * a + 2]});
    if (traits_.dim == 2) J(2, 2) = 1;
    const fem::Mat3 map = fem::transpose(fem::inverse(J));
    std::vector<fem::Vec3> gradients;
    for (std::size_t a = 0; a < n; ++a)
      gradients.push_back(map * fem::Vec3{dN_[3 * a], dN_[3 * a + 1], dN_[3 * a + 2]});
    return gradients;
  }
  int order() const { return traits_.order; }

 private:
  const mesh::CellTraits& traits_;
  const mesh::CellTraits& linear_;
  std::vector<double> dN_;  // [vertex, 3]
};

double length_along(const std::vector<fem::Vec3>& gradients, const fem::Vec3& b, double speed) {
  double sum = 0;
  for (const fem::Vec3& gradient : gradients) sum += std::abs(fem::dot(gradient, b));
  return 2 * speed / sum;
}

/// The greatest ||div(k grad u)||^2 / (grad u, k grad u) of a quadratic u in a cell whose vertices
/// have these gradients: 12 sum grad N . k grad N on triangles and rectangles, 20 of it on
/// tetrahedra, 24 on boxes, both of which follow from the moments of area of the cell.
double diffusion_rate(const std::vector<fem::Vec3>& gradients, const fem::Vec3& k, int dim) {
  double sum = 0;
  for (const fem::Vec3& g : gradients)
    for (int d = 0; d < 3; ++d) sum += g[d] * k[d] * g[d];
  return (dim == 2 ? 12 : 24) * sum;
}

/// coth a - 1/a.
double upwinding(double a) {
  if (a < 1e-3) return a / 3;
  return a > 20 ? 1 - 1 / a : 1 / std::tanh(a) - 1 / a;
}

void require_above(double value, double lower, bool open, const char* name,
                   const Material& material, const fem::Vec3& x) {
  if (open ? value > lower : value >= lower) return;
  throw CaseError(
      material.parameters.at(name).where,
      fmt::format("{} of material {} is {:g} at ({:g}, {:g}, {:g}) m; it must be {} {:g}", name,
                  material.name, value, x[0], x[1], x[2], open ? "above" : "at least", lower));
}

}  // namespace

bool has_flow(const Problem& problem) {
  if (problem.physics == transport().name) return true;
  return problem.physics == heat().name &&
         std::any_of(problem.materials.begin(), problem.materials.end(),
                     [](const Material& m) { return gives(m, "velocity"); });
}

double streamline_weight(const StreamPoint& point) {
  if (!(point.speed > 0)) return 0;
  const double spacing = point.length / point.order,
               a = point.speed * spacing / (2 * point.diffusivity);
  double tau = spacing / (2 * point.speed) * upwinding(a);
  if (point.order > 1 && point.diffusion_rate > 0) tau = std::min(tau, 0.5 / point.diffusion_rate);
  return tau / (1 + tau * point.reaction);
}

AdvectionFields::AdvectionFields(const fem::Discretisation& discretisation, const Problem& problem,
                                 const CellMaterials& materials)
    : discretisation_(discretisation),
      problem_(problem),
      materials_(materials),
      points_(materials.size()) {
  const Comm& comm = discretisation.mesh().comm();
  comm.agree([&] {
    for (std::size_t b = 0; b < points_.size(); ++b) {
      fill(b);
      fill_drift(b);
    }
  });
  greatest_peclet_ = comm.max(greatest_peclet_);
}

AdvectionFields::Point AdvectionFields::at(const Material& material, const fem::Vec3& x) const {
  const bool is_heat = problem_.physics == heat().name;
  const char* diffusion = is_heat ? "conductivity" : "diffusivity";
  Point point{};
  for (int d = 0; d < 3; ++d) {
    point.conductivity[d] = material_value(material, diffusion, d, x);
    require_above(point.conductivity[d], 0, true, diffusion, material, x);
  }
  const bool flows = gives(material, "velocity");
  point.storage = is_heat && (flows || gives(material, "specific_heat"))
                      ? material_value(material, "density", 0, x) *
                            material_value(material, "specific_heat", 0, x)
                      : 1;
  for (int d = 0; flows && d < discretisation_.mesh().dim; ++d)
    point.carrier[d] = point.storage * material_value(material, "velocity", d, x);
  if (gives(material, "reaction")) {
    point.reaction = material_value(material, "reaction", 0, x);
    require_above(point.reaction, 0, false, "reaction", material, x);
  }
  return point;
}

void AdvectionFields::fill(std::size_t b) {
  const fem::EntityBlock& block = discretisation_.blocks()[b];
  const mesh::Mesh& mesh = discretisation_.mesh();
  const std::vector<double> places =
      fem::point_places(discretisation_.device(), discretisation_.view(block, block.load));
  const auto n_points = static_cast<std::size_t>(block.load.n_points),
             n_nodes = static_cast<std::size_t>(block.n_nodes);
  const CellLength length(block.type);
  points_[b].resize(places.size() / 3);
  for (std::size_t c = 0; c < materials_[b].size(); ++c) {
    if (materials_[b][c] < 0) continue;  // a mistake that is noted already
    const Material& material = problem_.materials[static_cast<std::size_t>(materials_[b][c])];
    const std::vector<fem::Vec3> gradients =
        length.gradients(mesh, &mesh.cells[b].nodes[c * n_nodes]);
    for (std::size_t i = c * n_points; i < (c + 1) * n_points; ++i) {
      Point point = at(material, {places[3 * i], places[3 * i + 1], places[3 * i + 2]});
      const double speed = fem::norm(point.carrier);
      if (speed > 0) {
        const fem::Vec3 e = point.carrier * (1 / speed);
        double along = 0;
        for (int d = 0; d < 3; ++d) along += e[d] * e[d] * point.conductivity[d];
        const double h = length_along(gradients, point.carrier, speed);
        point.weight =
            streamline_weight({speed, h, along, point.reaction, length.order(),
                               diffusion_rate(gradients, point.conductivity, mesh.dim)}) *
            point.carrier;
        greatest_peclet_ = std::max(greatest_peclet_, speed * h / (2 * along));
      }
      points_[b][i] = point;
    }
  }
}

/// The slope of each conductivity along its axis, from its values at the points of a cell by way of
/// the nodes, and k/r along the radius.
void AdvectionFields::fill_drift(std::size_t b) {
  const mesh::CellBlock& block = discretisation_.mesh().cells[b];
  const fem::Quadrature& rule = fem::load_quadrature(block.type);
  const std::vector<double> to_nodes = fem::extrapolation(block.type, rule);
  const HostCells host(discretisation_, block.type, block.nodes, rule);
  const fem::CellView cells = host.view();
  const auto n_points = static_cast<std::size_t>(host.n_points()),
             n_nodes = static_cast<std::size_t>(host.n_nodes());
  for (std::size_t c = 0; c < materials_[b].size(); ++c) {
    Point* of_cell = &points_[b][c * n_points];
    const auto same_as_first = [&](const Point& point) {
      const fem::Vec3 &k = point.conductivity, &first = of_cell[0].conductivity;
      return k[0] == first[0] && k[1] == first[1] && k[2] == first[2];
    };
    const bool varies = !std::all_of(of_cell, of_cell + n_points, same_as_first);
    if (!varies && !cells.section.axisymmetric) continue;
    std::vector<fem::Vec3> nodal(varies ? n_nodes : 0, fem::Vec3{});
    for (std::size_t a = 0; a < nodal.size(); ++a)
      for (std::size_t p = 0; p < n_points; ++p)
        nodal[a] += to_nodes[a * n_points + p] * of_cell[p].conductivity;
    for (std::size_t q = 0; q < n_points; ++q) {
      const auto point = fem::map_point<mesh::max_nodes_per_cell>(
          cells, static_cast<Offset>(c), static_cast<int>(q), host.n_nodes());
      Point& here = of_cell[q];
      if (cells.section.axisymmetric) here.drift[0] = here.conductivity[0] / point.x[0];
      for (std::size_t a = 0; a < nodal.size(); ++a)
        for (int d = 0; d < 3; ++d) here.drift[d] += point.shape[a].grad[d] * nodal[a][d];
    }
  }
}

template <class Row>
fem::MaterialData AdvectionFields::data(const Row& row) const {
  const gpu::Device& device = discretisation_.device();
  constexpr int n = fem::Advection::n_parameters;
  std::vector<gpu::ConstantArray<Index>> of_cell;
  std::vector<gpu::Array<double>> fields;
  for (std::size_t b = 0; b < points_.size(); ++b) {
    of_cell.emplace_back(device, std::span(materials_[b]), "materials");
    std::vector<double> values(n * points_[b].size());
    for (std::size_t i = 0; i < points_[b].size(); ++i) row(b, i, &values[n * i]);
    fields.push_back(gpu::upload(device, values, "materials"));
  }
  return {std::move(of_cell),
          gpu::upload(device, std::vector<double>(n * problem_.materials.size()), "materials"),
          std::move(fields), n};
}

fem::MaterialData AdvectionFields::steady() const {
  return data([&](std::size_t b, std::size_t i, double* values) {
    const Point& point = points_[b][i];
    for (int d = 0; d < 3; ++d) {
      values[d] = point.conductivity[d];
      values[3 + d] = point.carrier[d];
      values[6 + d] = point.weight[d];
      values[11 + d] = point.drift[d];
    }
    values[9] = point.reaction;
  });
}

fem::MaterialData AdvectionFields::rate() const {
  return data([&](std::size_t b, std::size_t i, double* values) {
    for (int d = 0; d < 3; ++d) values[6 + d] = points_[b][i].weight[d];
    values[9] = points_[b][i].storage;
  });
}

void AdvectionFields::add_sources(const std::vector<SourceTerm>& terms, double time,
                                  solver::Vector<double>& sum) const {
  if (terms.empty()) return;
  const mesh::Mesh& mesh = discretisation_.mesh();
  std::vector<std::vector<double>> source(points_.size());
  mesh.comm().agree([&] {
    for (std::size_t b = 0; b < points_.size(); ++b) {
      const fem::EntityBlock& block = discretisation_.blocks()[b];
      const std::vector<double> places =
          fem::point_places(discretisation_.device(), discretisation_.view(block, block.load));
      source[b].resize(points_[b].size());
      for (const SourceTerm& term : terms) {
        const std::vector<std::uint8_t> chosen = cells_of_groups(mesh, b, term.groups);
        for (std::size_t i = 0; i < source[b].size(); ++i)
          if (chosen[i / static_cast<std::size_t>(block.load.n_points)] != 0)
            source[b][i] +=
                value_at(term.value, {places[3 * i], places[3 * i + 1], places[3 * i + 2]}, time);
      }
    }
  });
  const fem::MaterialData fields = data([&](std::size_t b, std::size_t i, double* values) {
    for (int d = 0; d < 3; ++d) values[6 + d] = points_[b][i].weight[d];
    values[10] = source[b][i];
  });
  solver::Vector<double> zero(discretisation_.device(), mesh.nodes, 1, "loads");
  gpu::fill(discretisation_.device(), zero.view(), 0.0);
  fem::make_advection_operator(discretisation_, fields)->add_internal_force(zero, {}, -1, sum);
}

std::vector<Index> AdvectionFields::consuming_nodes() const {
  std::set<Index> nodes;
  for (std::size_t b = 0; b < points_.size(); ++b) {
    const fem::EntityBlock& block = discretisation_.blocks()[b];
    const auto n_points = static_cast<std::size_t>(block.load.n_points),
               n_nodes = static_cast<std::size_t>(block.n_nodes);
    const std::vector<Index>& of_cell = discretisation_.mesh().cells[b].nodes;
    for (std::size_t i = 0; i < points_[b].size(); ++i)
      if (points_[b][i].reaction > 0) {
        const auto first = of_cell.begin() + static_cast<std::ptrdiff_t>(i / n_points * n_nodes);
        nodes.insert(first, first + block.n_nodes);
      }
  }
  return {nodes.begin(), nodes.end()};
}

}  // namespace trestle::physics

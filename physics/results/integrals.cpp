#include "physics/results/integrals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/number.hpp"
#include "fem/cells/quadrature.hpp"
#include "mesh/key_table.hpp"
#include "physics/host_cells.hpp"

namespace trestle::physics {
namespace {

bool cell_in_group(const mesh::Mesh& mesh, const mesh::CellBlock& block, std::size_t c,
                   const mesh::LocalGroup* group) {
  if (block.owned[c] == 0) return false;
  return group == nullptr ||
         mesh.set_has_group(block.group_set[c], static_cast<int>(group - mesh.groups.data()));
}

/// Integral of nodal values [local point, n] over the owned cells of a group.
std::vector<double> over_cells(const Analysis& analysis, const ResultPoints& points,
                               const std::vector<double>& values, std::size_t n,
                               const mesh::LocalGroup* group) {
  const mesh::Mesh& mesh = analysis.mesh();
  std::vector<double> sum(n, 0.0);
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const mesh::CellBlock& block = mesh.cells[b];
    const HostCells cells(analysis.discretisation(), block.type, block.nodes,
                          fem::load_quadrature(block.type));
    const fem::CellView view = cells.view();
    const auto n_nodes = static_cast<std::size_t>(cells.n_nodes());
    for (std::size_t c = 0; c < block.ids.size(); ++c) {
      if (!cell_in_group(mesh, block, c, group)) continue;
      for (int q = 0; q < view.n_points(); ++q) {
        const double dv = fem::volume_element(view, static_cast<Offset>(c), q);
        for (std::size_t a = 0; a < n_nodes; ++a) {
          const auto point = static_cast<std::size_t>(
              points.point(block.nodes[c * n_nodes + a], analysis.materials()[b][c]));
          for (std::size_t k = 0; k < n; ++k) sum[k] += dv * view.N(q, a) * values[point * n + k];
        }
      }
    }
  }
  return sum;
}

/// Integral of a quantity of the cells over the owned cells of a group, at quadrature points.
std::vector<double> at_points_of_cells(const Analysis& analysis, const State& state,
                                       fem::CellQuantity quantity, const mesh::LocalGroup* group) {
  const mesh::Mesh& mesh = analysis.mesh();
  const auto n = static_cast<std::size_t>(analysis.cells().width(quantity));
  std::vector<double> sum(n, 0.0);
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const std::vector<double> values =
        gpu::download(analysis.cells().cell_integrals(quantity, state.u, *state.thermal, b));
    for (std::size_t c = 0; c < mesh.cells[b].ids.size(); ++c)
      if (cell_in_group(mesh, mesh.cells[b], c, group))
        for (std::size_t k = 0; k < n; ++k) sum[k] += values[c * n + k];
  }
  return sum;
}

/// What a value [n] with the outward normal adds on a facet: a flow, a traction, or the value
/// itself.
std::vector<double> on_surface(const double* value, std::size_t n, const std::string& result,
                               bool is_flow, const fem::Vec3& normal) {
  if (is_flow) return {value[0] * normal[0] + value[1] * normal[1] + value[2] * normal[2]};
  if (result != "stress") return {value, value + n};
  return {value[0] * normal[0] + value[3] * normal[1] + value[5] * normal[2],
          value[3] * normal[0] + value[1] * normal[1] + value[4] * normal[2],
          value[5] * normal[0] + value[4] * normal[1] + value[2] * normal[2]};
}

/// Integral over the facets whose parent cell this rank owns, from the values on the parent's side.
std::vector<double> over_facets(const Analysis& analysis, const ResultPoints& points,
                                const std::vector<double>& values, std::size_t n,
                                const std::string& result, const mesh::LocalGroup& group) {
  const mesh::Mesh& mesh = analysis.mesh();
  const double zeros[6] = {};
  const bool is_flow = result_info(analysis.description(), result).flow;
  std::vector<double> sum(on_surface(zeros, n, result, is_flow, {}).size(), 0.0);
  for (const mesh::Entity& entity : group.entities) {
    const auto b = static_cast<std::size_t>(entity.parent_block);
    const auto c = static_cast<std::size_t>(entity.parent_cell);
    const mesh::CellBlock& block = mesh.cells[b];
    if (block.owned[c] == 0) continue;
    const mesh::CellTraits& cell = mesh::traits(block.type);
    const mesh::SubCell& facet = cell.facets[static_cast<std::size_t>(entity.parent_facet)];
    std::vector<Index> nodes, of_points;
    for (int a = 0; a < mesh::traits(facet.type).n_nodes; ++a) {
      const std::size_t slot =
          c * static_cast<std::size_t>(cell.n_nodes) + facet.nodes[static_cast<std::size_t>(a)];
      nodes.push_back(block.nodes[slot]);
      of_points.push_back(points.point(block.nodes[slot], analysis.materials()[b][c]));
    }
    const HostCells facets(analysis.discretisation(), facet.type, nodes,
                           fem::load_quadrature(facet.type));
    const fem::CellView view = facets.view();
    for (int q = 0; q < view.n_points(); ++q) {
      const fem::FacetPoint point = fem::map_facet_point(view, 0, q);
      double value[6] = {};
      for (std::size_t a = 0; a < of_points.size(); ++a)
        for (std::size_t k = 0; k < n; ++k)
          value[k] += view.N(q, a) * values[static_cast<std::size_t>(of_points[a]) * n + k];
      const std::vector<double> part = on_surface(value, n, result, is_flow, point.normal);
      for (std::size_t k = 0; k < part.size(); ++k) sum[k] += point.da * part[k];
    }
  }
  return sum;
}

/// Sum of reactions over the owned nodes of a group.
std::vector<double> over_nodes(const Analysis& analysis, const State& state,
                               const mesh::LocalGroup* group) {
  const auto reactions = gpu::read(reactions_of(state).values());
  const int n = analysis.n_components();
  std::vector<double> sum(n == 1 ? 1 : 3, 0.0);
  const auto add = [&](Index node) {
    for (int d = 0; d < n; ++d)
      sum[static_cast<std::size_t>(d)] += reactions[static_cast<Offset>(node) * n + d];
  };
  const Index n_owned = analysis.mesh().nodes->n_owned();
  if (group == nullptr) {
    for (Index node = 0; node < n_owned; ++node) add(node);
  } else {
    for (Index node : group->nodes)
      if (node < n_owned) add(node);
  }
  return sum;
}

/// Whether an integral over facets takes the outward normal.
bool takes_normal(const ResultInfo& info) { return info.flow || info.name == "stress"; }

/// How many facets of a group have one material on one side and another one on the other.
/// Collective.
GlobalIndex count_between_materials(const mesh::Mesh& mesh, const Problem& problem,
                                    const mesh::LocalGroup& group) {
  GroupLookup noted_elsewhere(mesh);
  const CellMaterials materials = assign_materials(mesh, problem, noted_elsewhere);
  std::map<mesh::VertexKey<4>, std::set<Index>> sides;
  for (const mesh::Entity& facet : group.entities)
    if (facet.owned && facet.internal)
      sides[mesh::make_vertex_key<4>(mesh::traits(facet.type).n_vertices, [&](int i) {
        return facet.nodes[static_cast<std::size_t>(i)];
      })];
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const mesh::CellTraits& cell = mesh::traits(mesh.cells[b].type);
    for (std::size_t c = 0; c < materials[b].size(); ++c)
      for (const mesh::SubCell& facet : cell.facets) {
        const Index* nodes = &mesh.cells[b].nodes[c * static_cast<std::size_t>(cell.n_nodes)];
        const auto found =
            sides.find(mesh::make_vertex_key<4>(mesh::traits(facet.type).n_vertices, [&](int i) {
              return nodes[facet.nodes[static_cast<std::size_t>(i)]];
            }));
        if (found != sides.end() && materials[b][c] >= 0) found->second.insert(materials[b][c]);
      }
  }
  return mesh.comm().sum(GlobalIndex{std::count_if(
      sides.begin(), sides.end(), [](const auto& side) { return side.second.size() > 1; })});
}

}  // namespace

bool is_of_cells(const mesh::Mesh& mesh, const mesh::LocalGroup* group) {
  return group == nullptr || group->group.dim == mesh.dim;
}

std::string why_two_sided(const mesh::Mesh& mesh, const Problem& problem, const std::string& result,
                          const mesh::LocalGroup* group) {
  if (is_of_cells(mesh, group) || group->group.dim != mesh.dim - 1) return "";
  const ResultInfo& info = result_info(*find_description(problem.physics), result);
  GlobalIndex n = takes_normal(info) || info.one_sided ? count_internal(mesh, *group) : 0;
  if (n > 0 && !takes_normal(info)) n = count_between_materials(mesh, problem, *group);
  if (n == 0) return "";
  const std::string which =
      n < group->n_global ? fmt::format("{} of its {} lie", n, counted(group->n_global, "facet"))
                          : fmt::format("its {} {}", counted(n, "facet"), n == 1 ? "lies" : "lie");
  const char* out = n < group->n_global ? "take these out of the group"
                                        : "name a group on the boundary of the body";
  return fmt::format("{} between {}, where {} {}; {}, or integrate over the cells of a region",
                     which, takes_normal(info) ? "two cells" : "two materials", result,
                     takes_normal(info) ? "has two sides and the normal no direction"
                                        : "has a value on either side",
                     out);
}

std::vector<double> integrate(const Analysis& analysis, const ResultPoints& points,
                              const State& state, Derived& derived, const std::string& result,
                              const mesh::LocalGroup* group) {
  if (is_of_heat(analysis, result))
    return integrate(*analysis.heat(), points, *state.heat, derived, result, group);
  std::vector<double> sum;
  const bool cells = is_of_cells(analysis.mesh(), group);
  if (result.starts_with("reaction_")) {
    sum = over_nodes(analysis, state, group);
  } else if (cells && takes_normal(result_info(analysis.description(), result))) {
    sum = at_points_of_cells(analysis, state, fem::CellQuantity::flux, group);
  } else if (cells && result == "strain_energy_density") {
    sum = at_points_of_cells(analysis, state, fem::CellQuantity::energy, group);
  } else {
    const std::vector<double>& values = derived.values(result);
    const auto n = static_cast<std::size_t>(result_info(analysis.description(), result).components);
    if (cells)
      sum = over_cells(analysis, points, values, n, group);
    else
      sum = over_facets(analysis, points, values, n, result, *group);
  }
  analysis.mesh().comm().sum(std::span<double>(sum));
  return sum;
}

}  // namespace trestle::physics

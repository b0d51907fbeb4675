#include "fem/discretisation.hpp"

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "fem/cells/quadrature.hpp"

namespace trestle::fem {
namespace {

RuleData upload_rule(const gpu::Device& device, mesh::CellType type, const Quadrature& rule) {
  const Tabulation table = tabulate(type, rule);
  return {table.n_points, gpu::upload(device, table.N, "tabulation"),
          gpu::upload(device, table.dN, "tabulation"), gpu::upload(device, table.d2N, "tabulation"),
          gpu::upload(device, table.weights, "tabulation")};
}

/// `nodes` is a span of what outlives the block, or a vector that it keeps.
template <class Nodes>
EntityBlock make_block(const gpu::Device& device, Index n_owned, mesh::CellType type, Nodes nodes) {
  const int n_nodes = mesh::traits(type).n_nodes;
  const auto n_slots = static_cast<Offset>(nodes.size());
  Incidence around =
      scatters(device) ? make_incidence(device, 0, {}) : make_incidence(device, n_owned, nodes);
  return {type,
          n_nodes,
          n_slots / n_nodes,
          {device, std::move(nodes), "mesh"},
          upload_rule(device, type, stiffness_quadrature(type)),
          upload_rule(device, type, load_quadrature(type)),
          std::move(around)};
}

}  // namespace

Vec3 node_place(const mesh::Mesh& mesh, Index node) {
  const auto at = static_cast<std::size_t>(node) * 3;
  return {mesh.coordinates[at], mesh.coordinates[at + 1], mesh.coordinates[at + 2]};
}

HostIncidence make_incidence(Offset n_rows, std::span<const Index> row_of) {
  narrow<Index>(row_of.size());
  const auto counted = [n_rows](Index row) { return row >= 0 && row < n_rows; };
  std::vector<Offset> offsets(static_cast<std::size_t>(n_rows) + 2, 0);
  for (Index row : row_of)
    if (counted(row)) ++offsets[static_cast<std::size_t>(row) + 2];
  for (std::size_t i = 2; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  std::vector<Index> slots(static_cast<std::size_t>(offsets.back()));
  for (std::size_t slot = 0; slot < row_of.size(); ++slot)  // moves each offset to its row's end
    if (const Index row = row_of[slot]; counted(row))
      slots[static_cast<std::size_t>(offsets[static_cast<std::size_t>(row) + 1]++)] =
          static_cast<Index>(slot);
  offsets.pop_back();
  return {std::move(offsets), std::move(slots)};
}

Incidence make_incidence(const gpu::Device& device, Offset n_rows, std::span<const Index> row_of) {
  const HostIncidence host = make_incidence(n_rows, row_of);
  return {gpu::upload(device, host.offsets, "node to cell"),
          gpu::upload(device, host.slots, "node to cell")};
}

Discretisation::Discretisation(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> mesh,
                               Section section)
    : device_(device),
      mesh_(std::move(mesh)),
      section_(section),
      x_(device, std::span(mesh_->coordinates), "mesh") {
  for (const mesh::CellBlock& block : mesh_->cells)
    blocks_.push_back(
        make_block(device_, mesh_->nodes->n_owned(), block.type, std::span(block.nodes)));
}

CellView Discretisation::view(const EntityBlock& block, const RuleData& rule) const {
  return {{block.nodes.data(), block.n_entities, block.n_nodes},
          x(),
          {rule.N.data(), rule.n_points, block.n_nodes},
          {rule.dN.data(), rule.n_points, block.n_nodes, 3},
          rule.weights.view(),
          mesh_->dim,
          section_,
          {rule.d2N.data(), rule.d2N.size() / (6 * block.n_nodes), block.n_nodes, 6}};
}

std::shared_ptr<const EntityBlock> Discretisation::cells(
    std::size_t block, std::span<const std::uint8_t> chosen) const {
  if (std::all_of(chosen.begin(), chosen.end(), [](std::uint8_t c) { return c != 0; }))
    return {std::shared_ptr<const EntityBlock>(), &blocks_[block]};
  const mesh::CellBlock& all = mesh_->cells[block];
  const auto n_nodes = static_cast<std::size_t>(mesh::traits(all.type).n_nodes);
  std::vector<Index> nodes;
  for (std::size_t c = 0; c < chosen.size(); ++c)
    if (chosen[c] != 0)
      nodes.insert(nodes.end(), all.nodes.begin() + static_cast<std::ptrdiff_t>(c * n_nodes),
                   all.nodes.begin() + static_cast<std::ptrdiff_t>((c + 1) * n_nodes));
  return std::make_shared<const EntityBlock>(
      make_block(device_, mesh_->nodes->n_owned(), all.type, std::move(nodes)));
}

std::vector<EntityBlock> Discretisation::facets(std::span<const mesh::Entity> entities) const {
  std::map<mesh::CellType, std::vector<Index>> by_type;
  for (const mesh::Entity& entity : entities) {
    const mesh::CellBlock& parent = mesh_->cells[static_cast<std::size_t>(entity.parent_block)];
    const mesh::CellTraits& traits = mesh::traits(parent.type);
    const mesh::SubCell& facet = traits.facets[static_cast<std::size_t>(entity.parent_facet)];
    const std::size_t first =
        static_cast<std::size_t>(entity.parent_cell) * static_cast<std::size_t>(traits.n_nodes);
    for (int a = 0; a < mesh::traits(facet.type).n_nodes; ++a)
      by_type[facet.type].push_back(parent.nodes[first + facet.nodes[static_cast<std::size_t>(a)]]);
  }
  std::vector<EntityBlock> blocks;
  for (auto& [type, nodes] : by_type)
    blocks.push_back(make_block(device_, mesh_->nodes->n_owned(), type, std::move(nodes)));
  return blocks;
}

}  // namespace trestle::fem

#include "fem/discretisation.hpp"

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "fem/quadrature.hpp"

namespace trestle::fem {
namespace {

RuleData upload_rule(const gpu::Device& device, mesh::CellType type, const Quadrature& rule) {
  const Tabulation table = tabulate(type, rule);
  return {table.n_points, gpu::upload(device, table.N, "tabulation"),
          gpu::upload(device, table.dN, "tabulation"),
          gpu::upload(device, table.weights, "tabulation")};
}

EntityBlock make_block(const gpu::Device& device, Index n_owned, mesh::CellType type,
                       const std::vector<Index>& nodes) {
  std::vector<Index> row_of(nodes.size());
  std::transform(nodes.begin(), nodes.end(), row_of.begin(),
                 [&](Index node) { return node < n_owned ? node : -1; });
  const int n_nodes = mesh::traits(type).n_nodes;
  return {type,
          n_nodes,
          static_cast<Offset>(nodes.size()) / n_nodes,
          gpu::upload(device, nodes, "mesh"),
          upload_rule(device, type, stiffness_quadrature(type)),
          upload_rule(device, type, load_quadrature(type)),
          make_incidence(device, n_owned, row_of)};
}

// One part of a row (owned or ghost columns) at a time: the nodes that share a cell with the row's
// node.
class PatternBuilder {
 public:
  explicit PatternBuilder(const mesh::Mesh& mesh)
      : mesh_(mesh), seen_(static_cast<std::size_t>(mesh.nodes->n_local()), -1) {
    const Index n_owned = mesh.nodes->n_owned();
    for (const mesh::CellBlock& block : mesh.cells) {
      std::vector<Offset> offsets(static_cast<std::size_t>(n_owned) + 1, 0);
      for (Index node : block.nodes)
        if (node < n_owned) ++offsets[static_cast<std::size_t>(node) + 1];
      for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
      std::vector<Index> cells(static_cast<std::size_t>(offsets.back()));
      std::vector<Offset> at(offsets.begin(), offsets.end() - 1);
      const int n_nodes = mesh::traits(block.type).n_nodes;
      for (std::size_t slot = 0; slot < block.nodes.size(); ++slot)
        if (const Index node = block.nodes[slot]; node < n_owned)
          cells[static_cast<std::size_t>(at[static_cast<std::size_t>(node)]++)] =
              narrow<Index>(slot / static_cast<std::size_t>(n_nodes));
      around_.push_back({std::move(offsets), std::move(cells)});
    }
  }

  /// The columns of `row`, ascending: owned nodes first, as they are numbered first.
  const std::vector<Index>& columns(Index row) {
    row_.clear();
    for (std::size_t b = 0; b < mesh_.cells.size(); ++b)
      add_columns(row, mesh_.cells[b], around_[b]);
    std::sort(row_.begin(), row_.end());
    return row_;
  }

 private:
  struct Around {
    std::vector<Offset> offsets;
    std::vector<Index> cells;
  };
  void add_columns(Index row, const mesh::CellBlock& block, const Around& around) {
    const auto n_nodes = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
    for (Offset i = around.offsets[static_cast<std::size_t>(row)];
         i < around.offsets[static_cast<std::size_t>(row) + 1]; ++i) {
      const std::size_t cell = static_cast<std::size_t>(around.cells[static_cast<std::size_t>(i)]);
      for (std::size_t a = cell * n_nodes; a < (cell + 1) * n_nodes; ++a) {
        const Index node = block.nodes[a];
        if (seen_[static_cast<std::size_t>(node)] == row) continue;
        seen_[static_cast<std::size_t>(node)] = row;
        row_.push_back(node);
      }
    }
  }

  const mesh::Mesh& mesh_;
  std::vector<Index> seen_;
  std::vector<Around> around_;
  std::vector<Index> row_;
};

std::shared_ptr<const solver::Pattern> make_pattern(const mesh::Mesh& mesh) {
  const Index n_owned = mesh.nodes->n_owned();
  auto pattern = std::make_shared<solver::Pattern>();
  pattern->map = mesh.nodes;
  pattern->owned_offsets.assign(1, 0);
  std::vector<Offset> ghost_ends;
  std::vector<Index> ghosts;
  PatternBuilder builder(mesh);
  for (Index row = 0; row < n_owned; ++row) {
    const std::vector<Index>& columns = builder.columns(row);
    const auto first_ghost = std::lower_bound(columns.begin(), columns.end(), n_owned);
    pattern->columns.insert(pattern->columns.end(), columns.begin(), first_ghost);
    ghosts.insert(ghosts.end(), first_ghost, columns.end());
    pattern->owned_offsets.push_back(static_cast<Offset>(pattern->columns.size()));
    ghost_ends.push_back(static_cast<Offset>(ghosts.size()));
  }
  const Offset n_entries_owned = pattern->owned_offsets.back();
  pattern->ghost_offsets.assign(1, n_entries_owned);
  for (Offset end : ghost_ends) pattern->ghost_offsets.push_back(n_entries_owned + end);
  pattern->columns.insert(pattern->columns.end(), ghosts.begin(), ghosts.end());
  return pattern;
}

}  // namespace

Vec3 node_place(const mesh::Mesh& mesh, Index node) {
  const auto at = static_cast<std::size_t>(node) * 3;
  return {mesh.coordinates[at], mesh.coordinates[at + 1], mesh.coordinates[at + 2]};
}

Incidence make_incidence(const gpu::Device& device, Offset n_rows, std::span<const Index> row_of) {
  narrow<Index>(row_of.size());
  std::vector<Offset> offsets(static_cast<std::size_t>(n_rows) + 1, 0);
  for (Index row : row_of)
    if (row >= 0) ++offsets[static_cast<std::size_t>(row) + 1];
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  std::vector<Index> slots(static_cast<std::size_t>(offsets.back()));
  std::vector<Offset> at(offsets.begin(), offsets.end() - 1);
  for (std::size_t slot = 0; slot < row_of.size(); ++slot)
    if (const Index row = row_of[slot]; row >= 0)
      slots[static_cast<std::size_t>(at[static_cast<std::size_t>(row)]++)] =
          static_cast<Index>(slot);
  return {gpu::upload(device, offsets, "node to cell"), gpu::upload(device, slots, "node to cell")};
}

Discretisation::Discretisation(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> mesh,
                               Section section)
    : device_(device),
      mesh_(std::move(mesh)),
      section_(section),
      x_(gpu::upload(device, mesh_->coordinates, "mesh")),
      pattern_(make_pattern(*mesh_)) {
  for (const mesh::CellBlock& block : mesh_->cells)
    blocks_.push_back(make_block(device_, mesh_->nodes->n_owned(), block.type, block.nodes));
}

CellView Discretisation::view(const EntityBlock& block, const RuleData& rule) const {
  return {{block.nodes.data(), block.n_entities, block.n_nodes},
          x(),
          {rule.N.data(), rule.n_points, block.n_nodes},
          {rule.dN.data(), rule.n_points, block.n_nodes, 3},
          rule.weights.view(),
          mesh_->dim,
          section_};
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
      make_block(device_, mesh_->nodes->n_owned(), all.type, nodes));
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
  for (const auto& [type, nodes] : by_type)
    blocks.push_back(make_block(device_, mesh_->nodes->n_owned(), type, nodes));
  return blocks;
}

}  // namespace trestle::fem

// Discretisation: a mesh on a device, ready for integrals, with the pattern of its matrices.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fem/geometry.hpp"
#include "fem/kernels/cell_kernels.hpp"
#include "fem/tabulation.hpp"
#include "gpu/array.hpp"
#include "mesh/mesh.hpp"
#include "solver/block_matrix.hpp"

namespace trestle::fem {

/// Rows (owned nodes, or points of results) and the slots entity * n_nodes + node that add to each,
/// ascending.
struct Incidence {
  gpu::Array<Offset> offsets;
  gpu::Array<Index> slots;
  Offset n_rows() const { return offsets.size() - 1; }
  NodeCells view() const { return {offsets.view(), slots.view()}; }
};

/// `row_of[slot]` is the row of each slot, or -1.
Incidence make_incidence(const gpu::Device& device, Offset n_rows, std::span<const Index> row_of);

/// Place of a local node [m].
Vec3 node_place(const mesh::Mesh& mesh, Index node);

/// A tabulated rule on a device.
struct RuleData {
  int n_points;
  gpu::Array<double> N, dN, weights;
};

/// Cells or facets of one type on a device.
struct EntityBlock {
  mesh::CellType type;
  int n_nodes;
  Offset n_entities;
  gpu::Array<Index> nodes;  // [entity, node]
  RuleData stiffness;       // full integration
  RuleData load;            // for sources, loads and masses
  Incidence around;         // of owned nodes
};

class Discretisation {
 public:
  /// Copies the mesh to `device` and finds the pattern.
  Discretisation(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> mesh,
                 Section section);

  const gpu::Device& device() const { return device_; }
  const mesh::Mesh& mesh() const { return *mesh_; }
  const Section& section() const { return section_; }
  const std::vector<EntityBlock>& blocks() const { return blocks_; }
  gpu::View<const double, 2> x() const { return {x_.data(), x_.size() / 3, 3}; }
  /// A block per owned node and node that shares a cell with it.
  const std::shared_ptr<const solver::Pattern>& pattern() const { return pattern_; }

  /// Views of a block with one of its rules.
  CellView view(const EntityBlock& block, const RuleData& rule) const;
  /// The facets among `entities`, with the nodes in the order that makes the parent's outward
  /// normal; a block per type.
  std::vector<EntityBlock> facets(std::span<const mesh::Entity> entities) const;
  /// The cells of a block for which `chosen[cell]` is not 0: the block itself where that is all of
  /// them.
  std::shared_ptr<const EntityBlock> cells(std::size_t block,
                                           std::span<const std::uint8_t> chosen) const;

 private:
  gpu::Device device_;
  std::shared_ptr<const mesh::Mesh> mesh_;
  Section section_;
  gpu::Array<double> x_;
  std::vector<EntityBlock> blocks_;
  std::shared_ptr<const solver::Pattern> pattern_;
};

}  // namespace trestle::fem

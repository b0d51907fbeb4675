// Discretisation: a mesh on a device, ready for integrals.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fem/cells/geometry.hpp"
#include "fem/cells/tabulation.hpp"
#include "fem/kernels/cell_kernels.hpp"
#include "gpu/array.hpp"
#include "gpu/constant_array.hpp"
#include "mesh/mesh.hpp"

namespace trestle::fem {

/// Rows (owned nodes, or points of results) and the slots entity * n_nodes + node that add to each,
/// ascending.
struct Incidence {
  gpu::Array<Offset> offsets;
  gpu::Array<Index> slots;
  Offset n_rows() const { return offsets.size() - 1; }
  NodeCells view() const { return {offsets.view(), slots.view()}; }
};

/// The same on the host. Slots are 32-bit.
struct HostIncidence {
  std::vector<Offset> offsets;  // [row + 1]
  std::vector<Index> slots;
};

/// `row_of[slot]` is the row of each slot; those below 0 and from `n_rows` on are left out.
HostIncidence make_incidence(Offset n_rows, std::span<const Index> row_of);
Incidence make_incidence(const gpu::Device& device, Offset n_rows, std::span<const Index> row_of);

/// Place of a local node [m].
Vec3 node_place(const mesh::Mesh& mesh, Index node);

/// A tabulated rule on a device.
struct RuleData {
  int n_points;
  gpu::Array<double> N, dN, d2N, weights;
};

/// Cells or facets of one type on a device.
struct EntityBlock {
  mesh::CellType type;
  int n_nodes;
  Offset n_entities;
  gpu::ConstantArray<Index> nodes;  // [entity, node]
  RuleData stiffness;               // full integration
  RuleData load;                    // for sources, loads and masses
  Incidence around;                 // of owned nodes; without rows where entities scatter
};

/// Whether entities add to their rows one after another, as one thread does; where many threads
/// work, rows gather from the entities around them. Every row sums in the order of the entities.
inline bool scatters(const gpu::Device& device) { return device.kind() == gpu::DeviceKind::cpu; }

class Discretisation {
 public:
  /// Copies the mesh to `device` where that has memory of its own.
  Discretisation(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> mesh,
                 Section section);

  const gpu::Device& device() const { return device_; }
  const mesh::Mesh& mesh() const { return *mesh_; }
  const Section& section() const { return section_; }
  const std::vector<EntityBlock>& blocks() const { return blocks_; }
  gpu::View<const double, 2> x() const { return {x_.data(), x_.size() / 3, 3}; }

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
  gpu::ConstantArray<double> x_;
  std::vector<EntityBlock> blocks_;
};

}  // namespace trestle::fem

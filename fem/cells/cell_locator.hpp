// Finds the cell and the reference coordinates of points in space.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "fem/tensor.hpp"
#include "mesh/mesh.hpp"

namespace trestle::fem {

/// Finds cells of any type, curved ones too. A point belongs to a cell when it lies inside or
/// within `tolerance` of it; of several cells the one with the lowest canonical id wins, so that
/// the answer does not depend on the partition. A mesh of dimension 2 is taken as plane: round-off
/// of its z, up to 1e-6 of its size, does not count, nor does that of a point.
class CellLocator {
 public:
  struct Found {
    int block = -1;              // of Mesh::cells
    Index cell = -1;             // of the block
    std::array<double, 3> xi{};  // in the reference cell, never outside of it
    bool found = false;
  };
  struct Located {
    int rank = -1;  // that owns the winning cell; -1 where no cell has the point
    Found here;     // found on that rank only
  };

  /// `group` >= 0 takes only cells of that group (an index into mesh.groups). Keeps a reference to
  /// `mesh`. Time and memory are linear in the cells. Collective.
  explicit CellLocator(const mesh::Mesh& mesh, int group = -1);

  /// The cell, owned or ghost, that has x [m]. Not found for points outside and for NaN.
  Found locate(std::array<double, 3> x) const { return search(x, false); }
  /// The owning rank of every point; `points` [m] are the same on all ranks. Collective.
  std::vector<Located> locate(const Comm& comm,
                              std::span<const std::array<double, 3>> points) const;

  /// The field `nodal` [local node, components] at a found point.
  std::vector<double> interpolate(const Found& at, std::span<const double> nodal,
                                  int components = 1) const;

  /// 1e-10 of the diagonal of the whole mesh, or a few roundings of its largest coordinate [m].
  double tolerance() const { return tolerance_; }
  /// z of a mesh of dimension 2 [m].
  double plane() const { return plane_; }

 private:
  struct Box {
    Vec3 lower, upper;
    void include(const Box& other);
    bool contains(const Vec3& x) const;
  };
  /// Boxes over `fan` boxes of the level below, and over `fan` cells at level 0. Cells stand along
  /// a Hilbert curve (mesh/mesh.hpp), so that consecutive ones are near each other and the boxes
  /// small, without any sorting.
  struct Tree {
    std::vector<std::vector<Box>> levels;
  };
  static constexpr std::size_t fan = 8;

  Vec3 node(const mesh::CellBlock& block, Index cell, std::size_t a) const;
  Vec3 bend_of(const mesh::CellBlock& block, Index cell) const;
  Box box_of(const mesh::CellBlock& block, Index cell) const;
  Tree make_tree(const mesh::CellBlock& block) const;
  bool takes(const mesh::CellBlock& block, Index cell) const;
  void collect(const mesh::CellBlock& block, const Tree& tree, const Vec3& x,
               std::vector<Index>& cells) const;
  bool invert(const mesh::CellBlock& block, Index cell, const Vec3& x,
              std::array<double, 3>& xi) const;
  Found search(std::array<double, 3> x, bool owned_only) const;

  const mesh::Mesh* mesh_;
  int group_;
  double tolerance_ = 0;
  double plane_ = 0, round_off_ = 0;  // z of a mesh of dimension 2 and what counts as the same
  std::vector<Tree> trees_;           // one per block
};

}  // namespace trestle::fem

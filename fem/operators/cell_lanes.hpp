// The tuned kernels of one CPU thread: the integrals of cell_kernels.hpp for four cells at a time.
#pragma once

#include <vector>

#include "fem/expression.hpp"
#include "fem/kernels/cell_kernels.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::fem {

/// What the matrix of all cells is made of and where it goes.
struct CellMatrices {
  CellView cells;
  MaterialView parameters;
  ThermalView thermal;
  gpu::View<const double, 2> u;  // [local node, component]; where the material is not linear
  MatrixView matrix;
  gpu::View<const Offset, 1> diagonal;  // [owned node]: its entry
};

/// What the cells of one material and one number of nodes give; `Material` is the one of double,
/// whose algebra runs on Lanes here. Geometry is computed once per cell, and each cell adds to its
/// rows in the order of cells: the sums that StiffnessRow and GatherChunk form. Host memory only.
template <class Material, int n_nodes>
struct CellLanes {
  /// matrix += K over all cells, at the rows of owned nodes; where K is symmetric, only on the
  /// diagonal and beyond it: mirror_upper gives the rest.
  static void add_stiffness(const CellMatrices& sum);
  /// InternalForce over the cells of its chunk.
  static void internal_force(const InternalForce<Material>& kernel);
};

/// The entries (row, row) of a matrix.
std::vector<Offset> diagonal_entries(const MatrixView& matrix);
/// Makes the entries between owned nodes below the diagonal, `width` x `width` each, the transposes
/// of those above.
void mirror_upper(const MatrixView& matrix, int width);
/// matrix += the whole matrix of a cell [node, node, width] at the rows of owned nodes.
void add_cell_matrix(const MatrixView& matrix, gpu::View<const Index, 2> nodes, Offset cell,
                     const double* K, int width);

/// add_body_load (cell_operator.hpp) on a CPU.
void add_body_load_in_lanes(const gpu::Device& device, const CellView& cells,
                            std::span<const Expression> components, const Expression& density,
                            double time, solver::Vector<double>& sum);
/// PointPlaces of all cells or facets.
void point_places_in_lanes(const PointPlaces& kernel);

}  // namespace trestle::fem

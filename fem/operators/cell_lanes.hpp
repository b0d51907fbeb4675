// The tuned kernels of one CPU thread: the integrals of cell_kernels.hpp for four cells at a time.
#pragma once

#include "fem/kernels/cell_kernels.hpp"

namespace trestle::fem {

/// What the matrix of all cells is made of and where it goes.
struct CellMatrices {
  CellView cells;
  MaterialView parameters;
  ThermalView thermal;
  gpu::View<const double, 2> u;  // [local node, component]; where the material is not linear
  PlacesView places;
  MatrixView matrix;
};

/// What the cells of one material and one number of nodes give; `Material` is the one of double,
/// whose algebra runs on Lanes here. Geometry is computed once per cell, and each cell adds to its
/// rows in the order of cells: the sums that StiffnessRow and GatherChunk form. Host memory only.
template <class Material, int n_nodes>
struct CellLanes {
  /// matrix += K over all cells, at the rows of owned nodes. Of a symmetric K the upper half is
  /// computed.
  static void add_stiffness(const CellMatrices& sum);
  /// InternalForce over the cells of its chunk.
  static void internal_force(const InternalForce<Material>& kernel);
};

/// BodyLoad over the cells of a chunk.
void body_load_in_lanes(const BodyLoad& kernel);
/// PointPlaces of all cells or facets.
void point_places_in_lanes(const PointPlaces& kernel);

}  // namespace trestle::fem

// Small distributed matrices with known solutions, built row by row from a rule.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "solver/matrix/block_matrix.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::test {

/// Column node -> block [block, block] of one row.
using Row = std::map<GlobalIndex, std::vector<double>>;

/// A matrix as a rule: any rank can ask for any row.
struct Model {
  GlobalIndex n_nodes;
  int block;
  std::function<Row(GlobalIndex)> row;
};

/// tridiag(-1, 2, -1).
Model laplacian_1d(GlobalIndex n);
/// The five-point star on n x n points, times `coupling` [block, block] (the identity by default).
Model laplacian_2d(GlobalIndex n, int block = 1, std::vector<double> coupling = {1});
/// A dense matrix given by rows.
Model dense(std::vector<std::vector<double>> entries);
/// Springs in a row between two walls: stiffness `spring(k)` before point k; n + 1 springs.
Model spring_chain(GlobalIndex n, std::function<double(GlobalIndex)> spring);
/// Plane stress, E = 1, nu = 0.3, on nx x ny bilinear unit squares; with `fixed` the nodes on x = 0
/// keep their diagonal and no coupling. Node (i, j) is i + j (nx + 1).
Model elastic_plate(GlobalIndex nx, GlobalIndex ny, bool fixed);
/// Coordinates [node, 3] of the nodes of `elastic_plate` that `map` owns.
std::vector<double> plate_coordinates(const IndexMap& map, GlobalIndex nx);

/// The matrix on the ranks of `comm`, each with a contiguous slice of nodes.
template <class Real>
std::shared_ptr<solver::BlockMatrix<Real>> make_matrix(const gpu::Device& device, const Comm& comm,
                                                       const Model& model);

/// value(node, component) on owned nodes, zero on ghosts.
solver::Vector<double> make_vector(const gpu::Device& device, std::shared_ptr<const IndexMap> map,
                                   int block, const std::function<double(GlobalIndex, int)>& value);

/// All owned entries of all ranks in canonical order, on every rank. Collective.
std::vector<double> gather(const solver::Vector<double>& x);

/// A x of the model, on the host and on one rank: x [node, block].
std::vector<double> multiply(const Model& model, const std::vector<double>& x);

/// ||b - A x|| / ||b|| of whole vectors, computed without the solver.
double relative_residual(const Model& model, const std::vector<double>& x,
                         const std::vector<double>& b);

double largest_difference(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace trestle::test

// Masses of cells: the consistent matrix, a positive lumping, and inertia forces without a matrix.
#pragma once

#include <span>
#include <vector>

#include "fem/kernels/mass_kernels.hpp"
#include "fem/matrix_layout.hpp"
#include "gpu/constant_array.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::fem {

/// A coefficient c of the cells (density [kg/m^3], heat capacity per volume [J/(m^3 K)] ...) at the
/// load rule: a number per material, or a value per point.
struct CellCoefficient {
  std::span<const gpu::ConstantArray<Index>> material;  // by block: [cell]; outlives this
  gpu::Array<double> table;                             // [material]
  std::vector<gpu::Array<double>> field;  // by block: [cell, point]; no blocks: the table holds

  CoefficientView view(const Discretisation& discretisation, std::size_t block) const;
};

/// matrix += factor * M, M_ab the integral of c N_a N_b times the identity of the matrix's block;
/// `layout` has the matrix's pattern. Integrals are for the thickness or the full circle
/// (docs/notation.md).
void add_mass(const Discretisation& discretisation, const MatrixLayout& layout,
              const CellCoefficient& coefficient, double factor,
              solver::BlockMatrix<double>& matrix);

/// Masses of the owned nodes, the same for all components; ghosts are 0. Positive for every cell
/// type, with the total mass of M: row sums of M for linear cells, its scaled diagonal for
/// quadratic ones [Hughes 2000, sec. 7.3.2; Hinton, Rock and Zienkiewicz 1976].
solver::Vector<double> lumped_mass(const Discretisation& discretisation,
                                   const CellCoefficient& coefficient, int n_components);

/// sum += factor * M a at owned nodes, without a matrix; the ghosts of `a` are up to date.
void add_inertia(const Discretisation& discretisation, const CellCoefficient& coefficient,
                 const solver::Vector<double>& a, double factor, solver::Vector<double>& sum);

/// The same with lumped masses of the owned nodes: onto the diagonal of the matrix, and
/// sum += factor * m a.
void add_lumped_mass(const solver::Vector<double>& lumped, double factor,
                     solver::BlockMatrix<double>& matrix);
void add_lumped_inertia(const solver::Vector<double>& lumped, const solver::Vector<double>& a,
                        double factor, solver::Vector<double>& sum);

/// MassRow over all rows, and InertiaForce over the cells of its chunk: the tuned kernels of one
/// CPU thread, four cells at a time, which scatter as CellLanes do. Host memory only.
void add_mass_in_lanes(const MassSum& kernel);
void inertia_force_in_lanes(const InertiaForce& kernel);

}  // namespace trestle::fem

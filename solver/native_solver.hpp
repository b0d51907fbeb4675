// The own Krylov methods as inner solvers: CG or GMRES with block Jacobi or Chebyshev, on every
// device.
#pragma once

#include <memory>

#include "solver/block_matrix.hpp"
#include "solver/inner_solver.hpp"

namespace trestle::solver {

struct NativeOptions {
  Method method = Method::cg;  // cg or gmres
  Preconditioner preconditioner = Preconditioner::jacobi;
  bool float_preconditioner = false;  // of a matrix in double
  int restart = 30;                   // of GMRES
};

/// With a matrix in float everything inside is float; with one in double all is double, but for
/// the preconditioner where the options say so. Collective.
template <class Real>
std::unique_ptr<InnerSolver> make_native_solver(std::shared_ptr<const BlockMatrix<Real>> matrix,
                                                const NativeOptions& options);

extern template std::unique_ptr<InnerSolver> make_native_solver(
    std::shared_ptr<const BlockMatrix<float>>, const NativeOptions&);
extern template std::unique_ptr<InnerSolver> make_native_solver(
    std::shared_ptr<const BlockMatrix<double>>, const NativeOptions&);

}  // namespace trestle::solver

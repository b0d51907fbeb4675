// The own Krylov methods as inner solvers: CG, MINRES, GMRES or BiCGStab with block Jacobi,
// Chebyshev or multigrid, on every device.
#pragma once

#include <memory>
#include <vector>

#include "solver/inner_solver.hpp"
#include "solver/matrix/block_matrix.hpp"

namespace trestle::solver {

struct NativeOptions {
  Method method = Method::cg;  // cg, minres, gmres or bicgstab
  Preconditioner preconditioner = Preconditioner::jacobi;
  bool float_preconditioner = false;  // of a matrix in double
  int restart = 30;                   // of GMRES
  bool updates = false;               // whether `update` is expected
  SetUpObserver set_up_observer;
};

/// Vectors [owned node, block] that multigrid must represent.
using NearNullVectors = std::vector<std::vector<double>>;

/// With a matrix in float everything inside is float; with one in double all is double, but for
/// the preconditioner where the options say so. Collective.
template <class Real>
std::unique_ptr<InnerSolver> make_native_solver(std::shared_ptr<const BlockMatrix<Real>> matrix,
                                                const NativeOptions& options,
                                                const NearNullVectors& near_null);

extern template std::unique_ptr<InnerSolver> make_native_solver(
    std::shared_ptr<const BlockMatrix<float>>, const NativeOptions&, const NearNullVectors&);
extern template std::unique_ptr<InnerSolver> make_native_solver(
    std::shared_ptr<const BlockMatrix<double>>, const NativeOptions&, const NearNullVectors&);

}  // namespace trestle::solver

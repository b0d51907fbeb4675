#include "tests/solver/solving.hpp"

namespace trestle::test {
namespace {

using solver::Method;
using solver::Precision;
using solver::Preconditioner;
using solver::SolverOptions;

template <class Real>
Solved solve_as(const gpu::Device& device, const Model& model, const SolverOptions& options,
                const std::vector<double>& b, const std::vector<double>& guess,
                solver::MatrixTraits traits, const Comm& comm) {
  const auto matrix = make_matrix<Real>(device, comm, model);
  const auto map = matrix->pattern().map;
  const auto at = [&](const std::vector<double>& values) {
    return [&](GlobalIndex node, int c) {
      return values[static_cast<std::size_t>(node * model.block + c)];
    };
  };
  const solver::Vector<double> rhs = make_vector(device, map, model.block, at(b));
  solver::Vector<double> x = make_vector(device, map, model.block, at(guess));
  solver::LinearSolver<Real> linear(options, matrix, std::move(traits));
  solver::SolveResult result = linear.solve(rhs, x);
  return {std::move(result), gather(x)};
}

}  // namespace

Solved solve(const gpu::Device& device, const Model& model, const SolverOptions& options,
             const std::vector<double>& b, std::vector<double> guess, solver::MatrixTraits traits,
             const Comm& comm) {
  if (guess.empty()) guess.assign(b.size(), 0.0);
  if (options.precision == Precision::single)
    return solve_as<float>(device, model, options, b, guess, std::move(traits), comm);
  return solve_as<double>(device, model, options, b, guess, std::move(traits), comm);
}

SolverOptions options_for(Method method, Preconditioner preconditioner, Precision precision,
                          double tolerance) {
  SolverOptions options;
  options.method = method;
  options.preconditioner = preconditioner;
  options.precision = precision;
  options.tolerance = tolerance;
  return options;
}

std::vector<SolverOptions> all_in_double() {
  std::vector<SolverOptions> all;
  for (Method method : {Method::cg, Method::minres, Method::gmres, Method::bicgstab})
    for (Preconditioner m : {Preconditioner::none, Preconditioner::jacobi,
                             Preconditioner::chebyshev, Preconditioner::amg})
      all.push_back(options_for(method, m));
  for (Method method : {Method::petsc, Method::direct, Method::automatic})
    all.push_back(options_for(method));
  return all;
}

std::vector<SolverOptions> all_options() {
  std::vector<SolverOptions> all = all_in_double();
  for (Precision precision : {Precision::mixed, Precision::single})
    for (Method method :
         {Method::cg, Method::minres, Method::gmres, Method::bicgstab, Method::automatic})
      for (Preconditioner m :
           {Preconditioner::jacobi, Preconditioner::chebyshev, Preconditioner::amg})
        all.push_back(
            options_for(method, m, precision, precision == Precision::single ? 1e-5 : 1e-10));
  return all;
}

std::string name_of(const SolverOptions& options) {
  constexpr const char* preconditioners[] = {"auto", "none", "jacobi", "chebyshev", "amg"};
  return std::string(to_string(options.method)) + ", " +
         preconditioners[static_cast<int>(options.preconditioner)] + ", " +
         to_string(options.precision);
}

}  // namespace trestle::test

#include "physics/stable_step.hpp"

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/krylov/lambda_max.hpp"
#include "solver/steps/central_difference.hpp"

namespace trestle::physics {
namespace {

using Vector = solver::Vector<double>;

/// z = M^-1 r, 0 in directions that are held.
class InverseMass final : public solver::ApproximateInverse<double> {
 public:
  explicit InverseMass(const Vector& inverse) : inverse_(inverse) {}
  void apply(const Vector& r, double, Vector& z) override {
    gpu::fill(z.device(), z.view(), 0.0);
    fem::add_lumped_inertia(inverse_, r, 1, z);
  }
  std::string name() const override { return "lumped mass"; }

 private:
  const Vector& inverse_;
};

}  // namespace

Vector inverse_masses(const Analysis& analysis, const Capacity& capacity) {
  Vector mass =
      fem::lumped_mass(analysis.discretisation(), capacity.coefficient(), analysis.n_components());
  const std::vector<double> whole = gpu::download(mass.values());
  analysis.constraints().apply_mass(mass);
  bool positive = true;
  {
    const auto values = gpu::write(mass.values());
    for (Offset i = 0; i < mass.n_local(); ++i) {
      if (i < mass.n_owned()) positive = positive && whole[static_cast<std::size_t>(i)] > 0;
      values[i] = values[i] > 0 ? 1 / values[i] : 0;
    }
  }
  if (!analysis.mesh().comm().all(positive))
    throw NumericalError(ExitCode::not_a_number,
                         "central_difference: the mass of a node is not above 0; give its material "
                         "a density above 0, and take no node without a cell");
  return mass;
}

double longest_stable_step(StepEquations& equations, const Vector& inverse_masses, const Vector& u,
                           double stiffness_damping) {
  constexpr int first = 20, most = 640;  // Lanczos steps
  constexpr double settled = 1e-3;
  equations.use({});
  equations.update_matrix(u);
  const solver::MatrixOperator<double> stiffness(equations.matrix());
  InverseMass inverse(inverse_masses);
  double lambda = 0;
  for (int steps = first; steps <= most; steps *= 2) {
    const double before = lambda;
    lambda = solver::ritz_lambda_max(stiffness, inverse, steps);
    if (lambda - before <= settled * lambda) break;
  }
  return lambda > 0 ? solver::stable_step(lambda, stiffness_damping)
                    : std::numeric_limits<double>::infinity();
}

}  // namespace trestle::physics

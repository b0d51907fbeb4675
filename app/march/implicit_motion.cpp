// Solids in motion by implicit schemes.
#include "app/march/motion_march.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/steps/motion_scheme.hpp"

namespace trestle::app {
namespace {

using solver::Vector;

class ImplicitMotion final : public MotionMarch {
 public:
  ImplicitMotion(const MarchParts& parts, StateSink& output)
      : MotionMarch(parts, output,
                    parts.c.problem.analysis.scheme == physics::TimeScheme::newmark
                        ? solver::newmark()
                        : solver::generalized_alpha(parts.c.problem.analysis.spectral_radius)) {
    const auto scope = parts.timers.time("assemble");
    Vector<double> a = copy_of(u_);
    const Vector<double> v = initial_velocity(0.01 * options().step, a);
    solve_acceleration(v, a);
    equations_.forces(u_, forces_);
    scheme_.emplace(parameters_, u_, v, a, forces_);
    start_balance();
  }

 private:
  /// M a = F(0, u) - D v.
  void solve_acceleration(const Vector<double>& v, Vector<double>& a) {
    Vector<double> damping = copy_of(u_), product = copy_of(u_);
    gpu::fill(u_.device(), damping.view(), 0.0);
    if (parameters_.mass_damping != 0) {
      equations_.apply_mass(v, product);
      gpu::axpy(u_.device(), -parameters_.mass_damping, std::as_const(product).owned(),
                damping.owned());
    }
    if (parameters_.stiffness_damping != 0) {
      equations_.apply_stiffness(v, product);
      gpu::axpy(u_.device(), -parameters_.stiffness_damping, std::as_const(product).owned(),
                damping.owned());
    }
    equations_.solve_rate(u_, &damping, a);
  }

  solver::StepForm begin(double length) override { return scheme_->begin(length); }
  void predict(Vector<double>& u) const override { scheme_->predict(u); }
  double error(const Vector<double>& u) const override { return scheme_->error(u); }
  void accept(const Vector<double>& u, io::StepResult& step) override {
    equations_.forces(u, forces_);
    scheme_->accept(u, forces_);
    add_to_balance(step);
  }
  const Vector<double>& last() const override { return scheme_->displacement(); }
  const Vector<double>& velocity() const override { return scheme_->velocity(); }
  const Vector<double>& acceleration() const override { return scheme_->acceleration(); }
  void visit_scheme(solver::StateVisitor& visitor) override {
    scheme_->visit(visitor);
    visit_balance(visitor);
    gpu::copy(u_.device(), scheme_->forces().view(), forces_.view());
  }

  std::optional<solver::MotionScheme> scheme_;
};

}  // namespace

void march_implicit_motion(const MarchParts& parts, StateSink& output) {
  ImplicitMotion(parts, output).run();
}

}  // namespace trestle::app

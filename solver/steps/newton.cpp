#include "solver/steps/newton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"

namespace trestle::solver {
namespace {

constexpr double sufficient_decrease = 1e-4;
constexpr int most_cuts = 10;            // lengths down to 1/1024
constexpr double loosest_target = 1e-2;  // of the linear systems
constexpr double tightest_target = 1e-10;
constexpr double of_rounding = 1e-12;        // increments of this size
constexpr double of_linear_rounding = 1e-9;  // of linear systems whose residual no longer falls
constexpr double largest_rounding = 1e-6;    // of the forces

class Newton {
 public:
  Newton(NonlinearSystem& system, const NewtonOptions& options, NewtonScales& scales,
         Vector<double>& u)
      : system_(system),
        options_(options),
        scales_(scales),
        u_(u),
        r_(u.device(), u.shared_map(), u.block(), "newton"),
        du_(u.device(), u.shared_map(), u.block(), "newton") {}

  NewtonResult run(const NewtonObserver& observer) {
    evaluate();
    while (true) {
      const double relative = relative_residual();
      result_.residual = relative;
      if (observer) observer(static_cast<int>(result_.iterations.size()), relative);
      if (!std::isfinite(relative)) return stop(NewtonReason::not_a_number);
      if (is_converged(relative)) return stop(NewtonReason::converged);
      if (static_cast<int>(result_.iterations.size()) >= options_.max_iterations)
        return stop(NewtonReason::max_iterations);
      if (!correct(relative)) return stop(NewtonReason::linear_solver_failed);
      if (!search()) return stop(NewtonReason::no_descent);
    }
  }

 private:
  /// The residual at u_, and the forces there: those of trials that were too far off say nothing
  /// of others.
  void evaluate() {
    fault_.clear();
    try {
      forces_ = system_.residual(u_, r_);
      norm_ = std::isfinite(forces_) ? norm(r_) : std::numeric_limits<double>::quiet_NaN();
    } catch (const Error& error) {
      if (error.code() != ExitCode::not_a_number) throw;
      fault_ = error.what();
      forces_ = norm_ = std::numeric_limits<double>::quiet_NaN();
    }
  }
  double scale() const { return std::max(forces_, scales_.forces); }
  double relative_residual() const { return norm_ == 0 ? 0 : norm_ / scale(); }

  bool is_converged(double relative) const {
    if (norm_ <= of_rounding * scales_.largest_forces) return true;
    if (relative > options_.tolerance) return at_rounding();
    if (system_.linear() || result_.iterations.size() <= 1 || relative == 0) return true;
    const NewtonIteration& last = result_.iterations.back();
    return last.increment * last.length <= std::max(options_.increment_tolerance, of_rounding) ||
           change_ * last.length <= of_rounding * scales_.largest_u;
  }

  /// Whether the last correction changed nothing but the last digits of u: forces that cancel, as
  /// those of nearly incompressible solids, leave a residual that no u makes smaller. At rest all
  /// forces may be nothing but rounding. The correction of a linear system is then the distance to
  /// the solution; on so short a way any other system is linear as well, and had the residual not
  /// been rounding, it would have fallen.
  bool at_rounding() const {
    if (result_.iterations.empty()) return false;
    const double increment = result_.iterations.back().increment;
    if (system_.linear()) return increment <= (stalled_ ? of_linear_rounding : of_rounding);
    return increment <= of_rounding && (stalled_ || relative_residual() <= largest_rounding);
  }

  /// du by the tangent; as exact as the residual it will lead to.
  bool correct(double relative) {
    double target = 0.1 * options_.tolerance / relative;
    if (!system_.linear() && previous_ > 0) {
      const double ratio = relative / previous_;
      target = std::max(target, std::min(loosest_target, 0.1 * ratio * ratio));
    } else if (!system_.linear()) {
      target = std::max(target, 1e-4);
    }
    previous_ = relative;
    gpu::fill(u_.device(), du_.view(), 0.0);
    result_.last_solve =
        system_.correction(u_, r_, std::clamp(target, tightest_target, loosest_target), du_);
    const SolveResult& solve = result_.last_solve;
    result_.setup_s += solve.setup_s;
    result_.solve_s += solve.solve_s;
    result_.linear_iterations += solve.iterations;
    system_.limit(u_, du_);
    const double norm_u = std::max(norm(u_), scales_.u);
    change_ = norm(du_);
    result_.iterations.push_back(
        {relative, norm_u > 0 ? change_ / norm_u : 1.0, 1.0, solve.iterations});
    return solve.converged;
  }

  void move(double length) { gpu::axpy(u_.device(), length, std::as_const(du_).view(), u_.view()); }

  /// Goes along du as far as the residual becomes smaller; by quadratic interpolation of ||r||^2.
  bool search() {
    const double before = norm_;
    double length = 1;
    move(length);
    evaluate();
    stalled_ = norm_ > 0.5 * before;
    if (!options_.line_search || system_.linear() || !system_.descends()) return true;
    for (int cut = 0; !(norm_ <= (1 - sufficient_decrease * length) * before); ++cut) {
      // What rounding leaves of the forces is no rise.
      if (norm_ <= options_.tolerance * scale() || at_rounding()) break;
      if (cut == most_cuts) return false;
      const double b2 = before * before, n2 = norm_ * norm_;
      const double best = std::isfinite(n2) ? b2 / (n2 + b2) : 0.1;
      const double shorter = length * std::clamp(best, 0.1, 0.5);
      move(shorter - length);
      length = shorter;
      evaluate();
    }
    result_.iterations.back().length = length;
    return true;
  }

  NewtonResult stop(NewtonReason reason) {
    result_.reason = reason;
    result_.fault = fault_;
    result_.converged = reason == NewtonReason::converged;
    if (result_.converged) {
      scales_.forces = forces_;
      scales_.u = norm(u_);
      scales_.largest_forces = std::max(scales_.largest_forces, scales_.forces);
      scales_.largest_u = std::max(scales_.largest_u, scales_.u);
      if (system_.linear() && relative_residual() > options_.tolerance && stalled_)
        result_.message = fmt::format(
            "the tolerance {:.0e} is smaller than double precision allows here: the residual "
            "{:.1e} is all rounding, and the last correction changed the solution by {:.0e} of it",
            options_.tolerance, relative_residual(), result_.iterations.back().increment);
    } else {
      result_.message = fmt::format(
          "Newton's method stopped after {} corrections with reason {}: {}{}",
          result_.iterations.size(), to_string(reason), what_is_left(),
          reason == NewtonReason::linear_solver_failed ? "; " + result_.last_solve.message
          : fault_.empty()                             ? ""
                                                       : "; " + fault_);
    }
    return std::move(result_);
  }

  std::string what_is_left() const {
    const double relative = relative_residual();
    if (!std::isfinite(relative)) return "the residual has no value";
    if (!(relative <= options_.tolerance) || result_.iterations.empty())
      return fmt::format("residual {:.3e} of the forces, asked for {:.1e}", relative,
                         options_.tolerance);
    return fmt::format("the last correction {:.3e} of the solution, asked for {:.1e}",
                       result_.iterations.back().increment * result_.iterations.back().length,
                       options_.increment_tolerance);
  }

  NonlinearSystem& system_;
  const NewtonOptions& options_;
  NewtonScales& scales_;
  Vector<double>& u_;
  Vector<double> r_, du_;
  double norm_ = 0, forces_ = 0;
  double change_ = 0;     // ||du|| of the last correction
  std::string fault_;     // why the residual has no value
  double previous_ = 0;   // relative residual of the correction before
  bool stalled_ = false;  // the last correction in full left more than half of the residual
  NewtonResult result_;
};

}  // namespace

const char* to_string(NewtonReason reason) {
  switch (reason) {
    case NewtonReason::converged:
      return "converged";
    case NewtonReason::max_iterations:
      return "max_iterations";
    case NewtonReason::not_a_number:
      return "not_a_number";
    case NewtonReason::no_descent:
      return "no_descent";
    case NewtonReason::linear_solver_failed:
      return "linear_solver_failed";
  }
  return "";
}

void NewtonScales::visit(const std::string& name, StateVisitor& visitor) {
  if (!visitor.knows(name + ".forces")) return;
  visitor.value(name + ".forces", forces);
  visitor.value(name + ".largest_forces", largest_forces);
  visitor.value(name + ".u", u);
  visitor.value(name + ".largest_u", largest_u);
}

NewtonResult newton(NonlinearSystem& system, const NewtonOptions& options, NewtonScales& scales,
                    Vector<double>& u, const NewtonObserver& observer) {
  return Newton(system, options, scales, u).run(observer);
}

}  // namespace trestle::solver

#include "solver/steps/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/error.hpp"

namespace trestle::solver {
namespace {

constexpr double safety = 0.9;        // of the length that would just meet the tolerance
constexpr double least_factor = 0.2;  // of one step to the next
constexpr double most_factor = 3;
constexpr double worth_growing = 1.2;  // below it a new step length costs more than it saves
constexpr double rounding = 1e-9;      // of a number of steps

}  // namespace

StepControl::StepControl(const StepOptions& options, std::vector<double> stops)
    : options_(options), stops_(std::move(stops)), wanted_(options.step) {
  require(
      !stops_.empty() && stops_.front() > 0 && options_.step > 0 &&
          std::adjacent_find(stops_.begin(), stops_.end(), std::greater_equal<>()) == stops_.end(),
      ExitCode::bug, "StepControl: the stops must ascend from above 0, the step be above 0");
  plan();
}

void StepControl::plan() {
  if (done()) return;
  from_ = time_;
  taken_ = 0;
  halves_ += halves_ % 2;  // what is left of a step that was halved is divided anew
  const double way = stops_[next_stop_] - from_;
  const double n = std::max(1.0, std::ceil(way / wanted_ * (1 - rounding)));
  division_ = static_cast<std::size_t>(n);
  const double length = way / n;
  // Stops at 0.1, 0.2, 0.3 are not equally far apart in the last bits; the steps are.
  if (std::abs(length - step_) > rounding * step_) step_ = length;
}

double StepControl::next_time() const {
  if (halved() && halves_ % 2 == 0) return from_ + (static_cast<double>(taken_) + 0.5) * step_;
  if (taken_ + 1 == division_) return stops_[next_stop_];
  return from_ + static_cast<double>(taken_ + 1) * step_;
}

bool StepControl::too_large(double error) const {
  return options_.tolerance > 0 && !(error <= options_.tolerance);
}

double StepControl::wanted_after(double error) const {
  const double ratio = options_.tolerance / std::max(error, 1e-12 * options_.tolerance);
  const double factor = safety * std::pow(ratio, 1.0 / (options_.order + 1));
  return step_ * std::clamp(factor, least_factor, most_factor);
}

bool StepControl::accept(double error) {
  time_ = next_time();
  ++n_steps_;
  if (halved() && --halves_ % 2 == 1) return false;
  ++taken_;
  const bool stop = taken_ == division_;
  const double before = wanted_;
  if (options_.tolerance > 0 && error > 0) {
    const double wanted = wanted_after(error);
    if (wanted > worth_growing * step_ || wanted < step_) wanted_ = wanted;
  } else if (options_.tolerance == 0) {
    wanted_ = std::min(options_.step, 2 * wanted_);  // back to the given length after a failure
  }
  if (options_.largest > 0) wanted_ = std::min(wanted_, options_.largest);
  if (longest_ > 0) wanted_ = std::min(wanted_, longest_);
  if (stop) ++next_stop_;
  if (stop || wanted_ != before) plan();
  return stop;
}

bool StepControl::refuse(double error) {
  ++n_refused_;
  wanted_ =
      error > 0 && std::isfinite(error) ? std::min(wanted_after(error), 0.9 * step_) : 0.5 * step_;
  if (wanted_ < options_.smallest) return false;
  plan();
  return true;
}

void StepControl::limit(double longest) {
  longest_ = longest;
  if (options_.smallest == 0) options_.smallest = 1e-6 * longest;
  if (wanted_ <= longest) return;
  wanted_ = longest;
  plan();
}

void StepControl::visit(StateVisitor& visitor) {
  double stop = done() ? 0 : stops_[next_stop_];
  visitor.value("step_control.time", time_);
  visitor.value("step_control.wanted", wanted_);
  visitor.value("step_control.longest", longest_);
  visitor.value("step_control.from", from_);
  visitor.number("step_control.taken", taken_);
  visitor.number("step_control.division", division_);
  visitor.value("step_control.step", step_);
  visitor.number("step_control.halves", halves_);
  visitor.number("step_control.n_steps", n_steps_);
  visitor.number("step_control.n_refused", n_refused_);
  visitor.value("step_control.stop", stop);
  if (visitor.loading()) find_next_stop(stop);
}

void StepControl::find_next_stop(double stop) {
  const auto ahead = [&](double one) { return one > time_ + rounding * step_; };
  next_stop_ =
      static_cast<std::size_t>(std::find_if(stops_.begin(), stops_.end(), ahead) - stops_.begin());
  if (!done() && stops_[next_stop_] != stop) plan();
}

}  // namespace trestle::solver

#include "io/checkpoint/interval.hpp"

#include <algorithm>
#include <cmath>

namespace trestle::io {
namespace {

constexpr double shortest = 60;
constexpr double longest = 1800;
constexpr double most_overhead = 0.02;
constexpr double prior = 6 * 3600;

}  // namespace

double checkpoint_interval(double cost, double mean_time_to_interruption) {
  const double best = std::sqrt(2 * cost * mean_time_to_interruption);
  return std::max(std::clamp(best, shortest, longest), cost / most_overhead);
}

double learnt_time_to_interruption(double time, int n_interruptions) {
  if (n_interruptions == 0) return prior;
  return (time + prior) / (n_interruptions + 1);
}

double save_cost(const std::vector<double>& seconds) {
  if (seconds.empty()) return 0;
  std::vector<double> last(seconds.end() - std::min<std::ptrdiff_t>(20, std::ssize(seconds)),
                           seconds.end());
  std::sort(last.begin(), last.end());
  const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(last.size())));
  return last[rank - 1];
}

}  // namespace trestle::io

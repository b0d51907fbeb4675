#include "solver/near_null.hpp"

#include <array>
#include <cmath>

namespace trestle::solver {
namespace {

double host_dot(const Comm& comm, const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return comm.sum(sum);
}

/// Mean of the coordinates of all ranks.
std::array<double, 3> centroid_of(const IndexMap& map, std::span<const double> coordinates) {
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < coordinates.size(); ++i) sum[i % 3] += coordinates[i];
  map.comm().sum(std::span<double>(sum));
  const auto n = static_cast<double>(map.n_global());
  for (double& s : sum) s = n > 0 ? s / n : 0;
  return sum;
}

}  // namespace

void orthonormalise(const Comm& comm, std::vector<std::vector<double>>& vectors) {
  std::vector<std::vector<double>> kept;
  for (std::vector<double>& v : vectors) {
    const double before = std::sqrt(host_dot(comm, v, v));
    for (int pass = 0; pass < 2; ++pass)
      for (const std::vector<double>& u : kept) {
        const double along = host_dot(comm, u, v);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] -= along * u[i];
      }
    const double left = std::sqrt(host_dot(comm, v, v));
    if (!(left > 1e-10 * before)) continue;
    for (double& value : v) value /= left;
    kept.push_back(std::move(v));
  }
  vectors = std::move(kept);
}

std::vector<std::vector<double>> rigid_body_modes(const IndexMap& map, int dim,
                                                  std::span<const double> coordinates) {
  const auto d = static_cast<std::size_t>(dim);
  const auto n = static_cast<std::size_t>(map.n_owned());
  const std::array<double, 3> centre = centroid_of(map, coordinates);
  std::vector<std::vector<double>> modes;
  for (std::size_t c = 0; c < d; ++c) {
    std::vector<double>& mode = modes.emplace_back(n * d, 0.0);
    for (std::size_t i = 0; i < n; ++i) mode[i * d + c] = 1;
  }
  // A rotation about the axis normal to (p, q): u_p = -x_q, u_q = x_p.
  constexpr std::array<std::array<std::size_t, 2>, 3> planes = {{{0, 1}, {1, 2}, {2, 0}}};
  for (std::size_t k = 0; k < (dim == 3 ? 3U : dim == 2 ? 1U : 0U); ++k) {
    const auto [p, q] = planes[k];
    std::vector<double>& mode = modes.emplace_back(n * d, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      mode[i * d + p] = -(coordinates[i * 3 + q] - centre[q]);
      mode[i * d + q] = coordinates[i * 3 + p] - centre[p];
    }
  }
  orthonormalise(map.comm(), modes);
  return modes;
}

}  // namespace trestle::solver

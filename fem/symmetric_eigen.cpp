#include "fem/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>

namespace trestle::fem {

std::vector<double> symmetric_eigenvalues(std::vector<double> a, int n) {
  const auto at = [&](int i, int j) -> double& { return a[static_cast<std::size_t>(i * n + j)]; };
  double total = 0;
  for (double entry : a) total += entry * entry;
  for (int sweep = 0; sweep < 50; ++sweep) {
    double off = 0;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        off += at(p, q) * at(p, q);
        if (at(p, q) == 0) continue;
        const double theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
        const double t =
            std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; ++k) {
          const double kp = at(k, p), kq = at(k, q);
          at(k, p) = c * kp - s * kq;
          at(k, q) = s * kp + c * kq;
        }
        for (int k = 0; k < n; ++k) {
          const double pk = at(p, k), qk = at(q, k);
          at(p, k) = c * pk - s * qk;
          at(q, k) = s * pk + c * qk;
        }
      }
    if (off <= 1e-32 * total) break;
  }
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(at(i, i));
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace trestle::fem

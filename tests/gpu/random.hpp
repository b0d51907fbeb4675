// Random numbers of tests: the same on every rank and in every run.
#pragma once

#include <random>
#include <vector>

namespace trestle::test {

/// `n` values in [-1, 1].
template <class Real>
std::vector<Real> random_values(std::size_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Real> values(n);
  for (Real& v : values) v = static_cast<Real>(uniform(generator));
  return values;
}

}  // namespace trestle::test

// Products of small dense blocks, for the set-up on the host.
#pragma once

#include <cstring>

namespace trestle::solver {

/// Of four doubles, or of two. Named here because GCC drops the attribute where the size depends on
/// a parameter.
template <bool four>
struct DoubleVector {
  using Type = double __attribute__((vector_size(32)));
};
template <>
struct DoubleVector<false> {
  using Type = double __attribute__((vector_size(16)));
};

/// A row of n doubles in registers, the largest vector that fits and then the rest: left to itself
/// GCC keeps such rows in memory.
template <int n>
struct RegisterRow {
  static constexpr int n_first = n >= 4 ? 4 : 2;
  using First = typename DoubleVector<n_first == 4>::Type;
  First first;
  RegisterRow<n - n_first> rest;

  static RegisterRow load(const double* values) {
    RegisterRow row;
    std::memcpy(&row.first, values, sizeof row.first);
    row.rest = RegisterRow<n - n_first>::load(values + n_first);
    return row;
  }
  void store(double* values) const {
    std::memcpy(values, &first, sizeof first);
    rest.store(values + n_first);
  }
  void add(double factor, const RegisterRow& other) {
    first += factor * other.first;
    rest.add(factor, other.rest);
  }
};
template <>
struct RegisterRow<1> {
  double first;

  static RegisterRow load(const double* values) { return {*values}; }
  void store(double* values) const { *values = first; }
  void add(double factor, const RegisterRow& other) { first += factor * other.first; }
};
template <>
struct RegisterRow<0> {
  static RegisterRow load(const double*) { return {}; }
  void store(double*) const {}
  void add(double, const RegisterRow&) {}
};

/// sum [m, n] += left [m, k] right [k, n].
template <int m, int k, int n>
inline void add_product(const double* left, const double* right, double* sum) {
  RegisterRow<n> rows[k];
  for (int l = 0; l < k; ++l) rows[l] = RegisterRow<n>::load(right + l * n);
  for (int i = 0; i < m; ++i) {
    auto row = RegisterRow<n>::load(sum + i * n);
    for (int l = 0; l < k; ++l) row.add(left[i * k + l], rows[l]);
    row.store(sum + i * n);
  }
}

}  // namespace trestle::solver

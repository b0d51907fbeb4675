// Small vectors and 3 x 3 matrices of doubles, on the host and in kernels.
#pragma once

#include <cmath>
#include <type_traits>

#include "gpu/macros.hpp"
#include "gpu/view.hpp"

namespace trestle::fem {

/// A vector of three components; an aggregate. T is double, or Lanes (lanes.hpp) for the same
/// algebra on several cells at once.
template <class T>
struct BasicVec3 {
  T v[3];
  TRESTLE_KERNEL constexpr T& operator[](int i) { return v[i]; }
  TRESTLE_KERNEL constexpr T operator[](int i) const { return v[i]; }
};
using Vec3 = BasicVec3<double>;

/// A 3 x 3 matrix, m(row, column); an aggregate by rows.
template <class T>
struct BasicMat3 {
  T m[3][3];
  TRESTLE_KERNEL constexpr T& operator()(int i, int j) { return m[i][j]; }
  TRESTLE_KERNEL constexpr T operator()(int i, int j) const { return m[i][j]; }
};
using Mat3 = BasicMat3<double>;

/// The six entries of a symmetric matrix in VTK's order xx yy zz xy yz xz (tensor components, no
/// factor 2 on shear).
struct Sym6 {
  double v[6];
  TRESTLE_KERNEL constexpr double& operator[](int i) { return v[i]; }
  TRESTLE_KERNEL constexpr double operator[](int i) const { return v[i]; }
};

/// Whether a flag that is stored among numbers is set.
TRESTLE_KERNEL constexpr bool is_set(double flag) { return flag != 0; }

/// Stands where a factor of type T is wanted and must not choose T.
template <class T>
using Factor = std::type_identity_t<T>;

template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T>& operator+=(BasicVec3<T>& a, const BasicVec3<T>& b) {
  for (int i = 0; i < 3; ++i) a[i] += b[i];
  return a;
}
template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T>& operator-=(BasicVec3<T>& a, const BasicVec3<T>& b) {
  for (int i = 0; i < 3; ++i) a[i] -= b[i];
  return a;
}
template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T>& operator*=(BasicVec3<T>& a, Factor<T> s) {
  for (int i = 0; i < 3; ++i) a[i] *= s;
  return a;
}
template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T> operator+(BasicVec3<T> a, const BasicVec3<T>& b) {
  return a += b;
}
template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T> operator-(BasicVec3<T> a, const BasicVec3<T>& b) {
  return a -= b;
}
template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T> operator*(BasicVec3<T> a, Factor<T> s) {
  return a *= s;
}
template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T> operator*(Factor<T> s, BasicVec3<T> a) {
  return a *= s;
}
template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T> operator-(BasicVec3<T> a) {
  return a *= -1.0;
}

template <class T>
TRESTLE_KERNEL constexpr T dot(const BasicVec3<T>& a, const BasicVec3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T> cross(const BasicVec3<T>& a, const BasicVec3<T>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
TRESTLE_KERNEL inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }

template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T>& operator+=(BasicMat3<T>& a, const BasicMat3<T>& b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a(i, j) += b(i, j);
  return a;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T>& operator-=(BasicMat3<T>& a, const BasicMat3<T>& b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a(i, j) -= b(i, j);
  return a;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T>& operator*=(BasicMat3<T>& a, Factor<T> s) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a(i, j) *= s;
  return a;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> operator+(BasicMat3<T> a, const BasicMat3<T>& b) {
  return a += b;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> operator-(BasicMat3<T> a, const BasicMat3<T>& b) {
  return a -= b;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> operator*(BasicMat3<T> a, Factor<T> s) {
  return a *= s;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> operator*(Factor<T> s, BasicMat3<T> a) {
  return a *= s;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> operator-(BasicMat3<T> a) {
  return a *= -1.0;
}

template <class T>
TRESTLE_KERNEL constexpr BasicVec3<T> operator*(const BasicMat3<T>& a, const BasicVec3<T>& b) {
  BasicVec3<T> product{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) product[i] += a(i, j) * b[j];
  return product;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> operator*(const BasicMat3<T>& a, const BasicMat3<T>& b) {
  BasicMat3<T> product{};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) product(i, j) += a(i, k) * b(k, j);
  return product;
}

TRESTLE_KERNEL constexpr Mat3 identity() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
/// a b', entry (i, j) = a_i b_j.
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> outer(const BasicVec3<T>& a, const BasicVec3<T>& b) {
  BasicMat3<T> product{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) product(i, j) = a[i] * b[j];
  return product;
}
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> transpose(const BasicMat3<T>& a) {
  BasicMat3<T> result{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result(i, j) = a(j, i);
  return result;
}
template <class T>
TRESTLE_KERNEL constexpr T trace(const BasicMat3<T>& a) {
  return a(0, 0) + a(1, 1) + a(2, 2);
}
/// The symmetric part, (a + a') / 2.
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> sym(const BasicMat3<T>& a) {
  return 0.5 * (a + transpose(a));
}
/// The part without trace, a - tr(a)/3 I.
TRESTLE_KERNEL constexpr Mat3 deviator(const Mat3& a) { return a - (trace(a) / 3) * identity(); }
/// a : b = sum of a_ij b_ij.
template <class T>
TRESTLE_KERNEL constexpr T double_dot(const BasicMat3<T>& a, const BasicMat3<T>& b) {
  T sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += a(i, j) * b(i, j);
  return sum;
}
TRESTLE_KERNEL inline double norm(const Mat3& a) { return std::sqrt(double_dot(a, a)); }

/// The matrix of cofactors: a cofactor(a)' = det(a) I.
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> cofactor(const BasicMat3<T>& a) {
  BasicMat3<T> result{};
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      result(i, j) = a(i1, j1) * a(i2, j2) - a(i1, j2) * a(i2, j1);
    }
  }
  return result;
}
template <class T>
TRESTLE_KERNEL constexpr T determinant(const BasicMat3<T>& a) {
  const BasicMat3<T> c = cofactor(a);
  return a(0, 0) * c(0, 0) + a(0, 1) * c(0, 1) + a(0, 2) * c(0, 2);
}
/// The inverse; entries are not finite where the determinant is 0.
template <class T>
TRESTLE_KERNEL constexpr BasicMat3<T> inverse(const BasicMat3<T>& a) {
  return (1 / determinant(a)) * transpose(cofactor(a));
}

/// The equivalent stress of von Mises, sqrt(3/2 s : s) with s the deviator of a symmetric stress.
TRESTLE_KERNEL inline double von_mises(const Mat3& stress) {
  return std::sqrt(1.5) * norm(deviator(stress));
}

namespace detail {
/// One rotation of Jacobi's method that makes a(p, q) of a symmetric matrix zero [Golub and
/// Van Loan 2013, algorithm 8.5.1].
TRESTLE_KERNEL inline void rotate(Mat3& a, int p, int q) {
  if (a(p, q) == 0) return;
  const double tau = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double t = (tau >= 0 ? 1 : -1) / (std::fabs(tau) + std::hypot(1.0, tau));
  const double c = 1 / std::hypot(1.0, t), s = t * c;
  const int r = 3 - p - q;
  const double apr = a(p, r), aqr = a(q, r);
  a(p, p) -= t * a(p, q);
  a(q, q) += t * a(p, q);
  a(p, q) = a(q, p) = 0;
  a(p, r) = a(r, p) = c * apr - s * aqr;
  a(q, r) = a(r, q) = s * apr + c * aqr;
}
}  // namespace detail

/// The eigenvalues of a symmetric matrix, largest first, by Jacobi's method: to round-off of
/// norm(a), double roots included. Reads the upper triangle as well as the lower.
TRESTLE_KERNEL inline Vec3 principal_values(const Mat3& a) {
  Mat3 d = sym(a);
  constexpr int max_sweeps = 12;  // it converges quadratically; four or five are usual
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    if (d(0, 1) == 0 && d(0, 2) == 0 && d(1, 2) == 0) break;
    detail::rotate(d, 0, 1);
    detail::rotate(d, 0, 2);
    detail::rotate(d, 1, 2);
  }
  Vec3 values{{d(0, 0), d(1, 1), d(2, 2)}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2 - i; ++j)
      if (values[j] < values[j + 1]) {
        const double smaller = values[j];
        values[j] = values[j + 1];
        values[j + 1] = smaller;
      }
  return values;
}

/// The entries of the symmetric part of `a`.
TRESTLE_KERNEL constexpr Sym6 to_sym6(const Mat3& a) {
  return {{a(0, 0), a(1, 1), a(2, 2), 0.5 * (a(0, 1) + a(1, 0)), 0.5 * (a(1, 2) + a(2, 1)),
           0.5 * (a(0, 2) + a(2, 0))}};
}
TRESTLE_KERNEL constexpr Mat3 to_mat3(const Sym6& s) {
  return {{{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}};
}

/// The row `i` of a view [row, 3] as a vector, and the way back.
template <class T>
TRESTLE_KERNEL Vec3 vec3(const gpu::View<T, 2>& rows, Offset i) {
  return {{static_cast<double>(rows(i, 0)), static_cast<double>(rows(i, 1)),
           static_cast<double>(rows(i, 2))}};
}
template <class T>
TRESTLE_KERNEL void store(const gpu::View<T, 2>& rows, Offset i, const Vec3& value) {
  for (int c = 0; c < 3; ++c) rows(i, c) = static_cast<T>(value[c]);
}

}  // namespace trestle::fem

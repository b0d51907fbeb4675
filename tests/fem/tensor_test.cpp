// Small tensors: products, inverse, invariants and principal values against closed forms.
#include "fem/tensor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace trestle::fem {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Mat3 a{{{1, 2, -3}, {0.5, -4, 2}, {7, 0.25, 3}}};
constexpr Mat3 b{{{2, -1, 0}, {3, 5, 1}, {-2, 4, 6}}};

void expect_equal(const Mat3& left, const Mat3& right, double tolerance) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(left(i, j), right(i, j), tolerance) << i << j;
}

/// The rotation by `angle` about the unit vector `n` [Rodrigues].
Mat3 rotation(const Vec3& n, double angle) {
  const Mat3 k{{{0, -n[2], n[1]}, {n[2], 0, -n[0]}, {-n[1], n[0], 0}}};
  return identity() + std::sin(angle) * k + (1 - std::cos(angle)) * (k * k);
}

Mat3 turned(const Vec3& values, double angle) {
  const double s = 1 / std::sqrt(14.0);
  const Mat3 q = rotation({{s, 2 * s, 3 * s}}, angle);
  const Mat3 d{{{values[0], 0, 0}, {0, values[1], 0}, {0, 0, values[2]}}};
  return q * d * transpose(q);
}

TEST(Vec3, ProductsFollowTheirDefinitions) {
  constexpr Vec3 u{{1, 2, 3}}, v{{-4, 0.5, 2}};
  EXPECT_EQ(dot(u, v), 3);
  const Vec3 w = cross(u, v);
  EXPECT_EQ(dot(w, u), 0);
  EXPECT_EQ(dot(w, v), 0);
  // Lagrange's identity.
  EXPECT_EQ(dot(w, w), dot(u, u) * dot(v, v) - dot(u, v) * dot(u, v));
  EXPECT_EQ(cross(Vec3{{1, 0, 0}}, Vec3{{0, 1, 0}})[2], 1);
  EXPECT_EQ(norm(Vec3{{2, 3, 6}}), 7);
  const Vec3 sum = 2 * u - v + -u * 3.0;
  EXPECT_EQ(sum[0], 3);
  EXPECT_EQ(sum[1], -2.5);
  EXPECT_EQ(sum[2], -5);
}

TEST(Mat3, ProductsAreConsistent) {
  constexpr Vec3 u{{1, 2, 3}}, v{{-4, 0.5, 2}};
  const Vec3 left = (a * b) * u, right = a * (b * u);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(left[i], right[i], 1e3 * eps);
  const Vec3 dyad = outer(u, v) * a * u;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(dyad[i], u[i] * dot(v, a * u), 1e3 * eps);
  expect_equal(transpose(a * b), transpose(b) * transpose(a), 0);
  EXPECT_NEAR(double_dot(a, b), trace(transpose(a) * b), 1e3 * eps);
  EXPECT_EQ((a - b + b * 2.0 - -a)(1, 0), 2 * a(1, 0) + b(1, 0));
}

TEST(Mat3, InverseAndDeterminantAgreeWithTheProduct) {
  expect_equal(a * inverse(a), identity(), 20 * eps);
  EXPECT_NEAR(determinant(a * b), determinant(a) * determinant(b), 1e5 * eps);
  EXPECT_EQ(determinant(Mat3{{{2, 0, 0}, {0, 3, 0}, {0, 0, -4}}}), -24);
  EXPECT_EQ(determinant(Mat3{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}), 1);
}

TEST(Mat3, SymmetricPartKeepsTraceAndQuadraticForm) {
  constexpr Vec3 u{{1, 2, 3}};
  EXPECT_EQ(dot(u, sym(a) * u), dot(u, a * u));
  expect_equal(sym(a), transpose(sym(a)), 0);
  EXPECT_NEAR(trace(deviator(a)), 0, 10 * eps);
}

TEST(VonMises, IsTheTensionInUniaxialAndRoot3TimesTheShearInPureShear) {
  EXPECT_NEAR(von_mises({{{5, 0, 0}, {0, 0, 0}, {0, 0, 0}}}), 5, 10 * eps);
  EXPECT_NEAR(von_mises({{{0, 2, 0}, {2, 0, 0}, {0, 0, 0}}}), 2 * std::sqrt(3.0), 10 * eps);
  EXPECT_NEAR(von_mises(turned({{7, 7, 7}}, 0.7)), 0, 50 * eps);
}

TEST(PrincipalValues, AreThoseOfATurnedDiagonalLargestFirst) {
  const std::array<Vec3, 7> cases{{{{3, 2, 1}},
                                   {{2, 2, -5}},
                                   {{4, -1, -1}},
                                   {{6, 6, 6}},
                                   {{0, 0, 0}},
                                   {{1, 1e-9, -1e-9}},
                                   {{1 + 1e-13, 1, 1 - 1e-13}}}};
  for (const Vec3& values : cases)
    for (double angle : {0.0, 1e-9, 0.3, 1.5707963267948966, 2.9}) {
      const Vec3 found = principal_values(turned(values, angle));
      for (int i = 0; i < 3; ++i)
        EXPECT_NEAR(found[i], values[i], 20 * eps * norm(values)) << i << " turned by " << angle;
    }
}

TEST(PrincipalValues, OfTinyAndHugeStressesKeepTheirDigits) {
  for (double scale : {1e-150, 1e150}) {
    const Vec3 found = principal_values(turned(scale * Vec3{{3, 2, -1}}, 0.8));
    EXPECT_NEAR(found[0] / scale, 3, 100 * eps);
    EXPECT_NEAR(found[1] / scale, 2, 100 * eps);
    EXPECT_NEAR(found[2] / scale, -1, 100 * eps);
  }
}

TEST(Sym6, HasTheOrderOfVtkAndComesBack) {
  constexpr Mat3 s{{{1, 4, 6}, {4, 2, 5}, {6, 5, 3}}};  // xx=1 yy=2 zz=3 xy=4 yz=5 xz=6
  const Sym6 v = to_sym6(s);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(v[i], i + 1);
  expect_equal(to_mat3(v), s, 0);
  expect_equal(to_mat3(to_sym6(a)), sym(a), 0);
}

TEST(Rows, OfAViewAreReadAndStoredAsVectors) {
  std::array<float, 6> data{1, 2, 3, 4, 5, 6};
  const gpu::View<float, 2> rows(data.data(), 2, 3);
  const Vec3 second = vec3(rows, 1);
  store(rows, 0, 2 * second);
  EXPECT_EQ(data, (std::array<float, 6>{8, 10, 12, 4, 5, 6}));
}

}  // namespace
}  // namespace trestle::fem

// Quadrature: exactness for every monomial, positive weights, points inside, points per type.
#include "fem/cells/quadrature.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "fem/cells/element.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;
using mesh::traits;

constexpr int max_degree = 11;
const std::vector<CellType> linear_types{CellType::line2,   CellType::tri3, CellType::quad4,
                                         CellType::tet4,    CellType::hex8, CellType::prism6,
                                         CellType::pyramid5};

double factorial(int n) { return std::tgamma(n + 1.0); }
/// Integral of x^n over [-1, 1].
double symmetric_power(int n) { return n % 2 == 0 ? 2.0 / (n + 1) : 0.0; }

/// The integral of x^i y^j z^k over a reference cell.
double monomial_integral(CellType type, int i, int j, int k) {
  switch (type) {
    case CellType::line2:
      return symmetric_power(i);
    case CellType::tri3:
      return factorial(i) * factorial(j) / factorial(i + j + 2);
    case CellType::quad4:
      return symmetric_power(i) * symmetric_power(j);
    case CellType::tet4:
      return factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
    case CellType::hex8:
      return symmetric_power(i) * symmetric_power(j) * symmetric_power(k);
    case CellType::prism6:
      return monomial_integral(CellType::tri3, i, j, 0) * symmetric_power(k);
    default:  // pyramid: the integral over z of (1-z)^(i+j+2) z^k is a beta function
      return symmetric_power(i) * symmetric_power(j) * factorial(i + j + 2) * factorial(k) /
             factorial(i + j + k + 3);
  }
}

/// Whether a rule of `degree` must integrate x^i y^j z^k exactly.
bool within(CellType type, int degree, int i, int j, int k) {
  switch (type) {
    case CellType::tri3:
    case CellType::tet4:
      return i + j + k <= degree;
    case CellType::prism6:
      return i + j <= degree && k <= degree;
    case CellType::pyramid5:  // x^i y^j z^k is of degree i + j + k in z when x/(1-z) is kept
      return i + j + k <= degree;
    default:
      return std::max({i, j, k}) <= degree;
  }
}

double integral(const Quadrature& rule, int i, int j, int k) {
  double sum = 0;
  for (std::size_t q = 0; q < rule.weights.size(); ++q)
    sum += rule.weights[q] * std::pow(rule.points[q][0], i) * std::pow(rule.points[q][1], j) *
           std::pow(rule.points[q][2], k);
  return sum;
}

/// Bound of the round-off of a sum of n terms of size at most weight: n for the sum, degree for the
/// powers, a few for points and weights.
double integral_round_off(const Quadrature& rule, int degree) {
  const double measure = std::accumulate(rule.weights.begin(), rule.weights.end(), 0.0);
  return std::numeric_limits<double>::epsilon() * measure * (rule.n() + degree + 4);
}

TEST(Quadrature, IntegratesEveryMonomialOfItsDegree) {
  for (CellType type : linear_types) {
    const int dim = traits(type).dim;
    for (int degree = 0; degree <= max_degree; ++degree)
      for (int i = 0; i <= degree; ++i)
        for (int j = 0; j <= (dim > 1 ? degree : 0); ++j)
          for (int k = 0; k <= (dim > 2 ? degree : 0); ++k)
            if (within(type, degree, i, j, k)) {
              EXPECT_NEAR(integral(quadrature(type, degree), i, j, k),
                          monomial_integral(type, i, j, k),
                          integral_round_off(quadrature(type, degree), degree))
                  << traits(type).name << " degree " << degree << ": " << i << ' ' << j << ' ' << k;
            }
  }
}

TEST(Quadrature, HasPositiveWeightsAndPointsInside) {
  for (CellType type : linear_types)
    for (int degree = 0; degree <= max_degree; ++degree) {
      const Quadrature& rule = quadrature(type, degree);
      ASSERT_EQ(rule.points.size(), rule.weights.size());
      for (double weight : rule.weights) EXPECT_GT(weight, 0) << traits(type).name << degree;
      // Inside means that the distance to every facet is positive: for simplices the functions are
      // these distances; elsewhere they are their products.
      std::vector<double> n(static_cast<std::size_t>(traits(type).n_nodes));
      for (const auto& point : rule.points) {
        shape_functions(type, point.data(), n.data(), nullptr);
        for (double value : n) EXPECT_GT(value, 0) << traits(type).name << degree;
      }
    }
}

TEST(Quadrature, OfEqualDegreeIsTheSameObject) {
  EXPECT_EQ(&quadrature(CellType::tet10, 3), &quadrature(CellType::tet4, 3));
}

TEST(Quadrature, OfAStiffnessHasThePointsOfFullIntegration) {
  const std::vector<std::pair<CellType, int>> expected{
      {CellType::tri3, 1},      {CellType::tri6, 12},    {CellType::quad4, 16},
      {CellType::quad8, 16},    {CellType::quad9, 16},   {CellType::tet4, 1},
      {CellType::tet10, 8},     {CellType::hex8, 8},     {CellType::hex20, 27},
      {CellType::hex27, 27},    {CellType::prism6, 6},   {CellType::prism15, 18},
      {CellType::prism18, 18},  {CellType::pyramid5, 8}, {CellType::pyramid13, 27},
      {CellType::pyramid14, 27}};
  for (const auto& [type, points] : expected)
    EXPECT_EQ(stiffness_quadrature(type).n(), points) << traits(type).name;
}

/// max |M(rule) - M(finer rule)| over the products of shape functions, or of their derivatives.
double product_error(CellType type, const Quadrature& rule, bool derivatives) {
  const auto n = static_cast<std::size_t>(traits(type).n_nodes);
  std::vector<double> N(n), dN(3 * n), difference(9 * n * n, 0.0);
  const auto add = [&](const Quadrature& r, double sign) {
    for (std::size_t q = 0; q < r.weights.size(); ++q) {
      shape_functions(type, r.points[q].data(), N.data(), dN.data());
      const auto& f = derivatives ? dN : N;
      for (std::size_t a = 0; a < f.size(); ++a)
        for (std::size_t b = 0; b < f.size(); ++b)
          difference[a * f.size() + b] += sign * r.weights[q] * f[a] * f[b];
    }
  };
  add(rule, 1);
  add(quadrature(type, 9), -1);
  double worst = 0;
  for (double d : difference) worst = std::max(worst, std::abs(d));
  return worst;
}

TEST(Quadrature, OfALoadIntegratesTheProductOfTwoFunctionsExactly) {
  for (int i = 1; i < mesh::n_cell_types; ++i) {
    const auto type = static_cast<CellType>(i);
    EXPECT_LT(product_error(type, load_quadrature(type), false), 1e-13) << traits(type).name;
  }
}

TEST(Quadrature, OfAStiffnessIsExactOnAffineCells) {
  for (int i = 1; i < mesh::n_cell_types; ++i) {
    const auto type = static_cast<CellType>(i);
    EXPECT_LT(product_error(type, stiffness_quadrature(type), true), 1e-12) << traits(type).name;
  }
}

}  // namespace
}  // namespace trestle::fem

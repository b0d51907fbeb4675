// Shape functions: delta at nodes, unity, derivatives, completeness, traces on facets; and
// tabulations.
#include "fem/cells/element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "fem/cells/tabulation.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;
using mesh::traits;

constexpr double round_off = 1e-14;  // a few dozen sums of numbers of size 1

class EachCellType : public testing::TestWithParam<int> {
 protected:
  CellType type() const { return static_cast<CellType>(GetParam()); }
  const mesh::CellTraits& t() const { return traits(type()); }
  bool is_pyramid() const { return t().linear == CellType::pyramid5; }
  /// Some points inside the reference cell: convex combinations of its vertices.
  std::vector<std::array<double, 3>> inner_points() const {
    std::vector<std::array<double, 3>> points;
    for (int s = 1; s <= 5; ++s) {
      std::array<double, 3> x{};
      double total = 0;
      for (int v = 0; v < t().n_vertices; ++v) {
        const double weight = 1.2 + std::sin(3.7 * s + 1.9 * v * s);
        total += weight;
        for (std::size_t d = 0; d < 3; ++d)
          x[d] += weight * t().nodes[static_cast<std::size_t>(v)][d];
      }
      for (double& c : x) c /= total;
      points.push_back(x);
    }
    return points;
  }
  std::vector<double> values_at(const std::array<double, 3>& x) const {
    std::vector<double> n(static_cast<std::size_t>(t().n_nodes));
    shape_functions(type(), x.data(), n.data(), nullptr);
    return n;
  }
  std::vector<double> slopes_at(const std::array<double, 3>& x) const {
    std::vector<double> dn(3 * static_cast<std::size_t>(t().n_nodes));
    shape_functions(type(), x.data(), nullptr, dn.data());
    return dn;
  }
};

INSTANTIATE_TEST_SUITE_P(AllTypes, EachCellType, testing::Range(0, mesh::n_cell_types),
                         [](const auto& info) {
                           return std::string(traits(static_cast<CellType>(info.param)).name);
                         });

TEST_P(EachCellType, FunctionsAreOneAtTheirNodeAndZeroAtTheOthers) {
  for (std::size_t a = 0; a < t().nodes.size(); ++a) {
    const auto n = values_at(t().nodes[a]);
    for (std::size_t b = 0; b < n.size(); ++b) EXPECT_EQ(n[b], a == b ? 1.0 : 0.0) << a << ' ' << b;
  }
}

TEST_P(EachCellType, FunctionsSumUpToOneAndTheirDerivativesToZero) {
  for (const auto& x : inner_points()) {
    const auto n = values_at(x);
    const auto dn = slopes_at(x);
    EXPECT_NEAR(std::accumulate(n.begin(), n.end(), 0.0), 1, round_off);
    for (std::size_t d = 0; d < 3; ++d) {
      double sum = 0;
      for (std::size_t a = 0; a < n.size(); ++a) sum += dn[3 * a + d];
      EXPECT_NEAR(sum, 0, 10 * round_off);
    }
  }
}

TEST_P(EachCellType, FunctionsOfMidNodesStayWithinOneAndLinearOnesArePositive) {
  // fem/cells/cell_locator.cpp bounds cells by it.
  for (const auto& x : inner_points()) {
    const auto n = values_at(x);
    for (std::size_t a = 0; a < n.size(); ++a) {
      EXPECT_LE(std::abs(n[a]), 1 + round_off);
      if (t().order == 1) {
        EXPECT_GE(n[a], 0);
      }
    }
  }
}

TEST_P(EachCellType, DerivativesAreThoseOfTheFunctions) {
  // Central difference: error h^2 / 6 f''' + round-off / h. Third derivatives grow as 1/(1-z)^3 on
  // pyramids; the points keep 1-z > 0.2.
  constexpr double h = 1e-5, tolerance = 1e-7;
  for (const auto& x : inner_points()) {
    const auto dn = slopes_at(x);
    for (std::size_t d = 0; d < 3; ++d) {
      auto left = x, right = x;
      left[d] -= h;
      right[d] += h;
      const auto n0 = values_at(left), n1 = values_at(right);
      for (std::size_t a = 0; a < n0.size(); ++a) {
        const bool used = static_cast<int>(d) < t().dim;
        EXPECT_NEAR(dn[3 * a + d], used ? (n1[a] - n0[a]) / (2 * h) : 0.0, tolerance);
      }
    }
  }
}

/// The largest error of interpolating x^i y^j z^k by the element at `points`.
double interpolation_error(CellType type, const std::array<int, 3>& e,
                           const std::vector<std::array<double, 3>>& points) {
  const auto f = [&](const std::array<double, 3>& x) {
    return std::pow(x[0], e[0]) * std::pow(x[1], e[1]) * std::pow(x[2], e[2]);
  };
  std::vector<double> n(traits(type).nodes.size());
  double worst = 0;
  for (const auto& x : points) {
    shape_functions(type, x.data(), n.data(), nullptr);
    double sum = 0;
    for (std::size_t a = 0; a < n.size(); ++a) sum += n[a] * f(traits(type).nodes[a]);
    worst = std::max(worst, std::abs(sum - f(x)));
  }
  return worst;
}

/// Whether the element's space has x^i y^j z^k.
bool in_space(CellType type, const std::array<int, 3>& e) {
  const auto& t = traits(type);
  const int order = t.order, total = e[0] + e[1] + e[2], largest = std::max({e[0], e[1], e[2]});
  switch (type) {
    case CellType::quad8:
    case CellType::hex20:
      return total <= 2 || (largest == 1) ||
             (largest == 2 && (e[0] == 2) + (e[1] == 2) + (e[2] == 2) == 1);
    case CellType::prism15:
      return e[0] + e[1] <= 2 && e[2] <= 2 && (e[2] < 2 || e[0] + e[1] <= 1);
    case CellType::prism6:
    case CellType::prism18:
      return e[0] + e[1] <= order && e[2] <= order;
    case CellType::quad4:
    case CellType::quad9:
    case CellType::hex8:
    case CellType::hex27:
      return largest <= order;
    default:
      return total <= order;
  }
}

TEST_P(EachCellType, PolynomialsOfTheSpaceAreReproducedAndNoOthers) {
  if (type() == CellType::point1) return;  // its space is the constants, tested by their sum
  const auto points = inner_points();
  for (int i = 0; i <= 3; ++i)
    for (int j = 0; j <= (t().dim > 1 ? 3 : 0); ++j)
      for (int k = 0; k <= (t().dim > 2 ? 3 : 0); ++k) {
        const double error = interpolation_error(type(), {i, j, k}, points);
        if (in_space(type(), {i, j, k}))
          EXPECT_LT(error, 10 * round_off) << i << j << k;
        else
          EXPECT_GT(error, 1e-6) << i << j << k;
      }
}

TEST_P(EachCellType, TraceOnAFacetIsTheFacetsOwnFunctions) {
  for (const auto& facet : t().facets) {
    const auto& ft = traits(facet.type);
    std::vector<double> n(ft.nodes.size());
    for (const auto& point : quadrature(facet.type, 4).points) {
      shape_functions(facet.type, point.data(), n.data(), nullptr);
      std::vector<double> expected(t().nodes.size(), 0);
      std::array<double, 3> x{};
      for (std::size_t a = 0; a < n.size(); ++a) {
        expected[facet.nodes[a]] = n[a];
        for (std::size_t d = 0; d < 3; ++d) x[d] += n[a] * t().nodes[facet.nodes[a]][d];
      }
      const auto trace = values_at(x);
      for (std::size_t a = 0; a < trace.size(); ++a)
        EXPECT_NEAR(trace[a], expected[a], 10 * round_off) << "facet node " << a;
    }
  }
}

TEST_P(EachCellType, TabulationHoldsFunctionsAndDerivativesAtThePoints) {
  const Quadrature& rule = stiffness_quadrature(type());
  const Tabulation table = tabulate(type(), rule);
  ASSERT_EQ(table.n_points, rule.n());
  ASSERT_EQ(table.n_nodes, t().n_nodes);
  const auto n = static_cast<std::size_t>(table.n_nodes);
  for (std::size_t q = 0; q < rule.points.size(); ++q) {
    const auto N = values_at(rule.points[q]);
    const auto dN = slopes_at(rule.points[q]);
    EXPECT_TRUE(std::equal(N.begin(), N.end(), table.N.begin() + static_cast<long>(q * n)));
    EXPECT_TRUE(std::equal(dN.begin(), dN.end(), table.dN.begin() + static_cast<long>(3 * q * n)));
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(table.points[3 * q + d], rule.points[q][d]);
    EXPECT_EQ(table.weights[q], rule.weights[q]);
  }
}

TEST_P(EachCellType, GradientOfALinearFieldIsRightAtEveryNodeTheApexIncluded) {
  const Tabulation table = tabulate_at_nodes(type());
  const std::array<double, 3> slope{1.5, -2, 0.25};
  const auto n = static_cast<std::size_t>(table.n_nodes);
  for (std::size_t q = 0; q < n; ++q) {
    EXPECT_EQ(table.N[q * n + q], 1);
    for (std::size_t d = 0; d < static_cast<std::size_t>(t().dim); ++d) {
      double gradient = 0;
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t e = 0; e < 3; ++e)
          gradient += slope[e] * t().nodes[a][e] * table.dN[(q * n + a) * 3 + d];
      EXPECT_NEAR(gradient, slope[d], 10 * round_off);
    }
  }
}

TEST(Pyramids, DerivativesAtTheApexAreTheLimitAlongTheAxisFromBelow) {
  for (CellType type : {CellType::pyramid5, CellType::pyramid13, CellType::pyramid14}) {
    std::vector<double> at(3 * traits(type).nodes.size()), below(at.size());
    const std::array<double, 3> apex{0, 0, 1}, under{0, 0, 1 - 1e-9};
    shape_functions(type, apex.data(), nullptr, at.data());
    shape_functions(type, under.data(), nullptr, below.data());
    for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(at[i], below[i], 1e-7);
  }
}

TEST_P(EachCellType, ExtrapolationIsExactForLinearFields) {
  for (const Quadrature* rule : {&stiffness_quadrature(type()), &load_quadrature(type())}) {
    const auto matrix = extrapolation(type(), *rule);
    const auto n_points = static_cast<std::size_t>(rule->n());
    ASSERT_EQ(matrix.size(), n_points * t().nodes.size());
    const bool constant = rule->n() == 1;  // one point cannot tell more
    const auto f = [&](const std::array<double, 3>& x) {
      return constant ? 2.5 : 2.5 + x[0] - 3 * x[1] + 0.5 * x[2];
    };
    for (std::size_t a = 0; a < t().nodes.size(); ++a) {
      double value = 0;
      for (std::size_t q = 0; q < n_points; ++q)
        value += matrix[a * n_points + q] * f(rule->points[q]);
      EXPECT_NEAR(value, f(t().nodes[a]), 1e-12);
    }
  }
}

TEST(Extrapolation, FromTwoPointsPerDirectionIsTheUsualBilinearOne) {
  // Nodes lie at sqrt(3) of the points' own bilinear coordinates: (1 + sqrt(3))^2/4 for the
  // nearest.
  const auto matrix = extrapolation(CellType::quad4, quadrature(CellType::quad4, 3));
  const double s = std::sqrt(3.0);
  EXPECT_NEAR(matrix[0], (1 + s) * (1 + s) / 4, 1e-14);
  EXPECT_NEAR(matrix[1], (1 + s) * (1 - s) / 4, 1e-14);
  EXPECT_NEAR(matrix[3], (1 - s) * (1 - s) / 4, 1e-14);
}

}  // namespace
}  // namespace trestle::fem

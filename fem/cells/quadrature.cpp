// Gauss-Jacobi rules, symmetric rules on simplices, and the products of them.
#include "fem/cells/quadrature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

#include "core/error.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;
using Real = long double;

struct LineRule {
  std::vector<Real> points, weights;
};

/// P_n and its derivative at x: the Jacobi polynomial of weight (1-x)^alpha on [-1, 1]
/// [Abramowitz and Stegun 1964, 22.7.1 and 22.8.1].
std::pair<Real, Real> jacobi(int n, int alpha, Real x) {
  const Real a = alpha;
  Real previous = 1, value = (a + (a + 2) * x) / 2;
  for (int k = 2; k <= n; ++k) {
    const Real s = 2 * k + a;
    const Real next =
        ((s - 1) * (s * (s - 2) * x + a * a) * value - 2 * (k + a - 1) * (k - 1) * s * previous) /
        (2 * k * (k + a) * (s - 2));
    previous = value;
    value = next;
  }
  const Real s = 2 * n + a;
  const Real slope = (n * (a - s * x) * value + 2 * (n + a) * n * previous) / (s * (1 - x * x));
  return {value, slope};
}

/// n points on [0, 1] for the weight (1-t)^alpha, exact to degree 2n - 1. Roots by Newton's method
/// with deflation [Karniadakis and Sherwin 2005, appendix B].
LineRule gauss_jacobi(int n, int alpha) {
  LineRule rule;
  std::vector<Real> roots;
  for (int k = 0; k < n; ++k) {
    Real x = -std::cos((2 * k + 1) * std::numbers::pi_v<Real> / (2 * n));
    if (k > 0) x = (x + roots.back()) / 2;
    for (int step = 0; step < 100; ++step) {
      const auto [value, slope] = jacobi(n, alpha, x);
      Real found = 0;
      for (Real root : roots) found += 1 / (x - root);
      const Real change = -value / (slope - value * found);
      x += change;
      if (std::abs(change) < 1e-18L) break;
    }
    roots.push_back(x);
    const Real slope = jacobi(n, alpha, x).second;
    rule.points.push_back((1 + x) / 2);
    rule.weights.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

int points_for(int degree) { return degree / 2 + 1; }

void add(Quadrature& rule, Real x, Real y, Real z, Real weight) {
  rule.points.push_back({static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
  rule.weights.push_back(static_cast<double>(weight));
}

Quadrature line_rule(int degree) {
  Quadrature rule;
  const LineRule line = gauss_jacobi(points_for(degree), 0);
  for (std::size_t i = 0; i < line.points.size(); ++i)
    add(rule, 2 * line.points[i] - 1, 0, 0, 2 * line.weights[i]);
  return rule;
}

/// Every point of `base` at every height of the line [-1, 1]: quad from line (axis 1), hex from
/// quad and prism from triangle (axis 2); the points of `base` run fastest.
Quadrature times_line(const Quadrature& base, std::size_t axis, int degree) {
  Quadrature rule;
  const Quadrature line = line_rule(degree);
  for (std::size_t i = 0; i < line.weights.size(); ++i)
    for (std::size_t b = 0; b < base.weights.size(); ++b) {
      rule.points.push_back(base.points[b]);
      rule.points.back()[axis] = line.points[i][0];
      rule.weights.push_back(base.weights[b] * line.weights[i]);
    }
  return rule;
}

/// All permutations of the barycentric coordinates `at`, each point with `weight` of a simplex of
/// measure 1.
struct Orbit {
  Real weight;
  std::vector<Real> at;  // dim + 1, their sum is 1
};

Quadrature symmetric_rule(std::vector<Orbit> orbits, Real measure) {
  Quadrature rule;
  for (auto& [weight, at] : orbits) {
    std::sort(at.begin(), at.end());
    do {
      add(rule, at[0], at[1], at.size() == 4 ? at[2] : 0, weight * measure);
    } while (std::next_permutation(at.begin(), at.end()));
  }
  return rule;
}

Orbit centre(int dim, Real weight) {
  return {weight, std::vector<Real>(static_cast<std::size_t>(dim) + 1, Real(1) / (dim + 1))};
}
/// One coordinate differs from the `dim` others, which are `a`.
Orbit star(int dim, Real weight, Real a) {
  Orbit orbit{weight, std::vector<Real>(static_cast<std::size_t>(dim) + 1, a)};
  orbit.at.back() = 1 - dim * a;
  return orbit;
}

/// Degrees 0 to 6: 1, 3, 6, 7 and 12 points [Strang and Fix 1973; Dunavant 1985], their decimals
/// refined by Newton's method on the moment equations.
Quadrature symmetric_triangle(int degree) {
  constexpr Real measure = 0.5L;
  if (degree <= 1) return symmetric_rule({centre(2, 1)}, measure);
  if (degree == 2) return symmetric_rule({star(2, 1 / 3.0L, 1 / 6.0L)}, measure);
  if (degree <= 4)
    return symmetric_rule({star(2, 0.1099517436553218676383L, 0.09157621350977074345957L),
                           star(2, 0.2233815896780114656950L, 0.4459484909159648863183L)},
                          measure);
  if (degree == 5)
    return symmetric_rule(
        {centre(2, 0.225L), star(2, 0.1259391805448271525957L, 0.1012865073234563388010L),
         star(2, 0.1323941527885061807376L, 0.4701420641051150897704L)},
        measure);
  constexpr Real a = 0.05314504984481694735325L, b = 0.3103524510337844054166L;
  return symmetric_rule({star(2, 0.05084490637020681692094L, 0.06308901449150222834033L),
                         star(2, 0.1167862757263793660253L, 0.2492867451709104212916L),
                         {0.08285107561837357519355L, {a, b, 1 - a - b}}},
                        measure);
}

/// Degrees 0 to 6: 1, 4, 8, 14 and 24 points [Keast 1986; Witherden and Vincent 2015], their
/// decimals refined by Newton's method on the moment equations.
Quadrature symmetric_tetrahedron(int degree) {
  constexpr Real measure = 1 / 6.0L;
  if (degree <= 1) return symmetric_rule({centre(3, 1)}, measure);
  if (degree == 2) return symmetric_rule({star(3, 0.25L, (5 - std::sqrt(5.0L)) / 20)}, measure);
  if (degree == 3)
    return symmetric_rule({star(3, 0.1385279665118621548391L, 0.3280546967114266467787L),
                           star(3, 0.1114720334881378451609L, 0.1069522739329306767545L)},
                          measure);
  if (degree <= 5) {
    constexpr Real a = 0.04550370412564964949188L;
    return symmetric_rule({star(3, 0.1126879257180158507992L, 0.3108859192633006097973L),
                           star(3, 0.07349304311636194954371L, 0.09273525031089122640232L),
                           {0.04254602077708146643807L, {a, a, 0.5L - a, 0.5L - a}}},
                          measure);
  }
  constexpr Real a = 0.06366100187501752529924L, b = 0.6030056647916491413674L;
  return symmetric_rule({star(3, 0.03992275025816749209969L, 0.2146028712591520292888L),
                         star(3, 0.01007721105532064294801L, 0.04067395853461135311558L),
                         star(3, 0.05535718154365472209515L, 0.3223378901422755103440L),
                         {0.04821428571428571428571L, {a, a, b, 1 - 2 * a - b}}},
                        measure);
}

constexpr int max_symmetric_degree = 6;

/// x = s (1-y), y = t [Stroud 1971, conical products].
Quadrature conical_triangle(int degree) {
  Quadrature rule;
  const LineRule s = gauss_jacobi(points_for(degree), 0), t = gauss_jacobi(points_for(degree), 1);
  for (std::size_t j = 0; j < t.points.size(); ++j)
    for (std::size_t i = 0; i < s.points.size(); ++i)
      add(rule, s.points[i] * (1 - t.points[j]), t.points[j], 0, s.weights[i] * t.weights[j]);
  return rule;
}

Quadrature conical_tetrahedron(int degree) {
  Quadrature rule;
  const Quadrature base = conical_triangle(degree);
  const LineRule t = gauss_jacobi(points_for(degree), 2);
  for (std::size_t k = 0; k < t.points.size(); ++k)
    for (std::size_t b = 0; b < base.weights.size(); ++b)
      add(rule, base.points[b][0] * (1 - t.points[k]), base.points[b][1] * (1 - t.points[k]),
          t.points[k], base.weights[b] * t.weights[k]);
  return rule;
}

Quadrature pyramid_rule(int degree) {
  Quadrature rule;
  const Quadrature base = times_line(line_rule(degree), 1, degree);
  const LineRule t = gauss_jacobi(points_for(degree), 2);
  for (std::size_t k = 0; k < t.points.size(); ++k)
    for (std::size_t b = 0; b < base.weights.size(); ++b)
      add(rule, base.points[b][0] * (1 - t.points[k]), base.points[b][1] * (1 - t.points[k]),
          t.points[k], base.weights[b] * t.weights[k]);
  return rule;
}

Quadrature make_rule(CellType linear, int degree) {
  const bool symmetric = degree <= max_symmetric_degree;
  switch (linear) {
    case CellType::point1:
      return {{{0, 0, 0}}, {1}};
    case CellType::line2:
      return line_rule(degree);
    case CellType::tri3:
      return symmetric ? symmetric_triangle(degree) : conical_triangle(degree);
    case CellType::quad4:
      return times_line(line_rule(degree), 1, degree);
    case CellType::tet4:
      return symmetric ? symmetric_tetrahedron(degree) : conical_tetrahedron(degree);
    case CellType::hex8:
      return times_line(make_rule(CellType::quad4, degree), 2, degree);
    case CellType::prism6:
      return times_line(make_rule(CellType::tri3, degree), 2, degree);
    case CellType::pyramid5:
      return pyramid_rule(degree);
    default:
      throw Error(ExitCode::bug, fmt::format("no quadrature on {}", mesh::traits(linear).name));
  }
}

}  // namespace

const Quadrature& quadrature(CellType type, int degree) {
  require(degree >= 0, ExitCode::bug, fmt::format("quadrature of degree {}", degree));
  static std::mutex mutex;
  static std::map<std::pair<CellType, int>, Quadrature> rules;
  const std::pair key{mesh::traits(type).linear, degree};
  const std::scoped_lock lock(mutex);
  const auto found = rules.find(key);
  if (found != rules.end()) return found->second;
  return rules.emplace(key, make_rule(key.first, degree)).first->second;
}

int stiffness_degree(CellType type) {
  const auto& t = mesh::traits(type);
  switch (t.linear) {
    case CellType::tri3:
      return t.order == 1 ? 1 : 6;
    case CellType::tet4:
      return t.order == 1 ? 1 : 3;
    case CellType::quad4:
      return 7;
    case CellType::prism6:
      return 2 * t.order;
    default:
      return 2 * t.order + 1;
  }
}

const Quadrature& stiffness_quadrature(CellType type) {
  return quadrature(type, stiffness_degree(type));
}

int load_degree(CellType type) {
  if (type == CellType::tet4) return 2;
  return 2 * mesh::traits(type).order + 1;
}

const Quadrature& load_quadrature(CellType type) { return quadrature(type, load_degree(type)); }

}  // namespace trestle::fem

// Tabulations, and the least-squares fit from points to nodes.
#include "fem/cells/tabulation.hpp"

#include <algorithm>
#include <cmath>

#include "fem/cells/element.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;

/// A basis at some points: values [point, function].
struct Basis {
  std::size_t n_functions;
  std::vector<double> values;
  double operator()(std::size_t p, std::size_t f) const { return values[p * n_functions + f]; }
};

Basis basis_at(const std::vector<std::array<double, 3>>& points, CellType linear,
               std::size_t n_functions) {
  Basis basis{n_functions, std::vector<double>(points.size() * n_functions)};
  const auto& t = mesh::traits(linear);
  for (std::size_t p = 0; p < points.size(); ++p) {
    double* row = &basis.values[p * n_functions];
    if (n_functions == static_cast<std::size_t>(t.n_nodes)) {
      shape_functions(linear, points[p].data(), row, nullptr);
    } else {
      row[0] = 1;
      std::copy_n(points[p].begin(), n_functions - 1, row + 1);
    }
  }
  return basis;
}

/// Factorises a symmetric positive matrix [n, n] as L L' in place (lower triangle); returns false
/// when it is singular to round-off.
bool factorise(std::vector<double>& a, std::size_t n) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, a[i * n + i]);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && sum <= 1e-10 * largest) return false;
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  return true;
}

void solve(const std::vector<double>& l, std::size_t n, std::vector<double>& x) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i * n + k] * x[k];
    x[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k * n + i] * x[k];
    x[i] /= l[i * n + i];
  }
}

/// The lower triangle of B'B, factorised; false when the points do not determine a fit.
bool normal_matrix(const Basis& at_points, std::size_t n_points, std::vector<double>& normal) {
  const std::size_t n = at_points.n_functions;
  normal.assign(n * n, 0);
  for (std::size_t p = 0; p < n_points; ++p)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) normal[i * n + j] += at_points(p, i) * at_points(p, j);
  return n_points >= n && factorise(normal, n);
}

Tabulation tabulate_points(CellType type, const std::vector<std::array<double, 3>>& points,
                           std::vector<double> weights) {
  const int n_nodes = mesh::traits(type).n_nodes;
  const auto n = static_cast<std::size_t>(n_nodes);
  Tabulation table{type, static_cast<int>(points.size()), n_nodes, {}, {}, std::move(weights), {},
                   {}};
  table.N.resize(points.size() * n);
  table.dN.resize(points.size() * n * 3);
  for (std::size_t p = 0; p < points.size(); ++p) {
    shape_functions(type, points[p].data(), &table.N[p * n], &table.dN[p * n * 3]);
    table.points.insert(table.points.end(), points[p].begin(), points[p].end());
  }
  return table;
}

}  // namespace

Tabulation tabulate(CellType type, const Quadrature& rule) {
  Tabulation table = tabulate_points(type, rule.points, rule.weights);
  if (mesh::traits(type).order == 1) return table;
  const auto n = static_cast<std::size_t>(table.n_nodes);
  table.d2N.resize(rule.points.size() * n * 6);
  for (std::size_t p = 0; p < rule.points.size(); ++p)
    second_derivatives(type, rule.points[p].data(), &table.d2N[p * n * 6]);
  return table;
}

Tabulation tabulate_at_nodes(CellType type) {
  const auto nodes = mesh::traits(type).nodes;
  return tabulate_points(type, {nodes.begin(), nodes.end()}, std::vector<double>(nodes.size(), 0));
}

std::vector<double> extrapolation(CellType type, const Quadrature& rule) {
  const auto& t = mesh::traits(type);
  const auto n_points = rule.points.size();
  const bool simplex = t.linear == CellType::tri3 || t.linear == CellType::tet4;
  const CellType own = t.order == 2 && !simplex ? t.full : t.linear;
  struct Space {
    CellType type;
    int n_functions;
  };
  std::vector<double> normal;
  Basis at_points{};
  CellType fitted = t.linear;
  for (const Space& space :
       {Space{own, mesh::traits(own).n_nodes}, Space{t.linear, mesh::traits(t.linear).n_nodes},
        Space{t.linear, t.dim + 1}, Space{t.linear, 1}}) {
    fitted = space.type;
    at_points = basis_at(rule.points, fitted, static_cast<std::size_t>(space.n_functions));
    if (normal_matrix(at_points, n_points, normal)) break;
  }
  const std::size_t n = at_points.n_functions;
  const Basis at_nodes = basis_at({t.nodes.begin(), t.nodes.end()}, fitted, n);
  std::vector<double> matrix(t.nodes.size() * n_points, 0);
  for (std::size_t p = 0; p < n_points; ++p) {
    std::vector<double> fit(&at_points.values[p * n], &at_points.values[p * n] + n);
    solve(normal, n, fit);
    for (std::size_t a = 0; a < t.nodes.size(); ++a)
      for (std::size_t i = 0; i < n; ++i) matrix[a * n_points + p] += at_nodes(a, i) * fit[i];
  }
  return matrix;
}

}  // namespace trestle::fem

// Shape functions of all cell types from their polynomial spaces, and tables of their derivatives.
#include "mesh/reference_map.hpp"

#include <algorithm>
#include <cmath>

namespace trestle::mesh {
namespace {

/// x^i y^j z^k (1-z)^m; m < 0 for pyramids only.
struct Monomial {
  int i, j, k, m;
};

double power(double base, int exponent) {
  double result = 1;
  for (int e = 0; e < std::abs(exponent); ++e) result *= base;
  return exponent < 0 ? 1 / result : result;
}

double derivative_of_power(double base, int exponent) {
  return exponent == 0 ? 0 : exponent * power(base, exponent - 1);
}

/// At the apex of a pyramid the terms with a denominator have the limit 0.
double value(const Monomial& f, const Point& p) {
  if (f.m < 0 && p[2] == 1) return 0;
  return power(p[0], f.i) * power(p[1], f.j) * power(p[2], f.k) * power(1 - p[2], f.m);
}

Point gradient(const Monomial& f, const Point& p) {
  const double x = power(p[0], f.i), y = power(p[1], f.j);
  const double z = power(p[2], f.k), w = power(1 - p[2], f.m);
  return {derivative_of_power(p[0], f.i) * y * z * w, x * derivative_of_power(p[1], f.j) * z * w,
          x * y * (derivative_of_power(p[2], f.k) * w - z * derivative_of_power(1 - p[2], f.m))};
}

/// Whether the space of `cell` has the term with exponents i, j, k. Serendipity types (quad8,
/// hex20) have at most one square in a term [Arnold & Awanou 2011]; pyramids have the rational
/// space of [Bergot, Cohen & Durufle 2010], for pyramid13 without its last function.
bool has_term(const CellTraits& cell, int i, int j, int k) {
  const int p = cell.order;
  const bool serendipity = p == 2 && cell.full != cell.type;
  if (std::max({i, j, k}) > p) return false;
  if ((cell.dim < 2 && j > 0) || (cell.dim < 3 && k > 0)) return false;
  switch (cell.linear) {
    case CellType::point1:
      return i == 0;
    case CellType::tri3:
    case CellType::tet4:
      return i + j + k <= p;
    case CellType::prism6:
      return i + j <= (serendipity && k == 2 ? 1 : p);
    case CellType::pyramid5:
      return k <= p - std::max(i, j) && !(serendipity && i == 2 && j == 2);
    default:
      return !serendipity || (i == 2) + (j == 2) + (k == 2) <= 1;
  }
}

std::vector<Monomial> basis_of(const CellTraits& cell) {
  std::vector<Monomial> basis;
  for (int k = 0; k <= 2; ++k)
    for (int j = 0; j <= 2; ++j)
      for (int i = 0; i <= 2; ++i)
        if (has_term(cell, i, j, k))
          basis.push_back({i, j, k, cell.linear == CellType::pyramid5 ? -std::min(i, j) : 0});
  return basis;
}

/// Inverse of the n x n matrix `a` by Gauss-Jordan elimination with row pivoting.
std::vector<double> inverse(std::vector<double> a, std::size_t n) {
  std::vector<double> b(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) b[i * n + i] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    for (std::size_t k = 0; k < n; ++k) {
      std::swap(a[c * n + k], a[pivot * n + k]);
      std::swap(b[c * n + k], b[pivot * n + k]);
    }
    const double scale = 1 / a[c * n + c];
    for (std::size_t k = 0; k < n; ++k) {
      a[c * n + k] *= scale;
      b[c * n + k] *= scale;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = r == c ? 0 : a[r * n + c];
      for (std::size_t k = 0; k < n; ++k) {
        a[r * n + k] -= factor * a[c * n + k];
        b[r * n + k] -= factor * b[c * n + k];
      }
    }
  }
  return b;
}

/// Fills the derivatives at `at.points`: the shape functions are the basis times the inverse of its
/// values at the nodes.
void add_gradients(const CellTraits& cell, ReferencePoints& at) {
  const std::vector<Monomial> basis = basis_of(cell);
  const std::size_t n = basis.size();
  std::vector<double> values(n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t f = 0; f < n; ++f) values[a * n + f] = value(basis[f], cell.nodes[a]);
  const std::vector<double> coefficients = inverse(values, n);
  at.n_nodes = n;
  at.gradients.assign(at.size() * n, Point{});
  for (std::size_t p = 0; p < at.size(); ++p)
    for (std::size_t f = 0; f < n; ++f) {
      const Point g = gradient(basis[f], at.points[p]);
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t c = 0; c < 3; ++c)
          at.gradients[p * n + a][c] += coefficients[f * n + a] * g[c];
    }
}

/// Gauss-Legendre points of n = 2 or 3 on [-1, 1] with their weights.
std::vector<std::array<double, 2>> gauss(int n) {
  if (n == 2) return {{-std::sqrt(1.0 / 3), 1}, {std::sqrt(1.0 / 3), 1}};
  return {{-std::sqrt(0.6), 5.0 / 9}, {0, 8.0 / 9}, {std::sqrt(0.6), 5.0 / 9}};
}

/// A point of the cube [-1, 1]^3 and its weight as those of the reference cell; simplices and
/// pyramids are collapsed cubes [Duffy 1982].
void add_collapsed(const CellTraits& cell, Point q, double weight, ReferencePoints& at) {
  const double u = (1 + q[0]) / 2, v = (1 + q[1]) / 2, w = (1 + q[2]) / 2;
  switch (cell.linear) {
    case CellType::tri3:
    case CellType::prism6:
      at.points.push_back({u, v * (1 - u), cell.dim == 2 ? 0 : q[2]});
      at.weights.push_back(weight * (1 - u) / 4);
      break;
    case CellType::tet4:
      at.points.push_back({u, v * (1 - u), w * (1 - u) * (1 - v)});
      at.weights.push_back(weight * (1 - u) * (1 - u) * (1 - v) / 8);
      break;
    case CellType::pyramid5:
      at.points.push_back({q[0] * (1 - w), q[1] * (1 - w), w});
      at.weights.push_back(weight * (1 - w) * (1 - w) / 2);
      break;
    default:
      at.points.push_back(q);
      at.weights.push_back(weight);
  }
}

bool is_linear_simplex(CellType type) {
  return type == CellType::line2 || type == CellType::tri3 || type == CellType::tet4;
}

ReferencePoints make_quadrature(const CellTraits& cell) {
  ReferencePoints at;
  if (is_linear_simplex(cell.type)) {
    const double third = 1.0 / 3;
    const std::array<Point, 4> centres{{{}, {}, {third, third, 0}, {0.25, 0.25, 0.25}}};
    const std::array<double, 4> sizes{0, 2, 1.0 / 2, 1.0 / 6};
    at.points = {centres[static_cast<std::size_t>(cell.dim)]};
    at.weights = {sizes[static_cast<std::size_t>(cell.dim)]};
  } else if (cell.dim > 0) {
    const auto rule = gauss(cell.order + 1);
    const std::vector<std::array<double, 2>> none{{0, 1}};
    for (const auto& [z, wz] : cell.dim > 2 ? rule : none)
      for (const auto& [y, wy] : cell.dim > 1 ? rule : none)
        for (const auto& [x, wx] : rule) add_collapsed(cell, {x, y, z}, wx * wy * wz, at);
  }
  add_gradients(cell, at);
  return at;
}

ReferencePoints make_samples(const CellTraits& cell) {
  ReferencePoints at = make_quadrature(cell);
  at.weights.clear();
  if (is_linear_simplex(cell.type)) return at;
  for (const Point& node : cell.nodes)
    if (cell.linear != CellType::pyramid5 || node[2] < 1) at.points.push_back(node);
  constexpr double near = 1e-3;  // from the apex
  if (cell.linear == CellType::pyramid5)
    for (const double y : {-near, near})
      for (const double x : {-near, near}) at.points.push_back({x, y, 1 - near});
  add_gradients(cell, at);
  return at;
}

ReferencePoints make_vertices(const CellTraits& cell) {
  ReferencePoints at;
  const int n = cell.n_vertices - (cell.linear == CellType::pyramid5 ? 1 : 0);
  at.points.assign(cell.nodes.begin(), cell.nodes.begin() + n);
  add_gradients(cell, at);
  return at;
}

using Tables = std::array<ReferencePoints, n_cell_types>;

template <class Make>
Tables make_tables(Make make) {
  Tables tables;
  for (int t = 0; t < n_cell_types; ++t)
    tables[static_cast<std::size_t>(t)] = make(traits(static_cast<CellType>(t)));
  return tables;
}

}  // namespace

const ReferencePoints& quadrature_points(CellType type) {
  static const Tables tables = make_tables(make_quadrature);
  return tables[static_cast<std::size_t>(type)];
}

const ReferencePoints& sample_points(CellType type) {
  static const Tables tables = make_tables(make_samples);
  return tables[static_cast<std::size_t>(type)];
}

const ReferencePoints& vertex_points(CellType type) {
  static const Tables tables = make_tables(make_vertices);
  return tables[static_cast<std::size_t>(type)];
}

Tangents tangents(const ReferencePoints& at, std::size_t p, const Point* x) {
  Tangents t{};
  const Point* gradients = at.gradients.data() + p * at.n_nodes;
  for (std::size_t a = 0; a < at.n_nodes; ++a)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t d = 0; d < 3; ++d) t[c][d] += gradients[a][c] * x[a][d];
  return t;
}

double length(const Point& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

namespace {}  // namespace

double determinant(const Tangents& t, int dim) {
  const Point normal = cross(t[0], t[1]);
  return dim == 2 ? normal[2] : normal[0] * t[2][0] + normal[1] * t[2][1] + normal[2] * t[2][2];
}

double measure_ratio(const Tangents& t, int dim) {
  if (dim == 3) return determinant(t, 3);
  return dim == 2 ? length(cross(t[0], t[1])) : length(t[0]);
}

double measure(CellType type, const Point* x) {
  const ReferencePoints& at = quadrature_points(type);
  double sum = 0;
  for (std::size_t p = 0; p < at.size(); ++p)
    sum += at.weights[p] * measure_ratio(tangents(at, p, x), traits(type).dim);
  return sum;
}

}  // namespace trestle::mesh

// Shape functions: monomials of each cell type, combined by the inverse of their values at the
// nodes.
#include "fem/cells/element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;
using Real = long double;

/// x^i y^j w^k, where w is z, or 1 - z on pyramids (k may then be negative).
struct Monomial {
  int i, j, k;
};

/// Shape function a is the sum over m of coefficients[m * n_nodes + a] monomials[m].
struct Element {
  bool pyramid = false;
  std::vector<Monomial> monomials;
  std::vector<double> coefficients;
};

bool is_pyramid(CellType type) { return mesh::traits(type).linear == CellType::pyramid5; }

/// Exponents 0..order in `dim` coordinates for which `accept(i, j, k)` holds.
template <class Accept>
std::vector<Monomial> exponents(int dim, int order, Accept accept) {
  std::vector<Monomial> found;
  for (int k = 0; k <= (dim > 2 ? order : 0); ++k)
    for (int j = 0; j <= (dim > 1 ? order : 0); ++j)
      for (int i = 0; i <= (dim > 0 ? order : 0); ++i)
        if (accept(i, j, k)) found.push_back({i, j, k});
  return found;
}

/// x^i y^j w^(k-i-j) with max(i, j) <= k <= order; `serendipity` leaves x^2 y^2 / w^2 out.
std::vector<Monomial> pyramid_monomials(int order, bool serendipity) {
  std::vector<Monomial> found;
  for (int k = 0; k <= order; ++k)
    for (int j = 0; j <= k; ++j)
      for (int i = 0; i <= k; ++i)
        if (!(serendipity && i == 2 && j == 2)) found.push_back({i, j, k - i - j});
  return found;
}

std::vector<Monomial> monomials(CellType type) {
  const auto& t = mesh::traits(type);
  const auto complete = [&](int i, int j, int k) { return i + j + k <= t.order; };
  const auto tensor = [](int, int, int) { return true; };
  const auto one_square = [](int i, int j, int k) { return (i > 1) + (j > 1) + (k > 1) <= 1; };
  const auto prism = [&](int i, int j, int) { return i + j <= t.order; };
  const auto prism_serendipity = [](int i, int j, int k) { return i + j <= (k < 2 ? 2 : 1); };
  switch (type) {
    case CellType::quad8:
    case CellType::hex20:
      return exponents(t.dim, t.order, one_square);
    case CellType::prism6:
    case CellType::prism18:
      return exponents(t.dim, t.order, prism);
    case CellType::prism15:
      return exponents(t.dim, t.order, prism_serendipity);
    case CellType::pyramid5:
    case CellType::pyramid13:
    case CellType::pyramid14:
      return pyramid_monomials(t.order, type == CellType::pyramid13);
    case CellType::tri3:
    case CellType::tri6:
    case CellType::tet4:
    case CellType::tet10:
      return exponents(t.dim, t.order, complete);
    default:
      return exponents(t.dim, t.order, tensor);
  }
}

/// base^power; 0 for a negative power of (nearly) nothing, which is the limit of every monomial and
/// derivative of a pyramid along its axis.
template <class T>
T power(T base, int exponent) {
  constexpr double nothing = 1e-12;
  if (exponent < 0) return std::abs(base) < nothing ? T(0) : 1 / power(base, -exponent);
  T result = 1;
  for (int n = 0; n < exponent; ++n) result *= base;
  return result;
}

/// d(base^exponent)/d(base).
template <class T>
T power_slope(T base, int exponent) {
  return exponent == 0 ? T(0) : static_cast<T>(exponent) * power(base, exponent - 1);
}

/// d2(base^exponent)/d(base)2.
template <class T>
T power_curvature(T base, int exponent) {
  const int factor = exponent * (exponent - 1);
  return factor == 0 ? T(0) : static_cast<T>(factor) * power(base, exponent - 2);
}

/// The inverse of a square matrix [n, n] by Gauss-Jordan elimination with row pivoting.
std::vector<Real> inverse(std::vector<Real> a, std::size_t n) {
  std::vector<Real> b(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) b[i * n + i] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    for (std::size_t k = 0; k < n; ++k) {
      std::swap(a[c * n + k], a[pivot * n + k]);
      std::swap(b[c * n + k], b[pivot * n + k]);
    }
    const Real scale = 1 / a[c * n + c];
    for (std::size_t k = 0; k < n; ++k) {
      a[c * n + k] *= scale;
      b[c * n + k] *= scale;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const Real factor = a[r * n + c];
      if (r == c || factor == 0) continue;
      for (std::size_t k = 0; k < n; ++k) {
        a[r * n + k] -= factor * a[c * n + k];
        b[r * n + k] -= factor * b[c * n + k];
      }
    }
  }
  return b;
}

/// The coefficients of all our types are multiples of 1/64; rounding to one makes them exact.
double exact_coefficient(Real value, CellType type) {
  const Real rounded = std::round(value * 64) / 64;
  require(
      std::abs(value - rounded) < 1e-12L, ExitCode::bug,
      fmt::format("the nodes of {} do not determine its shape functions", mesh::traits(type).name));
  return static_cast<double>(rounded);
}

Element make_element(CellType type) {
  const auto& t = mesh::traits(type);
  Element element{is_pyramid(type), monomials(type), {}};
  const auto n = static_cast<std::size_t>(t.n_nodes);
  require(element.monomials.size() == n, ExitCode::bug,
          fmt::format("{} has {} monomials for {} nodes", t.name, element.monomials.size(), n));
  std::vector<Real> values(n * n);  // [node, monomial]
  for (std::size_t a = 0; a < n; ++a) {
    const Real x = t.nodes[a][0], y = t.nodes[a][1], z = t.nodes[a][2];
    for (std::size_t m = 0; m < n; ++m) {
      const auto [i, j, k] = element.monomials[m];
      values[a * n + m] = power(x, i) * power(y, j) * power(element.pyramid ? 1 - z : z, k);
    }
  }
  for (Real c : inverse(std::move(values), n))
    element.coefficients.push_back(exact_coefficient(c, type));
  return element;
}

const Element& element_of(CellType type) {
  static const std::vector<Element> elements = [] {
    std::vector<Element> all;
    for (int i = 0; i < mesh::n_cell_types; ++i)
      all.push_back(make_element(static_cast<CellType>(i)));
    return all;
  }();
  return elements[static_cast<std::size_t>(type)];
}

}  // namespace

void shape_functions(CellType type, const double xi[3], double* N, double* dN) {
  const Element& element = element_of(type);
  const std::size_t n = element.monomials.size();
  const double x = xi[0], y = xi[1], w = element.pyramid ? 1 - xi[2] : xi[2];
  if (N != nullptr) std::fill_n(N, n, 0.0);
  if (dN != nullptr) std::fill_n(dN, 3 * n, 0.0);
  for (std::size_t m = 0; m < n; ++m) {
    const auto [i, j, k] = element.monomials[m];
    const double px = power(x, i), py = power(y, j), pw = power(w, k);
    const double value = px * py * pw;
    const double dx = power_slope(x, i) * py * pw, dy = px * power_slope(y, j) * pw;
    const double dz = px * py * power_slope(w, k) * (element.pyramid ? -1 : 1);
    const double* c = &element.coefficients[m * n];
    for (std::size_t a = 0; N != nullptr && a < n; ++a) N[a] += c[a] * value;
    for (std::size_t a = 0; dN != nullptr && a < n; ++a) {
      dN[3 * a] += c[a] * dx;
      dN[3 * a + 1] += c[a] * dy;
      dN[3 * a + 2] += c[a] * dz;
    }
  }
}

void second_derivatives(CellType type, const double xi[3], double* d2N) {
  const Element& element = element_of(type);
  const std::size_t n = element.monomials.size();
  const double x = xi[0], y = xi[1], w = element.pyramid ? 1 - xi[2] : xi[2];
  const double dw = element.pyramid ? -1 : 1;  // by z
  std::fill_n(d2N, 6 * n, 0.0);
  for (std::size_t m = 0; m < n; ++m) {
    const auto [i, j, k] = element.monomials[m];
    const double px = power(x, i), py = power(y, j), pw = power(w, k);
    const double dx = power_slope(x, i), dy = power_slope(y, j), dz = dw * power_slope(w, k);
    const double second[6] = {power_curvature(x, i) * py * pw,
                              px * power_curvature(y, j) * pw,
                              px * py * power_curvature(w, k),
                              dx * dy * pw,
                              px * dy * dz,
                              dx * py * dz};
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t d = 0; d < 6; ++d)
        d2N[6 * a + d] += element.coefficients[m * n + a] * second[d];
  }
}

}  // namespace trestle::fem

#include "solver/eigen/modes.hpp"

#include <fmt/format.h>
#include <petscsys.h>
// Needs the names of petscsys.h.
#include <petscblaslapack.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/matrix/vector_kernels.hpp"

namespace trestle::solver {
namespace {

/// Energy of a motion relative to what its terms add up to, below which it is rounding: some
/// hundred roundings of the entries of K and of the sums over a row.
constexpr double zero_energy = 1e-13;
/// Backward error of a mode that rounding alone may leave.
constexpr double rounding = 1e-14;
/// Residual up to which a mode limited by rounding is taken.
constexpr double worst_residual = 5e-4;
constexpr double equal_values = 1e-8;      // relative difference of values of one cluster
constexpr double equal_components = 1e-6;  // relative difference of components of one size

Vector<double> on_device(const Pencil& pencil, const std::vector<double>& column) {
  Vector<double> x = pencil.K().make_vector("modes");
  const auto to = gpu::write(x.values());
  std::fill(to.begin(), to.end(), 0.0);
  std::copy(column.begin(), column.end(), to.begin());
  return x;
}

std::vector<double> owned_on_host(const Vector<double>& x) {
  const auto values = gpu::read(x.values());
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(x.n_owned())};
}

double local_dot(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

/// sum += |A| |x|.
void add_absolute(const MatrixOperator<double>& a, const Vector<double>& x, Vector<double>& sum) {
  add_absolute_product<double>(a.device(), a.matrix().owned_rows(), x.view(), sum.view());
  add_absolute_product<double>(a.device(), a.matrix().ghost_rows(), x.view(), sum.view());
}

/// x' |K| |x|, the scale of the rounding of x' K x. x has its ghosts.
double energy_scale(const Pencil& pencil, const Vector<double>& x) {
  Vector<double> sum = pencil.K().make_vector("modes"), size = pencil.K().make_vector("modes");
  gpu::fill(sum.device(), sum.view(), 0.0);
  add_absolute(pencil.K(), x, sum);
  absolute(x.device(), x.view(), size.view());
  return dot(size, sum);
}

/// x_i' A x_j of all pairs, [m, m]; also brings out which x_i' K x_i are rounding.
std::vector<double> projection(const MatrixOperator<double>& a, const Pencil& pencil,
                               const HostColumns& vectors) {
  const std::size_t m = vectors.size();
  std::vector<double> products(m * m, 0.0);
  Vector<double> y = a.make_vector("modes");
  for (std::size_t j = 0; j < m; ++j) {
    Vector<double> x = on_device(pencil, vectors[j]);
    a.apply(x, y);
    const std::vector<double> ax = owned_on_host(y);
    for (std::size_t i = 0; i <= j; ++i)
      products[i * m + j] = products[j * m + i] = local_dot(vectors[i], ax);
  }
  pencil.comm().sum(std::span<double>(products));
  return products;
}

/// vectors <- vectors times the matrix [m, m] whose column k stands at coefficients[k * m].
void combine(HostColumns& vectors, const std::vector<double>& coefficients) {
  const std::size_t m = vectors.size(), n = vectors.empty() ? 0 : vectors[0].size();
  std::vector<double> row(m);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < m; ++k) row[k] = vectors[k][i];
    for (std::size_t k = 0; k < m; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < m; ++j) sum += row[j] * coefficients[k * m + j];
      vectors[k][i] = sum;
    }
  }
}

/// Where a cluster has its largest component: the length of that row of its vectors, and its id.
struct Peak {
  double length = 0;
  GlobalIndex id = std::numeric_limits<GlobalIndex>::max();
  std::vector<double> row;  // [vector of the cluster]
};

double row_length(const HostColumns& vectors, std::size_t first, std::size_t end, std::size_t i) {
  double square = 0;
  for (std::size_t k = first; k < end; ++k) square += vectors[k][i] * vectors[k][i];
  return std::sqrt(square);
}

/// The peak of vectors [first, end). Collective.
Peak find_peak(const Pencil& pencil, const HostColumns& vectors, std::size_t first,
               std::size_t end) {
  const std::size_t n = vectors[first].size();
  const auto block = static_cast<std::size_t>(pencil.block());
  Peak peak;
  for (std::size_t i = 0; i < n; ++i)
    peak.length = std::max(peak.length, row_length(vectors, first, end, i));
  peak.length = pencil.comm().max(peak.length);
  std::size_t at = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (row_length(vectors, first, end, i) < (1 - equal_components) * peak.length) continue;
    const GlobalIndex id = pencil.map().ids()[i / block] * static_cast<GlobalIndex>(block) +
                           static_cast<GlobalIndex>(i % block);
    if (id >= peak.id) continue;
    peak.id = id;
    at = i;
  }
  const GlobalIndex lowest = pencil.comm().min(peak.id);
  peak.row.assign(end - first, 0.0);
  if (peak.id == lowest)
    for (std::size_t k = first; k < end; ++k) peak.row[k - first] = vectors[k][at];
  pencil.comm().sum(std::span<double>(peak.row));
  peak.id = lowest;
  return peak;
}

/// Reflects vectors [first, end) among themselves so that `row` becomes (its length, 0, 0 ...)
/// [Householder 1958].
void reflect(HostColumns& vectors, std::size_t first, std::vector<double> row) {
  const double length = std::sqrt(local_dot(row, row));
  std::vector<double> w = row;
  // Away from the target, so that nothing cancels; the first vector is then turned round.
  const double sign = row[0] > 0 ? -1.0 : 1.0;
  w[0] -= sign * length;
  const double square = local_dot(w, w);
  for (std::size_t i = 0; i < vectors[first].size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < w.size(); ++k) sum += w[k] * vectors[first + k][i];
    if (square > 0) sum *= 2 / square;
    for (std::size_t k = 0; k < w.size(); ++k) vectors[first + k][i] -= sum * w[k];
    vectors[first][i] *= sign;
  }
}

/// Whether the values at i and i + 1 belong to one cluster.
bool equal(const RitzPairs& pairs, std::size_t i) {
  if (pairs.zeros[i] || pairs.zeros[i + 1]) return pairs.zeros[i] && pairs.zeros[i + 1];
  return std::abs(pairs.values[i + 1] - pairs.values[i]) <=
         equal_values * std::abs(pairs.values[i + 1]);
}

Mode make_mode(const Pencil& pencil, const std::vector<double>& column, bool zero) {
  Mode mode{.zero = zero, .shape = on_device(pencil, column)};
  Vector<double>& x = mode.shape;
  Vector<double> Kx = pencil.K().make_vector("modes"), Mx = pencil.K().make_vector("modes"),
                 scale = pencil.K().make_vector("modes");
  pencil.M().apply(x, Mx);
  pencil.K().apply(x, Kx);
  mode.eigenvalue = dot(x, Kx) / dot(x, Mx);
  gpu::fill(scale.device(), scale.view(), 0.0);
  add_absolute(pencil.M(), x, scale);
  gpu::scale(scale.device(), std::abs(mode.eigenvalue), scale.view());
  add_absolute(pencil.K(), x, scale);
  const double size = norm(Kx);
  gpu::axpy(Kx.device(), -mode.eigenvalue, std::as_const(Mx).owned(), Kx.owned());
  mode.backward_error = norm(Kx) / norm(scale);
  mode.residual = zero ? mode.backward_error : norm(Kx) / size;
  return mode;
}

}  // namespace

DenseModes dense_modes(const Comm& comm, std::size_t n, std::vector<double> a,
                       std::vector<double> b, const char* what) {
  std::vector<double> values(n), work(34 * n);
  const PetscBLASInt kind = 1;  // A x = lambda B x
  auto order = static_cast<PetscBLASInt>(n), n_work = static_cast<PetscBLASInt>(work.size());
  PetscBLASInt info = 0;
  LAPACKsygv_(&kind, "V", "U", &order, a.data(), &order, b.data(), &order, values.data(),
              work.data(), &n_work, &info);
  info = comm.max(info);
  require(info == 0, ExitCode::diverged,
          std::string("eigenvalues: ") + what + " depend on each other (LAPACK dsygv " +
              std::to_string(info) + ")");
  // One rank's digits for all: processors may round in their own ways.
  return {comm.broadcast(std::move(values)), comm.broadcast(std::move(a))};
}

RitzPairs rayleigh_ritz(const Pencil& pencil, HostColumns vectors) {
  const std::size_t m = vectors.size();
  RitzPairs pairs{.values = std::vector<double>(m), .vectors = std::move(vectors), .zeros = {}};
  if (m == 0) return pairs;
  DenseModes dense =
      dense_modes(pencil.comm(), m, projection(pencil.K(), pencil, pairs.vectors),
                  projection(pencil.M(), pencil, pairs.vectors), "the vectors of the modes found");
  pairs.values = std::move(dense.values);
  combine(pairs.vectors, dense.vectors);
  for (std::size_t j = 0; j < m; ++j) {
    Vector<double> x = on_device(pencil, pairs.vectors[j]);
    pencil.K().update_ghosts(x);
    pairs.zeros.push_back(std::abs(pairs.values[j]) <= zero_energy * energy_scale(pencil, x));
  }
  return pairs;
}

void turn_to_canonical_basis(const Pencil& pencil, RitzPairs& pairs) {
  const std::size_t m = pairs.values.size();
  for (std::size_t begin = 0, end = 0; begin < m; begin = end) {
    end = begin + 1;
    while (end < m && equal(pairs, end - 1)) ++end;
    for (std::size_t k = begin; k < end; ++k)
      reflect(pairs.vectors, k, find_peak(pencil, pairs.vectors, k, end).row);
  }
}

std::vector<Mode> make_modes(const Pencil& pencil, const RitzPairs& pairs) {
  std::vector<Mode> modes;
  for (std::size_t j = 0; j < pairs.values.size(); ++j)
    modes.push_back(make_mode(pencil, pairs.vectors[j], pairs.zeros[j]));
  return modes;
}

std::string inexact_mode(const std::vector<Mode>& modes, double tolerance) {
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const Mode& mode = modes[k];
    const bool rounded = mode.backward_error <= rounding && mode.residual <= worst_residual;
    if (mode.residual <= tolerance || rounded) continue;
    return fmt::format(
        "mode {} at eigenvalue {:g}: ||K x - lambda M x|| / ||K x|| is {:.1e}, above {:.1e}", k + 1,
        mode.eigenvalue, mode.residual, tolerance);
  }
  return "";
}

}  // namespace trestle::solver

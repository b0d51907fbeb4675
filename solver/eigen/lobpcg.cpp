#include "solver/eigen/lobpcg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/stopwatch.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/eigen/columns.hpp"
#include "solver/eigen/diagonals.hpp"
#include "solver/eigen/modes.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/null_space_check.hpp"

namespace trestle::solver {
namespace {

/// s of a body that moves freely, relative to tr K / tr M: far below its modes, and above what
/// rounding leaves of K on a rigid motion, so that the hierarchy stays positive definite.
constexpr double shift_of_free = 1e-10;
/// Residual of a motion without energy, relative to ||diag(K) x||: rounding leaves some 1e-15.
constexpr double zero_residual = 1e-12, zero_energy = 1e-13;
/// The same of a mode whose residual rounding keeps from getting smaller.
constexpr double rounding = 1e-14;
/// Part of a direction, squared, below which it depends on the others.
constexpr double dependent = 1e-12;
/// Iterations after which K X and M X are formed anew, so that rounding does not pile up.
constexpr int refresh_every = 16;

/// Modes that are iterated along with n.
int block_for(int n) { return n + std::max(4, n / 4); }

/// In [-1, 1), the same for every partition [Steele, Lea and Flood 2014, splitmix64].
double noise(GlobalIndex id, int component, int column) {
  auto z =
      static_cast<std::uint64_t>((id * 3 + component) * 4096 + column + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/// Columns that become orthonormal, one after the other, in a product whose matrix is given by its
/// upper triangle [Gram-Schmidt, twice].
class Orthonormal {
 public:
  Orthonormal(const SmallMatrix& product, int capacity)
      : product_(product), columns_(product.n_rows, capacity), images_(product.n_rows, capacity) {}

  /// Appends what is left of x without its parts along the columns before, unless that is hardly
  /// anything.
  void append(std::vector<double> x) {
    const double before = square(x);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < n_; ++k) {
        double along = 0;
        for (int i = 0; i < rows(); ++i) along += images_(i, k) * x[static_cast<std::size_t>(i)];
        for (int i = 0; i < rows(); ++i) x[static_cast<std::size_t>(i)] -= along * columns_(i, k);
      }
    const double left = square(x);
    if (!(left > dependent * before)) return;
    for (double& value : x) value /= std::sqrt(left);
    const std::vector<double> image = image_of(x);
    for (int i = 0; i < rows(); ++i) {
      columns_(i, n_) = x[static_cast<std::size_t>(i)];
      images_(i, n_) = image[static_cast<std::size_t>(i)];
    }
    ++n_;
  }
  SmallMatrix columns() const { return columns_.part(0, n_); }

 private:
  int rows() const { return product_.n_rows; }
  std::vector<double> image_of(const std::vector<double>& x) const {
    std::vector<double> image(x.size(), 0.0);
    for (int j = 0; j < rows(); ++j)
      for (int i = 0; i < rows(); ++i)
        image[static_cast<std::size_t>(i)] +=
            product_(std::min(i, j), std::max(i, j)) * x[static_cast<std::size_t>(j)];
    return image;
  }
  double square(const std::vector<double>& x) const {
    const std::vector<double> image = image_of(x);
    return std::inner_product(x.begin(), x.end(), image.begin(), 0.0);
  }

  const SmallMatrix& product_;
  SmallMatrix columns_, images_;
  int n_ = 0;
};

class Lobpcg {
 public:
  Lobpcg(const EigenOptions& options, std::shared_ptr<const BlockMatrix<double>> K,
         std::shared_ptr<const BlockMatrix<double>> M, const MatrixTraits& traits,
         const Diagonals& diagonals);

  EigenResult run();

 private:
  void make_preconditioner(const MatrixTraits& traits);
  void start(const MatrixTraits& traits);
  void iterate();
  void form_products();
  bool residuals(int iteration);
  void add_search_directions();
  int orthonormalise(int first, int n);
  void transform(Columns& columns, ColumnRange range, const SmallMatrix& c, int to);
  void rayleigh_ritz();
  SmallMatrix coefficients(const DenseModes& ritz, const SmallMatrix& mass) const;
  void finish();
  void fail(EigenReason reason, std::string message) {
    result_.reason = reason;
    result_.message = std::move(message);
  }
  std::string slow_modes() const;
  const Comm& comm() const { return pencil_.comm(); }

  EigenOptions options_;
  std::shared_ptr<const BlockMatrix<double>> K_, M_;
  const Diagonals& diagonals_;
  Pencil pencil_;
  int n_wanted_, n_x_, n_p_ = 0;
  Vector<double> diagonal_, in_, out_;  // of K where there is mass; for products
  Columns s_, Ks_, Ms_;                 // approximations, last changes, preconditioned residuals
  Columns made_;                        // what takes the place of the first two
  std::unique_ptr<Multigrid<double>> multigrid_;
  std::vector<double> values_;     // of the approximations
  std::vector<double> residuals_;  // ||K x - lambda M x|| / ||K x||
  std::vector<bool> converged_;    // of the approximations
  EigenResult result_;
};

Lobpcg::Lobpcg(const EigenOptions& options, std::shared_ptr<const BlockMatrix<double>> K,
               std::shared_ptr<const BlockMatrix<double>> M, const MatrixTraits& traits,
               const Diagonals& diagonals)
    : options_(options),
      K_(K),
      M_(M),
      diagonals_(diagonals),
      pencil_(K, M),
      n_wanted_(static_cast<int>(std::min<GlobalIndex>(options.modes, diagonals.n_free))),
      n_x_(block_for(n_wanted_)),
      diagonal_(pencil_.K().make_vector("modes")),
      in_(pencil_.K().make_vector("modes")),
      out_(pencil_.K().make_vector("modes")),
      s_(pencil_.K(), 3 * n_x_),
      Ks_(pencil_.K(), 3 * n_x_),
      Ms_(pencil_.K(), 3 * n_x_),
      made_(pencil_.K(), 2 * n_x_) {
  {
    const auto to = gpu::write(diagonal_.values());
    std::fill(to.begin(), to.end(), 0.0);
    std::copy(diagonals.stiffness.begin(), diagonals.stiffness.end(), to.begin());
  }
  result_.method = EigenMethod::lobpcg;
  result_.n_free = diagonals.n_free;
  make_preconditioner(traits);
  start(traits);
}

void Lobpcg::make_preconditioner(const MatrixTraits& traits) {
  const Stopwatch watch;
  const bool free =
      !traits.near_null.empty() && !free_combinations<double>(K_, traits.near_null).empty();
  const double shift = free ? shift_of_free * diagonals_.trace_k / diagonals_.trace_m : 0;
  result_.shift = free ? -shift : 0;
  result_.choice = free ? fmt::format(
                              "{:g} of tr K / tr M in the preconditioner, as K has motions "
                              "without energy",
                              -shift_of_free)
                        : "0, as K leaves no rigid motion free";
  if (free) {
    BlockMatrix<double> shifted(K_->device(), K_->shared_pattern(), K_->block());
    gpu::copy(K_->device(), K_->values().view(), shifted.values().view());
    gpu::axpy(K_->device(), shift, M_->values().view(), shifted.values().view());
    multigrid_ = std::make_unique<Multigrid<double>>(shifted, traits.near_null);
  } else {
    multigrid_ = std::make_unique<Multigrid<double>>(*K_, traits.near_null);
  }
  result_.setup_s = watch.seconds();
}

/// Near-null vectors, then noise. Not smoothed: the preconditioner would leave of it what moves
/// freely, and nothing else.
void Lobpcg::start(const MatrixTraits& traits) {
  const int n_near_null = std::min(n_x_, static_cast<int>(traits.near_null.size()));
  for (int k = 0; k < n_x_; ++k) {
    {
      const auto to = gpu::write(in_.values());
      for (Offset i = 0; i < in_.n_owned(); ++i)
        to[i] = k < n_near_null
                    ? traits.near_null[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)]
                    : noise(pencil_.map().ids()[static_cast<std::size_t>(i / in_.block())],
                            static_cast<int>(i % in_.block()), k);
    }
    const Vector<double>&start = in_, &diagonal = diagonal_;
    gpu::copy(in_.device(), start.owned(), s_.column(k));
    clear_where_zero(in_.device(), diagonal.owned(), s_.column(k));
  }
  n_x_ = orthonormalise(0, n_x_);
}

EigenResult Lobpcg::run() {
  const Stopwatch watch;
  apply_to_columns(pencil_.K(), s_, {0, n_x_}, in_, out_, Ks_);
  if (n_x_ < n_wanted_)
    fail(EigenReason::breakdown, "LOBPCG: the vectors it starts from depend on each other");
  else
    iterate();
  result_.solve_s = watch.seconds();
  return std::move(result_);
}

void Lobpcg::iterate() {
  s_.resize(n_x_);
  converged_.assign(static_cast<std::size_t>(n_x_), false);
  rayleigh_ritz();
  for (int iteration = 1; iteration <= options_.max_iterations; ++iteration) {
    if (iteration % refresh_every == 0) form_products();
    if (residuals(iteration)) {
      form_products();
      if (residuals(iteration)) return finish();
    }
    const double sum = std::accumulate(residuals_.begin(), residuals_.end(), 0.0);
    if (!std::isfinite(sum))
      return fail(EigenReason::breakdown,
                  "LOBPCG: multigrid gives values that are not finite, as of a model of which a "
                  "part moves freely; take eigensolver: shift_invert");
    add_search_directions();
    if (s_.n() == n_x_ + n_p_)
      return fail(EigenReason::breakdown,
                  "LOBPCG: no direction is left to search in; " + slow_modes());
    rayleigh_ritz();
    result_.iterations = iteration;
  }
  fail(EigenReason::max_iterations, "LOBPCG: " + slow_modes());
}

/// K X and M X from X.
void Lobpcg::form_products() {
  apply_to_columns(pencil_.K(), s_, {0, n_x_}, in_, out_, Ks_);
  apply_to_columns(pencil_.M(), s_, {0, n_x_}, in_, out_, Ms_);
}

/// The residuals K x - lambda M x of all approximations behind the last changes, and which are
/// small enough; whether all are that were asked for.
bool Lobpcg::residuals(int iteration) {
  const gpu::Device& device = s_.device();
  const auto n = static_cast<std::size_t>(n_x_);
  std::vector<double> sums(4 * n);
  const Vector<double>& diagonal = diagonal_;
  for (int k = 0; k < n_x_; ++k) {
    const auto r = s_.column(n_x_ + n_p_ + k);
    const auto at = static_cast<std::size_t>(k);
    gpu::copy(device, std::as_const(Ks_).column(k), r);
    gpu::axpy(device, -values_[at], std::as_const(Ms_).column(k), r);
    sums[at] = gpu::norm2_squared(device, r);
    sums[n + at] = gpu::norm2_squared(device, std::as_const(Ks_).column(k));
    const auto weighted = weighted_squares(device, diagonal.owned(), std::as_const(s_).column(k));
    sums[2 * n + at] = weighted[0];
    sums[3 * n + at] = weighted[1];
  }
  comm().sum(std::span<double>(sums));
  residuals_.assign(n, 0.0);
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double r = std::sqrt(sums[k]), size = std::sqrt(sums[2 * n + k]);
    residuals_[k] = r / std::sqrt(sums[n + k]);
    const bool zero = std::abs(values_[k]) <= zero_energy * sums[3 * n + k];
    // Half of what is asked for: the modes at the end are those of another basis.
    converged_[k] = residuals_[k] <= 0.5 * options_.tolerance || r <= rounding * size ||
                    (zero && r <= zero_residual * size);
    if (static_cast<int>(k) < n_wanted_ && !converged_[k])
      largest = std::max(largest, residuals_[k]);
  }
  if (options_.observer) options_.observer(iteration, largest);
  return std::all_of(converged_.begin(), converged_.begin() + n_wanted_, [](bool x) { return x; });
}

/// The preconditioned residuals of what has not converged, M-orthonormal to all and among
/// themselves.
void Lobpcg::add_search_directions() {
  const gpu::Device& device = s_.device();
  const Vector<double>&result = out_, &diagonal = diagonal_;
  const int first = n_x_ + n_p_;
  int n = 0;
  for (int k = 0; k < n_x_; ++k) {
    if (converged_[static_cast<std::size_t>(k)]) continue;
    gpu::copy(device, std::as_const(s_).column(first + k), in_.owned());
    multigrid_->apply(in_, 1, out_);
    gpu::copy(device, result.owned(), s_.column(first + n));
    clear_where_zero(device, diagonal.owned(), s_.column(first + n));
    ++n;
  }
  result_.applications += n;
  n = orthonormalise(first, n);
  apply_to_columns(pencil_.K(), s_, {first, n}, in_, out_, Ks_);
  s_.resize(first + n);
}

/// Makes columns [first, first + n) M-orthonormal to those before and among themselves; returns how
/// many are left. M times them follows.
int Lobpcg::orthonormalise(int first, int n) {
  for (int pass = 0; pass < 2 && n > 0; ++pass) {
    apply_to_columns(pencil_.M(), s_, {first, n}, in_, out_, Ms_);
    SmallMatrix along = products(comm(), Ms_, {0, first}, s_, {first, n});
    for (double& value : along.values) value = -value;
    if (first > 0) {
      combine(s_, {0, first}, along, true, s_, first);
      combine(Ms_, {0, first}, along, true, Ms_, first);
    }
    SmallMatrix gram = products(comm(), s_, {first, n}, Ms_, {first, n}), unit(n, n), scale(n, 1);
    for (int i = 0; i < n; ++i) {
      unit(i, i) = 1;
      scale(i, 0) = gram(i, i) > 0 ? 1 / std::sqrt(gram(i, i)) : 0;
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) gram(i, j) *= scale(i, 0) * scale(j, 0);
    const DenseModes singular = dense_modes(comm(), static_cast<std::size_t>(n), gram.values,
                                            unit.values, "search directions");
    int n_left = 0;
    for (double square : singular.values) n_left += square > dependent ? 1 : 0;
    SmallMatrix basis(n, n_left);
    for (int k = 0; k < n_left; ++k) {
      const auto of = static_cast<std::size_t>(n - n_left + k);
      for (int i = 0; i < n; ++i)
        basis(i, k) =
            scale(i, 0) *
            singular.vectors[of * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)] /
            std::sqrt(singular.values[of]);
    }
    for (Columns* columns : {&s_, &Ms_}) transform(*columns, {first, n}, basis, first);
    n = n_left;
  }
  return n;
}

/// Combinations of columns in the place of others.
void Lobpcg::transform(Columns& columns, ColumnRange range, const SmallMatrix& c, int to) {
  combine(columns, range, c, false, made_, 0);
  for (int k = 0; k < c.n_columns; ++k)
    gpu::copy(columns.device(), std::as_const(made_).column(k), columns.column(to + k));
}

/// New approximations from the whole basis, and their last changes.
void Lobpcg::rayleigh_ritz() {
  const int n = s_.n();
  const SmallMatrix mass = upper_products(comm(), s_, Ms_, n);
  const DenseModes ritz =
      dense_modes(comm(), static_cast<std::size_t>(n), upper_products(comm(), s_, Ks_, n).values,
                  mass.values, "the vectors of LOBPCG");
  values_.assign(ritz.values.begin(), ritz.values.begin() + n_x_);
  const SmallMatrix c = coefficients(ritz, mass);
  for (Columns* columns : {&s_, &Ks_, &Ms_}) transform(*columns, {0, n}, c, 0);
  n_p_ = c.n_columns - n_x_;
  s_.resize(n_x_ + n_p_);
}

/// Of the approximations, and of their parts outside the old ones where these have not converged,
/// orthonormal to all.
SmallMatrix Lobpcg::coefficients(const DenseModes& ritz, const SmallMatrix& mass) const {
  const auto n = static_cast<std::size_t>(s_.n()), n_x = static_cast<std::size_t>(n_x_);
  const auto column = [&](std::size_t k) {
    const auto begin = ritz.vectors.begin() + static_cast<std::ptrdiff_t>(k * n);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(n));
  };
  Orthonormal basis(mass, 2 * n_x_);
  for (std::size_t k = 0; k < n_x; ++k) basis.append(column(k));
  for (std::size_t k = 0; k < n_x && n > n_x; ++k) {
    if (converged_[k]) continue;
    std::vector<double> change = column(k);
    std::fill_n(change.begin(), n_x, 0.0);
    basis.append(std::move(change));
  }
  return basis.columns();
}

/// The modes that were asked for.
void Lobpcg::finish() {
  HostColumns vectors;
  for (int k = 0; k < n_x_; ++k) {
    gpu::copy(s_.device(), std::as_const(s_).column(k), in_.owned());
    const auto values = gpu::read(in_.values());
    vectors.emplace_back(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(s_.length()));
  }
  RitzPairs pairs = solver::rayleigh_ritz(pencil_, std::move(vectors));
  turn_to_canonical_basis(pencil_, pairs);
  auto n = static_cast<std::size_t>(n_wanted_);
  while (n > 0 && options_.upper && pairs.values[n - 1] > *options_.upper) --n;
  pairs.values.resize(n);
  pairs.vectors.resize(n);
  pairs.zeros.resize(n);
  result_.modes = make_modes(pencil_, pairs);
  const std::string fault = inexact_mode(result_.modes, options_.tolerance);
  if (!fault.empty()) return fail(EigenReason::large_residual, fault);
  result_.reason = EigenReason::converged;
  result_.converged = true;
}

/// Which of the modes asked for have not converged, and how far they are.
std::string Lobpcg::slow_modes() const {
  constexpr int most = 5;
  std::string list;
  int n_slow = 0;
  for (int k = 0; k < n_wanted_; ++k) {
    if (converged_[static_cast<std::size_t>(k)]) continue;
    if (++n_slow > most) continue;
    list += fmt::format("{}{:.1e} of mode {}", list.empty() ? "" : ", ",
                        residuals_[static_cast<std::size_t>(k)], k + 1);
  }
  return fmt::format(
      "{} of {} modes have converged in {} iterations; ||K x - lambda M x|| / ||K x|| is {}{}, the "
      "tolerance {:.1e}; take eigensolver: shift_invert, or a larger tolerance",
      n_wanted_ - n_slow, n_wanted_, result_.iterations, list, n_slow > most ? " ..." : "",
      options_.tolerance);
}

}  // namespace

bool has_room_for_lobpcg(const EigenOptions& options, const BlockMatrix<double>& K,
                         const BlockMatrix<double>& M) {
  const GlobalIndex n_free = diagonals_of(K, M).n_free;
  return options.modes < n_free && 5 * GlobalIndex{block_for(options.modes)} < n_free;
}

EigenResult solve_by_lobpcg(const EigenOptions& options,
                            std::shared_ptr<const BlockMatrix<double>> K,
                            std::shared_ptr<const BlockMatrix<double>> M,
                            const MatrixTraits& traits) {
  refuse_not_finite(*K, *M);
  const Diagonals diagonals = diagonals_of(*K, *M);
  return Lobpcg(options, std::move(K), std::move(M), traits, diagonals).run();
}

}  // namespace trestle::solver

#include "solver/eigen/block_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/vector_ops.hpp"
#include "solver/eigen/orthonormal.hpp"

namespace trestle::solver {
namespace {

/// Residual of a motion without energy, relative to ||diag(K) x||: rounding leaves some 1e-15.
constexpr double zero_residual = 1e-12, zero_energy = 1e-13;
/// The same of a mode whose residual rounding keeps from getting smaller.
constexpr double rounding = 1e-14;
/// Iterations after which K X and M X are formed anew, so that rounding does not pile up.
constexpr int refresh_every = 16;

class BlockSearch {
 public:
  BlockSearch(const BlockSearchOptions& options, const Pencil& pencil,
              ApproximateInverse<double>& preconditioner, const Diagonals& diagonals,
              const HostColumns& start, const HostColumns& known);

  BlockSearchOutcome run();

 private:
  using End = BlockSearchOutcome::End;
  void take(const std::vector<double>& values, Columns& columns, int k);
  void iterate();
  void form_products();
  bool residuals(int iteration);
  void add_search_directions();
  int orthonormalise(int first, int n);
  void remove_known(int first, int n);
  void transform(Columns& columns, ColumnRange range, const SmallMatrix& c, int to);
  void rayleigh_ritz();
  SmallMatrix coefficients(const DenseModes& ritz, const SmallMatrix& mass) const;
  void stop(End end, std::string message) {
    outcome_.end = end;
    outcome_.message = std::move(message);
  }
  std::string slow_modes() const;
  const Comm& comm() const { return pencil_.comm(); }

  const BlockSearchOptions& options_;
  const Pencil& pencil_;
  ApproximateInverse<double>& preconditioner_;
  int n_wanted_, n_x_, n_p_ = 0;
  Vector<double> diagonal_, in_, out_;  // of K where there is mass; for products
  Columns s_, Ks_, Ms_;                 // approximations, last changes, preconditioned residuals
  Columns made_;                        // what takes the place of the first two
  Columns known_, Mknown_;              // found before, and M times them
  std::vector<double> values_;          // of the approximations
  std::vector<double> residuals_;       // ||K x - lambda M x|| / ||K x||
  std::vector<bool> converged_;         // of the approximations
  BlockSearchOutcome outcome_;
};

BlockSearch::BlockSearch(const BlockSearchOptions& options, const Pencil& pencil,
                         ApproximateInverse<double>& preconditioner, const Diagonals& diagonals,
                         const HostColumns& start, const HostColumns& known)
    : options_(options),
      pencil_(pencil),
      preconditioner_(preconditioner),
      n_wanted_(options.n_wanted),
      n_x_(static_cast<int>(start.size())),
      diagonal_(pencil_.K().make_vector("modes")),
      in_(pencil_.K().make_vector("modes")),
      out_(pencil_.K().make_vector("modes")),
      s_(pencil_.K(), 3 * n_x_),
      Ks_(pencil_.K(), 3 * n_x_),
      Ms_(pencil_.K(), 3 * n_x_),
      made_(pencil_.K(), 2 * n_x_),
      known_(pencil_.K(), static_cast<int>(known.size())),
      Mknown_(pencil_.K(), static_cast<int>(known.size())) {
  {
    const auto to = gpu::write(diagonal_.values());
    std::fill(to.begin(), to.end(), 0.0);
    std::copy(diagonals.stiffness.begin(), diagonals.stiffness.end(), to.begin());
  }
  for (int k = 0; k < known_.capacity(); ++k) take(known[static_cast<std::size_t>(k)], known_, k);
  known_.resize(known_.capacity());
  apply_to_columns(pencil_.M(), known_, {0, known_.n()}, in_, out_, Mknown_);
  for (int k = 0; k < n_x_; ++k) take(start[static_cast<std::size_t>(k)], s_, k);
  n_x_ = orthonormalise(0, n_x_);
}

/// Column k of `columns`, without what has no mass.
void BlockSearch::take(const std::vector<double>& values, Columns& columns, int k) {
  {
    const auto to = gpu::write(in_.values());
    std::copy(values.begin(), values.end(), to.begin());
  }
  const Vector<double>&from = in_, &diagonal = diagonal_;
  gpu::copy(in_.device(), from.owned(), columns.column(k));
  clear_where_zero(in_.device(), diagonal.owned(), columns.column(k));
}

BlockSearchOutcome BlockSearch::run() {
  apply_to_columns(pencil_.K(), s_, {0, n_x_}, in_, out_, Ks_);
  if (n_x_ < n_wanted_)
    stop(End::breakdown, "LOBPCG: the vectors it starts from depend on each other");
  else
    iterate();
  outcome_.values = values_;
  for (int k = 0; k < n_x_; ++k) {
    gpu::copy(s_.device(), std::as_const(s_).column(k), in_.owned());
    const auto values = gpu::read(in_.values());
    outcome_.vectors.emplace_back(values.begin(),
                                  values.begin() + static_cast<std::ptrdiff_t>(s_.length()));
  }
  return std::move(outcome_);
}

void BlockSearch::iterate() {
  s_.resize(n_x_);
  converged_.assign(static_cast<std::size_t>(n_x_), false);
  rayleigh_ritz();
  for (int iteration = 1; iteration <= options_.max_iterations; ++iteration) {
    if (iteration % refresh_every == 0) form_products();
    if (residuals(iteration)) {
      form_products();
      if (residuals(iteration)) return stop(End::converged, "");
    }
    if (options_.enough && values_.front() < *options_.enough) return stop(End::below, "");
    const double sum = std::accumulate(residuals_.begin(), residuals_.end(), 0.0);
    if (!std::isfinite(sum))
      return stop(End::breakdown,
                  "LOBPCG: multigrid gives values that are not finite, as of a model of which a "
                  "part moves freely; take eigensolver: shift_invert");
    add_search_directions();
    if (s_.n() == n_x_ + n_p_)
      return stop(End::breakdown, "LOBPCG: no direction is left to search in; " + slow_modes());
    rayleigh_ritz();
    outcome_.iterations = iteration;
  }
  stop(End::max_iterations, "LOBPCG: " + slow_modes());
}

/// K X and M X from X.
void BlockSearch::form_products() {
  apply_to_columns(pencil_.K(), s_, {0, n_x_}, in_, out_, Ks_);
  apply_to_columns(pencil_.M(), s_, {0, n_x_}, in_, out_, Ms_);
}

/// The residuals K x - lambda M x of all approximations behind the last changes, and which are
/// small enough; whether all are that were asked for.
bool BlockSearch::residuals(int iteration) {
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
void BlockSearch::add_search_directions() {
  const gpu::Device& device = s_.device();
  const Vector<double>&result = out_, &diagonal = diagonal_;
  const int first = n_x_ + n_p_;
  int n = 0;
  for (int k = 0; k < n_x_; ++k) {
    if (converged_[static_cast<std::size_t>(k)]) continue;
    gpu::copy(device, std::as_const(s_).column(first + k), in_.owned());
    preconditioner_.apply(in_, 1, out_);
    gpu::copy(device, result.owned(), s_.column(first + n));
    clear_where_zero(device, diagonal.owned(), s_.column(first + n));
    ++n;
  }
  outcome_.applications += n;
  n = orthonormalise(first, n);
  apply_to_columns(pencil_.K(), s_, {first, n}, in_, out_, Ks_);
  s_.resize(first + n);
}

/// Makes columns [first, first + n) M-orthonormal to those before and among themselves; returns how
/// many are left. M times them follows.
int BlockSearch::orthonormalise(int first, int n) {
  for (int pass = 0; pass < 2 && n > 0; ++pass) {
    apply_to_columns(pencil_.M(), s_, {first, n}, in_, out_, Ms_);
    remove_known(first, n);
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
    for (double square : singular.values) n_left += square > dependent_part ? 1 : 0;
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

/// Leaves of columns [first, first + n) what is M-orthogonal to the known vectors.
void BlockSearch::remove_known(int first, int n) {
  if (known_.n() == 0) return;
  SmallMatrix along = products(comm(), Mknown_, {0, known_.n()}, s_, {first, n});
  for (double& value : along.values) value = -value;
  combine(known_, {0, known_.n()}, along, true, s_, first);
  combine(Mknown_, {0, known_.n()}, along, true, Ms_, first);
}

/// Combinations of columns in the place of others.
void BlockSearch::transform(Columns& columns, ColumnRange range, const SmallMatrix& c, int to) {
  combine(columns, range, c, false, made_, 0);
  for (int k = 0; k < c.n_columns; ++k)
    gpu::copy(columns.device(), std::as_const(made_).column(k), columns.column(to + k));
}

/// New approximations from the whole basis, and their last changes.
void BlockSearch::rayleigh_ritz() {
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
SmallMatrix BlockSearch::coefficients(const DenseModes& ritz, const SmallMatrix& mass) const {
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

/// Which of the modes asked for have not converged, and how far they are.
std::string BlockSearch::slow_modes() const {
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
      n_wanted_ - n_slow, n_wanted_, outcome_.iterations, list, n_slow > most ? " ..." : "",
      options_.tolerance);
}

}  // namespace

BlockSearchOutcome search_with_block(const BlockSearchOptions& options, const Pencil& pencil,
                                     ApproximateInverse<double>& preconditioner,
                                     const Diagonals& diagonals, HostColumns start,
                                     const HostColumns& known) {
  BlockSearch search(options, pencil, preconditioner, diagonals, start, known);
  start.clear();
  start.shrink_to_fit();
  return search.run();
}

}  // namespace trestle::solver

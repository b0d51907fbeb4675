#include "solver/eigen/lobpcg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/stopwatch.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/auto_choice.hpp"
#include "solver/eigen/block_search.hpp"
#include "solver/multigrid/multigrid.hpp"
#include "solver/null_space_check.hpp"

namespace trestle::solver {
namespace {

/// s of a body that moves freely, relative to tr K / tr M: far below its modes, and above what
/// rounding leaves of K on a rigid motion, so that the hierarchy stays positive definite.
constexpr double shift_of_free = 1e-10;
/// Vectors of a block that start from noise at least, so that nothing is left out by symmetry.
constexpr int least_noise = 4;
/// Columns of noise of a first search; the others are those of checks.
constexpr int columns_of_search = 2048;
constexpr int most_rounds = 4;
/// Residual at which the lowest value of a check is near its limit: values have its square.
constexpr double check_tolerance = 1e-4;
/// A value counts as lower, and a gap as one, from this relative distance on.
constexpr double distinct = 1e-6;

/// Modes that are iterated along with n.
int block_for(int n) { return n + std::max(least_noise, n / 4); }

/// In [-1, 1), the same for every partition [Steele, Lea and Flood 2014, splitmix64].
double noise(GlobalIndex id, int component, int column) {
  auto z =
      static_cast<std::uint64_t>((id * 3 + component) * 4096 + column + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

class Lobpcg {
 public:
  Lobpcg(const EigenOptions& options, std::shared_ptr<const BlockMatrix<double>> K,
         std::shared_ptr<const BlockMatrix<double>> M, const MatrixTraits& traits,
         const Diagonals& diagonals, HostColumns start)
      : options_(options),
        K_(K),
        M_(M),
        traits_(traits),
        diagonals_(diagonals),
        pencil_(K, M),
        n_wanted_(static_cast<int>(std::min<GlobalIndex>(options.modes, diagonals.n_free))),
        start_(std::move(start)) {
    result_.method = EigenMethod::lobpcg;
    result_.n_free = diagonals.n_free;
  }

  EigenResult run();

 private:
  void make_preconditioner();
  HostColumns first_vectors() const;
  std::vector<double> noise_vector(int column) const;
  bool search(HostColumns start);
  enum class Check { passed, missing, failed };
  Check check();
  Check find_lower();
  Check count();
  GlobalIndex count_below(double value);
  void finish();
  bool fail(EigenReason reason, std::string message) {
    result_.reason = reason;
    result_.message = std::move(message);
    return false;
  }

  EigenOptions options_;
  std::shared_ptr<const BlockMatrix<double>> K_, M_;
  const MatrixTraits& traits_;
  const Diagonals& diagonals_;
  Pencil pencil_;
  int n_wanted_;
  HostColumns start_;
  std::unique_ptr<Multigrid<double>> multigrid_;
  RitzPairs pairs_;    // those wanted first
  HostColumns lower_;  // vectors of lower modes than those
  double next_ = 0;    // lowest value beside those wanted, as a check found it
  int n_checks_ = 0;
  EigenResult result_;
};

EigenResult Lobpcg::run() {
  make_preconditioner();
  const Stopwatch watch;
  HostColumns start = start_.empty() ? first_vectors() : std::move(start_);
  bool found = false;
  for (int round = 0; round < most_rounds && search(std::move(start)); ++round) {
    const Check outcome = check();
    found = outcome == Check::passed;
    if (outcome != Check::missing) break;
    start = std::move(pairs_.vectors);
    for (std::vector<double>& vector : lower_) start.push_back(std::move(vector));
    fail(EigenReason::incomplete,
         "LOBPCG: every search finds modes that the ones before have missed; take eigensolver: "
         "shift_invert");
  }
  if (found) finish();
  result_.solve_s += watch.seconds();
  return std::move(result_);
}

void Lobpcg::make_preconditioner() {
  const Stopwatch watch;
  const bool free =
      !traits_.near_null.empty() && !free_combinations<double>(K_, traits_.near_null).empty();
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
    multigrid_ = std::make_unique<Multigrid<double>>(shifted, traits_.near_null);
  } else {
    multigrid_ = std::make_unique<Multigrid<double>>(*K_, traits_.near_null);
  }
  result_.setup_s = watch.seconds();
}

/// Near-null vectors, then noise. Not smoothed: the preconditioner would leave of it what moves
/// freely, and nothing else.
HostColumns Lobpcg::first_vectors() const {
  const int n = block_for(n_wanted_);
  const int n_near_null = std::min(n - least_noise, static_cast<int>(traits_.near_null.size()));
  HostColumns start(traits_.near_null.begin(), traits_.near_null.begin() + n_near_null);
  for (int k = n_near_null; k < n; ++k) start.push_back(noise_vector(k));
  return start;
}

std::vector<double> Lobpcg::noise_vector(int column) const {
  const int block = pencil_.block();
  std::vector<double> vector;
  for (Index node = 0; node < pencil_.map().n_owned(); ++node)
    for (int d = 0; d < block; ++d)
      vector.push_back(noise(pencil_.map().ids()[static_cast<std::size_t>(node)], d, column));
  return vector;
}

bool Lobpcg::search(HostColumns start) {
  BlockSearchOutcome outcome = search_with_block(
      {n_wanted_, options_.tolerance, options_.max_iterations, {}, options_.observer}, pencil_,
      *multigrid_, diagonals_, std::move(start));
  result_.iterations += outcome.iterations;
  result_.applications += outcome.applications;
  using End = BlockSearchOutcome::End;
  if (outcome.end == End::max_iterations)
    return fail(EigenReason::max_iterations, std::move(outcome.message));
  if (outcome.end != End::converged)
    return fail(EigenReason::breakdown, std::move(outcome.message));
  pairs_ = rayleigh_ritz(pencil_, std::move(outcome.vectors));
  return true;
}

/// Whether a mode lower than the last of those wanted is missing. Below a motion without energy
/// there is nothing.
Lobpcg::Check Lobpcg::check() {
  result_.complete = pairs_.zeros[static_cast<std::size_t>(n_wanted_ - 1)];
  if (result_.complete) return Check::passed;
  const Check lower = find_lower();
  const bool countable = options_.may_factor && diagonals_.n_free <= direct_limit(traits_.dim);
  return lower == Check::passed && countable ? count() : lower;
}

/// A second search, from other vectors, in the complement of the modes wanted: its lowest value,
/// which bounds the lowest one there from above, is below the last of them or not.
Lobpcg::Check Lobpcg::find_lower() {
  const auto n = static_cast<std::size_t>(n_wanted_);
  const double bound = (1 - distinct) * pairs_.values[n - 1];
  const HostColumns known(pairs_.vectors.begin(),
                          pairs_.vectors.begin() + static_cast<std::ptrdiff_t>(n));
  HostColumns start;
  for (int k = 0; k < least_noise; ++k)
    start.push_back(noise_vector(columns_of_search + least_noise * n_checks_ + k));
  ++n_checks_;
  BlockSearchOutcome outcome =
      search_with_block({1, std::max(check_tolerance, options_.tolerance), options_.max_iterations,
                         bound, options_.observer},
                        pencil_, *multigrid_, diagonals_, std::move(start), known);
  result_.iterations += outcome.iterations;
  result_.applications += outcome.applications;
  using End = BlockSearchOutcome::End;
  lower_.clear();
  for (std::size_t k = 0; k < outcome.values.size() && outcome.values[k] < bound; ++k)
    lower_.push_back(std::move(outcome.vectors[k]));
  if (!lower_.empty()) return Check::missing;
  if (outcome.end != End::converged) {
    fail(EigenReason::incomplete,
         "a second search, for modes that the first one missed, did not converge; " +
             outcome.message);
    return Check::failed;
  }
  next_ = outcome.values.front();
  return Check::passed;
}

/// Compares the number of modes with the inertia of K - x M, x in the gap behind those wanted, or
/// in the last one before it where equal values follow.
Lobpcg::Check Lobpcg::count() {
  std::vector<double> values(pairs_.values.begin(), pairs_.values.begin() + n_wanted_);
  values.push_back(next_);
  std::size_t k = values.size() - 1;
  const auto gap = [&](std::size_t above) {
    return above == 0 || values[above] - values[above - 1] > distinct * values[above];
  };
  while (!gap(k)) --k;
  const double below = k == 0 ? 0 : values[k - 1];
  const GlobalIndex counted = count_below(0.5 * (below + values[k]));
  result_.complete = counted == static_cast<GlobalIndex>(k);
  if (result_.complete || counted < 0) return Check::passed;
  fail(
      EigenReason::incomplete,
      fmt::format("the inertia of K - x M counts {} modes where LOBPCG found {}; take eigensolver: "
                  "shift_invert",
                  counted, k));
  return Check::failed;
}

/// -1: not known.
GlobalIndex Lobpcg::count_below(double value) {
  const Stopwatch watch;
  const ShiftedFactors factors = factor_shifted(*K_, *M_, value);
  ++result_.factorisations;
  result_.setup_s += watch.seconds();
  return factors.singular() ? -1 : factors.n_below();
}

/// The modes that were asked for.
void Lobpcg::finish() {
  turn_to_canonical_basis(pencil_, pairs_);
  auto n = static_cast<std::size_t>(n_wanted_);
  while (n > 0 && options_.upper && pairs_.values[n - 1] > *options_.upper) --n;
  pairs_.values.resize(n);
  pairs_.vectors.resize(n);
  pairs_.zeros.resize(n);
  result_.modes = make_modes(pencil_, pairs_);
  const std::string fault = inexact_mode(result_.modes, options_.tolerance);
  if (!fault.empty()) {
    fail(EigenReason::large_residual, fault);
    return;
  }
  result_.reason = EigenReason::converged;
  result_.message.clear();
  result_.converged = true;
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
                            const MatrixTraits& traits, HostColumns start) {
  refuse_not_finite(*K, *M);
  const Diagonals diagonals = diagonals_of(*K, *M);
  return Lobpcg(options, std::move(K), std::move(M), traits, diagonals, std::move(start)).run();
}

}  // namespace trestle::solver

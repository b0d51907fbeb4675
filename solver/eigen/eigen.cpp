#include "solver/eigen/eigen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "solver/eigen/diagonals.hpp"
#include "solver/eigen/lobpcg.hpp"
#include "solver/eigen/modes.hpp"
#include "solver/null_space_check.hpp"

namespace trestle::solver {
namespace {

/// Relative to tr K / tr M, the negative shifts that are tried for a singular K: small beside all
/// eigenvalues but 0, large beside the rounding of K.
constexpr double negative_shifts[] = {1e-9, 1e-7, 1e-5};
constexpr double least_gap = 1e-7;  // relative distance between modes that the inertia tells apart
constexpr int most_rounds = 6;

/// One problem on its way to an EigenResult.
class EigenSolve {
 public:
  EigenSolve(const EigenOptions& options, std::shared_ptr<const BlockMatrix<double>> K,
             std::shared_ptr<const BlockMatrix<double>> M, const MatrixTraits& traits)
      : options_(options), K_(K), M_(M), traits_(traits), pencil_(K, M) {}

  EigenResult run();

 private:
  ShiftedFactors factors_of(double shift);
  bool factor(double shift);
  bool choose_shift();
  bool choose_negative_shift();
  bool choose_wanted();
  GlobalIndex count_below(double value);
  bool search();
  bool asks_for_most(int n) const;
  void find_all();
  bool find_zeros();
  bool extend(int n);
  enum class Check { complete, missing, unclear, contradiction };
  Check check();
  void keep_wanted();
  bool judge();
  bool fail(EigenReason reason, std::string message) {
    result_.reason = reason;
    result_.message = std::move(message);
    return false;
  }
  double distance(double value) const { return std::abs(value - inverse_->shift); }

  EigenOptions options_;
  std::shared_ptr<const BlockMatrix<double>> K_, M_;
  const MatrixTraits& traits_;
  Pencil pencil_;
  Diagonals diagonals_;
  std::optional<ShiftedFactors> inverse_;
  EigenResult result_;
  RitzPairs pairs_;
  GlobalIndex n_skipped_ = 0;  // modes below `lower`, found and left out
  int n_wanted_ = 0;           // those of the options and the skipped ones
  int n_missing_ = 0;
  bool finding_zeros_ = false;
};

EigenResult EigenSolve::run() {
  refuse_not_finite(*K_, *M_);
  diagonals_ = diagonals_of(*K_, *M_);
  result_.n_free = diagonals_.n_free;
  if (diagonals_.n_free == 0) {
    fail(EigenReason::no_mass, "no unknown that is free has mass: there are no modes");
    return std::move(result_);
  }
  if (choose_shift() && choose_wanted()) {
    bool found = search();
    const bool zeros =
        std::find(pairs_.zeros.begin(), pairs_.zeros.end(), true) != pairs_.zeros.end();
    if (found && zeros && inverse_->shift == 0)  // the factors of a singular K are rounding
      found = choose_negative_shift() && search();
    if (found && judge()) {
      result_.reason = EigenReason::converged;
      result_.converged = true;
    }
  }
  result_.shift = inverse_ ? inverse_->shift : 0;
  return std::move(result_);
}

/// K - shift M, factored; throws where memory does not hold the factors.
ShiftedFactors EigenSolve::factors_of(double shift) {
  const Stopwatch watch;
  ShiftedFactors factors = factor_shifted(*K_, *M_, shift);
  if (factors.out_of_memory())
    throw SystemError(ExitCode::system,
                      "out of memory: there is no room for the factors of shift_invert; take "
                      "analysis.eigensolver: lobpcg, more ranks on more machines, or a smaller "
                      "mesh");
  ++result_.factorisations;
  result_.setup_s += watch.seconds();
  return factors;
}

/// Factors K - shift M; false where it is singular.
bool EigenSolve::factor(double shift) {
  inverse_.reset();  // before the next factors take their memory
  inverse_ = factors_of(shift);
  return !inverse_->singular() && inverse_->n_below() >= 0;
}

bool EigenSolve::choose_shift() {
  if (options_.shift) {
    result_.choice = "given";
    if (factor(*options_.shift)) return true;
    return fail(EigenReason::not_factored,
                fmt::format("the shift {:g} is an eigenvalue: K - shift M is singular; move it",
                            *options_.shift));
  }
  const bool free =
      !traits_.near_null.empty() && !free_combinations<double>(K_, traits_.near_null).empty();
  if (!free && factor(0) && inverse_->n_below() == 0) {
    result_.choice = "0, as K is positive definite";
    return true;
  }
  return choose_negative_shift();
}

bool EigenSolve::choose_negative_shift() {
  const double scale = diagonals_.trace_k / diagonals_.trace_m;
  for (double part : negative_shifts)
    if (factor(-part * scale) && inverse_->n_below() == 0) {
      result_.choice = fmt::format("{:g} of tr K / tr M, as K has motions without energy", -part);
      return true;
    }
  return fail(EigenReason::not_factored,
              "K - shift M is not positive definite for any small negative shift: the stiffness "
              "matrix has negative eigenvalues, or cannot be factored");
}

/// Eigenvalues below `value`, which moves up a little where it is an eigenvalue; -1: not known.
GlobalIndex EigenSolve::count_below(double value) {
  for (double step : {0.0, 1e-8, 1e-6}) {
    const ShiftedFactors factors = factors_of(value + step * std::abs(value));
    if (!factors.singular()) return factors.n_below();
  }
  return -1;
}

/// How many modes to search for, and for a range of both bounds from where.
bool EigenSolve::choose_wanted() {
  const auto n_free = diagonals_.n_free;
  GlobalIndex n = std::min<GlobalIndex>(options_.modes, n_free);
  const bool above = options_.lower && *options_.lower > 0;
  if (above) n_skipped_ = count_below(*options_.lower);
  if (options_.upper) {
    const GlobalIndex below = count_below(*options_.upper);
    if (below < 0 || n_skipped_ < 0)
      return fail(EigenReason::not_factored, "the modes below the bounds could not be counted");
    n = std::min(n, below - n_skipped_);
    if (above && n == below - n_skipped_ && n > 0 && !options_.shift) {
      n_skipped_ = 0;  // these n are the nearest to the middle of the range
      result_.choice = "the middle of the range";
      if (!factor(0.5 * (*options_.lower + *options_.upper)))
        return fail(EigenReason::not_factored,
                    "the middle of the range is an eigenvalue; move a bound a little");
    }
  }
  if (n > 0) n += n_skipped_;
  n_wanted_ = static_cast<int>(std::min(n, n_free));
  return true;
}

/// Finds `n_wanted_` modes and a few more until the inertia agrees.
bool EigenSolve::search() {
  pairs_ = {};
  if (n_wanted_ == 0) {
    result_.complete = true;
    return true;
  }
  int n_more = std::max(3, n_wanted_ / 5), n = n_wanted_ + n_more;
  if (inverse_->shift < 0 && !options_.shift && !asks_for_most(n) && !find_zeros()) return false;
  for (int round = 0; round < most_rounds; ++round) {
    const auto n_known = static_cast<int>(pairs_.values.size());
    const int n_new = std::min(n, static_cast<int>(diagonals_.n_free)) - n_known;
    if (n_new > 0 && !extend(n_new)) return false;
    switch (check()) {
      case Check::complete:
        result_.complete = true;
        keep_wanted();
        return true;
      case Check::contradiction:
        return fail(EigenReason::incomplete,
                    "the inertia of K - x M counts fewer modes than were found: the matrices are "
                    "too ill-conditioned for this shift");
      case Check::missing:
        n = static_cast<int>(pairs_.values.size()) + n_missing_;
        break;
      case Check::unclear:  // equal values at the end of those found
        n_more *= 2;
        n = static_cast<int>(pairs_.values.size()) + n_more;
        break;
    }
  }
  return fail(EigenReason::incomplete,
              fmt::format("the inertia of K - x M counts more modes than the {} found",
                          pairs_.values.size()));
}

/// All modes, from all unknowns that are free: for few of them, and where most are asked for.
void EigenSolve::find_all() {
  const Stopwatch watch;
  HostColumns units;
  const auto n = static_cast<std::size_t>(pencil_.map().n_owned() * pencil_.block());
  for (GlobalIndex k = 0; k < diagonals_.n_free; ++k) {
    std::vector<double>& unit = units.emplace_back(n, 0.0);
    const GlobalIndex local = k - diagonals_.n_free_before;
    if (local >= 0 && local < static_cast<GlobalIndex>(diagonals_.free.size()))
      unit[diagonals_.free[static_cast<std::size_t>(local)]] = 1;
  }
  pairs_ = rayleigh_ritz(pencil_, std::move(units));
  result_.solve_s += watch.seconds();
}

/// Whether so many modes are asked for that a Krylov space has no room.
bool EigenSolve::asks_for_most(int n) const {
  return 2 * static_cast<GlobalIndex>(n) >= diagonals_.n_free;
}

/// Finds the motions without energy, and nothing else. For a shift just below 0 the inverse is by
/// orders of magnitude larger on these than on the modes, which lose as many digits in a Krylov
/// space that is not orthogonal to them.
bool EigenSolve::find_zeros() {
  constexpr int n_more = 8;  // more than a body has
  std::size_t n_zeros = 0;
  finding_zeros_ = true;
  do {
    const auto n_known = static_cast<int>(pairs_.values.size());
    if (asks_for_most(n_known + n_more)) break;
    if (!extend(n_more)) return false;
    n_zeros = static_cast<std::size_t>(std::count(pairs_.zeros.begin(), pairs_.zeros.end(), true));
  } while (n_zeros == pairs_.values.size());
  finding_zeros_ = false;
  pairs_.values.resize(n_zeros);  // they come first
  pairs_.vectors.resize(n_zeros);
  pairs_.zeros.resize(n_zeros);
  return true;
}

/// Adds n modes to those known.
bool EigenSolve::extend(int n) {
  const auto n_known = static_cast<int>(pairs_.vectors.size());
  if (asks_for_most(n + n_known)) {
    find_all();
    return true;
  }
  const Stopwatch watch;
  const KrylovSchurOptions options{n, static_cast<int>(diagonals_.n_free) - n_known,
                                   options_.tolerance * 0.01, options_.max_restarts,
                                   options_.observer};
  KrylovSchurOutcome outcome = krylov_schur(options, *K_, pencil_.M(), *inverse_, pairs_.vectors);
  result_.restarts += outcome.restarts;
  result_.applications += outcome.applications;
  const auto n_found = static_cast<int>(outcome.vectors.size());
  if (!finding_zeros_) {
    iterate_inversely(pencil_.M(), *inverse_, pairs_.vectors, outcome.vectors);
    result_.applications += n_found;
  }
  HostColumns vectors = std::move(pairs_.vectors);
  for (std::vector<double>& vector : outcome.vectors) vectors.push_back(std::move(vector));
  pairs_ = rayleigh_ritz(pencil_, std::move(vectors));
  result_.solve_s += watch.seconds();
  if (outcome.breakdown) return fail(EigenReason::breakdown, "Krylov-Schur broke down");
  if (!outcome.converged)
    return fail(EigenReason::max_restarts,
                fmt::format("Krylov-Schur found {} of {} modes in {} restarts", n_found, n,
                            outcome.restarts));
  return true;
}

/// Compares the modes on one side of the widest gap behind those wanted with the inertia there.
EigenSolve::Check EigenSolve::check() {
  const std::size_t m = pairs_.values.size();
  if (static_cast<GlobalIndex>(m) >= diagonals_.n_free) return Check::complete;
  std::vector<double> distances;
  for (double value : pairs_.values) distances.push_back(distance(value));
  std::sort(distances.begin(), distances.end());
  double widest = 0, radius = 0;
  GlobalIndex n_inside = 0;
  for (auto k = static_cast<std::size_t>(n_wanted_); k < m; ++k) {
    const double gap = (distances[k] - distances[k - 1]) / distances[k];
    if (gap <= widest) continue;
    widest = gap;
    radius = 0.5 * (distances[k - 1] + distances[k]);
    n_inside = static_cast<GlobalIndex>(k);
  }
  if (widest < least_gap) return Check::unclear;
  const double shift = inverse_->shift;
  const GlobalIndex above = count_below(shift + radius),
                    below = inverse_->n_below() == 0 ? 0 : count_below(shift - radius);
  if (above < 0 || below < 0) return Check::unclear;
  n_missing_ = static_cast<int>(above - below - n_inside);
  return n_missing_ == 0 ? Check::complete : n_missing_ > 0 ? Check::missing : Check::contradiction;
}

/// Leaves the modes of the options: those nearest to the shift, without the skipped ones.
void EigenSolve::keep_wanted() {
  turn_to_canonical_basis(pencil_, pairs_);
  std::vector<std::size_t> order(pairs_.values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return distance(pairs_.values[a]) < distance(pairs_.values[b]);
  });
  order.resize(std::min(order.size(), static_cast<std::size_t>(n_wanted_)));
  std::sort(order.begin(), order.end());
  order.erase(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n_skipped_));
  RitzPairs kept;
  for (std::size_t k : order) {
    kept.values.push_back(pairs_.values[k]);
    kept.vectors.push_back(std::move(pairs_.vectors[k]));
    kept.zeros.push_back(pairs_.zeros[k]);
  }
  pairs_ = std::move(kept);
}

/// Whether every mode fulfils its equation.
bool EigenSolve::judge() {
  result_.modes = make_modes(pencil_, pairs_);
  const std::string fault = inexact_mode(result_.modes, options_.tolerance);
  return fault.empty() || fail(EigenReason::large_residual, fault);
}

}  // namespace

const char* to_string(EigenReason reason) {
  switch (reason) {
    case EigenReason::converged:
      return "converged";
    case EigenReason::no_mass:
      return "no mass";
    case EigenReason::not_factored:
      return "not factored";
    case EigenReason::max_restarts:
      return "too many restarts";
    case EigenReason::max_iterations:
      return "too many iterations";
    case EigenReason::incomplete:
      return "modes missing";
    case EigenReason::large_residual:
      return "large residual";
    case EigenReason::breakdown:
      return "breakdown";
  }
  return "";
}

EigenResult solve_eigen(const EigenOptions& options, std::shared_ptr<const BlockMatrix<double>> K,
                        std::shared_ptr<const BlockMatrix<double>> M, const MatrixTraits& traits) {
  require(K->shared_pattern() == M->shared_pattern(), ExitCode::bug,
          "eigenvalues: K and M have different patterns");
  if (options.method == EigenMethod::lobpcg && has_room_for_lobpcg(options, *K, *M))
    return solve_by_lobpcg(options, std::move(K), std::move(M), traits);
  return EigenSolve(options, std::move(K), std::move(M), traits).run();
}

}  // namespace trestle::solver

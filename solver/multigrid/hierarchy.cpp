#include "solver/multigrid/hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solver/matrix/small_inverse.hpp"
#include "solver/multigrid/block_sizes.hpp"
#include "solver/multigrid/dense_solver.hpp"
#include "solver/multigrid/galerkin.hpp"
#include "solver/multigrid/gathered_solver.hpp"

namespace trestle::solver {
namespace {

/// Unknowns up to which a level is inverted: 2 n^3 operations once, n^2 a cycle.
constexpr GlobalIndex dense_limit = 600;
/// Unknowns up to which every rank takes the whole level.
constexpr GlobalIndex gather_limit = 4000;
/// Share of the nodes above which aggregates count as no coarsening.
constexpr double stalled = 0.8;
/// Couplings below it are weak on a level. Vanek et al. 1996, sec. 5 halve it from level to level,
/// from 0.08; half as much and less coarsens tetrahedra by 20 instead of 10. Blocks keep it: where
/// cells are flat, halving it joins what does not belong together (validation/multigrid).
double threshold_of(int block, std::size_t level) {
  return block == 1 ? 0.02 / static_cast<double>(std::size_t{1} << level) : 0.04;
}

MultigridLevel size_of(const IndexMap& map, const BlockRowsOnHost& rows) {
  return {map.n_global() * rows.row_block,
          map.comm().sum(static_cast<GlobalIndex>(rows.columns.size()) * rows.block_size())};
}

template <class Real>
BlockJacobi<Real> make_jacobi(const gpu::Device& device, const BlockRowsOnHost& rows) {
  const auto size = static_cast<std::size_t>(rows.block_size());
  gpu::Array<Real> inverses(device, rows.n_rows() * rows.block_size(), "preconditioner");
  {
    const auto to = gpu::write(inverses);
    with_block_size(rows.row_block, [&](auto b) {
      constexpr int n = decltype(b)::value;
      for (Index row = 0; row < rows.n_rows(); ++row) {
        double block[n * n] = {};
        rows.fetch_behind(row);
        rows.visit_row(row, [&](Offset e, Index column) {
          if (column == row) std::copy_n(rows.block(e), size, block);
        });
        invert_or_diagonal<n>(block);
        for (std::size_t k = 0; k < size; ++k)
          to[static_cast<Offset>(row) * n * n + static_cast<Offset>(k)] =
              static_cast<Real>(block[k]);
      }
    });
  }
  return BlockJacobi<Real>(rows.row_block, std::move(inverses));
}

/// How a level is coarsened, whatever its values.
struct Coarsening {
  std::vector<std::uint8_t> strong;
  Aggregates aggregates;
  Tentative tentative;
};

/// Nothing where the level has no coarser one; `remark` says why.
std::optional<Coarsening> make_coarsening(const BlockRowsOnHost& rows, const IndexMap& map,
                                          std::size_t level, const NearNull& near_null,
                                          std::string& remark) {
  Coarsening coarsening;
  coarsening.strong = strong_entries(rows, map, threshold_of(rows.row_block, level));
  coarsening.aggregates = aggregate(rows, coarsening.strong);
  const auto n_aggregates = map.comm().sum(static_cast<GlobalIndex>(coarsening.aggregates.n));
  if (static_cast<double>(n_aggregates) > stalled * static_cast<double>(map.n_global())) {
    remark = fmt::format("coarsening stopped at {} unknowns", map.n_global() * rows.row_block);
    return std::nullopt;
  }
  if (n_aggregates == 0) return std::nullopt;  // nothing couples: the smoother is the solver
  coarsening.tentative = make_tentative(coarsening.aggregates, near_null, rows.row_block);
  return coarsening;
}

void look(const SetUpObserver& observer) {
  if (observer) observer();
}

CoarseLevel coarsen(const BlockRowsOnHost& rows, const IndexMap& map, const Coarsening& coarsening,
                    double lambda_max, const SetUpObserver& observer) {
  look(observer);
  const Aggregates& aggregates = coarsening.aggregates;
  LocalNumbers numbers(map.comm().exclusive_sum(aggregates.n), aggregates.n);
  const double omega = 4.0 / 3.0 / lambda_max;
  BlockRowsStore p = smooth_prolongator(rows, map, coarsening.strong, aggregates,
                                        coarsening.tentative, omega, numbers);
  look(observer);
  return make_coarse_level(rows, map, std::move(p), std::move(numbers));
}

/// Between a level and the next coarser one.
template <class Real>
struct Transfer {
  Transfer(const gpu::Device& device, const CoarseLevel& coarse, const std::string& item)
      : prolongator(device, coarse.prolongator.rows(), item),
        restriction(device, coarse.restriction.rows(), item),
        halo(device, coarse.matrix.pattern->map, coarse.matrix.block),
        b(device, coarse.matrix.pattern->map, coarse.matrix.block, item),
        x(device, coarse.matrix.pattern->map, coarse.matrix.block, item) {}

  void update(const CoarseLevel& coarse) {
    prolongator.set_values(coarse.prolongator.rows());
    restriction.set_values(coarse.restriction.rows());
  }

  SellMatrix<Real> prolongator;
  SellMatrix<Real> restriction;
  gpu::Halo halo;
  Vector<Real> b, x;  // of the coarse level
};

}  // namespace

template <class Real>
struct Hierarchy<Real>::Level {
  Level(const gpu::Device& device, std::shared_ptr<const IndexMap> map, const BlockRowsOnHost& rows,
        const std::string& item)
      : a(std::move(map), SellMatrix<Real>(device, rows, item)),
        smoother(a, make_jacobi<Real>(device, rows)) {}

  void update(const BlockRowsOnHost& rows) {
    a.matrix().set_values(rows);
    smoother.update(make_jacobi<Real>(a.device(), rows));
  }

  LevelOperator<Real> a;
  Smoother<Real> smoother;
  std::unique_ptr<Transfer<Real>> transfer;
  std::optional<Coarsening> coarsening;  // where updates are expected
};

template <class Real>
bool Hierarchy<Real>::make_coarsest(const gpu::Device& device, const IndexMap& map,
                                    const BlockRowsOnHost& rows, const NearNull& near_null) {
  const GlobalIndex n_unknowns = map.n_global() * rows.row_block;
  sizes_.push_back(size_of(map, rows));
  const bool alone = map.comm().size() == 1;
  if (n_unknowns > (alone ? dense_limit : gather_limit)) return false;
  if (alone) {
    auto dense = std::make_unique<DenseSolver<Real>>(device, rows);
    remark_ = dense->remark();
    coarsest_ = std::move(dense);
    return true;
  }
  auto gathered = std::make_unique<GatheredSolver<Real>>(device, map, rows, near_null);
  const Hierarchy& below = gathered->hierarchy();
  sizes_.insert(sizes_.end(), below.levels().begin() + 1, below.levels().end());
  remark_ = below.remark();
  coarsest_ = std::move(gathered);
  return true;
}

template <class Real>
Hierarchy<Real>::Hierarchy(const gpu::Device& device, std::shared_ptr<const IndexMap> map,
                           const BlockRowsOnHost& a, NearNull near_null, Updates updates,
                           SetUpObserver observer)
    : observer_(std::move(observer)) {
  std::optional<LevelMatrix> kept = without_negligible(a, map);
  if (kept && updates == Updates::expected)
    kept_ = std::make_unique<LevelMatrix>(LevelMatrix{kept->pattern, kept->block, {}});
  if (updates == Updates::expected) near_null_ = std::make_unique<NearNull>();
  const BlockRowsOnHost rows = kept ? kept->rows() : a;
  make_levels(device, std::move(map), rows, kept ? std::move(*kept) : LevelMatrix{},
              std::move(near_null), updates);
}

template <class Real>
void Hierarchy<Real>::make_levels(const gpu::Device& device, std::shared_ptr<const IndexMap> map,
                                  BlockRowsOnHost rows, LevelMatrix matrix, NearNull near_null,
                                  Updates updates) {
  while (!make_coarsest(device, *map, rows, near_null)) {
    const std::string item = fmt::format("multigrid level {}", levels_.size());
    look(observer_);
    levels_.push_back(std::make_unique<Level>(device, map, rows, item));
    Level& level = *levels_.back();
    std::optional<Coarsening> coarsening =
        make_coarsening(rows, *map, levels_.size() - 1, near_null, remark_);
    if (!coarsening) return;
    CoarseLevel coarse = coarsen(rows, *map, *coarsening, level.smoother.lambda_max(), observer_);
    level.transfer = std::make_unique<Transfer<Real>>(device, coarse, item);
    matrix = std::move(coarse.matrix);
    rows = matrix.rows();
    map = matrix.pattern->map;
    if (near_null_) *near_null_ = coarsening->tentative.coarse;
    near_null = std::move(coarsening->tentative.coarse);
    if (updates == Updates::expected) level.coarsening = std::move(coarsening);
  }
}

template <class Real>
bool Hierarchy<Real>::update(const BlockRowsOnHost& a) {
  if (!near_null_ || levels_.empty() || (kept_ && !update_kept(a, *kept_))) return false;
  BlockRowsOnHost rows = kept_ ? kept_->rows() : a;
  LevelMatrix matrix;  // holds what `rows` looks at, from the second level on
  sizes_.clear();
  for (const std::unique_ptr<Level>& level : levels_) {
    const IndexMap& map = *level->a.shared_map();
    sizes_.push_back(size_of(map, rows));
    look(observer_);
    level->update(rows);
    if (!level->transfer) return true;
    CoarseLevel coarse =
        coarsen(rows, map, *level->coarsening, level->smoother.lambda_max(), observer_);
    level->transfer->update(coarse);
    matrix = std::move(coarse.matrix);
    rows = matrix.rows();
  }
  if (kept_) kept_->values = {};
  make_coarsest(levels_.front()->a.device(), *matrix.pattern->map, rows, *near_null_);
  return true;
}

template <class Real>
Hierarchy<Real>::~Hierarchy() = default;
template <class Real>
Hierarchy<Real>::Hierarchy(Hierarchy&&) noexcept = default;
template <class Real>
Hierarchy<Real>& Hierarchy<Real>::operator=(Hierarchy&&) noexcept = default;

template <class Real>
void Hierarchy<Real>::descend(std::size_t l, const Vector<Real>& b, Vector<Real>& x) {
  if (l == levels_.size()) return coarsest_->solve(b, x);
  Level& level = *levels_[l];
  level.smoother.smooth_zero(b, x);
  if (Transfer<Real>* transfer = level.transfer.get()) {
    const Vector<Real>& r = level.smoother.residual(b, x);
    transfer->restriction.apply(r.view(), transfer->b.view());
    descend(l + 1, transfer->b, transfer->x);
    transfer->halo.update(transfer->x.view());
    const Vector<Real>& correction = transfer->x;
    transfer->prolongator.add(correction.view(), x.view());
  }
  level.smoother.smooth(b, x);
}

template <class Real>
void Hierarchy<Real>::cycle(const Vector<Real>& b, Vector<Real>& x) {
  descend(0, b, x);
}

template class Hierarchy<float>;
template class Hierarchy<double>;

}  // namespace trestle::solver

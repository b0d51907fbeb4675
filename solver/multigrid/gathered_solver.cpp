#include "solver/multigrid/gathered_solver.hpp"

#include <numeric>

#include "gpu/vector_ops.hpp"

namespace trestle::solver {

template <class Real>
GatheredSolver<Real>::GatheredSolver(const gpu::Device& device, const IndexMap& map,
                                     const BlockRowsOnHost& rows, const NearNull& near_null)
    : GatheredSolver(device, map.first_row(), gather(map, rows, near_null)) {}

template <class Real>
GatheredSolver<Real>::GatheredSolver(const gpu::Device& device, Offset first_row, Whole whole)
    : map_(whole.matrix.pattern->map),
      first_row_(first_row),
      hierarchy_(device, map_, whole.matrix.rows(), std::move(whole.near_null)),
      b_(device, map_, whole.matrix.block, "multigrid coarse"),
      x_(device, map_, whole.matrix.block, "multigrid coarse") {}

template <class Real>
typename GatheredSolver<Real>::Whole GatheredSolver<Real>::gather(const IndexMap& map,
                                                                  const BlockRowsOnHost& rows,
                                                                  const NearNull& near_null) {
  std::vector<Offset> lengths;
  std::vector<Index> columns;
  std::vector<double> values;
  for (Index row = 0; row < rows.n_rows(); ++row) {
    lengths.push_back(rows.n_in_row(row));
    rows.visit_row(row, [&](Offset e, Index column) {
      columns.push_back(narrow<Index>(map.rows()[static_cast<std::size_t>(column)]));
      values.insert(values.end(), rows.block(e), rows.block(e) + rows.block_size());
    });
  }
  const Comm& comm = map.comm();
  const auto all = [&](const auto& part) { return comm.all_gather(std::span(std::as_const(part))); };
  Whole whole;
  auto pattern = std::make_shared<Pattern>();
  std::vector<GlobalIndex> ids(static_cast<std::size_t>(map.n_global()));
  std::iota(ids.begin(), ids.end(), GlobalIndex{0});
  pattern->map = std::make_shared<const IndexMap>(Comm(MPI_COMM_SELF), std::move(ids),
                                                  std::span<const GlobalIndex>{},
                                                  std::span<const int>{});
  pattern->owned_offsets.assign(1, 0);
  for (const Offset length : all(lengths))
    pattern->owned_offsets.push_back(pattern->owned_offsets.back() + length);
  pattern->ghost_offsets.assign(pattern->owned_offsets.size(), pattern->owned_offsets.back());
  pattern->columns = all(columns);
  whole.matrix = {std::move(pattern), rows.row_block, all(values)};
  whole.near_null = {near_null.n, all(near_null.values)};
  return whole;
}

template <class Real>
void GatheredSolver<Real>::solve(const Vector<Real>& b, Vector<Real>& x) {
  const auto n_owned = static_cast<std::size_t>(b.n_owned());
  {
    const auto mine = gpu::read(b.values());
    const std::vector<Real> all =
        x.map().comm().all_gather(std::span<const Real>(mine.begin(), n_owned));
    const auto whole = gpu::write(b_.values());
    std::copy(all.begin(), all.end(), whole.begin());
  }
  hierarchy_.cycle(b_, x_);
  const Vector<Real>& solution = x_;
  gpu::copy(x.device(),
            gpu::View<const Real, 1>(solution.view().data() + first_row_ * x.block(), n_owned),
            x.owned());
}

template class GatheredSolver<float>;
template class GatheredSolver<double>;

}  // namespace trestle::solver

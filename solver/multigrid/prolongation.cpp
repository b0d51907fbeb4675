#include "solver/multigrid/prolongation.hpp"

#include <algorithm>
#include <cmath>

#include "solver/matrix/small_inverse.hpp"
#include "solver/multigrid/block_sizes.hpp"
#include "solver/multigrid/row_sum.hpp"

namespace trestle::solver {
namespace {

/// What is left of a column after orthogonalisation, relative to before, that counts as nothing.
constexpr double dependent = 1e-6;

/// Nodes sorted by aggregate.
struct Members {
  std::vector<Offset> offsets;  // [aggregate + 1]
  std::vector<Index> nodes;
};

Members members_of(const Aggregates& aggregates) {
  Members members;
  members.offsets.assign(static_cast<std::size_t>(aggregates.n) + 1, 0);
  for (const Index of : aggregates.of)
    if (of >= 0) ++members.offsets[static_cast<std::size_t>(of) + 1];
  for (std::size_t i = 1; i < members.offsets.size(); ++i)
    members.offsets[i] += members.offsets[i - 1];
  members.nodes.resize(static_cast<std::size_t>(members.offsets.back()));
  std::vector<Offset> at(members.offsets.begin(), members.offsets.end() - 1);
  for (std::size_t node = 0; node < aggregates.of.size(); ++node)
    if (const Index of = aggregates.of[node]; of >= 0)
      members.nodes[static_cast<std::size_t>(at[static_cast<std::size_t>(of)]++)] =
          static_cast<Index>(node);
  return members;
}

/// B = Q R by modified Gram-Schmidt, twice [Bjorck 1996, sec. 2.4.5]: `q` [row, n] holds B and then
/// Q, `r` [n, n] is upper triangular.
void orthonormalise_columns(std::vector<double>& q, int n, double* r) {
  const auto width = static_cast<std::size_t>(n);
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t i = 0; i < q.size(); i += width) sum += q[i + a] * q[i + b];
    return sum;
  };
  std::fill(r, r + n * n, 0.0);
  for (std::size_t c = 0; c < width; ++c) {
    const double before = std::sqrt(dot(c, c));
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < c; ++k) {
        const double part = dot(k, c);
        r[k * width + c] += part;
        for (std::size_t i = 0; i < q.size(); i += width) q[i + c] -= part * q[i + k];
      }
    const double length = std::sqrt(dot(c, c));
    const bool keep = length > dependent * before && before > 0;
    r[c * width + c] = keep ? length : 0;
    for (std::size_t i = 0; i < q.size(); i += width) q[i + c] *= keep ? 1 / length : 0;
  }
}

/// T of owned and ghost nodes, with the local number of the coarse node of each, or -1.
struct LocalTentative {
  std::vector<double> values;  // [local node, block, n]
  std::vector<Index> column;   // [local node]
};

LocalTentative with_ghosts(const IndexMap& map, const Aggregates& aggregates,
                           const Tentative& tentative, int width, LocalNumbers& numbers) {
  LocalTentative local{tentative.values, aggregates.of};
  local.column.resize(static_cast<std::size_t>(map.n_local()), -1);
  if (map.comm().size() == 1) return local;
  std::vector<GlobalIndex> ids(static_cast<std::size_t>(map.n_local()), -1);
  for (std::size_t i = 0; i < aggregates.of.size(); ++i)
    if (aggregates.of[i] >= 0) ids[i] = numbers.id(aggregates.of[i]);
  update_ghosts(map, std::span<GlobalIndex>(ids));
  local.values.resize(ids.size() * static_cast<std::size_t>(width));
  update_ghosts(map, std::span<double>(local.values), width);
  for (std::size_t i = aggregates.of.size(); i < ids.size(); ++i)
    if (ids[i] >= 0) local.column[i] = numbers.of(ids[i]);
  return local;
}

/// One row of P at a time.
template <int b, int n>
class RowSmoother {
 public:
  RowSmoother(const BlockRowsOnHost& a, const std::vector<std::uint8_t>& strong,
              const LocalTentative& tentative, Index n_columns, double omega)
      : a_(a), strong_(strong), t_(tentative), omega_(omega), sum_(n_columns) {}

  /// The row T - omega D^-1 A' T.
  void append(Index row, BlockRowsStore& p) {
    sum_.start();
    a_.fetch_behind(row);
    double diagonal[b * b] = {};
    a_.visit_row(row, [&](Offset e, Index column) {
      if (column == row || (b == 1 && strong_[static_cast<std::size_t>(e)] == 0))
        for (int k = 0; k < b * b; ++k) diagonal[k] += a_.block(e)[k];
      else
        add(a_.block(e), column);
    });
    add(diagonal, row);
    invert_or_diagonal<b>(diagonal);
    for (double& entry : diagonal) entry *= -omega_;
    for (const Index column : sum_.columns()) {
      p.columns.push_back(column);
      p.values.resize(p.values.size() + b * n);
      double* block = p.values.data() + p.values.size() - b * n;
      add_product<b, b, n>(diagonal, sum_.block(column), block);
      if (column == t_.column[static_cast<std::size_t>(row)])
        for (int i = 0; i < b * n; ++i) block[i] += tentative(row)[i];
    }
    p.end_row();
  }

 private:
  const double* tentative(Index node) const {
    return t_.values.data() + static_cast<Offset>(node) * b * n;
  }
  /// += block times the row of T of a node, which has one column or none.
  void add(const double* block, Index node) {
    const Index& column = t_.column[static_cast<std::size_t>(node)];
    if (column >= 0) sum_.template add<b, b>(block, {&column, 1}, tentative(node));
  }

  const BlockRowsOnHost& a_;
  const std::vector<std::uint8_t>& strong_;
  const LocalTentative& t_;
  double omega_;
  RowSum<b * n> sum_;
};

}  // namespace

NearNull make_near_null(const std::vector<std::vector<double>>& vectors, int block, Index n_owned) {
  NearNull result;
  result.n = next_block_size(std::max(static_cast<int>(vectors.size()), block));
  require(result.n > 0, ExitCode::bug,
          "multigrid: takes up to 6 near-null vectors, not " + std::to_string(vectors.size()));
  const auto n = static_cast<std::size_t>(result.n);
  const auto rows = static_cast<std::size_t>(n_owned) * static_cast<std::size_t>(block);
  result.values.assign(rows * n, 0.0);
  if (vectors.empty())
    for (std::size_t i = 0; i < rows; ++i)
      result.values[i * n + i % static_cast<std::size_t>(block)] = 1;
  for (std::size_t v = 0; v < vectors.size(); ++v)
    for (std::size_t i = 0; i < rows; ++i) result.values[i * n + v] = vectors[v][i];
  return result;
}

Tentative make_tentative(const Aggregates& aggregates, const NearNull& near_null, int block) {
  const Members members = members_of(aggregates);
  const auto width = static_cast<std::size_t>(block * near_null.n);
  const auto n2 = static_cast<std::size_t>(near_null.n * near_null.n);
  Tentative result;
  result.values.assign(near_null.values.size(), 0.0);
  result.coarse.n = near_null.n;
  result.coarse.values.resize(static_cast<std::size_t>(aggregates.n) * n2);
  std::vector<double> q;
  for (std::size_t g = 0; g < static_cast<std::size_t>(aggregates.n); ++g) {
    const auto begin = static_cast<std::size_t>(members.offsets[g]);
    const auto end = static_cast<std::size_t>(members.offsets[g + 1]);
    q.clear();
    for (std::size_t m = begin; m < end; ++m) {
      const auto from =
          near_null.values.begin() +
          static_cast<std::ptrdiff_t>(static_cast<std::size_t>(members.nodes[m]) * width);
      q.insert(q.end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
    orthonormalise_columns(q, near_null.n, result.coarse.values.data() + g * n2);
    for (std::size_t m = begin; m < end; ++m)
      std::copy_n(q.begin() + static_cast<std::ptrdiff_t>((m - begin) * width), width,
                  result.values.begin() + static_cast<std::ptrdiff_t>(
                                              static_cast<std::size_t>(members.nodes[m]) * width));
  }
  return result;
}

BlockRowsStore smooth_prolongator(const BlockRowsOnHost& a, const IndexMap& map,
                                  const std::vector<std::uint8_t>& strong,
                                  const Aggregates& aggregates, const Tentative& tentative,
                                  double omega, LocalNumbers& numbers) {
  const int n_vectors = tentative.coarse.n;
  const LocalTentative local =
      with_ghosts(map, aggregates, tentative, a.row_block * n_vectors, numbers);
  BlockRowsStore p;
  p.row_block = a.row_block;
  p.column_block = n_vectors;
  // Room for rows of eight blocks: memory that is not touched costs nothing.
  const std::size_t room = 8 * static_cast<std::size_t>(a.n_rows());
  p.offsets.reserve(static_cast<std::size_t>(a.n_rows()) + 1);
  p.columns.reserve(room);
  p.values.reserve(room * static_cast<std::size_t>(a.row_block * n_vectors));
  const auto append_rows = [&](auto b, auto n) {
    if constexpr (b <= n) {
      RowSmoother<b, n> smoother(a, strong, local, numbers.n_local(), omega);
      for (Index row = 0; row < a.n_rows(); ++row) smoother.append(row, p);
    }
  };
  with_block_size(a.row_block,
                  [&](auto b) { with_block_size(n_vectors, [&](auto n) { append_rows(b, n); }); });
  return p;
}

}  // namespace trestle::solver

#include "tests/solver/model_matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace trestle::test {
namespace {

/// Stiffness of a bilinear unit square, plane stress, E = 1, nu = 0.3, two points a direction.
std::array<std::array<double, 8>, 8> square_stiffness() {
  constexpr double nu = 0.3;
  const double c = 1 / (1 - nu * nu);
  const double d[3][3] = {{c, c * nu, 0}, {c * nu, c, 0}, {0, 0, c * (1 - nu) / 2}};
  constexpr int sx[4] = {-1, 1, 1, -1};
  constexpr int sy[4] = {-1, -1, 1, 1};
  std::array<std::array<double, 8>, 8> k{};
  for (int point = 0; point < 4; ++point) {
    const double g = 1 / std::sqrt(3.0);
    const double xi = g * sx[point], eta = g * sy[point];
    double b[3][8] = {};
    for (int a = 0; a < 4; ++a) {
      const double dx = sx[a] * (1 + sy[a] * eta) / 2, dy = sy[a] * (1 + sx[a] * xi) / 2;
      b[0][2 * a] = dx;
      b[1][2 * a + 1] = dy;
      b[2][2 * a] = dy;
      b[2][2 * a + 1] = dx;
    }
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j)
        for (int p = 0; p < 3; ++p)
          for (int q = 0; q < 3; ++q) k[i][j] += 0.25 * b[p][i] * d[p][q] * b[q][j];
  }
  return k;
}

void add_block(Row& row, GlobalIndex column, double factor, const std::vector<double>& block) {
  std::vector<double>& to = row[column];
  to.resize(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) to[i] += factor * block[i];
}

}  // namespace

Model laplacian_1d(GlobalIndex n) {
  return spring_chain(n, [](GlobalIndex) { return 1.0; });
}

Model spring_chain(GlobalIndex n, std::function<double(GlobalIndex)> spring) {
  return {n, 1, [=](GlobalIndex i) {
            Row row;
            row[i] = {spring(i) + spring(i + 1)};
            if (i > 0) row[i - 1] = {-spring(i)};
            if (i + 1 < n) row[i + 1] = {-spring(i + 1)};
            return row;
          }};
}

Model laplacian_2d(GlobalIndex n, int block, std::vector<double> coupling) {
  return {n * n, block, [=](GlobalIndex node) {
            const GlobalIndex i = node % n, j = node / n;
            Row row;
            add_block(row, node, 4, coupling);
            if (i > 0) add_block(row, node - 1, -1, coupling);
            if (i + 1 < n) add_block(row, node + 1, -1, coupling);
            if (j > 0) add_block(row, node - n, -1, coupling);
            if (j + 1 < n) add_block(row, node + n, -1, coupling);
            return row;
          }};
}

Model dense(std::vector<std::vector<double>> entries) {
  const auto n = static_cast<GlobalIndex>(entries.size());
  return {n, 1, [=](GlobalIndex i) {
            Row row;
            for (GlobalIndex j = 0; j < n; ++j) {
              const double value =
                  entries[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
              if (value != 0) row[j] = {value};
            }
            return row;
          }};
}

Model elastic_plate(GlobalIndex nx, GlobalIndex ny, bool fixed) {
  const auto k = square_stiffness();
  return {(nx + 1) * (ny + 1), 2, [=](GlobalIndex node) {
            const GlobalIndex stride = nx + 1;
            const GlobalIndex i = node % stride, j = node / stride;
            Row row;
            constexpr GlobalIndex ox[4] = {0, 1, 1, 0}, oy[4] = {0, 0, 1, 1};
            for (std::size_t a = 0; a < 4; ++a) {  // the cell in which this node is corner a
              const GlobalIndex ci = i - ox[a], cj = j - oy[a];
              if (ci < 0 || cj < 0 || ci >= nx || cj >= ny) continue;
              for (std::size_t b = 0; b < 4; ++b) {
                const GlobalIndex other = ci + ox[b] + (cj + oy[b]) * stride;
                const bool cut = fixed && (i == 0 || other % stride == 0);
                std::vector<double> block = {k[2 * a][2 * b], k[2 * a][2 * b + 1],
                                             k[2 * a + 1][2 * b], k[2 * a + 1][2 * b + 1]};
                if (cut && other == node) block[1] = block[2] = 0;
                add_block(row, other, cut && other != node ? 0 : 1, block);
              }
            }
            return row;
          }};
}

std::vector<double> plate_coordinates(const IndexMap& map, GlobalIndex nx) {
  std::vector<double> x;
  for (Index i = 0; i < map.n_owned(); ++i) {
    const GlobalIndex node = map.ids()[static_cast<std::size_t>(i)];
    x.insert(x.end(),
             {static_cast<double>(node % (nx + 1)), static_cast<double>(node / (nx + 1)), 0.0});
  }
  return x;
}

template <class Real>
std::shared_ptr<solver::BlockMatrix<Real>> make_matrix(const gpu::Device& device, const Comm& comm,
                                                       const Model& model) {
  const Share share = share_of(model.n_nodes, comm.rank(), comm.size());
  std::vector<GlobalIndex> owned;
  std::set<GlobalIndex> ghosts;
  for (GlobalIndex node = share.first; node < share.last; ++node) {
    owned.push_back(node);
    for (const auto& [column, block] : model.row(node))
      if (column < share.first || column >= share.last) ghosts.insert(column);
  }
  const std::vector<GlobalIndex> ghost_ids(ghosts.begin(), ghosts.end());
  std::vector<int> owners;
  for (GlobalIndex id : ghost_ids) owners.push_back(share_owner(model.n_nodes, comm.size(), id));
  auto pattern = std::make_shared<solver::Pattern>();
  pattern->map = std::make_shared<IndexMap>(comm, owned, ghost_ids, owners);
  std::map<GlobalIndex, Index> local;
  for (Index i = 0; i < pattern->map->n_local(); ++i)
    local[pattern->map->ids()[static_cast<std::size_t>(i)]] = i;
  std::vector<double> values;
  for (const bool ghost_part : {false, true}) {
    std::vector<Offset>& offsets = ghost_part ? pattern->ghost_offsets : pattern->owned_offsets;
    offsets.push_back(pattern->n_entries());
    for (GlobalIndex node : owned) {
      std::map<Index, std::vector<double>> entries;
      for (const auto& [column, block] : model.row(node))
        if ((local.at(column) >= pattern->map->n_owned()) == ghost_part)
          entries[local.at(column)] = block;
      for (const auto& [column, block] : entries) {
        pattern->columns.push_back(column);
        values.insert(values.end(), block.begin(), block.end());
      }
      offsets.push_back(pattern->n_entries());
    }
  }
  auto matrix = std::make_shared<solver::BlockMatrix<Real>>(device, pattern, model.block);
  const auto to = gpu::write(matrix->values());
  std::transform(values.begin(), values.end(), to.begin(),
                 [](double value) { return static_cast<Real>(value); });
  return matrix;
}

template std::shared_ptr<solver::BlockMatrix<float>> make_matrix(const gpu::Device&, const Comm&,
                                                                 const Model&);
template std::shared_ptr<solver::BlockMatrix<double>> make_matrix(const gpu::Device&, const Comm&,
                                                                  const Model&);

solver::Vector<double> make_vector(const gpu::Device& device, std::shared_ptr<const IndexMap> map,
                                   int block,
                                   const std::function<double(GlobalIndex, int)>& value) {
  solver::Vector<double> x(device, map, block);
  const auto to = gpu::write(x.values());
  std::fill(to.begin(), to.end(), 0.0);
  for (Index i = 0; i < map->n_owned(); ++i)
    for (int c = 0; c < block; ++c)
      to[static_cast<Offset>(i) * block + c] = value(map->ids()[static_cast<std::size_t>(i)], c);
  return x;
}

std::vector<double> gather(const solver::Vector<double>& x) {
  const auto values = gpu::read(x.values());
  return x.map().comm().all_gather(
      std::span<const double>(values.begin(), static_cast<std::size_t>(x.n_owned())));
}

std::vector<double> multiply(const Model& model, const std::vector<double>& x) {
  const auto b = static_cast<std::size_t>(model.block);
  std::vector<double> y(x.size(), 0.0);
  for (GlobalIndex node = 0; node < model.n_nodes; ++node)
    for (const auto& [column, block] : model.row(node))
      for (std::size_t r = 0; r < b; ++r)
        for (std::size_t c = 0; c < b; ++c)
          y[static_cast<std::size_t>(node) * b + r] +=
              block[r * b + c] * x[static_cast<std::size_t>(column) * b + c];
  return y;
}

double relative_residual(const Model& model, const std::vector<double>& x,
                         const std::vector<double>& b) {
  const std::vector<double> y = multiply(model, x);
  double above = 0, below = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    above += (b[i] - y[i]) * (b[i] - y[i]);
    below += b[i] * b[i];
  }
  return std::sqrt(above / below);
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  double largest = x.size() == y.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    largest = std::max(largest, std::isfinite(x[i]) ? std::abs(x[i] - y[i]) : INFINITY);
  return largest;
}

}  // namespace trestle::test

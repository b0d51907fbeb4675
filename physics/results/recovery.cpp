#include "physics/results/recovery.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/index_map.hpp"
#include "fem/cells/quadrature.hpp"
#include "fem/cells/tabulation.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;

/// Monomials up to an order in the offset from a node over a length.
class Polynomials {
 public:
  Polynomials(int dim, int order) : dim_(dim), order_(order) {}
  std::size_t size() const {
    const auto n = static_cast<std::size_t>(dim_);
    return order_ == 1 ? 1 + n : 1 + n + n * (n + 1) / 2;
  }
  void evaluate(const Vec3& offset, double* values) const {
    *values++ = 1;
    for (int i = 0; i < dim_; ++i) *values++ = offset[i];
    for (int i = 0; order_ == 2 && i < dim_; ++i)
      for (int j = i; j < dim_; ++j) *values++ = offset[i] * offset[j];
  }

 private:
  int dim_, order_;
};

/// Where a flux is taken, with its value.
struct Sample {
  Vec3 x, flux;
};

/// The samples of every local cell, by block: [cell * per_cell + k].
struct Samples {
  std::vector<std::vector<Sample>> of_block;
  std::vector<std::size_t> per_cell;  // by block
};

/// The flux of every cell at its own nodes, [slot of all blocks, 3].
std::vector<double> at_cell_nodes(const Analysis& analysis, const State& state) {
  const fem::Discretisation& discretisation = analysis.discretisation();
  std::size_t n_slots = 0;
  for (const mesh::CellBlock& block : analysis.mesh().cells) n_slots += block.nodes.size();
  std::vector<fem::Incidence> rows;
  std::size_t first = 0;
  for (const mesh::CellBlock& block : analysis.mesh().cells) {
    std::vector<Index> row_of(block.nodes.size());
    for (std::size_t slot = 0; slot < row_of.size(); ++slot)
      row_of[slot] = narrow<Index>(static_cast<GlobalIndex>(first + slot));
    first += row_of.size();
    rows.push_back(
        fem::make_incidence(discretisation.device(), static_cast<Offset>(n_slots), row_of));
  }
  gpu::Array<double> sum(discretisation.device(), static_cast<Offset>(3 * n_slots), "results");
  gpu::fill(discretisation.device(), sum.view(), 0.0);
  analysis.cells().add_nodal(fem::CellQuantity::flux, state.u, *state.thermal, rows, sum);
  return gpu::download(sum);
}

Samples take_samples(const Analysis& analysis, const State& state) {
  const mesh::Mesh& mesh = analysis.mesh();
  const std::vector<double> flux = at_cell_nodes(analysis, state);
  Samples samples;
  std::size_t first = 0;
  for (const mesh::CellBlock& block : mesh.cells) {
    const mesh::CellTraits& cell = mesh::traits(block.type);
    const auto n = static_cast<std::size_t>(cell.n_nodes);
    fem::Quadrature rule = fem::stiffness_quadrature(block.type);
    if (cell.order == 1) {  // the mean of its points
      std::array<double, 3> centre{};
      for (const auto& point : rule.points)
        for (std::size_t d = 0; d < 3; ++d)
          centre[d] += point[d] / static_cast<double>(rule.points.size());
      rule.points = {centre};
      rule.weights = {1.0};
    }
    const fem::Tabulation table = fem::tabulate(block.type, rule);
    const auto per_cell = static_cast<std::size_t>(table.n_points);
    std::vector<Sample> here(block.ids.size() * per_cell);
    for (std::size_t i = 0; i < here.size(); ++i)
      for (std::size_t a = 0; a < n; ++a) {
        const std::size_t slot = i / per_cell * n + a;
        const double N = table.N[i % per_cell * n + a];
        here[i].x += N * fem::node_place(mesh, block.nodes[slot]);
        for (int d = 0; d < 3; ++d)
          here[i].flux[d] += N * flux[3 * (first + slot) + static_cast<std::size_t>(d)];
      }
    first += block.nodes.size();
    samples.of_block.push_back(std::move(here));
    samples.per_cell.push_back(per_cell);
  }
  return samples;
}

/// A cell among its block's.
struct CellRef {
  std::size_t block, cell;
};

/// The cells of one region around every owned node, in the order of their canonical ids.
std::vector<std::vector<CellRef>> cells_around(const Analysis& analysis, Index region) {
  const mesh::Mesh& mesh = analysis.mesh();
  std::vector<std::vector<CellRef>> around(static_cast<std::size_t>(mesh.nodes->n_owned()));
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const auto n = static_cast<std::size_t>(mesh::traits(mesh.cells[b].type).n_nodes);
    for (std::size_t slot = 0; slot < mesh.cells[b].nodes.size(); ++slot) {
      const Index node = mesh.cells[b].nodes[slot];
      if (node < mesh.nodes->n_owned() && analysis.materials()[b][slot / n] == region)
        around[static_cast<std::size_t>(node)].push_back({b, slot / n});
    }
  }
  for (auto& cells : around)
    std::sort(cells.begin(), cells.end(), [&](const CellRef& a, const CellRef& b) {
      return mesh.cells[a.block].ids[a.cell] < mesh.cells[b.block].ids[b.cell];
    });
  return around;
}

/// Solves A X = B with A symmetric [n, n] and B [n, 3] by Cholesky; false where A is close to
/// singular.
bool solve_spd(std::vector<double>& A, std::vector<double>& B, std::size_t n) {
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, A[i * n + i]);
  constexpr double singular = 1e-7;  // of the squares of offsets over the size of the patch
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      double sum = A[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      if (i == j && !(sum > singular * largest)) return false;
      A[i * n + j] = i == j ? std::sqrt(sum) : sum / A[j * n + j];
    }
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) B[3 * i + d] -= A[i * n + k] * B[3 * k + d];
      B[3 * i + d] /= A[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) B[3 * i + d] -= A[k * n + i] * B[3 * k + d];
      B[3 * i + d] /= A[i * n + i];
    }
  }
  return true;
}

/// The polynomials of one region: for each local node the size of its patch, 0 where it has none,
/// then its coefficients [function, 3].
class Patches {
 public:
  Patches(const Analysis& analysis, const Samples& samples, Index region)
      : mesh_(analysis.mesh()), polynomials_(mesh_.dim, order_of(mesh_)) {
    fits_.resize(static_cast<std::size_t>(mesh_.nodes->n_local()) * width());
    around_ = cells_around(analysis, region);
    for (std::size_t node = 0; node < around_.size(); ++node) fit(node, samples);
    update_ghosts(*mesh_.nodes, std::span<double>(fits_), static_cast<int>(width()));
  }

  /// The flux at an owned node; `otherwise` where no polynomial near it tells.
  Vec3 at(Index node, const Vec3& otherwise) const {
    const Vec3 x = fem::node_place(mesh_, node);
    if (has(node)) return value(node, x);
    std::vector<Index> near;
    for (const CellRef& ref : around_[static_cast<std::size_t>(node)]) {
      const mesh::CellBlock& block = mesh_.cells[ref.block];
      const auto n = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
      for (std::size_t a = 0; a < n; ++a)
        if (has(block.nodes[ref.cell * n + a])) near.push_back(block.nodes[ref.cell * n + a]);
    }
    if (near.empty()) return otherwise;
    const auto ids = mesh_.nodes->ids();
    std::sort(near.begin(), near.end(), [&](Index a, Index b) {
      return ids[static_cast<std::size_t>(a)] < ids[static_cast<std::size_t>(b)];
    });
    near.erase(std::unique(near.begin(), near.end()), near.end());
    Vec3 sum{};
    for (const Index other : near) sum += value(other, x);
    return sum * (1.0 / static_cast<double>(near.size()));
  }

 private:
  static int order_of(const mesh::Mesh& mesh) {
    int order = 1;
    for (const mesh::CellBlock& block : mesh.cells)
      if (!block.ids.empty()) order = std::max(order, mesh::traits(block.type).order);
    return mesh.comm().max(order);
  }
  std::size_t width() const { return 1 + 3 * polynomials_.size(); }
  const double* of(Index node) const { return &fits_[static_cast<std::size_t>(node) * width()]; }
  bool has(Index node) const { return *of(node) > 0; }

  Vec3 value(Index node, const Vec3& x) const {
    const double* fit = of(node);
    double basis[10];
    polynomials_.evaluate((x - fem::node_place(mesh_, node)) * (1 / fit[0]), basis);
    Vec3 sum{};
    for (std::size_t k = 0; k < polynomials_.size(); ++k)
      for (int d = 0; d < 3; ++d) sum[d] += basis[k] * fit[1 + 3 * k + static_cast<std::size_t>(d)];
    return sum;
  }

  /// Whether simplices around a node are so few that they lie on one side of it: the flux in one is
  /// right to first order only, and it takes all sides for the errors to cancel.
  bool is_one_sided(const std::vector<CellRef>& cells) const {
    const bool simplices = std::all_of(cells.begin(), cells.end(), [&](const CellRef& ref) {
      const mesh::CellType linear = mesh::traits(mesh_.cells[ref.block].type).linear;
      return linear == mesh::CellType::tri3 || linear == mesh::CellType::tet4;
    });
    const std::size_t all_sides = mesh_.dim == 2 ? 5 : 15;
    const bool middle = cells.size() <= 2;  // of an edge
    return simplices && !middle && cells.size() < all_sides;
  }

  void fit(std::size_t node, const Samples& samples) {
    const Vec3 x = fem::node_place(mesh_, static_cast<Index>(node));
    std::vector<const Sample*> patch;
    double size = 0;
    for (const CellRef& ref : around_[node]) {
      const std::size_t n = samples.per_cell[ref.block];
      for (std::size_t k = 0; k < n; ++k) {
        patch.push_back(&samples.of_block[ref.block][ref.cell * n + k]);
        size = std::max(size, fem::norm(patch.back()->x - x));
      }
    }
    const std::size_t n = polynomials_.size();
    if (patch.size() < n || is_one_sided(around_[node])) return;
    std::vector<double> A(n * n), B(3 * n);
    double basis[10];
    for (const Sample* sample : patch) {
      polynomials_.evaluate((sample->x - x) * (1 / size), basis);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) A[i * n + j] += basis[i] * basis[j];
        for (int d = 0; d < 3; ++d)
          B[3 * i + static_cast<std::size_t>(d)] += basis[i] * sample->flux[d];
      }
    }
    if (!solve_spd(A, B, n)) return;
    double* fit = &fits_[node * width()];
    fit[0] = size;
    std::copy(B.begin(), B.end(), fit + 1);
  }

  const mesh::Mesh& mesh_;
  Polynomials polynomials_;
  std::vector<std::vector<CellRef>> around_;  // [owned node]
  std::vector<double> fits_;
};

}  // namespace

std::vector<double> recover_flux(const Analysis& analysis, const ResultPoints& points,
                                 const State& state, std::vector<double> averages) {
  const Samples samples = take_samples(analysis, state);
  for (std::size_t region = 0; region < analysis.problem().materials.size(); ++region) {
    const Patches patches(analysis, samples, static_cast<Index>(region));
    for (std::size_t p = 0; p < static_cast<std::size_t>(points.map->n_owned()); ++p) {
      if (points.region[p] != static_cast<Index>(region)) continue;
      double* value = &averages[3 * p];
      const Vec3 flux = patches.at(points.node[p], {value[0], value[1], value[2]});
      for (int d = 0; d < 3; ++d) value[d] = flux[d];
    }
  }
  return averages;
}

}  // namespace trestle::physics

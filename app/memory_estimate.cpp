#include "app/memory_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/host_name.hpp"
#include "jobs/host_memory.hpp"
#include "physics/models/description.hpp"

namespace trestle::app {
namespace {

using mesh::CellType;

constexpr const char* processes = "processes";
constexpr const char* mesh_and_conditions = "mesh and conditions";
constexpr double rank_base = 60e6;  // libraries and buffers of a process
constexpr double per_node = 350;    // mesh, constraints and loads of a node
constexpr double vectors = 15;      // numbers per unknown: Krylov, solution, right side
constexpr double multigrid_scalar = 1.2, multigrid_blocks = 1.6;  // of the matrix, in double
constexpr double modes_block = 15;  // numbers per unknown and mode: LOBPCG's block, K and M of it
constexpr double factor_3d = 30, factor_2d = 4;  // numbers per unknown over n^(1/3), log2 n
constexpr double tolerance = 0.9;                // estimates are within a tenth

/// Nodes that share a cell with a node, itself included, on average in a large mesh.
double mean_neighbours(CellType type) {
  switch (type) {
    case CellType::tri3:
      return 7;
    case CellType::tri6:
      return 11.5;
    case CellType::quad4:
      return 9;
    case CellType::quad8:
      return 15.7;
    case CellType::quad9:
      return 16;
    case CellType::tet4:
      return 15;
    case CellType::tet10:
      return 28;
    case CellType::hex8:
      return 27;
    case CellType::hex20:
      return 58;
    case CellType::hex27:
      return 64;
    case CellType::prism6:
      return 21;
    case CellType::prism15:
    case CellType::prism18:
      return 44;
    case CellType::pyramid5:
      return 18;
    case CellType::pyramid13:
    case CellType::pyramid14:
      return 35;
    default:
      return 3;
  }
}

/// Mean over the cells, each by its own nodes.
double neighbours(const MeshCounts& counts) {
  double sum = 0, weight = 0;
  for (const auto& [type, n] : counts.cells) {
    sum += n * mesh::traits(type).n_nodes * mean_neighbours(type);
    weight += n * mesh::traits(type).n_nodes;
  }
  return weight > 0 ? std::min(sum / weight, counts.nodes) : 0;
}

bool is_direct(const io::Case& c) {
  return c.solver.method == solver::Method::direct ||
         (c.problem.analysis.type == physics::AnalysisType::modal &&
          c.problem.analysis.eigensolver != physics::Eigensolver::lobpcg) ||
         c.problem.analysis.type == physics::AnalysisType::harmonic;
}

}  // namespace

MeshCounts counts_of(const mesh::BoxOptions& box, int order) {
  const mesh::CellTraits& given = mesh::traits(box.cell);
  const mesh::CellTraits& cell = mesh::traits(order == 1                       ? given.linear
                                              : order == 2 && given.order == 1 ? given.full
                                                                               : box.cell);
  const std::array<double, 3> n{static_cast<double>(box.cells[0]),
                                static_cast<double>(box.cells[1]),
                                cell.dim == 3 ? static_cast<double>(box.cells[2]) : 0.0};
  MeshCounts counts{.dim = cell.dim};
  const double bricks = n[0] * n[1] * (cell.dim == 3 ? n[2] : 1);
  // Nodes at the corners; with mid nodes at least those of the edges of bricks.
  counts.nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
  if (cell.order == 2)
    counts.nodes += n[0] * (n[1] + 1) * (n[2] + 1) + (n[0] + 1) * n[1] * (n[2] + 1) +
                    (n[0] + 1) * (n[1] + 1) * n[2];
  counts.cells[cell.type] = bricks;
  return counts;
}

MeshCounts counts_of(const mesh::Mesh& mesh) {
  MeshCounts counts{.dim = mesh.dim, .nodes = static_cast<double>(mesh.nodes->n_global())};
  for (const mesh::CellBlock& block : mesh.cells) {
    const auto owned = std::count(block.owned.begin(), block.owned.end(), 1);
    const double all = mesh.comm().sum(static_cast<double>(owned));
    if (all > 0) counts.cells[block.type] = all;
  }
  return counts;
}

double MemoryEstimate::total() const {
  double sum = 0;
  for (const Item& item : items) sum += item.bytes;
  return sum;
}

namespace {

bool comes_with_mesh(const MemoryEstimate::Item& item) {
  return item.name == processes || item.name == mesh_and_conditions;
}

}  // namespace

MemoryEstimate MemoryEstimate::until_mesh() const {
  MemoryEstimate part = *this;
  std::erase_if(part.items, [](const Item& item) { return !comes_with_mesh(item); });
  return part;
}

MemoryEstimate MemoryEstimate::beyond_mesh() const {
  MemoryEstimate part = *this;
  std::erase_if(part.items, comes_with_mesh);
  return part;
}

MemoryEstimate estimate_memory(const io::Case& c, const MeshCounts& counts, int n_ranks) {
  const physics::Description* physics = physics::find_description(c.problem.physics);
  const bool scalar = physics == nullptr || physics->field == "temperature";
  const double block = scalar ? 1 : counts.dim;
  const double real = c.solver.precision == solver::Precision::single ? 4 : 8;
  const double matrix = counts.nodes * neighbours(counts) * (real * block * block + 4);
  const bool harmonic = c.problem.analysis.type == physics::AnalysisType::harmonic;
  const double unknowns = counts.nodes * block * (harmonic ? 2 : 1);  // pairs for complex ones
  MemoryEstimate estimate;
  const auto add = [&](const char* name, double bytes) { estimate.items.push_back({name, bytes}); };
  add(processes, rank_base * n_ranks);
  add(mesh_and_conditions, per_node * counts.nodes);
  add("matrix", harmonic ? 4 * matrix : matrix);
  const physics::AnalysisType type = c.problem.analysis.type;
  if (type != physics::AnalysisType::static_) add("stiffness and mass", matrix);
  add("vectors", vectors * 8 * unknowns);
  const bool lobpcg = type == physics::AnalysisType::modal && !is_direct(c);
  const int modes = c.problem.analysis.modes;
  if (lobpcg) add("block of modes", modes_block * (modes > 0 ? modes : 10) * 8 * unknowns);
  const bool own = lobpcg || (c.solver.method != solver::Method::petsc && !is_direct(c));
  const bool multigrid = c.solver.preconditioner == solver::Preconditioner::amg ||
                         c.solver.preconditioner == solver::Preconditioner::automatic;
  if (own && (multigrid || lobpcg) && counts.dim == 3)
    add("multigrid", matrix * (scalar ? multigrid_scalar : multigrid_blocks) *
                         (c.solver.precision == solver::Precision::mixed && !lobpcg ? 0.5 : 1));
  const double at_a_time = type == physics::AnalysisType::modal ? 2 : 1;  // one to count modes by
  if (is_direct(c))
    add("factors", at_a_time * 8 * unknowns *
                       (counts.dim == 3 ? factor_3d * std::cbrt(unknowns)
                                        : factor_2d * std::log2(std::max(2.0, unknowns))));
  return estimate;
}

std::string text_of_bytes(double bytes) {
  return bytes >= 1e9 ? fmt::format("{:.1f} GB", 1e-9 * bytes)
                      : fmt::format("{:.0f} MB", 1e-6 * bytes);
}

namespace {

/// What is left to this process.
jobs::MemoryGrant memory_left(const Comm& comm) {
  const jobs::MemoryGrant process = jobs::memory_of_process();
  jobs::MemoryGrant machine = jobs::memory_of_machine();
  machine.bytes /= comm.local_size();
  return process.bytes < machine.bytes ? process : machine;
}

}  // namespace

bool fits(const Comm& comm, const MemoryEstimate& estimate) {
  return comm.all(tolerance * estimate.total() / comm.size() <= memory_left(comm).bytes);
}

void require_memory(const Comm& comm, const MemoryEstimate& estimate) {
  const double share = estimate.total() / comm.size();
  comm.agree([&] {
    const jobs::MemoryGrant least = memory_left(comm);
    if (tolerance * share <= least.bytes) return;
    std::string items;
    for (const MemoryEstimate::Item& item : estimate.items)
      items += fmt::format("{}{} {}", items.empty() ? "" : ", ", item.name,
                           text_of_bytes(item.bytes / comm.size()));
    throw SystemError(
        ExitCode::system,
        fmt::format("out of memory before the start: rank {} on {} needs about {} ({}), and {} "
                    "leaves it {}; use more ranks on more machines, precision: mixed or single, "
                    "method: cg in place of direct, or a smaller mesh",
                    comm.rank(), host_name(), text_of_bytes(share), items, least.by,
                    text_of_bytes(least.bytes)));
  });
}

}  // namespace trestle::app

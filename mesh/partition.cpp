#include "mesh/partition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace trestle::mesh {
namespace {

constexpr GlobalIndex fewest_cells_per_rank = 64;  // below, a graph partitioner has no choice left

/// The smallest keys K_p such that the cells with keys up to K_p carry at least p parts in `size`
/// of the work, for p = 1 .. size-1, by bisection of the 63 bits. `sorted` are keys of this rank,
/// `work_before` the work before each (one entry more). Collective.
std::vector<std::uint64_t> find_splitters(const Comm& comm, std::span<const std::uint64_t> sorted,
                                          std::span<const GlobalIndex> work_before) {
  const auto n = static_cast<std::size_t>(comm.size() - 1);
  const GlobalIndex total = comm.sum(work_before.back());
  std::vector<std::uint64_t> low(n, 0), high(n, std::numeric_limits<std::uint64_t>::max() >> 1);
  std::vector<GlobalIndex> work(n);
  for (int bit = 0; bit < 63; ++bit) {
    for (std::size_t p = 0; p < n; ++p) {
      const std::uint64_t middle = low[p] + (high[p] - low[p]) / 2;
      const auto last = std::upper_bound(sorted.begin(), sorted.end(), middle);
      work[p] = work_before[static_cast<std::size_t>(last - sorted.begin())];
    }
    comm.sum(std::span<GlobalIndex>(work));
    for (std::size_t p = 0; p < n; ++p) {
      const std::uint64_t middle = low[p] + (high[p] - low[p]) / 2;
      const GlobalIndex target = share_of(total, static_cast<int>(p + 1), comm.size()).first;
      (work[p] >= target ? high[p] : low[p]) = work[p] >= target ? middle : middle + 1;
    }
  }
  return high;
}

}  // namespace

std::vector<int> partition_hilbert(const Comm& comm, const CellsToPartition& cells) {
  const std::size_t n = cells.keys.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return cells.keys[a] < cells.keys[b]; });
  std::vector<std::uint64_t> sorted(n);
  std::vector<GlobalIndex> work_before(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    sorted[i] = cells.keys[order[i]];
    work_before[i + 1] = work_before[i] + cells.work[order[i]];
  }
  const std::vector<std::uint64_t> splitters = find_splitters(comm, sorted, work_before);
  std::vector<int> parts(n);
  for (std::size_t i = 0; i < n; ++i)
    parts[i] = static_cast<int>(
        std::lower_bound(splitters.begin(), splitters.end(), cells.keys[i]) - splitters.begin());
  return parts;
}

std::vector<int> partition(const Comm& comm, const RawMesh& mesh, const CellsToPartition& cells,
                           Partitioner partitioner) {
  if (comm.size() == 1) return std::vector<int>(cells.keys.size(), 0);
  const bool few = mesh.n_cells < fewest_cells_per_rank * comm.size();
  const bool many = mesh.n_cells > std::numeric_limits<Index>::max();
  const bool automatic = partitioner == Partitioner::automatic;
  if (partitioner == Partitioner::hilbert || few || (automatic && many))
    return partition_hilbert(comm, cells);
  return partition_scotch(comm, mesh, cells);
}

}  // namespace trestle::mesh

#include "mesh/partition.hpp"

#include <algorithm>
#include <functional>

#include "core/error.hpp"
#include "mesh/sort_keys.hpp"

namespace trestle::mesh {
namespace {

// With fewer cells per rank a graph partitioner has no choice left; with more, the surfaces of the
// parts are small against their insides whoever cuts them, and the graph costs more than it gains.
constexpr GlobalIndex fewest_cells_per_rank = 64;
constexpr GlobalIndex most_cells_per_rank = 100'000;

/// The smallest keys K_p such that the cells with keys up to K_p carry at least p parts in `size`
/// of the work, for p = 1 .. size-1; 7 of the 63 bits are found in each of 9 rounds. `sorted` are
/// the keys of this rank, `work_before` the work before each (one entry more). Collective.
std::vector<std::uint64_t> find_splitters(const Comm& comm, std::span<const std::uint64_t> sorted,
                                          std::span<const GlobalIndex> work_before) {
  constexpr std::uint64_t last_digit = 127;
  const auto n = static_cast<std::size_t>(comm.size() - 1);
  const GlobalIndex total = comm.sum(work_before.back());
  std::vector<std::uint64_t> splitters(n, 0);
  std::vector<GlobalIndex> work(n * last_digit);  // [p, digit]: work of keys up to this digit
  for (int shift = 56; shift >= 0; shift -= 7) {
    for (std::size_t p = 0; p < n; ++p)
      for (std::uint64_t digit = 0; digit < last_digit; ++digit) {
        const std::uint64_t beyond = splitters[p] + ((digit + 1) << shift);
        const auto end = std::lower_bound(sorted.begin(), sorted.end(), beyond);
        work[p * last_digit + digit] = work_before[static_cast<std::size_t>(end - sorted.begin())];
      }
    comm.sum(std::span<GlobalIndex>(work));
    for (std::size_t p = 0; p < n; ++p) {
      const GlobalIndex target = share_of(total, static_cast<int>(p + 1), comm.size()).first;
      const auto begin = work.begin() + static_cast<std::ptrdiff_t>(p * last_digit);
      const auto digit = std::lower_bound(begin, begin + last_digit, target) - begin;
      splitters[p] += static_cast<std::uint64_t>(digit) << shift;
    }
  }
  return splitters;
}

}  // namespace

std::vector<int> partition_hilbert(const Comm& comm, const CellsToPartition& cells) {
  const std::size_t n = cells.keys.size();
  const std::vector<Index> order = order_by_key(cells.keys, std::less<>());
  std::vector<std::uint64_t> sorted(n);
  std::vector<GlobalIndex> work_before(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto cell = static_cast<std::size_t>(order[i]);
    sorted[i] = cells.keys[cell];
    work_before[i + 1] = work_before[i] + cells.work[cell];
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
  const GlobalIndex per_rank = mesh.n_cells / comm.size();
  const bool few = per_rank < fewest_cells_per_rank;
  const bool many = per_rank > most_cells_per_rank || mesh.n_cells > max_scotch_cells;
  const bool automatic = partitioner == Partitioner::automatic;
  if (partitioner == Partitioner::hilbert || few || (automatic && many))
    return partition_hilbert(comm, cells);
  return partition_scotch(comm, mesh, cells);
}

}  // namespace trestle::mesh

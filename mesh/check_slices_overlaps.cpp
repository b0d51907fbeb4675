// Finds overlaps of a mesh in slices: cells of the boundary travel to the ranks that have cells
// where they are.
#include "mesh/check_slices_steps.hpp"
#include "mesh/occupancy.hpp"
#include "mesh/overlaps.hpp"

namespace trestle::mesh {
namespace {

/// Where each rank has cells. Collective.
std::vector<Occupancy> places_of_ranks(const Comm& comm, const RawMesh& cells,
                                       const Bounds& bounds) {
  Occupancy own(bounds);
  for (const RawBlock& block : cells.cells)
    for (std::size_t e = 0; e < block.size(); ++e) own.add(box_of(cells, block, e));
  const std::vector<std::uint64_t> words =
      comm.all_gather(std::span<const std::uint64_t>(own.words()));
  std::vector<Occupancy> of_ranks(static_cast<std::size_t>(comm.size()), Occupancy(bounds));
  auto from = words.begin();
  for (Occupancy& of_rank : of_ranks)
    for (std::uint64_t& word : of_rank.words()) word = *from++;
  return of_ranks;
}

}  // namespace

bool has_overlaps(const Comm& comm, const OwnCells& cells, const Bounds& bounds,
                  const std::vector<CellFacet>& boundary) {
  std::vector<BoundaryCell> near = boundary_cells(cells.mesh, boundary);
  if (comm.size() > 1) {
    std::vector<std::vector<BoundaryCell>> to;
    for (const Occupancy& place : places_of_ranks(comm, cells.mesh, bounds)) {
      auto& list = to.emplace_back();
      std::ranges::copy_if(near, std::back_inserter(list),
                           [&](const BoundaryCell& cell) { return place.meets(box_of(cell)); });
    }
    near.clear();
    for (const auto& part : comm.exchange(std::move(to)))
      near.insert(near.end(), part.begin(), part.end());
  }
  bool found = false;
  const bool done = find_overlaps(cells.mesh, near, [&](const Overlap&) {
    found = true;
    return false;
  });
  return comm.any(found || !done);
}

}  // namespace trestle::mesh

// Matches the facets of a mesh in slices: each travels, as a hash of its nodes, to the rank that
// the hash chooses.
#include <algorithm>

#include "gpu/fetch.hpp"
#include "mesh/check_facet_table.hpp"
#include "mesh/check_slices_steps.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

/// What stands for a facet: 61 bits of a hash of its vertices, or of all its nodes, whatever their
/// order. Were those of two facets the same, they would as good as always look like a fault, and so
/// lead to the checks of the whole mesh.
enum class Nodes { vertices, all };

std::uint64_t facet_hash(const GlobalIndex* nodes, std::size_t n) { return hash_of(nodes, n) >> 3; }

std::uint64_t facet_hash(const GlobalIndex* nodes, const CellTraits& facet, Nodes which) {
  return facet_hash(nodes, at(which == Nodes::all ? facet.n_nodes : facet.n_vertices));
}

/// A facet under way: its hash, then one of the bits below.
using Facet = std::uint64_t;
constexpr Facet side_0 = 1, side_1 = 2, element = 4, marks = 7;

/// The facet `f` of a cell.
Facet make_facet(const GlobalIndex* cell, const SubCell& f, Nodes which) {
  std::array<GlobalIndex, 9> nodes{};
  const CellTraits& facet = traits(f.type);
  for (std::size_t i = 0; i < at(facet.n_nodes); ++i) nodes[i] = cell[f.nodes[i]];
  const bool side = vertices_of(cell, f).side();
  return facet_hash(nodes.data(), facet, which) << 3 | (side ? side_1 : side_0);
}

/// Calls visit(place, facet) for the facets of all cells.
template <class Visit>
void for_each_facet(const RawMesh& mesh, Nodes which, Visit visit) {
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const RawBlock& block = mesh.cells[b];
    const auto facets = traits(block.type).facets;
    const GlobalIndex* nodes = block.nodes.data();
    for (std::size_t e = 0; e < block.size(); ++e, nodes += width_of(block))
      for (std::size_t f = 0; f < facets.size(); ++f)
        visit(CellFacet{static_cast<Index>(b), static_cast<Index>(e), static_cast<int>(f)},
              make_facet(nodes, facets[f], which));
  }
}

/// Facets by hash, with linear probing: the marks of all that came are kept together.
class Matches {
 public:
  explicit Matches(std::size_t n) : slots_(n + n / 4 + 1, 0) {}

  /// Adds a facet; false where one with its mark is there.
  bool add(Facet facet) {
    Facet& slot = slots_[find(facet)];
    const bool is_new = (slot & facet & marks) == 0;
    slot |= facet;
    return is_new;
  }
  /// The marks of all facets with this hash.
  Facet marks_of(Facet facet) const { return slots_[find(facet)] & marks; }
  void fetch(Facet facet) const { TRESTLE_FETCH(&slots_[place(facet)]); }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Facet slot : slots_)
      if (slot != 0) visit(slot & marks);
  }

 private:
  std::size_t place(Facet facet) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>(Wide{facet & ~marks} * slots_.size() >> 64);
  }
  /// The slot of its hash, or an empty one.
  std::size_t find(Facet facet) const {
    std::size_t i = place(facet);
    while (slots_[i] != 0 && (slots_[i] & ~marks) != (facet & ~marks))
      i = i + 1 < slots_.size() ? i + 1 : 0;
    return i;
  }

  std::vector<Facet> slots_;  // 0: empty, as every facet has a mark
};

/// The facets that came to this rank, their home.
class FacetHome {
 public:
  /// Collective.
  FacetHome(const Comm& comm, const RawMesh& mesh, Nodes which)
      : comm_(comm), which_(which), came_(send(comm, mesh, which)), matches_(count(came_)) {
    bool fault = false;
    for_each_ahead([&](std::size_t, Facet facet) { fault = !matches_.add(facet) || fault; });
    matches_.for_each([&](Facet marks_there) { fault = fault || marks_there == element; });
    has_fault_ = comm.any(fault);
  }

  /// A facet of three cells, of two on one side, or an element that is no facet of a cell, or of
  /// which there are two.
  bool has_fault() const { return has_fault_; }

  /// The facets of the cells of this rank without a neighbour. Collective.
  std::vector<CellFacet> boundary(const RawMesh& mesh) const {
    std::vector<std::vector<std::uint8_t>> single(came_.size());
    for_each_ahead([&](std::size_t rank, Facet facet) {
      single[rank].push_back((matches_.marks_of(facet) & (side_0 | side_1)) != (side_0 | side_1));
    });
    single = comm_.exchange(std::move(single));
    std::vector<CellFacet> boundary;
    std::vector<std::size_t> taken(single.size(), 0);
    for_each_facet(mesh, which_, [&](const CellFacet& place, Facet facet) {
      const std::size_t r = home(comm_, facet);
      if (single[r][taken[r]++] != 0) boundary.push_back(place);
    });
    return boundary;
  }

  /// Whether one of the facets with these hashes is there on any rank. Collective.
  bool any_is_there(std::span<const std::uint64_t> hashes) const {
    constexpr std::size_t at_once = 1U << 20;
    bool found = false;
    for (bool more = true; more;) {
      const auto now = hashes.first(std::min(at_once, hashes.size()));
      hashes = hashes.subspan(now.size());
      std::vector<std::vector<Facet>> to(came_.size());
      for (const std::uint64_t hash : now) to[home(comm_, hash << 3)].push_back(hash << 3);
      for (const auto& part : comm_.exchange(std::move(to)))
        for (const Facet facet : part) found = found || matches_.marks_of(facet) != 0;
      more = comm_.any(!hashes.empty());
    }
    return comm_.any(found);
  }

 private:
  /// By the middle of the hash: its begin is the place in a table.
  static std::size_t home(const Comm& comm, Facet facet) { return (facet >> 16) % at(comm.size()); }

  /// Collective.
  static std::vector<std::vector<Facet>> send(const Comm& comm, const RawMesh& mesh, Nodes which) {
    std::vector<std::vector<Facet>> to(at(comm.size()));
    for_each_facet(mesh, which,
                   [&](const CellFacet&, Facet facet) { to[home(comm, facet)].push_back(facet); });
    for (const RawBlock& block : mesh.entities) {
      const CellTraits& type = traits(block.type);
      for (std::size_t e = 0; e < block.size() && type.dim == mesh.dim - 1; ++e) {
        const Facet facet =
            facet_hash(block.nodes.data() + e * width_of(block), type, which) << 3 | element;
        to[home(comm, facet)].push_back(facet);
      }
    }
    return comm.exchange(std::move(to));
  }

  static std::size_t count(const std::vector<std::vector<Facet>>& lists) {
    std::size_t n = 0;
    for (const auto& list : lists) n += list.size();
    return n;
  }

  /// Calls visit(rank, facet) for what came, with places in the table asked for ahead.
  template <class Visit>
  void for_each_ahead(Visit visit) const {
    constexpr std::size_t ahead = 16;
    for (std::size_t r = 0; r < came_.size(); ++r)
      for (std::size_t i = 0; i < came_[r].size(); ++i) {
        if (i + ahead < came_[r].size()) matches_.fetch(came_[r][i + ahead]);
        visit(r, came_[r][i]);
      }
  }

  const Comm& comm_;
  Nodes which_;
  std::vector<std::vector<Facet>> came_;  // from each rank
  Matches matches_;
  bool has_fault_ = false;
};

/// Whether cells of all ranks have triangles and quadrilaterals. Collective.
bool has_both_facets(const Comm& comm, const RawMesh& mesh) {
  bool triangles = false, quadrilaterals = false;
  for (const RawBlock& block : mesh.cells)
    for (const SubCell& facet : traits(block.type).facets) {
      triangles = triangles || traits(facet.type).n_vertices == 3;
      quadrilaterals = quadrilaterals || traits(facet.type).n_vertices == 4;
    }
  return comm.any(triangles) && comm.any(quadrilaterals);
}

/// Hashes of the triangles on three of the vertices of the quadrilaterals of this rank's cells.
std::vector<std::uint64_t> corners_of_quadrilaterals(const RawMesh& mesh) {
  std::vector<std::uint64_t> corners;
  for (const RawBlock& block : mesh.cells)
    for (std::size_t e = 0; e < block.size(); ++e)
      for (const SubCell& facet : traits(block.type).facets) {
        if (traits(facet.type).n_vertices != 4) continue;
        const GlobalIndex* cell = block.nodes.data() + e * width_of(block);
        for (std::size_t left_out = 0; left_out < 4; ++left_out) {
          std::array<GlobalIndex, 3> triangle{};
          for (std::size_t i = 0; i < 3; ++i)
            triangle[i] = cell[facet.nodes[i < left_out ? i : i + 1]];
          corners.push_back(facet_hash(triangle.data(), triangle.size()));
        }
      }
  return corners;
}

}  // namespace

bool facets_match(const Comm& comm, const RawMesh& mesh, std::vector<CellFacet>& boundary) {
  {
    const FacetHome home(comm, mesh, Nodes::vertices);
    if (home.has_fault()) return false;
    boundary = home.boundary(mesh);
    if (has_both_facets(comm, mesh) && home.any_is_there(corners_of_quadrilaterals(mesh)))
      return false;
  }
  const bool quadratic = std::ranges::any_of(
      mesh.cells, [](const RawBlock& block) { return traits(block.type).order == 2; });
  if (!comm.any(quadratic)) return true;
  // Neighbours that do not share their mid nodes are none by all their nodes.
  const FacetHome home(comm, mesh, Nodes::all);
  return !home.has_fault() && comm.all(home.boundary(mesh).size() == boundary.size());
}

}  // namespace trestle::mesh

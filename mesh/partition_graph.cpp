// The dual graph: which cells share a facet, found by hashing the sorted vertices of facets.
#include <algorithm>

#include "mesh/key_table.hpp"
#include "mesh/partition.hpp"

namespace trestle::mesh {
namespace {

using FacetKey = VertexKey<4>;

/// A facet and the cell that it was seen from.
struct CellFacet {
  FacetKey facet;
  GlobalIndex cell;
};

/// Two cells that share a facet.
struct Link {
  GlobalIndex from;
  GlobalIndex to;
  auto operator<=>(const Link&) const = default;
};

FacetKey key_of(const SubCell& facet, const GlobalIndex* nodes) {
  return make_vertex_key<4>(traits(facet.type).n_vertices,
                            [&](int i) { return nodes[facet.nodes[static_cast<std::size_t>(i)]]; });
}

/// Pairs up facets as they come.
class FacetMatcher {
 public:
  explicit FacetMatcher(std::size_t expected) : table_(expected) {}

  /// Calls link(a, b) with the first cell of the facet when `cell` is a further one.
  template <class Found>
  void add(const CellFacet& seen, const Found& link) {
    const auto i = static_cast<std::size_t>(table_.insert(seen.facet));
    if (i == first_.size()) {
      first_.push_back(seen.cell);
      matched_.push_back(false);
    } else {
      matched_[i] = true;
      link(first_[i], seen.cell);
    }
  }
  /// Facets that were seen once.
  std::vector<CellFacet> single() const {
    std::vector<CellFacet> left;
    for (std::size_t i = 0; i < first_.size(); ++i)
      if (!matched_[i]) left.push_back({table_.keys()[i], first_[i]});
    return left;
  }

 private:
  KeyTable<FacetKey> table_;
  std::vector<GlobalIndex> first_;
  std::vector<bool> matched_;
};

FacetMatcher match_own_facets(const RawMesh& mesh, std::vector<Link>& links) {
  std::size_t n_facets = 0;
  for (const RawBlock& block : mesh.cells)
    n_facets += block.size() * traits(block.type).facets.size();
  FacetMatcher matcher(n_facets / 2);
  for (const RawBlock& block : mesh.cells) {
    const CellTraits& cell = traits(block.type);
    const GlobalIndex* nodes = block.nodes.data();
    for (std::size_t c = 0; c < block.size(); ++c, nodes += cell.n_nodes)
      for (const SubCell& facet : cell.facets)
        matcher.add({key_of(facet, nodes), block.ids[c]}, [&](GlobalIndex a, GlobalIndex b) {
          links.push_back({a, b});
          links.push_back({b, a});
        });
  }
  return matcher;
}

/// Matches the facets that ranks could not match on their own, where the lowest vertex is at home,
/// and sends the links to the ranks that hold the cells. `first_cells[r]` is rank r's first cell.
void match_across_ranks(const Comm& comm, GlobalIndex n_nodes, const FacetMatcher& own,
                        const std::vector<GlobalIndex>& first_cells, std::vector<Link>& links) {
  const auto n_ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<CellFacet>> to_home(n_ranks);
  for (const CellFacet& left : own.single())
    to_home[static_cast<std::size_t>(share_owner(n_nodes, comm.size(), left.facet[0]))].push_back(
        left);
  std::vector<std::vector<Link>> found(n_ranks);
  const auto tell = [&](GlobalIndex from, GlobalIndex to) {
    // The last rank whose first cell is not beyond: ranks without cells share the next one's.
    const auto next = std::upper_bound(first_cells.begin(), first_cells.end(), from);
    found[static_cast<std::size_t>(next - first_cells.begin()) - 1].push_back({from, to});
  };
  FacetMatcher matcher(0);
  for (const auto& part : comm.exchange(std::move(to_home)))
    for (const CellFacet& facet : part)
      matcher.add(facet, [&](GlobalIndex a, GlobalIndex b) {
        tell(a, b);
        tell(b, a);
      });
  for (const auto& part : comm.exchange(std::move(found)))
    links.insert(links.end(), part.begin(), part.end());
}

}  // namespace

DualGraph make_dual_graph(const Comm& comm, const RawMesh& mesh) {
  GlobalIndex n_cells = 0;
  for (const RawBlock& block : mesh.cells) n_cells += narrow<GlobalIndex>(block.size());
  DualGraph graph{comm.exclusive_sum(n_cells), {}, {}};
  std::vector<Link> links;
  const FacetMatcher own = match_own_facets(mesh, links);
  match_across_ranks(comm, mesh.n_nodes, own, comm.all_gather(graph.first_cell), links);

  graph.begin.assign(static_cast<std::size_t>(n_cells) + 1, 0);
  const auto row = [&](const Link& link) {
    return static_cast<std::size_t>(link.from - graph.first_cell);
  };
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  for (const Link& link : links) {
    ++graph.begin[row(link) + 1];
    graph.columns.push_back(link.to);
  }
  for (std::size_t i = 1; i < graph.begin.size(); ++i) graph.begin[i] += graph.begin[i - 1];
  return graph;
}

}  // namespace trestle::mesh

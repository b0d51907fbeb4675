#include "mesh/distribute_groups.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "mesh/slices.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

using Key = VertexKey<4>;

/// An entity as it travels: canonical nodes.
struct Traveller {
  Key key;  // sorted canonical ids of the vertices
  CellType type;
  int group_set;
  std::int64_t tag;
  std::array<GlobalIndex, 9> nodes;
};

/// The order of entities that no partition changes.
bool before(const Traveller& a, const Traveller& b) {
  return std::tie(a.key, a.type, a.tag, a.group_set) < std::tie(b.key, b.type, b.tag, b.group_set);
}

std::string name_of(const Traveller& entity) {
  return std::string(traits(entity.type).name) + " " + std::to_string(entity.tag);
}

[[noreturn]] void fail_without_cell(const std::string& name) {
  throw MeshError(name +
                  " is in a named group but is no facet, edge or node of any cell; remove it "
                  "from the mesh, or mesh it together with the cells");
}

/// The entities of named groups of this slice.
std::vector<Traveller> named_entities(const RawMesh& raw) {
  std::vector<Traveller> entities;
  for (const RawBlock& block : raw.entities) {
    const CellTraits& type = traits(block.type);
    for (std::size_t e = 0; e < block.size(); ++e) {
      if (raw.group_sets[at(block.group_set[e])].empty()) continue;
      const GlobalIndex* nodes = block.nodes.data() + e * at(type.n_nodes);
      Traveller entity{make_vertex_key<4>(type.n_vertices, [&](int i) { return nodes[i]; }),
                       block.type,
                       block.group_set[e],
                       block.tags[e],
                       {}};
      entity.nodes.fill(-1);
      std::copy_n(nodes, type.n_nodes, entity.nodes.begin());
      entities.push_back(entity);
    }
  }
  return entities;
}

std::span<const GlobalIndex> nodes_of(const Traveller& entity) {
  return {entity.nodes.data(), at(traits(entity.type).n_nodes)};
}

/// The owner of every node of every entity, -1 where no cell touches it. Collective.
std::vector<int> node_owners(const Comm& comm, GlobalIndex n_nodes,
                             const std::vector<Traveller>& entities, const std::vector<int>& home) {
  std::vector<GlobalIndex> nodes;
  comm.agree([&] {
    for (const Traveller& entity : entities)
      for (GlobalIndex node : nodes_of(entity)) {
        if (node < 0 || node >= n_nodes) fail_without_cell(name_of(entity));
        nodes.push_back(node);
      }
  });
  return fetch<int>(comm, n_nodes, nodes, home);
}

/// Every named entity that has a node which this rank owns, sorted, equal ones of equal group sets
/// once. Collective.
std::vector<Traveller> gather_entities(const Comm& comm, const RawMesh& raw,
                                       const std::vector<int>& home) {
  const std::vector<Traveller> mine = named_entities(raw);
  const std::vector<int> owners = node_owners(comm, raw.n_nodes, mine, home);
  std::vector<std::vector<Traveller>> to(at(comm.size()));
  comm.agree([&] {
    std::size_t n = 0;
    for (const Traveller& entity : mine) {
      const std::size_t begin = n;
      for (n += nodes_of(entity).size();
           const int owner : std::span(owners).subspan(begin, n - begin))
        if (owner < 0) fail_without_cell(name_of(entity));
      for (std::size_t i = begin; i < n; ++i)
        if (std::find(owners.begin() + std::ptrdiff_t(begin), owners.begin() + std::ptrdiff_t(i),
                      owners[i]) == owners.begin() + std::ptrdiff_t(i))
          to[at(owners[i])].push_back(entity);
    }
  });
  std::vector<Traveller> here;
  for (const auto& part : comm.exchange(std::move(to)))
    here.insert(here.end(), part.begin(), part.end());
  std::sort(here.begin(), here.end(), before);
  return here;
}

/// A place of an edge or facet among the local cells.
struct Place {
  Key key;  // sorted local vertices
  int block;
  Index cell;
  int sub;  // index into the edges or facets of the cell's type
};

/// The edges (dim 1) or facets of local cells whose vertices are all marked, sorted by key, then
/// by the canonical id of the cell.
std::vector<Place> marked_subcells(const Mesh& mesh, const std::vector<std::uint8_t>& marked,
                                   int dim) {
  std::vector<Place> places;
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const CellBlock& block = mesh.cells[b];
    const CellTraits& cell = traits(block.type);
    const auto subs = dim == mesh.dim - 1 ? cell.facets : cell.edges;
    const Index* nodes = block.nodes.data();
    for (Index c = 0; c < block.n_cells(); ++c, nodes += cell.n_nodes) {
      int n_marked = 0;
      for (int i = 0; i < cell.n_vertices; ++i) n_marked += marked[at(nodes[i])];
      if (n_marked <= dim) continue;  // an edge has two vertices, a facet of dimension 2 three
      for (std::size_t s = 0; s < subs.size(); ++s) {
        const auto vertex = [&](int i) { return nodes[subs[s].nodes[at(i)]]; };
        const int n = traits(subs[s].type).n_vertices;
        int found = 0;
        while (found < n && marked[at(vertex(found))] != 0) ++found;
        if (found == n)
          places.push_back(
              {make_vertex_key<4>(n, vertex), static_cast<int>(b), c, static_cast<int>(s)});
      }
    }
  }
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    const auto id = [&](const Place& p) { return mesh.cells[at(p.block)].ids[at(p.cell)]; };
    return a.key != b.key ? a.key < b.key : id(a) < id(b);
  });
  return places;
}

/// Gives the facets their parents and checks that edges belong to cells; `entities` are all of
/// dimension `dim` >= 1. Where one need not be of a local cell, it stays without a parent.
void find_parents(const Mesh& mesh, int dim, const std::vector<Entity*>& entities,
                  bool of_local_cells = true) {
  std::vector<std::uint8_t> marked(at(mesh.nodes->n_local()), 0);
  for (const Entity* entity : entities)
    for (int i = 0; i < traits(entity->type).n_vertices; ++i) marked[at(entity->nodes[at(i)])] = 1;
  const std::vector<Place> places = marked_subcells(mesh, marked, dim);
  for (Entity* entity : entities) {
    const Key key = make_vertex_key<4>(traits(entity->type).n_vertices,
                                       [&](int i) { return entity->nodes[at(i)]; });
    const auto [first, last] =
        std::equal_range(places.begin(), places.end(), Place{key, 0, 0, 0},
                         [](const Place& a, const Place& b) { return a.key < b.key; });
    const std::string name =
        std::string(traits(entity->type).name) + " " + std::to_string(entity->tag);
    if (first == last && !of_local_cells) continue;
    if (first == last) fail_without_cell(name);
    const CellTraits& cell = traits(mesh.cells[at(first->block)].type);
    const SubCell& sub = (dim == mesh.dim - 1 ? cell.facets : cell.edges)[at(first->sub)];
    if (sub.type != entity->type)
      throw MeshError(name + " lies on a " + std::string(cell.name) + " cell, which has a " +
                      std::string(traits(sub.type).name) +
                      " there; write cells and facets in one order");
    if (dim != mesh.dim - 1) continue;
    entity->parent_block = first->block;
    entity->parent_cell = first->cell;
    entity->parent_facet = first->sub;
    entity->internal = last - first > 1;
  }
}

/// Marks the nodes of all groups, 64 groups at a time, on owned and ghost nodes. Collective.
class NodeMarker {
 public:
  NodeMarker(Mesh& mesh, std::size_t first_group)
      : mesh_(mesh), first_(first_group), marks_(at(mesh.nodes->n_local()), 0) {
    const std::size_t last = std::min(first_ + 64, mesh.groups.size());
    for (std::size_t g = first_; g < last; ++g)
      for (const Entity& entity : mesh.groups[g].entities)
        for (int i = 0; i < traits(entity.type).n_nodes; ++i)
          marks_[at(entity.nodes[at(i)])] |= bit(g);
    mark_cells();
    update_ghosts(*mesh.nodes, std::span<std::uint64_t>(marks_));
    for (std::size_t g = first_; g < last; ++g)
      for (std::size_t node = 0; node < marks_.size(); ++node)
        if ((marks_[node] & bit(g)) != 0) mesh.groups[g].nodes.push_back(static_cast<Index>(node));
  }

 private:
  std::uint64_t bit(std::size_t group) const { return std::uint64_t{1} << (group - first_); }

  void mark_cells() {
    std::vector<std::uint64_t> bits_of_set;
    for (const std::vector<int>& set : mesh_.group_sets) {
      std::uint64_t& bits = bits_of_set.emplace_back(0);
      for (int g : set)
        if (at(g) >= first_ && at(g) < first_ + 64) bits |= bit(at(g));
    }
    for (const CellBlock& block : mesh_.cells) {
      const int width = traits(block.type).n_nodes;
      const Index* nodes = block.nodes.data();
      for (Index c = 0; c < block.n_cells(); ++c, nodes += width)
        if (const std::uint64_t bits = bits_of_set[at(block.group_set[at(c)])]; bits != 0)
          for (int i = 0; i < width; ++i) marks_[at(nodes[i])] |= bits;
    }
  }

  Mesh& mesh_;
  std::size_t first_;
  std::vector<std::uint64_t> marks_;
};

/// n_global of every group. Collective.
void count_groups(Mesh& mesh) {
  std::vector<GlobalIndex> counts(mesh.groups.size(), 0);
  for (std::size_t g = 0; g < counts.size(); ++g)
    counts[g] = std::ranges::count_if(mesh.groups[g].entities, &Entity::owned);
  std::vector<GlobalIndex> cells_of_set(mesh.group_sets.size(), 0);
  for (const CellBlock& block : mesh.cells)
    for (std::size_t c = 0; c < block.ids.size(); ++c)
      cells_of_set[at(block.group_set[c])] += block.owned[c];
  for (std::size_t s = 0; s < cells_of_set.size(); ++s)
    for (int g : mesh.group_sets[s]) counts[at(g)] += cells_of_set[s];
  mesh.comm().sum(std::span<GlobalIndex>(counts));
  for (std::size_t g = 0; g < counts.size(); ++g) mesh.groups[g].n_global = counts[g];
}

/// The entity with local nodes. Throws MeshError when a node is not here, for then no cell has the
/// entity.
Entity localise(const Traveller& traveller, const std::function<Index(GlobalIndex)>& local_of,
                const IndexMap& nodes) {
  Entity entity{traveller.type, {}, traveller.tag, false};
  entity.nodes.fill(-1);
  const std::span<const GlobalIndex> ids = nodes_of(traveller);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    entity.nodes[i] = local_of(ids[i]);
    if (entity.nodes[i] < 0) fail_without_cell(name_of(traveller));
  }
  const auto lowest = std::ranges::min_element(ids) - ids.begin();
  entity.owned = entity.nodes[static_cast<std::size_t>(lowest)] < nodes.n_owned();
  return entity;
}

/// A facet on its way to the owner of its parent.
struct Adopted {
  Traveller facet;
  GlobalIndex parent;  // canonical id
};

/// The facets that this rank counts but whose parent is another rank's. With all named entities of
/// this rank.
std::vector<Adopted> facets_of_others(const Mesh& mesh, const std::vector<Traveller>& travellers,
                                      const std::function<Index(GlobalIndex)>& local_of) {
  std::vector<Entity> facets;
  std::vector<const Traveller*> from;
  for (const Traveller& traveller : travellers)
    if (traits(traveller.type).dim == mesh.dim - 1 && mesh.dim > 1) {
      facets.push_back(localise(traveller, local_of, *mesh.nodes));
      from.push_back(&traveller);
    }
  std::vector<Entity*> all;
  for (Entity& facet : facets) all.push_back(&facet);
  if (!all.empty()) find_parents(mesh, mesh.dim - 1, all);
  std::vector<Adopted> others;
  for (std::size_t f = 0; f < facets.size(); ++f) {
    const CellBlock& block = mesh.cells[at(facets[f].parent_block)];
    const std::size_t cell = at(facets[f].parent_cell);
    if (facets[f].owned && block.owned[cell] == 0) others.push_back({*from[f], block.ids[cell]});
  }
  return others;
}

/// Those of the candidates of which this rank owns the parent, but no node.
std::vector<Traveller> adopted(const Mesh& mesh, const std::vector<std::vector<Adopted>>& parts,
                               const std::function<Index(GlobalIndex)>& local_of) {
  std::vector<Entity> facets;
  std::vector<const Adopted*> from;
  for (const std::vector<Adopted>& part : parts)
    for (const Adopted& candidate : part) {
      const auto is_ghost = [&](GlobalIndex id) { return local_of(id) >= mesh.nodes->n_owned(); };
      if (!std::ranges::all_of(nodes_of(candidate.facet), is_ghost)) continue;
      facets.push_back(localise(candidate.facet, local_of, *mesh.nodes));
      from.push_back(&candidate);
    }
  std::vector<Entity*> all;
  for (Entity& facet : facets) all.push_back(&facet);
  if (!all.empty()) find_parents(mesh, mesh.dim - 1, all, false);
  std::vector<Traveller> mine;
  for (std::size_t f = 0; f < facets.size(); ++f) {
    if (facets[f].parent_cell < 0) continue;
    const CellBlock& block = mesh.cells[at(facets[f].parent_block)];
    const std::size_t cell = at(facets[f].parent_cell);
    if (block.owned[cell] != 0 && block.ids[cell] == from[f]->parent)
      mine.push_back(from[f]->facet);
  }
  return mine;
}

/// Takes the facets of owned cells that have no owned node, too: integrals over facets are formed
/// by the owner of the parent. Collective.
void add_facets_of_parents(const Mesh& mesh, const std::function<Index(GlobalIndex)>& local_of,
                           std::vector<Traveller>& travellers) {
  const Comm& comm = mesh.comm();
  if (comm.size() == 1) return;
  std::vector<std::vector<Adopted>> to(at(comm.size()));
  comm.agree([&] {
    const std::vector<Adopted> others = facets_of_others(mesh, travellers, local_of);
    for (std::size_t r = 0; r < to.size(); ++r)
      if (r != at(comm.rank())) to[r] = others;
  });
  const std::vector<std::vector<Adopted>> candidates = comm.exchange(std::move(to));
  comm.agree([&] {
    const std::vector<Traveller> mine = adopted(mesh, candidates, local_of);
    travellers.insert(travellers.end(), mine.begin(), mine.end());
    std::sort(travellers.begin(), travellers.end(), before);
  });
}

}  // namespace

void add_groups(const RawMesh& raw, const std::vector<int>& home,
                const std::function<Index(GlobalIndex)>& local_of, Mesh& mesh) {
  const Comm& comm = mesh.comm();
  for (const Group& group : raw.groups) mesh.groups.emplace_back().group = group;
  std::vector<Traveller> travellers = gather_entities(comm, raw, home);
  add_facets_of_parents(mesh, local_of, travellers);
  comm.agree([&] {
    std::vector<Entity> entities;
    for (const Traveller& traveller : travellers)
      entities.push_back(localise(traveller, local_of, *mesh.nodes));
    for (int dim = 1; dim < mesh.dim; ++dim) {
      std::vector<Entity*> of_dim;
      for (Entity& entity : entities)
        if (traits(entity.type).dim == dim) of_dim.push_back(&entity);
      if (!of_dim.empty()) find_parents(mesh, dim, of_dim);
    }
    std::vector<const Traveller*> last(mesh.groups.size(), nullptr);
    for (std::size_t e = 0; e < entities.size(); ++e)
      for (int g : mesh.group_sets[at(travellers[e].group_set)]) {
        const Traveller*& before = last[at(g)];
        if (before != nullptr && before->key == travellers[e].key) continue;
        mesh.groups[at(g)].entities.push_back(entities[e]);
        before = &travellers[e];
      }
  });
  for (std::size_t g = 0; g < mesh.groups.size(); g += 64) NodeMarker(mesh, g);
  count_groups(mesh);
}

}  // namespace trestle::mesh

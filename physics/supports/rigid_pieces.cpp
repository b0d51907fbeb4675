#include "physics/supports/rigid_pieces.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "mesh/union_find.hpp"

namespace trestle::physics {
namespace {

class PieceFinder {
 public:
  PieceFinder(const mesh::Mesh& mesh, int n_holding)
      : mesh_(mesh), n_holding_(n_holding), body_(count_cells(mesh), -1) {
    Index first = 0;
    for (const mesh::CellBlock& block : mesh.cells) {
      first_cell_.push_back(first);
      first += block.n_cells();
    }
  }

  RigidPieces find() {
    const std::vector<Index> seeds = grow_bodies();
    const bool all = std::find(body_.begin(), body_.end(), Index{-1}) == body_.end();
    if (all && seeds.size() <= 1) return one_piece();
    sets_ = mesh::UnionFind(body_.size());
    join_bodies();
    join_to_last();
    mark_nodes();
    if (n_joints_ > 0 && join_facets()) mark_nodes();
    return numbered();
  }

 private:
  static std::size_t count_cells(const mesh::Mesh& mesh) {
    std::size_t n = 0;
    for (const mesh::CellBlock& block : mesh.cells) n += block.ids.size();
    return n;
  }

  /// Calls visit(cell, its nodes, its traits) for every cell.
  template <class Visit>
  void for_cells(Visit visit) const {
    for (std::size_t b = 0; b < mesh_.cells.size(); ++b) {
      const mesh::CellBlock& block = mesh_.cells[b];
      const mesh::CellTraits& traits = mesh::traits(block.type);
      const auto n = static_cast<std::size_t>(traits.n_nodes);
      for (Index c = 0; c < block.n_cells(); ++c)
        visit(first_cell_[b] + c,
              std::span(block.nodes).subspan(static_cast<std::size_t>(c) * n, n), traits);
    }
  }

  /// Grows large pieces one after another: whatever has enough vertices in common with a rigid body
  /// is held by it. Most meshes are one such piece, which takes a pass or two over the cells and no
  /// sorting of facets. Returns the first cell of each.
  std::vector<Index> grow_bodies() {
    std::vector<Index> body_of_node(static_cast<std::size_t>(mesh_.nodes->n_local()), -1), seeds;
    for (Index n_left = static_cast<Index>(body_.size()), found = n_left;
         n_left > 0 && found > n_left / 4;) {
      const auto first = std::find(body_.begin(), body_.end(), Index{-1});
      seeds.push_back(static_cast<Index>(first - body_.begin()));
      found = 0;
      for (Index more = -1; more != 0 && found < n_left; found += more)
        more = grow(seeds.back(), body_of_node);
      n_left -= found;
    }
    return seeds;
  }

  /// A pass over the cells; the number of those that joined the body.
  Index grow(Index seed, std::vector<Index>& body_of_node) {
    Index joined = 0;
    for_cells([&](Index cell, std::span<const Index> nodes, const mesh::CellTraits& traits) {
      Index& body = body_[static_cast<std::size_t>(cell)];
      if (body >= 0) return;
      const auto vertices = nodes.first(static_cast<std::size_t>(traits.n_vertices));
      int n = 0;
      for (Index v : vertices) n += body_of_node[static_cast<std::size_t>(v)] == seed ? 1 : 0;
      if (n < n_holding_ && cell != seed) return;
      body = seed;
      ++joined;
      for (Index v : vertices) body_of_node[static_cast<std::size_t>(v)] = seed;
    });
    return joined;
  }

  void join_bodies() {
    for (std::size_t cell = 0; cell < body_.size(); ++cell)
      if (body_[cell] >= 0) sets_.join(body_[cell], static_cast<Index>(cell));
  }

  /// Joins each cell that is in none of those bodies to those of the last cells at its vertices
  /// that hold it. Neighbours follow each other along Hilbert's curve, so that this finds nearly
  /// every join.
  void join_to_last() {
    std::vector<Index> last(static_cast<std::size_t>(mesh_.nodes->n_local()), -1);
    for_cells([&](Index cell, std::span<const Index> nodes, const mesh::CellTraits& traits) {
      if (body_[static_cast<std::size_t>(cell)] >= 0) return;
      const auto vertices = nodes.first(static_cast<std::size_t>(traits.n_vertices));
      std::array<Index, 8> near{};
      std::transform(vertices.begin(), vertices.end(), near.begin(),
                     [&](Index v) { return last[static_cast<std::size_t>(v)]; });
      for (std::size_t a = 0; a < vertices.size(); ++a) {
        last[static_cast<std::size_t>(vertices[a])] = cell;
        const auto before = near.begin() + static_cast<std::ptrdiff_t>(a);
        if (near[a] < 0 || std::find(near.begin(), before, near[a]) != before) continue;
        if (n_holding_ == 1 || n_shared(vertices, near[a]) >= n_holding_) sets_.join(cell, near[a]);
      }
    });
  }

  int n_shared(std::span<const Index> vertices, Index cell) const {
    std::size_t b = first_cell_.size() - 1;
    while (first_cell_[b] > cell) --b;
    const mesh::CellBlock& block = mesh_.cells[b];
    const mesh::CellTraits& traits = mesh::traits(block.type);
    const Index* nodes =
        block.nodes.data() + static_cast<std::ptrdiff_t>(cell - first_cell_[b]) * traits.n_nodes;
    int n = 0;
    for (Index v : vertices)
      for (int a = 0; a < traits.n_vertices; ++a) n += nodes[a] == v ? 1 : 0;
    return n;
  }

  void mark_nodes() {
    const auto n_nodes = static_cast<std::size_t>(mesh_.nodes->n_local());
    set_of_node_.assign(n_nodes, -1);
    is_joint_.assign(n_nodes, 0);
    n_joints_ = 0;
    for_cells([&](Index cell, std::span<const Index> nodes, const mesh::CellTraits&) {
      const Index set = sets_.root(cell);
      for (Index v : nodes) {
        Index& first = set_of_node_[static_cast<std::size_t>(v)];
        std::uint8_t& joint = is_joint_[static_cast<std::size_t>(v)];
        if (first < 0) first = set;
        if (first == set || joint != 0) continue;
        joint = 1;
        ++n_joints_;
      }
    });
  }

  /// Joins cells at facets between sets: all vertices of such a facet are joints. Returns whether
  /// there were any.
  bool join_facets() {
    struct Facet {
      std::array<Index, 4> vertices;
      Index cell;
    };
    std::vector<Facet> facets;
    for_cells([&](Index cell, std::span<const Index> nodes, const mesh::CellTraits& traits) {
      for (const mesh::SubCell& sub : traits.facets) {
        Facet facet{{-1, -1, -1, -1}, cell};
        const int n = mesh::traits(sub.type).n_vertices;
        bool between = true;
        for (int a = 0; a < n; ++a) {
          const Index v = nodes[sub.nodes[static_cast<std::size_t>(a)]];
          facet.vertices[static_cast<std::size_t>(a)] = v;
          between = between && is_joint_[static_cast<std::size_t>(v)] != 0;
        }
        if (!between) continue;
        std::sort(facet.vertices.begin(), facet.vertices.end());
        facets.push_back(facet);
      }
    });
    std::sort(facets.begin(), facets.end(),
              [](const Facet& a, const Facet& b) { return a.vertices < b.vertices; });
    bool joined = false;
    for (std::size_t i = 1; i < facets.size(); ++i) {
      if (facets[i].vertices != facets[i - 1].vertices) continue;
      sets_.join(facets[i].cell, facets[i - 1].cell);
      joined = true;
    }
    return joined;
  }

  RigidPieces one_piece() const {
    RigidPieces pieces;
    pieces.n = body_.empty() ? 0 : 1;
    const auto n_nodes = static_cast<std::size_t>(mesh_.nodes->n_local());
    pieces.of_node.assign(n_nodes, -1);
    pieces.is_joint.assign(n_nodes, 0);
    for (const mesh::CellBlock& block : mesh_.cells) {
      pieces.of_cell.emplace_back(block.ids.size(), 0);
      for (const Index node : block.nodes) pieces.of_node[static_cast<std::size_t>(node)] = 0;
    }
    return pieces;
  }

  RigidPieces numbered() {
    std::vector<Index> number(body_.size(), -1);
    RigidPieces pieces;
    for (std::size_t b = 0; b < mesh_.cells.size(); ++b) {
      std::vector<Index>& of_cell = pieces.of_cell.emplace_back();
      for (Index c = 0; c < mesh_.cells[b].n_cells(); ++c) {
        Index& piece = number[static_cast<std::size_t>(sets_.root(first_cell_[b] + c))];
        if (piece < 0) piece = pieces.n++;
        of_cell.push_back(piece);
      }
    }
    for (Index set : set_of_node_)
      pieces.of_node.push_back(set < 0 ? -1 : number[static_cast<std::size_t>(set)]);
    pieces.is_joint = std::move(is_joint_);
    return pieces;
  }

  const mesh::Mesh& mesh_;
  int n_holding_;
  std::vector<Index> body_;  // [cell]: the first cell of its body, -1 where it is in none
  mesh::UnionFind sets_{0};  // of cells
  std::vector<Index> first_cell_;
  std::vector<Index> set_of_node_;
  std::vector<std::uint8_t> is_joint_;
  GlobalIndex n_joints_ = 0;
};

}  // namespace

RigidPieces find_rigid_pieces(const mesh::Mesh& mesh, int n_holding) {
  return PieceFinder(mesh, n_holding).find();
}

}  // namespace trestle::physics

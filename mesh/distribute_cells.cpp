#include "mesh/distribute_cells.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "mesh/hilbert.hpp"
#include "mesh/slices.hpp"
#include "mesh/sort_keys.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

/// The lowest node id of some cells and the one behind the highest; [0, 0) where there are none.
struct NodeRange {
  GlobalIndex first = 0;
  GlobalIndex last = 0;

  void add(std::span<const GlobalIndex> nodes) {
    if (nodes.empty()) return;
    GlobalIndex low = nodes.front(), high = nodes.front();
    for (GlobalIndex node : nodes) {
      low = std::min(low, node);
      high = std::max(high, node);
    }
    const bool none = first == last;
    first = none ? low : std::min(first, low);
    last = none ? high + 1 : std::max(last, high + 1);
  }
};

/// Coordinates of the vertices of the cells of a slice, wherever they lie.
class VertexCoordinates {
 public:
  /// Collective.
  VertexCoordinates(const Comm& comm, const RawMesh& mesh)
      : mesh_(mesh), own_(share_of(mesh.n_nodes, comm.rank(), comm.size())) {
    comm.agree([&] {
      for (const RawBlock& block : mesh.cells) collect(block);
    });
    fetched_ = fetch<double>(comm, mesh.n_nodes, others_.keys(), mesh.coordinates, 3);
  }

  const double* of(GlobalIndex node) const {
    if (node >= own_.first && node < own_.last)
      return mesh_.coordinates.data() + 3 * (node - own_.first);
    return fetched_.data() + 3 * std::ptrdiff_t{others_.find(node)};
  }

 private:
  void collect(const RawBlock& block) {
    NodeRange range;
    range.add(block.nodes);
    if (range.first >= own_.first && range.last <= own_.last) return;
    const CellTraits& cell = traits(block.type);
    const GlobalIndex* nodes = block.nodes.data();
    for (std::size_t c = 0; c < block.size(); ++c, nodes += cell.n_nodes)
      for (int i = 0; i < cell.n_nodes; ++i) {
        if (nodes[i] >= own_.first && nodes[i] < own_.last) continue;
        if (nodes[i] < 0 || nodes[i] >= mesh_.n_nodes) refuse(block, c, nodes[i]);
        if (i < cell.n_vertices) others_.insert(nodes[i]);
      }
  }

  [[noreturn]] void refuse(const RawBlock& block, std::size_t cell, GlobalIndex node) const {
    throw MeshError(std::string(traits(block.type).name) + " " + std::to_string(block.tags[cell]) +
                    " has node number " + std::to_string(node) + ", but the mesh has " +
                    std::to_string(mesh_.n_nodes) + " nodes");
  }

  const RawMesh& mesh_;
  Share own_;
  KeyTable<GlobalIndex> others_;
  std::vector<double> fetched_;
};

/// A set of cells whose nodes are canonical ids yet.
struct TravellingCells {
  CellSet cells;
  std::vector<GlobalIndex> nodes;  // [cell, node]
  std::size_t width() const { return cells.width(); }
};

/// Empty sets for the types that any rank has. Collective.
std::vector<TravellingCells> make_sets(const Comm& comm, const RawMesh& mesh) {
  std::array<int, n_cell_types> present{};
  for (const RawBlock& block : mesh.cells)
    if (block.size() > 0) present[static_cast<std::size_t>(block.type)] = 1;
  comm.max(std::span<int>(present));
  std::vector<TravellingCells> sets;
  for (std::size_t i = 0; i < present.size(); ++i)
    if (present[i] != 0) sets.emplace_back().cells.type = static_cast<CellType>(i);
  return sets;
}

/// Cells as rows of numbers for a message: key, id, tag, group set, nodes.
constexpr std::size_t head = 4;

void pack(const CellSet& cells, std::size_t c, std::vector<GlobalIndex>& message) {
  message.insert(message.end(), {static_cast<GlobalIndex>(cells.keys[c]), cells.ids[c],
                                 cells.tags[c], cells.group_sets[c]});
}

void unpack(const GlobalIndex* row, CellSet& cells) {
  cells.keys.push_back(static_cast<std::uint64_t>(row[0]));
  cells.ids.push_back(row[1]);
  cells.tags.push_back(row[2]);
  cells.group_sets.push_back(static_cast<int>(row[3]));
}

/// Appends `from`, which is left empty, to `to`.
template <class T>
void move_to_end(std::vector<T>& to, std::vector<T> from) {
  if (to.empty())
    to = std::move(from);
  else
    to.insert(to.end(), from.begin(), from.end());
}

/// Entries of `values` that belong to cells [begin, end) of a slice; all of them are moved.
template <class T>
std::vector<T> taken(std::vector<T>& values, std::size_t begin, std::size_t end) {
  if (begin == 0 && end == values.size()) return std::move(values);
  return {values.begin() + static_cast<std::ptrdiff_t>(begin),
          values.begin() + static_cast<std::ptrdiff_t>(end)};
}

/// Takes the cells of a type out of the blocks of a slice.
class CellTaker {
 public:
  /// `keys` are in the order of the blocks of `mesh`, and so are `parts`, if there are any.
  CellTaker(RawMesh& mesh, std::vector<std::uint64_t> keys, const std::vector<int>& parts)
      : mesh_(mesh), keys_(std::move(keys)), parts_(parts) {
    for (const RawBlock& block : mesh.cells) begins_.push_back(begins_.back() + block.size());
  }

  /// Moves the cells of the set's type to it; their parts.
  std::vector<int> take(TravellingCells& set) {
    std::vector<int> parts;
    CellSet& cells = set.cells;
    for (std::size_t b = 0; b < mesh_.cells.size(); ++b) {
      RawBlock& block = mesh_.cells[b];
      if (block.type != cells.type) continue;
      const std::size_t begin = begins_[b], end = begins_[b + 1];
      move_to_end(cells.keys, taken(keys_, begin, end));
      move_to_end(cells.ids, std::move(block.ids));
      move_to_end(cells.tags, std::move(block.tags));
      move_to_end(cells.group_sets, std::move(block.group_set));
      move_to_end(set.nodes, std::move(block.nodes));
      if (!parts_.empty())
        parts.insert(parts.end(), parts_.begin() + static_cast<std::ptrdiff_t>(begin),
                     parts_.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return parts;
  }

 private:
  RawMesh& mesh_;
  std::vector<std::uint64_t> keys_;
  const std::vector<int>& parts_;
  std::vector<std::size_t> begins_{0};  // of the cells of each block
};

/// Takes the cells whose part is another rank out of the set, as a message to each rank.
std::vector<std::vector<GlobalIndex>> pack_leaving(const Comm& comm, const std::vector<int>& parts,
                                                   TravellingCells& set) {
  CellSet& cells = set.cells;
  const std::size_t width = set.width();
  std::vector<std::size_t> n_leaving(at(comm.size()), 0);
  for (int part : parts) ++n_leaving[at(part)];
  std::vector<std::vector<GlobalIndex>> to(n_leaving.size());
  for (std::size_t r = 0; r < to.size(); ++r)
    if (r != at(comm.rank())) to[r].reserve(n_leaving[r] * (head + width));
  std::size_t kept = 0;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const GlobalIndex* nodes = set.nodes.data() + c * width;
    if (parts[c] != comm.rank()) {
      std::vector<GlobalIndex>& message = to[at(parts[c])];
      pack(cells, c, message);
      message.insert(message.end(), nodes, nodes + width);
      continue;
    }
    cells.keys[kept] = cells.keys[c];
    cells.ids[kept] = cells.ids[c];
    cells.tags[kept] = cells.tags[c];
    cells.group_sets[kept] = cells.group_sets[c];
    std::copy_n(nodes, width, set.nodes.data() + kept * width);
    ++kept;
  }
  cells.keys.resize(kept);
  cells.ids.resize(kept);
  cells.tags.resize(kept);
  cells.group_sets.resize(kept);
  set.nodes.resize(kept * width);
  return to;
}

/// Sends the cells whose part is another rank and receives those of this one. Collective.
void send_to_parts(const Comm& comm, const std::vector<int>& parts, TravellingCells& set) {
  const std::size_t width = set.width();
  for (const auto& message : comm.exchange(pack_leaving(comm, parts, set)))
    for (std::size_t row = 0; row < message.size(); row += head + width) {
      unpack(message.data() + row, set.cells);
      const GlobalIndex* nodes = message.data() + row + head;
      set.nodes.insert(set.nodes.end(), nodes, nodes + width);
    }
}

/// A table for the nodes of these cells: with a window over all of them where that takes no more
/// entries than the cells have.
NodeNumbers make_node_numbers(const std::vector<TravellingCells>& sets) {
  NodeRange range;
  std::size_t n_entries = 0;
  for (const TravellingCells& set : sets) {
    range.add(set.nodes);
    n_entries += set.nodes.size();
  }
  if (at(range.last - range.first) > n_entries) return {0, 0};
  return {range.first, range.last};
}

/// Numbers the nodes of a set, whose canonical ids go.
CellSet number_nodes(TravellingCells set, NodeNumbers& numbers) {
  CellSet cells = std::move(set.cells);
  cells.n_owned = cells.size();
  cells.nodes.resize(set.nodes.size());
  for (std::size_t i = 0; i < set.nodes.size(); ++i) cells.nodes[i] = numbers.insert(set.nodes[i]);
  return cells;
}

/// A rank's claim on a node: the lowest id of its cells there.
struct Claim {
  GlobalIndex node;
  GlobalIndex cell;
};

/// Lets the home of each node give it to the rank of its cell with the lowest canonical id.
/// Collective.
void find_owners(const Comm& comm, GlobalIndex n_nodes, LocalCells& local) {
  const Share own = share_of(n_nodes, comm.rank(), comm.size());
  local.home.assign(at(own.count()), -1);
  if (comm.size() == 1) {
    local.owners.assign(local.nodes.size(), 0);
    for (GlobalIndex node : local.nodes.ids()) local.home[at(node)] = 0;
    return;
  }
  std::vector<GlobalIndex> lowest(local.nodes.size(), std::numeric_limits<GlobalIndex>::max());
  for (const CellSet& cells : local.sets) {
    const Index* nodes = cells.nodes.data();
    const std::size_t width = cells.width();
    for (std::size_t c = 0; c < cells.size(); ++c, nodes += width)
      for (std::size_t i = 0; i < width; ++i) {
        GlobalIndex& cell = lowest[at(nodes[i])];
        cell = std::min(cell, cells.ids[c]);
      }
  }
  std::vector<std::vector<Claim>> claims(at(comm.size()));
  std::vector<int> home_of(local.nodes.size());
  for (std::size_t i = 0; i < home_of.size(); ++i) {
    const GlobalIndex node = local.nodes.ids()[i];
    home_of[i] = share_owner(n_nodes, comm.size(), node);
    claims[at(home_of[i])].push_back({node, lowest[i]});
  }
  claims = comm.exchange(std::move(claims));

  std::vector<GlobalIndex> best(at(own.count()), std::numeric_limits<GlobalIndex>::max());
  for (int r = 0; r < comm.size(); ++r)
    for (const Claim& claim : claims[at(r)])
      if (const std::size_t i = at(claim.node - own.first); claim.cell < best[i]) {
        best[i] = claim.cell;
        local.home[i] = r;
      }
  std::vector<std::vector<int>> answers(at(comm.size()));
  for (std::size_t r = 0; r < claims.size(); ++r)
    for (const Claim& claim : claims[r])
      answers[r].push_back(local.home[at(claim.node - own.first)]);
  answers = comm.exchange(std::move(answers));
  std::vector<std::size_t> taken(answers.size(), 0);
  for (int home : home_of) local.owners.push_back(answers[at(home)][taken[at(home)]++]);
}

/// Sends each owned cell to the other owners of its nodes, the nodes' owners with it. Collective.
void add_ghosts(const Comm& comm, CellSet& cells, LocalCells& local) {
  std::vector<std::vector<GlobalIndex>> to(at(comm.size()));
  const std::size_t width = cells.width();
  std::vector<int> targets;
  for (std::size_t c = 0; c < cells.n_owned && comm.size() > 1; ++c) {
    const std::span<const Index> nodes(cells.nodes.data() + c * width, width);
    targets.clear();
    for (Index node : nodes) {
      const int owner = local.owners[at(node)];
      if (owner != comm.rank() && std::ranges::find(targets, owner) == targets.end())
        targets.push_back(owner);
    }
    for (int target : targets) {
      std::vector<GlobalIndex>& message = to[at(target)];
      pack(cells, c, message);
      for (Index node : nodes) message.push_back(local.nodes.ids()[at(node)]);
      for (Index node : nodes) message.push_back(local.owners[at(node)]);
    }
  }
  for (const auto& message : comm.exchange(std::move(to)))
    for (std::size_t row = 0; row < message.size(); row += head + 2 * width) {
      unpack(message.data() + row, cells);
      for (std::size_t i = 0; i < width; ++i) {
        const Index node = local.nodes.insert(message[row + head + i]);
        cells.nodes.push_back(node);
        if (at(node) == local.owners.size())
          local.owners.push_back(static_cast<int>(message[row + head + width + i]));
      }
    }
}

}  // namespace

std::vector<std::uint64_t> compute_cell_keys(const Comm& comm, const RawMesh& mesh) {
  const HilbertCurve curve(bounds_of(comm, mesh));
  const VertexCoordinates coordinates(comm, mesh);
  std::vector<std::uint64_t> keys;
  for (const RawBlock& block : mesh.cells) {
    const CellTraits& cell = traits(block.type);
    const auto centroid = [&](std::size_t c) {
      const GlobalIndex* nodes = block.nodes.data() + c * static_cast<std::size_t>(cell.n_nodes);
      HilbertCurve::Point sum{};
      for (int i = 0; i < cell.n_vertices; ++i) {
        const double* x = coordinates.of(nodes[i]);
        for (std::size_t d = 0; d < 3; ++d) sum[d] += x[d];
      }
      for (double& x : sum) x /= cell.n_vertices;
      return sum;
    };
    keys.reserve(keys.size() + block.size());
    std::size_t c = 0;
    for (; c + 4 <= block.size(); c += 4) {
      const auto four =
          curve.keys({centroid(c), centroid(c + 1), centroid(c + 2), centroid(c + 3)});
      keys.insert(keys.end(), four.begin(), four.end());
    }
    for (; c < block.size(); ++c) {
      const HilbertCurve::Point x = centroid(c);
      keys.push_back(curve.key(x[0], x[1], x[2]));
    }
  }
  return keys;
}

LocalCells move_cells(const Comm& comm, RawMesh& mesh, std::vector<std::uint64_t> keys,
                      const std::vector<int>& parts) {
  std::vector<TravellingCells> sets = make_sets(comm, mesh);
  CellTaker taker(mesh, std::move(keys), parts);
  for (TravellingCells& set : sets) {
    const std::vector<int> parts_of_set = taker.take(set);
    if (comm.size() > 1) send_to_parts(comm, parts_of_set, set);
  }
  mesh.cells.clear();
  LocalCells local{{}, make_node_numbers(sets), {}, {}};
  for (TravellingCells& set : sets) local.sets.push_back(number_nodes(std::move(set), local.nodes));
  find_owners(comm, mesh.n_nodes, local);
  for (CellSet& cells : local.sets) add_ghosts(comm, cells, local);
  return local;
}

std::vector<Index> curve_order(const CellSet& cells) {
  return order_by_key(cells.keys,
                      [&](Index a, Index b) { return cells.ids[at(a)] < cells.ids[at(b)]; });
}

}  // namespace trestle::mesh

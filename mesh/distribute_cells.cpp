#include "mesh/distribute_cells.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "mesh/hilbert.hpp"
#include "mesh/slices.hpp"

namespace trestle::mesh {
namespace {

std::size_t at(GlobalIndex i) { return static_cast<std::size_t>(i); }

/// Bounding box of all nodes. Collective.
Bounds bounds_of(const Comm& comm, const RawMesh& mesh) {
  constexpr double far = std::numeric_limits<double>::max();
  Bounds bounds{{far, far, far}, {-far, -far, -far}};
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3)
    for (std::size_t d = 0; d < 3; ++d) {
      bounds.lower[d] = std::min(bounds.lower[d], mesh.coordinates[i + d]);
      bounds.upper[d] = std::max(bounds.upper[d], mesh.coordinates[i + d]);
    }
  comm.min(std::span<double>(bounds.lower));
  comm.max(std::span<double>(bounds.upper));
  return bounds;
}

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

/// Empty sets for the types that any rank has. Collective.
std::vector<CellSet> make_sets(const Comm& comm, const RawMesh& mesh) {
  std::array<int, n_cell_types> present{};
  for (const RawBlock& block : mesh.cells)
    if (block.size() > 0) present[static_cast<std::size_t>(block.type)] = 1;
  comm.max(std::span<int>(present));
  std::vector<CellSet> sets;
  for (std::size_t i = 0; i < present.size(); ++i)
    if (present[i] != 0) sets.emplace_back().type = static_cast<CellType>(i);
  return sets;
}

/// Cells as rows of numbers for a message: key, id, tag, group set, nodes.
constexpr std::size_t head = 4;

void pack(const CellSet& cells, std::size_t c, std::vector<GlobalIndex>& message) {
  message.push_back(static_cast<GlobalIndex>(cells.keys[c]));
  message.push_back(cells.ids[c]);
  message.push_back(cells.tags[c]);
  message.push_back(cells.group_sets[c]);
  const GlobalIndex* nodes = cells.nodes.data() + c * cells.width();
  message.insert(message.end(), nodes, nodes + cells.width());
}

void unpack(const GlobalIndex* row, CellSet& cells) {
  cells.keys.push_back(static_cast<std::uint64_t>(row[0]));
  cells.ids.push_back(row[1]);
  cells.tags.push_back(row[2]);
  cells.group_sets.push_back(static_cast<int>(row[3]));
  cells.nodes.insert(cells.nodes.end(), row + head, row + head + cells.width());
}

/// Takes all cells of the set's type out of `mesh`; `keys` and `parts` are in its block order.
std::vector<int> take_cells(RawMesh& mesh, const std::vector<std::uint64_t>& keys,
                            const std::vector<int>& parts, CellSet& cells) {
  const auto append = [](auto& to, auto& from) {
    if (to.empty())
      to = std::move(from);
    else
      to.insert(to.end(), from.begin(), from.end());
    from = {};
  };
  std::vector<int> parts_of_set;
  std::ptrdiff_t begin = 0;
  for (RawBlock& block : mesh.cells) {
    const auto end = begin + static_cast<std::ptrdiff_t>(block.size());
    if (block.type == cells.type) {
      cells.keys.insert(cells.keys.end(), keys.begin() + begin, keys.begin() + end);
      parts_of_set.insert(parts_of_set.end(), parts.begin() + begin, parts.begin() + end);
      append(cells.nodes, block.nodes);
      append(cells.ids, block.ids);
      append(cells.tags, block.tags);
      std::vector<int> group_sets = block.group_set;  // the block keeps its size
      append(cells.group_sets, group_sets);
    }
    begin = end;
  }
  return parts_of_set;
}

/// Sends the cells whose part is another rank and receives those of this one. Collective.
void send_to_parts(const Comm& comm, const std::vector<int>& parts, CellSet& cells) {
  std::vector<std::vector<GlobalIndex>> to(at(comm.size()));
  const std::size_t width = cells.width();
  std::size_t kept = 0;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    if (parts[c] != comm.rank()) {
      pack(cells, c, to[at(parts[c])]);
      continue;
    }
    if (kept != c) {
      cells.keys[kept] = cells.keys[c];
      cells.ids[kept] = cells.ids[c];
      cells.tags[kept] = cells.tags[c];
      cells.group_sets[kept] = cells.group_sets[c];
      std::copy_n(cells.nodes.data() + c * width, width, cells.nodes.data() + kept * width);
    }
    ++kept;
  }
  cells.keys.resize(kept);
  cells.ids.resize(kept);
  cells.tags.resize(kept);
  cells.group_sets.resize(kept);
  cells.nodes.resize(kept * width);
  for (const auto& message : comm.exchange(to))
    for (std::size_t row = 0; row < message.size(); row += head + width)
      unpack(message.data() + row, cells);
  cells.n_owned = cells.size();
}

/// Numbers the nodes of cells [first, size) by first touch.
void touch_nodes(CellSet& cells, std::size_t first, KeyTable<GlobalIndex>& nodes) {
  cells.touched.reserve(cells.nodes.size());
  for (std::size_t i = first * cells.width(); i < cells.nodes.size(); ++i)
    cells.touched.push_back(nodes.insert(cells.nodes[i]));
}

/// A rank's claim on a node: the lowest id of its cells there.
struct Claim {
  GlobalIndex node;
  GlobalIndex cell;
};

/// Lets the home of each node give it to the rank of its cell with the lowest canonical id.
/// Collective.
void find_owners(const Comm& comm, GlobalIndex n_nodes, LocalCells& local) {
  std::vector<GlobalIndex> lowest(local.nodes.size(), std::numeric_limits<GlobalIndex>::max());
  for (const CellSet& cells : local.sets) {
    const Index* touched = cells.touched.data();
    const std::size_t width = cells.width();
    for (std::size_t c = 0; c < cells.size(); ++c, touched += width)
      for (std::size_t i = 0; i < width; ++i) {
        GlobalIndex& cell = lowest[at(touched[i])];
        cell = std::min(cell, cells.ids[c]);
      }
  }
  std::vector<std::vector<Claim>> claims(at(comm.size()));
  std::vector<int> home_of(local.nodes.size());
  for (std::size_t i = 0; i < home_of.size(); ++i) {
    const GlobalIndex node = local.nodes.keys()[i];
    home_of[i] = share_owner(n_nodes, comm.size(), node);
    claims[at(home_of[i])].push_back({node, lowest[i]});
  }
  claims = comm.exchange(claims);

  const Share own = share_of(n_nodes, comm.rank(), comm.size());
  local.home.assign(at(own.count()), -1);
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
  answers = comm.exchange(answers);
  std::vector<std::size_t> taken(answers.size(), 0);
  for (int home : home_of) local.owners.push_back(answers[at(home)][taken[at(home)]++]);
}

/// Sends each owned cell to the other owners of its nodes, the nodes' owners with it. Collective.
void add_ghosts(const Comm& comm, CellSet& cells, LocalCells& local) {
  std::vector<std::vector<GlobalIndex>> to(at(comm.size()));
  const std::size_t width = cells.width();
  std::vector<int> targets;
  for (std::size_t c = 0; c < cells.n_owned && comm.size() > 1; ++c) {
    const std::span<const Index> touched(cells.touched.data() + c * width, width);
    targets.clear();
    for (Index node : touched) {
      const int owner = local.owners[at(node)];
      if (owner != comm.rank() && std::ranges::find(targets, owner) == targets.end())
        targets.push_back(owner);
    }
    for (int target : targets) {
      pack(cells, c, to[at(target)]);
      for (Index node : touched) to[at(target)].push_back(local.owners[at(node)]);
    }
  }
  for (const auto& message : comm.exchange(to))
    for (std::size_t row = 0; row < message.size(); row += head + 2 * width) {
      unpack(message.data() + row, cells);
      for (std::size_t i = 0; i < width; ++i) {
        const Index node = local.nodes.insert(message[row + head + i]);
        if (at(node) == local.owners.size())
          local.owners.push_back(static_cast<int>(message[row + head + width + i]));
      }
    }
  touch_nodes(cells, cells.n_owned, local.nodes);
}

/// A cell and its key, for sorting.
struct KeyedCell {
  std::uint64_t key;
  Index cell;
};

/// Stable sort by bits [shift, shift + 11) of the keys.
void sort_by_digit(int shift, std::vector<KeyedCell>& from, std::vector<KeyedCell>& to) {
  constexpr std::uint64_t mask = (1u << 11) - 1;
  std::array<std::size_t, mask + 2> begin{};
  for (const KeyedCell& item : from) ++begin[(item.key >> shift & mask) + 1];
  for (std::size_t digit = 0; digit <= mask; ++digit) begin[digit + 1] += begin[digit];
  for (const KeyedCell& item : from) to[begin[item.key >> shift & mask]++] = item;
  from.swap(to);
}

}  // namespace

std::vector<std::uint64_t> compute_cell_keys(const Comm& comm, const RawMesh& mesh) {
  const HilbertCurve curve(bounds_of(comm, mesh));
  const VertexCoordinates coordinates(comm, mesh);
  std::vector<std::uint64_t> keys;
  for (const RawBlock& block : mesh.cells) {
    const CellTraits& cell = traits(block.type);
    const GlobalIndex* nodes = block.nodes.data();
    keys.reserve(keys.size() + block.size());
    for (std::size_t c = 0; c < block.size(); ++c, nodes += cell.n_nodes) {
      std::array<double, 3> sum{};
      for (int i = 0; i < cell.n_vertices; ++i) {
        const double* x = coordinates.of(nodes[i]);
        for (std::size_t d = 0; d < 3; ++d) sum[d] += x[d];
      }
      const double n = cell.n_vertices;
      keys.push_back(curve.key(sum[0] / n, sum[1] / n, sum[2] / n));
    }
  }
  return keys;
}

LocalCells move_cells(const Comm& comm, RawMesh& mesh, std::vector<std::uint64_t> keys,
                      const std::vector<int>& parts) {
  LocalCells local{make_sets(comm, mesh), KeyTable<GlobalIndex>(mesh.node_tags.size()), {}, {}};
  for (CellSet& cells : local.sets) {
    send_to_parts(comm, take_cells(mesh, keys, parts, cells), cells);
    touch_nodes(cells, 0, local.nodes);
  }
  mesh.cells.clear();
  find_owners(comm, mesh.n_nodes, local);
  for (CellSet& cells : local.sets) add_ghosts(comm, cells, local);
  return local;
}

std::vector<Index> curve_order(const CellSet& cells) {
  // The first 33 of 63 bits by counting: 2048 steps per axis tell most cells apart.
  constexpr int first_bit = 30;
  std::vector<KeyedCell> items(cells.size()), other(cells.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = {cells.keys[i], static_cast<Index>(i)};
  for (int shift = first_bit; shift < 63; shift += 11) sort_by_digit(shift, items, other);
  for (auto run = items.begin(); run != items.end();) {
    const auto end = std::find_if(run, items.end(), [&](const KeyedCell& item) {
      return item.key >> first_bit != run->key >> first_bit;
    });
    std::sort(run, end, [&](const KeyedCell& a, const KeyedCell& b) {
      return a.key != b.key ? a.key < b.key : cells.ids[at(a.cell)] < cells.ids[at(b.cell)];
    });
    run = end;
  }
  std::vector<Index> order(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order[i] = items[i].cell;
  return order;
}

}  // namespace trestle::mesh

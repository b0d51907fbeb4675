// Each rank reads its rows of the blocks of a .msh file, finds the nodes of its elements, and has
// the slices checked together.
#include "io/gmsh/slices.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "io/gmsh/plan.hpp"
#include "io/mesh/shared_ids.hpp"
#include "mesh/check_slices.hpp"
#include "mesh/scatter.hpp"

namespace trestle::io {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw MeshError("the mesh file cannot be read in slices: " + message);
}

/// Rank 0's plan on all ranks, its groups in `mesh`. Collective.
GmshPlan broadcast(const Comm& comm, GmshPlan plan, mesh::RawMesh& mesh) {
  struct Head {
    std::int64_t file_size;
    bool swapped;
    GmshTotals nodes, elements;
  };
  const Head head =
      comm.broadcast(std::vector<Head>{{plan.file_size, plan.swapped, plan.nodes, plan.elements}})
          .at(0);
  plan.file_size = head.file_size;
  plan.swapped = head.swapped;
  plan.nodes = head.nodes;
  plan.elements = head.elements;
  plan.node_blocks = comm.broadcast(std::move(plan.node_blocks));
  plan.element_blocks = comm.broadcast(std::move(plan.element_blocks));
  mesh.groups = std::move(plan.groups);
  mesh.group_sets = std::move(plan.group_sets);
  mesh::broadcast_groups(comm, mesh);
  return plan;
}

/// The numbers of 8 bytes of [begin, begin + 8 n) of a file, some at a time.
template <class Visit>
void read_numbers(const GmshBytes& file, bool swapped, std::int64_t begin, std::int64_t n,
                  std::int64_t record, Visit visit) {
  constexpr std::int64_t most = 1 << 17;
  std::vector<std::uint64_t> numbers;
  for (std::int64_t at = 0; at < n;) {
    const std::int64_t some = std::min(n - at, most / record * record);
    numbers.resize(static_cast<std::size_t>(some));
    file.read(begin + 8 * at, 8 * numbers.size(), reinterpret_cast<char*>(numbers.data()));
    if (swapped)
      for (std::uint64_t& number : numbers) number = __builtin_bswap64(number);
    for (std::int64_t k = 0; k < some; k += record) visit(numbers.data() + k);
    at += some;
  }
}

/// An id, which is positive and below 2^63.
std::int64_t id_of(std::uint64_t number) {
  const auto id = static_cast<std::int64_t>(number);
  if (id <= 0) fail("an id that is not positive");
  return id;
}

double real_of(std::uint64_t number) {
  double value;
  std::memcpy(&value, &number, sizeof value);
  if (!std::isfinite(value)) fail("a coordinate that is not finite");
  return value;
}

/// Reads one rank's slice.
class SliceReader {
 public:
  SliceReader(const Comm& comm, const std::string& path, const GmshPlan& plan)
      : comm_(comm), file_(path), plan_(plan) {
    if (file_.size() != plan.file_size) fail("another size than rank 0 sees");
  }

  void read_nodes(double scale, mesh::RawMesh& mesh) {
    const auto read = [&](const GmshBlock& block, std::int64_t first, std::int64_t n) {
      numbers(block.begin + 8 * first, n, 1,
              [&](const std::uint64_t* id) { mesh.node_tags.push_back(id_of(*id)); });
      const std::int64_t width = block.n_coordinates();
      numbers(block.begin + 8 * (block.count + first * width), n * width, width,
              [&](const std::uint64_t* x) {
                for (std::int64_t d = 0; d < width; ++d) {
                  const double value = real_of(x[d]);
                  if (d < 3) mesh.coordinates.push_back(value * scale);
                  if (!std::isfinite(value * scale)) fail("a scaled coordinate is not finite");
                }
              });
    };
    for_rows(
        plan_.node_blocks, [](const GmshBlock&) { return true; }, read);
  }

  /// The elements of all blocks of a kind, into `block`; those of cells get their ids.
  template <class Takes>
  void read_elements(Takes takes, std::vector<mesh::RawBlock>& blocks, bool are_cells) {
    GlobalIndex next = 0;
    if (are_cells) next = share_of(count(takes), comm_.rank(), comm_.size()).first;
    for_rows(plan_.element_blocks, takes,
             [&](const GmshBlock& from, std::int64_t first, std::int64_t n) {
               const auto type = static_cast<mesh::CellType>(from.kind);
               const auto block = std::ranges::find(blocks, type, &mesh::RawBlock::type);
               const std::int64_t width = 1 + mesh::traits(type).n_nodes;
               numbers(from.begin + 8 * first * width, n * width, width,
                       [&](const std::uint64_t* element) {
                         block->tags.push_back(id_of(element[0]));
                         for (std::int64_t a = 1; a < width; ++a)
                           block->nodes.push_back(id_of(element[a]));
                         block->group_set.push_back(from.set);
                         if (are_cells) block->ids.push_back(next++);
                       });
             });
  }

  template <class Takes>
  GlobalIndex count(Takes takes) const {
    GlobalIndex n = 0;
    for (const GmshBlock& block : plan_.element_blocks)
      if (takes(block)) n += block.count;
    return n;
  }

 private:
  template <class Visit>
  void numbers(std::int64_t begin, std::int64_t n, std::int64_t record, Visit visit) const {
    read_numbers(file_, plan_.swapped, begin, n, record, visit);
  }

  /// Calls read(block, first, n) for the rows of this rank's share of the blocks that count.
  template <class Takes, class Read>
  void for_rows(const std::vector<GmshBlock>& blocks, Takes takes, Read read) const {
    std::int64_t total = 0, begin = 0;
    for (const GmshBlock& block : blocks)
      if (takes(block)) total += block.count;
    const Share own = share_of(total, comm_.rank(), comm_.size());
    for (const GmshBlock& block : blocks) {
      if (!takes(block)) continue;
      const std::int64_t first = std::max(own.first, begin);
      const std::int64_t last = std::min(own.last, begin + block.count);
      if (first < last) read(block, first - begin, last - first);
      begin += block.count;
    }
  }

  const Comm& comm_;
  GmshBytes file_;
  const GmshPlan& plan_;
};

int dim_of(const GmshBlock& block) {
  return mesh::traits(static_cast<mesh::CellType>(block.kind)).dim;
}

/// Empty blocks of the types for which there are any elements.
template <class Takes>
std::vector<mesh::RawBlock> make_blocks(const GmshPlan& plan, Takes takes) {
  std::array<bool, mesh::n_cell_types> there{};
  for (const GmshBlock& block : plan.element_blocks)
    if (takes(block) && block.count > 0) there[static_cast<std::size_t>(block.kind)] = true;
  std::vector<mesh::RawBlock> blocks;
  for (std::size_t t = 0; t < there.size(); ++t)
    if (there[t]) blocks.push_back({static_cast<mesh::CellType>(t), {}, {}, {}, {}});
  return blocks;
}

/// Whether the ids of all ranks run from totals.lowest to totals.highest. Collective.
bool have_range(const Comm& comm, const std::vector<const std::vector<std::int64_t>*>& lists,
                const GmshTotals& totals) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
  for (const std::vector<std::int64_t>* ids : lists)
    for (const std::int64_t id : *ids) {
      low = std::min(low, id);
      high = std::max(high, id);
    }
  low = comm.min(low);
  high = comm.max(high);
  return totals.count == 0 || (low == totals.lowest && high == totals.highest);
}

/// This rank's slice, not yet checked. Throws MeshError on all ranks. Collective.
mesh::RawMesh read_slice(const Comm& comm, const std::string& path, double scale) {
  mesh::RawMesh mesh;
  std::optional<GmshPlan> found;
  comm.agree([&] {
    if (comm.is_root()) found = read_gmsh_plan(path);
    if (comm.is_root() && !found) fail("another form");
  });
  const GmshPlan plan = broadcast(comm, found ? std::move(*found) : GmshPlan{}, mesh);
  mesh.dim = 0;
  for (const GmshBlock& block : plan.element_blocks)
    if (block.count > 0) mesh.dim = std::max(mesh.dim, dim_of(block));
  const auto is_cell = [&](const GmshBlock& b) { return dim_of(b) == mesh.dim; };
  const auto is_grouped = [&](const GmshBlock& b) { return dim_of(b) < mesh.dim && b.set != 0; };
  const auto is_other = [&](const GmshBlock& b) { return dim_of(b) < mesh.dim && b.set == 0; };
  mesh.cells = make_blocks(plan, is_cell);
  mesh.entities = make_blocks(plan, is_grouped);
  // Elements without a group are looked at and left out.
  std::vector<mesh::RawBlock> others = make_blocks(plan, is_other);
  mesh.n_nodes = plan.nodes.count;
  comm.agree([&] {
    if (mesh.dim < 2 || mesh.n_nodes >= std::numeric_limits<Index>::max())
      fail("no cells, or too many nodes");
    SliceReader reader(comm, path, plan);
    mesh.n_cells = reader.count(is_cell);
    reader.read_nodes(scale, mesh);
    reader.read_elements(is_cell, mesh.cells, true);
    // Elements of lower dimension are cut type by type.
    for (const mesh::RawBlock& block : mesh.entities)
      reader.read_elements(
          [&](const GmshBlock& b) {
            return is_grouped(b) && static_cast<mesh::CellType>(b.kind) == block.type;
          },
          mesh.entities, false);
    reader.read_elements(is_other, others, false);
  });
  std::vector<const std::vector<std::int64_t>*> tags;
  std::vector<std::vector<GlobalIndex>*> nodes;
  for (auto* blocks : {&mesh.cells, &mesh.entities, &others})
    for (mesh::RawBlock& block : *blocks) {
      tags.push_back(&block.tags);
      nodes.push_back(&block.nodes);
    }
  const bool right = have_range(comm, {&mesh.node_tags}, plan.nodes);
  if (!have_range(comm, tags, plan.elements) || !right) fail("ids beyond those that it announces");
  const Share own = share_of(mesh.n_nodes, comm.rank(), comm.size());
  SharedIds(comm, mesh.node_tags, own.first).replace(nodes);
  return mesh;
}

}  // namespace

std::optional<mesh::RawMesh> read_gmsh_slices(const Comm& comm, const std::string& path,
                                              double scale) {
  try {
    mesh::RawMesh mesh = read_slice(comm, path, scale);
    if (mesh::is_clean(comm, mesh)) return mesh;
  } catch (const Error& e) {  // thrown on all ranks; the reader of the whole tells why
    if (e.code() != ExitCode::mesh) throw;
  }
  return {};
}

}  // namespace trestle::io

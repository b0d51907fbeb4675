// The reader of the own mesh file.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "io/files.hpp"
#include "io/hdf5_source.hpp"
#include "io/mesh/hdf5.hpp"
#include "io/mesh/hdf5_layout.hpp"

namespace trestle::io {
namespace {

/// Reads what one rank needs of a file.
class MeshReader {
 public:
  MeshReader(const Comm& comm, const std::string& path) : comm_(comm), source_(path, "mesh file") {}

  mesh::RawMesh read(double scale) {
    read_counts();
    read_groups();
    read_nodes(scale);
    for (const std::string& folder : texts(mesh_layout::blocks)) {
      if (folder.starts_with(mesh_layout::cells))
        read_cells(folder, type_of(folder, mesh_layout::cells));
      else
        read_entities(folder, type_of(folder, mesh_layout::entities));
    }
    require_every_cell();
    return std::move(mesh_);
  }

 private:
  /// Rows [rows.first, rows.last), whose checksums are right.
  template <class T>
  std::vector<T> verified(const std::string& name, Share rows, std::size_t width = 1) const {
    const GlobalIndex n = source_.n_rows(name);
    if (rows.first < 0 || rows.last > n) source_.refuse(name, "has another shape");
    const Share blocks{rows.first / rows_per_block,
                       (rows.last + rows_per_block - 1) / rows_per_block};
    const GlobalIndex begin = blocks.first * rows_per_block;
    const GlobalIndex end = std::min(n, blocks.last * rows_per_block);
    if (rows.count() <= 0) return {};
    std::vector<T> values = source_.rows<T>(name, begin, end - begin, width);
    const auto stored =
        source_.rows<std::uint64_t>(mesh_layout::hashes_of(name), blocks.first, blocks.count());
    if (block_hashes(std::as_bytes(std::span(values)), width * sizeof(T)) != stored)
      source_.refuse(name, "does not have its checksums");
    const auto at = [&](GlobalIndex row) {
      return values.begin() + (row - begin) * static_cast<GlobalIndex>(width);
    };
    values.erase(at(rows.last), values.end());
    values.erase(values.begin(), at(rows.first));
    return values;
  }
  template <class T>
  std::vector<T> all(const std::string& name, std::size_t width = 1) const {
    return verified<T>(name, {0, source_.n_rows(name)}, width);
  }

  std::vector<std::string> texts(const std::string& name) const {
    std::vector<std::string> texts = source_.strings(name);
    if (source_.rows<std::uint64_t>(mesh_layout::hashes_of(name), 0, 1) !=
        mesh_layout::hashes_of(texts))
      source_.refuse(name, "does not have its checksum");
    return texts;
  }

  void read_counts() {
    const auto counts = verified<std::int64_t>(mesh_layout::counts, {0, 4});
    if (counts[0] != mesh_layout::version)
      source_.refuse(mesh_layout::counts,
                     fmt::format("says version {}, not {}", counts[0], mesh_layout::version));
    if ((counts[1] != 2 && counts[1] != 3) || counts[2] < 0 || counts[3] < 0)
      source_.refuse(mesh_layout::counts, "has impossible numbers");
    mesh_.dim = static_cast<int>(counts[1]);
    mesh_.n_nodes = counts[2];
    mesh_.n_cells = counts[3];
    if (source_.n_rows("/mesh/coordinates") != mesh_.n_nodes)
      source_.refuse("/mesh/coordinates", "has another shape");
  }

  void read_groups() {
    const std::string folder = "/mesh/groups/";
    const auto names = texts(folder + "names");
    const auto keys = all<std::int32_t>(folder + "keys", 2);
    const auto ends = all<std::int32_t>(folder + "set_ends");
    const auto members = all<std::int32_t>(folder + "set_members");
    if (keys.size() != 2 * names.size()) source_.refuse(folder + "keys", "has another shape");
    for (std::size_t g = 0; g < names.size(); ++g) {
      if (keys[2 * g] < 0 || keys[2 * g] > mesh_.dim)
        source_.refuse(folder + "keys", fmt::format("has dimension {}", keys[2 * g]));
      mesh_.groups.push_back({names[g], keys[2 * g], keys[2 * g + 1]});
    }
    std::size_t begin = 0;
    for (const std::int32_t last : ends) {
      const auto end = static_cast<std::size_t>(last);
      if (last < 0 || end < begin || end > members.size())
        source_.refuse(folder + "set_ends", "does not ascend");
      auto& set =
          mesh_.group_sets.emplace_back(members.begin() + static_cast<std::ptrdiff_t>(begin),
                                        members.begin() + static_cast<std::ptrdiff_t>(end));
      const bool ascends = std::ranges::adjacent_find(set, std::greater_equal<>()) == set.end();
      if (!ascends || (!set.empty() &&
                       (set.front() < 0 || static_cast<std::size_t>(set.back()) >= names.size())))
        source_.refuse(folder + "set_members", "names groups that are not there");
      begin = end;
    }
    if (mesh_.group_sets.empty() || !mesh_.group_sets[0].empty())
      source_.refuse(folder + "set_ends", "has no empty first set");
    mesh_.warnings = texts("/mesh/warnings");
  }

  void read_nodes(double scale) {
    const Share own = share_of(mesh_.n_nodes, comm_.rank(), comm_.size());
    mesh_.coordinates = verified<double>("/mesh/coordinates", own, 3);
    mesh_.node_tags = verified<std::int64_t>("/mesh/node_tags", own);
    for (double& x : mesh_.coordinates)
      if (!std::isfinite(x *= scale))
        source_.refuse("/mesh/coordinates", fmt::format("times the scale {} is not finite", scale));
  }

  /// The first row of an ascending array with a value of at least `value`.
  GlobalIndex lower_bound(const std::string& ids, GlobalIndex value) const {
    GlobalIndex first = 0, last = source_.n_rows(ids);
    while (first < last) {
      const GlobalIndex middle = first + (last - first) / 2;
      if (source_.rows<GlobalIndex>(ids, middle, 1)[0] < value)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }

  /// The type of a block of this kind.
  mesh::CellType type_of(const std::string& folder, std::string_view kind) const {
    mesh::CellType type{};
    if (!folder.starts_with(kind) || !mesh::cell_type_named(folder.substr(kind.size()), type))
      source_.refuse(mesh_layout::blocks, "names a block of no known type");
    return type;
  }

  void read_cells(const std::string& folder, mesh::CellType type) {
    if (mesh::traits(type).dim != mesh_.dim) source_.refuse(folder, "has another dimension");
    const Share own = share_of(mesh_.n_cells, comm_.rank(), comm_.size());
    const std::string ids = folder + "/ids";
    const Share rows{lower_bound(ids, own.first), lower_bound(ids, own.last)};
    mesh::RawBlock block = read_block(folder, type, rows);
    block.ids = verified<GlobalIndex>(ids, rows);
    for (std::size_t c = 0; c < block.ids.size(); ++c)
      if (block.ids[c] < own.first || block.ids[c] >= own.last ||
          (c > 0 && block.ids[c] <= block.ids[c - 1]))
        source_.refuse(ids, "does not ascend");
    mesh_.cells.push_back(std::move(block));
  }

  /// Every number of a cell of this rank's share occurs once.
  void require_every_cell() const {
    const Share own = share_of(mesh_.n_cells, comm_.rank(), comm_.size());
    std::size_t n = 0;
    for (const mesh::RawBlock& block : mesh_.cells) n += block.ids.size();
    std::vector<bool> there(n, false);
    if (n == static_cast<std::size_t>(own.count()))
      for (const mesh::RawBlock& block : mesh_.cells)
        for (const GlobalIndex id : block.ids)
          there[static_cast<std::size_t>(id - own.first)] = true;
    if (n != static_cast<std::size_t>(own.count()) ||
        std::ranges::find(there, false) != there.end())
      source_.refuse("/mesh/cells", "has not every cell once");
  }

  void read_entities(const std::string& folder, mesh::CellType type) {
    if (mesh::traits(type).dim >= mesh_.dim) source_.refuse(folder, "has another dimension");
    const GlobalIndex n = source_.n_rows(folder + "/tags");
    mesh_.entities.push_back(read_block(folder, type, share_of(n, comm_.rank(), comm_.size())));
  }

  mesh::RawBlock read_block(const std::string& folder, mesh::CellType type, Share rows) const {
    mesh::RawBlock block{type, {}, {}, {}, {}};
    block.nodes = verified<GlobalIndex>(folder + "/nodes", rows,
                                        static_cast<std::size_t>(mesh::traits(type).n_nodes));
    block.tags = verified<std::int64_t>(folder + "/tags", rows);
    block.group_set = verified<std::int32_t>(folder + "/group_sets", rows);
    for (const GlobalIndex node : block.nodes)
      if (node < 0 || node >= mesh_.n_nodes)
        source_.refuse(folder + "/nodes", fmt::format("has node {} of {}", node, mesh_.n_nodes));
    for (const int set : block.group_set)
      if (set < 0 || static_cast<std::size_t>(set) >= mesh_.group_sets.size())
        source_.refuse(folder + "/group_sets", fmt::format("has set {}", set));
    return block;
  }

  const Comm& comm_;
  Hdf5Source source_;
  mesh::RawMesh mesh_;
};

}  // namespace

mesh::RawMesh read_mesh_hdf5(const Comm& comm, const std::string& path, double scale) {
  mesh::RawMesh mesh;
  comm.agree([&] { mesh = MeshReader(comm, path).read(scale); });
  return mesh;
}

bool is_hdf5(const std::string& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  char start[signature.size()] = {};
  return file && pread(file.number(), start, sizeof start, 0) == sizeof start &&
         std::string_view(start, sizeof start) == signature;
}

}  // namespace trestle::io

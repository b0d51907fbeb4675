// Reading a binary .msh file in slices gives every rank the slice that reading it whole gives, and
// what is wrong with a file is said as when it is read whole.
#include "io/gmsh/slices.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

#include "io/gmsh/plan.hpp"
#include "mesh/generate.hpp"
#include "mesh/scatter.hpp"
#include "tests/io/gmsh_support.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/raw_blocks.hpp"

namespace trestle::test {
namespace {

/// Rank 0 reads the whole file and hands out slices. Collective.
mesh::RawMesh read_by_rank_0(const std::string& path, double scale = 1) {
  mesh::RawMesh whole;
  world().agree([&] {
    if (world().is_root())
      whole = io::make_checked_mesh(path, io::read_gmsh_content(path), {.scale = scale});
  });
  return mesh::scatter(world(), std::move(whole));
}

/// Whether the file is read in slices, which are those of the whole. Collective.
void expect_slices(const std::string& path, double scale = 1) {
  const mesh::RawMesh expected = read_by_rank_0(path, scale);
  const auto mesh = io::read_gmsh_slices(world(), path, scale);
  ASSERT_TRUE(mesh.has_value()) << path;
  EXPECT_EQ(mesh->dim, expected.dim);
  EXPECT_EQ(mesh->n_nodes, expected.n_nodes);
  EXPECT_EQ(mesh->n_cells, expected.n_cells);
  EXPECT_EQ(mesh->coordinates, expected.coordinates);  // bit for bit
  EXPECT_EQ(mesh->node_tags, expected.node_tags);
  EXPECT_EQ(mesh->group_sets, expected.group_sets);
  EXPECT_EQ(mesh->warnings, expected.warnings);
  ASSERT_EQ(mesh->groups.size(), expected.groups.size());
  for (std::size_t g = 0; g < mesh->groups.size(); ++g) {
    EXPECT_EQ(mesh->groups[g].name, expected.groups[g].name);
    EXPECT_EQ(mesh->groups[g].dim, expected.groups[g].dim);
    EXPECT_EQ(mesh->groups[g].tag, expected.groups[g].tag);
  }
  expect_same_blocks(mesh->cells, expected.cells);
  expect_same_blocks(mesh->entities, expected.entities);
}

/// How a mesh is written as a binary file of version 4.1.
struct Gmsh41 {
  std::int64_t rows_per_block = 1 << 20;
  bool parametric = false;        // nodes carry the parameters of a surface
  bool scattered_ids = false;     // of nodes and elements, with gaps and out of order
  bool swapped = false;           // in the other byte order
  bool without_entities = false;  // and so without groups
  std::string more;               // sections before $Nodes
};

/// Writes numbers behind each other.
class Bytes {
 public:
  explicit Bytes(bool swapped) : swapped_(swapped) {}
  void text(const std::string& text) { bytes_ += text; }
  template <class T>
  void add(T value) {
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
    if (swapped_) std::reverse(bytes.begin(), bytes.end());
    bytes_ += bytes;
  }
  std::string take() { return std::move(bytes_); }

 private:
  bool swapped_;
  std::string bytes_;
};

/// A whole mesh as a file: an entity for every set of groups of each dimension.
class Gmsh41Writer {
 public:
  Gmsh41Writer(const mesh::RawMesh& mesh, const Gmsh41& how)
      : mesh_(mesh), how_(how), out_(how.swapped) {}

  std::string write() {
    out_.text("$MeshFormat\n4.1 1 8\n");
    out_.add(std::int32_t{1});
    out_.text("\n$EndMeshFormat\n$PhysicalNames\n" + std::to_string(mesh_.groups.size()) + "\n");
    for (std::size_t g = 0; g < mesh_.groups.size(); ++g)
      out_.text(std::to_string(mesh_.groups[g].dim) + " " + std::to_string(g + 1) + " \"" +
                mesh_.groups[g].name + "\"\n");
    out_.text("$EndPhysicalNames\n");
    if (!how_.without_entities) write_entities();
    out_.text(how_.more);
    write_nodes();
    write_elements();
    return out_.take();
  }

 private:
  std::int64_t n_sets() const { return static_cast<std::int64_t>(mesh_.group_sets.size()); }

  void write_entities() {
    out_.text("$Entities\n");
    for (int dim = 0; dim < 4; ++dim) out_.add(static_cast<std::uint64_t>(n_sets()));
    for (int dim = 0; dim < 4; ++dim)
      for (std::int64_t s = 0; s < n_sets(); ++s) {
        out_.add(static_cast<std::int32_t>(s + 1));
        for (int i = 0; i < (dim == 0 ? 3 : 6); ++i) out_.add(0.0);
        std::vector<int> tags;
        for (const int g : mesh_.group_sets[static_cast<std::size_t>(s)])
          if (mesh_.groups[static_cast<std::size_t>(g)].dim == dim) tags.push_back(g + 1);
        out_.add(static_cast<std::uint64_t>(tags.size()));
        for (const int tag : tags) out_.add(static_cast<std::int32_t>(tag));
        if (dim > 0) out_.add(std::uint64_t{0});
      }
    out_.text("\n$EndEntities\n");
  }

  std::uint64_t scattered(std::int64_t i, std::int64_t n) const {
    if (!how_.scattered_ids) return static_cast<std::uint64_t>(i + 1);
    return static_cast<std::uint64_t>(3 * ((i * 7919 + 13) % n) + 5);  // 7919 is prime
  }
  std::uint64_t node_tag(std::int64_t i) const { return scattered(i, mesh_.n_nodes); }

  void write_totals(std::int64_t n_blocks, std::int64_t n) {
    std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      lowest = std::min(lowest, scattered(i, n));
      highest = std::max(highest, scattered(i, n));
    }
    out_.add(static_cast<std::uint64_t>(n_blocks));
    out_.add(static_cast<std::uint64_t>(n));
    out_.add(lowest);
    out_.add(highest);
  }

  void write_nodes() {
    const std::int64_t rows = how_.rows_per_block, n = mesh_.n_nodes;
    out_.text("$Nodes\n");
    write_totals((n + rows - 1) / rows, n);
    for (std::int64_t first = 0; first < n; first += rows) {
      const std::int64_t last = std::min(n, first + rows);
      out_.add(std::int32_t{2});
      out_.add(std::int32_t{1});
      out_.add(how_.parametric ? std::int32_t{1} : std::int32_t{0});
      out_.add(static_cast<std::uint64_t>(last - first));
      for (std::int64_t i = first; i < last; ++i) out_.add(node_tag(i));
      for (std::int64_t i = first; i < last; ++i) {
        for (std::size_t d = 0; d < 3; ++d)
          out_.add(mesh_.coordinates[3 * static_cast<std::size_t>(i) + d]);
        for (int p = 0; how_.parametric && p < 2; ++p) out_.add(0.25);
      }
    }
    out_.text("\n$EndNodes\n");
  }

  struct Run {
    const mesh::RawBlock* block;
    std::size_t first, last;  // elements of one set
  };

  std::vector<Run> runs() const {
    std::vector<Run> found;
    for (const auto* blocks : {&mesh_.entities, &mesh_.cells})
      for (const mesh::RawBlock& block : *blocks)
        for (std::size_t e = 0; e < block.size();) {
          std::size_t last = e;
          while (last < block.size() && block.group_set[last] == block.group_set[e] &&
                 last - e < static_cast<std::size_t>(how_.rows_per_block))
            ++last;
          found.push_back({&block, e, last});
          e = last;
        }
    return found;
  }

  void write_elements() {
    const std::vector<Run> all = runs();
    std::int64_t n = 0, next = 0;
    for (const Run& run : all) n += static_cast<std::int64_t>(run.last - run.first);
    out_.text("$Elements\n");
    write_totals(static_cast<std::int64_t>(all.size()), n);
    for (const Run& run : all) {
      const mesh::CellTraits& type = mesh::traits(run.block->type);
      out_.add(static_cast<std::int32_t>(type.dim));
      out_.add(static_cast<std::int32_t>(run.block->group_set[run.first] + 1));
      out_.add(static_cast<std::int32_t>(type.gmsh_type));
      out_.add(static_cast<std::uint64_t>(run.last - run.first));
      const auto width = static_cast<std::size_t>(type.n_nodes);
      for (std::size_t e = run.first; e < run.last; ++e) {
        out_.add(scattered(next++, n));
        for (std::size_t a = 0; a < width; ++a) out_.add(node_tag(run.block->nodes[e * width + a]));
      }
    }
    out_.text("\n$EndElements\n");
  }

  const mesh::RawMesh& mesh_;
  Gmsh41 how_;
  Bytes out_;
};

std::string box_file(mesh::CellType type, const Gmsh41& how = {}) {
  mesh::BoxOptions box;
  box.cell = type;
  box.cells = {4, 3, 5};
  const Comm own = alone();
  const mesh::RawMesh mesh = mesh::generate_box(own, box);
  return Gmsh41Writer(mesh, how).write();
}

void expect_slices_of(const std::string& bytes, double scale = 1) {
  const TemporaryFile file(world(), bytes);
  expect_slices(file.path(), scale);
}

TEST(GmshSlices, AreThoseOfTheWholeForFilesOfGmsh) {
  for (const std::string name :
       {"enc41_le.msh", "enc41_be.msh", "multi41_bin.msh", "mixed3d_41bin.msh", "crlf41_bin.msh"})
    expect_slices(mesh_file(name));
}

TEST(GmshSlices, AreThoseOfTheWholeForEveryTypeOfCell) {
  for (int t = 0; t < mesh::n_cell_types; ++t)
    if (const auto type = static_cast<mesh::CellType>(t); mesh::traits(type).dim >= 2)
      expect_slices_of(box_file(type));
}

TEST(GmshSlices, AreThoseOfTheWholeForManyBlocksAndAnyIds) {
  using enum mesh::CellType;
  for (const mesh::CellType type : {tet4, hex20, tri6}) {
    expect_slices_of(box_file(type, {.rows_per_block = 1}));
    expect_slices_of(box_file(type, {.rows_per_block = 7, .scattered_ids = true}));
    expect_slices_of(box_file(type, {.rows_per_block = 10, .parametric = true, .swapped = true}));
    expect_slices_of(box_file(type, {.without_entities = true}));
  }
  expect_slices_of(box_file(tet4, {.scattered_ids = true}), 1e-3);
}

TEST(GmshSlices, PassOverOtherSections) {
  expect_slices_of(box_file(mesh::CellType::hex8,
                            {.more = "$Comments\n$EndCommentsNot yet\n" + std::string(200000, 'x') +
                                     "\n$EndComments\n$NodeData\n1\n$EndNodeData\n"
                                     "$NodeData\n2\n$EndNodeData\n"}));
}

TEST(GmshSlices, OfMoreRanksThanCells) {
  mesh::BoxOptions box;
  box.cell = mesh::CellType::hex8;
  box.cells = {1, 1, 1};
  const Comm own = alone();
  expect_slices_of(Gmsh41Writer(mesh::generate_box(own, box), {}).write());
}

TEST(GmshSlices, AreLeftToTheReaderOfTheWholeWhereThereIsSomethingToSay) {
  for (const std::string name : {"enc41_a.msh", "orphans41.msh", "unmerged22.msh", "no_such_file"})
    EXPECT_FALSE(io::read_gmsh_slices(world(), mesh_file(name), 1)) << name;
}

/// Whatever is done to a file: all ranks together say the same, or have the same mesh, as one.
void expect_one_voice(const std::string& bytes) {
  const TemporaryFile file(world(), bytes);
  const Comm own = alone();
  const Failure together = failure_of(world(), file.path());
  const Failure single = failure_of(own, file.path());
  WholeMesh a, b;
  if (together.code == 0 && single.code == 0) {
    a = gathered(world(), io::read_gmsh(world(), file.path()));
    b = gathered(own, io::read_gmsh(own, file.path()));
  }
  world().barrier();  // before the file goes
  EXPECT_EQ(together.code, single.code);
  EXPECT_EQ(together.message, single.message);
  EXPECT_EQ(a.node_tags, b.node_tags);
  EXPECT_EQ(a.coordinates, b.coordinates);
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.entities, b.entities);
  EXPECT_EQ(a.warnings, b.warnings);
}

TEST(GmshSlices, SayWhatTheReaderOfTheWholeSaysOfTruncatedFiles) {
  const std::string bytes = bytes_of(mesh_file("mixed3d_41bin.msh"));
  for (std::size_t n = 1; n < bytes.size(); n += 23) expect_one_voice(bytes.substr(0, n));
}

TEST(GmshSlices, SayWhatTheReaderOfTheWholeSaysOfChangedFiles) {
  std::mt19937 random(20261201);
  for (const std::string name : {"enc41_le.msh", "enc41_be.msh", "mixed3d_41bin.msh"}) {
    const std::string bytes = bytes_of(mesh_file(name));
    for (int i = 0; i < 50; ++i) {
      std::string mutant = bytes;
      const std::size_t at = random() % mutant.size();
      const int kind = static_cast<int>(random() % 4);
      if (kind == 0) mutant[at] = static_cast<char>(random());
      if (kind == 1) mutant[at] = static_cast<char>(mutant[at] ^ (1 << random() % 8));
      if (kind == 2) mutant.erase(at, 1 + random() % 8);
      if (kind == 3) mutant.insert(at, mutant.substr(random() % mutant.size(), 8));
      expect_one_voice(mutant);
    }
  }
}

TEST(GmshPlan, FindsBlocksByTheirHeaders) {
  const TemporaryFile file(world(), box_file(mesh::CellType::tet4, {.rows_per_block = 50}));
  const auto plan = io::read_gmsh_plan(file.path());
  world().barrier();  // before the file goes
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->nodes.count, 5 * 4 * 6);
  EXPECT_EQ(plan->node_blocks.size(), 3u);
  EXPECT_EQ(plan->node_blocks[2].count, 20);
  const std::int64_t bytes_of_block = 50 * 8 * 4 + 20;  // ids, coordinates, the next header
  EXPECT_EQ(plan->node_blocks[1].begin - plan->node_blocks[0].begin, bytes_of_block);
  std::int64_t n_cells = 0;
  for (const io::GmshBlock& block : plan->element_blocks)
    if (block.kind == static_cast<int>(mesh::CellType::tet4)) n_cells += block.count;
  EXPECT_EQ(n_cells, 6 * 4 * 3 * 5);
  EXPECT_FALSE(io::read_gmsh_plan(mesh_file("enc41_a.msh")));  // text
  EXPECT_FALSE(io::read_gmsh_plan(mesh_file("enc22_le.msh")));
}

}  // namespace
}  // namespace trestle::test

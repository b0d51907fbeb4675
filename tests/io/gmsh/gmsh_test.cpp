// Tests that the Gmsh reader reads what is right: versions, encodings, groups, cells of all types.
#include "io/gmsh/gmsh.hpp"

#include <clocale>
#include <limits>
#include <map>
#include <set>

#include "mesh/mesh.hpp"
#include "mesh/quality.hpp"
#include "mesh/reference_map.hpp"
#include "tests/io/gmsh_support.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

constexpr double round_off = 1e-14;  // sums of some ten products of numbers of size 1

double total(const WholeMesh& mesh) { return mesh.measure(mesh.cells); }

/// The square with edges of 1 on which most cases stand, its groups at their places.
void expect_unit_square(const WholeMesh& mesh) {
  EXPECT_NEAR(total(mesh), 1, round_off);
  std::map<std::int64_t, mesh::Point> at;
  for (std::size_t i = 0; i < mesh.node_tags.size(); ++i)
    at[mesh.node_tags[i]] = {mesh.coordinates[3 * i], mesh.coordinates[3 * i + 1],
                             mesh.coordinates[3 * i + 2]};
  const std::map<std::string, double> sides{{"left", 0.0}, {"right", 1.0}};
  for (const auto& [name, x] : sides) {
    const auto members = mesh.members(name, 1);
    EXPECT_NEAR(mesh.measure(members), 1, round_off) << name;
    for (const WholeCell& edge : members)
      for (const std::int64_t node : edge.nodes) EXPECT_EQ(at.at(node)[0], x);
  }
}

class ReadsUnitSquare : public testing::TestWithParam<std::string> {};

TEST_P(ReadsUnitSquare, WithItsSides) { expect_unit_square(read_whole(GetParam())); }

TEST_P(ReadsUnitSquare, ForTheRanksToShare) {
  const mesh::Mesh mesh = mesh::distribute(world(), io::read_gmsh(world(), mesh_file(GetParam())),
                                           mesh::Partitioner::hilbert);
  const std::vector<double> measures = mesh::compute_measures(mesh);
  EXPECT_NEAR(mesh::summarise(mesh).measure, 1, round_off);
  for (const std::string side : {"left", "right"}) {
    const mesh::LocalGroup* group = mesh.find_group(side, 1);
    ASSERT_NE(group, nullptr);
    EXPECT_NEAR(measures[static_cast<std::size_t>(group - mesh.groups.data())], 1, round_off);
    for (const mesh::Entity& edge : group->entities) EXPECT_GE(edge.parent_cell, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, ReadsUnitSquare,
    testing::Values("orphans22.msh", "orphans41.msh", "permuted22.msh", "permuted41.msh",
                    "gaps22.msh", "gaps41.msh", "multi41.msh", "multi41_bin.msh", "dup22.msh",
                    "partly22.msh", "partly41.msh", "mixed22.msh", "mixed41.msh", "flip2d_22.msh",
                    "flipquad_22.msh", "z_const5_22.msh", "z_roundoff22.msh", "crlf22.msh",
                    "crlf22_bin.msh", "crlf41.msh", "crlf41_bin.msh", "periodic22.msh",
                    "periodic41.msh", "sametag22.msh", "sametag41.msh", "v2.msh", "v21.msh",
                    "v41.msh", "interface22.msh", "interface41.msh", "enc22_a.msh", "enc22_be.msh",
                    "enc22_le.msh", "enc41_a.msh", "enc41_be.msh", "enc41_le.msh"),
    [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

void expect_same(const WholeMesh& a, const WholeMesh& b) {
  EXPECT_EQ(a.node_tags, b.node_tags);
  EXPECT_EQ(a.coordinates, b.coordinates);  // bit for bit
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.entities, b.entities);
}

TEST(ReadGmsh, GivesTheSameBitsInSixEncodings) {
  for (const std::string version : {"22", "41"}) {
    const WholeMesh ascii = read_whole("enc" + version + "_a.msh");
    expect_same(ascii, read_whole("enc" + version + "_le.msh"));
    expect_same(ascii, read_whole("enc" + version + "_be.msh"));
  }
  const WholeMesh two = read_whole("enc22_a.msh"), four = read_whole("enc41_a.msh");
  EXPECT_EQ(two.cells, four.cells);
  EXPECT_EQ(two.entities, four.entities);
  std::map<std::int64_t, mesh::Point> x, y;
  for (std::size_t i = 0; i < two.node_tags.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d) {
      x[two.node_tags[i]][d] = two.coordinates[3 * i + d];
      y[four.node_tags[i]][d] = four.coordinates[3 * i + d];
    }
  EXPECT_EQ(x, y);
}

TEST(ReadGmsh, GivesTheSameForVersions2And21And22And41) {
  const WholeMesh reference = read_whole("v41.msh");
  for (const std::string name : {"v2.msh", "v21.msh"}) {
    const WholeMesh mesh = read_whole(name);
    EXPECT_EQ(mesh.cells, reference.cells);
    EXPECT_EQ(mesh.entities, reference.entities);
  }
}

TEST(ReadGmsh, ReadsNamesOfVersion20WithoutDimension) {
  const std::string with = bytes_of(mesh_file("v2.msh"));
  std::string without = replaced(with, "1 1 \"left\"", "1 \"left\"");
  without = replaced(without, "2 10 \"domain\"", "10 \"domain\"");
  const WholeMesh mesh = read_bytes(world(), without);
  EXPECT_EQ(mesh.members("left", 1).size(), 2u);
  EXPECT_EQ(mesh.members("domain", 2).size(), 8u);
}

TEST(ReadGmsh, ReadsLineEndsOfWindowsAlike) {
  const WholeMesh reference = read_whole("crlf22.msh");
  for (const std::string name : {"crlf41.msh", "crlf41_bin.msh", "crlf22_bin.msh"}) {
    const WholeMesh mesh = read_whole(name);
    EXPECT_EQ(mesh.cells, reference.cells) << name;
    EXPECT_EQ(mesh.entities, reference.entities) << name;
  }
}

TEST(ReadGmsh, ReadsAFileWithoutItsLastLineEnd) {
  const std::string bytes = bytes_of(mesh_file("v41.msh"));
  expect_same(read_bytes(world(), bytes.substr(0, bytes.size() - 1)), read_whole("v41.msh"));
}

TEST(ReadGmsh, ReadsNumbersWhateverTheLocale) {
  const std::string before = setlocale(LC_ALL, nullptr);
  if (setlocale(LC_ALL, "de_DE.UTF-8") == nullptr)
    GTEST_SKIP() << "this machine has no locale with a decimal comma";
  expect_unit_square(read_whole("v41.msh"));
  setlocale(LC_ALL, before.c_str());
}

TEST(ReadGmsh, LeavesOutNodesThatNoCellUses) {
  for (const std::string name : {"orphans22.msh", "orphans41.msh"}) {
    const WholeMesh mesh = read_whole(name);
    const std::set<std::int64_t> tags(mesh.node_tags.begin(), mesh.node_tags.end());
    EXPECT_EQ(mesh.node_tags.size(), 9u) << name;
    EXPECT_EQ(tags, (std::set<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9})) << name;
    EXPECT_TRUE(mesh.warns("Left out 2 nodes that no cell of dimension 2 uses: 99, 100"));
  }
}

TEST(ReadGmsh, KeepsIdsOfTheFile) {
  const std::string file = ascii22({"1000000000000 0 0 0", "7 1 0 0", "9000000 0 1 0"},
                                   {"123456789 2 2 5 1 1000000000000 7 9000000"});
  const WholeMesh text = read_bytes(world(), file);
  EXPECT_EQ(text.node_tags, (std::vector<std::int64_t>{1000000000000, 7, 9000000}));
  EXPECT_EQ(text.cells.at(0).tag, 123456789);
  const std::string most = "9223372036854775807";  // 2^63 - 1
  const WholeMesh last =
      read_bytes(world(), ascii22({most + " 0 0 0", "7 1 0 0", "2147483648 0 1 0"},
                                  {most + " 2 2 5 1 " + most + " 7 2147483648"}));
  EXPECT_EQ(last.node_tags.at(0), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(last.cells.at(0).tag, std::numeric_limits<std::int64_t>::max());
  const std::string big =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 7 1000000000000\n2 1 0 "
      "3\n1000000000000\n7\n9000000\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n1 1 8000000000 "
      "8000000000\n2 1 2 1\n8000000000 1000000000000 7 9000000\n$EndElements\n";
  const WholeMesh mesh = read_bytes(world(), big);
  EXPECT_EQ(mesh.node_tags, (std::vector<std::int64_t>{1000000000000, 7, 9000000}));
  EXPECT_EQ(mesh.cells.at(0).tag, 8000000000);
  EXPECT_NEAR(total(mesh), 0.5, round_off);
}

TEST(ReadGmsh, NumbersNodesAndCellsInTheOrderOfTheFile) {
  const WholeMesh mesh = read_whole("gaps22.msh");
  const std::string text = bytes_of(mesh_file("gaps22.msh"));
  std::size_t at = text.find("$Nodes");
  for (const std::int64_t tag : mesh.node_tags) {
    const std::size_t next = text.find("\n" + std::to_string(tag) + " ", at);
    ASSERT_NE(next, std::string::npos) << tag << " is not behind its predecessor";
    at = next + 1;
  }
  const WholeMesh mixed = read_whole("mixed22.msh");
  for (std::size_t c = 1; c < mixed.cells.size(); ++c)
    EXPECT_LT(mixed.cells[c - 1].tag, mixed.cells[c].tag);
}

TEST(ReadGmsh, GivesAnEntityAllItsGroups) {
  for (const std::string name : {"multi41.msh", "multi41_bin.msh", "dup22.msh"}) {
    const WholeMesh mesh = read_whole(name);
    EXPECT_EQ(mesh.cells.size(), 8u) << name;
    EXPECT_EQ(mesh.entities.size(), 8u) << name;
    EXPECT_EQ(mesh.members("skin", 1).size(), 8u);
    EXPECT_NEAR(mesh.measure(mesh.members("skin", 1)), 4, round_off);
    EXPECT_EQ(mesh.members("left", 1).size(), 2u);
    EXPECT_EQ(mesh.members("whole", 2).size(), 8u);
    EXPECT_EQ(mesh.members("domain", 2).size(), 8u);
  }
  EXPECT_TRUE(read_whole("dup22.msh").warns("8 elements of type tri3 have the same nodes"));
}

TEST(ReadGmsh, ReadsMeshesWithoutGroups) {
  for (const std::string name : {"nophys22.msh", "nophys41.msh"}) {
    const WholeMesh mesh = read_whole(name);
    EXPECT_TRUE(mesh.groups.empty());
    EXPECT_EQ(mesh.cells.size(), 8u);
    for (const WholeCell& cell : mesh.cells) EXPECT_TRUE(cell.groups.empty());
  }
}

TEST(ReadGmsh, KeepsCellsThatHaveNoGroup) {
  for (const std::string name : {"partly22.msh", "partly41.msh"}) {
    const WholeMesh mesh = read_whole(name);
    EXPECT_EQ(mesh.cells.size(), 4u);
    EXPECT_EQ(mesh.members("domain", 2).size(), 2u);
  }
}

TEST(ReadGmsh, TellsGroupsOfOneTagByDimension) {
  for (const std::string name : {"sametag22.msh", "sametag41.msh"}) {
    const WholeMesh mesh = read_whole(name);
    EXPECT_NEAR(mesh.measure(mesh.members("west", 2)), 0.5, round_off);
    EXPECT_NEAR(mesh.measure(mesh.members("east", 2)), 0.5, round_off);
    EXPECT_EQ(mesh.members("left", 1).size(), 2u);
  }
}

TEST(ReadGmsh, ListsGroupsThatHoldNothing) {
  const std::string file =
      ascii22({"1 0 0 0", "2 1 0 0", "3 0 1 0"}, {"1 2 2 5 1 1 2 3"}, {"2 5 \"a\"", "1 6 \"b\""});
  const WholeMesh mesh = read_bytes(world(), file);
  ASSERT_EQ(mesh.groups.size(), 2u);
  EXPECT_EQ(mesh.groups[1].name, "b");
  EXPECT_TRUE(mesh.members("b", 1).empty());
}

TEST(ReadGmsh, NamesNamelessGroupsByTheirTag) {
  const WholeMesh mesh =
      read_bytes(world(), ascii22({"1 0 0 0", "2 1 0 0", "3 0 1 0"},
                                  {"1 2 2 42 1 1 2 3", "2 1 2 -7 1 1 2", "3 15 2 8 1 3"}));
  EXPECT_EQ(mesh.members("42", 2).size(), 1u);
  EXPECT_EQ(mesh.members("7", 1).size(), 1u);  // Gmsh gives reversed entities a negative tag
  EXPECT_EQ(mesh.members("8", 0).size(), 1u);
}

TEST(ReadGmsh, ReadsNamesWithQuotesAndUtf8AndOfAnyLength) {
  const std::string length(10000, 'n');
  const std::vector<std::string> names{"wall \"A\"",
                                       "Fl\xc3\xa4"
                                       "che \xe2\x88\x82\xce\xa9",
                                       length, "with  blanks $EndNodes"};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back("2 " + std::to_string(i + 1) + "  \"" + names[i] + "\" ");
  const WholeMesh mesh =
      read_bytes(world(), ascii22({"1 0 0 0", "2 1 0 0", "3 0 1 0"}, {"1 2 2 2 1 1 2 3"}, lines));
  ASSERT_EQ(mesh.groups.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(mesh.groups[i].name, names[i]);
  EXPECT_EQ(mesh.members(names[1], 2).size(), 1u);
}

TEST(ReadGmsh, ReadsMixedCells) {
  using Counts = std::map<std::string, int>;
  for (const std::string name : {"mixed22.msh", "mixed41.msh"})
    EXPECT_EQ(read_whole(name).cells_by_type(), (Counts{{"tri3", 8}, {"quad4", 5}}));
  for (const std::string name : {"mixed3d_22.msh", "mixed3d_41.msh", "mixed3d_41bin.msh"}) {
    const WholeMesh mesh = read_whole(name);
    EXPECT_EQ(mesh.cells_by_type(),
              (Counts{{"tet4", 1}, {"hex8", 1}, {"prism6", 1}, {"pyramid5", 1}}));
    const double volume = 1 + 0.5 + 0.8 / 3 + 0.15;  // hex, prism, pyramid, tet
    EXPECT_NEAR(total(mesh), volume, round_off);
    EXPECT_TRUE(mesh.warnings.empty());
  }
}

struct Quadratic {
  std::string name;
  mesh::CellType type;
  double measure;
};

TEST(ReadGmsh, ReadsMidNodesOfQuadraticCellsInGmshsOrder) {
  using enum mesh::CellType;
  for (const auto& [name, type, measure] : std::vector<Quadratic>{{"tri6", tri6, 1},
                                                                  {"quad9", quad9, 2},
                                                                  {"quad8", quad8, 2},
                                                                  {"tet10", tet10, 1.0 / 6},
                                                                  {"hex27", hex27, 6},
                                                                  {"hex20", hex20, 6},
                                                                  {"wedge15", prism15, 1}})
    for (const std::string version : {"_22.msh", "_41.msh"}) {
      const WholeMesh mesh = read_whole(name + version);
      ASSERT_EQ(mesh.cells.size(), 1u);
      EXPECT_EQ(mesh.cells[0].type, type);
      EXPECT_NEAR(total(mesh), measure, 10 * round_off) << name;
      std::map<std::int64_t, std::size_t> position;
      for (std::size_t i = 0; i < mesh.node_tags.size(); ++i) position[mesh.node_tags[i]] = 3 * i;
      for (const mesh::SubCell& edge : mesh::traits(type).edges)
        for (std::size_t d = 0; d < 3; ++d) {
          const auto x = [&](std::size_t k) {
            return mesh.coordinates[position.at(mesh.cells[0].nodes[edge.nodes[k]]) + d];
          };
          EXPECT_NEAR(x(2), (x(0) + x(1)) / 2, round_off) << name << version;
        }
    }
}

TEST(ReadGmsh, TurnsInvertedCellsWithOneWarning) {
  const WholeMesh square = read_whole("flip2d_22.msh"), quads = read_whole("flipquad_22.msh");
  EXPECT_NEAR(total(square), 1, round_off);
  EXPECT_EQ(square.warnings.size(), 1u);
  EXPECT_TRUE(square.warns("9 inverted cells"));
  EXPECT_TRUE(quads.warns("2 inverted cells"));
  const WholeMesh cube = read_whole("flip3d_22.msh");
  EXPECT_NEAR(total(cube), 1, round_off);  // signed volumes
  EXPECT_TRUE(cube.warns("6 inverted cells"));
}

TEST(ReadGmsh, ReadsFacetsInsideTheDomainOnce) {
  for (const std::string name : {"interface22.msh", "interface41.msh"}) {
    const WholeMesh mesh = read_whole(name);
    EXPECT_NEAR(mesh.measure(mesh.members("interface", 1)), 1, round_off);
  }
}

TEST(ReadGmsh, DoesNotMergePeriodicNodes) {
  for (const std::string name : {"periodic22.msh", "periodic41.msh"})
    EXPECT_EQ(read_whole(name).node_tags.size(), 9u);
}

TEST(ReadGmsh, WarnsOfUnmergedPartsAndMergesThemWhenAsked) {
  for (const std::string name : {"unmerged22.msh", "floating22.msh"}) {
    EXPECT_TRUE(
        read_whole(name).warns("2 connected components, 3 coincident node pairs (tolerance"));
    const WholeMesh merged = read_whole(name, {.merge_tolerance = 1e-6});
    EXPECT_EQ(merged.node_tags.size(), 15u);
    EXPECT_NEAR(total(merged), 2, round_off);
    EXPECT_TRUE(merged.warns("Merged 3 nodes"));
    EXPECT_FALSE(merged.warns("connected component"));
  }
}

TEST(ReadGmsh, ScalesCoordinates) {
  EXPECT_NEAR(total(read_whole("v41.msh", {.scale = 1e-3})), 1e-6, 1e-6 * round_off);
}

TEST(ReadGmsh, ReadsPartitionedFilesWithTheirGroups) {
  // The cut between the partitions is a curve that carries the tags of the surface.
  const std::string file =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"body\"\n$EndPhysicalNames\n"
      "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 7 0\n$EndEntities\n"
      "$PartitionedEntities\n2\n1\n9 1\n0 1 2 0\n5 2 1 2 1 2 0 0 0 1 1 0 1 7 0\n"
      "11 2 1 1 1 0 0 0 1 1 0 1 7 0\n12 2 1 1 2 0 0 0 1 1 0 1 7 0\n$EndPartitionedEntities\n"
      "$Nodes\n1 4 1 4\n2 11 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
      "$Elements\n3 3 1 3\n1 5 1 1\n3 1 3\n2 11 2 1\n1 1 2 3\n2 12 2 1\n2 1 3 4\n$EndElements\n"
      "$GhostElements\n0\n$EndGhostElements\n";
  const WholeMesh mesh = read_bytes(world(), file);
  EXPECT_EQ(mesh.members("body", 2).size(), 2u);
  EXPECT_TRUE(mesh.entities.empty());
  EXPECT_EQ(mesh.groups.size(), 1u);
}

TEST(ReadGmsh, ReadsPartitionedFilesOfVersion22Whole) {
  const std::vector<std::string> nodes{"1 0 0 0", "2 1 0 0", "3 1 1 0", "4 0 1 0"};
  const WholeMesh mesh =
      read_bytes(world(), ascii22(nodes, {"1 2 5 7 1 2 1 -2 1 2 3", "2 2 5 7 1 2 2 -1 1 3 4"}));
  EXPECT_EQ(mesh.cells.size(), 2u);
  EXPECT_TRUE(mesh.warnings.empty());
  // A partition without cells.
  EXPECT_EQ(read_bytes(world(), ascii22(nodes, {"1 2 4 7 1 1 1 1 2 3", "2 2 4 7 1 1 3 1 3 4"}))
                .cells.size(),
            2u);
  // A tag that is no number of partitions.
  EXPECT_TRUE(read_bytes(world(), ascii22(nodes, {"1 2 4 7 1 9 2 1 2 3", "2 2 4 7 1 9 2 1 3 4"}))
                  .warnings.empty());
  EXPECT_TRUE(read_bytes(world(), ascii22(nodes, {"1 2 4 7 1 1 1 1 2 3", "2 2 4 7 1 1 1 1 3 4"}))
                  .warns("All cells are of partition 1"));
}

TEST(ReadGmsh, ReadsParametricNodes) {
  const std::string file =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
      "$Nodes\n3 3 1 3\n0 1 1 1\n1\n0 0 0\n1 1 1 1\n2\n1 0 0 0.5\n2 1 1 1\n3\n0 1 0 0.1 "
      "0.2\n$EndNodes\n$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n";
  EXPECT_NEAR(total(read_bytes(world(), file)), 0.5, round_off);
}

TEST(ReadGmsh, SkipsCommentsAndUnknownSections) {
  const std::string extra =
      "$Comments\nmade by hand $Nodes\n$EndComments\n$Odd\n\x01\x02\n$EndOdd\n";
  const std::string file = bytes_of(mesh_file("v41.msh"));
  expect_same(read_bytes(world(), extra + file + "$NodeData\n1\n\"T\"\n$EndNodeData\n"),
              read_whole("v41.msh"));
}

TEST(ReadGmsh, ReadsSectionsInAnyOrder) {
  const std::string file = bytes_of(mesh_file("v41.msh"));
  const std::size_t nodes = file.find("$Nodes"), elements = file.find("$Elements");
  expect_same(read_bytes(world(), file.substr(0, nodes) + file.substr(elements) +
                                      file.substr(nodes, elements - nodes)),
              read_whole("v41.msh"));
}

TEST(ReadGmsh, LeavesOutPointsOfTheConstruction) {
  // Gmsh's "save all" writes the centre of an arc as a node with a point element.
  const WholeMesh mesh = read_bytes(
      world(), ascii22({"1 0 0 0", "2 1 0 0", "3 0 1 0", "4 5 5 0"},
                       {"1 15 2 0 4 4", "2 15 2 3 1 1", "3 2 2 1 1 1 2 3", "4 15 2 3 4 4"}));
  EXPECT_EQ(mesh.node_tags.size(), 3u);
  EXPECT_EQ(mesh.members("3", 0).size(), 1u);
  EXPECT_TRUE(mesh.warns("Left out 1 element of the group 3 off all cells of dimension 2"));
}

TEST(ReadGmsh, ReadsOneCellOnAnyNumberOfRanks) {
  const WholeMesh mesh = read_whole("tet10_41.msh");
  EXPECT_EQ(mesh.cells.size(), 1u);
  EXPECT_EQ(mesh.node_tags.size(), 10u);
}

}  // namespace
}  // namespace trestle::test

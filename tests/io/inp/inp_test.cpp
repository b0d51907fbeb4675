// Tests that the reader of decks reads what is right: elements of all types, sets, surfaces, files.
#include "io/inp/inp.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "io/inp/types.hpp"
#include "mesh/mesh.hpp"
#include "mesh/quality.hpp"
#include "mesh/reference_map.hpp"
#include "tests/io/inp_support.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

constexpr double round_off = 1e-14;  // sums of some ten products of numbers of size 1

std::set<std::int64_t> nodes_in(const std::vector<WholeCell>& members) {
  std::set<std::int64_t> nodes;
  for (const WholeCell& cell : members) nodes.insert(cell.nodes.begin(), cell.nodes.end());
  return nodes;
}

std::set<std::int64_t> tags_in(const std::vector<WholeCell>& members) {
  std::set<std::int64_t> tags;
  for (const WholeCell& cell : members) tags.insert(cell.tag);
  return tags;
}

using Ids = std::set<std::int64_t>;

WholeMesh read_deck_file(const std::string& name) {
  return gathered(world(), io::read_inp(world(), mesh_file(name)));
}

TEST(ReadInp, ReadsIdsWithGapsGeneratedSetsAnyCaseAndLineEndsOfWindows) {
  const WholeMesh mesh = read_deck_file("plate.inp");
  EXPECT_EQ(mesh.dim, 2);
  EXPECT_EQ(mesh.node_tags, (std::vector<std::int64_t>{11, 21, 31, 41, 51, 61, 71, 81, 91}));
  EXPECT_EQ(tags_in(mesh.members("plate", 2)), (Ids{500, 505, 510, 515}));
  EXPECT_NEAR(mesh.measure(mesh.cells), 1, round_off);
  EXPECT_EQ(nodes_in(mesh.members("left", 0)), (Ids{11, 41, 71}));
  EXPECT_EQ(nodes_in(mesh.members("Right", 0)), (Ids{31, 61, 91}));
  EXPECT_EQ(mesh.members("NALL", 0).size(), 9u);
  EXPECT_EQ(mesh.warnings.size(), 1u);
  EXPECT_TRUE(mesh.warns("elements CPS4; whether they are plane stress"));
}

TEST(ReadInp, GivesRanksTheirParts) {
  const mesh::Mesh mesh = mesh::distribute(world(), io::read_inp(world(), mesh_file("plate.inp")),
                                           mesh::Partitioner::hilbert);
  EXPECT_NEAR(mesh::summarise(mesh).measure, 1, round_off);
  const mesh::LocalGroup* left = mesh.find_group("left");
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->n_global, 3);
}

/// Every mid node lies in the middle of the vertices that our tables give it.
void expect_mid_nodes_in_the_middle(const WholeMesh& mesh) {
  std::map<std::int64_t, std::size_t> position;
  for (std::size_t i = 0; i < mesh.node_tags.size(); ++i) position[mesh.node_tags[i]] = i;
  for (const WholeCell& cell : mesh.cells)
    for (int a = 0; a < mesh::traits(cell.type).n_nodes; ++a) {
      const mesh::NodeParents parents = mesh::node_parents(cell.type, a);
      for (std::size_t d = 0; d < 3; ++d) {
        double mean = 0;
        for (int v = 0; v < parents.n; ++v)
          mean +=
              mesh.coordinates[3 * position.at(
                                       cell.nodes[parents.vertices[static_cast<std::size_t>(v)]]) +
                               d] /
              parents.n;
        EXPECT_NEAR(mesh.coordinates[3 * position.at(cell.nodes[static_cast<std::size_t>(a)]) + d],
                    mean, round_off)
            << mesh::traits(cell.type).name << " node " << a;
      }
    }
}

TEST(ReadInp, PutsTheMidNodesOfAC3D20OnTheirEdges) {
  const WholeMesh mesh = read_deck_file("c3d20.inp");
  EXPECT_NEAR(mesh.measure(mesh.cells), 1, round_off);
  expect_mid_nodes_in_the_middle(mesh);
}

/// Gmsh writes the same mesh in its own order of nodes and in that of decks.
TEST(ReadInp, GivesCellsTheNodesThatGmshWritesInItsOwnOrder) {
  for (const std::string name : {"hex20_22", "wedge15_22", "tet10_22", "quad8_22", "tri6_22"}) {
    const WholeMesh deck = read_deck_file(name + ".inp"), twin = read_whole(name + ".msh");
    ASSERT_EQ(deck.cells.size(), twin.cells.size()) << name;
    EXPECT_EQ(deck.node_tags, twin.node_tags) << name;
    EXPECT_EQ(deck.coordinates, twin.coordinates) << name;
    for (std::size_t c = 0; c < deck.cells.size(); ++c) {
      EXPECT_EQ(deck.cells[c].type, twin.cells[c].type) << name;
      EXPECT_EQ(deck.cells[c].nodes, twin.cells[c].nodes) << name;
    }
    EXPECT_EQ(deck.members("domain", deck.dim).size(), twin.cells.size()) << name;
    expect_mid_nodes_in_the_middle(deck);
  }
}

/// A deck of one element whose vertices stand where our reference cell has them; mid nodes follow
/// the order of the manuals.
std::string deck_of(const std::string& type, mesh::CellType cell) {
  const mesh::CellTraits& traits = mesh::traits(cell);
  std::string nodes = "*NODE\n", element = "1";
  for (int k = 0; k < traits.n_nodes; ++k) {
    const auto at = io::inp_node_order(cell)[static_cast<std::size_t>(k)];
    const auto& x = traits.nodes[at];
    nodes += fmt::format("{},{},{},{}\n", k + 1, x[0], x[1], x[2]);
    element += fmt::format(",{}{}", k % 9 == 8 ? "\n" : "", k + 1);
  }
  return nodes + "*ELEMENT, TYPE=" + type + ", ELSET=E\n" + element + "\n";
}

/// Facets have no ids in a deck, so that no message may name one.
TEST(ReadInp, TakesAFacetThatSurfacesNameFromBothSidesOnce) {
  const WholeMesh both = read_deck(strip +
                                   "*SURFACE, NAME=a\n10, S2\n20, S1\n*SURFACE, NAME=b\n20, S4\n"
                                   "*SURFACE, NAME=c\n10, S2\n20, S4\n");
  EXPECT_EQ(both.entities.size(), 2u);
  EXPECT_EQ(both.members("a", 1).size(), 2u);
  EXPECT_EQ(both.members("b", 1).size(), 1u);
  EXPECT_EQ(both.members("c", 1).size(), 1u);
  EXPECT_FALSE(both.warns("same nodes"));
  // An element that marks the facet is the facet.
  const WholeMesh marked = read_deck(
      strip + "*ELEMENT, TYPE=T2D2, ELSET=m\n5, 5, 2\n*SURFACE, NAME=a\n10, S2\n20, S1\n");
  EXPECT_EQ(tags_in(marked.members("m", 1)), Ids{5});
  EXPECT_EQ(marked.members("a", 1).size(), 2u);
  EXPECT_EQ(marked.entities.size(), 2u);
  EXPECT_FALSE(marked.warns("same nodes"));
}

TEST(ReadInp, KnowsTheTypesOfElements) {
  using enum mesh::CellType;
  const std::vector<std::pair<std::string, mesh::CellType>> types{
      {"C3D4", tet4},     {"C3D5", pyramid5},  {"C3D6", prism6},  {"C3D8", hex8},
      {"C3D8R", hex8},    {"C3D8I", hex8},     {"C3D10", tet10},  {"C3D10T", tet10},
      {"C3D10MH", tet10}, {"C3D15", prism15},  {"C3D20", hex20},  {"C3D20R", hex20},
      {"c3d20rt", hex20}, {"CPS3", tri3},      {"CPS4R", quad4},  {"CPS6", tri6},
      {"CPS8R", quad8},   {"CPE3", tri3},      {"CPE4H", quad4},  {"CPE6", tri6},
      {"CPE8", quad8},    {"CAX3", tri3},      {"CAX4", quad4},   {"CAX6", tri6},
      {"CAX8R", quad8},   {"DC3D4", tet4},     {"DC3D6", prism6}, {"DC3D8", hex8},
      {"DC3D10", tet10},  {"DC3D15", prism15}, {"DC3D20", hex20}, {"DC2D3", tri3},
      {"DC2D4", quad4},   {"DC2D6", tri6},     {"DC2D8", quad8},  {"DCAX8", quad8}};
  for (const auto& [name, cell] : types) {
    const WholeMesh mesh = read_deck(deck_of(name, cell));
    ASSERT_EQ(mesh.cells.size(), 1u) << name;
    EXPECT_EQ(mesh.cells[0].type, cell) << name;
    expect_mid_nodes_in_the_middle(mesh);
  }
}

TEST(ReadInp, SaysThatFormulationsAreNotTaken) {
  EXPECT_TRUE(read_deck(deck_of("C3D8I", mesh::CellType::hex8))
                  .warns("C3D8I (incompatible modes as plain hex8)"));
  EXPECT_TRUE(read_deck(deck_of("C3D20R", mesh::CellType::hex20))
                  .warns("C3D20R (reduced integration as plain hex20)"));
  EXPECT_TRUE(read_deck(deck_of("C3D20", mesh::CellType::hex20)).warnings.empty());
}

/// The faces of the manuals, by a point of each and its label.
struct Face {
  std::string label;
  mesh::Point centre;
};

void expect_faces(const std::string& type, mesh::CellType cell, const std::vector<Face>& faces) {
  for (const Face& face : faces) {
    const WholeMesh mesh =
        read_deck(deck_of(type, cell) + "*SURFACE, NAME=skin\nE, " + face.label + "\n");
    const auto members = mesh.members("skin", mesh.dim - 1);
    ASSERT_EQ(members.size(), 1u) << type << face.label;
    const int n = mesh::traits(members[0].type).n_vertices;
    mesh::Point centre{};
    for (int a = 0; a < n; ++a)
      for (std::size_t d = 0; d < 3; ++d)
        centre[d] += mesh.coordinates[3 * static_cast<std::size_t>(
                                              members[0].nodes[static_cast<std::size_t>(a)] - 1) +
                                      d] /
                     n;
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(centre[d], face.centre[d], round_off) << type << face.label;
  }
}

TEST(ReadInp, FindsTheFacesOfLabels) {
  constexpr double third = 1 / 3.0;
  using enum mesh::CellType;
  const std::vector<Face> hex{{"S1", {0, 0, -1}}, {"S2", {0, 0, 1}}, {"S3", {0, -1, 0}},
                              {"S4", {1, 0, 0}},  {"s5", {0, 1, 0}}, {"S6", {-1, 0, 0}}};
  const std::vector<Face> tet{{"S1", {third, third, 0}},
                              {"S2", {third, 0, third}},
                              {"S3", {third, third, third}},
                              {"S4", {0, third, third}}};
  const std::vector<Face> prism{{"S1", {third, third, -1}},
                                {"S2", {third, third, 1}},
                                {"S3", {0.5, 0, 0}},
                                {"S4", {0.5, 0.5, 0}},
                                {"S5", {0, 0.5, 0}}};
  const std::vector<Face> tri{{"S1", {0.5, 0, 0}}, {"S2", {0.5, 0.5, 0}}, {"S3", {0, 0.5, 0}}};
  const std::vector<Face> quad{
      {"S1", {0, -1, 0}}, {"S2", {1, 0, 0}}, {"S3", {0, 1, 0}}, {"S4", {-1, 0, 0}}};
  expect_faces("C3D8", hex8, hex);
  expect_faces("C3D20", hex20, hex);
  expect_faces("C3D4", tet4, tet);
  expect_faces("C3D10", tet10, tet);
  expect_faces("C3D6", prism6, prism);
  expect_faces("C3D15", prism15, prism);
  expect_faces("CPS3", tri3, tri);
  expect_faces("CPE6", tri6, tri);
  expect_faces("CAX4", quad4, quad);
  expect_faces("CPS8", quad8, quad);
}

TEST(ReadInp, MakesSetsOfIdsRangesAndOtherSets) {
  const WholeMesh mesh =
      read_deck(strip +
                "*NSET, NSET=low, GENERATE\n1, 3\n*NSET,NSET=\"two words\"\nlow, 4\n"
                "*NSET, NSET=Low\n6\n"  // adds to the first, whatever the case
                "*Elset , elset = all\nPLATE\n");
  EXPECT_EQ(nodes_in(mesh.members("low", 0)), (Ids{1, 2, 3, 6}));
  EXPECT_EQ(nodes_in(mesh.members("two words", 0)), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(tags_in(mesh.members("all", 2)), (Ids{10, 20}));
  EXPECT_TRUE(mesh.members("Low", 0).empty());
}

TEST(ReadInp, TakesTheNodesOfASetOfElements) {
  const WholeMesh mesh =
      read_deck(strip + "*ELSET, ELSET=one\n20\n*NSET, NSET=of_one, ELSET=ONE\n");
  EXPECT_EQ(nodes_in(mesh.members("of_one", 0)), (Ids{2, 3, 5, 6}));
}

TEST(ReadInp, MakesGroupsOfSurfaces) {
  const WholeMesh mesh = read_deck(
      strip + "*SURFACE, NAME=top, TYPE=ELEMENT\nplate, S3\n*SURFACE, NAME=ends\n10, S4\n20, S2\n" +
      "*SURFACE, NAME=cut\n10, S2\n20, S4\n*SURFACE, NAME=few, TYPE=NODE\n1, 0.5\n4\n" +
      "*NSET, NSET=few\n4, 1\n*SURFACE, NAME=plate\n10, S1\n");
  EXPECT_NEAR(mesh.measure(mesh.members("top", 1)), 2, round_off);
  EXPECT_NEAR(mesh.measure(mesh.members("ends", 1)), 2, round_off);
  // Both sides of one facet are one facet, so that a load on it counts once.
  EXPECT_NEAR(mesh.measure(mesh.members("cut", 1)), 1, round_off);
  EXPECT_EQ(nodes_in(mesh.members("few", 0)), (Ids{1, 4}));
  EXPECT_EQ(nodes_in(mesh.members("plate", 1)), (Ids{1, 2}));
  EXPECT_EQ(mesh.members("plate", 2).size(), 2u);
}

TEST(ReadInp, LeavesOutInternalSetsButUsesThem) {
  const WholeMesh mesh = read_deck(cube +
                                   "*ELSET, ELSET=_top_S2, INTERNAL\n7\n"
                                   "*SURFACE, NAME=top\n_top_S2, S2\n");
  EXPECT_EQ(nodes_in(mesh.members("top", 2)), (Ids{5, 6, 7, 8}));
  for (const mesh::Group& group : mesh.groups) EXPECT_NE(group.name, "_top_S2");
}

TEST(ReadInp, KeepsElementsOfLowerDimensionAsMarks) {
  const WholeMesh mesh = read_deck(cube +
                                   "*ELEMENT, TYPE=CPS4, ELSET=bottom\n1, 1,2,3,4\n"
                                   "*ELEMENT, TYPE=T3D2, ELSET=edge\n2, 1,2\n");
  EXPECT_EQ(mesh.dim, 3);
  EXPECT_NEAR(mesh.measure(mesh.members("bottom", 2)), 1, round_off);
  EXPECT_NEAR(mesh.measure(mesh.members("edge", 1)), 1, round_off);
  EXPECT_TRUE(mesh.warns("add no stiffness: 1 line2, 1 quad4"));
}

TEST(ReadInp, FindsTheMidNodeOfALineWhereverItStands) {
  const std::string square =
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,.5,0\n6,1,.5\n7,.5,1\n8,0,.5\n"
      "*ELEMENT, TYPE=CPS8\n1, 1,2,3,4,5,6,7,8\n*ELEMENT, TYPE=T2D3, ELSET=side\n2, ";
  for (const std::string nodes : {"1, 5, 2", "1, 2, 5", "5, 2, 1"}) {
    const auto members = read_deck(square + nodes).members("side", 1);
    ASSERT_EQ(members.size(), 1u);
    EXPECT_EQ(members[0].nodes[2], 5);
  }
}

TEST(ReadInp, ReadsWhatPeopleWrite) {
  const WholeMesh plain = read_deck(cube);
  const std::vector<std::string> same{
      "\xef\xbb\xbf" + cube,
      "** a comment\n\n" + cube + "\n\n** the end",
      "*heading\nany, *thing\n" + cube,
      cube.substr(0, cube.size() - 1),
      replaced(cube, "*NODE, NSET=ALL", "  * Node ,\n** between\nnset = ALL"),
      replaced(cube, "*ELEMENT, TYPE=C3D8, ELSET=BODY", "*ELEMENT, TYPE=C3D8,\nELSET=BODY"),
      replaced(cube, "*ELEMENT, TYPE=C3D8, ELSET=BODY", "*ELEMENT, TYPE=C3D8, ELSET=BODY,"),
      replaced(cube, "7, 1,2,3,4,5,6,7,8", "7, 1,2,3\n4,5,6,\n** here\n7,\t8 ,"),
      replaced(cube, "1,0,0,0", "1,,,"),
      replaced(cube, "1,0,0,0", "+1, -0.D0, .0, 0E+00"),
      replaced(cube, "2,1,0,0", "2, +10.0d-01, 1e-400, 0."),
      replaced(cube, "7,1,1,1", "7,1.0E0,1d0,+1")};
  for (const std::string& text : same) {
    const WholeMesh mesh = read_deck(text);
    EXPECT_EQ(mesh.coordinates, plain.coordinates) << text;
    EXPECT_EQ(mesh.cells, plain.cells) << text;
    EXPECT_EQ(mesh.entities, plain.entities) << text;
  }
}

TEST(ReadInp, KeepsHugeIds) {
  const std::string deck =
      "*NODE\n1000000000000000,0,0\n7,1,0\n900000000,0,1\n"
      "*ELEMENT,TYPE=CPS3\n999999999999999, 1000000000000000,7,900000000\n"
      "*NSET,NSET=a,GENERATE\n1,1000000000000000,1\n";
  const WholeMesh mesh = read_deck(deck);
  EXPECT_EQ(mesh.node_tags, (std::vector<std::int64_t>{1000000000000000, 7, 900000000}));
  EXPECT_EQ(mesh.members("a", 0).size(), 3u);
  EXPECT_TRUE(mesh.warns("passes over 999999999999997 ids that no node has"));
}

TEST(ReadInp, ListsWhatItDoesNotTake) {
  const WholeMesh mesh = read_deck(cube +
                                   "*MATERIAL, NAME=steel\n*ELASTIC\n210000., .3\n*STEP\n"
                                   "*STATIC\n*BOUNDARY\nALL, 1, 3\n*END STEP\n");
  EXPECT_TRUE(mesh.warns("Not taken: '*BOUNDARY' (line 17), '*ELASTIC' (line 13)"));
  EXPECT_TRUE(mesh.warns("'*MATERIAL' (line 12)"));
}

/// A folder for decks with includes, the same on all ranks.
class DeckFolder {
 public:
  DeckFolder() : marker_(world(), ""), path_(marker_.path() + ".d") {
    if (world().is_root()) std::filesystem::create_directories(path_ + "/sub");
    world().barrier();
  }
  ~DeckFolder() {
    world().barrier();
    if (world().is_root()) std::filesystem::remove_all(path_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    if (world().is_root()) std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    world().barrier();
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  TemporaryFile marker_;
  std::string path_;
};

Failure failure_of_path(const std::string& path) {
  try {
    io::read_inp(world(), path);
  } catch (const Error& e) {
    return {static_cast<int>(e.code()), e.what()};
  }
  return {};
}

TEST(ReadInp, FollowsIncludesBesideTheDeck) {
  const DeckFolder folder;
  folder.write("nodes.txt", "1,0,0\n2,1,0\n3,0,1\n");
  folder.write("sub/elements.inp", "*ELEMENT, TYPE=CPS3\n9, 1,2,3\n*INCLUDE, INPUT=sets.inp\n");
  folder.write("sub/sets.inp", "*NSET, NSET=a\n1\n");
  const std::string deck = folder.write(
      "deck.inp",
      "*NODE\n4,1,1\n*INCLUDE, INPUT=\"nodes.txt\"\n5,2,1\n*Include, input=sub/elements.inp\n"
      "2\n*ELEMENT, TYPE=CPS3\n8, 2,4,3\n7, 2,5,4\n");
  const WholeMesh mesh = gathered(world(), io::read_inp(world(), deck));
  EXPECT_EQ(mesh.node_tags, (std::vector<std::int64_t>{4, 1, 2, 3, 5}));
  EXPECT_EQ(tags_in(mesh.cells), (Ids{7, 8, 9}));
  // Data lines behind an include go on with the keyword that is open.
  EXPECT_EQ(nodes_in(mesh.members("a", 0)), (Ids{1, 2}));
}

TEST(ReadInp, TakesNodesAndElementsFromOtherFiles) {
  const DeckFolder folder;
  folder.write("nodes.txt", "1,0,0\n2,1,0\n3,0,1\n");
  folder.write("cells.txt", "9, 1,2,3\n");
  const std::string deck = folder.write("deck.inp",
                                        "*NODE, INPUT=nodes.txt, NSET=all\n4,1,1\n"
                                        "*ELEMENT, TYPE=CPS3, INPUT=cells.txt\n8, 2,4,3\n");
  const WholeMesh mesh = gathered(world(), io::read_inp(world(), deck));
  EXPECT_EQ(mesh.node_tags, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(tags_in(mesh.cells), (Ids{8, 9}));
  EXPECT_EQ(mesh.members("all", 0).size(), 4u);
}

TEST(ReadInp, RefusesIncludesThatLeadNowhereOrInCircles) {
  const DeckFolder folder;
  const std::string missing =
      folder.write("missing.inp", "*NODE\n1,0,0\n*INCLUDE, INPUT=nothing.inp\n");
  Failure failure = failure_of_path(missing);
  EXPECT_EQ(failure.code, 66);
  EXPECT_TRUE(failure.says({"missing.inp:3", "nothing.inp", "no such mesh file"}));
  const std::string self = folder.write("self.inp", "*INCLUDE, INPUT=self.inp\n");
  EXPECT_TRUE(failure_of_path(self).says({"self.inp:1", "includes itself"}));
  const std::string a = folder.write("a.inp", "*NODE\n1,0,0\n*INCLUDE, INPUT=b.inp\n");
  folder.write("b.inp", "2,1,0\n*INCLUDE, INPUT=a.inp\n");
  EXPECT_TRUE(failure_of_path(a).says({"b.inp:2", "includes itself"}));
  folder.write("twice.inp", "*INCLUDE, INPUT=thrice.inp\n*INCLUDE, INPUT=thrice.inp\n");
  std::string many;
  for (int i = 0; i < 40; ++i) many += "*INCLUDE, INPUT=twice.inp\n";
  folder.write("thrice.inp", "");
  EXPECT_EQ(failure_of_path(folder.path() + "/twice.inp").code, 65);  // an empty file
  folder.write("thrice.inp", "** nothing\n");
  const std::string bomb =
      folder.write("bomb.inp", many + many + many + many + many + many + many + many + many + many);
  EXPECT_TRUE(failure_of_path(bomb).says({"more than 1000 times"}));
}

TEST(ReadInp, KeepsIncludesInsideTheRoots) {
  const DeckFolder folder;
  folder.write("nodes.txt", "1,0,0\n2,1,0\n3,0,1\n");
  const std::string deck = folder.write(
      "sub/deck.inp", "*NODE\n*INCLUDE, INPUT=../nodes.txt\n*ELEMENT, TYPE=CPS3\n9, 1,2,3\n");
  EXPECT_EQ(failure_of_path(deck).code, 0);
  setenv("TRESTLE_ROOTS", (folder.path() + "/sub").c_str(), 1);
  const Failure failure = failure_of_path(deck);
  unsetenv("TRESTLE_ROOTS");
  EXPECT_EQ(failure.code, 77);
  EXPECT_TRUE(failure.says({"deck.inp:2", "TRESTLE_ROOTS"}));
}

TEST(ReadInp, ReadsTheOnePartOfAnAssembly) {
  const std::string part = "*PART, NAME=P\n" + strip + "*NSET, NSET=s\n1\n*END PART\n";
  const std::string assembly =
      "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=P-1, PART=P\n0., 0., 0.\n*END INSTANCE\n"
      "*NODE\n1, 5., 5., 5.\n*NSET, NSET=reference\n1\n"
      "*NSET, NSET=s, INSTANCE=P-1\n4\n*NSET, NSET=both, INSTANCE=p-1\nP-1.s, s\n"
      "*ELSET, ELSET=_e, INTERNAL, INSTANCE=P-1\n10\n*SURFACE, NAME=left\n_e, S4\n"
      "*END ASSEMBLY\n";
  const WholeMesh mesh = read_deck(part + assembly);
  EXPECT_EQ(mesh.node_tags.size(), 6u);
  EXPECT_EQ(nodes_in(mesh.members("s", 0)), (Ids{4}));
  EXPECT_EQ(nodes_in(mesh.members("P-1.s", 0)), (Ids{1}));
  EXPECT_EQ(nodes_in(mesh.members("both", 0)), (Ids{1, 4}));
  EXPECT_EQ(nodes_in(mesh.members("left", 1)), (Ids{1, 4}));
  EXPECT_TRUE(mesh.warns("*NODE of the assembly itself"));
  EXPECT_TRUE(mesh.warns("the set 'reference' of the assembly itself is not taken"));

  const auto refuses = [&](const std::string& from, const std::string& to) {
    return failure_of_deck(part + replaced(assembly, from, to));
  };
  EXPECT_TRUE(refuses("0., 0., 0.", "0., 1., 0.").says({"moved or turned", "without parts"}));
  EXPECT_TRUE(refuses("0., 0., 0.", "0.,0.,0.\n0.,0.,0.,1.,0.,0.,90.").says({"moved or turned"}));
  EXPECT_EQ(refuses("0., 0., 0.", "0.,0.,0.\n0.,0.,0.,1.,0.,0.,0.").code, 0);
  EXPECT_TRUE(refuses("*END INSTANCE", "*END INSTANCE\n*INSTANCE, NAME=P-2, PART=P")
                  .says({"several instances"}));
  EXPECT_TRUE(refuses("INSTANCE=p-1", "INSTANCE=Q-1").says({"no instance 'Q-1'", "'P-1'"}));
  EXPECT_TRUE(failure_of_deck(part + part).says({"several parts"}));
}

TEST(ReadInp, ReadsLabelsWithTheirInstance) {
  const std::string part = "*PART, NAME=\"P 1\"\n" + strip + "*NSET, NSET=s\n1\n*END PART\n";
  const std::string assembly =
      "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=\"P 1-1\", PART=\"P 1\"\n*END INSTANCE\n"
      "*NSET, NSET=two\np 1-1.4, \"P 1-1\".1\n*NSET, NSET=all\ntwo, P 1-1.s\n"
      "*ELSET, ELSET=e\nP 1-1.10\n*SURFACE, NAME=left\nP 1-1.10, S4\n*SURFACE, NAME=again\ne, S4\n"
      "*END ASSEMBLY\n";
  const WholeMesh mesh = read_deck(part + assembly);
  EXPECT_EQ(nodes_in(mesh.members("two", 0)), (Ids{1, 4}));
  EXPECT_EQ(nodes_in(mesh.members("all", 0)), (Ids{1, 4}));
  EXPECT_EQ(mesh.members("e", 2).size(), 1u);
  EXPECT_EQ(nodes_in(mesh.members("left", 1)), (Ids{1, 4}));
  EXPECT_EQ(nodes_in(mesh.members("again", 1)), (Ids{1, 4}));

  const auto refuses = [&](const std::string& from, const std::string& to) {
    return failure_of_deck(part + replaced(assembly, from, to));
  };
  EXPECT_TRUE(refuses("p 1-1.4", "P 1-1.77").says({"no node 77"}));
  EXPECT_TRUE(refuses("p 1-1.4", "P 1-2.4").says({"no set of nodes 'P 1-2.4'"}));
  EXPECT_TRUE(refuses("P 1-1.10, S4", "P 1-1.10x, S4").says({"id", "10x"}));
}

}  // namespace
}  // namespace trestle::test

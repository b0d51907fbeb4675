// Tests that the Gmsh reader refuses what is wrong, with the place, on all ranks, and without
// taking memory for what a file only claims.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/io/gmsh_support.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

constexpr int mesh_code = 65, no_input = 66, permission = 77;

const std::vector<std::string> square_nodes{"1 0 0 0", "2 1 0 0", "3 1 1 0", "4 0 1 0"};

struct Fault {
  std::string file;
  std::vector<std::string> parts;  // of the message
};

TEST(RefuseGmsh, NamesPlaceAndFaultOfEveryKnownFile) {
  const std::string supported = "supported are 2, 2.1, 2.2 and 4.1";
  const std::vector<Fault> faults{
      {"v1.msh", {"version 1", supported}},
      {"v4_0.msh", {"v4_0.msh:2:", "'4'", supported}},
      {"v40_0.msh", {"v40_0.msh:2:", "'4.0'", supported}},
      {"v49_future.msh", {"'4.9'", supported}},
      {"datasize4_ascii.msh", {":2:", "'4'", "8"}},
      {"bowtie22.msh", {"element 9 (quad4)", "crosses itself", "(0.25, 0.25, 0)"}},
      {"collapsed_quad22.msh", {"element 7 (quad4)", "repeats node 5", "centroid"}},
      {"sliver22.msh", {"element 17 (tri3)", "zero area", "(0.25, 0, 0)"}},
      {"xz_plane22.msh", {"mesh is not in the x-y plane"}},
      {"tilted22.msh", {"mesh is not in the x-y plane"}},
      {"tri10_order3.msh", {"21 (10-node triangle, order 3): 2", "26 (4-node line, order 3): 3"}},
      {"tri15_order4.msh", {"23 (15-node triangle, order 4): 2", "27 (5-node line, order 4): 3"}},
      {"unknown_type.msh", {":26:", "999 (unknown): 1"}},
      {"comma_decimal22.msh", {":15:", "node 2", "coordinate x", "'0,5'"}},
      {"count_too_big22.msh", {":13:", "number of nodes", "12"}},
      {"count_too_small22.msh", {":21:", "more in it than its count says"}},
      {"dup_node_tag22.msh", {"node 1 occurs twice"}},
      {"empty.msh", {"empty"}},
      {"missing_node22.msh", {":40:", "element 15", "node 77"}},
      {"nan_coord22.msh", {":15:", "node 2", "coordinate x", "nan"}},
      {"not_a_mesh.msh", {":1:", "not a Gmsh .msh file", "expected $MeshFormat"}},
      {"truncated22.msh", {":24:", "$EndElements", "truncated"}},
      {"truncated41_bin.msh", {"byte 989", "$EndElements", "truncated"}}};
  for (const auto& [file, parts] : faults) {
    const Failure failure = failure_of(world(), mesh_file(file));
    EXPECT_EQ(failure.code, mesh_code) << file;
    EXPECT_TRUE(failure.says(parts));
    EXPECT_TRUE(failure.says({mesh_file(file)}));
  }
}

TEST(RefuseGmsh, TellsMissingFromUnreadable) {
  EXPECT_EQ(failure_of(world(), "tests/io/meshes/nothing.msh").code, no_input);
  EXPECT_EQ(failure_of(world(), "tests/io/meshes/v41.msh/x.msh").code, no_input);
  EXPECT_EQ(failure_of(world(), "").code, no_input);
  const TemporaryFile file(world(), bytes_of(mesh_file("v41.msh")));
  if (world().is_root()) chmod(file.path().c_str(), 0);
  const uid_t before = geteuid();
  constexpr uid_t nobody = 65534;
  const bool lowered = before == 0 && seteuid(nobody) == 0;  // root may read everything
  const Failure failure = failure_of(world(), file.path());
  ASSERT_EQ(lowered ? seteuid(before) : 0, 0);
  EXPECT_EQ(failure.code, permission);
  EXPECT_TRUE(failure.says({file.path(), "may not be read"}));
}

TEST(RefuseGmsh, RefusesWhatIsNoRegularFileWithoutWaiting) {
  EXPECT_TRUE(failure_of(world(), "tests/io").says({"directory"}));
  EXPECT_EQ(failure_of(world(), "tests/io").code, mesh_code);
  EXPECT_EQ(failure_of(world(), "/dev/zero").code, mesh_code);
  const TemporaryFile file(world(), "");
  if (world().is_root()) {
    std::remove(file.path().c_str());
    ASSERT_EQ(mkfifo(file.path().c_str(), 0600), 0);
  }
  world().barrier();
  const Failure failure = failure_of(world(), file.path());  // nobody writes into it
  EXPECT_EQ(failure.code, mesh_code);
  EXPECT_TRUE(failure.says({"not a regular file"}));
}

/// `text` with `to` in place of every `from`.
std::string with_each(const std::string& text, char from, const std::string& to) {
  std::string out;
  for (const char c : text) out += c == from ? to : std::string(1, c);
  return out;
}

TEST(RefuseGmsh, NamesTextOfAnotherKind) {
  const std::string text = bytes_of(mesh_file("v41.msh"));
  const std::vector<std::pair<std::string, std::string>> others{
      {with_each(text, '\n', "\r"), "$Nodes alone in its line"},
      {with_each(text, '\n', " "), "$Nodes alone in its line"},
      {"\xff\xfe$\0M", "UTF-16"},
      {"    -1\n   151\n", "I-DEAS universal file"},
      {"NDIME= 2\nNELEM= 4\n", "an SU2 mesh"},
      {"$ a comment\nBEGIN BULK\nGRID,1,,0.,0.,0.\n", "a Nastran deck (.bdf): open it in gmsh"},
      {"$\nGRID           1\n", "a Nastran deck"},
      {"title: A part\nphysics: heat\n", "a case of Trestle"}};
  for (const auto& [bytes, part] : others)
    EXPECT_TRUE(failure_of_bytes(world(), bytes).says({part}));
}

TEST(ReadGmsh, TakesBlankLinesAnywhereInText) {
  for (const char* name : {"v41.msh", "v21.msh"}) {
    const WholeMesh plain = read_whole(name);
    const WholeMesh apart = read_bytes(world(), with_each(bytes_of(mesh_file(name)), '\n', "\n\n"));
    EXPECT_EQ(apart.cells, plain.cells) << name;
    EXPECT_EQ(apart.entities, plain.entities) << name;
    EXPECT_EQ(apart.coordinates, plain.coordinates) << name;
  }
}

/// Long loops are shared by the ranks, each of which reads by itself.
bool is_mine(std::size_t i) {
  const auto n = static_cast<std::size_t>(world().size());
  return i % n == static_cast<std::size_t>(world().rank());
}

TEST(RefuseGmsh, RefusesEveryTruncation) {
  const Comm comm = alone();
  for (const std::string name :
       {"enc22_a.msh", "enc22_le.msh", "enc41_a.msh", "enc41_be.msh", "multi41_bin.msh"}) {
    const std::string bytes = bytes_of(mesh_file(name));
    // Without its last line end alone the file is whole.
    for (std::size_t n = 0; n + 1 < bytes.size(); ++n) {
      if (!is_mine(n)) continue;
      const Failure failure = failure_of_bytes(comm, bytes.substr(0, n));
      ASSERT_EQ(failure.code, mesh_code) << name << " cut after byte " << n;
    }
  }
}

TEST(RefuseGmsh, RefusesLyingCountsBeforeItTakesMemory) {
  const std::string two = bytes_of(mesh_file("v21.msh")), four = bytes_of(mesh_file("v41.msh"));
  const std::vector<std::pair<std::string, std::vector<std::string>>> lies{
      {replaced(two, "$Nodes\n9", "$Nodes\n4000000000"), {"nodes", "4000000000", "at most"}},
      {replaced(two, "$Nodes\n9", "$Nodes\n-1"), {"nodes", "-1"}},
      {replaced(two, "$Nodes\n9", "$Nodes\n10"), {"node"}},
      {replaced(two, "$Nodes\n9", "$Nodes\n8"), {"more in it than its count says"}},
      {replaced(two, "$Nodes\n9", "$Nodes\n0"), {"more in it than its count says"}},
      {replaced(two, "$Elements\n16", "$Elements\n2000000000"), {"elements", "2000000000"}},
      {replaced(two, "$Elements\n16", "$Elements\n21"), {"element"}},
      {replaced(two, "$PhysicalNames\n5", "$PhysicalNames\n2000000000"), {"physical names"}},
      {replaced(two, "$PhysicalNames\n5", "$PhysicalNames\n6"), {"group"}},
      {replaced(two, "$Nodes\n9", "$Nodes\n99999999999999999999"), {"below 2^63"}},
      {replaced(four, "5 9 1 9", "5 4000000000 1 9"), {"nodes", "4000000000"}},
      {replaced(four, "5 9 1 9", "5 10 1 9"), {"says that it has 10 nodes", "have 9"}},
      {replaced(four, "5 9 1 9", "5 9 1 4000000000"), {"run from 1 to 4000000000"}},
      {replaced(four, "5 9 1 9", "5 9 1 8"), {"run from 1 to 8"}},
      {replaced(four, "5 9 1 9", "4000000000 9 1 9"), {"blocks"}},
      {replaced(four, "5 9 1 9", "6 9 1 9"), {"end of the section"}},
      {replaced(four, "1 1 0 3", "1 1 0 4000000000"), {"nodes in this block"}},
      {replaced(four, "1 1 0 3", "1 1 0 4"), {"positive node id"}},
      {replaced(four, "1 1 0 3", "1 1 0 -3"), {"nodes in this block", "-3"}},
      {replaced(four, "5 16 1 16", "5 2000000000 1 16"), {"elements"}},
      {replaced(four, "5 16 1 16", "5 17 1 16"), {"says that it has 17 elements"}},
      {replaced(four, "2 10 2 8", "2 10 2 2000000000"), {"elements in this block"}},
      {replaced(four, "0 4 1 0", "0 4000000000 1 0"), {"curves"}},
      {replaced(four, "0 0 0 0 1 0 1 1 0", "0 0 0 0 1 0 1000000000 1 0"), {"physical tags"}}};
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  for (const auto& [text, parts] : lies) {
    const Failure failure = failure_of_bytes(world(), text);
    EXPECT_EQ(failure.code, mesh_code);
    EXPECT_TRUE(failure.says(parts));
  }
  getrusage(RUSAGE_SELF, &after);
  constexpr long kilobytes = 16 * 1024;
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, kilobytes);
}

TEST(RefuseGmsh, NamesElementAndNodeOfABadReference) {
  for (const std::string node : {"0", "-3", "77", "2147483647"}) {
    const Failure failure =
        failure_of_bytes(world(), ascii22(square_nodes, {"15 2 2 1 1 1 2 " + node}));
    EXPECT_EQ(failure.code, mesh_code);
    EXPECT_TRUE(failure.says({":13:", "element 15", "node " + node}));
  }
  EXPECT_TRUE(
      failure_of_bytes(world(), ascii22(square_nodes, {"15 2 2 1 1 1 2 9223372036854775808"}))
          .says({"element 15", "'9223372036854775808'"}));
}

TEST(RefuseGmsh, NamesElementOfBadTagsAndTypes) {
  const auto fails = [](const std::string& element, const std::vector<std::string>& parts) {
    const Failure failure =
        failure_of_bytes(world(), ascii22(square_nodes, {"1 2 2 1 1 1 2 3", element}));
    EXPECT_EQ(failure.code, mesh_code);
    EXPECT_TRUE(failure.says({":14:"})) << element;
    EXPECT_TRUE(failure.says(parts)) << element;
  };
  fails("7 2 -3 1 1 1 3 4", {"element 7", "number of tags", "-3"});
  fails("7 2 1000000 1 1 1 3 4", {"element 7", "tags", "1000000"});
  fails("7 2 3 1 1 1 3 4", {"element 7", "node id", "end of the line"});
  fails("7 2 1 1 1 3 4 2", {"element 7", "end of the line", "'2'"});
  fails("7 999 2 1 1 1 3 4", {"999 (unknown): 1"});
  fails("7 -1 2 1 1 1 3 4", {"-1 (unknown): 1"});
  fails("7 36 2 1 1 1 3 4", {"36 (16-node quadrilateral, order 3): 1"});
  fails("0 2 2 1 1 1 3 4", {"positive element id", "0"});
  fails("-7 2 2 1 1 1 3 4", {"positive element id", "-7"});
  fails("x 2 2 1 1 1 3 4", {"element id", "'x'"});
}

TEST(RefuseGmsh, NamesNodeAndCoordinateThatIsNoFiniteNumber) {
  for (const std::string value : {"nan", "-NaN", "inf", "-Inf", "1e400", "-1e400", "abc", "0,5",
                                  "1.0D+00", "0x10", "1e", "--1", "+-1", "1_000"}) {
    const Failure failure = failure_of_bytes(
        world(), ascii22({"5 0 0 0", "6 0 " + value + " 0", "7 1 0 0"}, {"1 2 2 1 1 5 6 7"}));
    EXPECT_EQ(failure.code, mesh_code) << value;
    EXPECT_TRUE(failure.says({":7:", "node 6", "coordinate y", value})) << value;
  }
}

TEST(ReadGmsh, TakesEveryWayToWriteAFiniteNumber) {
  const WholeMesh mesh = read_bytes(
      world(),
      ascii22({"1 0. -0 1e-400", "2 +1 0e5 -1E-400", "3 .5 1.E+0 4e-320"}, {"1 2 2 1 1 1 2 3"}));
  EXPECT_EQ(mesh.measure(mesh.cells), 0.5);
}

/// The 8 bytes of a double or the 4 of an int, as they stand in a file.
template <class T>
std::string raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

TEST(RefuseGmsh, NamesTheByteOfFaultsInBinaryFiles) {
  const std::string two = bytes_of(mesh_file("enc22_le.msh"));
  const std::size_t first_node = two.find("$Nodes\n12\n") + 10;
  std::string bad = two;
  bad.replace(first_node + 28 + 4, 8, raw(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(failure_of_bytes(world(), bad)
                  .says({"byte " + std::to_string(first_node + 32), "node 2", "coordinate x"}));
  bad = two;
  bad.replace(first_node + 28, 4, raw(std::int32_t{1}));
  EXPECT_TRUE(failure_of_bytes(world(), bad).says({"node 1 occurs twice"}));
  bad = two;
  bad.replace(first_node + 28, 4, raw(std::uint32_t{1} << 31));
  EXPECT_TRUE(failure_of_bytes(world(), bad)
                  .says({"byte", "a node id", "-2147483648", "below 2^31", "version 4.1"}));
  bad = two;
  bad.replace(two.find("$Elements\n22\n") + 13 + 4, 4, raw(std::int32_t{1 << 30}));
  EXPECT_TRUE(failure_of_bytes(world(), bad).says({"byte", "1073741824", "at most"}));
  bad = two;
  bad.replace(two.find("$Elements\n22\n") + 13, 4, raw(std::int32_t{999}));
  EXPECT_TRUE(failure_of_bytes(world(), bad).says({"byte", "999 (unknown)"}));
  const std::string four = bytes_of(mesh_file("enc41_le.msh"));
  const std::size_t nodes = four.find("$Nodes\n") + 7;
  bad = four;
  bad.replace(nodes + 8, 8, raw(std::uint64_t{1} << 60));
  EXPECT_TRUE(failure_of_bytes(world(), bad).says({"byte", "nodes", "at most"}));
  bad.replace(nodes + 8, 8, raw(~std::uint64_t{0}));
  EXPECT_TRUE(failure_of_bytes(world(), bad).says({"byte", "18446744073709551615"}));
}

TEST(RefuseGmsh, SeesThatTheBinaryFlagLies) {
  const std::string ascii = bytes_of(mesh_file("enc41_a.msh"));
  const std::string binary = bytes_of(mesh_file("enc41_le.msh"));
  EXPECT_TRUE(failure_of_bytes(world(), replaced(ascii, "4.1 0 8", "4.1 1 8")).says({"binary"}));
  EXPECT_EQ(failure_of_bytes(world(), replaced(binary, "4.1 1 8", "4.1 0 8")).code, mesh_code);
  EXPECT_TRUE(failure_of_bytes(world(), replaced(ascii, "4.1 0 8", "4.1 7 8"))
                  .says({"0 (ASCII) or 1 (binary)", "'7'"}));
}

TEST(RefuseGmsh, NamesFormatsOfOtherPrograms) {
  const std::vector<std::pair<std::string, std::string>> files{
      {"\x89PNG\r\n\x1a\n", "PNG"},
      {"<?xml version=\"1.0\"?><VTKFile>", "VTU"},
      {"// Gmsh\nPoint(1) = {0, 0, 0};", ".geo"},
      {"SetFactory(\"OpenCASCADE\");", ".geo"},
      {"*HEADING\n*NODE", "Abaqus"},
      {"solid cube", "STL"},
      {"\x89HDF\r\n\x1a\n", "HDF5"},
      {"\n\n  \n", "blanks"},
      {"{\"a\": 1}", "not a Gmsh .msh file"}};
  for (const auto& [start, name] : files) {
    const Failure failure = failure_of_bytes(world(), start + std::string(40, ' ') + "\n");
    EXPECT_EQ(failure.code, mesh_code);
    EXPECT_TRUE(failure.says({name}));
  }
}

TEST(RefuseGmsh, RefusesNamesThatContradictOrCannotBeWritten) {
  const auto fails = [](const std::vector<std::string>& names,
                        const std::vector<std::string>& parts) {
    const Failure failure =
        failure_of_bytes(world(), ascii22(square_nodes, {"1 2 2 1 1 1 2 3"}, names));
    EXPECT_EQ(failure.code, mesh_code);
    EXPECT_TRUE(failure.says(parts));
  };
  fails({"2 1 \"a\"", "2 2 \"a\""}, {":7:", "groups 1 and 2", "same name 'a'"});
  fails({"2 1 \"a\"", "2 1 \"b\""}, {":7:", "two names"});
  fails({"2 1 a"}, {":6:", "double quotes"});
  fails({"2 1 \"a"}, {":6:", "double quotes"});
  fails({"4 1 \"a\""}, {":6:", "dimension"});
  fails({"-1 1 \"a\""}, {":6:", "dimension"});
  fails({"2 0 \"a\""}, {":6:", "positive tag"});
  fails({"2 1 \"Fl\xe4"
         "che\""},
        {":6:", "UTF-8", "'Fl\\xe4che'"});
  fails({"2 1 \"a\x1b[31m\""}, {"control"});
  EXPECT_EQ(failure_of_bytes(world(), ascii22(square_nodes, {"1 2 2 1 1 1 2 3"},
                                              {"2 1 \"a\"", "1 2 \"a\"", "2 1 \"a\""}))
                .code,
            0);  // one name in two dimensions, and a line twice
}

/// The triangle of partition 1 of a square of two, as `gmsh -part 2 -part_split` writes it; the cut
/// between the partitions is a curve where there is a topology of them.
std::string piece41(const std::string& cut, const std::string& ghosts) {
  return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 7 0\n"
         "$EndEntities\n$PartitionedEntities\n2\n" +
         ghosts + "\n0 " + (cut.empty() ? "0" : "1") + " 1 0\n" + cut +
         "11 2 1 1 1 0 0 0 1 1 0 1 7 0\n$EndPartitionedEntities\n"
         "$Nodes\n1 3 1 3\n2 11 0 3\n1\n2\n3\n0 0 0\n1 0 0\n1 1 0\n$EndNodes\n"
         "$Elements\n1 1 1 1\n2 11 2 1\n1 1 2 3\n$EndElements\n";
}

TEST(RefuseGmsh, RefusesOnePieceOfAPartitionedMesh) {
  const std::vector<std::string> pieces{
      piece41("5 2 1 2 1 2 0 0 0 1 1 0 1 7 0\n", "0"), piece41("", "0"), piece41("", "1\n12 1"),
      ascii22(square_nodes, {"1 2 5 1 1 2 1 -2 1 2 3", "2 2 4 1 1 1 1 1 3 4"})};
  for (const std::string& piece : pieces)
    EXPECT_TRUE(failure_of_bytes(world(), piece)
                    .says({"one piece of a mesh in 2 partitions",
                           "cells of partition 1, not those "
                           "of partition 2",
                           "Mesh.PartitionSplitMeshFiles = 0"}));
  EXPECT_TRUE(failure_of_bytes(world(), ascii22(square_nodes, {"1 2 4 1 1 1 2 1 2 3"}))
                  .says({":12:", "cells of partition 2, not those of partition 1"}));
}

TEST(RefuseGmsh, NeverShowsMoreThanAShortToken) {
  const std::string secret = "root:x:0:0:" + std::string(200, 's');
  const Failure failure = failure_of_bytes(world(), secret + "\nuser:x:1000\n");
  EXPECT_EQ(failure.code, mesh_code);
  EXPECT_EQ(failure.message.find(std::string(30, 's')), std::string::npos);
  EXPECT_EQ(failure.message.find("user"), std::string::npos);
  const Failure escaped = failure_of_bytes(
      world(), ascii22({"1 0 \x1b[31m 0", "2 1 0 0", "3 0 1 0"}, {"1 2 2 1 1 1 2 3"}));
  EXPECT_TRUE(escaped.says({"'\\x1b[31m'"}));
}

TEST(RefuseGmsh, RefusesMissingAndDoubledSections) {
  const std::string file = bytes_of(mesh_file("v41.msh"));
  const auto without = [&](const std::string& name) {
    const std::size_t begin = file.find("$" + name), end = file.find("$End" + name);
    return file.substr(0, begin) + file.substr(file.find('\n', end) + 1);
  };
  EXPECT_TRUE(failure_of_bytes(world(), without("Nodes")).says({"without the section $Nodes"}));
  EXPECT_TRUE(
      failure_of_bytes(world(), without("Elements")).says({"without the section $Element"}));
  EXPECT_TRUE(failure_of_bytes(world(), without("MeshFormat")).says({"$MeshFormat"}));
  EXPECT_TRUE(failure_of_bytes(world(), file + file).says({"occurs twice"}));
  EXPECT_TRUE(failure_of_bytes(world(), file + "$EndNodes\n").says({"not begun"}));
  EXPECT_TRUE(failure_of_bytes(world(), file + "rubbish\n").says({"'rubbish'"}));
  EXPECT_EQ(failure_of_bytes(world(), without("Entities")).code, 0);
}

TEST(RefuseGmsh, RefusesEntitiesThatContradictThemselves) {
  const auto file = [](const char* group) {
    return std::string("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 2 0\n") +
           "1 0 0 0 1 1 0 1 7 0\n1 0 0 0 1 1 0 1 " + group + " 0\n$EndEntities\n" +
           "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n1 1 0\n$EndNodes\n" +
           "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n";
  };
  EXPECT_TRUE(failure_of_bytes(world(), file("8"))
                  .says({"entity 1", "listed twice in dimension 2", "different physical tags"}));
  EXPECT_EQ(failure_of_bytes(world(), file("7")).code, 0);
}

TEST(RefuseGmsh, RefusesBlocksThatContradictTheirEntities) {
  const std::string file = bytes_of(mesh_file("v41.msh"));
  EXPECT_TRUE(failure_of_bytes(world(), replaced(file, "2 10 2 8", "2 11 2 8"))
                  .says({"entity 11 of dimension 2", "$Entities"}));
  EXPECT_TRUE(failure_of_bytes(world(), replaced(file, "2 10 2 8", "1 1 2 8"))
                  .says({"tri3", "dimension 2"}));
  EXPECT_TRUE(
      failure_of_bytes(world(), replaced(file, "2 10 2 8", "7 10 2 8")).says({"0 to 3", "7"}));
}

TEST(RefuseGmsh, RefusesAnElementIdOfTwoElements) {
  const Failure failure =
      failure_of_bytes(world(), ascii22(square_nodes, {"7 2 2 1 1 1 2 3", "7 2 2 1 1 1 3 4"}));
  EXPECT_EQ(failure.code, mesh_code);
  EXPECT_TRUE(failure.says({"element ids", "several elements", "7"}));
}

TEST(RefuseGmsh, RefusesMeshesWithoutCells) {
  EXPECT_TRUE(failure_of_bytes(world(), ascii22(square_nodes, {})).says({"no elements"}));
  EXPECT_TRUE(failure_of_bytes(world(), ascii22(square_nodes, {"1 1 2 1 1 1 2"}))
                  .says({"dimension 1 or less (", " line2)", "cells of dimension 2 or 3",
                         "gmsh -2 or -3"}));
}

TEST(RefuseGmsh, RefusesAScaleThatOverflows) {
  EXPECT_TRUE(failure_of_bytes(world(),
                               ascii22({"1 0 0 0", "2 1e200 0 0", "3 0 1 0"}, {"1 2 2 1 1 1 2 3"}),
                               {.scale = 1e200})
                  .says({"node 2", "not finite"}));
}

TEST(RefuseGmsh, SurvivesMutatedFiles) {
  const Comm comm = alone();
  std::mt19937 random(20261130);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int refused = 0;
  constexpr std::size_t each = 400;
  for (const std::string name : {"enc22_a.msh", "enc22_le.msh", "enc41_a.msh", "enc41_be.msh",
                                 "mixed3d_41bin.msh", "hex20_22.msh", "periodic41.msh"}) {
    const std::string bytes = bytes_of(mesh_file(name));
    for (std::size_t i = 0; i < each; ++i) {
      std::string mutant = bytes;
      for (std::size_t k = 0, n = 1 + below(4); k < n; ++k) {
        const std::size_t at = below(mutant.size());
        switch (below(4)) {
          case 0:
            mutant[at] = static_cast<char>(below(256));
            break;
          case 1:
            mutant.erase(at, 1 + below(8));
            break;
          case 2:
            mutant.insert(at, mutant.substr(below(mutant.size()), 1 + below(8)));
            break;
          default:
            mutant[at] = "0123456789-$ \n"[below(14)];
        }
        if (mutant.empty()) mutant = "$";
      }
      if (!is_mine(i)) continue;
      const Failure failure = failure_of_bytes(comm, mutant);  // any other exception fails
      EXPECT_TRUE(failure.code == 0 || failure.code == mesh_code) << failure.message;
      refused += failure.code == mesh_code;
    }
  }
  EXPECT_GT(world().sum(refused), static_cast<int>(each));  // the mutants are not all harmless
}

}  // namespace
}  // namespace trestle::test

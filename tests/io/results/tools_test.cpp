// The tools for results files: comparison, table, probe, export, and text made harmless.
#include "io/results/tools.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "io/escape.hpp"
#include "io/files.hpp"
#include "io/results/xdmf.hpp"
#include "tests/readers/sample_results.hpp"
#include "tests/readers/temporary_folder.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

using test::sample_fields;
using test::sample_values;
using test::SampleMesh;
using test::TemporaryFolder;
using test::world;

void write(const std::string& path, const SampleMesh& mesh,
           const std::vector<std::vector<double>>& values) {
  ResultsWriter writer(world(), path, mesh, sample_fields(), 1);
  writer.write_step("", 0, values);
  writer.close();
}

TEST(ResultsDiff, MatchesPointsByNodeAndRegionWhateverTheirOrder) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 4);
  SampleMesh turned = mesh;  // the same points in the opposite order
  for (GlobalIndex& id : turned.point_ids) id = mesh.n_points - 1 - id;
  for (GlobalIndex& id : turned.cell_points) id = mesh.n_points - 1 - id;
  auto changed = sample_values(mesh, 0);
  for (std::size_t i = 0; i < mesh.point_ids.size(); ++i)
    if (mesh.point_ids[i] == 100) changed[2][6 * i + 4] += 0.25;  // of 36
  write(folder / "a", mesh, sample_values(mesh, 0));
  write(folder / "b", turned, sample_values(mesh, 0));
  write(folder / "c", turned, changed);
  if (!world().is_root()) return;
  EXPECT_TRUE(results_diff(folder / "a", folder / "b", 0).same());
  const ResultsDifference difference = results_diff(folder / "a", folder / "c", 1e-3);
  EXPECT_FALSE(difference.same());
  const FieldDifference& stress = difference.fields.at(2);
  EXPECT_EQ(stress.field, "stress");
  EXPECT_EQ(stress.largest, 0.25);
  EXPECT_EQ(stress.scale, 36);
  EXPECT_EQ(stress.component, "yz");
  EXPECT_EQ(stress.region, "right");  // point 100 of 2 x 75
  EXPECT_FALSE(stress.within);
  EXPECT_TRUE(difference.fields.at(0).within);
  EXPECT_TRUE(results_diff(folder / "a", folder / "c", 0.25 / 36 * 1.001).same());
  EXPECT_NE(to_string(difference).find("stress  largest difference 2.500e-01 of 36 DIFFERS"),
            std::string::npos);
}

TEST(ResultsDiff, PhasesAreComparedAroundTheCircle) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 2);
  const auto n = mesh.point_ids.size();
  const auto write_phase = [&](const std::string& name, const std::string& field, double value) {
    ResultsWriter writer(world(), folder / name, mesh, {ResultField{field, 1, ""}}, 1);
    writer.write_step("", 0, {std::vector<double>(n, value)});
    writer.close();
  };
  write_phase("a", "phase", 179.9999);
  write_phase("b", "phase", -179.9999);
  write_phase("c", "angle", 179.9999);
  write_phase("d", "angle", -179.9999);
  if (!world().is_root()) return;
  const ResultsDifference near = results_diff(folder / "a", folder / "b", 1e-5);
  EXPECT_TRUE(near.same());
  EXPECT_NEAR(near.fields.at(0).largest, 2e-4, 1e-9);
  EXPECT_FALSE(results_diff(folder / "c", folder / "d", 1e-5).same());
}

TEST(ResultsDiff, FilesOfDifferentMeshesDiffer) {
  const TemporaryFolder folder(world());
  const SampleMesh small = test::two_regions(world(), 2), large = test::two_regions(world(), 4);
  write(folder / "small", small, sample_values(small, 0));
  write(folder / "large", large, sample_values(large, 0));
  if (!world().is_root()) return;
  const ResultsDifference difference = results_diff(folder / "small", folder / "large", 1);
  EXPECT_FALSE(difference.same());
  EXPECT_EQ(difference.mismatches.size(), 1u);
}

TEST(ResultsDiff, NamesAndTimesOfStepsUnitsAndPlacesAreCompared) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 2);
  const auto write_two = [&](const std::string& name, const std::string& second, double time,
                             const SampleMesh& points, const std::string& unit) {
    ResultsWriter writer(world(), folder / name, points, {ResultField{"temperature", 1, unit}}, 2);
    const std::vector<double> values(mesh.point_ids.size(), 1.0);
    writer.write_step("", 1, {values});
    writer.write_step(second, time, {values});
    writer.close();
  };
  SampleMesh moved = mesh;
  for (double& x : moved.coordinates) x += 1e-3;
  write_two("a", "", 2, mesh, "K");
  write_two("name", "wind", 2, mesh, "K");
  write_two("time", "", 2.001, mesh, "K");
  write_two("place", "", 2, moved, "K");
  write_two("unit", "", 2, mesh, "degC");
  if (!world().is_root()) return;
  const auto mismatch = [&](const std::string& other, double tolerance) {
    const ResultsDifference difference = results_diff(folder / "a", folder / other, tolerance);
    EXPECT_EQ(difference.same(), difference.mismatches.empty());
    return difference.same() ? "" : difference.mismatches.front();
  };
  EXPECT_EQ(mismatch("name", 1),
            "1 of 2 steps have another name or time: step 1 is \"\" at 2 in the first file, "
            "\"wind\" at 2 in the second");
  EXPECT_EQ(mismatch("time", 1e-4),
            "1 of 2 steps have another name or time: step 1 is \"\" at 2 in the first file, "
            "\"\" at 2.001 in the second");
  EXPECT_EQ(mismatch("time", 1e-3), "");
  EXPECT_EQ(mismatch("place", 1e-4), "points lie at other places, up to 1.000e-03 m apart");
  EXPECT_EQ(mismatch("place", 1e-3), "");
  EXPECT_EQ(mismatch("unit", 1),
            "field temperature is in K in the first file, in degC in the second");
  EXPECT_EQ(mismatch("a", 0), "");
}

TEST(ResultsCsv, NamesPrincipalValuesByNumberAndWritesNothingOnAnError) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 2);
  ResultsWriter writer(world(), folder / "principal", mesh, {{"principal_stress", 3, "Pa"}}, 1);
  writer.write_step("", 0, {std::vector<double>(3 * mesh.point_ids.size(), 1.0)});
  writer.close();
  if (!world().is_root()) return;
  std::ostringstream out, nothing;
  results_csv(folder / "principal", 0, out);
  EXPECT_NE(out.str().find(",principal_stress_1 [Pa],principal_stress_2 [Pa],principal_stress_3"),
            std::string::npos)
      << out.str().substr(0, 200);
  EXPECT_THROW(results_csv(folder / "principal", 1, nothing), Error);
  EXPECT_EQ(nothing.str(), "");
}

TEST(ResultsCsv, HasALinePerPointAndHarmlessNames) {
  const TemporaryFolder folder(world());
  SampleMesh mesh = test::two_regions(world(), 2);
  mesh.region_names = {"=cmd()", "a,\"b\""};
  write(folder / "csv", mesh, sample_values(mesh, 0));
  if (!world().is_root()) return;
  std::ostringstream out;
  results_csv(folder / "csv", 0, out);
  std::istringstream lines(out.str());
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 83),
            "point,node,region,x [m],y [m],z [m],temperature [K],displacement_x "
            "[m],displacement");
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 26), "0,1,\"'=cmd()\",0,0,0,0,0,0,");
  int n = 1;
  for (std::string next; std::getline(lines, next); ++n) line = next;
  EXPECT_EQ(n, 36);
  EXPECT_NE(line.find("35,27,\"a,\"\"b\"\"\",1,1,1,35,1,1,1,6,12"), std::string::npos) << line;
}

TEST(ResultsInfo, NamesWhatIsThere) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 2);
  write(folder / "info", mesh, sample_values(mesh, 0));
  if (!world().is_root()) return;
  const std::string text = results_info(folder / "info");
  for (const char* part : {"points   36", "8 hex8", "region   left: 4 cells", "x        0 .. 1 m",
                           "field    stress [Pa], 6 components", "step 0: 0 .. 36"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(Escape, ControlCharactersMarkupAndFormulasDoNothing) {
  EXPECT_EQ(escape_terminal("a\x1b]0;x\a\xc2\x9b"), "a\\x1b]0;x\\x07\\xc2\\x9b");
  EXPECT_EQ(escape_terminal("Träger \xe2\x82\xac \xff"), "Träger \xe2\x82\xac \\xff");
  EXPECT_EQ(escape_html("<script>\"'&"), "&lt;script&gt;&quot;&#39;&amp;");
  EXPECT_EQ(escape_csv("=1+1"), "\"'=1+1\"");
  EXPECT_EQ(escape_csv("a,b\"c"), "\"a,b\"\"c\"");
  EXPECT_EQ(escape_csv("plain"), "plain");
}

TEST(Files, TextFileIsReplacedWholeAndLinksAreNotFollowed) {
  const TemporaryFolder folder(world());
  if (!world().is_root()) return;
  const std::string path = folder / "text", victim = folder / "victim";
  write_text_file(victim, "mine");
  std::filesystem::create_symlink(victim, path);
  write_text_file(path, "new");  // replaces the link, not what it points at
  EXPECT_EQ(read_text_file(victim, 10), "mine");
  EXPECT_EQ(read_text_file(path, 10), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos);
}

TEST(Files, OddFilesAreRefused) {
  const TemporaryFolder folder(world());
  if (!world().is_root()) return;
  const auto code_of = [](const std::string& path) {
    try {
      read_text_file(path, 10);
    } catch (const Error& e) {
      return static_cast<int>(e.code());
    }
    return 0;
  };
  EXPECT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(code_of(folder / "fifo"), 65);  // and does not wait for a writer
  EXPECT_EQ(code_of("/dev/zero"), 65);
  EXPECT_EQ(code_of(folder.path()), 65);
  EXPECT_EQ(code_of(folder / "none"), 66);
  write_text_file(folder / "long", "12345678901");
  EXPECT_EQ(code_of(folder / "long"), 65);
}

TEST(Xdmf, NamesAreEscapedAndPathsRelative) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 2);
  {
    ResultsWriter writer(world(), folder / "a&b.hdf", mesh, sample_fields(), 2);
    writer.write_step("<script>", 1, sample_values(mesh, 0));
    writer.write_step("second", 1, sample_values(mesh, 1));
    writer.close();
  }
  if (!world().is_root()) return;
  const std::string path = export_xdmf(folder / "a&b.hdf", folder / "out");
  const std::string text = read_text_file(path, 1 << 20);
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  EXPECT_NE(text.find("Name=\"&lt;script&gt;\""), std::string::npos);
  EXPECT_NE(text.find(">a&amp;b_0001.h5:/stress</DataItem>"), std::string::npos);
  EXPECT_EQ(text.find(folder.path()), std::string::npos);
  EXPECT_NE(text.find("<Time Value=\"0\"/>"), std::string::npos);  // equal values: numbers of steps
  EXPECT_NE(text.find("<Time Value=\"1\"/>"), std::string::npos);
}

}  // namespace
}  // namespace trestle::io

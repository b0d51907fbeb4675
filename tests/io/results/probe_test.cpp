// Values at a place of a results file, by the cell that holds it.
#include "io/results/probe.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/readers/sample_results.hpp"
#include "tests/readers/temporary_folder.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

using test::SampleMesh;
using test::TemporaryFolder;
using test::world;

void write(const std::string& path, const SampleMesh& mesh) {
  ResultsWriter writer(world(), path, mesh, test::sample_fields(), 1);
  writer.write_step("", 0, test::sample_values(mesh, 0));
  writer.close();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// The sample displacement is the place itself, which every cell type interpolates exactly.
TEST(ResultsProbe, InterpolatesInTheCellThatHoldsThePlace) {
  const TemporaryFolder folder(world());
  write(folder / "cube", test::two_regions(world(), 4));
  if (!world().is_root()) return;
  const std::string text = results_probe(folder / "cube", {0.31, 0.22, 0.77});
  EXPECT_NE(text.find("at (0.31, 0.22, 0.77) m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("displacement  step 0  left: 0.31 0.22 0.77 m\n"), std::string::npos) << text;
  EXPECT_EQ(count(text, "right"), 0u) << text;
}

TEST(ResultsProbe, ReadsEveryCellType) {
  const TemporaryFolder folder(world());
  write(folder / "types", test::one_cell_of_each_type(world()));
  if (!world().is_root()) return;
  const ResultsContent content = read_results(folder / "types");
  std::size_t at = 0;
  for (mesh::CellType type : content.cell_types) {
    const mesh::CellTraits& traits = mesh::traits(type);
    std::vector<double> centre(3);
    for (int a = 0; a < traits.n_vertices; ++a)
      for (std::size_t d = 0; d < 3; ++d)
        centre[d] +=
            content.coordinates[3 * static_cast<std::size_t>(
                                        content.cell_points[at + static_cast<std::size_t>(a)]) +
                                d] /
            traits.n_vertices;
    at += static_cast<std::size_t>(traits.n_nodes);
    const std::string text = results_probe(folder / "types", centre);
    EXPECT_EQ(text.find("outside"), std::string::npos) << traits.name << "\n" << text;
  }
}

TEST(ResultsProbe, TellsBothRegionsOfAPlaceBetweenThem) {
  const TemporaryFolder folder(world());
  write(folder / "cube", test::two_regions(world(), 4));
  if (!world().is_root()) return;
  const std::string text = results_probe(folder / "cube", {0.5, 0.2, 0.1});
  for (const char* region : {"left", "right"})
    EXPECT_EQ(count(text, "displacement  step 0  " + std::string(region) + ": 0.5 0.2 0.1 m"), 1u)
        << text;
}

TEST(ResultsProbe, APlaceInSpaceNeedsThreeNumbers) {
  const TemporaryFolder folder(world());
  write(folder / "cube", test::two_regions(world(), 4));
  if (!world().is_root()) return;
  try {
    results_probe(folder / "cube", {0.5, 0.2});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("give 3"), std::string::npos) << error.what();
  }
}

// The nearest node to the second place is 0.25 m away, the mesh only 0.05 m.
TEST(ResultsProbe, OutsideIsAnErrorThatTellsHowFar) {
  const TemporaryFolder folder(world());
  write(folder / "cube", test::two_regions(world(), 4));
  if (!world().is_root()) return;
  const std::array<std::pair<std::vector<double>, const char*>, 3> places{{
      {{0.5, 0.25, -0.125}, "0.125 m from it"},
      {{0.625, 1.05, 0.375}, "0.05 m from it"},
      {{1.03, 1.04, 0.4}, "0.05 m from it"},  // from the edge x = y = 1
  }};
  for (const auto& [place, words] : places) {
    try {
      results_probe(folder / "cube", place);
      ADD_FAILURE() << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::mesh);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace trestle::io

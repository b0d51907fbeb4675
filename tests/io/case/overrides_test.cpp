#include "io/case/overrides.hpp"

#include <clocale>
#include <locale>

#include "tests/io/case_support.hpp"

namespace trestle::io {
namespace {

using test::elasticity_case;
using test::expect_mistake;
using test::heat_case;
using test::parsed;

TEST(Override, ReplacesAddsAndReachesIntoLists) {
  EXPECT_EQ(parsed(heat_case, {"solver.tolerance=1e-6"}).solver.tolerance, 1e-6);
  EXPECT_EQ(parsed(heat_case, {"mesh.order=2", "mesh.order=1"}).mesh.order, 1);
  EXPECT_EQ(parsed(heat_case, {"title=a=b"}).title, "a=b");
  const Case c = parsed(heat_case, {"boundary.0.temperature=20 degC", "boundary.0.on=[a, b]"});
  EXPECT_EQ(c.problem.conditions[0].parameters.at("value").components[0]->number(), 293.15);
  EXPECT_EQ(c.problem.conditions[0].on.size(), 2u);
  EXPECT_EQ(to_string(c.problem.conditions[0].on[1].where), "--set boundary.0.on");
  const Case box = parsed(
      "physics: heat\nmesh: {generate: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
      "materials: {a: {conductivity: 1}}\n",
      {"mesh.generate.box.cells=[38,38,39]", "mesh.generate.box.size.2=2"});
  EXPECT_EQ(box.mesh.box->cells, (std::array<Index, 3>{38, 38, 39}));
  EXPECT_EQ(box.mesh.box->size[2], 2);
}

TEST(Override, IsCheckedLikeTheFileAndNamedInErrors) {
  expect_mistake(heat_case, "--set solver.tolerance: \"abc\" is not a number",
                 {"solver.tolerance=abc"});
  expect_mistake(heat_case, "--set boundary.0.on.1: expected a text", {"boundary.0.on=[a, [b]]"});
  expect_mistake(heat_case,
                 "--set solver.tolerence: solver: unknown key \"tolerence\", did you mean",
                 {"solver.tolerence=1"});
  expect_mistake(heat_case, "--set mesh.file", {"mesh.file="});
}

TEST(Override, OfAFileThatIsNoMappingIsNotLookedAt) {
  expect_mistake("- a\n", "case.yaml:1:1: not a case file: expected a mapping",
                 {"solver.tolerance=1"});
}

TEST(Override, ThatIsMalformedIsAUsageError) {
  for (const char* text :
       {"solver.tolerance", "=1", ".a=1", "a..b=1", "a.=1", "title=[", "title=a: b: c",
        "boundary.1.temperature=3", "boundary.-1.temperature=3", "boundary.x.temperature=3",
        "physics.x=3", "boundary.0.temperature.x=1", "title=&a 1", "title={a: 1, a: 2}"}) {
    try {
      parsed(heat_case, {text});
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage) << text << ": " << error.what();
      EXPECT_EQ(std::string(error.what()).find("--set "), 0u) << error.what();
    }
  }
}

/// Numbers with a decimal comma and a point between thousands.
class CommaNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// Numbers keep the point whatever the locale of the program is; the C locale changes where the
// machine has one with a comma, the C++ locale everywhere.
TEST(CaseNumbers, AreReadAndWrittenWithoutALocale) {
  const std::string resolved = parsed(elasticity_case, {"thickness=0.25"}).resolved;
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaNumbers));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    std::setlocale(LC_ALL, name);
  const Case c = parsed(elasticity_case, {"thickness=0.25"});
  std::locale::global(before);
  std::setlocale(LC_ALL, "C");
  EXPECT_EQ(c.problem.thickness, 0.25);
  EXPECT_EQ(c.resolved, resolved);
  EXPECT_NE(resolved.find("young: 210000000000\n"), std::string::npos) << resolved;
}

}  // namespace
}  // namespace trestle::io

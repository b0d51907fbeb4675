#include "io/case/case.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/io/case_support.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

using test::elasticity_case;
using test::heat_case;
using test::parsed;

const std::string full_case = R"(title: Bracket under load
mesh:
  file: meshes/bracket.msh
  scale: 1 mm
  order: 2
  partitioner: hilbert
physics: elasticity
analysis: {type: static}
materials:
  steel: {on: [body, plug], young: 210 GPa, poisson: 30 %, density: 7.85 g/cm^3}
  foam: {on: core, young: 1e6*(1 + x), poisson: 0.1}
boundary:
  - {on: foot, displacement: [0, ~, 1 mm]}
  - {on: base, displacement: 0}
  - {on: sym, roller: true}
  - {on: [side_a, side_b], roller: {normal: [1, 1, 0]}}
  - on: lug
    traction: [0, -1 MPa, "if(x > 0.5, 1, 2)*1e6"]
cases:
  - {name: gravity, boundary: [{on: body, gravity: [0, 0, -9.81]}]}
  - {name: press, boundary: [{on: top, pressure: 5 bar}]}
combine: {uls: {gravity: 1.35, press: 1.5}}
solver: {method: cg, preconditioner: chebyshev, precision: mixed, tolerance: 1e-9, max_iterations: 5e3}
output:
  directory: out
  fields: [displacement, von_mises]
  probes: [{name: tip, at: [100 mm, 0, 0], of: displacement}]
  integrals: [{name: reaction, of: reaction_force, on: foot}, {name: energy, of: strain_energy_density}]
expect:
  - {probe: tip, component: y, case: uls, value: -0.123 mm, tolerance: 1 %}
  - {integral: reaction, component: z, case: gravity, value: 2 kN, tolerance: 1}
  - {integral: energy, case: press, value: 3 J, tolerance: 10 mJ}
  - {maximum: von_mises, case: press, value: 30 MPa, tolerance: 1e5}
)";

double number(const physics::Values& values, const std::string& name, std::size_t i = 0) {
  return values.at(name).components.at(i)->number();
}

TEST(Case, HoldsWhatTheFileSaysInSi) {
  const Case c = io::parse_case(full_case, "some where/case.v1.yaml", {}, "/work");
  EXPECT_EQ(c.title, "Bracket under load");
  EXPECT_EQ(c.name, "case.v1");
  EXPECT_EQ(c.mesh.file, "some where/meshes/bracket.msh");
  EXPECT_EQ(c.mesh.scale, 1e-3);
  EXPECT_EQ(c.mesh.order, 2);
  EXPECT_EQ(c.mesh.partitioner, mesh::Partitioner::hilbert);
  EXPECT_EQ(c.output.directory, "some where/out");
  ASSERT_EQ(c.problem.materials.size(), 2u);
  const physics::Material& steel = c.problem.materials[0];
  EXPECT_EQ(steel.on.at(1).name, "plug");
  EXPECT_EQ(to_string(steel.on.at(1).where), "some where/case.v1.yaml:10:22");
  EXPECT_EQ(number(steel.parameters, "young"), 210e9);
  EXPECT_EQ(number(steel.parameters, "poisson"), 0.3);
  EXPECT_EQ(number(steel.parameters, "density"), 7850);
  const auto& young = *c.problem.materials[1].parameters.at("young").components[0];
  EXPECT_TRUE(young.uses_place());
  EXPECT_EQ(young(0.5, 0, 0), 1.5e6);
  EXPECT_EQ(c.solver.method, solver::Method::cg);
  EXPECT_EQ(c.solver.preconditioner, solver::Preconditioner::chebyshev);
  EXPECT_EQ(c.solver.precision, solver::Precision::mixed);
  EXPECT_EQ(c.solver.tolerance, 1e-9);
  EXPECT_EQ(c.solver.max_iterations, 5000);
  EXPECT_TRUE(c.warnings.empty());
}

TEST(Case, KeepsConditionsWithFreeComponentsAndPlaces) {
  const Case c = parsed(full_case);
  const auto& conditions = c.problem.conditions;
  ASSERT_EQ(conditions.size(), 5u);
  const physics::Value& foot = conditions[0].parameters.at("value");
  ASSERT_EQ(foot.components.size(), 3u);
  EXPECT_EQ(foot.components[0]->number(), 0);
  EXPECT_FALSE(foot.components[1].has_value());
  EXPECT_EQ(foot.components[2]->number(), 1e-3);
  EXPECT_EQ(to_string(conditions[0].where), "case.yaml:13:16");
  EXPECT_EQ(to_string(conditions[0].on[0].where), "case.yaml:13:10");
  EXPECT_EQ(conditions[1].parameters.at("value").components.size(), 1u);  // 0 for every component
  EXPECT_TRUE(conditions[2].parameters.empty());
  EXPECT_EQ(number(conditions[3].parameters, "normal", 1), 1);
  EXPECT_EQ(conditions[3].on.size(), 2u);
  EXPECT_EQ((*conditions[4].parameters.at("value").components[2])(1, 0, 0), 1e6);
}

TEST(Case, KeepsLoadCasesCombinationsOutputsAndExpectations) {
  const Case c = parsed(full_case);
  ASSERT_EQ(c.problem.cases.size(), 2u);
  EXPECT_EQ(number(c.problem.cases[0].conditions.at(0).parameters, "value", 2), -9.81);
  ASSERT_EQ(c.problem.combinations.size(), 1u);
  EXPECT_EQ(c.problem.combinations[0].name, "uls");
  EXPECT_EQ(c.problem.combinations[0].factors.at("gravity"), 1.35);
  EXPECT_EQ(c.output.probes.at(0).at[0], 0.1);
  EXPECT_EQ(c.output.integrals.at(1).on.name, "");
  ASSERT_EQ(c.expect.size(), 4u);
  EXPECT_EQ(c.expect[0].value, -0.123e-3);
  EXPECT_DOUBLE_EQ(c.expect[0].tolerance, 0.123e-5);
  EXPECT_EQ(c.expect[0].load_case, "uls");
  EXPECT_EQ(c.expect[1].value, 2000);
  EXPECT_EQ(c.expect[1].tolerance, 1);
  EXPECT_EQ(c.expect[2].tolerance, 0.01);
  EXPECT_EQ(c.expect[3].kind, "maximum");
  EXPECT_EQ(c.expect[3].value, 30e6);
}

TEST(Case, TakesTheDefaultsOfTheTablesWhereAKeyIsMissing) {
  const Case c = parsed(heat_case);
  EXPECT_EQ(c.solver.tolerance, 1e-8);
  EXPECT_EQ(c.run.device, DeviceChoice::automatic);
  EXPECT_EQ(c.run.memory, gpu::Memory::unified);
  EXPECT_EQ(c.mesh.scale, 1);
  EXPECT_EQ(c.output.directory, "");
  EXPECT_EQ(c.output.fields, (std::vector<std::string>{"temperature", "heat_flux"}));
  EXPECT_TRUE(parsed(heat_case + "output: {fields: []}\n").output.fields.empty());
  EXPECT_EQ(parsed(heat_case + "solver: {precision: single}\n").solver.tolerance, 1e-5);
}

TEST(Case, GeneratesBoxesInTwoAndThreeDimensions) {
  const std::string rest = "physics: heat\nmaterials: {a: {conductivity: 1}}\n";
  const Case solid = parsed(
      "mesh: {generate: {box: {size: [1 m, 20 cm, 3], cells: [4, 1e1, 5], cell: tet10}}}\n" + rest);
  EXPECT_EQ(solid.mesh.box->size, (std::array<double, 3>{1, 0.2, 3}));
  EXPECT_EQ(solid.mesh.box->cells, (std::array<Index, 3>{4, 10, 5}));
  EXPECT_EQ(solid.mesh.box->cell, mesh::CellType::tet10);
  const Case flat = parsed(
      "mesh: {generate: {box: {size: [1, 2], origin: [-1, 0], cells: [4, 5], cell: quad4}}}\n" +
      rest);
  EXPECT_EQ(flat.mesh.box->origin[0], -1);
  const auto cell_of = [&](const std::string& box) {
    return parsed("mesh: {generate: {box: {" + box + "}}}\n" + rest).mesh.box->cell;
  };
  EXPECT_EQ(cell_of("size: [1, 1], cells: [4, 4]"), mesh::CellType::quad4);
  EXPECT_EQ(cell_of("size: [1, 1, 1], cells: [4, 4, 4]"), mesh::CellType::hex8);
  test::expect_mistake("mesh: {generate: {box: {size: [1, 1], cells: [4, 4, 4]}}}\n" + rest,
                       "mesh.generate.box.cells: the size has 2 values and asks for 2 here, got 3");
  test::expect_mistake("mesh: {generate: {box: {size: [1], cells: [4, 4, 4]}}}\n" + rest,
                       "expected a list of 2 or 3 values, got 1");
  test::expect_mistake(
      "mesh: {generate: {box: {size: [1, 2, 1], cells: [4, 5], cell: quad4}}}\n" + rest,
      "case.yaml:1:31: mesh.generate.box.size: cells of type quad4 need 2 values, got 3");
}

TEST(Case, TakesCombinationsInThreeForms) {
  const std::string cases = elasticity_case +
                            "cases: [{name: a, boundary: [{on: top, pressure: 1}]}, {name: b, "
                            "boundary: []}]\n";
  for (const char* combine :
       {"combine: {sum: {a: 1.5, b: 2}}", "combine: {name: sum, of: {a: 1.5, b: 2}}",
        "combine: [{name: sum, of: {a: 150 %, b: 2}}]"}) {
    const Case c = parsed(cases + combine);
    ASSERT_EQ(c.problem.combinations.size(), 1u) << combine;
    EXPECT_EQ(c.problem.combinations[0].name, "sum");
    EXPECT_EQ(c.problem.combinations[0].factors,
              (std::map<std::string, double>{{"a", 1.5}, {"b", 2}}));
  }
}

TEST(Case, LeavesAbsolutePathsAsTheyAre) {
  const Case c = io::parse_case(heat_case, "/data/a b/case.yaml", {"mesh.file=/m/p.msh"}, "/work");
  EXPECT_EQ(c.mesh.file, "/m/p.msh");
  const Case d = io::parse_case(heat_case, "/data/a b/case.yaml", {}, "/work");
  EXPECT_EQ(d.mesh.file, "/data/a b/plate.msh");
  const Case e = io::parse_case(heat_case, "case.yaml", {"output.directory=../out"}, "/work");
  EXPECT_EQ(e.output.directory, "../out");
}

TEST(Case, ReadsPetscOptionsAsATextOrAList) {
  const std::vector<std::string> words{"-ksp_type", "cg", "-pc_type", "gamg"};
  EXPECT_EQ(
      parsed(heat_case + "solver: {method: petsc, petsc_options: -ksp_type cg  -pc_type gamg}\n")
          .solver.petsc_options,
      words);
  EXPECT_EQ(
      parsed(heat_case + "solver: {method: petsc, petsc_options: [-ksp_type cg, -pc_type, gamg]}\n")
          .solver.petsc_options,
      words);
}

// The resolved copy is a case itself: it reads back to the same copy, from any folder.
TEST(ResolvedCase, ReadsBackToItself) {
  for (const std::string& text :
       {full_case, heat_case, elasticity_case,
        std::string(
            "physics: heat\nmodel: axisymmetric\nmesh: {generate: {box: {size: [1, 2], cells: "
            "[3, 4], cell: tri6}}}\nmaterials: {\"a: b\": {conductivity: [1, x + 2]}}\n"
            "boundary: [{on: \"on e\", convection: {coefficient: 10, ambient: 20 degC}}]\n"
            "solver: {method: petsc, petsc_options: -ksp_type cg}\n")}) {
    const Case first = parsed(text);
    const Case second = io::parse_case(first.resolved, "/elsewhere/resolved.yaml", {}, "/other");
    EXPECT_EQ(first.resolved, second.resolved);
    EXPECT_EQ(first.problem.conditions.size(), second.problem.conditions.size());
  }
  EXPECT_NE(parsed(heat_case).resolved.find("file: \"/work/plate.msh\""), std::string::npos);
  EXPECT_NE(parsed(heat_case).resolved.find("tolerance: 1e-08"), std::string::npos);
}

TEST(CaseWarning, TellsValuesThatArePossibleAndUnlikely) {
  const auto warnings = [](const std::string& steel) {
    const Case c =
        parsed("physics: elasticity\nmesh: {file: m.msh}\nmaterials:\n  steel: {" + steel + "}\n");
    return test::joined(c.warnings);
  };
  EXPECT_EQ(warnings("young: 210 GPa, poisson: 0.3, density: 7850 kg/m^3"), "");
  // 210000 (MPa) and 7850 (kg/m^3): the speed of sound is 5.17 m/s instead of 5172.
  EXPECT_NE(warnings("young: 210000.0, poisson: 0.3, density: 7850").find("5.17"),
            std::string::npos);
  EXPECT_NE(warnings("young: 210, poisson: 0.3").find("young is 210 Pa"), std::string::npos);
  EXPECT_NE(warnings("young: 210 GPa, poisson: 0.3, density: 7.85e-9").find("speed of sound"),
            std::string::npos);
  EXPECT_EQ(warnings("young: 1, poisson: 0, density: 1"), "");  // without units
}

TEST(CaseWarning, TellsTemperaturesThatWereMeantInDegC) {
  const auto warnings = [](const std::string& ambient) {
    return test::joined(parsed(heat_case +
                               "  - {on: right, convection: {coefficient: 5, ambient: " + ambient +
                               "}}\n")
                            .warnings);
  };
  EXPECT_NE(warnings("20").find("case.yaml:7:55: convection.ambient 20 K: temperatures without a "
                                "unit are in K; was degC meant"),
            std::string::npos)
      << warnings("20");
  EXPECT_NE(warnings("77").find("ambient 77 K"), std::string::npos);
  EXPECT_NE(warnings("-5").find("ambient -5 K"), std::string::npos);
  for (const char* fine :
       {"20 degC", "77 K", "-100 \u00B0C", "-150 degF", "293.15", "0", "1", "20*x"})
    EXPECT_EQ(warnings(fine), "") << fine;
}

TEST(CaseWarning, TellsSuchTemperaturesOfTablesAndInitialValuesToo) {
  const auto warnings = [](const std::string& conductivity, const std::string& end,
                           const std::string& initial) {
    return test::joined(parsed("physics: heat\nmesh: {file: m.msh}\n"
                               "analysis: {type: transient, end: 9, step: 1}\n"
                               "materials: {m: {conductivity: " +
                               conductivity +
                               ", density: 1, specific_heat: 1}}\n"
                               "boundary: [{on: b, temperature: " +
                               end +
                               "}]\n"
                               "initial: [{temperature: " +
                               initial + "}]\n")
                            .warnings);
  };
  EXPECT_NE(warnings("1", "300", "20").find("case.yaml:6:25: temperature 20 K: temper"),
            std::string::npos);
  EXPECT_NE(warnings("1", "{table: [[0, 300], [60, 90], [70, 80]], of: t}", "300")
                .find("case.yaml:5:57: temperature 90 K: temper"),
            std::string::npos);
  EXPECT_NE(warnings("{table: [[20, 45], [400, 38]], of: T}", "20", "300")
                .find("case.yaml:4:41: materials.m.conductivity 20 K; case.yaml:5:33: temperature"),
            std::string::npos);
  EXPECT_EQ(warnings("{table: [[77 K, 45], [20 degC, 38]], of: T}",
                     "{table: [[0, 20 degC], [60, 90 degC]], of: t}", "20 degC"),
            "");
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The cases that people start from must read, and without a warning.
TEST(ReadyCase, IsReadWithoutAWarning) {
  int n = 0;
  for (const char* folder : {"configs", "validation"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string path = entry.path().string();
      EXPECT_NO_THROW({
        const Case c = parse_case(content(path), path, {}, "/work");
        EXPECT_TRUE(c.warnings.empty()) << test::joined(c.warnings);
      }) << path;
      ++n;
    }
  EXPECT_GT(n, 0);
}

TEST(GeneratedPage, InTheRepositoryIsTheOneOfTheTables) {
  EXPECT_TRUE(content("configs/schema.json") == case_schema() + "\n")
      << "run: trestle schema > configs/schema.json";
  EXPECT_TRUE(content("docs/case_reference.md") == case_reference())
      << "run: trestle schema --reference > docs/case_reference.md";
}

TEST(ReadCase, GivesEveryRankTheSameCase) {
  const Comm& comm = test::world();
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "trestle_case_test";
  if (comm.is_root()) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "good.yaml") << full_case;
    std::ofstream(folder / "bad.yaml") << "physics: heat\nmesh: {fil: a}\nmaterials: 3\n";
  }
  comm.barrier();
  const Case c = read_case(comm, (folder / "good.yaml").string(), {"solver.tolerance=1e-6"});
  EXPECT_EQ(c.name, "good");
  EXPECT_EQ(c.solver.tolerance, 1e-6);
  const auto hash = static_cast<std::int64_t>(std::hash<std::string>{}(c.resolved));
  EXPECT_EQ(comm.max(hash), comm.min(hash));
  try {
    read_case(comm, (folder / "bad.yaml").string());
    ADD_FAILURE() << "accepted";
  } catch (const CaseError& error) {
    EXPECT_EQ(error.messages().size(), 3u) << error.what();
  }
  comm.barrier();
  if (comm.is_root()) std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace trestle::io

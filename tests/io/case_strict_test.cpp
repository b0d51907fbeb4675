// Mistakes in case files: each is found, with its place and what to do.
#include "tests/io/case_support.hpp"

namespace trestle::io {
namespace {

using test::elasticity_case;
using test::expect_mistake;
using test::heat_case;
using test::joined;
using test::mistakes;

TEST(CaseKeys, ThatAreUnknownAreToldWithTheNearestOne) {
  const auto messages = mistakes(
      "physics: heat\n"
      "mesh:\n"
      "  file: plate.msh\n"
      "materials: {iron: {conductivity: 50}}\n"
      "boundary_condtions:\n"
      "  - {group: left, temperature: 0}\n"
      "solver:\n"
      "  tolerence: 1.0e-8\n"
      "  max_iterations: 100\n");
  ASSERT_EQ(messages.size(), 2u) << joined(messages);
  EXPECT_EQ(messages[0],
            "case.yaml:5:1: unknown key \"boundary_condtions\", did you mean \"boundary\"?");
  EXPECT_EQ(messages[1],
            "case.yaml:8:3: solver: unknown key \"tolerence\", did you mean \"tolerance\"?");
}

TEST(CaseKeys, InTheWrongPlaceAreToldTheirOwn) {
  expect_mistake(heat_case + "precision: mixed\n", "it belongs to solver");
  expect_mistake(heat_case + "solver: {thickness: 1}\n", "it belongs to the top level");
  expect_mistake(heat_case + "  - {on: right, value: 1}\n",
                 "it belongs to expect; known: on, temperature");
  expect_mistake(heat_case + "solver: {<<: 1}\n", "merge keys are refused");
}

TEST(CaseKeys, OfFixedValuesInALoadCaseAreToldWhereTheyBelong) {
  expect_mistake(elasticity_case + "cases: [{name: a, boundary: [{on: b, displacement: 0}]}]\n",
                 "case.yaml:7:38: cases.0.boundary.0: unknown key \"displacement\": prescribed "
                 "values are the same in every load case");
}

TEST(CaseKeys, ThatASlipOfThePenMadeAreNamed) {
  const std::string start = "physics: elasticity\nmesh: {file: m.msh}\nmaterials:\n";
  const auto all = joined(mistakes(start + "  steel: {young: 210 GPa, poisson: 0,3}\n"));
  EXPECT_NE(
      all.find("case.yaml:4:38: materials.steel: the decimal separator is a point: write 0.3"),
      std::string::npos)
      << all;
  const auto blank = joined(mistakes(elasticity_case + "  - {on:xmin, displacement: 0}\n"));
  EXPECT_NE(blank.find("case.yaml:7:6: boundary.1: a blank is missing behind the colon: write "
                       "\"on: xmin\""),
            std::string::npos)
      << blank;
  const auto colon = joined(mistakes(start + "  steel: {young 210 GPa, poisson: 0.3}\n"));
  EXPECT_NE(colon.find("a colon is missing in \"young 210 GPa\""), std::string::npos) << colon;
}

TEST(CaseNumber, WithADecimalCommaIsToldThePoint) {
  expect_mistake(
      "physics: elasticity\nmesh: {file: m.msh}\nmaterials:\n  s:\n    young: 210\n    poisson: "
      "0,3\n",
      "case.yaml:6:14: materials.s.poisson: \"0,3\" has a comma: the decimal separator is a point, "
      "write 0.3");
  expect_mistake(heat_case + "output: {probes: [{name: a, at: [0,5, 1,5, 2], of: temperature}]}\n",
                 "expected a list of 2 or 3 values, got 5; the decimal separator is a point: write "
                 "0.5");
  expect_mistake(elasticity_case + "  - {on: lug, traction: [0,5, 0, 1]}\n",
                 "one for each direction, got 4; the decimal separator is a point: write 0.5");
}

TEST(CaseLists, ThatAreWrittenInAnotherFormAreToldTheRightOne) {
  expect_mistake(elasticity_case + "  - {on: lug, traction: [1e6 0 -2]}\n",
                 "got 1; commas stand between the values: \"1e6 0 -2\"");
  expect_mistake(elasticity_case + "  - {on: lug, traction: {x: 1}}\n",
                 "got a mapping: components stand in a list");
  expect_mistake(heat_case + "  - {on: right, flux: {value: 1}}\n",
                 "got a mapping: a table is {table:");
  expect_mistake(heat_case + "output: {fields: temperature}\n", "write [temperature]");
  const std::string boxes =
      joined(mistakes("physics: heat\nmaterials: {m: {conductivity: 1}}\n"
                      "mesh: {generate: {box: {size: [1,1,1], cells: [4,4,4], cell: quad4}}}\n"));
  EXPECT_NE(boxes.find("quad4 need 2 values, got 3"), std::string::npos) << boxes;
  EXPECT_EQ(boxes.find("decimal"), std::string::npos) << boxes;
  expect_mistake(
      "physics: heat\nmaterials: {m: {conductivity: 1}}\n"
      "mesh: {generate: {box: {size: [1, 1], cells: [4, 4], cell: quad5}}}\n",
      "unknown word \"quad5\", did you mean \"quad4\"?");
}

TEST(CaseLists, ThatAreMissingAreWrittenAsTheyWouldBeTaken) {
  const std::string box =
      "physics: heat\nmaterials: {m: {conductivity: 1}}\nmesh: {generate: {box: ";
  expect_mistake(box + "{size: 1, cells: [8, 8]}}}\n", "got \"1\": write [1, 1]");
  expect_mistake(box + "{size: [1, 1], cells: 8}}}\n", "got \"8\": write [8, 8]");
  expect_mistake(box + "{size: [1, 1], cells: 8 8}}}\n", "got \"8 8\": write [8, 8]");
  expect_mistake(heat_case + "output: {fields: all}\n", "got \"all\"; known: temperature, ");
  expect_mistake(heat_case + "output: {fields: \"temperature, heat_flux\"}\n",
                 "write [temperature, heat_flux]");
}

TEST(CaseMistakes, HaveNoOthersInTheirWake) {
  const auto transient = [](const std::string& analysis) {
    return "physics: heat\nmesh: {file: m.msh}\nanalysis: {" + analysis +
           "}\nmaterials: {m: {conductivity: 1, density: 1, specific_heat: 1}}\n"
           "initial: [{temperature: 300}]\noutput: {every: 10 s}\n";
  };
  expect_mistake(transient("type: transient, end: 5 m, step: 1 s"), "expected a time (s), got m");
  expect_mistake(transient("type: transient, end: -5 s, step: 1 s"), "out of range");
  expect_mistake(transient("type: transient, end: 0, step: 1 s"), "must be above 0 s");
  expect_mistake(transient("type: transient, step: 1 s"), "the key analysis.end is missing");
  expect_mistake(transient("type: transient, end: 60 s, step: 1 m"), "expected a time (s), got m");
  expect_mistake(transient("type: transiant, end: 60 s, step: 1 s"), "did you mean \"transient\"");
  expect_mistake(transient("type: transient, end: 60 s, step: 1 s, tolerance: x, smallest_step: 1"),
                 "analysis.tolerance: \"x\" is not a number");
  const std::string harmonic = elasticity_case + "analysis: {type: harmonic, ";
  expect_mistake(harmonic + "frequencies: 100 Hz}\n", "write [100 Hz]");
  expect_mistake(harmonic + "min_frequency: 1 s, max_frequency: 5 Hz, points: 5}\n", "got s");
}

TEST(CaseNumber, OfAnExpressionTakesNoUnit) {
  expect_mistake(elasticity_case + "  - {on: lug, traction: [0, 0, 2*x MPa]}\n",
                 "an expression takes no unit, it is in SI with coordinates in metres: write "
                 "\"1000000*(2*x)\" for \"2*x MPa\"");
  expect_mistake(heat_case + "  - {on: right, temperature: 20*x degC}\n",
                 "write \"(20*x) + 273.15\" for");
  expect_mistake(heat_case + "  - {on: right, temperature: 2x}\n", "write 2*x");
}

TEST(CaseNumber, WithAUnitThatBeginsAnExpressionIsWrittenInSI) {
  const auto refused = [](const std::string& condition, const std::string& part) {
    expect_mistake(elasticity_case + "  - {on: a, " + condition + "}\n", part);
  };
  refused("pressure: 2 MPa + x",
          "an expression takes no unit, it is in SI with coordinates in "
          "metres: write \"2000000\" for \"2 MPa\"");
  refused("pressure: 2 MPa \u2212 x", "write \"2000000\" for \"2 MPa\"");
  refused("pressure: 2 N/mm^2 * y", "write \"2000000\" for \"2 N/mm^2\"");
  refused("pressure: 2 MPa*1", "write \"2000000\" for \"2 MPa\"");
  refused("pressure: 2 1*MPa", "a unit has no number within");
  refused("pressure: 2 N/mmx", "unknown unit \"mmx\"");
  refused("pressure: 5 sin(x)", "\"5 sin(x)\": a * is missing between the factors: write 5*sin(x)");
  refused("pressure: 2 x", "\"2 x\": a * is missing between the factors: write 2*x");
  refused("pressure: 2 N m-2 Kx", "unknown unit \"Kx\"");
  refused("pressure: 2*MPa",
          "boundary.1.pressure: unknown name \"MPa\"; an expression takes no unit");
  refused("pressure: 3 \u2212 x", "write \"-\" instead of");
  refused("pressure: MPa", "\"MPa\": a number is missing before the unit: write 1 MPa");
  expect_mistake(heat_case + "  - {on: right, temperature: 300 degC + x}\n",
                 "write \"573.15\" for \"300 degC\"");
  expect_mistake(
      "physics: heat\nmesh: {file: m.msh, scale: mm}\nmaterials: {m: {conductivity: 1}}\n",
      "mesh.scale: \"mm\": a number is missing before the unit: write 1 mm");
}

TEST(CaseKeys, ThatComeTwiceNameBothLines) {
  const auto messages = mistakes(
      "solver:\n  method: cg\n  tolerance: 1.0e-8\n"
      "materials:\n  steel:\n    conductivity: 1\n    conductivity: 2\n"
      "solver:\n  method: direct\n"
      "physics: heat\nmesh: {file: m.msh}\n");
  ASSERT_EQ(messages.size(), 2u) << joined(messages);
  EXPECT_EQ(messages[0],
            "case.yaml:7:5: the key \"conductivity\" stands here for the second time; "
            "the first is at line 6");
  EXPECT_EQ(
      messages[1],
      "case.yaml:8:1: the key \"solver\" stands here for the second time; the first is at line 1");
  const auto materials = mistakes(
      "materials:\n  steel: {conductivity: 1}\n  steel: {conductivity: 2}\n"
      "physics: heat\nmesh: {file: m.msh}\n");
  ASSERT_EQ(materials.size(), 1u) << joined(materials);
  EXPECT_NE(materials[0].find("case.yaml:3:3"), std::string::npos);
  EXPECT_NE(materials[0].find("line 2"), std::string::npos);
}

TEST(CaseKeys, ThatAreMissingAreToldWithTheirPath) {
  const auto messages = mistakes(
      "mesh: {generate: {box: {cells: [1, 1, 1]}}}\nphysics: elasticity\n"
      "materials: {steel: {poisson: 0.3}}\nboundary: [{displacement: 0}]\n");
  const std::string all = joined(messages);
  EXPECT_EQ(messages.size(), 3u) << all;
  EXPECT_NE(all.find("case.yaml:1:24: the key mesh.generate.box.size is missing"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("case.yaml:3:20: the key materials.steel.young is missing"), std::string::npos)
      << all;
  EXPECT_NE(all.find("case.yaml:4:12: the key boundary.0.on is missing"), std::string::npos) << all;
  EXPECT_NE(joined(mistakes("title: nothing\n")).find("the key physics is missing"),
            std::string::npos);
  EXPECT_NE(joined(mistakes("title: nothing\n")).find("the key mesh is missing"),
            std::string::npos);
}

TEST(CaseMistakes, AreAllReportedInOnePassInTheOrderOfTheFile) {
  const auto messages = mistakes(
      "physics: elasticty\n"
      "mesh: {file: m.msh, order: 99, scal: 1}\n"
      "materials:\n"
      "  steel: {on: body, young: -1, poisson: 0.5}\n"
      "boundary:\n"
      "  - {on: foot, displacment: [0, 0, 0]}\n"
      "  - {on: lug, traction: [0, 3 m, \"sin(x, y)\"]}\n"
      "solver: {precision: quadruple, tolerance: abc}\n"
      "expect: [{probe: tip, value: 1, tolerance: 1}]\n");
  const std::vector<std::string> places{"1:10", "2:28", "2:32", "4:28", "4:41", "6:16",
                                        "7:29", "7:35", "8:21", "8:43", "9:18"};
  ASSERT_EQ(messages.size(), places.size()) << joined(messages);
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_EQ(messages[i].find("case.yaml:" + places[i] + ":"), 0u) << messages[i];
}

TEST(CaseValues, OfTheWrongTypeAreRefusedAndNeverReplacedByADefault) {
  expect_mistake(heat_case + "solver: {tolerance: abc}\n", "\"abc\" is not a number");
  expect_mistake(heat_case + "solver: {tolerance: \"1e-8\"}\n", "leave out the quotes");
  expect_mistake(heat_case + "solver: {tolerance: [1]}\n", "got a list");
  expect_mistake(heat_case + "solver: {tolerance: }\n", "got nothing");
  expect_mistake(heat_case + "solver: {tolerance: yes}\n", "not a number");
  expect_mistake(heat_case + "solver: []\n", "expected a mapping");
  expect_mistake(heat_case + "solver:\n", "expected a mapping (key: value), got nothing");
  expect_mistake(heat_case + "output: {probes: {name: a}}\n", "expected a list");
  expect_mistake(heat_case + "output: {fields: temperature}\n", "expected a list");
  expect_mistake(heat_case + "output: {fields: [temperature, temperature]}\n", "twice");
  expect_mistake(heat_case + "title: [a]\n", "expected a text");
  expect_mistake("physics: heat\nmesh: {file: a.msh}\nmaterials: {iron: 50}\n",
                 "materials.iron: expected a mapping");
}

TEST(CaseValues, ThatAreWholeNumbersAreExactAndDecimal) {
  for (const char* text : {"010", "0x10", "1_000", "1.5", "1e400", "abc", "\"3\"", ".nan", "true"})
    expect_mistake(heat_case + "solver: {max_iterations: " + text + "}\n", "solver.max_iterations");
  EXPECT_EQ(test::parsed(heat_case + "solver: {max_iterations: 1e3}\n").solver.max_iterations,
            1000);
}

TEST(CaseValues, OutOfRangeNameTheRange) {
  const std::pair<const char*, const char*> wrong[] = {
      {"solver: {tolerance: 0}", "0 < value < 1"},
      {"solver: {tolerance: -1}", "0 < value < 1"},
      {"solver: {tolerance: .inf}", "finite"},
      {"solver: {tolerance: .nan}", "finite"},
      {"solver: {tolerance: 1e-400}", "too small"},
      {"solver: {max_iterations: 0}", "1 <= value"},
      {"solver: {max_iterations: 2147483648}", "2147483647"},
      {"solver: {restart: 1e9}", "1 <= value <= 1000"},
      {"thickness: 0", "0 < value [m]"},
      {"thickness: 3 kg", "expected a length (m), got kg"},
  };
  for (const auto& [line, reason] : wrong) expect_mistake(heat_case + line, reason);
  const std::string rest = "physics: heat\nmaterials: {a: {conductivity: 1}}\n";
  expect_mistake("mesh: {file: m.msh, order: 99}\n" + rest, "1 <= value <= 2");
  expect_mistake("mesh: {file: m.msh, scale: 0}\n" + rest, "0 < value [m]");
  expect_mistake("mesh: {generate: {box: {size: [1, 1, 1], cells: [1, 1, 2147483648]}}}\n" + rest,
                 "1 <= value <= 2147483647");
  expect_mistake("mesh: {generate: {box: {size: [1, 1, 1], cells: [2e9, 2e9, 2e9]}}}\n" + rest,
                 "at most 1e15");
}

TEST(CaseMaterial, ThatCannotBeIsRefused) {
  const auto with = [](const std::string& parameters) {
    return "physics: elasticity\nmesh: {file: m.msh}\nmaterials:\n  a: {" + parameters + "}\n";
  };
  EXPECT_EQ(test::parsed(with("young: 1.0e9, poisson: -0.2")).problem.materials.size(), 1u);
  expect_mistake(with("young: 1.0e9, poisson: 0.5"), "-1 < value < 0.5");
  expect_mistake(with("young: 1.0e9, poisson: 0.6"), "-1 < value < 0.5");
  expect_mistake(with("young: 1.0e9, poisson: -1.0"), "-1 < value < 0.5");
  expect_mistake(with("young: 0.0, poisson: 0.3"), "0 < value [Pa]");
  expect_mistake(with("young: -1.0, poisson: 0.3"), "0 < value [Pa]");
  expect_mistake(with("young: 1 - 2, poisson: 0.3"), "-1 is out of range");
  expect_mistake(with("young: 1e9, poisson: 0.3, density: 0"), "0 < value [kg/m^3]");
  expect_mistake(with("young: [1e9, 1e9], poisson: 0.3"), "expected one value, got a list");
  expect_mistake(with("young: ~, poisson: 0.3"), "got nothing");
  const auto heat = [](const std::string& k) {
    return "physics: heat\nmesh: {file: m.msh}\nmaterials: {a: {conductivity: " + k + "}}\n";
  };
  expect_mistake(heat("0.0"), "0 < value");
  expect_mistake(heat("-1.0"), "0 < value");
  expect_mistake(heat("[1, -2]"), "materials.a.conductivity.1");
  expect_mistake(heat("[1, 2, 3, 4]"), "expected 2 or 3 values");
  expect_mistake(heat("[1, ~]"), "got nothing");
  EXPECT_EQ(mistakes(heat("[[1, 2], [2, 1]]")).size(), 2u);  // no full tensors
}

TEST(CaseMaterial, StandsOnGroupsOfItsOwn) {
  expect_mistake(
      "physics: heat\nmesh: {file: m.msh}\nmaterials:\n  a: {conductivity: 1}\n"
      "  b: {on: core, conductivity: 1}\n",
      "case.yaml:4:3: the key materials.a.on is missing");
  expect_mistake(
      "physics: heat\nmesh: {file: m.msh}\nmaterials:\n  a: {on: core, conductivity: 1}\n"
      "  b: {on: [shell, core], conductivity: 1}\n",
      "case.yaml:5:19: the group \"core\" has the material \"a\" already (case.yaml:4:11)");
  expect_mistake(
      "physics: heat\nmesh: {file: m.msh}\nmaterials: {a: {on: [b, b], conductivity: 1}}\n",
      "stands twice");
  expect_mistake("physics: heat\nmesh: {file: m.msh}\nmaterials: {a: {on: [], conductivity: 1}}\n",
                 "1 or more");
  expect_mistake("physics: heat\nmesh: {file: m.msh}\nmaterials: {}\n", "expected a mapping");
}

TEST(CaseCondition, IsExactlyOneOfThePhysics) {
  expect_mistake(elasticity_case + "  - {on: a}\n", "one of these keys is missing: displacement");
  expect_mistake(elasticity_case + "  - {on: a, pressure: 1, traction: [1, 0, 0]}\n",
                 "has both pressure and traction");
  expect_mistake(elasticity_case + "  - {on: a, presure: 1}\n", "did you mean \"pressure\"");
  expect_mistake(elasticity_case + "  - {on: a, flux: 1}\n", "unknown key \"flux\"");
  expect_mistake(elasticity_case + "  - a\n", "expected a mapping");
}

TEST(CaseCondition, OnVectorsTakesAListOrZero) {
  expect_mistake(elasticity_case + "  - {on: a, displacement: 1}\n", "such as [0, 0, 1]");
  expect_mistake(elasticity_case + "  - {on: a, traction: x}\n", "such as [0, 0, x]");
  expect_mistake(elasticity_case + "  - {on: a, traction: [0, ~, 1]}\n", "got nothing");
  expect_mistake(elasticity_case + "  - {on: a, displacement: [~, ~, ~]}\n", "fixes nothing");
  for (const char* word : {"fixed", "true", "none", "~", "[0, free, 0]"})
    expect_mistake(elasticity_case + "  - {on: a, displacement: " + word + "}\n",
                   "0 holds a direction and ~ leaves it free, as in [0, ~, ~]");
  expect_mistake(elasticity_case + "  - {on: a, displacement: fixed}\n",
                 "case.yaml:7:27: boundary.1.displacement: unknown name \"fixed\"");
  expect_mistake(elasticity_case + "  - {on: a, displacement: [0]}\n", "2 or 3 values");
  expect_mistake(elasticity_case + "  - {on: a, pressure: [1, 2]}\n", "expected one value");
}

TEST(CaseCondition, OfSeveralParametersIsAMapping) {
  expect_mistake(heat_case + "  - {on: a, convection: 3}\n", "expected a mapping");
  expect_mistake(heat_case + "  - {on: a, convection: {coefficient: 3}}\n",
                 "the key boundary.1.convection.ambient is missing");
  expect_mistake(heat_case + "  - {on: a, convection: {coefficient: -3, ambient: 300}}\n",
                 "0 <= value");
  expect_mistake(elasticity_case + "  - {on: a, roller: false}\n",
                 "expected a mapping (key: value) or true");
  expect_mistake(elasticity_case + "  - {on: a, roller: {normal: [0, 0, 0]}}\n",
                 "must not be zero");
}

TEST(CaseExpression, WithAMistakeNamesItsPlaceInTheFile) {
  expect_mistake(heat_case + "  - {on: a, flux: 2*q}\n",
                 "case.yaml:7:21: boundary.1.flux: unknown name \"q\"");
  expect_mistake(heat_case + "  - {on: a, flux: \"2*q\"}\n",
                 "case.yaml:7:22: boundary.1.flux: unknown name \"q\"");
  expect_mistake(heat_case + "  - {on: a, flux: x=5}\n", "assignment is refused");
  expect_mistake(heat_case + "  - {on: a, flux: 2*t}\n", "static analysis");
  expect_mistake(heat_case + "  - {on: a, flux: 1/0}\n", "not finite");
  expect_mistake(heat_case + "  - {on: a, flux: 5 kW}\n", "expected a heat flux (W/m^2), got kW");
  expect_mistake(heat_case + "  - {on: a, flux: 0x10}\n", "hexadecimal");
  expect_mistake(elasticity_case + "  - {on: a, traction: [max(1, x), 0]}\n",
                 "put the expression in quotes");
  expect_mistake(heat_case + "  - on: a\n    flux: max(1, x\n",
                 "case.yaml:8:19: boundary.1.flux: expected \")\"");
}

TEST(CaseLoads, AreNamedOnceAndCombinedByName) {
  const std::string cases =
      elasticity_case +
      "cases: [{name: a, boundary: [{on: top, pressure: 1}]}, {name: b, boundary: []}]\n";
  expect_mistake(cases + "combine: {sum: {a: 1, q: 2}}\n", "unknown load case \"q\"");
  expect_mistake(cases + "combine: {a: {a: 1}}\n", "already");
  expect_mistake(cases + "combine: {sum: 3}\n", "expected a mapping");
  expect_mistake(cases + "combine: {sum: {a: x}}\n", "not a number");
  expect_mistake(elasticity_case + "combine: {sum: {a: 1}}\n", "no load cases");
  expect_mistake(elasticity_case + "cases: [{name: a, boundary: []}, {name: a, boundary: []}]\n",
                 "already");
  expect_mistake(elasticity_case + "cases: [{name: a, boundary: [{on: f, displacement: 0}]}]\n",
                 "move this entry to the top-level boundary");
}

TEST(CaseSolver, RefusesWhatCannotWorkTogether) {
  expect_mistake(heat_case + "solver: {precision: single, tolerance: 1e-8}\n", "precision: mixed");
  expect_mistake(heat_case + "solver: {method: petsc, precision: mixed}\n", "double only");
  expect_mistake(heat_case + "solver: {method: direct, precision: single}\n", "double only");
  expect_mistake(heat_case + "solver: {method: direct, preconditioner: jacobi}\n",
                 "direct has none");
  expect_mistake(heat_case + "solver: {method: cg, petsc_options: -ksp_type cg}\n",
                 "is for method petsc");
  expect_mistake(heat_case + "solver: {method: petsc, petsc_options: ksp_type cg}\n",
                 "begin with -");
  expect_mistake(heat_case + "solver: {method: cgg}\n", "did you mean \"cg\"");
  expect_mistake(heat_case + "solver: {device: cuda}\n", "auto, cpu, gpu, debug");
}

TEST(CaseMesh, HasOneSource) {
  const std::string rest = "physics: heat\nmaterials: {a: {conductivity: 1}}\n";
  const std::string box = "generate: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}";
  expect_mistake("mesh: {order: 1}\n" + rest, "file, generate");
  expect_mistake("mesh: {file: a.msh, " + box + "}\n" + rest, "both file and generate");
  expect_mistake("mesh: {scale: 2, " + box + "}\n" + rest, "not for a generated mesh");
  expect_mistake("mesh: {file: ~/a.msh}\n" + rest, "~ is not expanded");
  expect_mistake("mesh: {generate: {}}\n" + rest, "one of these keys is missing: box");
  expect_mistake("mesh: {generate: {ball: 1}}\n" + rest, "unknown key \"ball\"");
}

TEST(CaseModel, FitsThePhysics) {
  expect_mistake(heat_case + "model: plane_stress\n", "did you mean \"plane\"?");
  expect_mistake(heat_case + "model: axisymmetric\nthickness: 1\n", "full circle");
}

TEST(CaseOutput, NamesResultsAndNamesOnce) {
  const std::string probe = "{name: a, at: [0, 0], of: temperature}";
  expect_mistake(heat_case + "output: {probes: [" + probe + ", " + probe + "]}\n", "already");
  expect_mistake(heat_case + "output: {probes: [{name: a, at: [0, 0], of: displacement}]}\n",
                 "unknown word \"displacement\"");
  expect_mistake(heat_case + "output: {probes: [{name: a, at: [0], of: temperature}]}\n",
                 "2 or 3 values");
  expect_mistake(heat_case + "output: {fields: [temprature]}\n", "did you mean \"temperature\"");
}

TEST(CaseExpectation, IsAboutSomethingThatIsComputed) {
  const std::string output =
      heat_case +
      "output:\n  probes: [{name: mid, at: [0, 0, 0], of: temperature}, {name: q, at: "
      "[0, 0, 0], of: heat_flux}]\nexpect:\n";
  expect_mistake(output + "  - {probe: mud, value: 1, tolerance: 1}\n", "did you mean \"mid\"");
  expect_mistake(output + "  - {value: 1, tolerance: 1}\n", "probe, integral, minimum, maximum");
  expect_mistake(output + "  - {probe: mid, minimum: temperature, value: 1, tolerance: 1}\n",
                 "has both");
  expect_mistake(output + "  - {probe: mid, component: x, value: 1, tolerance: 1}\n",
                 "is a scalar");
  expect_mistake(output + "  - {probe: q, value: 1, tolerance: 1}\n", "component is missing");
  expect_mistake(output + "  - {probe: q, component: radial, value: 1, tolerance: 1}\n",
                 "known: x, y, z");
  expect_mistake(output + "  - {probe: mid, value: 1 m, tolerance: 1}\n",
                 "expected a temperature (K), got m");
  expect_mistake(output + "  - {probe: mid, value: 1, tolerance: 1 degC}\n", "difference");
  expect_mistake(output + "  - {probe: mid, value: 0, tolerance: 1 %}\n", "of the value 0");
  expect_mistake(output + "  - {probe: mid, value: 1, tolerance: -1}\n", "0 <= value");
  expect_mistake(output + "  - {probe: mid, value: 1}\n", "tolerance is missing");
  expect_mistake(output + "  - {probe: mid, case: a, value: 1, tolerance: 1}\n", "no load cases");
  EXPECT_EQ(
      test::parsed(output + "  - {probe: mid, value: 20 degC, tolerance: 1}\n").expect[0].value,
      293.15);
}

TEST(CaseExpectation, NamesItsLoadCaseWhereThereAreSeveral) {
  const std::string one = elasticity_case + "cases:\n  - {name: a, boundary: []}\n";
  const std::string expect = "expect: [{maximum: von_mises, value: 1, tolerance: 1}]\n";
  EXPECT_EQ(test::parsed(one + expect).expect[0].load_case, "a");
  expect_mistake(one + "  - {name: b, boundary: []}\n" + expect, "the key case is missing");
  expect_mistake(one + "expect: [{maximum: von_mises, case: c, value: 1, tolerance: 1}]\n",
                 "unknown load case \"c\"");
  EXPECT_EQ(
      test::parsed(one +
                   "expect: [{maximum: principal_stress, component: 1, value: 1, tolerance: 1}]\n")
          .expect[0]
          .component,
      "1");
}

TEST(CaseMistakes, InGreatNumberStopAfterAWhile) {
  std::string text = heat_case;
  for (int i = 0; i < 5000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  const auto messages = mistakes(text);
  EXPECT_EQ(messages.size(), 201u);
  EXPECT_NE(messages.back().find("more mistakes follow"), std::string::npos);
}

TEST(CaseMistakes, EchoNoControlCharacters) {
  for (const std::string& message : mistakes(heat_case + "\"a\\e]0;b\": 1\n"))
    EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace trestle::io

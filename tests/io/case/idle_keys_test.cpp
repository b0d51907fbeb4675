// Keys that would do nothing in the setting of a case are refused, and their resolved copies do
// without them.
#include "io/case/idle_keys.hpp"

#include "tests/io/case_support.hpp"

namespace trestle::io {
namespace {

using test::parsed;

std::string heat(const std::string& rest, const std::string& conductivity = "50") {
  return "physics: heat\n"
         "mesh: {file: plate.msh}\n"
         "materials: {iron: {conductivity: " +
         conductivity + ", density: 7800, specific_heat: 450}}\n" + rest;
}
std::string solid(const std::string& rest, const std::string& law = "linear") {
  return "physics: elasticity\n"
         "mesh: {file: plate.msh}\n"
         "materials: {steel: {law: " +
         law + ", young: 210 GPa, poisson: 0.3, density: 7850}}\n" + rest;
}
std::string both(const std::string& rest) {
  return "physics: thermoelasticity\n"
         "mesh: {file: plate.msh}\n"
         "analysis: {type: transient, end: 1, step: 0.1, coupling: two_way}\n"
         "materials: {steel: {young: 210 GPa, poisson: 0.3, thermal_expansion: 1e-5, density: 1,\n"
         "  reference_temperature: 300, conductivity: 50, specific_heat: 450}}\n"
         "initial: [{temperature: 300}]\n" +
         rest;
}
const std::string march =
    "initial: [{temperature: 300}]\nanalysis: {type: transient, end: 1, "
    "step: 0.1";
const std::string explicit_motion =
    "analysis: {type: transient, scheme: central_difference, end: 1}\n";
const std::string modal = "analysis: {type: modal}\n";
const std::string by_lobpcg = "analysis: {type: modal, eigensolver: lobpcg}\n";
const std::string harmonic = "analysis: {type: harmonic, frequencies: [1, 2]}\n";

/// The same key where it works, and where it would not.
struct Pair {
  std::string working, idle, message;
};

TEST(IdleKeys, AreRefusedWhereTheyWouldDoNothing) {
  const std::string radiation =
      "boundary: [{on: left, radiation: {emissivity: 1, ambient: 300}}]\n";
  const std::vector<Pair> pairs{
      {heat("solver: {method: gmres, restart: 9}"), heat("solver: {method: cg, restart: 9}"),
       "4:22: solver.restart: is of GMRES, and the method is cg; leave it out"},
      {heat("solver: {restart: 9}"), heat("solver: {method: petsc, restart: 9}"),
       "write petsc_options: -ksp_gmres_restart"},
      {heat("solver: {method: petsc, max_iterations: 9}"),
       heat("solver: {method: direct, max_iterations: 9}"),
       "solver.max_iterations: method direct does not iterate"},
      {heat("solver: {memory: device}"), heat("solver: {device: cpu, memory: device}"),
       "solver.memory: is of GPUs"},
      {heat("analysis: {load_steps: 3}\n" + radiation), heat("analysis: {load_steps: 3}"),
       "analysis.load_steps: everything here is linear"},
      {solid("analysis: {load_steps: 3}", "neo_hookean"), solid("analysis: {load_steps: 3}"),
       "analysis.load_steps: everything here is linear"},
      {heat("analysis: {newton: {tolerance: 1e-9}}", "50 + T"),
       heat("analysis: {newton: {tolerance: 1e-9}}"), "analysis.newton: everything here is linear"},
      {heat(march + ", newton: {tolerance: 1e-9}}", "50 + T"),
       heat(march + ", newton: {tolerance: 1e-9}}"), "analysis.newton: everything here is linear"},
      {heat(march + ", mass: lumped}"), heat("analysis: {mass: lumped}"),
       "analysis.mass: a static"},
      {solid("analysis: {type: harmonic, min_frequency: 1, max_frequency: 2, points: 2}"),
       solid("analysis: {type: harmonic, frequencies: [1], min_frequency: 1}"),
       "analysis.min_frequency: goes with points"},
      {solid("solver: {method: cg}"), solid(modal + "solver: {method: cg}"),
       "solver.method: a modal analysis factors its matrix by MUMPS"},
      {solid(modal + "solver: {method: direct}"), solid(by_lobpcg + "solver: {method: direct}"),
       "solver.method: lobpcg takes its own multigrid"},
      {solid("solver: {precision: mixed}"), solid(harmonic + "solver: {precision: mixed}"),
       "solver.precision: a harmonic analysis factors"},
      {solid("solver: {preconditioner: jacobi}"),
       solid(explicit_motion + "solver: {preconditioner: jacobi}"),
       "solver.preconditioner: central_difference solves no system"},
      {solid(modal + "solver: {tolerance: 1e-9}"),
       solid(explicit_motion + "solver: {tolerance: 1e-9}"), "solver.tolerance"},
      {both("solver: {preconditioner: jacobi}"), both("solver: {preconditioner: chebyshev}"),
       "solver.preconditioner: coupling: two_way takes amg, jacobi or none"},
      {solid("checkpoint: {every: 5 min}"), solid(modal + "checkpoint: {every: 5 min}"),
       "checkpoint.every: a modal analysis saves no checkpoints"},
      {heat("checkpoint: {keep: 9}"), heat("checkpoint: {every: never, keep: 9}"),
       "checkpoint.keep: every: never saves none"},
      {heat("checkpoint: {mean_time_to_interruption: 9 h}"),
       heat("checkpoint: {every: 1 h, mean_time_to_interruption: 9 h}"),
       "checkpoint.mean_time_to_interruption: is for every: auto"},
  };
  for (const auto& [working, idle, message] : pairs) {
    EXPECT_NO_THROW(parsed(working)) << working;
    test::expect_mistake(idle, message);
  }
}

TEST(IdleKeys, AreNoneWhereTheySayWhatIsDoneAnyway) {
  for (const std::string& text :
       {solid(modal + "solver: {method: direct, precision: double}\ncheckpoint: {every: never}"),
        solid("analysis: {load_steps: 1}\nsolver: {device: cpu, memory: unified}")})
    EXPECT_NO_THROW(parsed(text)) << text;
}

TEST(IdleKeys, StandInNoResolvedCopy) {
  for (const std::string& text :
       {heat("solver: {method: direct}\ncheckpoint: {every: never}"), solid(modal), solid(harmonic),
        solid(explicit_motion), solid("", "neo_hookean"), both("")}) {
    const std::string once = parsed(text).resolved;
    EXPECT_EQ(parsed(once).resolved, once);
  }
}

TEST(IdleKeys, OfExpectationsAreResultsThatAnotherAnalysisHas) {
  const std::string expect = "expect: [{maximum: velocity, component: x, value: 0, tolerance: 1}]";
  EXPECT_NO_THROW(parsed(solid("analysis: {type: transient, end: 1, step: 1}\n" + expect)));
  test::expect_mistake(solid(expect), "4:20: the result velocity is for transient analyses");
}

}  // namespace
}  // namespace trestle::io

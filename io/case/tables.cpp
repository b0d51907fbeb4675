#include "io/case/tables.hpp"

#include <algorithm>

namespace trestle::io {
namespace {

using Kind = OptionKind;

std::vector<std::pair<std::string, mesh::CellType>> cell_words() {
  std::vector<std::pair<std::string, mesh::CellType>> words;
  for (int i = 0; i < mesh::n_cell_types; ++i) {
    const mesh::CellTraits& cell = mesh::traits(static_cast<mesh::CellType>(i));
    if (cell.dim >= 2) words.emplace_back(std::string(cell.name), cell.type);
  }
  return words;
}

Option<mesh::BoxOptions> cells_option() {
  return {{.name = "cells",
           .kind = Kind::integers,
           .help = "Number of bricks along x, y (and z).",
           .required = true,
           .lower = 1,
           .upper = 2147483647,
           .min_count = 2,
           .max_count = 3},
          [](mesh::BoxOptions& box, const OptionValue& value) {
            const auto& given = std::get<std::vector<std::int64_t>>(value);
            for (std::size_t i = 0; i < given.size(); ++i) box.cells[i] = narrow<Index>(given[i]);
          },
          [](const mesh::BoxOptions& box) -> OptionValue {
            return std::vector<std::int64_t>(box.cells.begin(), box.cells.end());
          }};
}

Option<physics::Problem> model_option(const physics::Description* physics) {
  OptionInfo info{.name = "model",
                  .kind = Kind::word,
                  .help =
                      "What a two-dimensional mesh stands for; the first word is the default "
                      "there. Not for three dimensions."};
  for (const physics::Description& known : physics::descriptions())
    if (physics == nullptr || physics == &known)
      for (const std::string& word : known.models_2d)
        if (std::find(info.words.begin(), info.words.end(), word) == info.words.end())
          info.words.push_back(word);
  return {std::move(info),
          [](physics::Problem& p, const OptionValue& v) { p.model = std::get<std::string>(v); },
          [](const physics::Problem& p) -> OptionValue {
            if (!p.model) return std::monostate{};
            return *p.model;
          }};
}

std::vector<std::string> result_words(const physics::Description* physics) {
  std::vector<std::string> words;
  for (const physics::Description& known : physics::descriptions())
    if (physics == nullptr || physics == &known)
      for (const physics::ResultInfo& result : known.results)
        if (std::find(words.begin(), words.end(), result.name) == words.end())
          words.push_back(result.name);
  return words;
}

OptionInfo text_info(std::string name, std::string help, bool required = false) {
  return {
      .name = std::move(name), .kind = Kind::text, .help = std::move(help), .required = required};
}

OptionInfo field_info(const physics::ParameterInfo& parameter) {
  return {.name = parameter.name,
          .kind = Kind::field,
          .help = parameter.help,
          .required = parameter.required,
          .unit = parameter.unit,
          .lower = parameter.lower,
          .upper = parameter.upper,
          .lower_open = parameter.lower_open,
          .upper_open = parameter.upper_open,
          .max_count = parameter.max_components,
          .nullable = parameter.nullable,
          .zero_scalar = parameter.vector,
          .of_time = parameter.of_time,
          .of_temperature = parameter.of_temperature};
}

/// A number of which -1 stands for "not given".
Option<StopOptions> limit_option(OptionInfo info, double StopOptions::*member) {
  return {std::move(info),
          [member](StopOptions& o, const OptionValue& v) { o.*member = std::get<double>(v); },
          [member](const StopOptions& o) -> OptionValue {
            if (o.*member < 0) return std::monostate{};
            return o.*member;
          }};
}

OptionInfo on_info(std::string help, bool required) {
  return {.name = "on",
          .kind = Kind::texts,
          .help = std::move(help),
          .required = required,
          .min_count = 1};
}

}  // namespace

const OptionTable<MeshOptions>& mesh_table() {
  static const OptionTable<MeshOptions> table{
      option(
          OptionInfo{
              .name = "file",
              .kind = Kind::path,
              .help = "Mesh file (Gmsh .msh, CalculiX or Abaqus .inp, own HDF5), relative to the "
                      "folder of the case file."},
          &MeshOptions::file),
      option(OptionInfo{.name = "scale",
                        .kind = Kind::number,
                        .help = "Length of one unit of the mesh file; `1e-3` or `1 mm` for a mesh "
                                "in millimetres.",
                        .unit = "m",
                        .lower = 0,
                        .lower_open = true},
             &MeshOptions::scale),
      option(OptionInfo{.name = "merge_tolerance",
                        .kind = Kind::number,
                        .help = "Nodes closer than this times the size of the mesh become one; 0 "
                                "merges none.",
                        .lower = 0,
                        .upper = 0.01},
             &MeshOptions::merge_tolerance),
      int_option(OptionInfo{.name = "order",
                            .help = "1 drops the mid nodes of quadratic cells, 2 adds them to "
                                    "linear cells; without it the mesh stays as it is.",
                            .lower = 1,
                            .upper = 2},
                 &MeshOptions::order, 0),
      word_option(OptionInfo{.name = "partitioner", .help = "How cells are shared among ranks."},
                  &MeshOptions::partitioner,
                  {{"auto", mesh::Partitioner::automatic},
                   {"scotch", mesh::Partitioner::scotch},
                   {"hilbert", mesh::Partitioner::hilbert}}),
  };
  return table;
}

const OptionTable<mesh::BoxOptions>& box_table() {
  static const OptionTable<mesh::BoxOptions> table{
      triple_option(OptionInfo{.name = "size",
                               .help = "Length of the box along x, y (and z).",
                               .required = true,
                               .unit = "m",
                               .lower = 0,
                               .lower_open = true},
                    &mesh::BoxOptions::size),
      triple_option(OptionInfo{.name = "origin", .help = "Lowest corner.", .unit = "m"},
                    &mesh::BoxOptions::origin),
      cells_option(),
      word_option(OptionInfo{.name = "cell",
                             .help = "Type of the cells; where `size` has two values the default "
                                     "is `quad4`."},
                  &mesh::BoxOptions::cell, cell_words()),
  };
  return table;
}

const OptionTable<solver::SolverOptions>& solver_table() {
  using solver::Method, solver::Precision, solver::Preconditioner, solver::SolverOptions;
  static const OptionTable<SolverOptions> table{
      word_option(OptionInfo{.name = "method",
                             .help = "`auto` chooses by symmetry and size and says why; `petsc` "
                                     "takes `petsc_options`; `direct` factorises (MUMPS)."},
                  &SolverOptions::method,
                  {{"auto", Method::automatic},
                   {"cg", Method::cg},
                   {"minres", Method::minres},
                   {"gmres", Method::gmres},
                   {"bicgstab", Method::bicgstab},
                   {"petsc", Method::petsc},
                   {"direct", Method::direct}}),
      word_option(OptionInfo{.name = "preconditioner",
                             .help = "Of the methods `cg`, `minres`, `gmres` and `bicgstab`."},
                  &SolverOptions::preconditioner,
                  {{"auto", Preconditioner::automatic},
                   {"none", Preconditioner::none},
                   {"jacobi", Preconditioner::jacobi},
                   {"chebyshev", Preconditioner::chebyshev},
                   {"amg", Preconditioner::amg}}),
      word_option(OptionInfo{.name = "precision",
                             .help = "`mixed`: double, with the preconditioner in single; "
                                     "`single`: all in single, for a tolerance of 1e-5 or more."},
                  &SolverOptions::precision,
                  {{"double", Precision::double_},
                   {"mixed", Precision::mixed},
                   {"single", Precision::single}}),
      option(OptionInfo{.name = "tolerance",
                        .kind = Kind::number,
                        .help = "Converged means ||b - A x|| <= tolerance ||b||.",
                        .lower = 0,
                        .upper = 1,
                        .lower_open = true,
                        .upper_open = true},
             &SolverOptions::tolerance),
      int_option(OptionInfo{.name = "max_iterations",
                            .help = "More iterations than this are a failure.",
                            .lower = 1},
                 &SolverOptions::max_iterations),
      int_option(OptionInfo{.name = "restart",
                            .help = "Iterations of GMRES between restarts.",
                            .lower = 1,
                            .upper = 1000},
                 &SolverOptions::restart),
      option(OptionInfo{.name = "petsc_options",
                        .kind = Kind::texts,
                        .help = "Options of PETSc for `method: petsc`, such as `-ksp_type cg "
                                "-pc_type gamg`; a text or a list. Unused ones are errors."},
             &SolverOptions::petsc_options),
  };
  return table;
}

const OptionTable<RunOptions>& run_table() {
  static const OptionTable<RunOptions> table{
      word_option(OptionInfo{.name = "device",
                             .help = "`auto` takes a GPU where there is one; `gpu` fails without; "
                                     "`debug` is the strict stand-in for a GPU."},
                  &RunOptions::device,
                  {{"auto", DeviceChoice::automatic},
                   {"cpu", DeviceChoice::cpu},
                   {"gpu", DeviceChoice::gpu},
                   {"debug", DeviceChoice::debug}}),
      word_option(OptionInfo{.name = "memory",
                             .help = "Memory of a GPU: shared with the host, or its own."},
                  &RunOptions::memory,
                  {{"unified", gpu::Memory::unified}, {"device", gpu::Memory::device}}),
  };
  return table;
}

const OptionTable<StopOptions>& stop_table() {
  static const OptionTable<StopOptions> table{
      option(OptionInfo{.name = "wall_time",
                        .kind = Kind::number,
                        .help = "The run stops in time to have saved after so long, such as `2 h`; "
                                "0 is no limit. Where Slurm has a limit, the earlier one counts.",
                        .unit = "s",
                        .lower = 0},
             &StopOptions::wall_time),
      limit_option(OptionInfo{.name = "kill_wait",
                              .kind = Kind::number,
                              .help = "What a process has after TERM until it is killed; without "
                                      "it what mpirun grants (its odls_base_sigkill_timeout, else "
                                      "1 s), else 10 s.",
                              .unit = "s",
                              .lower = 0},
                   &StopOptions::kill_wait),
      word_option(OptionInfo{.name = "spot",
                             .help = "Whose notices of preemption the run listens to. `auto` asks "
                                     "the cloud that the firmware of the machine names, and is "
                                     "silent elsewhere; a cloud by its name must answer at the "
                                     "start."},
                  &StopOptions::spot,
                  {{"auto", SpotChoice::automatic},
                   {"off", SpotChoice::off},
                   {"aws", SpotChoice::aws},
                   {"gcp", SpotChoice::gcp},
                   {"azure", SpotChoice::azure}}),
  };
  return table;
}

const OptionTable<WatchdogOptions>& watchdog_table() {
  static const OptionTable<WatchdogOptions> table{
      option(OptionInfo{.name = "silence",
                        .kind = Kind::number,
                        .help = "A rank that gives no sign of life for so long is lost (exit code "
                                "84); 0 watches for none.",
                        .unit = "s",
                        .lower = 0},
             &WatchdogOptions::silence),
      option(OptionInfo{.name = "no_progress",
                        .kind = Kind::number,
                        .help = "A rank that neither iterates nor comes to a new phase for so long "
                                "hangs (exit code 84); longer than the longest factorisation; 0 "
                                "watches for none.",
                        .unit = "s",
                        .lower = 0},
             &WatchdogOptions::no_progress),
  };
  return table;
}

const OptionTable<CheckpointOptions>& checkpoint_table() {
  static const OptionTable<CheckpointOptions> table{
      option(OptionInfo{.name = "every",
                        .kind = Kind::text,
                        .help = "`auto`: from the time that a save takes and the time between "
                                "interruptions, 1 to 30 minutes; a time such as `10 min`; a number "
                                "of steps such as `20 steps`, or `{steps: 20}`; or `never`."},
             &CheckpointOptions::every),
      option(OptionInfo{.name = "mean_time_to_interruption",
                        .kind = Kind::number,
                        .help = "How long the machine lets a run work, on average, for `every: "
                                "auto`; 0: learnt from the interruptions of this run.",
                        .unit = "s",
                        .lower = 0},
             &CheckpointOptions::mean_time_to_interruption),
      int_option(OptionInfo{.name = "keep",
                            .help = "How many checkpoints stay: the newest ones, and an older one "
                                    "that was read back.",
                            .lower = 3,
                            .upper = 1000},
                 &CheckpointOptions::keep),
  };
  return table;
}

const OptionTable<Probe>& probe_table() {
  static const OptionTable<Probe> table{
      option(text_info("name", "Name of the probe.", true), &Probe::name),
      triple_option(OptionInfo{.name = "at", .help = "Where.", .required = true, .unit = "m"},
                    &Probe::at),
      option(text_info("of", "The result that is taken.", true), &Probe::of),
  };
  return table;
}

const OptionTable<Expectation>& expectation_table() {
  static const OptionTable<Expectation> table{
      option(
          text_info("component",
                    "x y z of vectors, xx yy zz xy yz xz of tensors, 1 2 3 of principal values."),
          &Expectation::component),
      option(text_info("case", "The load case or combination, where there are several."),
             &Expectation::load_case),
      int_option(OptionInfo{.name = "mode",
                            .help = "Of a modal analysis: the number of a mode. Alone it stands "
                                    "for the frequency of the mode.",
                            .lower = 1},
                 &Expectation::mode, 0),
      Option<Expectation>{
          {.name = "time",
           .kind = Kind::number,
           .help = "Of a transient analysis: one of the times with results; without it the end.",
           .unit = "s",
           .lower = 0},
          [](Expectation& e, const OptionValue& value) { e.time = std::get<double>(value); },
          [](const Expectation& e) -> OptionValue {
            if (!e.time) return std::monostate{};
            return *e.time;
          }},
      Option<Expectation>{
          {.name = "frequency",
           .kind = Kind::number,
           .help = "Of a harmonic analysis: one of its frequencies.",
           .unit = "Hz",
           .lower = 0},
          [](Expectation& e, const OptionValue& value) { e.frequency = std::get<double>(value); },
          [](const Expectation& e) -> OptionValue {
            if (!e.frequency) return std::monostate{};
            return *e.frequency;
          }},
  };
  return table;
}

OptionTable<physics::Problem> problem_table(const physics::Description* physics) {
  OptionInfo name{
      .name = "physics", .kind = Kind::word, .help = "What is computed.", .required = true};
  for (const physics::Description& known : physics::descriptions())
    name.words.push_back(known.name);
  return {
      option(std::move(name), &physics::Problem::physics),
      model_option(physics),
      option(OptionInfo{.name = "thickness",
                        .kind = Kind::number,
                        .help = "Of plane models.",
                        .unit = "m",
                        .lower = 0,
                        .lower_open = true},
             &physics::Problem::thickness),
      word_option(OptionInfo{.name = "formulation",
                             .help = "Of solids. `mean_dilatation`: the change of volume is "
                                     "averaged over each cell (B-bar), so that nearly "
                                     "incompressible and plastic solids do not lock; for `quad4`, "
                                     "`hex8` and second-order cells."},
                  &physics::Problem::formulation,
                  {{"standard", fem::Formulation::standard},
                   {"mean_dilatation", fem::Formulation::mean_dilatation}}),
      triple_option(OptionInfo{.name = "gravity",
                               .help = "Of `darcy`: the acceleration that pulls at the fluid, as "
                                       "[0, 0, -9.81].",
                               .unit = "m/s^2"},
                    &physics::Problem::gravity),
  };
}

OptionTable<OutputOptions> output_table(const physics::Description* physics) {
  Option<OutputOptions> fields = option(OptionInfo{.name = "fields",
                                                   .kind = Kind::words,
                                                   .help = "Results that are written.",
                                                   .words = result_words(physics)},
                                        &OutputOptions::fields);
  if (physics != nullptr)
    fields.get = [names = physics->default_results](const OutputOptions& o) -> OptionValue {
      return o.fields.empty() ? names : o.fields;
    };
  return {
      option(OptionInfo{.name = "directory",
                        .kind = Kind::path,
                        .help = "Folder of the results, relative to the folder of the case file; "
                                "without it `results/<case name>` in the working directory."},
             &OutputOptions::directory),
      std::move(fields),
      option(OptionInfo{.name = "every",
                        .kind = Kind::number,
                        .help = "Transient: results at every multiple of this time; with neither "
                                "this nor `times`, after every step.",
                        .unit = "s",
                        .lower = 0},
             &OutputOptions::every),
      option(OptionInfo{.name = "times",
                        .kind = Kind::numbers,
                        .help = "Transient: results at these times, which steps hit exactly.",
                        .unit = "s",
                        .lower = 0},
             &OutputOptions::times),
  };
}

OptionInfo material_info(const physics::ParameterInfo& parameter) {
  OptionInfo info = field_info(parameter);
  if (parameter.constant) info.kind = Kind::number;
  if (parameter.curve) info.kind = Kind::curve;
  if (!parameter.words.empty()) info.kind = Kind::word;
  info.words = parameter.words;
  return info;
}

OptionInfo initial_info(const physics::ParameterInfo& parameter) {
  OptionInfo info = field_info(parameter);
  info.required = false;
  return info;
}

bool is_plain(const physics::ConditionInfo& condition) {
  return condition.parameters.size() == 1 && condition.parameters[0].name == "value";
}

OptionInfo condition_info(const physics::ConditionInfo& condition) {
  const auto as_field = [](const physics::ParameterInfo& parameter) {
    OptionInfo info = field_info(parameter);
    info.zero_scalar = parameter.max_components > 1;
    return info;
  };
  if (is_plain(condition)) {
    OptionInfo info = as_field(condition.parameters[0]);
    info.name = condition.name;
    info.help = condition.help;
    info.required = false;
    return info;
  }
  OptionInfo info{.name = condition.name, .kind = Kind::mapping, .help = condition.help};
  info.or_true = true;
  for (const physics::ParameterInfo& parameter : condition.parameters) {
    info.entries.push_back(as_field(parameter));
    info.or_true = info.or_true && !parameter.required;
  }
  return info;
}

namespace {

OptionInfo conditions_info(const physics::Description& physics, bool loads_only, std::string name,
                           std::string help) {
  OptionInfo info{.name = std::move(name), .kind = Kind::list, .help = std::move(help)};
  info.one_of = true;
  info.entries.push_back(on_info("Group of the mesh, or a list of groups.", true));
  for (const physics::ConditionInfo& condition : physics.conditions)
    if (!loads_only || !condition.fixes_values) info.entries.push_back(condition_info(condition));
  return info;
}

OptionInfo materials_info(const physics::Description& physics) {
  OptionInfo info{.name = "materials",
                  .kind = Kind::named,
                  .help = "Materials by name, each on its groups of cells.",
                  .required = true};
  info.entries.push_back(
      on_info("Group of cells, or a list of groups; a single material may leave it out and then "
              "stands for every cell.",
              false));
  for (const physics::ParameterInfo& parameter : physics.material)
    info.entries.push_back(material_info(parameter));
  return info;
}

OptionInfo mesh_info() {
  OptionInfo box{.name = "box",
                 .kind = Kind::mapping,
                 .help =
                     "A box of regular cells, with the "
                     "groups body, xmin, xmax, ymin, ymax, zmin, zmax."};
  box.entries = box_table().infos();
  OptionInfo generate{.name = "generate",
                      .kind = Kind::mapping,
                      .help = "A mesh that needs no file.",
                      .one_of = true,
                      .entries = {box}};
  OptionInfo info{.name = "mesh",
                  .kind = Kind::mapping,
                  .help = "The mesh: `file` or `generate`.",
                  .required = true,
                  .entries = mesh_table().infos()};
  info.entries.insert(info.entries.begin() + 1, generate);
  return info;
}

OptionInfo initial_section_info(const physics::Description& physics) {
  OptionInfo info{.name = "initial",
                  .kind = Kind::list,
                  .help =
                      "Where a transient analysis starts: a list of `{on: GROUP, FIELD: value}`; "
                      "later entries win."};
  info.entries.push_back(
      on_info("Group of the mesh, or a list of groups; without it everywhere.", false));
  for (const physics::ParameterInfo& field : physics.initial)
    info.entries.push_back(initial_info(field));
  return info;
}

OptionInfo cases_info(const physics::Description& physics) {
  OptionInfo info{.name = "cases",
                  .kind = Kind::list,
                  .help =
                      "Load cases, solved one after another on one matrix; the conditions of "
                      "`boundary` belong to each of them."};
  info.entries = {text_info("name", "Name of the case.", true),
                  conditions_info(physics, true, "boundary", "Loads of this case.")};
  info.entries[1].required = true;
  return info;
}

OptionInfo combine_info() {
  OptionInfo info{.name = "combine",
                  .kind = Kind::list,
                  .help =
                      "Sums of load cases: `{NAME: {CASE: factor, ...}}`, or a list of `{name: "
                      "NAME, of: {CASE: factor, ...}}`."};
  info.entries = {text_info("name", "Name of the combination.", true),
                  {.name = "of",
                   .kind = Kind::factors,
                   .help = "A factor for each load case.",
                   .required = true}};
  return info;
}

OptionInfo output_info(const physics::Description& physics) {
  OptionInfo of{.name = "of",
                .kind = Kind::word,
                .help = "The result that is taken.",
                .required = true,
                .words = result_words(&physics)};
  OptionInfo probes{.name = "probes", .kind = Kind::list, .help = "Values at points."};
  probes.entries = probe_table().infos();
  probes.entries.back() = of;
  OptionInfo integrals{.name = "integrals",
                       .kind = Kind::list,
                       .help =
                           "Integrals over a group of cells or facets; of reactions the sum "
                           "over the nodes."};
  integrals.entries = {text_info("name", "Name of the integral.", true), of,
                       text_info("on", "Group of the mesh; without it the whole body.")};
  OptionInfo info{.name = "output",
                  .kind = Kind::mapping,
                  .help = "What is written.",
                  .entries = output_table(&physics).infos()};
  info.entries.push_back(probes);
  info.entries.push_back(integrals);
  return info;
}

OptionInfo expect_info(const physics::Description& physics) {
  OptionInfo info{.name = "expect",
                  .kind = Kind::list,
                  .help = "Values that the run must meet, else its exit code is 79."};
  const auto extreme = [&](std::string name, std::string help) {
    return OptionInfo{.name = std::move(name),
                      .kind = Kind::word,
                      .help = std::move(help),
                      .words = result_words(&physics)};
  };
  info.entries = {text_info("probe", "Name of a probe."),
                  text_info("integral", "Name of an integral."),
                  extreme("minimum", "Least value of a result over the body."),
                  extreme("maximum", "Greatest value of a result over the body.")};
  for (const OptionInfo& more : expectation_table().infos()) info.entries.push_back(more);
  info.entries.push_back({.name = "value",
                          .kind = Kind::quantity,
                          .help = "The expected value, in SI or with a unit.",
                          .required = true});
  info.entries.push_back({.name = "tolerance",
                          .kind = Kind::tolerance,
                          .help = "Largest difference, in SI, with a unit, or as a percentage of "
                                  "the value (`1 %`).",
                          .required = true});
  return info;
}

}  // namespace

OptionInfo case_info(const physics::Description& physics) {
  OptionInfo root{.kind = Kind::mapping};
  root.entries.push_back(text_info("title", "A line for people."));
  for (const OptionInfo& info : problem_table(&physics).infos()) root.entries.push_back(info);
  root.entries.push_back(mesh_info());
  root.entries.push_back(analysis_info(physics));
  root.entries.push_back(initial_section_info(physics));
  root.entries.push_back(materials_info(physics));
  root.entries.push_back(conditions_info(
      physics, false, "boundary",
      "Conditions and loads of every load case: a list of `{on: GROUP, CONDITION: value}`."));
  root.entries.push_back(cases_info(physics));
  root.entries.push_back(combine_info());
  OptionInfo solver{.name = "solver",
                    .kind = Kind::mapping,
                    .help = "The solution of the linear system.",
                    .entries = solver_table().infos()};
  for (const OptionInfo& info : run_table().infos()) solver.entries.push_back(info);
  root.entries.push_back(solver);
  root.entries.push_back({.name = "stop",
                          .kind = Kind::mapping,
                          .help = "When a run stops in order, with a checkpoint where it has one.",
                          .entries = stop_table().infos()});
  root.entries.push_back({.name = "watchdog",
                          .kind = Kind::mapping,
                          .help = "When ranks that are stopped or hang end the run.",
                          .entries = watchdog_table().infos()});
  root.entries.push_back(output_info(physics));
  root.entries.push_back(
      {.name = "checkpoint",
       .kind = Kind::mapping,
       .help = "Saving the state of transient and harmonic analyses, and of static ones that "
               "are not linear, for `--restart`.",
       .entries = checkpoint_table().infos()});
  root.entries.push_back(expect_info(physics));
  root.entries.push_back(exact_info(physics));
  return root;
}

}  // namespace trestle::io

// The tree of all keys of a case file, from the tables and the words of a physics.
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

using Kind = OptionKind;

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

OptionInfo on_info(std::string help, bool required) {
  return {.name = "on",
          .kind = Kind::texts,
          .help = std::move(help),
          .required = required,
          .min_count = 1};
}

}  // namespace

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
  info.zero_scalar = parameter.max_components > 1;
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
  if (!is_coupled(physics)) solver.entries.push_back(near_null_info(physics));
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

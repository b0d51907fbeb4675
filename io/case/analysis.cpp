// The sections `analysis` and `initial` of a case, as they are read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "io/case/options.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"
#include "physics/advection.hpp"
#include "physics/materials.hpp"
#include "physics/models/elasticity.hpp"
#include "physics/models/thermoelasticity.hpp"
#include "physics/solid_materials.hpp"

namespace trestle::io {
namespace {

using physics::AnalysisOptions, physics::AnalysisType, physics::TimeScheme;

/// Keys that only one kind of analysis takes, or two.
struct OwnedKey {
  const char* name;
  AnalysisType type;
  AnalysisType or_type = type;
};
constexpr OwnedKey owned_keys[] = {{"end", AnalysisType::transient},
                                   {"step", AnalysisType::transient},
                                   {"scheme", AnalysisType::transient},
                                   {"tolerance", AnalysisType::transient},
                                   {"smallest_step", AnalysisType::transient},
                                   {"largest_step", AnalysisType::transient},
                                   {"modes", AnalysisType::modal},
                                   {"min_frequency", AnalysisType::modal, AnalysisType::harmonic},
                                   {"max_frequency", AnalysisType::modal, AnalysisType::harmonic},
                                   {"frequencies", AnalysisType::harmonic},
                                   {"points", AnalysisType::harmonic},
                                   {"near_frequency", AnalysisType::modal},
                                   {"eigensolver", AnalysisType::modal},
                                   {"spectral_radius", AnalysisType::transient},
                                   {"damping", AnalysisType::transient, AnalysisType::harmonic},
                                   {"coupling", AnalysisType::transient},
                                   {"load_steps", AnalysisType::static_}};

void refuse_foreign_keys(const YamlNode& section, const AnalysisOptions& options, Faults& faults) {
  for (const OwnedKey& key : owned_keys)
    if (const YamlEntry* entry = section.find_entry(key.name);
        entry != nullptr && key.type != options.type && key.or_type != options.type)
      faults.add(entry->where(),
                 fmt::format("analysis.{}: is for {}{} analyses, this one is {}", key.name,
                             analysis_word(key.type),
                             key.type == key.or_type ? "" : " and " + analysis_word(key.or_type),
                             analysis_word(options.type)));
}

/// The frequencies of a sweep: a list, or points between two.
void read_sweep(const YamlNode& section, AnalysisOptions& options, Faults& faults) {
  for (const char* key : {"frequencies", "min_frequency", "max_frequency", "points"})
    if (is_wrong(section, analysis_table(nullptr), key)) return;
  const bool listed = section.find("frequencies") != nullptr;
  if (listed == (section.find("points") != nullptr))
    return faults.add(
        section.where(),
        "analysis: a harmonic analysis takes frequencies: [100 Hz, 200 Hz], or "
        "min_frequency, max_frequency and the number of points from one to the other");
  if (!listed) {
    const double first = options.min_frequency.value_or(0),
                 last = options.max_frequency.value_or(0);
    if (!(first > 0 && last > first && options.points > 1))
      return faults.add(section.find("points")->where(),
                        "analysis.points: needs min_frequency above 0 Hz, max_frequency above it, "
                        "and two points or more");
    for (int k = 0; k < options.points; ++k)
      options.frequencies.push_back(first + (last - first) * k / (options.points - 1));
    return;
  }
  const std::vector<double>& all = options.frequencies;
  if (all.empty() || !(all.front() > 0) ||
      std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) != all.end())
    faults.add(section.find("frequencies")->where(),
               "analysis.frequencies: they ascend from above 0 Hz");
}

/// What a harmonic analysis takes: a sweep of a linear model.
void check_harmonic(const YamlNode& root, const YamlNode& section, const Case& c,
                    AnalysisOptions& options, Faults& faults) {
  read_sweep(section, options, faults);
  for (const physics::Material& material : c.problem.materials)
    if (physics::law_of(material) != fem::Law::linear)
      faults.add(material.where,
                 fmt::format("materials.{}: a harmonic response is that of a linear "
                             "law; take law: linear",
                             material.name));
  for (const char* key : {"cases", "combine"})
    if (const YamlEntry* entry = root.find_entry(key))
      faults.add(entry->where(), fmt::format("{}: is for static analyses", key));
}

/// Central differences take steps of one length, which they find where none is given, and solve no
/// system.
void check_explicit(const YamlNode& section, const AnalysisOptions& options, Faults& faults) {
  if (options.tolerance > 0)
    faults.add(section.find("tolerance")->where(),
               "analysis.tolerance: steps of central_difference do not adapt themselves to an "
               "error; leave it out, or take scheme: generalized_alpha");
  if (options.mass == physics::MassKind::consistent)
    faults.add(section.find("mass")->where(),
               "analysis.mass: central_difference solves no system and takes mass: lumped");
}

void check_transient(const YamlNode& section, const AnalysisOptions& options, Faults& faults) {
  const bool finds_step = options.scheme == TimeScheme::central_difference;
  if (finds_step) check_explicit(section, options, faults);
  for (const char* key : {"end", "step"})
    if (section.find(key) == nullptr && !(finds_step && std::string_view(key) == "step"))
      faults.add(
          section.where(),
          fmt::format("the key analysis.{} is missing: a transient analysis has an end and a "
                      "step, as in {{type: transient, end: 10 s, step: 0.1 s}}",
                      key));
  for (const auto& [key, time] : {std::pair("end", options.end), {"step", options.step}})
    if (section.find(key) != nullptr && !is_wrong(section, analysis_table(nullptr), key) &&
        !(time > 0))
      faults.add(section.find(key)->where(),
                 fmt::format("analysis.{}: the time must be above 0 s", key));
  if (options.step > 0 && options.end / options.step > 1e9)
    faults.add(section.find("step")->where(),
               fmt::format("analysis.step: {:g} s makes {:.3g} steps to {:g} s; take larger ones",
                           options.step, options.end / options.step, options.end));
  if (options.largest_step > 0 && options.largest_step < options.step)
    faults.add(section.find("largest_step")->where(),
               fmt::format("analysis.largest_step: {:g} s is less than the first step, {:g} s",
                           options.largest_step, options.step));
  if (const YamlEntry* radius = section.find_entry("spectral_radius");
      radius != nullptr && options.scheme != TimeScheme::generalized_alpha)
    faults.add(radius->where(), "analysis.spectral_radius: is for scheme: generalized_alpha");
  if (options.tolerance == 0 && !is_wrong(section, analysis_table(nullptr), "tolerance"))
    for (const char* key : {"smallest_step", "largest_step"})
      if (const YamlEntry* entry = section.find_entry(key))
        faults.add(entry->where(), fmt::format("analysis.{}: is for steps that adapt themselves; "
                                               "they need analysis.tolerance",
                                               key));
}

/// Bounds that fit each other, and nothing that only loads could mean.
void check_modal(const YamlNode& root, const YamlNode& section, const AnalysisOptions& options,
                 Faults& faults) {
  if (options.min_frequency && options.max_frequency &&
      !(*options.min_frequency < *options.max_frequency))
    faults.add(section.find("max_frequency")->where(),
               fmt::format("analysis.max_frequency: {:g} Hz is not above min_frequency, {:g} Hz",
                           *options.max_frequency, *options.min_frequency));
  for (const char* bound : {"min_frequency", "max_frequency"})
    if (options.near_frequency && section.find(bound) != nullptr)
      faults.add(section.find("near_frequency")->where(),
                 fmt::format("analysis.near_frequency: goes with modes, not with {}", bound));
  if (options.eigensolver == physics::Eigensolver::lobpcg && !physics::finds_lowest_modes(options))
    faults.add(section.find("eigensolver")->where(),
               "analysis.eigensolver: lobpcg finds the lowest modes, so many as `modes` says (or "
               "10), and none by min_frequency, near_frequency or max_frequency alone; leave these "
               "out, or take shift_invert");
  for (const char* key : {"cases", "combine"})
    if (const YamlEntry* entry = root.find_entry(key))
      faults.add(
          entry->where(),
          fmt::format("{}: free vibrations have no loads; {} is for static analyses", key, key));
}

/// Materials must have what the inertia or the stored heat needs.
void check_materials(const YamlNode& root, const physics::Description& physics,
                     const physics::Problem& problem, Faults& faults) {
  if (problem.analysis.type == AnalysisType::static_) return;
  for (const std::string& name : physics.storage_keys) {
    const auto known = std::find_if(physics.material.begin(), physics.material.end(),
                                    [&](const auto& info) { return info.name == name; });
    for (const physics::Material& material : problem.materials)
      if (!root.find("materials")->find(material.name)->find(name))  // a wrong one was told
        faults.add(
            material.where,
            fmt::format("materials.{}.{}: is missing; a {} analysis needs it, in {}", material.name,
                        name, analysis_word(problem.analysis.type), known->unit));
  }
}

/// What a flow carries does not depend on the temperature, and does not melt.
void check_flow(const physics::Problem& problem, const YamlNode& root, Faults& faults) {
  if (!physics::has_flow(problem)) return;
  for (const physics::Material& material : problem.materials) {
    for (const auto& [name, value] : material.parameters)
      for (const auto& component : value.components)
        if (component && component->uses_temperature())
          faults.add(value.where,
                     fmt::format("materials.{}.{}: must not use T where a material has "
                                 "a velocity",
                                 material.name, name));
    if (const auto melting = material.parameters.find("latent_heat");
        melting != material.parameters.end())
      faults.add(melting->second.where,
                 fmt::format("materials.{}.latent_heat: goes with no velocity", material.name));
  }
  if (const YamlNode* section = root.find("analysis"); section != nullptr && section->is_mapping())
    if (const YamlEntry* mass = section->find_entry("mass");
        mass != nullptr && problem.analysis.mass == physics::MassKind::lumped)
      faults.add(mass->where(),
                 "analysis.mass: lumped: what flows is weighted along the stream, which a diagonal "
                 "matrix cannot be; take consistent");
}

/// For a misspelt type the nearest one, so that the rest can be checked by it.
void take_nearest_type(const YamlNode& section, const OptionTable<AnalysisOptions>& table,
                       AnalysisOptions& options) {
  if (!is_wrong(section, table, "type")) return;
  for (const Option<AnalysisOptions>& option : table.options())
    if (option.info.name == "type")
      if (const std::string near = nearest_word(section.find("type")->text, option.info.words);
          !near.empty())
        option.set(options, near);
}

/// Refuses t where there is no time.
void refuse_time(const std::vector<physics::Condition>& conditions, const std::string& analysis,
                 Faults& faults) {
  for (const physics::Condition& condition : conditions)
    for (const auto& [name, value] : condition.parameters)
      for (const auto& component : value.components)
        if (component && component->uses_time())
          faults.add(component->where(),
                     fmt::format("{}: t is the time, and a {} analysis has none: use x, y and z",
                                 name == "value" ? condition.type : condition.type + "." + name,
                                 analysis));
}

/// What transient thermoelasticity cannot do.
void check_coupled(const YamlNode& section, const Case& c, Faults& faults) {
  const AnalysisOptions& options = c.problem.analysis;
  for (const physics::Material& material : c.problem.materials)
    if (physics::law_of(material) == fem::Law::j2_plasticity)
      faults.add(material.where,
                 fmt::format("materials.{}: plastic flow depends on the way of the temperature, "
                             "which a transient analysis of thermoelasticity does not follow; take "
                             "the law linear, or a static analysis",
                             material.name));
  if (options.coupling != physics::Coupling::two_way) return;
  const YamlEntry* entry = section.find_entry("coupling");
  const auto refuse = [&](const std::string& what) {
    faults.add(entry->where(), "analysis.coupling: two_way " + what);
  };
  if (c.problem.model == "plane_stress")
    refuse(
        "is not for plane_stress, whose thickness changes with the temperature; take "
        "plane_strain or three dimensions");
  if (options.scheme == TimeScheme::crank_nicolson)
    refuse("takes the schemes bdf2 and backward_euler");
  if (c.solver.method != solver::Method::automatic && c.solver.method != solver::Method::gmres)
    refuse("is solved by gmres with a multigrid for each field; leave solver.method out");
  if (c.solver.precision != solver::Precision::double_)
    refuse("is solved in double; leave solver.precision out");
}

/// A pressure that follows the surface is for finite strains.
void check_followers(const Case& c, Faults& faults) {
  const bool finite =
      std::any_of(c.problem.materials.begin(), c.problem.materials.end(),
                  [](const physics::Material& material) {
                    const fem::Law law = physics::law_of(material);
                    return law == fem::Law::neo_hookean || law == fem::Law::mooney_rivlin;
                  });
  const AnalysisType type = c.problem.analysis.type;
  const bool has_loads = type == AnalysisType::static_ || type == AnalysisType::transient;
  for (const physics::Condition& condition : c.problem.conditions) {
    if (condition.type != "follower_pressure") continue;
    if (!finite || !has_loads)
      faults.add(condition.where,
                 "follower_pressure: is for static and transient analyses with a law of finite "
                 "strains, neo_hookean or mooney_rivlin; take pressure");
    else if (c.problem.analysis.damping.stiffness > 0)
      faults.add(
          condition.where,
          "follower_pressure: does not go with damping.stiffness, whose matrix would have its "
          "tangent; take damping.mass");
    else if (c.problem.model == "plane_stress")
      faults.add(condition.where,
                 "follower_pressure: is not for plane_stress, whose thickness changes; take "
                 "pressure, plane_strain or three dimensions");
  }
}

std::vector<physics::Condition> read_initial(const YamlNode& root,
                                             const physics::Description& physics, Faults& faults) {
  std::vector<physics::Condition> initial;
  const YamlNode* list = root.find("initial");
  if (list == nullptr || !list->is_list()) return initial;
  for (const YamlNode& item : list->items) {
    const std::size_t before = initial.size();
    for (const physics::ParameterInfo& info : physics.initial)
      if (const YamlEntry* entry = item.find_entry(info.name)) {
        physics::Condition condition{
            info.name, read_groups(item.find("on"), faults), {}, entry->where()};
        if (auto value = read_field(entry->value, initial_info(info), info.name, nullptr))
          condition.parameters["value"] = *value;
        initial.push_back(std::move(condition));
      }
    if (item.is_mapping() && initial.size() == before)
      faults.add(item.where(), fmt::format("initial: the field is missing, as in {{{}: value}}",
                                           physics.initial.front().name));
  }
  return initial;
}

void check_initial(const YamlNode& root, const physics::Description& physics,
                   const physics::Problem& problem, Faults& faults) {
  const bool transient = problem.analysis.type == AnalysisType::transient;
  const YamlEntry* section = root.find_entry("initial");
  if (section != nullptr && !transient)
    faults.add(section->where(), "initial: only a transient analysis starts from somewhere");
  if (!transient || physics.initial.size() != 1) return;
  const bool empty =
      section == nullptr || (section->value.is_list() && section->value.items.empty());
  const std::string& field = physics.initial.front().name;
  if (problem.initial.empty() && empty)
    faults.add(section != nullptr ? section->where() : root.where(),
               fmt::format("the key initial is {}: a transient analysis needs the {} at time 0, as "
                           "in initial: [{{{}: {}}}]",
                           section != nullptr ? "empty" : "missing", field, field,
                           field == "temperature" ? "20 degC" : "0"));
}

}  // namespace

bool has_load_steps(const physics::Description& physics, const physics::Problem& problem) {
  return problem.analysis.type == AnalysisType::static_ &&
         physics.name == physics::elasticity().name &&
         std::any_of(problem.materials.begin(), problem.materials.end(),
                     [](const physics::Material& material) {
                       return physics::law_of(material) != fem::Law::linear;
                     });
}

void read_analysis(const YamlNode& root, const physics::Description& physics, Case& c,
                   Faults& faults) {
  AnalysisOptions& options = c.problem.analysis;
  if (const YamlNode* section = root.find("analysis");
      section != nullptr && section->is_mapping()) {
    const OptionTable<AnalysisOptions> table = analysis_table(&physics);
    fill_options(*section, table, options);
    take_nearest_type(*section, table, options);
    if (const YamlNode* newton = section->find("newton"); newton != nullptr && newton->is_mapping())
      fill_options(*newton, newton_table(), options.newton);
    if (const YamlNode* damping = section->find("damping");
        damping != nullptr && damping->is_mapping() && moves(physics))
      fill_options(*damping, damping_table(), options.damping);
    if (is_coupled(physics)) fill_options(*section, coupling_table(), options);
    if (options.scheme == TimeScheme::automatic && !physics.time_schemes.empty())
      options.scheme = physics.time_schemes.front();
    refuse_foreign_keys(*section, options, faults);
    if (options.scheme == TimeScheme::crank_nicolson && physics::melts(c.problem))
      faults.add(section->find("scheme")->where(),
                 "analysis.scheme: crank_nicolson rings at a melting front; take bdf2 or "
                 "backward_euler");
    if (options.type == AnalysisType::transient) check_transient(*section, options, faults);
    if (options.type == AnalysisType::modal) check_modal(root, *section, options, faults);
    if (options.type == AnalysisType::harmonic) check_harmonic(root, *section, c, options, faults);
    if (options.type != AnalysisType::harmonic && options.damping.loss_factor > 0)
      faults.add(section->find("damping")->where(),
                 "analysis.damping.loss_factor: is for harmonic analyses");
    if (options.type == AnalysisType::transient && is_coupled(physics))
      check_coupled(*section, c, faults);
  }
  if (options.mass == physics::MassKind::automatic) {
    const bool lumped =
        physics::melts(c.problem) || options.scheme == TimeScheme::central_difference;
    options.mass = lumped ? physics::MassKind::lumped : physics::MassKind::consistent;
  }
  c.problem.initial = read_initial(root, physics, faults);
  check_initial(root, physics, c.problem, faults);
  check_materials(root, physics, c.problem, faults);
  check_flow(c.problem, root, faults);
  check_followers(c, faults);
  if (options.type != AnalysisType::transient) {
    if (!has_load_steps(physics, c.problem))
      refuse_time(c.problem.conditions, analysis_word(options.type), faults);
    for (const physics::LoadCase& load_case : c.problem.cases)
      refuse_time(load_case.conditions, analysis_word(options.type), faults);
  }
  if (const YamlEntry* cases = root.find_entry("cases");
      cases != nullptr && options.type == AnalysisType::transient)
    faults.add(cases->where(), "cases: load cases are for static analyses");
}

}  // namespace trestle::io

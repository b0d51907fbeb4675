// The tables of the section `analysis`, and what they need to know of a physics.
#include <fmt/format.h>

#include <algorithm>

#include "io/case/parts.hpp"
#include "io/case/tables.hpp"
#include "physics/models/thermoelasticity.hpp"

namespace trestle::io {
namespace {

using Kind = OptionKind;
using physics::AnalysisOptions, physics::AnalysisType, physics::TimeScheme;

const std::vector<std::pair<std::string, AnalysisType>> type_words{
    {"static", AnalysisType::static_},
    {"transient", AnalysisType::transient},
    {"modal", AnalysisType::modal},
    {"harmonic", AnalysisType::harmonic}};

const std::vector<std::pair<std::string, TimeScheme>> scheme_words{
    {"auto", TimeScheme::automatic},
    {"bdf2", TimeScheme::bdf2},
    {"backward_euler", TimeScheme::backward_euler},
    {"crank_nicolson", TimeScheme::crank_nicolson},
    {"newmark", TimeScheme::newmark},
    {"generalized_alpha", TimeScheme::generalized_alpha},
    {"central_difference", TimeScheme::central_difference}};

template <class Enum>
std::vector<std::pair<std::string, Enum>> words_for(
    const std::vector<std::pair<std::string, Enum>>& all, const std::vector<Enum>& allowed) {
  std::vector<std::pair<std::string, Enum>> words;
  for (const auto& word : all)
    if (std::find(allowed.begin(), allowed.end(), word.second) != allowed.end())
      words.push_back(word);
  return words;
}

OptionInfo seconds(std::string name, std::string help) {
  return {.name = std::move(name),
          .kind = Kind::number,
          .help = std::move(help),
          .unit = "s",
          .lower = 0};
}

Option<AnalysisOptions> frequency(std::string name, std::string help,
                                  std::optional<double> AnalysisOptions::*member) {
  return {{.name = std::move(name),
           .kind = Kind::number,
           .help = std::move(help),
           .unit = "Hz",
           .lower = 0},
          [member](AnalysisOptions& o, const OptionValue& v) { o.*member = std::get<double>(v); },
          [member](const AnalysisOptions& o) -> OptionValue {
            if (!(o.*member)) return std::monostate{};
            return *(o.*member);
          }};
}

OptionInfo ratio(std::string name, std::string help) {
  return {.name = std::move(name),
          .kind = Kind::number,
          .help = std::move(help),
          .lower = 0,
          .upper = 1,
          .upper_open = true};
}

}  // namespace

bool moves(const physics::Description& physics) {
  return std::find(physics.time_schemes.begin(), physics.time_schemes.end(), TimeScheme::newmark) !=
         physics.time_schemes.end();
}

bool is_coupled(const physics::Description& physics) {
  return physics.name == physics::thermoelasticity().name;
}

std::string analysis_word(AnalysisType type) {
  for (const auto& [word, value] : type_words)
    if (value == type) return word;
  return "";
}

const OptionTable<solver::NewtonOptions>& newton_table() {
  using solver::NewtonOptions;
  static const OptionTable<NewtonOptions> table{
      option(ratio("tolerance", "The residual is this part of the forces, or less."),
             &NewtonOptions::tolerance),
      option(ratio("increment_tolerance", "The last change is this part of the solution, or less."),
             &NewtonOptions::increment_tolerance),
      int_option(OptionInfo{.name = "max_iterations",
                            .help = "After these a step has failed, and is tried again smaller.",
                            .lower = 1,
                            .upper = 1000},
                 &NewtonOptions::max_iterations),
      option(OptionInfo{.name = "line_search",
                        .kind = Kind::boolean,
                        .help = "Shortens a change that would make the residual larger."},
             &NewtonOptions::line_search),
  };
  return table;
}

const OptionTable<AnalysisOptions::Damping>& damping_table() {
  using Damping = AnalysisOptions::Damping;
  static const OptionTable<Damping> table{
      option(OptionInfo{.name = "mass",
                        .kind = Kind::number,
                        .help = "Factor of the mass matrix.",
                        .unit = "1/s",
                        .lower = 0},
             &Damping::mass),
      option(OptionInfo{.name = "stiffness",
                        .kind = Kind::number,
                        .help = "Factor of the stiffness matrix at rest.",
                        .unit = "s",
                        .lower = 0},
             &Damping::stiffness),
      option(OptionInfo{.name = "loss_factor",
                        .kind = Kind::number,
                        .help = "Harmonic: structural damping, K (1 + i loss_factor).",
                        .lower = 0},
             &Damping::loss_factor),
  };
  return table;
}

const OptionTable<AnalysisOptions>& coupling_table() {
  static const OptionTable<AnalysisOptions> table{word_option(
      OptionInfo{.name = "coupling",
                 .help = "Transient: `one_way`, temperatures strain the body; `two_way`, a body "
                         "that is compressed warms up as well."},
      &AnalysisOptions::coupling,
      {{"one_way", physics::Coupling::one_way}, {"two_way", physics::Coupling::two_way}})};
  return table;
}

OptionTable<AnalysisOptions> analysis_table(const physics::Description* physics) {
  std::vector<AnalysisType> types{AnalysisType::static_};
  std::vector<TimeScheme> schemes;
  if (physics != nullptr) {
    types = physics->analyses;
    schemes = physics->time_schemes;
    schemes.push_back(TimeScheme::automatic);
  }
  return {
      word_option(OptionInfo{.name = "type",
                             .help = "`static`: one equilibrium for each load case; `transient`: "
                                     "from `initial` through time; `modal`: free vibrations; "
                                     "`harmonic`: what swings under loads that vary as a sine."},
                  &AnalysisOptions::type, words_for(type_words, types)),
      option(seconds("end", "Transient: the last time."), &AnalysisOptions::end),
      option(seconds("step",
                     "Transient: length of every step, or with `tolerance` of the first; "
                     "shortened evenly where output times ask for it. `central_difference` takes "
                     "95 % of its longest stable step where none is given."),
             &AnalysisOptions::step),
      word_option(OptionInfo{.name = "scheme", .help = "Transient: how time is discretised."},
                  &AnalysisOptions::scheme, words_for(scheme_words, schemes)),
      option(ratio("tolerance",
                   "Transient: steps adapt themselves so that the error of each is this part of "
                   "the largest value; 0: fixed steps."),
             &AnalysisOptions::tolerance),
      option(seconds("smallest_step",
                     "Transient: below this the run fails; 0: a millionth of "
                     "`step`."),
             &AnalysisOptions::smallest_step),
      option(seconds("largest_step", "Transient: bound of steps that adapt themselves; 0: none."),
             &AnalysisOptions::largest_step),
      option(OptionInfo{.name = "spectral_radius",
                        .kind = Kind::number,
                        .help = "Of `generalized_alpha`: what it leaves of the highest frequencies "
                                "in a step; 1: all, 0: nothing.",
                        .lower = 0,
                        .upper = 1},
             &AnalysisOptions::spectral_radius),
      word_option(OptionInfo{.name = "mass",
                             .help = "Mass or capacity matrix: as integrated, or diagonal; `auto`: "
                                     "diagonal where a material melts, and for "
                                     "central_difference."},
                  &AnalysisOptions::mass,
                  {{"auto", physics::MassKind::automatic},
                   {"consistent", physics::MassKind::consistent},
                   {"lumped", physics::MassKind::lumped}}),
      int_option(OptionInfo{.name = "modes",
                            .help = "Modal: at most as many modes, the lowest; without it all up "
                                    "to `max_frequency`, or 10.",
                            .lower = 1},
                 &AnalysisOptions::modes, 0),
      frequency("min_frequency",
                "Modal: modes below are left out, rigid motions with them. Harmonic: the first of "
                "`points`.",
                &AnalysisOptions::min_frequency),
      frequency("max_frequency", "Modal: modes above are left out. Harmonic: the last of `points`.",
                &AnalysisOptions::max_frequency),
      option(OptionInfo{.name = "frequencies",
                        .kind = Kind::numbers,
                        .help = "Harmonic: the frequencies of the loads, ascending.",
                        .unit = "Hz",
                        .lower = 0},
             &AnalysisOptions::frequencies),
      int_option(OptionInfo{.name = "points",
                            .help = "Harmonic: so many frequencies from `min_frequency` to "
                                    "`max_frequency`, evenly.",
                            .lower = 2,
                            .upper = 20000},
                 &AnalysisOptions::points, 0),
      frequency("near_frequency", "Modal: the modes nearest to this frequency, not the lowest.",
                &AnalysisOptions::near_frequency),
      word_option(OptionInfo{.name = "eigensolver",
                             .help = "Modal: `shift_invert` factors the matrix and counts that no "
                                     "mode is missing; `lobpcg` iterates with multigrid, in a "
                                     "fraction of the memory; `auto`: shift_invert where its "
                                     "factors fit into the memory."},
                  &AnalysisOptions::eigensolver,
                  {{"auto", physics::Eigensolver::automatic},
                   {"shift_invert", physics::Eigensolver::shift_invert},
                   {"lobpcg", physics::Eigensolver::lobpcg}}),
      int_option(OptionInfo{.name = "load_steps",
                            .help = "Static and non-linear: loads and prescribed values grow in "
                                    "this many steps, or follow t from 0 to 1 where one of them "
                                    "uses it.",
                            .lower = 1},
                 &AnalysisOptions::load_steps),
  };
}

OptionInfo analysis_info(const physics::Description& physics) {
  OptionInfo newton{.name = "newton",
                    .kind = Kind::mapping,
                    .help = "Newton's method, for what is not linear.",
                    .entries = newton_table().infos()};
  OptionInfo info{.name = "analysis",
                  .kind = Kind::mapping,
                  .help = "The kind of analysis and its course.",
                  .entries = analysis_table(&physics).infos()};
  if (is_coupled(physics)) info.entries.push_back(coupling_table().infos().front());
  info.entries.push_back(std::move(newton));
  if (moves(physics))
    info.entries.push_back({.name = "damping",
                            .kind = Kind::mapping,
                            .help = "Transient and harmonic: Rayleigh damping.",
                            .entries = damping_table().infos()});
  return info;
}

}  // namespace trestle::io

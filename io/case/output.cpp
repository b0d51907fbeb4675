// The sections `output` and `expect` of a case.
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/number.hpp"
#include "core/units.hpp"
#include "io/case/options.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"
#include "physics/harmonic.hpp"
#include "physics/results/derived.hpp"
#include "physics/results/integral_info.hpp"

namespace trestle::io {
namespace {

using physics::Description;
using physics::ResultInfo;

const ResultInfo* find_result(const Description& physics, const std::string& name) {
  for (const ResultInfo& result : physics.results)
    if (result.name == name) return &result;
  return nullptr;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

template <class Named>
const Named* find_named(const std::vector<Named>& all, const std::string& name) {
  for (const Named& one : all)
    if (one.name == name) return &one;
  return nullptr;
}

std::string text_of(const YamlNode& item, const char* key) {
  const YamlNode* node = item.find(key);
  return node != nullptr && node->is_scalar() ? node->text : "";
}

void refuse_known_name(const YamlNode& item, const std::string& what, std::set<std::string>& names,
                       Faults& faults) {
  const YamlNode* name = item.find("name");
  if (name != nullptr && name->is_scalar() && !names.insert(name->text).second)
    faults.add(name->where(), "there is " + what + " " + in_quotes(name->text) + " already");
}

/// Refuses the result that `node` names where only another kind of analysis has it.
void refuse_foreign(const YamlNode* node, const Description& physics, const Case& c,
                    Faults& faults) {
  const ResultInfo* result =
      node != nullptr && node->is_scalar() ? find_result(physics, node->text) : nullptr;
  if (result != nullptr && result->analysis && *result->analysis != c.problem.analysis.type)
    faults.add(node->where(), "the result " + result->name + " is for " +
                                  analysis_word(*result->analysis) + " analyses");
  if (result != nullptr && result->by_weight && c.problem.gravity == std::array<double, 3>{})
    faults.add(node->where(), "the result " + result->name +
                                  " is a pressure over the weight of the fluid: give gravity, such "
                                  "as gravity: [0, 0, -9.81]");
}

/// Whether steps to the end do not tell a time from 0.
bool is_too_early(double time, double end) { return time > 0 && time <= same_output_time * end; }

std::vector<Probe> read_probes(const YamlNode* list, Faults& faults) {
  std::vector<Probe> probes;
  std::set<std::string> names;
  if (list == nullptr || !list->is_list()) return probes;
  for (const YamlNode& item : list->items) {
    Probe probe{.at = {0, 0, 0}, .where = item.where()};
    fill_options(item, probe_table(), probe);
    if (const YamlNode* at = item.find("at")) probe.plane = at->items.size() == 2;
    refuse_known_name(item, "a probe", names, faults);
    probes.push_back(probe);
  }
  return probes;
}

std::vector<Integral> read_integrals(const YamlNode* list, Faults& faults) {
  std::vector<Integral> integrals;
  std::set<std::string> names;
  if (list == nullptr || !list->is_list()) return integrals;
  for (const YamlNode& item : list->items) {
    Integral integral{text_of(item, "name"), text_of(item, "of"), {}, item.where()};
    if (const YamlNode* on = item.find("on")) integral.on = {text_of(item, "on"), on->where()};
    refuse_known_name(item, "an integral", names, faults);
    integrals.push_back(integral);
  }
  return integrals;
}

/// The last time, or where t is the parameter of load steps, the whole load; nothing elsewhere.
std::optional<double> end_of(const Description& physics, const Case& c) {
  if (c.problem.analysis.type == physics::AnalysisType::transient) return c.problem.analysis.end;
  return has_load_steps(physics, c.problem) ? std::optional(1.0) : std::nullopt;
}

class ExpectationReader {
 public:
  ExpectationReader(const Description& physics, const Case& c, Faults& faults)
      : physics_(physics), case_(c), faults_(faults) {
    for (const auto& load_case : c.problem.cases) load_cases_.push_back(load_case.name);
    for (const auto& combination : c.problem.combinations) load_cases_.push_back(combination.name);
  }

  std::optional<Expectation> read(const YamlNode& item) {
    Expectation expectation;
    expectation.where = item.where();
    fill_options(item, expectation_table(), expectation);
    if (!read_kind(item, expectation)) return std::nullopt;
    if (!check_mode(item, expectation)) return std::nullopt;
    if (expectation.kind == "mode") {
      read_values(item, {"Hz"}, expectation);
      return expectation;
    }
    const ResultInfo* result = find_target(item, expectation);
    if (result == nullptr) return std::nullopt;
    check_component(item, *result, expectation);
    choose_load_case(item, expectation);
    check_time(item, expectation);
    if (expectation.frequency && !is_harmonic())
      faults_.add(item.find("frequency")->where(), "expect: frequency is for harmonic analyses");
    read_values(item, units_of(*result, expectation), expectation);
    if (expectation.kind == "integral") keep_texts(item, expectation);
    return expectation;
  }

 private:
  bool read_kind(const YamlNode& item, Expectation& expectation) {
    for (const char* kind : {"probe", "integral", "minimum", "maximum"}) {
      const YamlEntry* entry = item.find_entry(kind);
      if (entry == nullptr) continue;
      if (!expectation.kind.empty()) {
        faults_.add(entry->where(),
                    "has both " + expectation.kind + " and " + kind + ": write an entry for each");
        return false;
      }
      expectation.kind = kind;
      expectation.name = text_of(item, kind);
    }
    if (expectation.kind.empty() && expectation.mode > 0) {
      expectation.kind = "mode";
      expectation.name = std::to_string(expectation.mode);
    }
    if (expectation.kind.empty() && item.is_mapping())
      faults_.add(item.where(),
                  "expect: one of these keys is missing: probe, integral, minimum, maximum" +
                      std::string(is_modal() ? ", mode" : ""));
    return !expectation.name.empty();
  }

  bool is_modal() const { return case_.problem.analysis.type == physics::AnalysisType::modal; }
  bool is_harmonic() const {
    return case_.problem.analysis.type == physics::AnalysisType::harmonic;
  }

  /// Modes stand where load cases do; every expectation of a modal analysis is about one.
  bool check_mode(const YamlNode& item, Expectation& expectation) {
    if (expectation.mode > 0 && !is_modal())
      faults_.add(item.find("mode")->where(), "expect: mode is for modal analyses");
    else if (expectation.mode == 0 && is_modal())
      faults_.add(item.where(), "expect: the key mode is missing: the number of a mode");
    else if (expectation.mode > case_.problem.analysis.modes && case_.problem.analysis.modes > 0)
      faults_.add(
          item.find("mode")->where(),
          "expect: the case asks for " + std::to_string(case_.problem.analysis.modes) + " modes");
    else
      return true;
    return false;
  }

  /// The result that the expectation is about; null when it is unknown.
  const ResultInfo* find_target(const YamlNode& item, const Expectation& expectation) {
    const auto target = [&](const auto& all) -> const ResultInfo* {
      if (const auto* one = find_named(all, expectation.name))
        return find_result(physics_, one->of);
      faults_.add(item.find(expectation.kind)->where(),
                  "there is no " + expectation.kind + " " + in_quotes(expectation.name) +
                      " in output." + expectation.kind + "s" +
                      suggestion(expectation.name, names_of(all)));
      return nullptr;
    };
    if (expectation.kind == "probe") return target(case_.output.probes);
    if (expectation.kind == "integral") return target(case_.output.integrals);
    refuse_foreign(item.find(expectation.kind), physics_, case_, faults_);
    return find_result(physics_, expectation.name);
  }

  void check_component(const YamlNode& item, const ResultInfo& result,
                       const Expectation& expectation) {
    const YamlEntry* entry = item.find_entry("component");
    if (result.components == 1) {
      if (entry != nullptr)
        faults_.add(entry->where(), "component: " + result.name + " is a scalar and has none");
      return;
    }
    // Over facets the heat that flows out is one number; which it is, only the mesh tells.
    if (entry == nullptr && expectation.kind == "integral" && result.flow) return;
    std::vector<std::string> known = physics::component_names(result);
    // Over facets an integral of stress is the force on the surface.
    if (expectation.kind == "integral" && result.name == "stress")
      known.insert(known.end(), {"x", "y", "z"});
    if (entry == nullptr)
      faults_.add(item.where(), "expect: the key component is missing: " + result.name + " has " +
                                    std::to_string(result.components) + suggestion("", known));
    else if (std::find(known.begin(), known.end(), expectation.component) == known.end())
      faults_.add(entry->value.where(), "component: unknown word " + describe(entry->value) +
                                            " for " + result.name +
                                            suggestion(expectation.component, known));
  }

  void choose_load_case(const YamlNode& item, Expectation& expectation) {
    const YamlEntry* entry = item.find_entry("case");
    if (expectation.mode > 0) {
      expectation.load_case = "mode " + std::to_string(expectation.mode);
      if (entry != nullptr)
        faults_.add(entry->where(), "case: this analysis has modes (the key mode)");
      return;
    }
    if (is_harmonic()) return choose_frequency(item, expectation);
    const bool known = std::find(load_cases_.begin(), load_cases_.end(), expectation.load_case) !=
                       load_cases_.end();
    if (entry != nullptr && load_cases_.empty())
      faults_.add(entry->where(), "case: there are no load cases (the key cases)");
    else if (entry != nullptr && !known)
      faults_.add(entry->value.where(), "case: unknown load case " + describe(entry->value) +
                                            suggestion(expectation.load_case, load_cases_));
    else if (entry == nullptr && load_cases_.size() > 1)
      faults_.add(item.where(), "expect: the key case is missing: there are several load cases" +
                                    suggestion("", load_cases_));
    else if (entry == nullptr && load_cases_.size() == 1)
      expectation.load_case = load_cases_[0];
  }

  /// Frequencies stand where load cases do.
  void choose_frequency(const YamlNode& item, Expectation& expectation) {
    constexpr double rounding = 1e-9;
    if (!expectation.frequency)
      return faults_.add(item.where(),
                         "expect: the key frequency is missing: one of those of the analysis");
    const double wanted = *expectation.frequency;
    for (const double frequency : case_.problem.analysis.frequencies)
      if (std::abs(frequency - wanted) <= rounding * frequency) {
        expectation.load_case = physics::frequency_name(frequency);
        return;
      }
    faults_.add(item.find("frequency")->where(),
                "expect: the analysis has no frequency " + format_number(wanted) + " Hz");
  }

  void check_time(const YamlNode& item, const Expectation& expectation) {
    if (!expectation.time) return;
    const std::optional<double> end = end_of(physics_, case_);
    if (!end)
      faults_.add(item.find("time")->where(),
                  "expect: time is for transient analyses, and for static ones of solids that are "
                  "not linear");
    else if (*end > 0 && *expectation.time > *end)
      faults_.add(
          item.find("time")->where(),
          "expect: the time " + format_number(*expectation.time) + " s lies behind the end");
    else if (is_too_early(*expectation.time, *end))
      faults_.add(item.find("time")->where(),
                  "expect: the time " + format_number(*expectation.time) +
                      " s is less than a billionth of the end, which steps do not tell from 0");
  }

  /// What the value may be measured in: only the mesh tells whether a group is of facets or cells.
  std::vector<std::string> units_of(const ResultInfo& result, const Expectation& expectation) {
    if (expectation.kind != "integral") return {result.unit};
    const auto unit = [&](bool over_cells) {
      return physics::integral_info(physics_, result.name, over_cells).unit;
    };
    const Integral* integral = find_named(case_.output.integrals, expectation.name);
    if (integral->on.name.empty()) return {unit(true)};
    return {unit(false), unit(true)};
  }

  static void keep_texts(const YamlNode& item, Expectation& expectation) {
    for (const char* key : {"value", "tolerance"})
      if (const YamlNode* node = item.find(key);
          node != nullptr && node->is_scalar() && !node->text.ends_with('%'))
        expectation.texts.push_back({key, node->text, node->where()});
  }

  std::optional<double> read_quantity(const YamlNode& item, const char* key,
                                      const std::vector<std::string>& units,
                                      Temperature temperature) {
    const YamlNode* node = item.find(key);
    if (node == nullptr || !node->is_scalar()) return std::nullopt;
    ParsedNumber first;
    for (const std::string& unit : units) {
      const ParsedNumber number = parse_quantity(node->text, unit, temperature);
      if (number.ok()) return number.value;
      if (first.ok()) first = number;
    }
    faults_.add(node->where(), std::string(key) + ": " + in_quotes(node->text) +
                                   (looks_like_quantity(node->text) ? ": " : " ") + first.fault);
    return std::nullopt;
  }

  void read_values(const YamlNode& item, const std::vector<std::string>& units,
                   Expectation& expectation) {
    const auto value = read_quantity(item, "value", units, Temperature::absolute);
    const std::string text = text_of(item, "tolerance");
    const bool percent = text.ends_with('%');
    const auto tolerance = percent
                               ? read_quantity(item, "tolerance", {""}, Temperature::difference)
                               : read_quantity(item, "tolerance", units, Temperature::difference);
    if (!value || !tolerance) return;
    if (*tolerance < 0 || (percent && *value == 0))
      faults_.add(item.find("tolerance")->where(),
                  "tolerance: " + in_quotes(text) +
                      (*tolerance < 0 ? " is out of range: 0 <= value"
                                      : " of the value 0 is nothing: give it in the unit of the "
                                        "value"));
    expectation.value = *value;
    expectation.tolerance = percent ? *tolerance * std::abs(*value) : *tolerance;
  }

  const Description& physics_;
  const Case& case_;
  Faults& faults_;
  std::vector<std::string> load_cases_;
};

/// Results that only another kind of analysis has.
void check_results(const YamlNode& section, const Description& physics, const Case& c,
                   Faults& faults) {
  const auto check = [&](const YamlNode* node) { refuse_foreign(node, physics, c, faults); };
  if (const YamlNode* fields = section.find("fields"); fields != nullptr && fields->is_list())
    for (const YamlNode& field : fields->items) check(&field);
  for (const char* list : {"probes", "integrals"})
    if (const YamlNode* items = section.find(list); items != nullptr && items->is_list())
      for (const YamlNode& item : items->items) check(item.find("of"));
}

/// Times that lie behind the end, or too near to 0 for it.
void check_times_to_end(const YamlNode& section, const OutputOptions& output, double end,
                        Faults& faults) {
  if (!output.times.empty() && output.times.back() > end)
    faults.add(section.find("times")->where(),
               "output.times: " + format_number(output.times.back()) + " s lies behind the end, " +
                   format_number(end) + " s");
  for (const double time : output.times)
    if (is_too_early(time, end))
      faults.add(section.find("times")->where(),
                 "output.times: " + format_number(time) +
                     " s is less than a billionth of the end, " + format_number(end) +
                     " s, which steps do not tell from 0; leave it out");
  if (output.every > end)
    faults.add(section.find("every")->where(),
               "output.every: " + format_number(output.every) + " s is longer than the analysis");
}

/// Times are for transient analyses and for load steps, and within them.
void check_output_times(const YamlNode& section, const Description& physics, const Case& c,
                        Faults& faults) {
  const std::optional<double> end = end_of(physics, c);
  for (const char* key : {"every", "times"})
    if (const YamlEntry* entry = section.find_entry(key); entry != nullptr && !end)
      faults.add(entry->where(), std::string("output.") + key +
                                     ": is for transient analyses, and for static ones of solids "
                                     "that are not linear");
  if (!end) return;
  if (const auto at =
          std::adjacent_find(c.output.times.begin(), c.output.times.end(), std::greater_equal<>());
      at != c.output.times.end())
    faults.add(section.find("times")->where(), "output.times: the times must ascend, but " +
                                                   format_number(at[1]) + " s follows " +
                                                   format_number(at[0]) + " s");
  if (*end > 0) check_times_to_end(section, c.output, *end, faults);  // else it is told already
}

/// results.hdf takes so many states.
constexpr double most_states = 20000;

/// Refuses, before anything runs, to write more states than the file can take.
void check_number_of_states(const YamlNode& root, const Description& physics, const Case& c,
                            Faults& faults) {
  const physics::AnalysisOptions& analysis = c.problem.analysis;
  const std::optional<double> end = end_of(physics, c);
  if (!end) return;
  const bool every_step = analysis.type == physics::AnalysisType::transient &&
                          c.output.every == 0 && c.output.times.empty();
  const double length = every_step ? (analysis.tolerance > 0 ? 0 : analysis.step) : c.output.every;
  if (length <= 0 || !(*end / length + 2 > most_states)) return;
  const YamlNode* output = root.find("output");
  const YamlNode* every = output != nullptr ? output->find("every") : nullptr;
  faults.add(
      every != nullptr ? every->where() : root.where(),
      "output.every: " +
          (every_step ? "results are written after every step, " : std::string("this makes ")) +
          format_number(std::ceil(*end / length)) + " times, and results.hdf takes at most " +
          format_number(most_states) + " states; give output.every, or a longer one");
}

}  // namespace

void read_output(const YamlNode& root, const Description& physics, Case& c, Faults& faults) {
  const YamlNode* section = root.find("output");
  const bool given = section != nullptr && section->is_mapping();
  if (given) {
    fill_options(*section, output_table(&physics), c.output);
    if (const YamlEntry* directory = section->find_entry("directory"))
      c.output.where = directory->value.where();
    if (!c.output.directory.empty()) c.output.directory = beside_case(c.file, c.output.directory);
    c.output.probes = read_probes(section->find("probes"), faults);
    c.output.integrals = read_integrals(section->find("integrals"), faults);
    check_output_times(*section, physics, c, faults);
    check_results(*section, physics, c, faults);
  }
  check_number_of_states(root, physics, c, faults);
  if (!given || section->find("fields") == nullptr)
    c.output.fields = c.problem.analysis.type == physics::AnalysisType::harmonic
                          ? std::vector<std::string>{physics.field, "amplitude", "phase"}
                          : physics.default_results;
}

void read_expectations(const YamlNode& root, const Description& physics, Case& c, Faults& faults) {
  const YamlNode* list = root.find("expect");
  if (list == nullptr || !list->is_list()) return;
  ExpectationReader reader(physics, c, faults);
  for (const YamlNode& item : list->items)
    if (auto expectation = reader.read(item)) c.expect.push_back(*expectation);
}

}  // namespace trestle::io

#include "app/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/number.hpp"
#include "core/units.hpp"
#include "mesh/quality.hpp"
#include "physics/results/integral_info.hpp"
#include "physics/results/integrals.hpp"

namespace trestle::app {
namespace {

bool is_reaction(const std::string& result) { return result.starts_with("reaction_"); }

constexpr physics::Targets integral_targets(bool reaction) {
  return {.cells = true, .facets = true, .edges = reaction, .points = reaction};
}

const mesh::LocalGroup* integral_group(const io::Integral& integral, physics::GroupLookup& lookup) {
  if (integral.on.name.empty()) return nullptr;
  return lookup.find(integral.on, integral_targets(is_reaction(integral.of)),
                     "integral " + integral.name);
}

physics::IntegralInfo info_of(const io::Integral& integral, const mesh::Mesh& mesh,
                              const physics::Problem& problem, const mesh::LocalGroup* group) {
  return physics::integral_info(*physics::find_description(problem.physics), integral.of,
                                physics::is_of_cells(mesh, group));
}

/// Notes what an expectation asks of an integral that has other values or another unit.
void check_expected(const io::Expectation& expectation, const io::Integral& integral,
                    const physics::IntegralInfo& info, physics::GroupLookup& lookup) {
  const std::vector<std::string>& known = info.components;
  const std::string what =
      fmt::format("the integral {} of {} over {}", integral.name, integral.of,
                  integral.on.name.empty() ? "the whole body" : in_quotes(integral.on.name));
  if (std::find(known.begin(), known.end(), expectation.component) == known.end())
    lookup.add(
        expectation.where,
        known.size() == 1
            ? fmt::format("expect: {} is one number, but its component {} is asked for; leave "
                          "component out",
                          what, expectation.component)
            : fmt::format("expect: {} has the components {}; {}", what, fmt::join(known, ", "),
                          expectation.component.empty() ? "the key component is missing"
                                                        : "it has no " + expectation.component));
  for (const io::Expectation::Text& given : expectation.texts)
    if (const ParsedNumber number = parse_quantity(given.text, info.unit); !number.ok())
      lookup.add(given.where, fmt::format("{}: {}: {}: {} is in {}", given.key,
                                          in_quotes(given.text), number.fault, what, info.unit));
}

/// Notes what is wrong with an integral, and with what is expected of it, that only the mesh shows.
/// Collective.
void check_integral(const io::Case& c, const io::Integral& integral, const mesh::Mesh& mesh,
                    physics::GroupLookup& lookup) {
  const mesh::LocalGroup* group = integral_group(integral, lookup);
  if (group == nullptr && !integral.on.name.empty()) return;
  const std::string why = physics::why_two_sided(mesh, c.problem, integral.of, group);
  if (!why.empty())
    lookup.add(integral.on.where, fmt::format("integral {} of {} over \"{}\": {}", integral.name,
                                              integral.of, integral.on.name, why));
  const physics::IntegralInfo info = info_of(integral, mesh, c.problem, group);
  for (const io::Expectation& expectation : c.expect)
    if (expectation.kind == "integral" && expectation.name == integral.name)
      check_expected(expectation, integral, info, lookup);
}

std::vector<std::array<double, 3>> places(const io::Case& c) {
  std::vector<std::array<double, 3>> all;
  for (const io::Probe& probe : c.output.probes) all.push_back(probe.at);
  return all;
}

/// What a probe that has no value makes a mistake; "" where it is a doubt.
std::string asked_of(const io::Case& c, const io::Probe& probe) {
  for (const io::Expectation& expectation : c.expect)
    if (expectation.kind == "probe" && expectation.name == probe.name)
      return "what the case expects of it is never met (" + to_string(expectation.where) + ")";
  return c.run.strict ? "move it or leave it out" : "";
}

/// Collective.
std::string describe_outside(const io::Probe& probe, const mesh::Mesh& mesh) {
  const auto [low, high] = mesh::bounding_box(mesh);
  return fmt::format(
      "probe {} at ({:g}, {:g}, {:g}) m lies outside the mesh, which fills no more than ({:g}, "
      "{:g}, {:g}) to ({:g}, {:g}, {:g}) m, and has no value",
      probe.name, probe.at[0], probe.at[1], probe.at[2], low[0], low[1], low[2], high[0], high[1],
      high[2]);
}

/// The value of a probe or an integral that an expectation speaks of.
template <class Result>
double component_of(const Result& result, const io::Expectation& expectation) {
  const std::vector<std::string>& names = result.components;
  const auto found = std::find(names.begin(), names.end(), expectation.component);
  require(found != names.end(), ExitCode::bug,
          fmt::format("{} \"{}\" has no component \"{}\"", expectation.kind, expectation.name,
                      expectation.component));
  return result.values[static_cast<std::size_t>(found - names.begin())];
}

/// The last result that the expectation speaks of, at its time where it gives one; null when there
/// is none. `is_named(result)` compares names.
template <class Result, class Named>
const Result* find_result(const std::vector<Result>& results, const io::Expectation& expectation,
                          const Named& is_named) {
  const auto at_time = [&](double time) {
    return !expectation.time || std::abs(time - *expectation.time) <= 1e-9 * *expectation.time;
  };
  for (auto result = results.rbegin(); result != results.rend(); ++result)
    if (is_named(*result) && result->load_case == expectation.load_case && at_time(result->time))
      return &*result;
  return nullptr;
}

double actual_value(const io::Expectation& expectation, const io::Report& report) {
  if (expectation.kind == "mode")
    for (const io::ModeResult& mode : report.modal.modes)
      if (mode.number == expectation.mode) return mode.frequency_hz;
  const auto is_named = [&](const auto& result) { return result.name == expectation.name; };
  if (expectation.kind == "probe") {
    if (const auto* probe = find_result(report.probes, expectation, is_named))
      return component_of(*probe, expectation);
  } else if (expectation.kind == "integral") {
    if (const auto* integral = find_result(report.integrals, expectation, is_named))
      return component_of(*integral, expectation);
  } else if (const auto* extreme =
                 find_result(report.extremes, expectation, [&](const io::ExtremeResult& result) {
                   return result.of == expectation.name &&
                          result.component == expectation.component;
                 })) {
    return expectation.kind == "minimum" ? extreme->minimum : extreme->maximum;
  }
  throw CaseError(
      expectation.where,
      fmt::format("expect: there is no {} \"{}\"{}{}", expectation.kind, expectation.name,
                  expectation.component.empty() ? "" : " component " + expectation.component,
                  expectation.load_case.empty() ? "" : " in case " + expectation.load_case));
}

}  // namespace

std::vector<const io::Probe*> probes_outside(const io::Case& c, const mesh::Mesh& mesh) {
  std::vector<const io::Probe*> outside;
  const std::vector<bool> found = physics::places_found(mesh, places(c));
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!found[i]) outside.push_back(&c.output.probes[i]);
  return outside;
}

physics::GroupLookup output_mistakes(const io::Case& c, const mesh::Mesh& mesh,
                                     const std::vector<const io::Probe*>& outside) {
  physics::GroupLookup lookup(mesh);
  for (const io::Integral& integral : c.output.integrals) check_integral(c, integral, mesh, lookup);
  for (const io::Probe& probe : c.output.probes)
    if (probe.plane && mesh.dim == 3)
      lookup.add(probe.where,
                 fmt::format("probe {}: at has 2 places, but the mesh has 3 dimensions; give 3",
                             probe.name));
  for (const io::Probe* probe : outside)
    if (const std::string asked = asked_of(c, *probe); !asked.empty())
      lookup.add(probe->where, describe_outside(*probe, mesh) + "; " + asked);
  return lookup;
}

bool asks_reactions(const io::Case& c) {
  const auto any = [](const auto& items, auto name) {
    return std::any_of(items.begin(), items.end(),
                       [&](const auto& item) { return is_reaction(name(item)); });
  };
  return any(c.output.fields, [](const std::string& field) { return field; }) ||
         any(c.output.probes, [](const io::Probe& probe) { return probe.of; }) ||
         any(c.output.integrals, [](const io::Integral& integral) { return integral.of; }) ||
         any(c.expect, [](const io::Expectation& expectation) { return expectation.name; });
}

std::vector<std::string> outside_warnings(const mesh::Mesh& mesh,
                                          const std::vector<const io::Probe*>& outside) {
  std::vector<std::string> warnings;
  for (const io::Probe* probe : outside)
    warnings.push_back(with_place(probe->where, describe_outside(*probe, mesh)));
  return warnings;
}

Evaluation::Evaluation(const io::Case& c, const physics::Analysis& analysis,
                       const physics::ResultPoints& points)
    : case_(c),
      analysis_(analysis),
      points_(points),
      probes_(analysis, points, places(c)),
      regions_(probes_.regions()) {}

void Evaluation::add(const physics::State& state, physics::Derived& derived,
                     io::Report& report) const {
  const physics::Description& description = analysis_.description();
  for (std::size_t i = 0; i < case_.output.probes.size(); ++i) {
    const io::Probe& probe = case_.output.probes[i];
    io::ProbeResult result{
        .load_case = state.name, .name = probe.name, .of = probe.of, .at = probe.at};
    const physics::ResultInfo& info = physics::result_info(description, probe.of);
    result.time = state.time;
    result.components = physics::component_names(info);
    result.unit = info.unit;
    result.values = probes_.value(i, derived, probe.of);
    if (probes_.found(i))
      result.region = analysis_.problem().materials[static_cast<std::size_t>(regions_[i])].name;
    else
      result.note = "outside the mesh";
    report.probes.push_back(std::move(result));
  }
  physics::GroupLookup lookup(analysis_.mesh());
  for (const io::Integral& integral : case_.output.integrals) {
    const mesh::LocalGroup* group = integral_group(integral, lookup);
    const physics::IntegralInfo info = info_of(integral, analysis_.mesh(), case_.problem, group);
    report.integrals.push_back(
        {state.name, integral.name, integral.of, integral.on.name,
         physics::integrate(analysis_, points_, state, derived, integral.of, group), state.time,
         info.components, info.unit});
  }
  std::vector<std::string> ranged = case_.output.fields;
  for (const io::Expectation& expectation : case_.expect)
    if ((expectation.kind == "minimum" || expectation.kind == "maximum") &&
        std::find(ranged.begin(), ranged.end(), expectation.name) == ranged.end())
      ranged.push_back(expectation.name);
  for (const std::string& name : ranged) {
    const physics::ResultInfo& info = physics::result_info(description, name);
    const std::vector<std::string> components = physics::component_names(info);
    const std::vector<physics::Range> ranges =
        physics::ranges(analysis_.mesh(), points_, derived.values(name), info.components);
    for (std::size_t k = 0; k < components.size(); ++k) {
      const auto& [low, high] = ranges[k];
      report.extremes.push_back({state.name,
                                 name,
                                 components[k],
                                 low.value,
                                 high.value,
                                 {low.at[0], low.at[1], low.at[2]},
                                 {high.at[0], high.at[1], high.at[2]},
                                 low.node_tag,
                                 high.node_tag,
                                 state.time});
    }
  }
}

void name_values(const io::Case& c, const physics::Analysis& analysis, io::Report& report) {
  for (io::ProbeResult& probe : report.probes) {
    const physics::ResultInfo& info = physics::result_info(analysis.description(), probe.of);
    probe.components = physics::component_names(info);
    probe.unit = info.unit;
  }
  physics::GroupLookup lookup(analysis.mesh());
  for (const io::Integral& integral : c.output.integrals) {
    const physics::IntegralInfo info =
        info_of(integral, analysis.mesh(), c.problem, integral_group(integral, lookup));
    for (io::IntegralResult& result : report.integrals)
      if (result.name == integral.name) {
        result.components = info.components;
        result.unit = info.unit;
      }
  }
}

bool check_expectations(const io::Case& c, io::Report& report) {
  bool all = true;
  for (const io::Expectation& expectation : c.expect) {
    io::ExpectationResult result;
    result.what =
        fmt::format("{} {}{}{}{}", expectation.kind, expectation.name,
                    expectation.component.empty() ? "" : " " + expectation.component,
                    expectation.load_case.empty() ? "" : " (" + expectation.load_case + ")",
                    expectation.time ? fmt::format(" at {:g} s", *expectation.time) : "");
    result.value = actual_value(expectation, report);
    result.reference = expectation.value;
    result.tolerance = expectation.tolerance;
    result.met = std::abs(result.value - result.reference) <= result.tolerance;
    all = all && result.met;
    report.expectations.push_back(result);
  }
  return all;
}

}  // namespace trestle::app

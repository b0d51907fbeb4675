// report.json, written and read back.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/report/report.hpp"

namespace trestle::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;
constexpr std::size_t listed_solves = 20;    // at each end
constexpr std::size_t history_points = 500;  // of one solve
constexpr std::size_t largest_file = std::size_t{64} << 20;

/// At most `history_points` of them, evenly spread, first and last kept.
std::vector<double> thinned(const std::vector<double>& history) {
  if (history.size() <= history_points) return history;
  std::vector<double> few;
  for (std::size_t i = 0; i < history_points; ++i)
    few.push_back(history[i * (history.size() - 1) / (history_points - 1)]);
  return few;
}

Json levels_json(const std::vector<solver::MultigridLevel>& levels) {
  Json list = Json::array();
  for (const solver::MultigridLevel& level : levels)
    list.push_back({{"unknowns", level.unknowns}, {"entries", level.entries}});
  return list;
}

Json to_json(const solver::SolveResult& solve, const std::string& name, std::size_t number) {
  return {{"number", number},
          {"name", name},
          {"method", solve.method},
          {"preconditioner", solve.preconditioner},
          {"precision", solve.precision},
          {"iterations", solve.iterations},
          {"converged", solve.converged},
          {"reason", solver::to_string(solve.reason)},
          {"true_relative_residual", solve.true_relative_residual},
          {"backward_error", solve.backward_error},
          {"near_null_vectors", solve.near_null_vectors},
          {"levels", levels_json(solve.levels)},
          {"setup_s", solve.setup_s},
          {"solve_s", solve.solve_s},
          {"choice", solve.choice},
          {"message", solve.message},
          {"history", thinned(solve.history)}};
}

Json solves_json(const Report& report) {
  Json solves = Json::array();
  const std::size_t n = report.solves.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (i >= listed_solves && i + listed_solves < n) continue;
    solves.push_back(
        to_json(report.solves[i], i < report.solve_names.size() ? report.solve_names[i] : "", i));
  }
  return solves;
}

Json steps_json(const StepTotals& totals) {
  const auto n = static_cast<double>(totals.accepted);
  return {{"accepted", totals.accepted},
          {"refused", totals.refused},
          {"newton_iterations", totals.newton_iterations},
          {"wall_s", totals.wall_s},
          {"s_per_step", n > 0 ? totals.wall_s / n : 0},
          {"steps_per_s", totals.wall_s > 0 ? n / totals.wall_s : 0}};
}

Json starts_json(const Report& report) {
  Json starts = Json::array();
  for (const StartResult& start : report.starts)
    starts.push_back({{"number", start.number},
                      {"started", start.started},
                      {"ranks", start.ranks},
                      {"from", start.from},
                      {"from_step", start.from_step},
                      {"saved_step", start.saved_step},
                      {"saves", start.saves},
                      {"failed_saves", start.failed_saves},
                      {"wall_s", start.wall_s},
                      {"setup_s", start.setup_s},
                      {"save_s", start.save_s},
                      {"lost_s", start.lost_s},
                      {"end", start.end}});
  return starts;
}

Json recovery_json(const Report& report) {
  const RecoveryTotals totals = totals_of(report.starts);
  return {{"starts", report.starts.size()},
          {"work_s", totals.work_s},
          {"lost_s", totals.lost_s},
          {"repeated_s", totals.repeated_s},
          {"save_s", totals.save_s},
          {"saves", totals.saves},
          {"failed_saves", totals.failed_saves},
          {"checkpoint_bytes", report.checkpoint_bytes},
          {"goodput", totals.goodput()},
          {"rank_hours", totals.rank_hours}};
}

Json energy_json(const std::optional<StepEnergy>& energy) {
  if (!energy) return nullptr;
  return {{"kinetic", energy->kinetic},
          {"internal", energy->internal},
          {"external", energy->external},
          {"damping", energy->damping},
          {"imbalance", energy->imbalance}};
}

Json flows_json(const std::optional<StepFlows>& flows, const std::string& unit) {
  if (!flows) return nullptr;
  return {{"unit", unit},
          {"stored", flows->stored},
          {"loads", flows->loads},
          {"supports", flows->supports},
          {"carried", flows->carried},
          {"imbalance", flows->imbalance}};
}

Json places_json(const Report& report) {
  Json places = Json::array();
  for (const RankPlace& place : report.places)
    places.push_back({{"rank", place.rank},
                      {"host", place.host},
                      {"device", place.device},
                      {"uuid", place.uuid},
                      {"compute_capability", place.compute_capability},
                      {"device_memory", place.device_memory}});
  return places;
}

Json memory_json(const Report& report) {
  Json memory = Json::array();
  for (const MemoryItem& item : report.memory)
    memory.push_back(
        {{"item", item.item}, {"host_peak", item.host_peak}, {"device_peak", item.device_peak}});
  return memory;
}

Json probes_json(const Report& report) {
  Json probes = Json::array();
  for (const ProbeResult& probe : report.probes)
    probes.push_back({{"case", probe.load_case},
                      {"time", probe.time},
                      {"name", probe.name},
                      {"of", probe.of},
                      {"at", probe.at},
                      {"values", probe.values},
                      {"region", probe.region},
                      {"note", probe.note}});
  return probes;
}

Json integrals_json(const Report& report) {
  Json integrals = Json::array();
  for (const IntegralResult& integral : report.integrals)
    integrals.push_back({{"case", integral.load_case},
                         {"time", integral.time},
                         {"name", integral.name},
                         {"of", integral.of},
                         {"on", integral.on},
                         {"values", integral.values}});
  return integrals;
}

Json extremes_json(const Report& report) {
  Json extremes = Json::array();
  for (const ExtremeResult& extreme : report.extremes)
    extremes.push_back({{"case", extreme.load_case},
                        {"time", extreme.time},
                        {"of", extreme.of},
                        {"component", extreme.component},
                        {"minimum", extreme.minimum},
                        {"minimum_at", extreme.minimum_at},
                        {"minimum_node", extreme.minimum_node},
                        {"maximum", extreme.maximum},
                        {"maximum_at", extreme.maximum_at},
                        {"maximum_node", extreme.maximum_node}});
  return extremes;
}

Json modes_json(const Report& report) {
  Json modes = Json::array();
  for (const ModeResult& mode : report.modal.modes) {
    const double rate = 2 * std::numbers::pi * mode.frequency_hz;
    modes.push_back({{"number", mode.number},
                     {"frequency_hz", mode.frequency_hz},
                     {"angular_frequency", rate},
                     {"eigenvalue", mode.eigenvalue},
                     {"rigid", !mode.rigid.empty()},
                     {"name", mode.rigid},
                     {"residual", mode.residual},
                     {"modal_mass", mode.modal_mass},
                     {"participation", mode.participation},
                     {"effective_mass", mode.effective_mass},
                     {"cumulated_fraction", mode.cumulated_fraction}});
  }
  return modes;
}

Json modal_json(const ModalResult& modal) {
  return {{"mass", modal.mass},
          {"motions", modal.motions},
          {"inertia", modal.inertia},
          {"centre_of_mass", modal.centre},
          {"eigensolver", modal.eigensolver},
          {"shift", modal.shift},
          {"choice", modal.choice},
          {"complete", modal.complete},
          {"restarts", modal.restarts},
          {"iterations", modal.iterations},
          {"applications", modal.applications},
          {"factorisations", modal.factorisations}};
}

Json expectations_json(const Report& report) {
  Json expectations = Json::array();
  for (const ExpectationResult& expectation : report.expectations)
    expectations.push_back({{"what", expectation.what},
                            {"value", expectation.value},
                            {"reference", expectation.reference},
                            {"tolerance", expectation.tolerance},
                            {"met", expectation.met}});
  return expectations;
}

/// Reads members that may be missing, and null for what is no number.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  void operator()(const char* key, std::string& value) const {
    if (const Json* found = find(key)) value = found->get<std::string>();
  }
  void operator()(const char* key, double& value) const {
    if (const Json* found = find(key)) value = number(*found);
  }
  void operator()(const char* key, bool& value) const {
    if (const Json* found = find(key)) value = found->get<bool>();
  }
  template <class T>
  requires std::is_integral_v<T>
  void operator()(const char* key, T& value) const {
    if (const Json* found = find(key)) value = found->get<T>();
  }
  void operator()(const char* key, std::vector<solver::MultigridLevel>& levels) const {
    if (const Json* found = find(key))
      for (const Json& level : *found)
        levels.push_back(
            {level.at("unknowns").get<GlobalIndex>(), level.at("entries").get<GlobalIndex>()});
  }
  void operator()(const char* key, std::vector<double>& values) const {
    if (const Json* found = find(key))
      for (const Json& value : *found) values.push_back(number(value));
  }
  void operator()(const char* key, std::array<double, 3>& values) const {
    std::vector<double> read;
    (*this)(key, read);
    if (read.size() == 3) std::copy(read.begin(), read.end(), values.begin());
  }
  template <class T>
  requires std::is_same_v<T, std::string> || std::is_same_v<T, std::int64_t>
  void operator()(const char* key, std::vector<T>& values) const {
    if (const Json* found = find(key)) values = found->get<std::vector<T>>();
  }
  void operator()(const char* key, std::map<std::string, double>& values) const {
    if (const Json* found = find(key))
      for (const auto& [name, value] : found->items()) values[name] = number(value);
  }
  void operator()(const char* key, std::map<std::string, std::vector<double>>& values) const {
    if (const Json* found = find(key)) {
      const Reader inner(*found);
      for (const auto& item : found->items()) inner(item.key().c_str(), values[item.key()]);
    }
  }
  /// Calls `read` with a Reader of each object in the list at `key`.
  template <class Read>
  void each(const char* key, Read read) const {
    if (const Json* found = find(key))
      for (const Json& element : *found) read(Reader(element));
  }

 private:
  const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  static double number(const Json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  }
  const Json& object_;
};

solver::Reason reason_named(const std::string& name) {
  for (int r = 0; r <= static_cast<int>(solver::Reason::preconditioner_failed); ++r)
    if (name == solver::to_string(static_cast<solver::Reason>(r)))
      return static_cast<solver::Reason>(r);
  return solver::Reason::max_iterations;
}

void read_solve(const Reader& read, Report& report) {
  solver::SolveResult solve;
  std::string reason, name;
  read("method", solve.method);
  read("preconditioner", solve.preconditioner);
  read("precision", solve.precision);
  read("iterations", solve.iterations);
  read("converged", solve.converged);
  read("reason", reason);
  read("true_relative_residual", solve.true_relative_residual);
  read("backward_error", solve.backward_error);
  read("near_null_vectors", solve.near_null_vectors);
  read("levels", solve.levels);
  read("setup_s", solve.setup_s);
  read("solve_s", solve.solve_s);
  read("choice", solve.choice);
  read("message", solve.message);
  read("history", solve.history);
  read("name", name);
  solve.reason = reason_named(reason);
  report.solves.push_back(solve);
  report.solve_names.push_back(name);
}

void read_run(const Reader& read, Report& report) {
  read("status", report.status);
  read("exit_code", report.exit_code);
  read("message", report.message);
  read("case_file", report.case_file);
  read("title", report.title);
  read("version", report.version);
  read("physics", report.physics);
  read("model", report.model);
  read("started", report.started);
  read("dofs", report.dofs);
  read("cells", report.cells);
  read("nodes", report.nodes);
  read("ranks", report.ranks);
  read("device", report.device);
  read("precision", report.precision);
  read("memory_kind", report.memory_kind);
  read("wall_s", report.wall_s);
  read("phases", report.phases);
  read("phases_by_rank", report.phases_by_rank);
  read("dofs_by_rank", report.dofs_by_rank);
  read("cells_by_rank", report.cells_by_rank);
  read("solution_l2", report.solution_l2);
  read("peak_host_bytes", report.peak_host_bytes);
  read("peak_device_bytes", report.peak_device_bytes);
  read("warnings", report.warnings);
  read("results", report.results_path);
}

void read_lists(const Reader& all, Report& report) {
  all.each("solves", [&](const Reader& read) { read_solve(read, report); });
  all.each("memory", [&](const Reader& read) {
    MemoryItem& item = report.memory.emplace_back();
    read("item", item.item);
    read("host_peak", item.host_peak);
    read("device_peak", item.device_peak);
  });
  all.each("places", [&](const Reader& read) {
    RankPlace& place = report.places.emplace_back();
    read("rank", place.rank);
    read("host", place.host);
    read("device", place.device);
    read("uuid", place.uuid);
    read("compute_capability", place.compute_capability);
    read("device_memory", place.device_memory);
  });
  all.each("probes", [&](const Reader& read) {
    ProbeResult& probe = report.probes.emplace_back();
    read("case", probe.load_case);
    read("time", probe.time);
    read("name", probe.name);
    read("of", probe.of);
    read("at", probe.at);
    read("values", probe.values);
    read("region", probe.region);
    read("note", probe.note);
  });
  all.each("integrals", [&](const Reader& read) {
    IntegralResult& integral = report.integrals.emplace_back();
    read("case", integral.load_case);
    read("time", integral.time);
    read("name", integral.name);
    read("of", integral.of);
    read("on", integral.on);
    read("values", integral.values);
  });
}

void read_modes(const Json& json, Report& report) {
  const auto found = json.find("modal");
  if (found == json.end()) return;
  ModalResult& modal = report.modal;
  const Reader of_modal(*found);
  of_modal("mass", modal.mass);
  of_modal("motions", modal.motions);
  of_modal("inertia", modal.inertia);
  of_modal("centre_of_mass", modal.centre);
  of_modal("eigensolver", modal.eigensolver);
  of_modal("shift", modal.shift);
  of_modal("choice", modal.choice);
  of_modal("complete", modal.complete);
  of_modal("restarts", modal.restarts);
  of_modal("iterations", modal.iterations);
  of_modal("applications", modal.applications);
  of_modal("factorisations", modal.factorisations);
  Reader(json).each("modes", [&](const Reader& read) {
    ModeResult& mode = modal.modes.emplace_back();
    read("number", mode.number);
    read("frequency_hz", mode.frequency_hz);
    read("eigenvalue", mode.eigenvalue);
    read("name", mode.rigid);
    read("residual", mode.residual);
    read("modal_mass", mode.modal_mass);
    read("participation", mode.participation);
    read("effective_mass", mode.effective_mass);
    read("cumulated_fraction", mode.cumulated_fraction);
  });
}

void read_judgements(const Reader& all, Report& report) {
  all.each("extremes", [&](const Reader& read) {
    ExtremeResult& extreme = report.extremes.emplace_back();
    read("case", extreme.load_case);
    read("time", extreme.time);
    read("of", extreme.of);
    read("component", extreme.component);
    read("minimum", extreme.minimum);
    read("minimum_at", extreme.minimum_at);
    read("minimum_node", extreme.minimum_node);
    read("maximum", extreme.maximum);
    read("maximum_at", extreme.maximum_at);
    read("maximum_node", extreme.maximum_node);
  });
  all.each("expectations", [&](const Reader& read) {
    ExpectationResult& expectation = report.expectations.emplace_back();
    read("what", expectation.what);
    read("value", expectation.value);
    read("reference", expectation.reference);
    read("tolerance", expectation.tolerance);
    read("met", expectation.met);
  });
}

}  // namespace

RecoveryTotals totals_of(const std::vector<StartResult>& starts) {
  RecoveryTotals totals;
  for (const StartResult& start : starts) {
    totals.work_s += start.wall_s;
    totals.lost_s += start.lost_s;
    if (&start != &starts.front()) totals.repeated_s += start.setup_s;
    totals.save_s += start.save_s;
    totals.saves += start.saves;
    totals.failed_saves += start.failed_saves;
    totals.rank_hours += start.wall_s * start.ranks / 3600;
  }
  return totals;
}

double unknowns_per_second(const Report& report) {
  const auto n_solves = static_cast<double>(std::max<std::size_t>(1, report.n_solves()));
  return report.wall_s > 0 ? static_cast<double>(report.dofs) * n_solves / report.wall_s : 0;
}

std::string report_json(const Report& report) {
  Json json = {
      {"schema", schema},
      {"status", report.status},
      {"exit_code", report.exit_code},
      {"message", report.message},
      {"title", report.title},
      {"case_file", report.case_file},
      {"version", report.version},
      {"started", report.started},
      {"physics", report.physics},
      {"model", report.model},
      {"dofs", report.dofs},
      {"cells", report.cells},
      {"nodes", report.nodes},
      {"ranks", report.ranks},
      {"device", report.device},
      {"precision", report.precision},
      {"memory_kind", report.memory_kind},
      {"wall_s", report.wall_s},
      {"phases", report.phases},
      {"n_solves", report.n_solves()},
      {"solves", solves_json(report)},
      {"steps", steps_json(report.step_totals)},
      {"energy", energy_json(report.energy)},
      {"balance", flows_json(report.flows, report.flows_unit)},
      {"solution_l2", report.solution_l2},
      {"peak_host_bytes", report.peak_host_bytes},
      {"peak_device_bytes", report.peak_device_bytes},
      {"throughput",
       {{"dofs_per_s", unknowns_per_second(report)},
        {"stream_gb_s", report.stream_gb_s},
        {"spmv_gb_s", report.spmv_gb_s}}},
      {"expectations", expectations_json(report)},
      {"probes", probes_json(report)},
      {"integrals", integrals_json(report)},
      {"extremes", extremes_json(report)},
      {"warnings", report.warnings},
      {"recovery", recovery_json(report)},
      {"starts", starts_json(report)},
      {"results", report.results_path},
      {"memory", memory_json(report)},
      {"phases_by_rank", report.phases_by_rank},
      {"dofs_by_rank", report.dofs_by_rank},
      {"cells_by_rank", report.cells_by_rank},
      {"places", places_json(report)},
  };
  if (!report.modal.mass.empty()) {
    json["modal"] = modal_json(report.modal);
    json["modes"] = modes_json(report);
  }
  // What is no number becomes null, what is no UTF-8 a replacement character: the text is JSON.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Report read_report(const std::string& path) {
  const std::string text = read_text_file(path, largest_file);
  Report report;
  try {
    // Nesting is bounded, so that a hostile file cannot exhaust the stack.
    const Json json = Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
      if (depth > 16) throw Error(ExitCode::mesh, "nested deeper than 16");
      return true;
    });
    const Reader read(json);
    int found = 0;
    read("schema", found);
    require(found == schema, ExitCode::mesh, "its schema is " + std::to_string(found) + ", not 1");
    read_run(read, report);
    read_lists(read, report);
    read_judgements(read, report);
    read_modes(json, report);
    read.each("starts", [&](const Reader& inner) {
      StartResult& start = report.starts.emplace_back();
      inner("number", start.number);
      inner("started", start.started);
      inner("ranks", start.ranks);
      inner("from", start.from);
      inner("from_step", start.from_step);
      inner("saved_step", start.saved_step);
      inner("saves", start.saves);
      inner("failed_saves", start.failed_saves);
      inner("wall_s", start.wall_s);
      inner("setup_s", start.setup_s);
      inner("save_s", start.save_s);
      inner("lost_s", start.lost_s);
      inner("end", start.end);
    });
    std::size_t n_solves = report.solves.size();
    read("n_solves", n_solves);
    report.unlisted_solves = n_solves - std::min(n_solves, report.solves.size());
    if (const auto steps = json.find("steps"); steps != json.end()) {
      const Reader inner(*steps);
      inner("accepted", report.step_totals.accepted);
      inner("refused", report.step_totals.refused);
      inner("newton_iterations", report.step_totals.newton_iterations);
      inner("wall_s", report.step_totals.wall_s);
    }
    if (const auto energy = json.find("energy"); energy != json.end() && energy->is_object()) {
      const Reader inner(*energy);
      report.energy.emplace();
      inner("kinetic", report.energy->kinetic);
      inner("internal", report.energy->internal);
      inner("external", report.energy->external);
      inner("damping", report.energy->damping);
      inner("imbalance", report.energy->imbalance);
    }
    if (const auto flows = json.find("balance"); flows != json.end() && flows->is_object()) {
      const Reader inner(*flows);
      inner("unit", report.flows_unit);
      report.flows.emplace();
      inner("stored", report.flows->stored);
      inner("loads", report.flows->loads);
      inner("supports", report.flows->supports);
      inner("carried", report.flows->carried);
      inner("imbalance", report.flows->imbalance);
    }
    if (const auto throughput = json.find("throughput"); throughput != json.end()) {
      const Reader inner(*throughput);
      inner("stream_gb_s", report.stream_gb_s);
      inner("spmv_gb_s", report.spmv_gb_s);
    }
  } catch (const std::exception& e) {
    throw Error(ExitCode::mesh, path + " is no report of ours: " + e.what());
  }
  return report;
}

}  // namespace trestle::io

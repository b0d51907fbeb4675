// report.json read back.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/report/report.hpp"
#include "io/version.hpp"

namespace trestle::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_file = std::size_t{64} << 20;

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
    read("components", probe.components);
    read("unit", probe.unit);
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
    read("components", integral.components);
    read("unit", integral.unit);
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
    require(found == report_schema, ExitCode::mesh,
            "its report_schema is " + std::to_string(found) + ", not 1");
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

void check_report(const std::string& path) {
  if (read_report(path).version != version) return;  // others may have fewer members
  const Json found = Json::parse(read_text_file(path, largest_file));
  const Json right = Json::parse(report_json(Report{}));
  for (const auto& [key, value] : right.items()) {
    const auto member = found.find(key);
    const bool kept =
        member != found.end() && (member->is_null() || value.is_null() ||
                                  std::string_view(member->type_name()) == value.type_name());
    require(kept, ExitCode::mesh,
            path + " has no member \"" + key + "\" as every report has one: it was changed");
  }
}

}  // namespace trestle::io

// report.json as it is written.
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/report/report.hpp"

namespace trestle::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t listed_solves = 20;    // at each end
constexpr std::size_t history_points = 500;  // of one solve

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
                      {"components", probe.components},
                      {"unit", probe.unit},
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
                         {"values", integral.values},
                         {"components", integral.components},
                         {"unit", integral.unit}});
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

}  // namespace

std::string report_json(const Report& report) {
  Json json = {
      {"schema", report_schema},
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

}  // namespace trestle::io

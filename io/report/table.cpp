// The short table of a run for the terminal.
#include <fmt/core.h>

#include <algorithm>

#include "io/escape.hpp"
#include "io/report/report.hpp"
#include "io/report/text.hpp"

namespace trestle::io {

namespace {

constexpr std::size_t width = 100;
constexpr std::size_t label_width = 12;
constexpr std::size_t indent = 2;  // of the lines that a row goes on with
constexpr std::size_t listed = 8;  // solves, expectations, warnings: the rest is in the page
constexpr std::size_t most_modes = 30;

std::string row(std::string_view label, const std::string& text) {
  std::string rows;
  for (const std::string& line : wrapped(escape_terminal(text), width - label_width - 3 - indent))
    rows += fmt::format("  {:<{}} {:{}}{}\n", rows.empty() ? label : "", label_width, "",
                        rows.empty() ? 0 : indent, line);
  return rows;
}

std::string more(std::size_t n) {
  return n > listed ? row("", fmt::format("... and {} more in report.html", n - listed)) : "";
}

std::string size_rows(const Report& report) {
  std::string text =
      row("model", report.physics + (report.model.empty() ? "" : ", ") + report.model);
  text += row("size", fmt::format("{} unknowns, {} cells, {} nodes", text_of_count(report.dofs),
                                  text_of_count(report.cells), text_of_count(report.nodes)));
  text += row("on", fmt::format("{} rank{}, {}, {}", report.ranks, report.ranks == 1 ? "" : "s",
                                report.device, report.precision));
  return text;
}

std::string phase_rows(const Report& report) {
  std::string text;
  double known = 0;
  const auto add = [&](const char* name, double seconds) {
    const double part = report.wall_s > 0 ? std::clamp(seconds / report.wall_s, 0., 1.) : 0;
    text += row(name, fmt::format("{:>12}  {:>4.0f} %  {}", text_of_seconds(seconds), 100 * part,
                                  std::string(static_cast<std::size_t>(40 * part + 0.5), '#')));
    known += seconds;
  };
  for (const char* name :
       {"start", "mesh", "space", "assemble", "setup", "solve", "output", "checkpoint"})
    if (const auto found = report.phases.find(name);
        found != report.phases.end() && found->second > 0)
      add(name, found->second);
  if (!text.empty()) add("other", std::max(0., report.wall_s - known));
  return text;
}

std::string memory_row(const Report& report) {
  std::string text = text_of_bytes(report.peak_host_bytes) + " host";
  if (report.peak_device_bytes != 0)
    text += ", " + text_of_bytes(report.peak_device_bytes) + " device";
  text += ", the largest rank";
  const auto largest = std::max_element(
      report.memory.begin(), report.memory.end(),
      [](const MemoryItem& a, const MemoryItem& b) { return a.host_peak < b.host_peak; });
  if (largest != report.memory.end())
    text += fmt::format("; most of the host's for: {}, {}", largest->item,
                        text_of_bytes(largest->host_peak));
  return row("memory", text);
}

std::string bandwidth_row(const Report& report) {
  if (!(report.stream_gb_s > 0 && report.spmv_gb_s > 0)) return "";
  return row(
      "bandwidth",
      fmt::format("{:.3g} GB/s of {:.3g} GB/s (triad) in matrix products{}", report.spmv_gb_s,
                  report.stream_gb_s,
                  report.spmv_gb_s > report.stream_gb_s ? ": the matrix fits the cache" : ""));
}

std::string solve_rows(const Report& report) {
  std::string text;
  const std::size_t n = report.n_solves();
  // Of many steps two show what the others are like.
  const std::size_t shown = report.step_totals.accepted > 0 ? 2 : listed;
  for (std::size_t i = 0; i < std::min(shown, report.solves.size()); ++i) {
    const solver::SolveResult& solve = report.solves[i];
    const std::string name = i < report.solve_names.size() && !report.solve_names[i].empty()
                                 ? report.solve_names[i] + ": "
                                 : "";
    text += row(i == 0 ? "solves" : "",
                fmt::format("{}{} + {}, {} iterations, residual {:.1e}, {}", name, solve.method,
                            solve.preconditioner, solve.iterations, solve.true_relative_residual,
                            solve.converged ? text_of_seconds(solve.solve_s)
                                            : "NOT CONVERGED: " + solve.message));
  }
  return report.step_totals.accepted > 0 ? text : text + more(n);
}

std::string step_rows(const StepTotals& totals) {
  if (totals.accepted + totals.refused == 0) return "";
  const auto n = static_cast<double>(totals.accepted);
  return row("steps", fmt::format("{} taken, {} refused, {} corrections; {} a step, {:.3g} steps/s",
                                  totals.accepted, totals.refused, totals.newton_iterations,
                                  text_of_seconds(n > 0 ? totals.wall_s / n : totals.wall_s),
                                  totals.wall_s > 0 ? n / totals.wall_s : 0));
}

std::string recovery_rows(const Report& report) {
  const RecoveryTotals totals = totals_of(report.starts);
  if (totals.saves + totals.failed_saves == 0 && report.starts.size() < 2) return "";
  std::string text = fmt::format(
      "{} of {:.3g} MB in {}{}", totals.saves, 1e-6 * static_cast<double>(report.checkpoint_bytes),
      text_of_seconds(totals.save_s),
      totals.failed_saves > 0 ? fmt::format(", {} failed", totals.failed_saves) : "");
  text = row("checkpoints", text);
  if (report.starts.size() < 2) return text;
  return text +
         row("starts", fmt::format("{}: {} of work, {} lost, {} of set-up repeated, goodput "
                                   "{:.1f} %",
                                   report.starts.size(), text_of_seconds(totals.work_s),
                                   text_of_seconds(totals.lost_s),
                                   text_of_seconds(totals.repeated_s), 100 * totals.goodput()));
}

std::string energy_rows(const std::optional<StepEnergy>& energy) {
  if (!energy) return "";
  return row("energy",
             fmt::format("kinetic {:.5g} J, internal {:.5g} J, external {:.5g} J, damping {:.3g} J",
                         energy->kinetic, energy->internal, energy->external, energy->damping)) +
         row("", fmt::format("out of balance by {:.1e}", energy->imbalance));
}

std::string flows_rows(const std::optional<StepFlows>& flows, const std::string& unit) {
  if (!flows) return "";
  return row("balance",
             fmt::format("stored {:.5g} {}, by loads {:.5g}, by supports {:.5g}, carried away "
                         "{:.5g}; out of balance by {:.1e}",
                         flows->stored, unit, flows->loads, flows->supports, flows->carried,
                         flows->imbalance));
}

/// The results of the last time.
template <class Result>
std::vector<Result> last_of(std::vector<Result> results) {
  if (results.empty()) return results;
  const double time = results.back().time;
  std::erase_if(results, [time](const Result& result) { return result.time != time; });
  return results;
}

/// Modes with the part of the model's mass that moves along each axis, and these summed up.
std::string mode_rows(const Report& report) {
  const ModalResult& modal = report.modal;
  if (modal.modes.empty()) return "";
  const auto parts = [&](const std::vector<double>& values, bool relative) {
    std::string text;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (modal.motions[k].size() == 1)
        text += fmt::format("  {:>5.1f} %", 100 * values[k] / (relative ? 1 : modal.inertia[k]));
    return text;
  };
  std::string heads;
  for (const std::string& motion : modal.motions)
    if (motion.size() == 1) heads += fmt::format("  {:>7}", "mass " + motion);
  std::string text = row("modes", fmt::format("{:>3}  {:>14}", "", "frequency") + heads);
  for (std::size_t k = 0; k < std::min(most_modes, modal.modes.size()); ++k) {
    const ModeResult& mode = modal.modes[k];
    text += row("", fmt::format("{:>3}  {:>14}{}", mode.number, text_of_frequency(mode),
                                parts(mode.effective_mass, false)));
  }
  if (modal.modes.size() > most_modes)
    text += row("", fmt::format("... and {} more in report.html", modal.modes.size() - most_modes));
  return text + row("", fmt::format("{:>3}  {:>14}{}", "all", "",
                                    parts(modal.modes.back().cumulated_fraction, true)));
}

/// Probes and integrals.
std::string value_rows(const Report& report) {
  const auto in_case = [](const std::string& name) {
    return name.empty() ? "" : " (" + name + ")";
  };
  const std::vector<ProbeResult> probes = last_of(report.probes);
  const std::vector<IntegralResult> integrals = last_of(report.integrals);
  const auto values = [](const auto& result) {
    return text_of_values(result.values, result.components, result.unit);
  };
  std::string text;
  for (std::size_t i = 0; i < std::min(listed, probes.size()); ++i) {
    const ProbeResult& probe = probes[i];
    text += row(i == 0 ? "probes" : "",
                fmt::format("{}{}, {}: {}", probe.name, in_case(probe.load_case), probe.of,
                            probe.note.empty() ? values(probe) : probe.note));
  }
  text += more(probes.size());
  for (std::size_t i = 0; i < std::min(listed, integrals.size()); ++i) {
    const IntegralResult& integral = integrals[i];
    text += row(i == 0 ? "integrals" : "",
                fmt::format("{}{}, {}: {}", integral.name, in_case(integral.load_case), integral.of,
                            values(integral)));
  }
  return text + more(integrals.size());
}

std::string judgement_rows(const Report& report) {
  std::string text;
  for (std::size_t i = 0; i < std::min(listed, report.expectations.size()); ++i) {
    const ExpectationResult& one = report.expectations[i];
    text += row(i == 0 ? "expected" : "",
                fmt::format("{} {}: {} (reference {} +- {})", one.met ? "ok    " : "MISSED",
                            one.what, text_of_value(one.value), text_of_value(one.reference),
                            text_of_value(one.tolerance)));
  }
  text += more(report.expectations.size());
  for (std::size_t i = 0; i < std::min(listed, report.warnings.size()); ++i)
    text += row(i == 0 ? "warnings" : "", report.warnings[i]);
  return text + more(report.warnings.size());
}

}  // namespace

std::string report_table(const Report& report) {
  std::string text = fmt::format(
      "{}\n",
      clipped(escape_terminal(report.title.empty() ? report.case_file : report.title), width));
  text += row("status", fmt::format("{} in {}", report.status, text_of_seconds(report.wall_s)));
  if (!report.message.empty()) text += row("", report.message);
  text += size_rows(report) + phase_rows(report) + step_rows(report.step_totals) +
          recovery_rows(report) + energy_rows(report.energy) +
          flows_rows(report.flows, report.flows_unit) + solve_rows(report);
  text += memory_row(report) + bandwidth_row(report) + mode_rows(report) + value_rows(report) +
          judgement_rows(report);
  if (!report.results_path.empty()) text += row("results", report.results_path);
  return text;
}

}  // namespace trestle::io

// The page of a run: one file with its style and its charts inside, and nothing that runs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/escape.hpp"
#include "io/report/charts.hpp"
#include "io/report/html_page.hpp"
#include "io/report/report.hpp"
#include "io/report/text.hpp"

namespace trestle::io {

namespace {

constexpr std::size_t most_rows = 200;  // of a table; report.json has all
constexpr std::size_t most_curves = 8;
constexpr std::size_t most_rank_rows = 32;

std::string section(const std::string& title, const std::string& content) {
  return content.empty() ? "" : "<section><h2>" + title + "</h2>\n" + content + "</section>\n";
}

std::string card(const std::string& value, const std::string& label) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", escape_html(value),
                     escape_html(label));
}

/// A table whose cells are HTML already.
class Table {
 public:
  explicit Table(const std::vector<std::string>& heads) {
    for (const std::string& head : heads) head_ += fmt::format("<th>{}</th>", head);
  }
  void add(const std::vector<std::string>& cells) {
    if (++n_ > most_rows) return;
    body_ += "<tr>";
    for (const std::string& cell : cells) body_ += "<td>" + cell + "</td>";
    body_ += "</tr>\n";
  }
  std::string html() const {
    if (n_ == 0) return "";
    std::string text =
        "<div class=\"wide\"><table><tr>" + head_ + "</tr>\n" + body_ + "</table></div>\n";
    if (n_ > most_rows)
      text += fmt::format("<p class=\"soft\">{} more in report.json</p>\n", n_ - most_rows);
    return text;
  }

 private:
  std::string head_, body_;
  std::size_t n_ = 0;
};

std::string verdict(bool good, const std::string& text) {
  return fmt::format("<b class=\"{}\">{}</b>", good ? "good" : "bad", escape_html(text));
}

std::string point(const std::array<double, 3>& at) {
  return text_of_values({at.begin(), at.end()});
}

std::string head(const Report& report) {
  const bool good = report.exit_code == 0;
  const std::string title = report.title.empty() ? report.case_file : report.title;
  std::string text = fmt::format(
      "<h1>{}</h1>\n<p><span class=\"badge {}\">{}</span> <span class=\"soft\">{} &middot; {} "
      "&middot; Trestle {}</span></p>\n",
      escape_html(title), good ? "good" : "bad", escape_html(report.status),
      escape_html(report.case_file), escape_html(report.started), escape_html(report.version));
  if (!report.message.empty())
    text +=
        fmt::format("<p>{} (exit code {})</p>\n", verdict(good, report.message), report.exit_code);
  return text;
}

std::string cards(const Report& report) {
  std::string text =
      card(text_of_count(report.dofs), "unknowns") + card(text_of_count(report.cells), "cells") +
      card(text_of_seconds(report.wall_s), "wall time") +
      card(text_of_count(std::llround(unknowns_per_second(report))), "unknowns a second") +
      card(text_of_bytes(report.peak_host_bytes), "host memory, largest rank");
  if (report.peak_device_bytes != 0)
    text += card(text_of_bytes(report.peak_device_bytes), "device memory, largest rank");
  text += card(fmt::format("{} x {}", report.ranks, report.device),
               "ranks and device, " + report.precision);
  text += card(fmt::format("{:.3g} h", report.ranks * report.wall_s / 3600), "rank hours");
  return "<div class=\"cards\">\n" + text + "</div>\n";
}

std::string what_was_expected(const Report& report) {
  Table table({"", "expectation", "value", "reference", "tolerance"});
  for (const ExpectationResult& one : report.expectations)
    table.add({verdict(one.met, one.met ? "met" : "missed"), escape_html(one.what),
               text_of_value(one.value), text_of_value(one.reference),
               text_of_value(one.tolerance)});
  return section("Expectations", table.html());
}

std::string warnings(const Report& report) {
  std::string items;
  for (std::size_t i = 0; i < std::min(most_rows, report.warnings.size()); ++i)
    items += "<li>" + escape_html(report.warnings[i]) + "</li>\n";
  return section("Warnings", items.empty() ? "" : "<ul>" + items + "</ul>\n");
}

/// Phases in the order of a run; unknown ones after them.
std::vector<std::string> phase_names(const Report& report) {
  std::vector<std::string> names;
  for (const char* name : {"start", "mesh", "space", "assemble", "setup", "solve", "output"})
    if (report.phases.contains(name) || report.phases_by_rank.contains(name))
      names.emplace_back(name);
  for (const auto& [name, seconds] : report.phases)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

std::string where_the_time_went(const Report& report) {
  std::vector<Bar> bars;
  double known = 0;
  const auto add = [&](const std::string& name, double seconds) {
    const double part = report.wall_s > 0 ? 100 * seconds / report.wall_s : 0;
    bars.push_back({name, seconds, fmt::format("{} ({:.0f} %)", text_of_seconds(seconds), part)});
  };
  for (const std::string& name : phase_names(report)) {
    const auto found = report.phases.find(name);
    if (found == report.phases.end()) continue;
    add(name, found->second);
    known += found->second;
  }
  if (bars.empty()) return "";
  add("other", std::max(0., report.wall_s - known));
  return section("Where the time went", bar_chart(bars));
}

std::string solve_name(const Report& report, std::size_t i) {
  const bool named = i < report.solve_names.size() && !report.solve_names[i].empty();
  return named ? report.solve_names[i] : fmt::format("solve {}", i + 1);
}

/// "499,280 > 28,391 > 912 unknowns", or "" without multigrid.
std::string levels_line(const solver::SolveResult& solve) {
  std::string text;
  for (const solver::MultigridLevel& level : solve.levels)
    text += (text.empty() ? "" : " > ") + text_of_count(level.unknowns);
  return text.empty() ? text : text + " unknowns";
}

std::string convergence(const Report& report) {
  std::vector<Curve> curves;
  Table table({"solve", "method", "iterations", "true residual", "set-up", "solve", ""});
  for (std::size_t i = 0; i < report.solves.size(); ++i) {
    const solver::SolveResult& solve = report.solves[i];
    const std::string name = solve_name(report, i);
    if (curves.size() < most_curves && !solve.history.empty())
      curves.push_back({name, solve.history, static_cast<double>(std::max(1, solve.iterations))});
    table.add({escape_html(name),
               escape_html(
                   fmt::format("{} + {}, {}", solve.method, solve.preconditioner, solve.precision)),
               text_of_count(solve.iterations), fmt::format("{:.2e}", solve.true_relative_residual),
               text_of_seconds(solve.setup_s), text_of_seconds(solve.solve_s),
               verdict(solve.converged, solve.converged
                                            ? "converged"
                                            : fmt::format("{}: {}", solver::to_string(solve.reason),
                                                          solve.message))});
  }
  std::string text = curves.empty() ? "" : log_chart(curves, "iteration", "relative residual");
  text += table.html();
  if (report.unlisted_solves != 0)
    text += fmt::format("<p class=\"soft\">{} solves in between are not listed</p>\n",
                        report.unlisted_solves);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, report.solves.size()); ++i)
    if (!report.solves[i].choice.empty())
      text += fmt::format("<p class=\"soft\">{}: {}</p>\n", escape_html(solve_name(report, i)),
                          escape_html(report.solves[i].choice));
  if (!report.solves.empty() && !report.solves.front().levels.empty())
    text += fmt::format("<p class=\"soft\">multigrid levels: {}</p>\n",
                        escape_html(levels_line(report.solves.front())));
  return section("Convergence", text);
}

template <class T>
std::string imbalance(const std::string& what, const std::vector<T>& by_rank) {
  if (by_rank.size() < 2) return "";
  const auto total = static_cast<double>(std::accumulate(by_rank.begin(), by_rank.end(), T{}));
  const auto [least, most] = std::minmax_element(by_rank.begin(), by_rank.end());
  if (!(total > 0)) return "";
  return fmt::format("{} a rank: {} to {}, largest over mean {:.3f}. ", what,
                     text_of_value(static_cast<double>(*least)),
                     text_of_value(static_cast<double>(*most)),
                     static_cast<double>(*most) * static_cast<double>(by_rank.size()) / total);
}

std::string balance(const Report& report) {
  if (report.ranks < 2) return "";
  const std::vector<std::string> names = phase_names(report);
  std::vector<StackedRow> rows(static_cast<std::size_t>(report.ranks));
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r].name = fmt::format("rank {}", r);
  for (const std::string& name : names) {
    const auto found = report.phases_by_rank.find(name);
    if (found == report.phases_by_rank.end()) continue;
    parts.push_back(name);
    for (std::size_t r = 0; r < rows.size(); ++r)
      rows[r].values.push_back(r < found->second.size() ? found->second[r] : 0);
  }
  const auto total = [](const StackedRow& row) {
    return std::accumulate(row.values.begin(), row.values.end(), 0.);
  };
  for (StackedRow& row : rows) row.text = text_of_seconds(total(row));
  std::string text = "<p>" + imbalance("Cells", report.cells_by_rank) +
                     imbalance("Unknowns", report.dofs_by_rank) + "</p>\n";
  if (rows.size() > most_rank_rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const StackedRow& a, const StackedRow& b) { return total(a) > total(b); });
    rows.resize(most_rank_rows);
    text += fmt::format("<p class=\"soft\">The {} busiest of {} ranks:</p>\n", most_rank_rows,
                        report.ranks);
  }
  return section("Balance over ranks", text + (parts.empty() ? "" : stacked_chart(parts, rows)));
}

std::string memory(const Report& report) {
  std::vector<StackedRow> rows;
  for (const MemoryItem& item : report.memory) {
    const std::string device = item.device_peak == 0 ? "" : " + " + text_of_bytes(item.device_peak);
    rows.push_back({item.item,
                    {static_cast<double>(item.host_peak), static_cast<double>(item.device_peak)},
                    text_of_bytes(item.host_peak) + device});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const StackedRow& a, const StackedRow& b) {
    return a.values[0] + a.values[1] > b.values[0] + b.values[1];
  });
  if (rows.empty()) return "";
  return section("Memory at its peak, by item",
                 "<p class=\"soft\">Of the largest rank; items peak at different times.</p>\n" +
                     stacked_chart({"host", "device"}, rows));
}

std::string throughput(const Report& report) {
  if (!(report.stream_gb_s > 0 && report.spmv_gb_s > 0)) return "";
  const double part = 100 * report.spmv_gb_s / report.stream_gb_s;
  return section(
      "Memory bandwidth",
      bar_chart(
          {{"triad at start", report.stream_gb_s, fmt::format("{:.3g} GB/s", report.stream_gb_s)},
           {"matrix products", report.spmv_gb_s,
            fmt::format("{:.3g} GB/s ({:.0f} %)", report.spmv_gb_s, part)}}) +
          "<p class=\"soft\">All ranks together. Products count the bytes of matrix and vectors "
          "once; a matrix that fits into the cache can exceed the triad.</p>\n");
}

std::string results(const Report& report) {
  Table probes({"probe", "case", "of", "at [m]", "value", "region", "note"});
  for (const ProbeResult& one : report.probes)
    probes.add({escape_html(one.name), escape_html(one.load_case), escape_html(one.of),
                point(one.at), escape_html(text_of_values(one.values, one.components, one.unit)),
                escape_html(one.region), escape_html(one.note)});
  Table integrals({"integral", "case", "of", "on", "value"});
  for (const IntegralResult& one : report.integrals)
    integrals.add({escape_html(one.name), escape_html(one.load_case), escape_html(one.of),
                   escape_html(one.on),
                   escape_html(text_of_values(one.values, one.components, one.unit))});
  Table extremes({"result", "case", "minimum", "at node", "maximum", "at node"});
  for (const ExtremeResult& one : report.extremes)
    extremes.add({escape_html(one.of + (one.component.empty() ? "" : " " + one.component)),
                  escape_html(one.load_case), text_of_value(one.minimum),
                  fmt::format("{} {}", one.minimum_node, point(one.minimum_at)),
                  text_of_value(one.maximum),
                  fmt::format("{} {}", one.maximum_node, point(one.maximum_at))});
  return section("Probes", probes.html()) + section("Integrals", integrals.html()) +
         section("Extremes", extremes.html());
}

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

/// Modes with the part of the model's inertia that each carries along and about each axis.
std::string vibrations(const Report& report) {
  const ModalResult& modal = report.modal;
  if (modal.modes.empty()) return "";
  std::vector<std::string> heads{"mode", "frequency"};
  for (const std::string& motion : modal.motions) heads.push_back("of inertia " + motion);
  heads.push_back("mass at largest 1 m");
  heads.push_back("residual");
  Table table(heads);
  std::vector<Bar> bars;
  for (const ModeResult& mode : modal.modes) {
    const std::string frequency = escape_html(text_of_frequency(mode));
    std::vector<std::string> cells{std::to_string(mode.number), frequency};
    for (std::size_t k = 0; k < mode.effective_mass.size(); ++k)
      cells.push_back(percent(mode.effective_mass[k] / modal.inertia[k]));
    cells.push_back(text_of_value(mode.modal_mass) + " kg");
    cells.push_back(fmt::format("{:.1e}", mode.residual));
    table.add(cells);
    if (bars.size() < most_rank_rows)
      bars.push_back({fmt::format("mode {}", mode.number), mode.frequency_hz, frequency});
  }
  std::vector<std::string> sums{"all", ""};
  for (double part : modal.modes.back().cumulated_fraction) sums.push_back(percent(part));
  table.add(sums);
  std::string text = bar_chart(bars) + table.html();
  for (std::size_t k = 0; k < modal.motions.size(); ++k)
    text +=
        fmt::format("{}{}: {} {}", k == 0 ? "<p class=\"soft\">Inertia of the model along " : ", ",
                    modal.motions[k], text_of_value(modal.inertia[k]),
                    modal.motions[k].size() == 1 ? "kg" : "kg m&sup2;");
  text += fmt::format(
      "; rotations about the centre of mass, {} m. Mass matrix: {}. Shapes have x&prime;Mx = 1. {}"
      "</p>\n",
      point(modal.centre), escape_html(modal.mass),
      modal.complete ? "No mode below the last is missing: the negative pivots of K - xM are as "
                       "many as the modes."
      : modal.eigensolver == "lobpcg"
          ? "Modes were not counted; a second search found none that is lower."
          : "");
  return section("Free vibrations", text);
}

/// Starts and checkpoints of a run that made some.
std::string interruptions(const Report& report) {
  const RecoveryTotals totals = totals_of(report.starts);
  if (totals.saves + totals.failed_saves == 0 && report.starts.size() < 2) return "";
  std::string text = fmt::format(
      "<p>{} checkpoints of {} took {}{}. Of {} of work {} were lost and done again, {} of set-up "
      "repeated: goodput {:.1f} %, {:.3g} hours of ranks.</p>\n",
      totals.saves, text_of_bytes(static_cast<std::size_t>(report.checkpoint_bytes)),
      text_of_seconds(totals.save_s),
      totals.failed_saves > 0 ? fmt::format(", {} failed", totals.failed_saves) : "",
      text_of_seconds(totals.work_s), text_of_seconds(totals.lost_s),
      text_of_seconds(totals.repeated_s), 100 * totals.goodput(), totals.rank_hours);
  Table table({"start", "begun", "ranks", "from step", "saved step", "checkpoints", "worked",
               "lost", "end"});
  for (const StartResult& start : report.starts)
    table.add({std::to_string(start.number), escape_html(start.started),
               std::to_string(start.ranks), std::to_string(start.from_step),
               std::to_string(start.saved_step), std::to_string(start.saves),
               text_of_seconds(start.wall_s), text_of_seconds(start.lost_s),
               escape_html(start.end)});
  return section("Checkpoints and interruptions", text + table.html());
}

std::string what_ran(const Report& report) {
  std::string text = fmt::format("<p>{}{}{} in {} precision; {} nodes; memory: {}.</p>\n",
                                 escape_html(report.physics), report.model.empty() ? "" : ", ",
                                 escape_html(report.model), escape_html(report.precision),
                                 text_of_count(report.nodes), escape_html(report.memory_kind));
  for (const auto& [field, norm] : report.solution_l2)
    text += fmt::format("<p class=\"soft\">Euclidean norm of {}: {:.15g}</p>\n", escape_html(field),
                        norm);
  if (!report.results_path.empty())
    text += "<p class=\"soft\">Results: " + escape_html(report.results_path) + "</p>\n";
  Table table({"rank", "host", "device", "memory", "compute capability", "UUID"});
  for (const RankPlace& place : report.places)
    table.add({std::to_string(place.rank), escape_html(place.host), escape_html(place.device),
               place.device_memory == 0 ? "" : text_of_bytes(place.device_memory),
               escape_html(place.compute_capability), escape_html(place.uuid)});
  return section("What ran", text + table.html());
}

}  // namespace

std::string report_html(const Report& report) {
  return html_page(report.title.empty() ? report.case_file : report.title,
                   head(report) + cards(report) + what_was_expected(report) + warnings(report) +
                       vibrations(report) + where_the_time_went(report) + convergence(report) +
                       balance(report) + interruptions(report) + throughput(report) +
                       memory(report) + results(report) + what_ran(report));
}

}  // namespace trestle::io

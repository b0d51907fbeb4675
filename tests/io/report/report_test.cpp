// The report: the contract of report.json, a page that is well-formed and runs nothing, and a table
// that fits the terminal.
#include "io/report/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/report/charts.hpp"
#include "io/report/text.hpp"
#include "tests/readers/temporary_folder.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

using test::TemporaryFolder;
using test::world;

solver::SolveResult sample_solve(int iterations) {
  solver::SolveResult solve;
  solve.reason = solver::Reason::converged;
  solve.converged = true;
  solve.method = "cg";
  solve.preconditioner = "chebyshev";
  solve.precision = "mixed";
  solve.choice = "cg: symmetric";
  solve.iterations = iterations;
  solve.true_relative_residual = 6e-9;
  solve.levels = {{499280, 7339102}, {50885, 1650833}};
  for (int i = 0; i <= iterations; ++i) solve.history.push_back(std::pow(0.8, i));
  solve.setup_s = 0.4;
  solve.solve_s = 1.2;
  return solve;
}

Report sample_report() {
  Report report;
  report.status = "completed";
  report.case_file = "bracket.yaml";
  report.title = "Bracket under load";
  report.version = "0.1.0";
  report.physics = "elasticity";
  report.started = "2026-01-02T03:04:05Z";
  report.dofs = 499280;
  report.cells = 2883816;
  report.nodes = 166426;
  report.ranks = 2;
  report.device = "cpu";
  report.precision = "mixed";
  report.memory_kind = "unified";
  report.wall_s = 5.1;
  report.phases = {{"mesh", 1.0},  {"space", 0.1}, {"assemble", 0.4},
                   {"setup", 0.9}, {"solve", 1.2}, {"output", 0.3}};
  report.phases_by_rank = {{"mesh", {1.0, 0.9}}, {"solve", {1.2, 1.1}}};
  report.dofs_by_rank = {250000, 249280};
  report.cells_by_rank = {1441908, 1441908};
  report.solves = {sample_solve(60), sample_solve(85)};
  report.solve_names = {"gravity", "pressure"};
  report.solution_l2 = {{"displacement", 1.23}};
  report.peak_host_bytes = 900'000'000;
  report.memory = {{"matrix", 400'000'000, 0}, {"mesh", 90'000'000, 0}};
  report.stream_gb_s = 22;
  report.spmv_gb_s = 17.6;
  report.places = {{0, "node1", "cpu", "", "", 0}, {1, "node1", "cpu", "", "", 0}};
  report.probes = {{"gravity", "tip", "displacement", {0.1, 0, 0}, {0, -1.23e-4, 0}, "body", ""}};
  report.integrals = {{"gravity", "reaction", "reaction_force", "foot", {0, 9810, 0}}};
  report.probes[0].components = report.integrals[0].components = {"x", "y", "z"};
  report.probes[0].unit = "m";
  report.extremes = {{"gravity", "von_mises", "", 1e3, 2.5e8, {0, 0, 0}, {0.1, 0, 0}, 1, 77}};
  report.expectations = {{"probe tip y", -1.23e-4, -1.22e-4, 2e-6, true}};
  report.warnings = {"2 nodes have conflicting conditions"};
  report.results_path = "results/bracket/results.hdf";
  return report;
}

TEST(ReportJson, HasTheKeysOfTheContract) {
  const auto json = nlohmann::json::parse(report_json(sample_report()));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["dofs"], 499280);
  EXPECT_EQ(json["cells"], 2883816);
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["device"], "cpu");
  EXPECT_EQ(json["precision"], "mixed");
  EXPECT_EQ(json["wall_s"], 5.1);
  for (const char* phase : {"mesh", "space", "assemble", "setup", "solve", "output"})
    EXPECT_TRUE(json["phases"][phase].is_number()) << phase;
  const auto& solve = json["solves"].at(0);
  EXPECT_EQ(solve["method"], "cg");
  EXPECT_EQ(solve["preconditioner"], "chebyshev");
  EXPECT_EQ(solve["iterations"], 60);
  EXPECT_EQ(solve["converged"], true);
  EXPECT_EQ(solve["true_relative_residual"], 6e-9);
  EXPECT_EQ(solve["levels"][1]["unknowns"], 50885);
  EXPECT_EQ(solve["levels"][1]["entries"], 1650833);
  EXPECT_EQ(json["solution_l2"]["displacement"], 1.23);
  EXPECT_EQ(json["peak_host_bytes"], 900'000'000);
  EXPECT_EQ(json["peak_device_bytes"], 0);
  EXPECT_EQ(json["throughput"]["dofs_per_s"], 499280 * 2 / 5.1);
  EXPECT_EQ(json["throughput"]["stream_gb_s"], 22);
  EXPECT_EQ(json["throughput"]["spmv_gb_s"], 17.6);
}

Report modal_report() {
  Report report = sample_report();
  report.solves.clear();
  report.modal = {
      .mass = "consistent",
      .motions = {"x", "y", "rz"},
      .inertia = {4, 4, 2},
      .centre = {0.5, 0.25, 0},
      .shift = -1e-3,
      .choice = "a <reason>",
      .complete = true,
      .restarts = 2,
      .applications = 40,
      .factorisations = 3,
      .modes = {{1, 0, 1e-12, "translation x", 1e-15, 4, {2, 0, 0}, {4, 0, 0}, {1, 0, 0}},
                {2, 45.5, 81730.7, "", 3e-10, 1.5, {0, 1, 0}, {0, 1, 0}, {1, 0.25, 0}}}};
  return report;
}

TEST(ReportJson, TellsOfModes) {
  const auto json = nlohmann::json::parse(report_json(modal_report()));
  EXPECT_EQ(json["modal"]["motions"][2], "rz");
  EXPECT_EQ(json["modal"]["complete"], true);
  const auto& mode = json["modes"].at(1);
  EXPECT_EQ(mode["number"], 2);
  EXPECT_EQ(mode["frequency_hz"], 45.5);
  EXPECT_DOUBLE_EQ(mode["angular_frequency"].get<double>(), 285.8849314766711);
  EXPECT_EQ(mode["rigid"], false);
  EXPECT_EQ(json["modes"].at(0)["rigid"], true);
  EXPECT_EQ(json["modes"].at(0)["name"], "translation x");
  EXPECT_EQ(mode["effective_mass"][1], 1);
  EXPECT_EQ(mode["cumulated_fraction"][1], 0.25);
  EXPECT_FALSE(nlohmann::json::parse(report_json(sample_report())).contains("modes"));
}

TEST(ReportJson, ModesAreReadBackTheSame) {
  const TemporaryFolder folder(world());
  const Report report = modal_report();
  if (world().is_root()) {
    write_report(report, folder.path());
    const Report back = read_report(folder.path() + "/report.json");
    EXPECT_EQ(report_json(back), report_json(report));
    EXPECT_EQ(report_html(back), report_html(report));
    EXPECT_EQ(report_table(back), report_table(report));
  }
}

TEST(ReportTable, ShowsFrequenciesAndTheMassThatMoves) {
  const std::string table = report_table(modal_report());
  EXPECT_NE(table.find("translation x  100.0 %"), std::string::npos) << table;
  EXPECT_NE(table.find("45.5 Hz    0.0 %   25.0 %"), std::string::npos) << table;
  const std::string page = report_html(modal_report());
  EXPECT_NE(page.find("<td>45.5 Hz</td><td>0.0 %</td><td>25.0 %</td>"), std::string::npos);
}

TEST(ReportJson, IsReadBackTheSame) {
  const TemporaryFolder folder(world());
  if (!world().is_root()) return;
  const Report report = sample_report();
  write_report(report, folder.path());
  const Report back = read_report(folder / "report.json");
  EXPECT_EQ(report_json(back), report_json(report));
  EXPECT_EQ(report_html(back), report_html(report));
  EXPECT_EQ(report_table(back), report_table(report));
}

TEST(ReportJson, NumbersThatAreNoneBecomeNullAndComeBack) {
  const TemporaryFolder folder(world());
  if (!world().is_root()) return;
  Report report = sample_report();
  report.probes[0].values = {std::nan(""), 1, std::numeric_limits<double>::infinity()};
  report.solves[0].true_relative_residual = std::nan("");
  report.solution_l2["displacement"] = std::nan("");
  report.title = "bad UTF-8: \xff";
  const auto json = nlohmann::json::parse(report_json(report));  // throws where it is no JSON
  EXPECT_TRUE(json["probes"][0]["values"][0].is_null());
  EXPECT_TRUE(json["solves"][0]["true_relative_residual"].is_null());
  write_report(report, folder.path());
  const Report back = read_report(folder / "report.json");
  EXPECT_TRUE(std::isnan(back.probes[0].values[0]));
  EXPECT_EQ(back.probes[0].values[1], 1);
  EXPECT_TRUE(std::isnan(back.solution_l2.at("displacement")));
  EXPECT_NE(report_html(back).find("x -, y 1, z - m"), std::string::npos);
}

TEST(ReportJson, ListsTheFirstAndLastTwentySolves) {
  const TemporaryFolder folder(world());
  if (!world().is_root()) return;
  Report report = sample_report();
  report.solves.assign(1000, sample_solve(5));
  report.solves[19].iterations = 19;
  report.solves[980].iterations = 980;
  report.solves[0] = sample_solve(20000);
  const auto json = nlohmann::json::parse(report_json(report));
  ASSERT_EQ(json["solves"].size(), 40u);
  EXPECT_EQ(json["n_solves"], 1000);
  EXPECT_EQ(json["solves"][19]["iterations"], 19);
  EXPECT_EQ(json["solves"][20]["iterations"], 980);
  EXPECT_EQ(json["solves"][20]["number"], 980);
  const auto& history = json["solves"][0]["history"];
  EXPECT_EQ(history.size(), 500u);
  EXPECT_EQ(history.front(), 1);
  EXPECT_EQ(history.back(), report.solves[0].history.back());
  write_report(report, folder.path());
  EXPECT_EQ(unknowns_per_second(read_report(folder / "report.json")), 499280 * 1000 / 5.1);
}

TEST(ReportJson, OtherFilesAreRefused) {
  const TemporaryFolder folder(world());
  if (!world().is_root()) return;
  const auto code_of = [&](const std::string& text) {
    write_text_file(folder / "report.json", text);
    try {
      read_report(folder / "report.json");
    } catch (const Error& e) {
      return static_cast<int>(e.code());
    }
    return 0;
  };
  EXPECT_EQ(code_of("{"), 65);
  EXPECT_EQ(code_of("{\"schema\": 2}"), 65);
  EXPECT_EQ(code_of("[1]"), 65);
  EXPECT_EQ(code_of("{\"schema\": 1, \"dofs\": \"many\"}"), 65);
  EXPECT_EQ(code_of(std::string(100000, '[')), 65);
  EXPECT_EQ(code_of("{\"schema\": 1}"), 0);
}

/// Checks that tags close in order; void elements of the page are meta alone.
void expect_well_formed(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", tag[0] == '/' ? 1 : 0));
    if (tag[0] == '!' || name == "meta" || tag.back() == '/') continue;
    if (tag[0] != '/') {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty());
    EXPECT_EQ("/" + open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

TEST(ReportHtml, IsWellFormedSelfContainedAndShowsEverything) {
  const std::string html = report_html(sample_report());
  expect_well_formed(html);
  for (const char* part :
       {"Bracket under load", "499,280", "Where the time went", "Convergence", "gravity",
        "Balance over ranks", "Memory bandwidth", "matrix", "Probes", "Integrals", "Extremes",
        "Expectations", "Warnings", "What ran", "17.6 GB/s (80 %)"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  for (const char* part : {"<script", "src=", "http://", "https://", "@import", "url("})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST(ReportHtml, TextsOfTheCaseCannotRun) {
  const std::string evil = "<script>alert(1)</script>\"'&\x1b]0;x\a";
  Report report = sample_report();
  for (std::string* text : {&report.title,
                            &report.case_file,
                            &report.status,
                            &report.message,
                            &report.physics,
                            &report.model,
                            &report.device,
                            &report.precision,
                            &report.memory_kind,
                            &report.results_path,
                            &report.version,
                            &report.started,
                            &report.warnings[0],
                            &report.probes[0].name,
                            &report.probes[0].of,
                            &report.probes[0].region,
                            &report.probes[0].note,
                            &report.integrals[0].on,
                            &report.extremes[0].component,
                            &report.expectations[0].what,
                            &report.places[0].host,
                            &report.memory[0].item,
                            &report.solve_names[0],
                            &report.solves[0].method,
                            &report.solves[0].choice,
                            &report.solves[1].message})
    *text = evil;
  report.phases[evil] = 1;
  report.phases_by_rank[evil] = {1, 2};
  report.solution_l2[evil] = 1;
  report.solves[1].converged = false;
  const std::string html = report_html(report);
  expect_well_formed(html);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find('\x1b'), std::string::npos);
  const std::string table = report_table(report);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  EXPECT_EQ(table.find('\a'), std::string::npos);
}

TEST(ReportHtml, FailedAndEmptyRunsHaveAPage) {
  Report report;
  report.status = "failed";
  report.exit_code = 65;
  report.message = "bracket.msh:12: node 7 is missing";
  const std::string html = report_html(report);
  expect_well_formed(html);
  EXPECT_NE(html.find("node 7 is missing"), std::string::npos);
  EXPECT_EQ(html.find("Convergence"), std::string::npos);
  EXPECT_EQ(html.find("nan"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept(report_json(report)));
}

TEST(ReportTable, HasNoLineBeyondAHundredColumns) {
  Report report = sample_report();
  report.title = std::string(300, 'x');
  report.warnings = {"Träger " + std::string(200, 'y')};
  report.warnings.resize(30, "one more");
  std::istringstream lines(report_table(report));
  std::string line, all;
  while (std::getline(lines, line)) {
    EXPECT_LE(columns_of(line), 100u) << line;
    all += line + "\n";
  }
  for (const char* part : {"completed in 5.1 s", "499,280 unknowns", "ok     probe tip y",
                           "... and 22 more in report.html", "17.6 GB/s of 22 GB/s"})
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
}

TEST(ReportTable, LongRowsGoOnInTheNextLineWithNothingLost) {
  Report report = sample_report();
  IntegralResult stress{"", "volume_stress", "stress", "", {1.23456e-12, -2.54721, 15.8777}};
  for (const double value : {-5.36696e-12, -0.00334388, -24.1234}) stress.values.push_back(value);
  stress.components = {"xx", "yy", "zz", "xy", "yz", "xz"};
  stress.unit = "Pa m^3";
  report.integrals = {stress};
  report.warnings = {"a value " + std::string(80, 'y') + " is not plausible; take another one"};
  const std::string table = report_table(report);
  for (const char* part : {"  integrals    volume_stress, stress: xx 1.23456e-12, yy -2.54721, zz "
                           "15.8777, xy -5.36696e-12,\n"
                           "                 yz -0.00334388, xz -24.1234 Pa m^3\n",
                           " is\n                 not plausible; take another one\n"})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
}

TEST(ReportTable, PartsOfTheTimeSumUpAndMemoryNamesItsLargestItem) {
  Report report = sample_report();
  report.spmv_gb_s = 44;
  const std::string table = report_table(report);
  for (const char* part :
       {"other               1.2 s    24 %", "most of the host's for: matrix, 381 MiB",
        "44 GB/s of 22 GB/s (triad) in matrix products: the matrix fits the cache\n"})
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
}

TEST(ReportText, NumbersReadWell) {
  EXPECT_EQ(text_of_count(0), "0");
  EXPECT_EQ(text_of_count(-1234567), "-1,234,567");
  EXPECT_EQ(text_of_count(123), "123");
  EXPECT_EQ(text_of_seconds(252), "4 min 12 s");
  EXPECT_EQ(text_of_seconds(11220), "3 h 07 min");
  EXPECT_EQ(text_of_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(text_of_bytes(1536), "1.5 KiB");
  EXPECT_EQ(text_of_bytes(std::size_t{12} << 30), "12.0 GiB");
  EXPECT_EQ(text_of_values({1, 2, 3}), "(1, 2, 3)");
  EXPECT_EQ(text_of_values({1, 2}, {"x", "y"}, "m"), "x 1, y 2 m");
  EXPECT_EQ(text_of_values({1}, {""}, "K"), "1 K");
  EXPECT_EQ(text_of_values({1, 2}, {}, ""), "(1, 2)");
  EXPECT_EQ(wrapped("ä bc def", 4), (std::vector<std::string>{"ä bc", "def"}));
  EXPECT_EQ(wrapped("äöüäöü", 4), (std::vector<std::string>{"äöüä", "öü"}));
  EXPECT_EQ(clipped("Träger", 4), "Trä…");
  EXPECT_EQ(clipped("Träger", 6), "Träger");
}

TEST(ReportCharts, BarsAreInProportion) {
  const std::string chart = bar_chart({{"a", 2, "2 s"}, {"b", 1, "1 s"}, {"c", std::nan(""), "-"}});
  const auto width_of = [&](int n) {
    std::size_t at = 0;
    for (int i = 0; i <= n; ++i) at = chart.find("<rect", at + 1);
    return std::stod(chart.substr(chart.find(" width=\"", at) + 8));
  };
  EXPECT_GT(width_of(0), 100);
  EXPECT_DOUBLE_EQ(width_of(0), 2 * width_of(1));
  EXPECT_EQ(width_of(2), 0);
}

TEST(ReportCharts, DecadesOfALogChartAreEquallyFarApart) {
  const std::string chart = log_chart({{"r", {1, 0.1, 0.01, 0, std::nan("")}, 4}}, "x", "y");
  const std::size_t at = chart.find("points=\"") + 8;
  std::istringstream points(chart.substr(at, chart.find('"', at) - at));
  std::vector<double> x, y;
  char comma = 0;
  for (double a = 0, b = 0; points >> a >> comma >> b;) {
    x.push_back(a);
    y.push_back(b);
  }
  ASSERT_EQ(x.size(), 3u);                      // what has no logarithm is left out
  EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.11);  // printed with one digit
  EXPECT_GT(y[1], y[0]);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.11);
}

}  // namespace
}  // namespace trestle::io

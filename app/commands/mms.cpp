#include "app/commands/mms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/device_choice.hpp"
#include "app/make_mesh.hpp"
#include "app/march/march.hpp"
#include "app/measure.hpp"
#include "app/solve_static.hpp"
#include "app/state/run_control.hpp"
#include "io/files.hpp"
#include "io/report/order_study.hpp"
#include "physics/results/field_error.hpp"

namespace trestle::app {
namespace {

constexpr const char* header =
    "    unknowns          h [m]       step [s]       L2 error   relative    order";

bool is_transient(const io::Case& c) {
  return c.problem.analysis.type == physics::AnalysisType::transient;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ExitCode::usage, "mms: " + what); }

std::string refinement(const io::Case& c, const MmsArguments& arguments) {
  if (!arguments.refine.empty()) return arguments.refine;
  return is_transient(c) && arguments.meshes.empty() ? "both" : "space";
}

void check(const io::Case& c, const MmsArguments& arguments) {
  using physics::AnalysisType;
  const std::string& field = physics::find_description(c.problem.physics)->field;
  if (!c.exact)
    throw Error(ExitCode::case_file,
                fmt::format("{}: the key exact is missing: the solution that the case was made "
                            "from, as in exact: {{{}: EXPRESSION}}",
                            c.file, field));
  const AnalysisType type = c.problem.analysis.type;
  if (type != AnalysisType::static_ && type != AnalysisType::transient)
    refuse("the analysis must be static or transient");
  if (!c.problem.cases.empty()) refuse("a case with load cases has more than one solution");
  const std::string refined = refinement(c, arguments);
  if (refined != "space" && !is_transient(c))
    refuse(fmt::format("--refine {}: a static case has no steps to refine", refined));
  if (refined != "space" && c.problem.analysis.tolerance > 0)
    refuse("analysis.tolerance makes steps adapt themselves; without it they can be halved");
  if (refined != "space" && !arguments.meshes.empty())
    refuse("--mesh refines in space; take it without --refine, or with --refine space");
  if (refined != "time" && arguments.meshes.empty() && !c.mesh.box)
    refuse(
        fmt::format("the mesh {} is a file and cannot be refined: give finer ones, from coarse "
                    "to fine, by --mesh FILE --mesh FILE{}",
                    c.mesh.file, is_transient(c) ? ", or take --refine time" : ""));
  if (arguments.meshes.size() == 1)
    refuse("--mesh: one mesh shows no order; give two or more, from coarse to fine");
}

/// The case of a level: cells and steps halved `k` times, or the k-th mesh.
io::Case level_case(io::Case c, const MmsArguments& arguments, int k) {
  const std::string refined = refinement(c, arguments);
  if (!arguments.meshes.empty()) {
    c.mesh.box.reset();
    c.mesh.file = arguments.meshes[static_cast<std::size_t>(k)];
  } else if (refined != "time") {
    for (Index& cells : c.mesh.box->cells) cells = narrow<Index>(std::int64_t{cells} << k);
  }
  if (refined != "space") c.problem.analysis.step /= static_cast<double>(1 << k);
  c.output = {};
  if (is_transient(c)) c.output.times = {c.problem.analysis.end};
  c.expect.clear();
  return c;
}

std::vector<fem::Expression> exact_of(const io::Case& c, const physics::Analysis& field) {
  const auto n = static_cast<std::size_t>(field.n_components());
  if (c.exact->components.size() != n)
    throw CaseError(c.exact->where,
                    fmt::format("exact.{}: has {} components, the field on this mesh has {}",
                                c.exact_field, c.exact->components.size(), n));
  std::vector<fem::Expression> all;
  for (const auto& component : c.exact->components) all.push_back(*component);
  return all;
}

/// Keeps the error of the last state.
class ErrorSink : public StateSink {
 public:
  ErrorSink(const io::Case& c, const physics::Analysis& analysis)
      : of_heat_(analysis.heat() != nullptr &&
                 c.exact_field == analysis.heat()->description().field),
        field_(of_heat_ ? *analysis.heat() : analysis),
        exact_(exact_of(c, field_)) {}
  void add(const physics::State& state, double time) override {
    error_ = physics::field_error(field_, of_heat_ ? state.heat->u : state.u, exact_, time);
  }
  const physics::FieldError& error() const { return error_; }

 private:
  bool of_heat_;  // the temperature of thermoelasticity
  const physics::Analysis& field_;
  std::vector<fem::Expression> exact_;
  physics::FieldError error_;
};

/// Solves a level; its warnings go to `report`.
io::OrderLevel solve_level(const io::Case& c, const Comm& comm, const gpu::Device& device,
                           io::Report& report) {
  Timers timers;
  RunControl control(comm);
  Console quiet(comm, true);
  const auto mesh = make_mesh(comm, c.mesh);
  describe_mesh(*mesh, quiet, report);
  physics::Analysis analysis(device, mesh, c.problem);
  describe_analysis(analysis, quiet, report);
  ErrorSink sink(c, analysis);
  if (is_transient(c)) {
    march({c, analysis, timers, quiet, report, control, nullptr}, sink);
  } else {
    analysis.check_supports();
    sink.add(solve_static({c, analysis, timers, quiet, report, control, nullptr}).front(), 0);
  }
  return {.unknowns = report.dofs,
          .h = sink.error().cell_size,
          .step = is_transient(c) ? c.problem.analysis.step : 0,
          .error = sink.error().error,
          .exact_norm = sink.error().exact};
}

std::string row(const io::OrderLevel& level) {
  return fmt::format("{:12} {:14.6g} {:>14} {:14.6e} {:10.2e} {:>8}", level.unknowns, level.h,
                     level.step > 0 ? fmt::format("{:.6g}", level.step) : "-", level.error,
                     level.error / level.exact_norm,
                     level.order ? fmt::format("{:.3f}", *level.order) : "-");
}

std::string verdict(const io::OrderStudy& study) {
  const auto& order = study.levels.back().order;
  return fmt::format(
      "the order of the two finest levels is {}, {} the {:g} that --at-least asks for",
      order ? fmt::format("{:.3f}", *order) : "none as the error is rounding",
      study.met() ? "which reaches" : "which is below", *study.at_least);
}

void write(const MmsArguments& arguments, const io::OrderStudy& study) {
  if (!arguments.json.empty()) io::write_text_file(arguments.json, io::order_json(study));
  if (!arguments.html.empty()) io::write_text_file(arguments.html, io::order_html(study));
}

}  // namespace

ExitCode mms(const Comm& comm, const MmsArguments& arguments) {
  const io::Case c = io::read_case(comm, arguments.case_path, arguments.overrides);
  check(c, arguments);
  comm.agree([&] {
    if (!comm.is_root()) return;
    io::require_place(arguments.json, "--json");
    io::require_place(arguments.html, "--html");
  });
  Console console(comm);
  for (const std::string& warning : c.warnings) console.warning(warning);
  const gpu::Device device = choose_device(comm, c.run);
  io::OrderStudy study{.case_file = c.file,
                       .title = c.title,
                       .field = c.exact_field,
                       .refined = refinement(c, arguments),
                       .ranks = comm.size(),
                       .at_least = arguments.at_least};
  console.line(fmt::format("{}: error of the {}, refined in {}", c.file, study.field,
                           study.refined == "both" ? "space and time" : study.refined));
  console.line(header);
  const int n_levels =
      arguments.meshes.empty() ? arguments.levels : static_cast<int>(arguments.meshes.size());
  std::vector<std::string> told;
  for (int k = 0; k < n_levels; ++k) {
    io::Report report;
    study.add(solve_level(level_case(c, arguments, k), comm, device, report));
    console.line(row(study.levels.back()));
    for (const std::string& warning : report.warnings)
      if (std::find(told.begin(), told.end(), warning) == told.end()) {
        console.warning(warning);
        told.push_back(warning);
      }
  }
  comm.agree([&] {
    if (comm.is_root()) write(arguments, study);
  });
  if (study.at_least) console.line(verdict(study));
  return study.met() ? ExitCode::done : ExitCode::expectation;
}

}  // namespace trestle::app

#include "app/commands/check_case.hpp"

#include <fmt/format.h>

#include <memory>

#include "app/console.hpp"
#include "app/device_choice.hpp"
#include "app/evaluate.hpp"
#include "app/make_mesh.hpp"
#include "app/march/march.hpp"
#include "app/measure.hpp"
#include "app/memory_estimate.hpp"
#include "app/solve_cases.hpp"
#include "app/state/run_directory.hpp"
#include "physics/initial_state.hpp"

namespace trestle::app {
namespace {

/// The mistakes of steps that do not need each other.
class Findings {
 public:
  /// Runs a step, which fails with the same Error on all ranks or on none; false when it failed.
  template <class Step>
  bool take(Step step) {
    try {
      step();
      return true;
    } catch (const Error& e) {
      if (code_ == ExitCode::done) code_ = e.code();
      text_ += (text_.empty() ? "" : "\n") + std::string(e.what());
      return false;
    }
  }
  /// Throws every message with the code of the first; nothing when there is none.
  void raise() const {
    if (code_ != ExitCode::done) throw Error(code_, text_);
  }

 private:
  ExitCode code_ = ExitCode::done;
  std::string text_;
};

}  // namespace

ExitCode check_case(const Comm& comm, const RunArguments& arguments) {
  const io::Case c = read_case(comm, arguments);
  Console console(comm);
  for (const std::string& warning : c.warnings) console.warning(warning);
  const std::string directory = output_directory(c, arguments);
  io::Report report;
  Findings findings;
  std::shared_ptr<const mesh::Mesh> mesh;
  std::unique_ptr<const physics::Analysis> analysis;
  std::vector<const io::Probe*> outside;

  findings.take([&] { choose_device(comm, c.run); });
  findings.take([&] {
    check_directory(comm, {directory, output_place(c, arguments), arguments.overwrite, true});
  });
  const bool made = findings.take([&] {
    if (c.mesh.box)
      require_memory(
          comm, estimate_memory(c, counts_of(*c.mesh.box, c.mesh.order), comm.size()).until_mesh());
    mesh = make_mesh(comm, c.mesh);
  });
  if (made) {
    describe_mesh(*mesh, console, report);
    findings.take([&] { warn_of_unit(c, *mesh, console, report); });
    findings.take([&] {
      outside = probes_outside(c, *mesh);
      analysis = std::make_unique<physics::Analysis>(gpu::make_cpu_device(), mesh, c.problem,
                                                     output_mistakes(c, *mesh, outside));
    });
  }
  if (analysis != nullptr) {
    describe_analysis(*analysis, console, report);
    warn(outside_warnings(*mesh, outside), console, report);
    if (const std::string note = note_of_expected_times(c); !note.empty()) console.line(note);
    for (const physics::Analysis* field : {analysis->heat(), std::as_const(analysis).get()})
      if (field != nullptr)
        findings.take([&] {  // every load and initial value is finite
          for (std::size_t i = 0; i < field->n_cases(); ++i)
            field->external(i, field->constraints().prescribed());
          for (const physics::Condition& entry : field->problem().initial)
            physics::initial_field(*field, entry.type, 0);
        });
    // Only static analyses need supports.
    const bool held = c.problem.analysis.type != physics::AnalysisType::static_ ||
                      findings.take([&] { analysis->check_supports(); });
    if (held) findings.take([&] { warn(no_load_warnings(c, *analysis), console, report); });
    // Only PETSc knows its options, and most of them only while it sets up a preconditioner.
    if (held && !c.solver.petsc_options.empty())
      for (const physics::Analysis* field : {analysis->heat(), std::as_const(analysis).get()})
        if (field != nullptr) findings.take([&] { set_up_solver(c, *field); });
  }
  findings.raise();
  console.line(fmt::format("{}: the case is sound; it would write to {}", c.file, directory));
  return ExitCode::done;
}

}  // namespace trestle::app

#include "app/output.hpp"

#include <algorithm>

#include "app/measure.hpp"
#include "app/state/restart.hpp"
#include "app/write_results.hpp"

namespace trestle::app {
namespace {

/// 0 where the checkpoint has no such number.
std::int64_t whole_number(const Restart& restart, const std::string& name) {
  const auto found = restart.manifest.values.find(name);
  if (found == restart.manifest.values.end()) return 0;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? 0 : *number;
}

}  // namespace

WrittenStates written_states(const Restart* restart) {
  if (restart == nullptr) return {};
  return {narrow<int>(whole_number(*restart, "march.n_written")), restart->manifest.head.time,
          whole_number(*restart, "march.unwritten") != 0};
}

Output::Output(const io::Case& c, const physics::Analysis& analysis, const std::string& directory,
               int n_states, const Restart* restart, Console& console, io::Report& report)
    : case_(c),
      analysis_(analysis),
      report_(report),
      path_(directory + "/results.hdf"),
      points_(physics::make_result_points(analysis.mesh(), analysis.materials(),
                                          static_cast<int>(c.problem.materials.size()))),
      averages_(analysis, points_),
      evaluation_(c, analysis, points_),
      most_states_(n_states) {
  const Comm& comm = analysis.mesh().comm();
  io::ResultMesh mesh = make_result_mesh(analysis, points_);
  std::vector<io::ResultField> fields = result_fields(c, analysis.description());
  if (restart == nullptr) {
    writer_ = std::make_unique<io::ResultsWriter>(comm, path_, std::move(mesh), std::move(fields),
                                                  n_states);
    return;
  }
  io::ResultsResume resume{written_states(restart).n, ""};
  writer_ = std::make_unique<io::ResultsWriter>(comm, path_, std::move(mesh), std::move(fields),
                                                n_states, resume);
  report.results_path = path_;
  if (!resume.note.empty()) warn({resume.note}, console, report);
}

void Output::add(const physics::State& state, double value) {
  physics::Derived derived(averages_, state);
  evaluation_.add(state, derived, report_);
  writer_->write_step(state.name, value, field_values(case_, analysis_, points_, derived));
  report_.results_path = path_;
}

double Output::bytes_of(double n_states) const {
  int n_components = 0;
  for (const io::ResultField& field : result_fields(case_, analysis_.description()))
    n_components += field.components;
  return n_states * n_components * sizeof(double) * static_cast<double>(points_.map->n_global());
}

void Output::close() { writer_->close(); }

}  // namespace trestle::app

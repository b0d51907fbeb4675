#include "app/output.hpp"

#include "app/write_results.hpp"

namespace trestle::app {

Output::Output(const io::Case& c, const physics::Analysis& analysis, const std::string& directory,
               int n_states, io::Report& report)
    : case_(c),
      analysis_(analysis),
      report_(report),
      path_(directory + "/results.hdf"),
      points_(physics::make_result_points(analysis.mesh(), analysis.materials(),
                                          static_cast<int>(c.problem.materials.size()))),
      averages_(analysis, points_),
      evaluation_(c, analysis, points_),
      writer_(analysis.mesh().comm(), path_, make_result_mesh(analysis, points_),
              result_fields(c, analysis.description()), n_states) {}

void Output::add(const physics::State& state, double value) {
  physics::Derived derived(averages_, state);
  evaluation_.add(state, derived, report_);
  writer_.write_step(state.name, value, field_values(case_, analysis_, points_, derived));
  report_.results_path = path_;
}

void Output::close() { writer_.close(); }

}  // namespace trestle::app

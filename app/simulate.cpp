#include "app/simulate.hpp"

#include <algorithm>

#include "app/device_choice.hpp"
#include "app/evaluate.hpp"
#include "app/make_mesh.hpp"
#include "app/march/march.hpp"
#include "app/measure.hpp"
#include "app/memory_estimate.hpp"
#include "app/output.hpp"
#include "app/solve_harmonic.hpp"
#include "app/solve_modes.hpp"
#include "app/solve_static.hpp"
#include "core/free_memory.hpp"
#include "core/timers.hpp"
#include "gpu/stream_bandwidth.hpp"
#include "solver/blas_workspace.hpp"

namespace trestle::app {

bool simulate(const io::Case& given, const Comm& comm, RunControl& control,
              Checkpointer& checkpoints, Console& console, io::Report& report) {
  io::Case c = given;
  Timers timers;
  ResidentMemory resident;
  const std::string& directory = control.directory()->path();
  const physics::AnalysisType type = c.problem.analysis.type;
  const bool modal = type == physics::AnalysisType::modal;

  // 1. Where to work: memory enough, a device for each rank, and how fast its memory is.
  comm.agree(solver::take_blas_workspace);
  if (c.mesh.box) {
    const auto needed = [&](const io::Case& one) {
      return estimate_memory(one, counts_of(*c.mesh.box, c.mesh.order), comm.size());
    };
    choose_eigensolver(c, needed, comm, console, report);
    require_memory(comm, needed(c));
  }
  const gpu::Device device = [&] {
    const auto scope = timers.time("start");
    return choose_device(comm, c.run);
  }();
  if (device.kind() != gpu::DeviceKind::cpu) checkpoints.distrust_device();
  report.places = gather_places(comm, device);
  for (const std::string& line : place_lines(report.places, c.run)) console.line(line);
  report.stream_gb_s = [&] {
    const auto scope = timers.time("start");
    return comm.sum(gpu::measure_stream_bandwidth(device));
  }();

  // 2. The mesh: read or generated, partitioned, with a layer of ghost cells.
  control.enter("mesh");
  resident.begin_mesh();
  const std::shared_ptr<const mesh::Mesh> mesh = [&] {
    const auto scope = timers.time("mesh");
    return make_mesh(comm, c.mesh);
  }();
  resident.end_mesh(*mesh);
  describe_mesh(*mesh, console, report);
  warn_of_unit(c, *mesh, console, report);
  const auto still_needed = [&, counts = counts_of(*mesh)](const io::Case& one) {
    return estimate_memory(one, counts, comm.size()).beyond_mesh();
  };
  choose_eigensolver(c, still_needed, comm, console, report);
  require_memory(comm, still_needed(c));

  // 3. The discrete problem: unknowns, materials, constraints, loads.
  control.enter("space");
  std::vector<const io::Probe*> outside;
  const std::unique_ptr<physics::Analysis> analysis = [&] {
    const auto scope = timers.time("space");
    outside = probes_outside(c, *mesh);
    auto made = std::make_unique<physics::Analysis>(device, mesh, c.problem,
                                                    output_mistakes(c, *mesh, outside));
    if (type == physics::AnalysisType::static_) made->check_supports();
    return made;
  }();
  describe_analysis(*analysis, console, report);
  checkpoints.use_mesh(*mesh, analysis->n_dofs());
  warn(outside_warnings(*mesh, outside), console, report);
  if (const std::string note = note_of_expected_times(c); !note.empty()) console.line(note);

  // 4. The solution of every step of time or of load, of every load case or frequency; or the
  // modes.
  control.enter("solve");
  const MarchParts parts{c, *analysis, timers, console, report, control, &checkpoints};
  const WrittenStates written = written_states(checkpoints.restart());
  if (type == physics::AnalysisType::transient) {
    Output output(c, *analysis, directory, most_states(c, written), checkpoints.restart(), console,
                  report);
    checkpoints.expect_results(output.bytes_of(planned_states(c, written)));
    march(parts, output);
    output.close();
  } else if (writes_load_path(c)) {
    const int most = most_loads(c, written);
    Output output(c, *analysis, directory, most, checkpoints.restart(), console, report);
    checkpoints.expect_results(output.bytes_of(most - written.n));
    march_loads(parts, output);
    output.close();
  } else if (type == physics::AnalysisType::harmonic) {
    const int n_frequencies = static_cast<int>(c.problem.analysis.frequencies.size());
    Output output(c, *analysis, directory, n_frequencies, checkpoints.restart(), console, report);
    checkpoints.expect_results(output.bytes_of(n_frequencies - written.n));
    solve_harmonic(parts, output);
    output.close();
  } else {
    std::vector<physics::State> states =
        modal ? solve_modes(c, *analysis, control, timers, console, report) : solve_static(parts);
    give_back_free_memory();
    if (!states.empty()) record_norms(*analysis, states.front(), report);
    if (!states.empty() && !modal) record_flows(*analysis, states.front(), report);

    // 5. Results: fields at the points of the regions, probes, integrals, extremes.
    if (modal) control.set_loss(jobs::Loss::steps);  // modes have no checkpoint
    control.enter("output");
    const auto scope = timers.time("output");
    Output output(c, *analysis, directory, written.n + std::max(1, static_cast<int>(states.size())),
                  checkpoints.restart(), console, report);
    for (std::size_t s = 0; s < states.size(); ++s)
      output.add(states[s], modal ? report.modal.modes[s].frequency_hz : static_cast<double>(s));
    output.close();
  }

  // 6. The report: what it took, and whether the results are those that the case expects.
  control.close();
  gather_measures(comm, device, timers, resident, report);
  name_values(c, *analysis, report);
  return check_expectations(c, report);
}

}  // namespace trestle::app

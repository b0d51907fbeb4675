#include "app/simulate.hpp"

#include "app/device_choice.hpp"
#include "app/evaluate.hpp"
#include "app/make_mesh.hpp"
#include "app/measure.hpp"
#include "app/solve_cases.hpp"
#include "app/write_results.hpp"
#include "core/free_memory.hpp"
#include "core/timers.hpp"
#include "gpu/stream_bandwidth.hpp"
#include "io/results.hpp"

namespace trestle::app {

bool simulate(const io::Case& c, const Comm& comm, const std::string& directory, Console& console,
              io::Report& report) {
  Timers timers;

  // 1. Where to work: a device for each rank, and how fast its memory is.
  const gpu::Device device = choose_device(comm, c.run);
  report.places = gather_places(comm, device);
  for (const std::string& line : place_lines(report.places, c.run)) console.line(line);
  report.stream_gb_s = comm.sum(gpu::measure_stream_bandwidth(device));

  // 2. The mesh: read or generated, partitioned, with a layer of ghost cells.
  const std::shared_ptr<const mesh::Mesh> mesh = [&] {
    const auto scope = timers.time("mesh");
    return make_mesh(comm, c.mesh);
  }();
  describe_mesh(*mesh, console, report);

  // 3. The discrete problem: unknowns, materials, constraints, loads.
  const std::unique_ptr<const physics::Analysis> analysis = [&] {
    const auto scope = timers.time("space");
    auto made =
        std::make_unique<physics::Analysis>(device, mesh, c.problem, output_mistakes(c, *mesh));
    made->check_supports();
    return made;
  }();
  describe_analysis(*analysis, console, report);
  warn(outside_probes(c, *analysis), console, report);

  // 4. The matrix, the solver, and a solution for every load case.
  std::vector<physics::State> states = solve_cases(c, *analysis, timers, console, report);
  for (const physics::Combination& combination : c.problem.combinations)
    states.push_back(physics::combine(*analysis, combination, states));
  give_back_free_memory();
  record_norms(*analysis, states.front(), report);

  // 5. Results: fields at the points of the regions, probes, integrals, extremes.
  {
    const auto scope = timers.time("output");
    const physics::ResultPoints points = physics::make_result_points(
        *mesh, analysis->materials(), static_cast<int>(c.problem.materials.size()));
    physics::PointAverages averages(*analysis, points);
    const Evaluation evaluation(c, *analysis, points);
    io::ResultsWriter writer(comm, directory + "/results.hdf", make_result_mesh(*analysis, points),
                             result_fields(c, analysis->description()),
                             static_cast<int>(states.size()));
    for (std::size_t s = 0; s < states.size(); ++s) {
      physics::Derived derived(averages, states[s]);
      evaluation.add(states[s], derived, report);
      writer.write_step(states[s].name, static_cast<double>(s),
                        field_values(c, *analysis, points, derived));
    }
    writer.close();
    report.results_path = directory + "/results.hdf";
  }

  // 6. The report: what it took, and whether the results are those that the case expects.
  gather_measures(comm, device, timers, report);
  return check_expectations(c, report);
}

}  // namespace trestle::app

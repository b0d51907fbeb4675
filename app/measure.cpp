#include "app/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <sstream>

#include "mesh/quality.hpp"
#include "physics/model.hpp"
#include "physics/models/darcy.hpp"
#include "physics/models/transport.hpp"
#include "physics/results/flow_balance.hpp"

namespace trestle::app {
namespace {

constexpr std::array<const char*, 8> phase_names{"start", "mesh",  "space",  "assemble",
                                                 "setup", "solve", "output", "checkpoint"};

/// The longest mesh [m] whose unit is not doubted: what flows through the ground goes on for miles.
double longest_mesh(const physics::Problem& problem) {
  const bool is_ground =
      problem.physics == physics::darcy().name || problem.physics == physics::transport().name;
  return is_ground ? 1e4 : mesh::doubtful_length;
}

using Items = std::map<std::string, std::size_t>;

Items peaks_of(const gpu::MemoryAccount& account) {
  Items peaks;
  for (const auto& [item, entry] : account.items()) peaks[item] = entry.peak;
  return peaks;
}

/// Of each item the largest over ranks. Collective.
Items largest(const Comm& comm, const Items& items) {
  std::string text;
  for (const auto& [item, bytes] : items) text += fmt::format("{}\t{}\n", item, bytes);
  Items all;
  for (const std::string& part : comm.gather(text)) {
    std::istringstream lines(part);
    for (std::string item, bytes; std::getline(lines, item, '\t') && std::getline(lines, bytes);)
      all[item] = std::max<std::size_t>(all[item], std::stoull(bytes));
  }
  return all;
}

}  // namespace

void warn(const std::vector<std::string>& warnings, Console& console, io::Report& report) {
  for (const std::string& warning : warnings) {
    console.warning(warning);
    report.warnings.push_back(warning);
  }
}

void describe_mesh(const mesh::Mesh& mesh, Console& console, io::Report& report) {
  report.nodes = mesh.nodes->n_global();
  report.cells = mesh.n_cells_global;
  GlobalIndex owned_cells = 0;
  for (const mesh::CellBlock& block : mesh.cells)
    owned_cells += std::count(block.owned.begin(), block.owned.end(), 1);
  report.cells_by_rank = mesh.comm().all_gather(std::int64_t{owned_cells});
  warn(mesh.warnings, console, report);
  const auto [low, high] = mesh::bounding_box(mesh);
  console.line(fmt::format("mesh: {} nodes, {} cells, {}D, {:.4g} x {:.4g}{} m", report.nodes,
                           report.cells, mesh.dim, high[0] - low[0], high[1] - low[1],
                           mesh.dim == 3 ? fmt::format(" x {:.4g}", high[2] - low[2]) : ""));
}

void warn_of_unit(const io::Case& c, const mesh::Mesh& mesh, Console& console, io::Report& report) {
  if (c.mesh.box || c.mesh.states_scale) return;
  const double length = mesh::bounding_box(mesh).longest();
  if (!(length > longest_mesh(c.problem))) return;
  const std::string doubt = with_place(
      c.mesh.where, fmt::format("mesh.file: the mesh is {:.4g} m long: where its unit is not the "
                                "metre, write mesh.scale, as in scale: 1 mm; where it is, write "
                                "scale: 1 m, and this is not asked again",
                                length));
  if (c.run.strict) throw CaseError({doubt});
  warn({doubt}, console, report);
}

void describe_analysis(const physics::Analysis& analysis, Console& console, io::Report& report) {
  report.physics = analysis.description().name;
  report.model = physics::to_string(analysis.model());
  report.dofs = analysis.n_dofs();
  report.dofs_by_rank = analysis.mesh().comm().all_gather(
      std::int64_t{analysis.mesh().nodes->n_owned()} * analysis.n_unknowns());
  warn(analysis.warnings(), console, report);
  console.line(fmt::format("{}: {} unknowns, {}", report.physics, report.dofs, report.model));
}

void record_norms(const physics::Analysis& analysis, const physics::State& state,
                  io::Report& report) {
  if (state.heat) record_norms(*analysis.heat(), *state.heat, report);
  double sum = 0;
  const auto values = gpu::read(state.u.values());
  for (Offset i = 0; i < state.u.n_owned(); ++i) sum += values[i] * values[i];
  report.solution_l2[analysis.description().field] = std::sqrt(analysis.mesh().comm().sum(sum));
}

void record_flows(const physics::Analysis& analysis, const physics::State& state,
                  io::Report& report) {
  if (analysis.n_components() != 1) return;
  const physics::Flows flows = physics::steady_flows(analysis, 0, state.u);
  report.flows = {0, flows.loads, flows.supports, flows.carried, flows.imbalance()};
  report.flows_unit = analysis.description().rate_unit;
}

void gather_measures(const Comm& comm, const gpu::Device& device, const Timers& timers,
                     const ResidentMemory& resident, io::Report& report) {
  for (const char* phase : phase_names) {
    const auto found = timers.seconds().find(phase);
    const std::vector<double> by_rank =
        comm.all_gather(found == timers.seconds().end() ? 0.0 : found->second);
    report.phases_by_rank[phase] = by_rank;
    report.phases[phase] = *std::max_element(by_rank.begin(), by_rank.end());
  }
  report.peak_host_bytes = comm.max(peak_resident_bytes());
  report.peak_device_bytes = comm.sum(
      device.kind() == gpu::DeviceKind::cpu ? std::size_t{0} : device.account().total().peak);
  const bool on_host = device.kind() == gpu::DeviceKind::cpu;
  Items host = resident.items(device), on_device;
  for (const auto& [item, bytes] : peaks_of(device.host_account())) host[item] += bytes;
  for (const auto& [item, bytes] : peaks_of(device.account()))
    (on_host ? host : on_device)[item] += bytes;
  host = largest(comm, host);
  on_device = largest(comm, on_device);
  std::set<std::string> names;
  for (const auto& items : {host, on_device})
    for (const auto& [item, bytes] : items) names.insert(item);
  for (const std::string& name : names)
    report.memory.push_back({name, host[name], on_device[name]});
}

}  // namespace trestle::app

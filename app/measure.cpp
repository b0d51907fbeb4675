#include "app/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "physics/model.hpp"
#include "physics/results/flow_balance.hpp"

namespace trestle::app {
namespace {

constexpr std::array<const char*, 8> phase_names{"start", "mesh",  "space",  "assemble",
                                                 "setup", "solve", "output", "checkpoint"};

/// Lengths of the bounding box [m]. Collective.
std::array<double, 3> size_of(const mesh::Mesh& mesh) {
  std::array<double, 6> bounds;
  bounds.fill(std::numeric_limits<double>::lowest());
  for (std::size_t i = 0; i < mesh.coordinates.size(); ++i) {
    bounds[i % 3] = std::max(bounds[i % 3], mesh.coordinates[i]);
    bounds[3 + i % 3] = std::max(bounds[3 + i % 3], -mesh.coordinates[i]);
  }
  mesh.comm().max(std::span<double>(bounds));
  return {bounds[0] + bounds[3], bounds[1] + bounds[4], bounds[2] + bounds[5]};
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
  const std::array<double, 3> size = size_of(mesh);
  console.line(fmt::format("mesh: {} nodes, {} cells, {}D, {:.4g} x {:.4g}{} m", report.nodes,
                           report.cells, mesh.dim, size[0], size[1],
                           mesh.dim == 3 ? fmt::format(" x {:.4g}", size[2]) : ""));
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

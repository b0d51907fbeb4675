// What the report says of a run: sizes, times, memory, norms.
#pragma once

#include "app/console.hpp"
#include "app/resident_memory.hpp"
#include "core/timers.hpp"
#include "io/case/case.hpp"
#include "io/report/report.hpp"
#include "physics/state.hpp"

namespace trestle::app {

/// Prints sizes and warnings of the mesh, and puts them into the report. Collective.
void describe_mesh(const mesh::Mesh& mesh, Console& console, io::Report& report);
void describe_analysis(const physics::Analysis& analysis, Console& console, io::Report& report);

/// Prints warnings and puts them into the report.
void warn(const std::vector<std::string>& warnings, Console& console, io::Report& report);

/// Warns of a mesh file that is so long in metres that its unit is more likely another one, unless
/// the case states its scale; throws CaseError instead where it is strict. Collective.
void warn_of_unit(const io::Case& c, const mesh::Mesh& mesh, Console& console, io::Report& report);

/// Euclidean norm of the vector of nodal unknowns. Collective.
void record_norms(const physics::Analysis& analysis, const physics::State& state,
                  io::Report& report);

/// What flows through a body at rest with a scalar field, of its first load case. Collective.
void record_flows(const physics::Analysis& analysis, const physics::State& state,
                  io::Report& report);

/// One gather of times and memory of every rank. Collective.
void gather_measures(const Comm& comm, const gpu::Device& device, const Timers& timers,
                     const ResidentMemory& resident, io::Report& report);

}  // namespace trestle::app

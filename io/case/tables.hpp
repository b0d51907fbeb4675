// The keys of a case file: a table for each options struct, and the tree of all of them.
#pragma once

#include "core/option_table.hpp"
#include "io/case/case.hpp"
#include "physics/models/description.hpp"

namespace trestle::io {

const OptionTable<MeshOptions>& mesh_table();
const OptionTable<mesh::BoxOptions>& box_table();
const OptionTable<solver::SolverOptions>& solver_table();
const OptionTable<RunOptions>& run_table();
const OptionTable<StopOptions>& stop_table();
const OptionTable<WatchdogOptions>& watchdog_table();
const OptionTable<CheckpointOptions>& checkpoint_table();
const OptionTable<Probe>& probe_table();
const OptionTable<Expectation>& expectation_table();

/// These depend on the words of a physics; null stands for all physics.
OptionTable<physics::Problem> problem_table(const physics::Description* physics);
OptionTable<OutputOptions> output_table(const physics::Description* physics);

OptionTable<physics::AnalysisOptions> analysis_table(const physics::Description* physics);
const OptionTable<solver::NewtonOptions>& newton_table();
const OptionTable<physics::AnalysisOptions::Damping>& damping_table();
/// Of transient thermoelasticity, beside the keys of analysis_table.
const OptionTable<physics::AnalysisOptions>& coupling_table();
OptionInfo analysis_info(const physics::Description& physics);

/// A text by its name.
OptionInfo text_info(std::string name, std::string help, bool required = false);
/// The results that a physics has; null stands for all physics.
std::vector<std::string> result_words(const physics::Description* physics);

/// A field at time 0, a material parameter or a condition as an option.
OptionInfo initial_info(const physics::ParameterInfo& parameter);
OptionInfo material_info(const physics::ParameterInfo& parameter);
OptionInfo condition_info(const physics::ConditionInfo& condition);
/// Whether a condition is written `name: value`, not as a mapping of parameters.
bool is_plain(const physics::ConditionInfo& condition);

/// The fields that a case gives to multigrid.
OptionInfo near_null_info(const physics::Description& physics);

/// The known solution of a case.
OptionInfo exact_info(const physics::Description& physics);

/// The whole tree of keys for one physics.
OptionInfo case_info(const physics::Description& physics);

}  // namespace trestle::io

// The parts of a case, each read from its section; private to the case reader.
#pragma once

#include <string>
#include <vector>

#include "io/case/case.hpp"
#include "io/case/faults.hpp"
#include "io/case/yaml.hpp"
#include "physics/models/description.hpp"

namespace trestle::io {

/// Group names at `on`, which may be one text or a list; a name that comes twice is a fault.
std::vector<physics::GroupRef> read_groups(const YamlNode* on, Faults& faults);

/// The word of a kind of analysis.
std::string analysis_word(physics::AnalysisType type);

/// Whether the physics is of second order in time.
bool moves(const physics::Description& physics);
/// Whether it solves for a temperature and a displacement.
bool is_coupled(const physics::Description& physics);

/// Folder of the case file, where relative paths start.
std::string beside_case(const std::string& case_file, const std::string& path);

void read_mesh(const YamlNode& root, Case& c, Faults& faults);
void read_solver(const YamlNode& root, Case& c, Faults& faults);
/// Needs the physics: its unknown.
void read_near_null(const YamlNode& root, const physics::Description& physics, Case& c);
void read_stop(const YamlNode& root, Case& c);
void read_problem(const YamlNode& root, const physics::Description& physics, Case& c,
                  Faults& faults);
/// Needs the problem.
void read_analysis(const YamlNode& root, const physics::Description& physics, Case& c,
                   Faults& faults);
void read_output(const YamlNode& root, const physics::Description& physics, Case& c,
                 Faults& faults);
void read_checkpoint(const YamlNode& root, Case& c, Faults& faults);
/// Brings `checkpoint.every: {steps: 20}` to the text `20 steps`.
void flatten_checkpoint_rule(YamlNode& root);
void read_expectations(const YamlNode& root, const physics::Description& physics, Case& c,
                       Faults& faults);

/// Needs the analysis.
void read_exact(const YamlNode& root, const physics::Description& physics, Case& c, Faults& faults);

/// A warning that names every temperature of materials, conditions and initial values that has no
/// unit and was most likely meant in degC, also in tables; none where there is no such one.
std::vector<std::string> cold_temperatures(const YamlNode& root,
                                           const physics::Description& physics);

/// Warnings about values that are possible and unlikely, such as 210 for 210 GPa.
std::vector<std::string> implausible_values(const physics::Problem& problem);

/// The case as YAML with every default filled in and all values in SI.
std::string resolved_case(const Case& c, const physics::Description& physics,
                          const std::string& working_directory);

/// Whether t is the parameter of load steps: solids at rest whose laws are not linear.
bool has_load_steps(const physics::Description& physics, const physics::Problem& problem);

}  // namespace trestle::io

// What a physics offers to a case file: materials, conditions and results by name, with units and
// bounds. The case reader, the schema and the reference page are made from these tables.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "physics/analysis_options.hpp"

namespace trestle::physics {

/// One value of a material or condition.
struct ParameterInfo {
  std::string name;
  std::string unit;        // SI, as in a case file: "W/(m K)"; "" for a pure number
  int max_components = 1;  // 1: a scalar; 3: also a list of up to 3
  bool vector = false;     // a list with a component for each direction, or 0
  bool required = true;
  bool nullable = false;                // entries of a list may be null (a free component)
  bool constant = false;                // a plain number
  bool curve = false;                   // a list of pairs, each a pure number and a value in `unit`
  std::vector<std::string> words = {};  // one of these in place of a number
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;  // the bound itself is refused
  bool upper_open = false;
  bool of_time = false;         // an expression may use t
  bool of_temperature = false;  // an expression may use T
  std::string help;
};

struct Material;
/// A key of a material that is missing, or that is wrong beside the others.
struct MaterialMistake {
  std::string key;
  bool missing;
  std::string message;
};

/// What a condition may stand on.
struct Targets {
  bool cells = false;
  bool facets = false;
  bool edges = false;
  bool points = false;
};

/// A condition by name: `{on: GROUP, name: value}`, or `{on: GROUP, name: {a: ..., b: ...}}` when
/// it has several parameters. A parameter called "value" stands for the value itself.
struct ConditionInfo {
  std::string name;
  bool fixes_values;  // a constraint of the unknowns, else a load
  Targets targets;
  std::vector<ParameterInfo> parameters;
  std::string help;
};

/// A field that `output.fields` may name.
struct ResultInfo {
  std::string name;
  int components;  // 1, 3 (vector) or 6 (symmetric tensor, VTK order xx yy zz xy yz xz)
  std::string unit;
  bool one_sided;  // a value per region where regions meet
  std::string help;
  std::optional<AnalysisType> analysis = {};  // the only kind that has it; none: all
  bool flow = false;  // a vector per area: its integral over facets is what flows out
  bool by_weight = false;  // has no value without gravity
};

struct Description {
  std::string name;   // the word in `physics:`
  std::string field;  // primary field: "temperature", "displacement"
  std::string field_unit;
  std::string flow = {};               // what a scalar field drives: "heat"
  std::string amount_unit = {};        // of what it stores: "J"
  std::string rate_unit = {};          // of that per time: "W"
  std::vector<std::string> models_2d;  // allowed words of `model:` in 2D; the first is the default
  std::vector<ParameterInfo> material;
  std::vector<std::string> storage_keys = {};  // of a material, needed unless at rest
  /// Which keys fit together; `keys` are those that a material has, valid or not. Null: all do.
  std::vector<MaterialMistake> (*check_material)(const std::set<std::string>& keys,
                                                 const Material& material) = nullptr;
  std::vector<ConditionInfo> conditions;
  std::vector<ParameterInfo> initial;    // fields that a transient analysis starts from
  std::vector<AnalysisType> analyses;    // the first is the default
  std::vector<TimeScheme> time_schemes;  // of transient analyses; the first is the default
  std::vector<ResultInfo> results;       // the first is the primary field
  std::vector<std::string> default_results;
  std::string no_combinations = {};  // why load cases do not add up; "": they do
  std::string help;
};

/// All physics of this build, in the order of the reference page.
const std::vector<Description>& descriptions();
/// The physics called `name`, or null.
const Description* find_description(std::string_view name);

}  // namespace trestle::physics

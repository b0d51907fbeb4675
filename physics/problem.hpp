// The problem of a case file as data: materials, conditions, load cases, all values in SI.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "fem/expression.hpp"
#include "fem/operators/formulation.hpp"
#include "physics/analysis_options.hpp"

namespace trestle::physics {

/// A value of a case: one component for a scalar, up to 3 for a list; an empty entry is a free
/// component.
struct Value {
  std::vector<std::optional<fem::Expression>> components;
  SourcePosition where;
};
using Values = std::map<std::string, Value>;

/// A value over a pure number.
struct Curve {
  std::vector<std::array<double, 2>> points;
};

/// A group name with its place in the case file.
struct GroupRef {
  std::string name;
  SourcePosition where;
};

struct Material {
  std::string name;
  std::vector<GroupRef> on;  // cell groups; empty: every cell (allowed for one material alone)
  Values parameters;         // by ParameterInfo::name
  std::map<std::string, std::string> words;
  std::map<std::string, Curve> curves;
  SourcePosition where;
};

struct Condition {
  std::string type;  // ConditionInfo::name
  std::vector<GroupRef> on;
  Values parameters;
  SourcePosition where;
};

struct LoadCase {
  std::string name;
  std::vector<Condition> conditions;  // loads only: fixed values are the same for all cases
};

struct Combination {
  std::string name;
  std::map<std::string, double> factors;  // by load case
};

/// Fields that multigrid takes for those that the operator maps to about nothing.
struct NearNull {
  bool replace = false;       // instead of the constants or the rigid motions, else beside them
  std::vector<Value> fields;  // in x, y, z
  SourcePosition where;
};

enum class Model { three_d, plane_stress, plane_strain, plane, axisymmetric };

struct Problem {
  std::string physics;  // Description::name
  std::optional<std::string>
      model;  // the word of the case file; checked against the dimension of the mesh
  SourcePosition model_where;
  double thickness = 1;  // of plane models [m]
  SourcePosition thickness_where;
  std::array<double, 3> gravity{};                            // of fluids in porous media [m/s^2]
  fem::Formulation formulation = fem::Formulation::standard;  // of solids
  std::vector<Material> materials;
  std::vector<Condition> conditions;  // of every load case
  SourcePosition boundary;            // of the section of `conditions`, else of the case
  std::vector<LoadCase> cases;        // empty: one nameless case
  std::vector<Combination> combinations;
  AnalysisOptions analysis;
  std::vector<Condition> initial;  // fields at time 0; on no group: everywhere
  NearNull near_null;              // of the case, beside what the physics knows
};

}  // namespace trestle::physics

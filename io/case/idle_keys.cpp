#include "io/case/idle_keys.hpp"

#include <algorithm>

#include "io/case/parts.hpp"
#include "physics/materials.hpp"
#include "physics/models/thermoelasticity.hpp"
#include "physics/solid_materials.hpp"

namespace trestle::io {
namespace {

using physics::AnalysisType, physics::Material, physics::Problem;
using solver::Method, solver::Precision, solver::Preconditioner;

bool is_two_way(const Problem& problem) {
  return problem.physics == physics::thermoelasticity().name &&
         problem.analysis.type == AnalysisType::transient &&
         problem.analysis.coupling == physics::Coupling::two_way;
}

/// Whether a value of the material by T makes its equations non-linear. Moduli follow a temperature
/// that is known before the displacement, unless both are solved for at once.
bool follows_unknown(const Problem& problem, const Material& material) {
  const bool storage = problem.analysis.type == AnalysisType::transient;
  for (const auto& [name, value] : material.parameters) {
    const bool counts = is_two_way(problem) || name == "conductivity" ||
                        (storage && (name == "density" || name == "specific_heat"));
    for (const auto& component : value.components)
      if (counts && component && component->uses_temperature()) return true;
  }
  return false;
}

bool radiates(const std::vector<physics::Condition>& conditions) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [](const physics::Condition& entry) { return entry.type == "radiation"; });
}

/// Whether Newton's method has more to do than one correction.
bool iterates(const Problem& problem) {
  const AnalysisType type = problem.analysis.type;
  if (type == AnalysisType::modal || type == AnalysisType::harmonic) return false;
  if (problem.analysis.scheme == physics::TimeScheme::central_difference) return false;
  if (type == AnalysisType::transient && physics::melts(problem)) return true;
  if (is_two_way(problem) && problem.formulation != fem::Formulation::standard) return true;
  return radiates(problem.conditions) ||
         std::any_of(problem.cases.begin(), problem.cases.end(),
                     [](const auto& load_case) { return radiates(load_case.conditions); }) ||
         std::any_of(problem.materials.begin(), problem.materials.end(),
                     [&](const Material& material) {
                       return physics::law_of(material) != fem::Law::linear ||
                              follows_unknown(problem, material);
                     });
}

class IdleKeys {
 public:
  explicit IdleKeys(const Case& c) : case_(c), analysis_(c.problem.analysis) {
    find_in_solver();
    find_in_analysis();
    find_in_checkpoint();
  }
  std::vector<IdleKey> all;

 private:
  void add(const char* section, const std::vector<const char*>& keys, const std::string& why) {
    for (const char* key : keys) all.push_back({section, key, why});
  }

  /// Analyses that choose how their systems are solved.
  bool solves_its_own_way() const {
    return analysis_.type == AnalysisType::modal || analysis_.type == AnalysisType::harmonic ||
           is_explicit();
  }
  bool is_explicit() const {
    return analysis_.type == AnalysisType::transient &&
           analysis_.scheme == physics::TimeScheme::central_difference;
  }

  void find_in_solver() {
    if (case_.run.device == DeviceChoice::cpu && case_.run.memory != gpu::Memory::unified)
      add("solver", {"memory"}, "is of GPUs, and the device is cpu; leave it out");
    if (solves_its_own_way()) return find_in_unused_solver();
    const Method method = case_.solver.method;
    if (method == Method::direct)
      add("solver", {"max_iterations"}, "method direct does not iterate; leave it out");
    if (method != Method::automatic && method != Method::gmres)
      add("solver", {"restart"},
          std::string("is of GMRES, and the method is ") + solver::to_string(method) +
              (method == Method::petsc ? "; write petsc_options: -ksp_gmres_restart and a number"
                                       : "; leave it out"));
    const Preconditioner by = case_.solver.preconditioner;
    const bool without = by != Preconditioner::automatic && by != Preconditioner::amg;
    if (method == Method::direct || (method != Method::petsc && without))
      add("solver", {"near_null"},
          "is of multigrid, which this method does not take; leave it out");
    if (is_two_way(case_.problem) && case_.solver.preconditioner == Preconditioner::chebyshev)
      add("solver", {"preconditioner"},
          "coupling: two_way takes amg, jacobi or none for each field; leave it out");
  }

  void find_in_unused_solver() {
    const bool lobpcg = analysis_.eigensolver == physics::Eigensolver::lobpcg;
    const std::string why =
        is_explicit() ? "central_difference solves no system; leave it out"
        : lobpcg      ? "lobpcg takes its own multigrid, in double; leave it out"
                      : "a " + analysis_word(analysis_.type) +
                       " analysis factors its matrix by MUMPS, in double; leave it out";
    const bool direct = !is_explicit() && !lobpcg && case_.solver.method == Method::direct;
    if (case_.solver.method != Method::automatic && !direct) add("solver", {"method"}, why);
    if (case_.solver.preconditioner != Preconditioner::automatic)
      add("solver", {"preconditioner"}, why);
    if (case_.solver.precision != Precision::double_) add("solver", {"precision"}, why);
    if (is_explicit()) add("solver", {"tolerance"}, why);
    add("solver", {"near_null"}, why);
    add("solver", {"max_iterations", "restart"}, why);
  }

  void find_in_analysis() {
    const bool newton = iterates(case_.problem);
    if (!newton)
      add("analysis", {"newton"},
          is_explicit() ? "central_difference solves no system; leave it out"
                        : "everything here is linear, and nothing is iterated; leave it out");
    if (!newton && analysis_.type == AnalysisType::static_ && analysis_.load_steps > 1)
      add("analysis", {"load_steps"},
          "everything here is linear, and the whole load is applied at once; leave it out");
    if (analysis_.type == AnalysisType::static_)
      add("analysis", {"mass"}, "a static analysis has none; leave it out");
    if (analysis_.type == AnalysisType::harmonic && analysis_.points == 0)
      add("analysis", {"min_frequency", "max_frequency"},
          "goes with points; the list of frequencies needs none");
  }

  void find_in_checkpoint() {
    using Rule = CheckpointOptions::Rule;
    const bool never = case_.checkpoint.rule == Rule::never;
    if (analysis_.type == AnalysisType::modal) {
      const std::string why = "a modal analysis saves no checkpoints; leave it out";
      if (!never) add("checkpoint", {"every"}, why);
      return add("checkpoint", {"mean_time_to_interruption", "keep"}, why);
    }
    if (never) add("checkpoint", {"keep"}, "every: never saves none; leave it out");
    if (case_.checkpoint.rule != Rule::automatic)
      add("checkpoint", {"mean_time_to_interruption"}, "is for every: auto; leave it out");
  }

  const Case& case_;
  const physics::AnalysisOptions& analysis_;
};

}  // namespace

std::vector<IdleKey> idle_keys(const Case& c) { return IdleKeys(c).all; }

void refuse_idle_keys(const YamlNode& root, const Case& c, Faults& faults) {
  for (const IdleKey& idle : idle_keys(c)) {
    const YamlNode* section = root.find(idle.section);
    if (section == nullptr || !section->is_mapping()) continue;
    if (const YamlEntry* entry = section->find_entry(idle.key))
      faults.add(entry->where(), idle.section + "." + idle.key + ": " + idle.why);
  }
}

std::vector<std::string> idle_in(const std::vector<IdleKey>& idle, const std::string& section) {
  std::vector<std::string> keys;
  for (const IdleKey& one : idle)
    if (one.section == section) keys.push_back(one.key);
  return keys;
}

}  // namespace trestle::io

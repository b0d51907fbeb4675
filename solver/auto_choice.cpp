#include "solver/auto_choice.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/error.hpp"

namespace trestle::solver {
namespace {

using Kind = Stage::Kind;

/// Of matrices that are solved again and again, such as those of steps in time, unknowns in space
/// from which CG is tried before factors: what it saves below is not worth a less exact solution.
constexpr GlobalIndex iterative_from = 5'000;
/// Iterations that such a solve may take: factors have some 60 times the entries of a matrix of
/// 20,000 unknowns [George 1973], and a solve reads them twice.
constexpr int iterative_patience = 100;

/// Iterations after which multigrid counts as unfit for a matrix: where it fits, it takes tens.
constexpr int multigrid_patience = 300;
/// The same where a stream may carry what multigrid averages: what succeeds it then takes tens.
constexpr int streamed_multigrid_patience = 60;
constexpr int streamed_multigrid_trial = 15;

bool is_spd(const SystemFacts& facts) { return facts.symmetric && facts.positive_definite; }

std::string size_of(const SystemFacts& facts) {
  return std::to_string(facts.unknowns) + " unknowns in " + std::to_string(facts.dim) + "D";
}

Stage native(Method method, Preconditioner preconditioner, Precision precision, std::string why) {
  Stage stage;
  stage.method = method;
  stage.preconditioner = preconditioner;
  stage.precision = precision;
  stage.needs_positive_definite = method == Method::cg;
  stage.why = std::move(why);
  return stage;
}

Stage by_petsc(Kind kind, std::string why) {
  Stage stage;
  stage.kind = kind;
  stage.method = kind == Kind::direct ? Method::direct : Method::petsc;
  stage.preconditioner = Preconditioner::automatic;
  stage.why = std::move(why);
  return stage;
}

Stage direct(std::string why) { return by_petsc(Kind::direct, std::move(why)); }

/// Multigrid of PETSc and of hypre, for positive definite matrices.
void add_second_opinions(std::vector<Stage>& stages) {
  for (const Kind kind : {Kind::gamg, Kind::hypre}) {
    stages.push_back(by_petsc(kind, ""));
    stages.back().needs_positive_definite = true;
    stages.back().iteration_limit = multigrid_patience;
  }
}

Preconditioner preconditioner_for(const SolverOptions& options, Method method) {
  if (options.preconditioner != Preconditioner::automatic) return options.preconditioner;
  return method == Method::cg ? Preconditioner::amg : Preconditioner::jacobi;
}

/// The first choice for a positive definite matrix: the own CG, with its multigrid unless the
/// options name another preconditioner.
Stage own_cg(const SolverOptions& options, Precision precision, std::string why) {
  Stage stage =
      native(Method::cg, preconditioner_for(options, Method::cg), precision, std::move(why));
  if (stage.preconditioner == Preconditioner::amg) stage.iteration_limit = multigrid_patience;
  return stage;
}

/// Multigrid for an unsymmetric matrix whose symmetric part is positive definite, as that of
/// conduction by temperature is: it stands for the whole as long as the rest is small. Returns what
/// is left to say of the choice.
std::string add_multigrid_for_unsymmetric(std::vector<Stage>& stages, const SolverOptions& options,
                                          const SystemFacts& facts, Precision precision,
                                          const std::string& why) {
  if (facts.symmetric || !facts.positive_definite) return why;
  if (options.preconditioner != Preconditioner::automatic) return why;
  stages.push_back(native(Method::gmres, Preconditioner::amg, precision, why));
  stages.back().iteration_limit = streamed_multigrid_patience;
  stages.back().trial_iterations = streamed_multigrid_trial;
  return "";
}

/// Incomplete factors for what multigrid does not take: in a strong stream they carry what comes
/// from upstream through the mesh in one sweep. Returns what is left to say of the choice.
std::string add_incomplete_factors(std::vector<Stage>& stages, const SolverOptions& options,
                                   const SystemFacts& facts, const std::string& why) {
  if (facts.symmetric || options.preconditioner != Preconditioner::automatic) return why;
  stages.push_back(by_petsc(Kind::ilu, why));
  return "";
}

/// The own methods with block Jacobi for a matrix that is not symmetric positive definite: short
/// recurrences first where it is symmetric, then what minimises over all vectors; BiCGStab where
/// restarts have made that stagnate.
void add_own_for_others(std::vector<Stage>& stages, const SolverOptions& options, bool symmetric,
                        Precision precision, const std::string& why) {
  std::string reason = why;
  const std::array<Method, 2> methods = symmetric ? std::array{Method::minres, Method::gmres}
                                                  : std::array{Method::gmres, Method::bicgstab};
  for (const Method method : methods)
    stages.push_back(
        native(method, preconditioner_for(options, method), precision, std::exchange(reason, "")));
}

/// For a matrix on which CG has met a direction of no or negative energy.
void add_own_if_indefinite(std::vector<Stage>& stages, const SolverOptions& options,
                           Precision precision) {
  const std::size_t before = stages.size();
  add_own_for_others(stages, options, true, precision, "");
  for (std::size_t i = before; i < stages.size(); ++i) stages[i].only_if_indefinite = true;
}

std::string first_reason(const SolverOptions& options, const SystemFacts& facts) {
  std::string why = is_spd(facts)     ? "symmetric positive definite"
                    : facts.symmetric ? "symmetric, not positive definite"
                                      : "not symmetric";
  if (options.precision != Precision::double_)
    why += ", precision " + std::string(to_string(options.precision)) + " asked for";
  else if (facts.on_gpu)
    why += facts.debug ? ", on the debug device" : ", on a GPU";
  return why + ", " + size_of(facts);
}

/// `auto` in double on the cpu.
std::vector<Stage> host_stages(const SolverOptions& options, const SystemFacts& facts) {
  std::vector<Stage> stages;
  const std::string why = first_reason(options, facts);
  if (facts.unknowns <= direct_limit(facts.dim)) {
    const bool iterates =
        is_spd(facts) && facts.again && facts.dim == 3 && facts.unknowns >= iterative_from;
    if (iterates) {
      stages.push_back(native(Method::cg, preconditioner_for(options, Method::gmres),
                              Precision::double_,
                              why + ", solved again and again: CG where a mass lets it be quick"));
      stages.back().iteration_limit = iterative_patience;
    }
    stages.push_back(direct(iterates ? "" : why + ", small enough for direct"));
    if (is_spd(facts))
      stages.push_back(own_cg(options, Precision::double_, ""));
    else
      add_own_for_others(stages, options, facts.symmetric, Precision::double_, "");
    return stages;
  }
  if (is_spd(facts)) {
    stages.push_back(own_cg(options, Precision::double_, why + ", too large for direct"));
    add_second_opinions(stages);
    add_own_if_indefinite(stages, options, Precision::double_);
  } else {
    constexpr auto precision = Precision::double_;
    std::string reason = add_multigrid_for_unsymmetric(stages, options, facts, precision, why);
    reason = add_incomplete_factors(stages, options, facts, reason);
    add_own_for_others(stages, options, facts.symmetric, precision, reason);
  }
  stages.push_back(direct(""));
  return stages;
}

/// `auto` on a GPU or its stand-in, or in less than double: native first.
std::vector<Stage> device_stages(const SolverOptions& options, const SystemFacts& facts) {
  std::vector<Stage> stages;
  const auto add_own = [&](Precision precision, const std::string& why) {
    if (is_spd(facts)) {
      stages.push_back(own_cg(options, precision, why));
    } else {
      const std::string rest =
          add_multigrid_for_unsymmetric(stages, options, facts, precision, why);
      add_own_for_others(stages, options, facts.symmetric, precision, rest);
    }
  };
  add_own(options.precision, first_reason(options, facts));
  if (options.precision == Precision::single) {
    if (is_spd(facts)) add_own_if_indefinite(stages, options, Precision::single);
    return stages;
  }
  if (options.precision == Precision::mixed) add_own(Precision::double_, "");
  if (is_spd(facts)) add_second_opinions(stages);
  add_incomplete_factors(stages, options, facts, "");
  stages.push_back(direct(""));
  return stages;
}

/// A method that the options name.
std::vector<Stage> named_stages(const SolverOptions& options) {
  if (options.method == Method::direct) return {direct("")};
  if (options.method == Method::petsc) return {by_petsc(Kind::petsc, "")};
  const Preconditioner preconditioner = preconditioner_for(options, options.method);
  std::vector<Stage> stages = {native(options.method, preconditioner, options.precision, "")};
  if (options.precision == Precision::mixed)
    stages.push_back(native(options.method, preconditioner, Precision::double_, ""));
  return stages;
}

void refuse_contradictions(const SolverOptions& options) {
  std::vector<std::string> faults;
  const std::string method = to_string(options.method);
  const bool by_petsc = options.method == Method::petsc || options.method == Method::direct;
  if (by_petsc && options.precision != Precision::double_)
    faults.push_back("solver.precision: method " + method + " works in double, not in " +
                     to_string(options.precision) + "; take precision double or method cg");
  if (by_petsc && options.preconditioner != Preconditioner::automatic)
    faults.push_back("solver.preconditioner: method " + method +
                     " takes no preconditioner here; remove it (petsc_options has -pc_type)");
  if (options.method != Method::petsc && !options.petsc_options.empty())
    faults.push_back("solver.petsc_options: only method petsc takes them, the method is " + method);
  if (options.precision == Precision::single && options.tolerance < 1e-5)
    faults.push_back("solver.tolerance: single precision does not reach " +
                     fmt::format("{:g}", options.tolerance) +
                     "; take 1e-5 or more, or precision mixed");
  if (!(options.tolerance > 0 && options.tolerance < 1))
    faults.push_back("solver.tolerance: must lie between 0 and 1");
  if (options.max_iterations < 1) faults.push_back("solver.max_iterations: must be 1 or more");
  if (options.restart < 1) faults.push_back("solver.restart: must be 1 or more");
  if (!faults.empty()) throw CaseError(faults);
}

}  // namespace

GlobalIndex direct_limit(int dim) { return dim == 3 ? 20'000 : 100'000; }

std::vector<Stage> stages_for(const SolverOptions& options, const SystemFacts& facts) {
  refuse_contradictions(options);
  if (options.method != Method::automatic) return named_stages(options);
  if (options.precision == Precision::double_ && !facts.on_gpu) return host_stages(options, facts);
  return device_stages(options, facts);
}

std::vector<Stage> lighter_stages(const Stage& stage) {
  std::vector<Stage> stages;
  const auto add = [&](Method method, Preconditioner preconditioner, Precision precision) {
    Stage lighter = native(method, preconditioner, precision, "");
    lighter.needs_positive_definite = stage.needs_positive_definite;
    stages.push_back(lighter);
  };
  if (stage.kind != Kind::native) return stages;
  if (stage.preconditioner != Preconditioner::amg) return stages;
  if (stage.precision == Precision::double_)
    add(stage.method, Preconditioner::amg, Precision::mixed);
  add(stage.method, Preconditioner::jacobi, stage.precision);
  return stages;
}

}  // namespace trestle::solver

// What is tried for a linear system, in order, and why.
#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"
#include "gpu/device.hpp"
#include "solver/options.hpp"

namespace trestle::solver {

/// What the choice depends on; never on timing.
struct SystemFacts {
  bool symmetric = true;
  bool positive_definite = true;  // of a matrix that is not symmetric: its symmetric part
  int dim = 3;
  GlobalIndex unknowns = 0;
  bool on_gpu = false;  // device kinds cuda and debug
  bool again = false;   // the same matrix, or ones like it, will be solved many times
  bool debug = false;   // the device is debug
};

/// Unknowns up to which the factors of a matrix are cheaper than a hierarchy: their fill grows as
/// n log n in the plane, as n^(4/3) in space [George 1973; Davis 2006, ch. 7].
GlobalIndex direct_limit(int dim);

/// One way to solve.
struct Stage {
  enum class Kind { native, gamg, hypre, ilu, petsc, direct };
  Kind kind = Kind::native;
  Method method = Method::cg;                           // of native
  Preconditioner preconditioner = Preconditioner::amg;  // of native
  Precision precision = Precision::double_;             // what it works in
  bool needs_positive_definite = false;  // skipped once a matrix has shown that it is not
  bool only_if_indefinite = false;       // tried only then
  int iteration_limit = 0;               // besides the one of the options; 0 for none
  int trial_iterations = 0;  // of GMRES, after which its pace must promise that the limit will do
  std::string why;           // for SolveResult::choice
};

/// The first stage is what the options ask for; the others are what is tried when the ones before
/// fail. A method named in the options has no successor, but for `mixed`, which returns to a
/// preconditioner in double. Throws CaseError (78) for options that do not fit each other.
std::vector<Stage> stages_for(const SolverOptions& options, const SystemFacts& facts);

/// What is tried for a matrix whose `stage` found no memory for its preconditioner: the same with a
/// preconditioner in float, then one that takes next to nothing. Empty where nothing is lighter.
std::vector<Stage> lighter_stages(const Stage& stage);

}  // namespace trestle::solver

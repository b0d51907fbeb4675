#include "solver/options.hpp"

namespace trestle::solver {

const char* to_string(Reason reason) {
  switch (reason) {
    case Reason::converged:
      return "converged";
    case Reason::converged_backward:
      return "converged_backward";
    case Reason::zero_right_side:
      return "zero_right_side";
    case Reason::max_iterations:
      return "max_iterations";
    case Reason::stagnated:
      return "stagnated";
    case Reason::too_slow:
      return "too_slow";
    case Reason::not_positive_definite:
      return "not_positive_definite";
    case Reason::not_a_number:
      return "not_a_number";
    case Reason::breakdown:
      return "breakdown";
    case Reason::singular:
      return "singular";
    case Reason::preconditioner_failed:
      return "preconditioner_failed";
  }
  return "unknown";
}

const char* to_string(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::cg:
      return "cg";
    case Method::minres:
      return "minres";
    case Method::gmres:
      return "gmres";
    case Method::bicgstab:
      return "bicgstab";
    case Method::petsc:
      return "petsc";
    case Method::direct:
      return "direct";
  }
  return "unknown";
}

const char* to_string(Precision precision) {
  switch (precision) {
    case Precision::double_:
      return "double";
    case Precision::mixed:
      return "mixed";
    case Precision::single:
      return "single";
  }
  return "unknown";
}

}  // namespace trestle::solver

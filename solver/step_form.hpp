// StepForm: what a time scheme makes of the rates in the equations at the end of a step.
#pragma once

#include "solver/vector.hpp"

namespace trestle::solver {

/// F(t, u) + c - M (a u + h) - K (b u + k) = 0: M is a mass or capacity, K the stiffness at rest, c
/// forces carried over from the step before. Null vectors are 0; vectors outlive the use of the
/// form, their ghosts are up to date.
struct StepForm {
  double mass_factor = 0;                            // a
  const Vector<double>* mass_offset = nullptr;       // h
  double stiffness_factor = 0;                       // b
  const Vector<double>* stiffness_offset = nullptr;  // k
  const Vector<double>* carried = nullptr;           // c, owned entries
};

}  // namespace trestle::solver

// StepForm: what a time scheme makes of the rates in the equations at the end of a step.
#pragma once

#include "solver/matrix/vector.hpp"

namespace trestle::solver {

/// F(t, u) + c - M (a u + h) - (a w(u) + g) - K (b u + k) = 0: M is a mass or capacity, w what is
/// stored beside M u, or in its place, and not linear in u, K the stiffness at rest, c forces
/// carried over from the step before. Null vectors are 0; vectors outlive the use of the form,
/// their ghosts are up to date but for those of g and c.
struct StepForm {
  double mass_factor = 0;                            // a
  const Vector<double>* mass_offset = nullptr;       // h
  double stiffness_factor = 0;                       // b
  const Vector<double>* stiffness_offset = nullptr;  // k
  const Vector<double>* carried = nullptr;           // c, owned entries
  const Vector<double>* content_offset = nullptr;    // g, owned entries
};

}  // namespace trestle::solver

// What a case may say about the solution of non-linear equations.
#pragma once

namespace trestle::solver {

/// Newton's method stops when ||r|| <= tolerance * size of the forces and, where it took more than
/// one iteration, ||du|| <= increment_tolerance * ||u||; or when corrections change no more than
/// the last digits of u, which is what tolerances of 0 ask for. Forces and u are those of the
/// present iterate or of the last solution, whichever are larger.
struct NewtonOptions {
  double tolerance = 1e-8;
  double increment_tolerance = 1e-6;
  int max_iterations = 25;
  bool line_search = true;
};

}  // namespace trestle::solver

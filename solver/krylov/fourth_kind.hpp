// The recurrence of Chebyshev polynomials of the fourth kind, step by step.
#pragma once

namespace trestle::solver {

/// Step i, counted from 0, moves by keep d + add / lambda_max D^-1 r from the direction d before it
/// and the residual r [Lottes 2023, Numer. Linear Algebra Appl. 30:e2518, algorithm 3]; step 0 has no
/// direction before it.
struct FourthKindStep {
  double keep;
  double add;  // but for 1 / lambda_max
};
constexpr FourthKindStep fourth_kind_step(int i) {
  return {i == 0 ? 0 : (2.0 * i - 1) / (2.0 * i + 3), (8.0 * i + 4) / (2.0 * i + 3)};
}

}  // namespace trestle::solver

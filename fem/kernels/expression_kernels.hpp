// The kernels of expressions: the interpreter, for values and for values with a slope.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "fem/expression.hpp"
#include "gpu/view.hpp"

namespace trestle::fem::postfix {

using Op = Expression::Op;
using Instruction = Expression::Instruction;

/// e^x to one unit in the last place: x = k ln 2 + r, the series of e^r, times 2^k [Muller 2016,
/// sec. 11.1]. Written out because libm's is a call for each point, which keeps loops from running
/// in vector lanes, and because with its own fused products it has the same bits everywhere.
TRESTLE_KERNEL inline double exponential(double x) {
  constexpr double log2_e = 0x1.71547652b82fep0;
  constexpr double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
  constexpr double shift = 0x1.8p52;  // adding it rounds to an integer, in the lowest bits
  constexpr double bias = 1023;
  x = x < -750 ? -750 : x;  // beyond the range of doubles on both sides
  x = x > 750 ? 750 : x;
  const double k = std::fma(x, log2_e, shift) - shift;
  const double r = std::fma(-k, ln2_low, std::fma(-k, ln2_high, x));
  // From 1/13! on, as the next term is below 5e-18. Terms are written out, since GCC does not take
  // a loop within the loop over points into vector lanes.
  double sum = std::fma(1.0 / 6227020800, r, 1.0 / 479001600);
  sum = std::fma(sum, r, 1.0 / 39916800);
  sum = std::fma(sum, r, 1.0 / 3628800);
  sum = std::fma(sum, r, 1.0 / 362880);
  sum = std::fma(sum, r, 1.0 / 40320);
  sum = std::fma(sum, r, 1.0 / 5040);
  sum = std::fma(sum, r, 1.0 / 720);
  sum = std::fma(sum, r, 1.0 / 120);
  sum = std::fma(sum, r, 1.0 / 24);
  sum = std::fma(sum, r, 1.0 / 6);
  sum = std::fma(sum, r, 0.5);
  const double e = 1 + std::fma(r * r, sum, r);
  const double half = (0.5 * k + shift) - shift;  // 2^k in two factors, as k passes 1023
  const auto power_of_two = [](double n) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(n + (shift + bias)) << 52);
  };
  return e * power_of_two(half) * power_of_two(k - half);
}

TRESTLE_KERNEL inline double apply(Op op, double a) {
  switch (op) {
    case Op::negate:
      return -a;
    case Op::logical_not:
      return a == 0 ? 1 : 0;
    case Op::abs:
      return std::fabs(a);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return exponential(a);
    case Op::log:
      return std::log(a);
    case Op::log10:
      return std::log10(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    case Op::sign:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    default:  // step; NaN stays NaN
      return a >= 0 ? 1 : a < 0 ? 0 : a;
  }
}

TRESTLE_KERNEL inline double apply(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:  // the square is the one that is often asked for
      return b == 2 ? a * a : std::pow(a, b);
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::greater:
      return a > b;
    case Op::greater_equal:
      return a >= b;
    case Op::equal:
      return a == b;
    case Op::not_equal:
      return a != b;
    case Op::logical_and:
      return a != 0 && b != 0;
    case Op::logical_or:
      return a != 0 || b != 0;
    case Op::atan2:
      return std::atan2(a, b);
    case Op::min:  // a NaN on either side stays: fmin would hide it
      return a <= b || a != a ? a : b;
    case Op::max:
      return a >= b || a != a ? a : b;
    default:
      return std::hypot(a, b);
  }
}

TRESTLE_KERNEL inline bool is_binary(Op op) {
  return op <= Op::power || (op >= Op::less && op <= Op::logical_or) || op == Op::atan2 ||
         op == Op::min || op == Op::max || op == Op::hypot;
}

TRESTLE_KERNEL inline bool is_true(double a) { return a != 0; }

/// A value with its derivative by the temperature.
struct Dual {
  double value = 0, slope = 0;
  Dual() = default;
  TRESTLE_KERNEL explicit Dual(double v, double s = 0) : value(v), slope(s) {}
};
TRESTLE_KERNEL inline bool is_true(const Dual& a) { return a.value != 0; }

/// d apply(op, a) / da.
TRESTLE_KERNEL inline double derivative(Op op, double a) {
  switch (op) {
    case Op::negate:
      return -1;
    case Op::abs:
      return a < 0 ? -1 : 1;
    case Op::sqrt:
      return 0.5 / std::sqrt(a);
    case Op::exp:
      return exponential(a);
    case Op::log:
      return 1 / a;
    case Op::log10:
      return 0.43429448190325182765 / a;
    case Op::sin:
      return std::cos(a);
    case Op::cos:
      return -std::sin(a);
    case Op::tan:
      return 1 / (std::cos(a) * std::cos(a));
    case Op::asin:
      return 1 / std::sqrt(1 - a * a);
    case Op::acos:
      return -1 / std::sqrt(1 - a * a);
    case Op::atan:
      return 1 / (1 + a * a);
    case Op::sinh:
      return std::cosh(a);
    case Op::cosh:
      return std::sinh(a);
    case Op::tanh:
      return 1 - std::tanh(a) * std::tanh(a);
    default:  // logical_not, floor, ceil, sign, step
      return 0;
  }
}

TRESTLE_KERNEL inline Dual apply(Op op, const Dual& a) {
  return Dual(apply(op, a.value), a.slope == 0 ? 0 : derivative(op, a.value) * a.slope);
}

/// d (a^b): b a^(b-1) a' + a^b ln(a) b', each where it is not 0.
TRESTLE_KERNEL inline double power_slope(const Dual& a, const Dual& b) {
  double slope = 0;
  if (a.slope != 0) slope += b.value * std::pow(a.value, b.value - 1) * a.slope;
  if (b.slope != 0) slope += std::pow(a.value, b.value) * std::log(a.value) * b.slope;
  return slope;
}

TRESTLE_KERNEL inline Dual apply(Op op, const Dual& a, const Dual& b) {
  const double value = apply(op, a.value, b.value);
  switch (op) {
    case Op::add:
      return Dual(value, a.slope + b.slope);
    case Op::subtract:
      return Dual(value, a.slope - b.slope);
    case Op::multiply:
      return Dual(value, a.slope * b.value + a.value * b.slope);
    case Op::divide:
      return Dual(value, (a.slope - value * b.slope) / b.value);
    case Op::power:
      return Dual(value, power_slope(a, b));
    case Op::min:
      return Dual(value, a.value <= b.value ? a.slope : b.slope);
    case Op::max:
      return Dual(value, a.value >= b.value ? a.slope : b.slope);
    case Op::hypot:
      return Dual(value, value == 0 ? 0 : (a.value * a.slope + b.value * b.slope) / value);
    case Op::atan2:
      return Dual(
          value, (b.value * a.slope - a.value * b.slope) / (a.value * a.value + b.value * b.value));
    default:  // comparisons and logic
      return Dual(value);
  }
}

/// Value and slope of a table of `n` pairs, ascending in their first numbers, at a.
TRESTLE_KERNEL inline Dual look_up(Op op, const Instruction* pairs, Offset n, double a) {
  if (a != a) return Dual(a);
  const bool below = a<pairs[0].value, above = a> pairs[2 * n - 2].value;
  if (op == Op::strict_table && (below || above)) return Dual(NAN);
  if (below) return Dual(pairs[1].value);
  Offset low = 0, high = n;  // the last pair that is not above a is in [low, high)
  while (high - low > 1) {
    const Offset middle = (low + high) / 2;
    if (pairs[2 * middle].value <= a)
      low = middle;
    else
      high = middle;
  }
  const double x = pairs[2 * low].value, y = pairs[2 * low + 1].value;
  if (low == n - 1) return Dual(y);
  const double slope = (pairs[2 * low + 3].value - y) / (pairs[2 * low + 2].value - x);
  return Dual(std::fma(slope, a - x, y), slope);
}
TRESTLE_KERNEL inline double at_table(Op op, const Instruction* pairs, Offset n, double a) {
  return look_up(op, pairs, n, a).value;
}
TRESTLE_KERNEL inline Dual at_table(Op op, const Instruction* pairs, Offset n, const Dual& a) {
  const Dual found = look_up(op, pairs, n, a.value);
  return Dual(found.value, found.slope * a.slope);
}

/// Runs the program on a stack; the parser has checked that it never leaves [0, max_stack].
template <class T>
TRESTLE_KERNEL T run(const Instruction* code, Offset n, double x, double y, double z, double t,
                     const T& temperature) {
  T stack[Expression::max_stack];
  int top = -1;
  for (Offset i = 0; i < n; ++i) {
    const Op op = code[i].op;
    if (op == Op::number) {
      stack[++top] = T(code[i].value);
    } else if (op == Op::temperature) {
      stack[++top] = temperature;
    } else if (op < Op::temperature) {
      stack[++top] = T(op == Op::x ? x : op == Op::y ? y : op == Op::z ? z : t);
    } else if (op == Op::choose) {
      top -= 2;
      stack[top] = is_true(stack[top]) ? stack[top + 1] : stack[top + 2];
    } else if (is_binary(op)) {
      --top;
      stack[top] = apply(op, stack[top], stack[top + 1]);
    } else if (op >= Op::table) {
      const auto n_pairs = static_cast<Offset>(code[i].value);
      stack[top] = at_table(op, code + i + 1, n_pairs, stack[top]);
      i += 2 * n_pairs;
    } else {
      stack[top] = apply(op, stack[top]);
    }
  }
  return stack[0];
}

/// values[i] = program(points[i], t); sets failed[0] where a value is not finite.
struct EvaluateExpression {
  gpu::View<const Instruction, 1> code;
  gpu::View<const double, 2> points;  // [point, 3]  [m]
  double time;                        // [s]
  gpu::View<double, 1> values;        // [point]
  gpu::View<int, 1> failed;           // [1]  every writer stores the same value

  TRESTLE_KERNEL void operator()(Offset i) const {
    const double value =
        run(code.data(), code.size(), points(i, 0), points(i, 1), points(i, 2), time, 0.0);
    values(i) = value;
    if (!(std::fabs(value) <= 1.7976931348623157e308)) failed(0) = 1;
  }
};

/// The same with temperatures and slopes.
struct EvaluateWithSlope {
  gpu::View<const Instruction, 1> code;
  gpu::View<const double, 2> points;        // [point, 3]  [m]
  double time;                              // [s]
  gpu::View<const double, 1> temperatures;  // [point]  [K]
  gpu::View<double, 1> values, slopes;      // [point]
  gpu::View<int, 1> failed;                 // [1]

  TRESTLE_KERNEL void operator()(Offset i) const {
    const bool placed = points.data() != nullptr;
    const Dual result =
        run(code.data(), code.size(), placed ? points(i, 0) : 0.0, placed ? points(i, 1) : 0.0,
            placed ? points(i, 2) : 0.0, time, Dual(temperatures(i), 1));
    values(i) = result.value;
    slopes(i) = result.slope;
    if (!(std::fabs(result.value) + std::fabs(result.slope) <= 1.7976931348623157e308))
      failed(0) = 1;
  }
};

}  // namespace trestle::fem::postfix

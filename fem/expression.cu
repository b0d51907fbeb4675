// Evaluates compiled expressions: one interpreter for the host and every device.
#include "fem/expression.hpp"

#include <charconv>
#include <cmath>

#include "gpu/for_each.hpp"

namespace trestle::fem {
namespace {

using Op = Expression::Op;
using Instruction = Expression::Instruction;

TRESTLE_KERNEL double apply(Op op, double a) {
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
      return std::exp(a);
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

TRESTLE_KERNEL double apply(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return std::pow(a, b);
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

TRESTLE_KERNEL bool is_binary(Op op) {
  return op <= Op::power || (op >= Op::less && op <= Op::logical_or) || op == Op::atan2 ||
         op == Op::min || op == Op::max || op == Op::hypot;
}

/// Runs the program on a stack; the parser has checked that it never leaves [0, max_stack].
TRESTLE_KERNEL double run(const Instruction* code, Offset n, double x, double y, double z,
                          double t) {
  double stack[Expression::max_stack];
  int top = -1;
  for (Offset i = 0; i < n; ++i) {
    const Op op = code[i].op;
    if (op == Op::number) {
      stack[++top] = code[i].value;
    } else if (op <= Op::t) {
      stack[++top] = op == Op::x ? x : op == Op::y ? y : op == Op::z ? z : t;
    } else if (op == Op::choose) {
      top -= 2;
      stack[top] = stack[top] != 0 ? stack[top + 1] : stack[top + 2];
    } else if (is_binary(op)) {
      --top;
      stack[top] = apply(op, stack[top], stack[top + 1]);
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
        run(code.data(), code.size(), points(i, 0), points(i, 1), points(i, 2), time);
    values(i) = value;
    if (!(std::fabs(value) <= 1.7976931348623157e308)) failed(0) = 1;
  }
};

template <class T>
std::vector<T> copied(const gpu::Device& device, const T* from, Offset n) {
  std::vector<T> host(static_cast<std::size_t>(n));
  device.copy_to_host(host.data(), from, host.size() * sizeof(T));
  device.synchronize();
  return host;
}

std::string number(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

[[noreturn]] void report_first(const gpu::Device& device, const Expression& expression,
                               gpu::View<const double, 2> points, gpu::View<double, 1> values) {
  const std::vector<double> host = copied(device, values.data(), values.size());
  std::size_t i = 0;
  while (i + 1 < host.size() && std::isfinite(host[i])) ++i;
  const std::vector<double> p = copied(device, points.data() + 3 * i, 3);
  const std::string place = to_string(expression.where());
  throw NumericalError(ExitCode::not_a_number,
                       (place.empty() ? "" : place + ": ") + "the expression \"" +
                           expression.text() + "\" is " + number(host[i]) + " at (" + number(p[0]) +
                           ", " + number(p[1]) + ", " + number(p[2]) +
                           ") m: it must be finite at every point of its group");
}

}  // namespace

bool Expression::uses_place() const {
  for (const Instruction& instruction : code_)
    if (instruction.op >= Op::x && instruction.op <= Op::z) return true;
  return false;
}

bool Expression::uses_time() const {
  for (const Instruction& instruction : code_)
    if (instruction.op == Op::t) return true;
  return false;
}

double Expression::operator()(double x, double y, double z, double t) const {
  return run(code_.data(), static_cast<Offset>(code_.size()), x, y, z, t);
}

void evaluate(const gpu::Device& device, const Expression& expression,
              gpu::View<const double, 2> points, double time, gpu::View<double, 1> values) {
  const auto code = gpu::upload(device, expression.code(), "expressions");
  auto failed = gpu::upload(device, std::vector<int>{0}, "expressions");
  gpu::for_each(device, values.size(),
                EvaluateExpression{code.view(), points, time, values, failed.view()});
  if (gpu::read(failed)[0] != 0) report_first(device, expression, points, values);
}

}  // namespace trestle::fem

// Evaluates compiled expressions: one interpreter for the host and every device.
#include "fem/expression.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "fem/expression_blocks.hpp"
#include "fem/host_expression.hpp"
#include "fem/kernels/expression_kernels.hpp"
#include "gpu/for_each.hpp"

namespace trestle::fem {
namespace {

using namespace postfix;

/// By the exponents, so that the loop runs in vector lanes.
bool all_finite(const double* values, Offset n) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000;
  std::uint64_t n_not_finite = 0;
  for (Offset i = 0; i < n; ++i)
    n_not_finite += (std::bit_cast<std::uint64_t>(values[i]) & exponent) == exponent ? 1 : 0;
  return n_not_finite == 0;
}

/// Returns whether all values are finite. Places as in BlockProgram::run.
bool run_blocks(const Expression& expression, const double* const (&places)[3], Offset stride,
                double time, double* values, Offset n_values) {
  BlockProgram program(expression.code(), time);
  bool finite = true;
  for (Offset first = 0; first < n_values; first += program.block) {
    const Offset n = std::min(program.block, n_values - first), skipped = first * stride;
    program.run({places[0] + skipped, places[1] + skipped, places[2] + skipped}, stride, n,
                values + first);
    finite &= all_finite(values + first, n);
  }
  return finite;
}

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
                               gpu::View<const double, 2> points, double time,
                               gpu::View<double, 1> values) {
  const std::vector<double> host = copied(device, values.data(), values.size());
  std::size_t i = 0;
  while (i + 1 < host.size() && std::isfinite(host[i])) ++i;
  const std::vector<double> p = copied(device, points.data() + 3 * i, 3);
  const std::string place = to_string(expression.where());
  throw NumericalError(ExitCode::not_a_number,
                       (place.empty() ? "" : place + ": ") + expression.words_of(host[i]) +
                           " at (" + number(p[0]) + ", " + number(p[1]) + ", " + number(p[2]) +
                           ") m" + (expression.uses_time() ? ", t = " + number(time) + " s" : "") +
                           ": it must be finite at every point of its group; " + keep_finite);
}

[[noreturn]] void report_state(const gpu::Device& device, const Expression& expression,
                               gpu::View<const double, 1> temperatures, gpu::View<double, 1> values,
                               gpu::View<double, 1> slopes) {
  const std::vector<double> value = copied(device, values.data(), values.size()),
                            slope = copied(device, slopes.data(), slopes.size()),
                            at = copied(device, temperatures.data(), temperatures.size());
  std::size_t i = 0;
  while (i + 1 < value.size() && std::isfinite(value[i]) && std::isfinite(slope[i])) ++i;
  throw NumericalError(ExitCode::not_a_number,
                       to_string(expression.where()) + ": " + expression.words_of(value[i]) +
                           (std::isfinite(value[i]) ? " with the slope " + number(slope[i]) : "") +
                           " at T = " + number(at[i]) + " K: value and slope must be finite; " +
                           keep_finite);
}

}  // namespace

std::string Expression::words_of(double value) const {
  const bool begins = code_.size() > 1 && code_[1].op == Op::strict_table;
  const std::size_t n = begins ? static_cast<std::size_t>(code_[1].value) : 0;
  const bool is_table = begins && code_.size() == 2 + 2 * n;
  if (!is_table || !std::isnan(value))
    return "the expression \"" + text_ + "\" is " + trestle::fem::number(value);
  const std::size_t first = text_.find('(') + 1;  // strict_table(T, ...)
  return "the table of " + text_.substr(first, text_.find(',') - first) + ", which runs from " +
         trestle::fem::number(code_[2].value) + " to " + trestle::fem::number(code_[2 * n].value) +
         " (beyond: error), has no value";
}

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

bool Expression::uses_temperature() const {
  for (const Instruction& instruction : code_)
    if (instruction.op == Op::temperature) return true;
  return false;
}

Expression product(const Expression& a, const Expression& b) {
  std::vector<Instruction> code = a.code();
  code.insert(code.end(), b.code().begin(), b.code().end());
  code.push_back({Op::multiply, 0});
  return Expression(std::move(code), a.text(), a.where());
}

double Expression::operator()(double x, double y, double z, double t, double temperature) const {
  return run(code_.data(), static_cast<Offset>(code_.size()), x, y, z, t, temperature);
}

void evaluate(const gpu::Device& device, const Expression& expression,
              gpu::View<const double, 2> points, double time, gpu::View<double, 1> values) {
  if (device.kind() == gpu::DeviceKind::cpu) {
    const double* x = points.data();
    if (!run_blocks(expression, {x, x + 1, x + 2}, 3, time, values.data(), values.size()))
      report_first(device, expression, points, time, values);
    return;
  }
  const auto code = gpu::upload(device, expression.code(), "expressions");
  auto failed = gpu::upload(device, std::vector<int>{0}, "expressions");
  gpu::for_each(device, values.size(),
                EvaluateExpression{code.view(), points, time, values, failed.view()});
  if (gpu::read(failed)[0] != 0) report_first(device, expression, points, time, values);
}

bool evaluate_on_host(const Expression& expression, const double* const (&places)[3], double time,
                      std::span<double> values) {
  return run_blocks(expression, places, 1, time, values.data(), static_cast<Offset>(values.size()));
}

void evaluate_with_slope(const gpu::Device& device, const Expression& expression,
                         gpu::View<const double, 2> points, double time,
                         gpu::View<const double, 1> temperatures, gpu::View<double, 1> values,
                         gpu::View<double, 1> derivatives) {
  const auto code = gpu::upload(device, expression.code(), "expressions");
  auto failed = gpu::upload(device, std::vector<int>{0}, "expressions");
  gpu::for_each(device, values.size(),
                EvaluateWithSlope{code.view(), points, time, temperatures, values, derivatives,
                                  failed.view()});
  if (gpu::read(failed)[0] != 0)
    report_state(device, expression, temperatures, values, derivatives);
}

}  // namespace trestle::fem

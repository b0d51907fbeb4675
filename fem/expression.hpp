// Expressions in x, y, z, t and T: a postfix program that one kernel evaluates at points on any
// device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "gpu/array.hpp"
#include "gpu/macros.hpp"

namespace trestle::fem {

/// A compiled expression; a plain number is the shortest one. Made by io/expression_parser.
class Expression {
 public:
  enum class Op : std::uint8_t {
    number,
    x,
    y,
    z,
    t,
    temperature,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    logical_not,
    choose,
    abs,
    sqrt,
    exp,
    log,
    log10,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    sinh,
    cosh,
    tanh,
    floor,
    ceil,
    sign,
    min,
    max,
    hypot,
    step,
    table,         // piecewise linear in the value on top; constant beyond its ends
    strict_table,  // the same; NaN beyond its ends
  };
  struct Instruction {
    Op op;
    double value;  // of `number`; of a table its number of pairs, which stand behind it as numbers
  };
  static constexpr int max_stack = 64;

  Expression() : Expression(0.0) {}
  Expression(double value) : code_{{Op::number, value}}, text_(std::to_string(value)) {}
  Expression(std::vector<Instruction> code, std::string text, SourcePosition where)
      : code_(std::move(code)), text_(std::move(text)), where_(std::move(where)) {}

  bool is_number() const { return code_.size() == 1 && code_[0].op == Op::number; }
  /// The value of a plain number.
  double number() const { return code_[0].value; }
  /// Whether the value changes from place to place (uses x, y or z).
  bool uses_place() const;
  bool uses_time() const;
  bool uses_temperature() const;
  const std::vector<Instruction>& code() const { return code_; }
  const std::string& text() const { return text_; }
  /// What a message says of a value that is refused: `the expression "1/x" is inf`, or of a table
  /// with `beyond: error` that it has none there.
  std::string words_of(double value) const;
  const SourcePosition& where() const { return where_; }

  /// Value at one place, time and temperature, on the host. May be NaN or infinite: the caller
  /// checks.
  double operator()(double x, double y, double z, double t = 0, double temperature = 0) const;

 private:
  std::vector<Instruction> code_;
  std::string text_;
  SourcePosition where_;
};

/// a * b, which stands where `a` stands in messages.
Expression product(const Expression& a, const Expression& b);

/// What to do about an expression that is not finite, for messages.
inline constexpr const char* keep_finite =
    "keep it so, as with max(x, 1e-9) in 1/max(x, 1e-9), or if(x > 0, 1/x, 0)";

/// values[i] = expression at points (i, 0..2) and `time`. Throws NumericalError (81) that names the
/// expression, its place in the case file and the point [m] where a value is not finite.
void evaluate(const gpu::Device& device, const Expression& expression,
              gpu::View<const double, 2> points, double time, gpu::View<double, 1> values);

/// The same for an expression that may use T, at temperatures [i]; derivatives[i] = d values[i] /
/// dT by dual numbers. At a kink it is the slope on one side. No points: x, y and z are 0.
void evaluate_with_slope(const gpu::Device& device, const Expression& expression,
                         gpu::View<const double, 2> points, double time,
                         gpu::View<const double, 1> temperatures, gpu::View<double, 1> values,
                         gpu::View<double, 1> derivatives);

}  // namespace trestle::fem

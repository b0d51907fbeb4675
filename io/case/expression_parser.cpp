#include "io/case/expression_parser.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/number.hpp"
#include "io/case/expression_units.hpp"
#include "io/case/faults.hpp"

namespace trestle::io {
namespace {

/// Bytes of the first character of UTF-8 text.
std::size_t length_of_character(std::string_view text) {
  std::size_t n = 1;
  while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0u) == 0x80u) ++n;
  return n;
}

using fem::Expression;
using Op = Expression::Op;

struct Function {
  std::string_view name;
  Op op;
  int arity;  // -2: two or more; -5: a value and pairs
  std::string_view help;
};
constexpr Function functions[] = {
    {"if", Op::choose, 3, "if(c, a, b): a where c is not 0, else b"},
    {"min", Op::min, -2, "least of two or more"},
    {"max", Op::max, -2, "greatest of two or more"},
    {"abs", Op::abs, 1, "absolute value"},
    {"sqrt", Op::sqrt, 1, "square root"},
    {"exp", Op::exp, 1, "exponential"},
    {"log", Op::log, 1, "natural logarithm"},
    {"log10", Op::log10, 1, "decimal logarithm"},
    {"sin", Op::sin, 1, "sine of an angle in radians"},
    {"cos", Op::cos, 1, "cosine of an angle in radians"},
    {"tan", Op::tan, 1, "tangent of an angle in radians"},
    {"asin", Op::asin, 1, "arc sine [rad]"},
    {"acos", Op::acos, 1, "arc cosine [rad]"},
    {"atan", Op::atan, 1, "arc tangent [rad]"},
    {"atan2", Op::atan2, 2, "atan2(y, x): angle of the point (x, y) [rad]"},
    {"sinh", Op::sinh, 1, "hyperbolic sine"},
    {"cosh", Op::cosh, 1, "hyperbolic cosine"},
    {"tanh", Op::tanh, 1, "hyperbolic tangent"},
    {"floor", Op::floor, 1, "greatest whole number that is not above"},
    {"ceil", Op::ceil, 1, "least whole number that is not below"},
    {"sign", Op::sign, 1, "-1, 0 or 1"},
    {"step", Op::step, 1, "1 where the argument is >= 0, else 0"},
    {"pow", Op::power, 2, "pow(a, b) is a^b"},
    {"hypot", Op::hypot, 2, "hypot(a, b) is sqrt(a^2 + b^2)"},
    {"table", Op::table, -5,
     "table(a, x1, y1, x2, y2, ...): piecewise linear, through numbers; constant beyond its ends"},
    {"strict_table", Op::strict_table, -5,
     "the same; a place beyond its ends is an error (exit code 81)"},
};

/// Names that other programs have for some of them.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"ln", "log"},      {"lg", "log10"},    {"arcsin", "asin"}, {"arccos", "acos"},
    {"arctan", "atan"}, {"fabs", "abs"},    {"power", "pow"},   {"heaviside", "step"},
    {"sgn", "sign"},    {"ceiling", "ceil"}};

/// What an unknown function is most likely called here.
std::string function_hint(const std::string& name) {
  for (const auto& [other, own] : other_names)
    if (name == other) return ", did you mean \"" + std::string(own) + "\"?";
  std::vector<std::string> known;
  for (const Function& f : functions) known.emplace_back(f.name);
  return suggestion(name, known);
}

struct Symbol {
  std::string_view name;
  Op op;
  double value;
};
constexpr Symbol symbols[] = {
    {"x", Op::x, 0},
    {"y", Op::y, 0},
    {"z", Op::z, 0},
    {"t", Op::t, 0},
    {"T", Op::temperature, 0},
    {"pi", Op::number, std::numbers::pi},
    {"e", Op::number, std::numbers::e},
};

/// How many values an operation takes from the stack.
int operands(Op op) {
  if (op <= Op::temperature) return 0;
  if (op == Op::choose) return 3;
  const bool two = (op <= Op::power) || (op >= Op::less && op <= Op::logical_or) ||
                   op == Op::atan2 || op == Op::min || op == Op::max || op == Op::hypot;
  return two ? 2 : 1;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Token {
  enum class Kind { end, number, name, sign };
  Kind kind = Kind::end;
  std::string text;
  std::size_t at = 0;
  double value = 0;
  bool is(std::string_view what) const {
    return (kind == Kind::sign || kind == Kind::name) && text == what;
  }
};

class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, const SourcePosition& where, const std::string& key)
      : text_(text), where_(where), key_(key) {}

  Expression parse() {
    if (text_.size() > max_expression_bytes)
      fail(0, "an expression is at most " + std::to_string(max_expression_bytes) +
                  " characters long, this one has " + std::to_string(text_.size()));
    advance();
    if (token_.kind == Token::Kind::end) fail(0, "the expression is empty");
    parse_or();
    if (token_.kind != Token::Kind::end) fail_unexpected();
    Expression expression(std::move(code_), text_, where_);
    if (expression.uses_place() || expression.uses_time() || expression.uses_temperature())
      return expression;
    const double value = expression(0, 0, 0);
    if (!std::isfinite(value)) fail(0, "the value is not finite (" + format_number(value) + ")");
    return Expression({{Op::number, value}}, text_, where_);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    SourcePosition place = where_;
    const bool one_line = text_.find('\n') == std::string::npos;
    if (one_line && place.column > 0) place.column += static_cast<int>(at);
    throw CaseError(place, (key_.empty() ? "" : key_ + ": ") + what + " (character " +
                               std::to_string(at + 1) + " of the expression " + in_quotes(text_) +
                               ")");
  }
  [[noreturn]] void fail_unexpected() const {
    if (token_.kind == Token::Kind::end) fail(token_.at, "the expression ends too early");
    if (token_.is("=")) fail(token_.at, "assignment is refused; to compare, write ==");
    if (token_.kind == Token::Kind::name) refuse_unit();
    const bool operand = token_.kind == Token::Kind::number || token_.kind == Token::Kind::name;
    fail(token_.at,
         (operand ? "an operator is missing before " : "unexpected ") + in_quotes(token_.text));
  }
  /// What stands behind a whole expression as a unit would behind a number.
  void refuse_unit() const {
    const std::string why = unit_behind_expression(std::string_view(text_).substr(0, token_.at),
                                                   std::string_view(text_).substr(token_.at));
    if (!why.empty()) fail(token_.at, why);
  }

  void advance() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    token_ = {Token::Kind::end, "", at_, 0};
    if (at_ >= text_.size()) return;
    const char c = text_[at_];
    if (is_digit(c) || c == '.')
      read_number();
    else if (is_letter(c))
      read_name();
    else
      read_sign();
  }
  void read_number() {
    const std::size_t n = number_length(std::string_view(text_).substr(at_));
    std::size_t end = at_ + n;
    const std::size_t form = end;
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.'))
      ++end;
    const std::string whole = text_.substr(at_, end - at_);
    const ParsedNumber number = parse_number(whole);
    if (!number.ok() && (number.refused || n == 0))
      fail(at_, in_quotes(whole) + " " + number.fault);
    if (!number.ok())
      fail(form, "an operator is missing between " + in_quotes(whole.substr(0, n)) + " and " +
                     in_quotes(whole.substr(n)));
    token_ = {Token::Kind::number, whole, at_, number.value};
    at_ = end;
  }
  void read_name() {
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    token_ = {Token::Kind::name, text_.substr(at_, end - at_), at_, 0};
    at_ = end;
  }
  void read_sign() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    // The last ones are the minus sign, the en dash, the middle dot and the cross of other
    // programs.
    for (const auto& [wrong, right] : {std::pair("&&", "and"),
                                       {"||", "or"},
                                       {"**", "^"},
                                       {"\u2212", "-"},
                                       {"\u2013", "-"},
                                       {"\u00B7", "*"},
                                       {"\u00D7", "*"}})
      if (rest.starts_with(wrong))
        fail(at_, "write " + in_quotes(right) + " instead of " + in_quotes(wrong));
    for (const char* two : {"<=", ">=", "==", "!="})
      if (rest.starts_with(two)) {
        token_ = {Token::Kind::sign, two, at_, 0};
        at_ += 2;
        return;
      }
    if (rest[0] == '!') fail(at_, "write \"not\" instead of \"!\"");
    if (std::string_view("+-*/^<>(),=").find(rest[0]) == std::string_view::npos)
      fail(at_, "unexpected character " + in_quotes(rest.substr(0, length_of_character(rest))));
    token_ = {Token::Kind::sign, std::string(1, rest[0]), at_, 0};
    ++at_;
  }

  bool take(std::string_view sign) {
    if (!token_.is(sign)) return false;
    advance();
    return true;
  }
  void expect(std::string_view sign, const std::string& why) {
    if (take(sign)) return;
    if (token_.is("=")) fail_unexpected();
    fail(token_.at, "expected " + in_quotes(sign) + " " + why);
  }

  void emit(Op op, double value = 0) {
    if (code_.size() >= max_expression_instructions)
      fail(token_.at, "more than " + std::to_string(max_expression_instructions) + " operations");
    stack_ += 1 - operands(op);
    if (stack_ > Expression::max_stack)
      fail(token_.at, "needs more than " + std::to_string(Expression::max_stack) +
                          " values at once: simplify it");
    code_.push_back({op, value});
  }

  /// Counts how deep the grammar recurses.
  class Deeper {
   public:
    explicit Deeper(ExpressionParser& parser) : parser_(parser) {
      if (++parser.depth_ > max_expression_depth)
        parser.fail(parser.token_.at,
                    "nesting deeper than " + std::to_string(max_expression_depth));
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --parser_.depth_; }

   private:
    ExpressionParser& parser_;
  };

  void parse_or() {
    const Deeper deeper(*this);
    parse_and();
    while (take("or")) {
      parse_and();
      emit(Op::logical_or);
    }
  }
  void parse_and() {
    parse_not();
    while (take("and")) {
      parse_not();
      emit(Op::logical_and);
    }
  }
  void parse_not() {
    if (!token_.is("not")) return parse_comparison();
    const Deeper deeper(*this);
    advance();
    parse_not();
    emit(Op::logical_not);
  }
  bool take_comparison(Op& op) {
    constexpr std::pair<std::string_view, Op> all[] = {
        {"<", Op::less},           {"<=", Op::less_equal}, {">", Op::greater},
        {">=", Op::greater_equal}, {"==", Op::equal},      {"!=", Op::not_equal}};
    for (const auto& [sign, meaning] : all)
      if (token_.kind == Token::Kind::sign && take(sign)) {
        op = meaning;
        return true;
      }
    return false;
  }
  void parse_comparison() {
    parse_sum();
    Op op{};
    if (!take_comparison(op)) return;
    parse_sum();
    emit(op);
    const std::size_t at = token_.at;
    if (take_comparison(op)) fail(at, "a chain of comparisons is refused: write 0 < x and x < 1");
  }
  void parse_sum() {
    parse_product();
    while (token_.is("+") || token_.is("-")) {
      const Op op = token_.is("+") ? Op::add : Op::subtract;
      advance();
      parse_product();
      emit(op);
    }
  }
  void parse_product() {
    parse_signed();
    while (token_.is("*") || token_.is("/")) {
      const Op op = token_.is("*") ? Op::multiply : Op::divide;
      advance();
      parse_signed();
      emit(op);
    }
  }
  void parse_signed() {
    if (!token_.is("-") && !token_.is("+")) return parse_power();
    const Deeper deeper(*this);
    const bool minus = token_.is("-");
    advance();
    parse_signed();
    if (minus) emit(Op::negate);
  }
  void parse_power() {
    parse_operand();
    if (!take("^")) return;
    parse_signed_exponent();
    emit(Op::power);
  }
  void parse_signed_exponent() {
    const Deeper deeper(*this);
    parse_signed();
  }
  void parse_operand() {
    if (token_.kind == Token::Kind::number) {
      emit(Op::number, token_.value);
      advance();
    } else if (token_.is("(")) {
      const std::size_t open = token_.at;
      advance();
      parse_or();
      expect(")", "for the ( at character " + std::to_string(open + 1));
    } else if (token_.kind == Token::Kind::name) {
      parse_name();
    } else {
      fail_unexpected();
    }
  }
  void parse_name() {
    const Token name = token_;
    advance();
    if (token_.is("(")) return parse_call(name);
    for (const Symbol& symbol : symbols)
      if (symbol.name == name.text) return emit(symbol.op, symbol.value);
    for (const Function& function : functions)
      if (function.name == name.text)
        fail(name.at, in_quotes(name.text) + " is a function: write " + name.text + "(...)");
    if (token_.is("=")) fail_unexpected();
    std::vector<std::string> known;
    for (const Symbol& symbol : symbols) known.emplace_back(symbol.name);
    for (const Function& function : functions) known.emplace_back(function.name);
    const std::string unit = unit_as_factor(name.text);
    fail(name.at, "unknown name " + in_quotes(name.text) +
                      (unit.empty() ? suggestion(name.text, known) : "; " + unit));
  }
  void parse_call(const Token& name) {
    const Function* function = std::find_if(std::begin(functions), std::end(functions),
                                            [&](const Function& f) { return f.name == name.text; });
    if (function == std::end(functions)) {
      fail(name.at, "unknown function " + in_quotes(name.text) + function_hint(name.text));
    }
    advance();
    if (function->op >= Op::table) return parse_table(name, *function);
    int n = 0;
    if (!token_.is(")")) do {
        parse_or();
        // min and max of many are a chain of pairs, so that the stack stays short.
        if (++n > 1 && function->arity < 0) emit(function->op);
      } while (take(","));
    expect(")", "at the end of the arguments of " + name.text);
    const bool fits = function->arity < 0 ? n >= 2 : n == function->arity;
    if (!fits)
      fail(name.at,
           name.text + " takes " +
               (function->arity < 0 ? "two or more arguments"
                                    : std::to_string(function->arity) +
                                          (function->arity == 1 ? " argument" : " arguments")) +
               ", got " + std::to_string(n));
    if (function->arity > 0) emit(function->op);
  }

  /// The value, then the pairs of a table; what is constant in them is worked out here.
  void parse_table(const Token& name, const Function& function) {
    if (!token_.is(")")) parse_or();
    std::vector<double> numbers;
    while (take(",")) {
      const std::size_t at = token_.at;
      numbers.push_back(parse_constant());
      const std::size_t n = numbers.size();
      if (n > 2 && n % 2 == 1 && !(numbers[n - 1] > numbers[n - 3]))
        fail(at, "the places of a table ascend: " + format_number(numbers[n - 1]) +
                     " is not above " + format_number(numbers[n - 3]));
    }
    expect(")", "at the end of the arguments of " + name.text);
    if (numbers.size() < 4 || numbers.size() % 2 == 1)
      fail(name.at, name.text + " takes a value and two or more pairs of numbers, as in " +
                        name.text + "(T, 293, 45, 600, 38)");
    if (code_.size() + numbers.size() >= max_expression_instructions)
      fail(name.at, "more than " + std::to_string(max_expression_instructions) + " operations");
    emit(function.op, static_cast<double>(numbers.size() / 2));
    for (const double number : numbers) code_.push_back({Op::number, number});
  }
  double parse_constant() {
    const std::size_t before = code_.size(), at = token_.at;
    parse_or();
    const auto first = code_.begin() + static_cast<std::ptrdiff_t>(before);
    const Expression part({first, code_.end()}, "", where_);
    if (part.uses_place() || part.uses_time() || part.uses_temperature())
      fail(at, "the pairs of a table are numbers; what varies is its first argument");
    const double value = part(0, 0, 0);
    if (!std::isfinite(value)) fail(at, "the value is not finite (" + format_number(value) + ")");
    code_.erase(first, code_.end());
    --stack_;
    return value;
  }

  const std::string& text_;
  const SourcePosition& where_;
  const std::string& key_;
  std::size_t at_ = 0;
  Token token_;
  std::vector<Expression::Instruction> code_;
  int stack_ = 0;
  int depth_ = 0;
};

}  // namespace

Expression parse_expression(const std::string& text, const SourcePosition& where,
                            const std::string& key) {
  return ExpressionParser(text, where, key).parse();
}

const std::vector<ExpressionName>& expression_functions() {
  static const std::vector<ExpressionName> all = [] {
    std::vector<ExpressionName> names;
    for (const Function& f : functions) names.push_back({std::string(f.name), std::string(f.help)});
    return names;
  }();
  return all;
}

}  // namespace trestle::io

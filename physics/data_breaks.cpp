#include "physics/data_breaks.hpp"

#include <algorithm>
#include <cmath>

namespace trestle::physics {
namespace {

using fem::Expression;
using Op = Expression::Op;

/// Operands of an instruction.
int operands(Op op) {
  switch (op) {
    case Op::number:
    case Op::x:
    case Op::y:
    case Op::z:
    case Op::t:
    case Op::temperature:
      return 0;
    case Op::choose:
      return 3;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::hypot:
      return 2;
    default:
      return 1;
  }
}

bool is_table(Op op) { return op == Op::table || op == Op::strict_table; }

/// Whether an instruction gives one of a few values, between which it jumps.
bool jumps(Op op) {
  return (op >= Op::less && op <= Op::not_equal) || op == Op::step || op == Op::sign ||
         op == Op::floor || op == Op::ceil;
}

/// Collects the breaks of expressions.
class BreakSearch {
 public:
  BreakSearch(double end, double step, std::vector<DataBreak>& found)
      : end_(end),
        sudden_(0.1 * step),
        n_intervals_(std::clamp(std::ceil(end / step), least_intervals, most_intervals)),
        most_(std::ceil(end / step)),
        found_(found) {}

  void look_at(const Expression& expression) {
    const auto& code = expression.code();
    std::vector<std::size_t> starts;  // where the program of each value on the stack begins
    for (std::size_t i = 0; i < code.size(); ++i) {
      const auto n = static_cast<std::size_t>(operands(code[i].op));
      const std::size_t first = n == 0 ? i : starts[starts.size() - n];
      starts.resize(starts.size() - n);
      starts.push_back(first);
      if (jumps(code[i].op)) search(part(expression, first, i + 1));
      if (!is_table(code[i].op)) continue;
      const auto n_pairs = static_cast<std::size_t>(code[i].value);
      if (i == first + 1 && code[first].op == Op::t) look_at_table(&code[i + 1], n_pairs);
      i += 2 * n_pairs;
    }
  }

 private:
  static constexpr double least_intervals = 1e3, most_intervals = 1e5;

  static Expression part(const Expression& whole, std::size_t first, std::size_t last) {
    const auto begin = whole.code().begin();
    return {{begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)},
            whole.text(),
            whole.where()};
  }
  void add(double from, double until) {
    if (from > 0 && until < end_) found_.push_back({from, until});
  }
  void look_at_table(const Expression::Instruction* pairs, std::size_t n) {
    const auto steep = [&](std::size_t k) {  // between pairs k - 1 and k
      return k > 0 && k < n && pairs[2 * k].value - pairs[2 * k - 2].value < sudden_;
    };
    for (std::size_t k = 1; k < n; ++k)
      if (steep(k) && !steep(k - 1) && !steep(k + 1))
        add(pairs[2 * k - 2].value, pairs[2 * k].value);
  }
  static double at(const Expression& part, double time) { return part(0, 0, 0, time); }
  void search(const Expression& part) {
    if (!part.uses_time() || part.uses_place() || part.uses_temperature()) return;
    double before = at(part, 0);
    for (double k = 1; k <= n_intervals_; ++k) {
      const double to = k / n_intervals_ * end_, after = at(part, to);
      split(part, (k - 1) / n_intervals_ * end_, before, to, after);
      before = after;
    }
  }
  /// Every change between two times, the value at both of which is known, to the last bit.
  void split(const Expression& part, double from, double before, double to, double after) {
    if (before == after || static_cast<double>(found_.size()) > most_) return;
    const double middle = from + 0.5 * (to - from);
    if (!(middle > from && middle < to)) return add(from, to);
    const double there = at(part, middle);
    split(part, from, before, middle, there);
    split(part, middle, there, to, after);
  }

  double end_, sudden_, n_intervals_, most_;
  std::vector<DataBreak>& found_;
};

}  // namespace

std::vector<DataBreak> data_breaks(const Problem& problem, double end, double step) {
  std::vector<DataBreak> found;
  BreakSearch search(end, step, found);
  for (const Condition& condition : problem.conditions)
    for (const auto& [name, value] : condition.parameters)
      for (const auto& component : value.components)
        if (component && component->uses_time()) search.look_at(*component);
  std::sort(found.begin(), found.end(),
            [](const DataBreak& a, const DataBreak& b) { return a.from < b.from; });
  const auto same = [&](const DataBreak& a, const DataBreak& b) {
    return b.from - a.from <= 1e-6 * step;
  };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  if (static_cast<double>(found.size()) > end / step) found.clear();
  return found;
}

}  // namespace trestle::physics

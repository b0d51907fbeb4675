// Expressions on the host, block by block.
#pragma once

#include <algorithm>
#include <vector>

#include "fem/kernels/expression_kernels.hpp"

namespace trestle::fem::postfix {

/// The same program over blocks of points on the host: an instruction is looked up once per block,
/// and its loop runs in vector lanes. An entry of the stack that is the same at all points stays
/// one number. Every value has the bits that `run` gives.
class BlockProgram {
 public:
  static constexpr Offset block = 256;

  BlockProgram(const std::vector<Instruction>& code, double time)
      : code_(code), time_(time), memory_(depth() * block) {}

  /// values[i] = program(x, y, z) at `places`, each `stride` after the one before, for at most
  /// `block` points.
  void run(const double* const (&places)[3], Offset stride, Offset n, double* values) {
    n_ = n;
    top_ = -1;
    for (std::size_t at_code = 0; at_code < code_.size(); ++at_code) {
      const Instruction& instruction = code_[at_code];
      const Op op = instruction.op;
      if (op == Op::number || op == Op::t) {
        stack_[++top_] = {true, op == Op::number ? instruction.value : time_};
      } else if (op <= Op::z) {
        stack_[++top_] = {};
        const double* place = places[op == Op::x ? 0 : op == Op::y ? 1 : 2];
        if (stride == 1)
          std::copy_n(place, n, at(top_));
        else
          for (Offset i = 0; i < n; ++i) at(top_)[i] = place[i * stride];
      } else if (op == Op::choose) {
        choose();
      } else if (is_binary(op)) {
        binary(op);
      } else if (op >= Op::table) {
        const auto n_pairs = static_cast<Offset>(instruction.value);
        apply_to_top(
            [&](double a) { return at_table(op, code_.data() + at_code + 1, n_pairs, a); });
        at_code += static_cast<std::size_t>(2 * n_pairs);
      } else {
        unary(op);
      }
    }
    spread(0);
    std::copy_n(at(0), n, values);
  }

 private:
  struct Entry {
    bool uniform = false;
    double value = 0;  // where uniform
  };

  std::size_t depth() const {
    std::size_t now = 0, most = 1;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const Instruction& instruction = code_[i];
      if (instruction.op >= Op::table) i += static_cast<std::size_t>(2 * instruction.value);
      if (instruction.op <= Op::temperature)
        ++now;
      else if (instruction.op == Op::choose)
        now -= 2;
      else if (is_binary(instruction.op))
        --now;
      most = std::max(most, now);
    }
    return most;
  }
  double* at(int entry) { return memory_.data() + entry * block; }
  void spread(int entry) {
    if (stack_[entry].uniform) std::fill_n(at(entry), n_, stack_[entry].value);
    stack_[entry].uniform = false;
  }
  void choose() {
    top_ -= 2;
    for (int k = 0; k < 3; ++k) spread(top_ + k);
    double *a = at(top_), *b = at(top_ + 1), *c = at(top_ + 2);
    for (Offset i = 0; i < n_; ++i) a[i] = a[i] != 0 ? b[i] : c[i];
  }

  template <class Function>
  void apply_to_top(const Function& function) {
    Entry& a = stack_[top_];
    if (a.uniform) {
      a.value = function(a.value);
      return;
    }
    double* values = at(top_);
    for (Offset i = 0; i < n_; ++i) values[i] = function(values[i]);
  }
  void unary(Op op) {
    switch (op) {
      case Op::negate:
        return apply_to_top([](double a) { return apply(Op::negate, a); });
      case Op::sqrt:
        return apply_to_top([](double a) { return apply(Op::sqrt, a); });
      case Op::exp:
        return apply_to_top([](double a) { return apply(Op::exp, a); });
      case Op::sin:
        return apply_to_top([](double a) { return apply(Op::sin, a); });
      default:
        return apply_to_top([op](double a) { return apply(op, a); });
    }
  }

  template <class Function>
  void apply_to_two(const Function& function) {
    --top_;
    Entry &a = stack_[top_], &b = stack_[top_ + 1];
    double* left = at(top_);
    const double* right = at(top_ + 1);
    if (a.uniform && b.uniform) {
      a.value = function(a.value, b.value);
    } else if (b.uniform) {
      for (Offset i = 0; i < n_; ++i) left[i] = function(left[i], b.value);
    } else if (a.uniform) {
      for (Offset i = 0; i < n_; ++i) left[i] = function(a.value, right[i]);
      a.uniform = false;
    } else {
      for (Offset i = 0; i < n_; ++i) left[i] = function(left[i], right[i]);
    }
  }
  void binary(Op op) {
    switch (op) {
      case Op::add:
        return apply_to_two([](double a, double b) { return apply(Op::add, a, b); });
      case Op::subtract:
        return apply_to_two([](double a, double b) { return apply(Op::subtract, a, b); });
      case Op::multiply:
        return apply_to_two([](double a, double b) { return apply(Op::multiply, a, b); });
      case Op::divide:
        return apply_to_two([](double a, double b) { return apply(Op::divide, a, b); });
      case Op::power:
        if (stack_[top_].uniform && stack_[top_].value == 2)
          return apply_to_two([](double a, double) { return apply(Op::power, a, 2); });
        [[fallthrough]];
      default:
        return apply_to_two([op](double a, double b) { return apply(op, a, b); });
    }
  }

  const std::vector<Instruction>& code_;
  double time_;
  std::vector<double> memory_;  // [entry of the stack, point of the block]
  Entry stack_[Expression::max_stack];
  int top_ = -1;
  Offset n_ = 0;
};

}  // namespace trestle::fem::postfix

// Lanes: doubles of several cells in one vector register.
#pragma once

#include <cstring>

namespace trestle::fem {

/// Four doubles under one arithmetic. Every operation treats all lanes alike, so that a cell gets
/// the same bits in any lane. A struct around the compiler's vector type, because that does not
/// take part in conversions from double.
struct Lanes {
  static constexpr int n = 4;
  using Vector = double __attribute__((vector_size(n * sizeof(double))));
  Vector v;

  Lanes() = default;
  Lanes(const Lanes& other) : v(other.v) {}  // one move of the register, also within larger structs
  Lanes& operator=(const Lanes& other) {
    v = other.v;
    return *this;
  }
  Lanes(double all) : v{all, all, all, all} {}
  explicit Lanes(Vector vector) : v(vector) {}
  /// value(lane) in each lane.
  template <class Value>
  static Lanes of(const Value& value) {
    return Lanes(Vector{value(0), value(1), value(2), value(3)});
  }

  /// Four doubles beside each other.
  static Lanes load(const double* values) {
    Vector vector;
    std::memcpy(&vector, values, sizeof vector);
    return Lanes(vector);
  }
  void store(double* values) const { std::memcpy(values, &v, sizeof v); }

  double operator[](int lane) const { return v[lane]; }

  friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v + b.v); }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v - b.v); }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v * b.v); }
  friend Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(a.v / b.v); }
  friend Lanes operator-(const Lanes& a) { return Lanes(-a.v); }
  Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
  Lanes& operator-=(const Lanes& b) { return *this = *this - b; }
  Lanes& operator*=(const Lanes& b) { return *this = *this * b; }
  /// Flags are the same for all cells of a model.
  friend bool is_set(const Lanes& flag) { return flag[0] != 0; }
};

}  // namespace trestle::fem

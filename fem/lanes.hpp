// Lanes: doubles of several cells in one vector register.
#pragma once

namespace trestle::fem {

/// Four doubles under one arithmetic. Every operation treats all lanes alike, so that a cell gets
/// the same bits in any lane. A struct around the compiler's vector type, because that does not
/// take part in conversions from double.
struct Lanes {
  static constexpr int n = 4;
  using Vector = double __attribute__((vector_size(n * sizeof(double))));
  Vector v;

  Lanes() = default;
  Lanes(double all) : v{all, all, all, all} {}
  explicit Lanes(Vector vector) : v(vector) {}

  double operator[](int lane) const { return v[lane]; }
  void set(int lane, double value) { v[lane] = value; }

  friend Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
  friend Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
  friend Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
  friend Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
  friend Lanes operator-(Lanes a) { return Lanes(-a.v); }
  Lanes& operator+=(Lanes b) { return *this = *this + b; }
  Lanes& operator-=(Lanes b) { return *this = *this - b; }
  Lanes& operator*=(Lanes b) { return *this = *this * b; }
  /// Flags are the same for all cells of a model.
  friend bool is_set(Lanes flag) { return flag[0] != 0; }
};

}  // namespace trestle::fem

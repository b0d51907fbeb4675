// Laws of solids at a point: tangents, energies, objectivity, closed forms, returns to the yield
// surface.
#include "fem/materials/solid_law.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace trestle::fem {
namespace {

/// A law with its numbers and what it acts on.
struct Example {
  std::string name;
  std::array<double, solid_parameter::count> values;
  std::vector<double> curve;
  PlasticState state;
  SolidLaw law() const { return SolidLaw(values.data(), curve.data(), state); }
};

constexpr double shear = 3, bulk = 7;
const std::vector<double> table{0, 0.02, 0.004, 0.05, 0.01, 0.06};

double code(Law law) { return static_cast<double>(law); }
std::vector<Example> examples() {
  const PlasticState memory{{{{0.001, 0.0005, 0}, {0.0005, -0.002, 0.0004}, {0, 0.0004, 0.001}}},
                            0.002};
  return {{"linear", {code(Law::linear), shear, bulk, 0, 0, 0}, {}, {}},
          {"neo_hookean", {code(Law::neo_hookean), shear, bulk, 0, 0, 0}, {}, {}},
          {"mooney_rivlin", {code(Law::mooney_rivlin), 1.1, bulk, 0.4, 0, 0}, {}, {}},
          {"plastic", {code(Law::j2_plasticity), shear, bulk, 0, 0, 3}, table, memory},
          {"hardening", {code(Law::j2_plasticity), shear, bulk, 2, 0, 1}, {0, 0.01}, {}},
          {"elastic", {code(Law::j2_plasticity), shear, bulk, 2, 0, 1}, {0, 10}, {}}};
}

/// Gradients of the displacement: large shear, stretch, compression with a turn.
const std::vector<Mat3> gradients{{{{0.1, 0.3, -0.05}, {0.02, -0.15, 0.1}, {0.2, 0.05, 0.12}}},
                                  {{{0.8, 0, 0}, {0, -0.3, 0.1}, {0, 0.2, 0.3}}},
                                  {{{-0.5, -0.6, 0.1}, {0.7, -0.4, 0}, {0.1, 0.2, -0.2}}},
                                  {{{0.002, 0.001, 0}, {0.003, -0.001, 0}, {0, 0.001, 0.002}}}};

Mat3 rotation(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const Mat3 about_z{{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}},
      about_x{{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  return about_z * about_x;
}
double difference(const Mat3& a, const Mat3& b) { return norm(a - b); }

/// Central difference of f along the entries of H.
constexpr double step = 1e-6;  // its error: 1e-12 of the third derivative, round-off / step
constexpr double of_difference = 1e-8;
template <class F>
auto slope(const F& f, Mat3 H, int k, int l) {
  Mat3 other = H;
  H(k, l) += step, other(k, l) -= step;
  return (1 / (2 * step)) * (f(H) - f(other));
}

TEST(SolidLaw, TangentIsTheDerivativeOfTheStressAndSymmetric) {
  for (const Example& example : examples())
    for (const Mat3& H : gradients) {
      const SolidLaw law = example.law();
      const Tensor4 A = law.tangent(H);
      double scale = 1;
      for (const auto& row : A.m)
        for (const double a : row) scale = std::max(scale, std::abs(a));
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
          const Mat3 by_difference = slope([&](const Mat3& X) { return law.stress(X); }, H, k, l);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              EXPECT_NEAR(A(i, j, k, l), by_difference(i, j), scale * of_difference)
                  << example.name << " " << i << j << k << l;
              EXPECT_NEAR(A(i, j, k, l), A(k, l, i, j), scale * 1e-14) << example.name;
            }
        }
    }
}

TEST(SolidLaw, OfPlaneStressLeavesTheThicknessFreeWithAConsistentTangent) {
  const std::vector<Mat3> in_plane{{{{0.1, 0.3, 0}, {0.02, -0.15, 0}, {0, 0, 0}}},
                                   {{{0.8, 0.1, 0}, {0, -0.3, 0}, {0, 0, 0}}},
                                   {{{-0.5, -0.6, 0}, {0.7, -0.4, 0}, {0, 0, 0}}},
                                   {{{0.002, 0.001, 0}, {0.003, -0.001, 0}, {0, 0, 0}}}};
  for (Example example : examples())
    for (const Mat3& H : in_plane) {
      example.values[solid_parameter::plane_stress] = 1;
      const SolidLaw law = example.law();
      const double thermal = law.finite() ? 0 : 1e-3;
      const auto stress = [&](const Mat3& X) {
        return law.whole_stress(law.with_thickness(X, thermal), thermal);
      };
      EXPECT_LT(std::abs(stress(H)(2, 2)), 1e-13 * (1 + norm(stress(H)))) << example.name;
      Tensor4 A = law.whole_tangent(law.with_thickness(H, thermal), thermal);
      SolidLaw::condense_thickness(A);
      for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 2; ++l) {
          const Mat3 by_difference = slope(stress, H, k, l);
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) {
              EXPECT_NEAR(A(i, j, k, l), by_difference(i, j), 100 * of_difference)
                  << example.name << " " << i << j << k << l;
              EXPECT_NEAR(A(i, j, k, l), A(k, l, i, j), 1e-12) << example.name;
            }
        }
    }
}

TEST(SolidLaw, VolumeHasItsSlopesAndPressureItsOwn) {
  for (const Example& example : examples())
    for (const Mat3& H : gradients) {
      const SolidLaw law = example.law();
      Tensor4 curvature{};
      law.add_volume_curvature(curvature, 1, H);
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
          EXPECT_NEAR(law.volume_slope(H)(k, l),
                      slope([&](const Mat3& X) { return law.volume(X); }, H, k, l), of_difference);
          const Mat3 second = slope([&](const Mat3& X) { return law.volume_slope(X); }, H, k, l);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              EXPECT_NEAR(curvature(i, j, k, l), second(i, j), of_difference);
        }
      const double theta = law.volume(H), h = 1e-6, thermal = law.finite() ? 0 : 0.01;
      const auto p = [&](double t) { return law.pressure(t, thermal); };
      const auto U = [&](double t) { return law.volume_energy(t, thermal); };
      EXPECT_NEAR(law.pressure_slope(theta), (p(theta + h) - p(theta - h)) / (2 * h), 1e-6);
      EXPECT_NEAR(p(theta), (U(theta + h) - U(theta - h)) / (2 * h), 1e-6);
    }
}

TEST(SolidLaw, StressOfElasticLawsIsTheDerivativeOfTheirEnergy) {
  for (const Example& example : examples()) {
    const SolidLaw law = example.law();
    if (law.law == Law::j2_plasticity) continue;
    for (const Mat3& H : gradients)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          EXPECT_NEAR(law.stress(H)(k, l),
                      slope([&](const Mat3& X) { return law.shape_energy(X); }, H, k, l),
                      20 * of_difference)
              << example.name;
  }
}

TEST(SolidLaw, FiniteStrainsTurnWithTheBody) {
  const Mat3 Q = rotation(1.1);
  for (const Example& example : examples()) {
    const SolidLaw law = example.law();
    if (!law.finite()) continue;
    EXPECT_LT(norm(law.stress(Q - identity())), 1e-14) << example.name;
    for (const Mat3& H : gradients) {
      const Mat3 turned = Q * (identity() + H) - identity();
      EXPECT_LT(difference(law.stress(turned), Q * law.stress(H)),
                1e-13 * (1 + norm(law.stress(H))));
      EXPECT_NEAR(law.volume(turned), law.volume(H), 1e-14);
    }
  }
}

TEST(SolidLaw, IncompressibleStretchesAndShearHaveTheirClosedForms) {
  const double c10 = 1.1, c01 = 0.4, stretch = 1.7, gamma = 0.9;
  const auto cauchy = [&](const Mat3& F) {
    return MooneyRivlin{c10, c01}.stress(F) * transpose(F);  // J = 1
  };
  const double root = 1 / std::sqrt(stretch), squared = stretch * stretch;
  const Mat3 uniaxial = cauchy({{{stretch, 0, 0}, {0, root, 0}, {0, 0, root}}});
  EXPECT_NEAR(uniaxial(0, 0) - uniaxial(1, 1), 2 * (squared - 1 / stretch) * (c10 + c01 / stretch),
              1e-13);
  const Mat3 biaxial = cauchy({{{stretch, 0, 0}, {0, stretch, 0}, {0, 0, 1 / squared}}});
  EXPECT_NEAR(biaxial(0, 0) - biaxial(2, 2),
              2 * (squared - 1 / (squared * squared)) * (c10 + c01 * squared), 1e-12);
  const Mat3 sheared = cauchy({{{1, gamma, 0}, {0, 1, 0}, {0, 0, 1}}});
  EXPECT_NEAR(sheared(0, 1), 2 * (c10 + c01) * gamma, 1e-13);
  EXPECT_NEAR(sheared(0, 0) - sheared(1, 1), 2 * (c10 + c01) * gamma * gamma, 1e-13);
  const Mat3 neo = NeoHookean{shear}.stress({{{stretch, 0, 0}, {0, root, 0}, {0, 0, root}}}) *
                   Mat3{{{stretch, 0, 0}, {0, root, 0}, {0, 0, root}}};
  EXPECT_NEAR(neo(0, 0) - neo(1, 1), shear * (squared - 1 / stretch), 1e-13);
}

TEST(SolidLaw, AnInvertedPointHasNoFiniteStress) {
  const Mat3 inverted{{{-1.5, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
  for (const Example& example : examples())
    if (example.law().finite()) {
      EXPECT_FALSE(std::isfinite(norm(example.law().stress(inverted)))) << example.name;
    }
}

/// Shear strain of tensor component e: von Mises equivalent stress 2 sqrt(3) mu e while elastic.
Mat3 shear_strain(double e) { return {{{0, e, 0}, {e, 0, 0}, {0, 0, 0}}}; }

TEST(J2Plasticity, LoadingFollowsTheCurveAcrossItsPoints) {
  for (const double end : {0.002, 0.006, 0.02}) {  // of the plastic strain: a piece each
    const HardeningCurve curve{table.data(), 3, 0};
    const J2Plasticity point{shear, curve, {}};
    const int k = curve.piece(end);
    const double yield = curve.stress(k) + curve.slope_of(k) * (end - curve.strain(k));
    const Mat3 strain = shear_strain((yield / (3 * shear) + end) * std::sqrt(0.75));
    const PlasticState state = point.updated(strain);
    EXPECT_NEAR(von_mises(point.stress(strain)), yield, 1e-14);
    EXPECT_NEAR(state.equivalent, end, 1e-15);
    EXPECT_NEAR(std::sqrt(2.0 / 3) * norm(state.strain), end, 1e-15);
    EXPECT_NEAR(trace(state.strain), 0, 1e-17);
  }
}

TEST(J2Plasticity, UnloadingIsElasticAndYieldsAtTheRaisedStressTheOtherWay) {
  const double yield = 0.01, modulus = 2, first_point[] = {0, yield};
  const HardeningCurve curve{first_point, 1, modulus};
  const double e = 0.01;
  J2Plasticity point{shear, curve, {}};
  point.accepted = point.updated(shear_strain(e));
  const double q = von_mises(point.stress(shear_strain(e)));
  // sqrt(3) tau = yield + modulus alpha, tau = 2 mu (e - sqrt(3)/2 alpha)
  const double alpha = (2 * std::sqrt(3.0) * shear * e - yield) / (modulus + 3 * shear);
  EXPECT_NEAR(q, yield + modulus * alpha, 1e-15);
  const double back = 0.9 * 2 * q / (2 * std::sqrt(3.0) * shear);
  const Mat3 unloaded = point.stress(shear_strain(e - back));
  EXPECT_NEAR(unloaded(0, 1), q / std::sqrt(3.0) - 2 * shear * back, 1e-15);
  EXPECT_EQ(point.updated(shear_strain(e - back)).equivalent, point.accepted.equivalent);
  EXPECT_GT(point.updated(shear_strain(e - back / 0.9 - 1e-6)).equivalent,
            point.accepted.equivalent);
}

TEST(J2Plasticity, AnAcceptedPointKeepsItsStress) {
  for (const Mat3& H : gradients)
    for (const Example& example : examples()) {
      if (example.law().law != Law::j2_plasticity) continue;
      J2Plasticity point = example.law().plasticity();
      const Mat3 before = point.stress(sym(H));
      point.accepted = point.updated(sym(H));
      EXPECT_LT(difference(point.stress(sym(H)), before), 1e-14);
      EXPECT_EQ(point.updated(sym(H)).equivalent, point.accepted.equivalent);
    }
}

}  // namespace
}  // namespace trestle::fem

// Tests of stored heat where capacities depend on temperature, against integrals in closed form.
#include "physics/enthalpy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "physics/materials.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

using physics::enthalpy_of;

fem::Expression expression(const std::string& text) { return *value({text}).components[0]; }

double rise(const fem::Expression& h, double from, double to) {
  return h(0, 0, 0, 0, to) - h(0, 0, 0, 0, from);
}

TEST(EnthalpyOfCapacity, IsItsIntegral) {
  const fem::Expression linear = enthalpy_of(expression("400 + 0.5*T"));
  const auto exact = [](double T) { return 400 * T + 0.25 * T * T; };
  for (const double from : {0.0, 250.0, 293.15, 1000.1})
    for (const double to : {300.0, 1234.5, 3999.0})
      EXPECT_NEAR(rise(linear, from, to), exact(to) - exact(from), 0.5 * 0.25 * 0.25 / 4);
}

TEST(EnthalpyOfCapacity, MissesNoHumpOfATable) {
  const fem::Expression hump =
      enthalpy_of(expression("table(T, 350.01, 1, 350.02, 41, 350.03, 1)"));
  EXPECT_NEAR(rise(hump, 349, 351), 2 + 0.02 * 40 / 2, 1e-9);
  EXPECT_NEAR(rise(hump, 5000, 6000), 1000, 1e-6);
  EXPECT_NEAR(rise(hump, -200, 0), 200, 1e-6);
}

TEST(EnthalpyOfCapacity, GoesOnWhereTheCapacityHasNoValue) {
  const fem::Expression strict = enthalpy_of(expression("strict_table(T, 300, 2, 500, 4)"));
  EXPECT_NEAR(rise(strict, 300, 500), 600, 1e-9);
  EXPECT_NEAR(rise(strict, 500, 510), 40, 1e-6);
  EXPECT_NEAR(rise(strict, 290, 300), 20, 1e-6);
}

class EnthalpyTest : public OnEachDevice {
 protected:
  physics::Problem problem(physics::MassKind mass) {
    physics::Problem problem{.physics = "heat"};
    problem.materials = {
        material({{"conductivity", {"1"}}, {"density", {"1 + 2*x"}}, {"specific_heat", {"5 + 0.02*T"}}})};
    problem.analysis.mass = mass;
    return problem;
  }
  solver::Vector<double> vector(const physics::Analysis& analysis,
                                const std::function<double(const double*)>& f) {
    solver::Vector<double> u(device(), analysis.mesh().nodes, 1);
    const auto values = gpu::write(u.values());
    for (Index i = 0; i < u.map().n_local(); ++i)
      values[i] = f(&analysis.mesh().coordinates[3 * static_cast<std::size_t>(i)]);
    return u;
  }
};
TRESTLE_ON_EACH_DEVICE(EnthalpyTest);

TEST_P(EnthalpyTest, OfOneTemperatureIsThatOfTheVolume) {
  for (const auto mass : {physics::MassKind::consistent, physics::MassKind::lumped})
    for (const mesh::CellType cell : {mesh::CellType::hex8, mesh::CellType::tet10}) {
      physics::Analysis analysis(device(), box_mesh(world(), cell, 2, 0.05), problem(mass));
      const physics::Capacity capacity = analysis.make_capacity();
      ASSERT_NE(capacity.enthalpy(), nullptr);
      const auto stored = [&](double T) {
        solver::Vector<double> w = vector(analysis, [](const double*) { return 0.0; });
        capacity.enthalpy()->add(vector(analysis, [T](const double*) { return T; }), w);
        double sum = 0;
        const auto values = gpu::read(w.values());
        for (Index i = 0; i < w.map().n_owned(); ++i) sum += values[i];
        return world().sum(sum);
      };
      EXPECT_NEAR(stored(400) - stored(300), 2 * (500 + 0.01 * (160000 - 90000)), 1e-2);
    }
}

TEST_P(EnthalpyTest, LumpedSlopesAreThoseOfTheContent) {
  physics::Analysis analysis(device(), box_mesh(world(), mesh::CellType::tet4, 2, 0.05),
                             problem(physics::MassKind::lumped));
  const physics::Capacity capacity = analysis.make_capacity();
  const auto field = [](const double* x) { return 300.1 + 50 * x[0] * x[1]; };
  const auto moved = [&](const double* x) { return field(x) + 1e-3; };
  const auto nothing = [](const double*) { return 0.0; };
  solver::Vector<double> w = vector(analysis, nothing), more = vector(analysis, nothing),
                         slope = vector(analysis, nothing);
  capacity.enthalpy()->add(vector(analysis, field), w);
  capacity.enthalpy()->add(vector(analysis, moved), more);
  capacity.enthalpy()->add_slope(vector(analysis, field), slope);
  const auto a = gpu::read(w.values()), b = gpu::read(more.values()), s = gpu::read(slope.values());
  for (Index i = 0; i < w.map().n_owned(); ++i)
    EXPECT_NEAR((b[i] - a[i]) / 1e-3, s[i], 1e-3 * s[i]);
}

}  // namespace
}  // namespace trestle::test

// Free vibrations: closed forms and their orders, rigid motions by name, sums of effective masses,
// forces of supports, ranks and devices.
#include "physics/modal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "solver/krylov/inner_product.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

using mesh::CellType;
using physics::MassKind;

constexpr double pi = std::numbers::pi;
constexpr double young = 4, density = 1, shear_modulus = 2;  // Poisson's ratio 0
constexpr double round_off = 1e-10;

physics::Problem free_solid(int dim, const std::string& of_density = "1") {
  physics::Problem problem{.physics = "elasticity"};
  if (dim == 2) problem.model = "plane_stress";
  problem.materials = {material({{"young", {"4"}}, {"poisson", {"0"}}, {"density", {of_density}}})};
  problem.analysis.type = physics::AnalysisType::modal;
  return problem;
}

/// Moves along x alone, held at x = 0: u = sin((2k - 1) pi x / 2) cos(m pi y) cos(l pi z), lambda =
/// (E ((2k - 1) pi / 2)^2 + G (m^2 + l^2) pi^2) / density.
physics::Problem rod(int dim) {
  physics::Problem problem = free_solid(dim);
  std::vector<std::string> sideways(static_cast<std::size_t>(dim), "0");
  sideways[0] = "";
  std::vector<std::string> held(static_cast<std::size_t>(dim), "");
  held[0] = "0";
  problem.conditions = {condition("displacement", {"body"}, sideways),
                        condition("displacement", {"xmin"}, held)};
  return problem;
}

struct Solved {
  solver::EigenResult found;
  physics::Vibrations vibrations;
};

Solved solve_modes(const physics::Analysis& analysis, int modes,
                   MassKind mass = MassKind::consistent) {
  const physics::ModalProblem problem(analysis, mass);
  physics::AnalysisOptions options;
  options.modes = modes;
  solver::EigenResult found = problem.solve(options, 1e-8);
  EXPECT_TRUE(found.converged) << found.message;
  physics::Vibrations vibrations = problem.describe(found);
  return {std::move(found), std::move(vibrations)};
}

double first_eigenvalue(CellType cell, Index n, MassKind mass) {
  const physics::Analysis analysis(gpu::make_cpu_device(), box_mesh(world(), cell, n, 0),
                                   rod(mesh::traits(cell).dim));
  return solve_modes(analysis, 1, mass).vibrations.modes.at(0).eigenvalue;
}

class RodOfCell : public testing::TestWithParam<CellType> {};

TEST_P(RodOfCell, EigenvaluesConvergeByTwiceTheOrder) {
  const int order = mesh::traits(GetParam()).order;
  const double exact = young * pi * pi / 4 / density;
  constexpr Index n = 4;
  const double coarse = first_eigenvalue(GetParam(), n, MassKind::consistent) - exact,
               fine = first_eigenvalue(GetParam(), 2 * n, MassKind::consistent) - exact;
  EXPECT_GT(fine, 0);  // a conforming method with the exact mass bounds from above
  EXPECT_NEAR(std::log2(coarse / fine), 2 * order, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Cells, RodOfCell,
                         testing::Values(CellType::tri3, CellType::tri6, CellType::quad4,
                                         CellType::quad8, CellType::tet4, CellType::hex8,
                                         CellType::hex20, CellType::prism6, CellType::prism15),
                         [](const auto& info) { return cell_name(info.param); });

TEST(Modal, LumpedMassesOfLinearCellsConvergeFromBelow) {
  const double exact = young * pi * pi / 4 / density;
  const double coarse = exact - first_eigenvalue(CellType::hex8, 4, MassKind::lumped),
               fine = exact - first_eigenvalue(CellType::hex8, 8, MassKind::lumped);
  EXPECT_GT(fine, 0);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

TEST(Modal, FindsThePairsOfASquareRod) {
  const physics::Analysis analysis(gpu::make_cpu_device(), box_mesh(world(), CellType::hex20, 3, 0),
                                   rod(3));
  const Solved solved = solve_modes(analysis, 4);
  const auto& modes = solved.vibrations.modes;
  const double first = young * pi * pi / 4, side = shear_modulus * pi * pi;
  const double exact[] = {first, first + side, first + side, first + 2 * side};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(modes[k].eigenvalue, exact[k], 0.01 * exact[k]);
  EXPECT_NEAR(modes[1].eigenvalue, modes[2].eigenvalue, 1e-9 * modes[1].eigenvalue);
  EXPECT_NEAR(modes[0].frequency, std::sqrt(modes[0].eigenvalue) / (2 * pi), round_off);
  // The mass that moves in the first mode of a rod held at its end: 8 / pi^2 of it.
  EXPECT_NEAR(modes[0].effective_mass[0], 8 / (pi * pi), 1e-3);
  EXPECT_NEAR(modes[1].effective_mass[0], 0, round_off);
}

struct FreeModel {
  CellType cell;
  std::string model;
  double inertia_x;  // of the translation in x, 0: there is none
  std::vector<std::string> rigid;
};

class FreeModels : public testing::TestWithParam<FreeModel> {};

// All modes of a free body carry all of its inertia, along and about each axis.
TEST_P(FreeModels, ModesCarryTheWholeInertia) {
  const FreeModel& given = GetParam();
  const int dim = mesh::traits(given.cell).dim;
  physics::Problem problem = free_solid(dim);
  if (dim == 2) {
    problem.model = given.model;
    if (given.model != "axisymmetric") problem.thickness = 0.5;
  }
  const physics::Analysis analysis(gpu::make_cpu_device(), box_mesh(world(), given.cell, 1, 0),
                                   problem);
  for (const MassKind mass : {MassKind::consistent, MassKind::lumped}) {
    const Solved solved = solve_modes(analysis, 1000, mass);
    const physics::Vibrations& v = solved.vibrations;
    ASSERT_EQ(static_cast<GlobalIndex>(v.modes.size()), analysis.n_dofs());
    for (std::size_t k = 0; k < v.motions.size(); ++k) {
      double sum = 0;
      for (const physics::Vibration& mode : v.modes) sum += mode.effective_mass[k];
      EXPECT_NEAR(sum, v.inertia[k], round_off * v.inertia[k]) << v.motions[k];
    }
    if (given.inertia_x > 0) {
      EXPECT_NEAR(v.inertia[0], given.inertia_x, round_off);
    }
    for (std::size_t k = 0; k < v.modes.size(); ++k)
      EXPECT_EQ(v.modes[k].name, k < given.rigid.size() ? given.rigid[k] : "") << k;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, FreeModels,
    testing::Values(
        FreeModel{CellType::hex20,
                  "",
                  1,
                  {"translation x", "translation y", "translation z", "rotation x", "rotation y",
                   "rotation z"}},
        FreeModel{
            CellType::quad8, "plane_stress", 0.5, {"translation x", "translation y", "rotation z"}},
        FreeModel{
            CellType::tri6, "plane_strain", 0.5, {"translation x", "translation y", "rotation z"}},
        FreeModel{CellType::quad9, "axisymmetric", 0, {"translation y"}}),
    [](const auto& info) { return cell_name(info.param.cell); });

// A density that grows along x: the mass, its centre, and the moment of inertia about it.
TEST(Modal, TakesDensitiesThatVary) {
  const physics::Analysis analysis(gpu::make_cpu_device(), box_mesh(world(), CellType::hex8, 2, 0),
                                   free_solid(3, "1 + x"));
  const physics::Vibrations v = solve_modes(analysis, 7).vibrations;
  EXPECT_NEAR(v.inertia[0], 1.5, round_off);
  EXPECT_NEAR(v.centre[0], 5.0 / 9, round_off);
  EXPECT_NEAR(v.centre[1], 0.5, round_off);
  EXPECT_NEAR(v.inertia[3], 1.5 / 6, round_off);  // 1.5 kg times (1/12 + 1/12) m^2
}

// Part of the model may still move as a whole: what is left of the rigid motions has its name.
TEST(Modal, NamesTheMotionsThatSupportsLeave) {
  physics::Problem problem = free_solid(3);
  problem.conditions = {condition("displacement", {"zmin"}, {"", "", "0"})};
  const physics::Analysis analysis(gpu::make_cpu_device(), box_mesh(world(), CellType::hex8, 2, 0),
                                   problem);
  const physics::Vibrations v = solve_modes(analysis, 5).vibrations;
  EXPECT_EQ(v.modes[0].name, "translation x");
  EXPECT_EQ(v.modes[1].name, "translation y");
  EXPECT_EQ(v.modes[2].name, "rotation z");
  EXPECT_EQ(v.modes[3].name, "");
  EXPECT_EQ(v.modes[2].frequency, 0);
}

physics::Problem cantilever() {
  physics::Problem problem = free_solid(3);
  problem.materials[0].parameters["poisson"] = value({"0.3"});
  // Held at another place than 0, and by a skew roller: modes move about the place at rest.
  problem.conditions = {condition("displacement", {"xmin"}, {"0.1", "0", "0"}),
                        condition("roller", {"ymax"}, {})};
  problem.conditions[1].parameters["normal"] = value({"0.6", "0.8", "0"});
  return problem;
}

// What the supports do to the body: r'(K x - lambda M x) = -lambda r'M x for a translation r.
TEST(Modal, ForcesOfSupportsBalanceTheInertia) {
  const physics::Analysis analysis(gpu::make_cpu_device(),
                                   box_mesh(world(), CellType::tet10, 2, 0.02), cantilever());
  for (const MassKind mass : {MassKind::consistent, MassKind::lumped}) {
    const physics::ModalProblem problem(analysis, mass);
    physics::AnalysisOptions options;
    options.modes = 3;
    const solver::EigenResult found = problem.solve(options, 1e-8);
    ASSERT_TRUE(found.converged) << found.message;
    const physics::Vibrations v = problem.describe(found);
    for (std::size_t k = 0; k < 3; ++k) {
      const physics::State state = problem.state(found, k, true);
      EXPECT_EQ(state.name, "mode " + std::to_string(k + 1));
      std::vector<double> sum(3, 0.0);
      {
        const auto forces = gpu::read(physics::reactions_of(state).values());
        for (Offset i = 0; i < state.u.n_owned(); ++i)
          sum[static_cast<std::size_t>(i % 3)] += forces[i];
      }
      world().sum(std::span<double>(sum));
      const double size = v.modes[k].eigenvalue;
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_NEAR(sum[d], -v.modes[k].eigenvalue * v.modes[k].participation[d], 1e-6 * size);
    }
  }
}

TEST(Modal, SupportsAreAtRest) {
  const auto mesh = box_mesh(world(), CellType::hex8, 2, 0.02);
  const physics::Analysis analysis(gpu::make_cpu_device(), mesh, cantilever());
  const physics::ModalProblem problem(analysis, MassKind::consistent);
  physics::AnalysisOptions options;
  options.modes = 2;
  const solver::EigenResult found = problem.solve(options, 1e-8);
  const physics::State state = problem.state(found, 0, false);
  const auto x = gpu::read(state.u.values());
  for (Index node = 0; node < mesh->nodes->n_local(); ++node) {
    const fem::Vec3 place = fem::node_place(*mesh, node);
    for (int d = 0; d < 3 && place[0] == 0; ++d) EXPECT_EQ(x[3 * node + d], 0);
    if (place[1] == 1) {
      EXPECT_NEAR(0.6 * x[3 * node] + 0.8 * x[3 * node + 1], 0, 1e-12);
    }
  }
}

TEST(Modal, IsTheSameOnAnyNumberOfRanks) {
  const Comm alone(MPI_COMM_SELF);
  const auto frequencies = [](const Comm& comm) {
    const physics::Analysis analysis(gpu::make_cpu_device(),
                                     box_mesh(comm, CellType::hex20, 2, 0.01), free_solid(3));
    std::vector<double> all;
    for (const physics::Vibration& mode : solve_modes(analysis, 12).vibrations.modes) {
      all.push_back(mode.frequency);
      for (double part : mode.effective_mass) all.push_back(part);
    }
    return all;
  };
  const std::vector<double> one = frequencies(alone), many = frequencies(world());
  ASSERT_EQ(one.size(), many.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], many[i], 1e-7);
}

class ModalOnDevices : public OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(ModalOnDevices);

TEST_P(ModalOnDevices, FindsWhatTheCpuFinds) {
  const auto mesh = box_mesh(world(), CellType::hex20, 2, 0.01);
  const physics::Analysis on_cpu(gpu::make_cpu_device(), mesh, cantilever()),
      on_device(device(), mesh, cantilever());
  for (const MassKind mass : {MassKind::consistent, MassKind::lumped}) {
    const physics::Vibrations expected = solve_modes(on_cpu, 6, mass).vibrations,
                              found = solve_modes(on_device, 6, mass).vibrations;
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(found.modes[k].frequency, expected.modes[k].frequency, 1e-9);
      EXPECT_NEAR(found.modes[k].effective_mass[1], expected.modes[k].effective_mass[1], 1e-7);
      EXPECT_NEAR(found.modes[k].largest, expected.modes[k].largest, 1e-7);
    }
  }
}

}  // namespace
}  // namespace trestle::test

// The couplings of displacement and temperature against integrals, and the tangent of a coupled
// step against differences of its residual.
#include <gtest/gtest.h>

#include "fem/operators/dilatation_coupling.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/coupled_equations.hpp"
#include "solver/krylov/inner_product.hpp"
#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

physics::Problem problem_of(int dim) {
  physics::Problem problem{.physics = "thermoelasticity"};
  problem.analysis.type = physics::AnalysisType::transient;
  problem.analysis.coupling = physics::Coupling::two_way;
  problem.materials = {material({{"conductivity", {"3"}},
                                 {"density", {"2"}},
                                 {"specific_heat", {"5"}},
                                 {"young", {"1e3*(1 + x)"}},
                                 {"poisson", {"0.25"}},
                                 {"thermal_expansion", {"1e-3*(1 + y)"}},
                                 {"reference_temperature", {"300"}}})};
  std::vector<std::string> zero(static_cast<std::size_t>(dim), "0");
  problem.conditions = {condition("temperature", {"xmax"}, {"310"}),
                        condition("displacement", {"xmin"}, zero),
                        condition("roller", {"ymin"}, {})};
  return problem;
}

/// Nodal values [node, component] from value(place, component), ghosts included.
template <class Value>
solver::Vector<double> nodal(const gpu::Device& device, const mesh::Mesh& mesh, int n,
                             const Value& value) {
  solver::Vector<double> u(device, mesh.nodes, n);
  const auto values = gpu::write(u.values());
  for (std::size_t node = 0; node < mesh.coordinates.size() / 3; ++node)
    for (int d = 0; d < n; ++d)
      values[static_cast<Offset>(node) * n + d] = value(&mesh.coordinates[3 * node], d);
  return u;
}

class CouplingTest : public OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(CouplingTest);

TEST_P(CouplingTest, HeatOfACompressionIsTheTransposeOfTheForceOfAPressure) {
  for (const mesh::CellType cell :
       {mesh::CellType::quad8, mesh::CellType::tet4, mesh::CellType::prism15}) {
    const auto mesh = box_mesh(world(), cell, 2, 0.02);
    const int dim = mesh->dim;
    const fem::Discretisation discretisation(device(), mesh, fem::Section{dim == 2, 1});
    const fem::MatrixLayout layout = fem::make_matrix_layout(discretisation);
    fem::PointCoefficient two;
    for (const fem::EntityBlock& block : discretisation.blocks()) {
      two.emplace_back(device(), block.n_entities * block.stiffness.n_points, "loads");
      gpu::fill(device(), two.back().view(), 2.0);
    }
    solver::RectangularMatrix gradient(device(), layout.pattern, dim, 1),
        divergence(device(), layout.pattern, 1, dim);
    fem::add_gradient_coupling(discretisation, layout, two, gradient);
    fem::add_divergence_coupling(discretisation, layout, two, divergence);
    // T' D u = u' G T, and for T = 1 the integral of 2 div u: here div u = 1 + 2 + 3 in space, with
    // u_r / r = 1 in axisymmetry, over the volume.
    const auto u =
        nodal(device(), *mesh, dim, [](const double* x, int d) { return (d + 1) * x[d]; });
    const auto T = nodal(device(), *mesh, 1, [](const double* x, int) { return 1 + x[0] * x[1]; });
    const auto one = nodal(device(), *mesh, 1, [](const double*, int) { return 1.0; });
    solver::Vector<double> heat(device(), mesh->nodes, 1), force(device(), mesh->nodes, dim);
    for (auto* sum : {&heat, &force}) gpu::fill(device(), sum->view(), 0.0);
    divergence.add_product(1, u, heat);
    gradient.add_product(1, T, force);
    const double left = solver::dot(T, heat), right = solver::dot(u, force);
    EXPECT_NEAR(left, right, 1e-13 * std::abs(left));
    const double pi = std::acos(-1.0);
    const double exact = dim == 2 ? 2 * (1 + 2 + 1) * pi : 2 * 6.0;  // pi: of the disc of radius 1
    EXPECT_NEAR(solver::dot(one, heat), exact, 1e-12 * exact);
  }
}

/// A step of the coupled equations at a state that is no solution.
struct Step {
  physics::Analysis analysis;
  physics::Capacity capacity;
  physics::StepEquations of_heat;
  physics::CoupledEquations equations;
  solver::Vector<double> offset;

  Step(const gpu::Device& device, const std::shared_ptr<const mesh::Mesh>& mesh,
       const solver::SolverOptions& options)
      : analysis(device, mesh, problem_of(mesh->dim)),
        capacity(analysis.heat()->make_capacity()),
        of_heat(*analysis.heat(), options, &capacity, physics::MassKind::consistent),
        equations(analysis, of_heat, options),
        offset(nodal(device, *mesh, mesh->dim + 1,
                     [](const double* x, int d) { return d == 0 ? -x[0] : -30 * x[1]; })) {
    solver::StepForm form;
    form.mass_factor = 4;
    form.mass_offset = &offset;
    equations.use(form);
  }
  solver::Vector<double> guess() const {
    const int dim = analysis.mesh().dim;
    solver::Vector<double> x =
        nodal(offset.device(), analysis.mesh(), dim + 1, [dim](const double* place, int d) {
          return d < dim ? 0.01 * place[d] * place[0] : 305 + 2 * place[0] * place[1];
        });
    equations.impose(x);
    return x;
  }
};

TEST_P(CouplingTest, OneCorrectionSolvesALinearStep) {
  for (const mesh::CellType cell : {mesh::CellType::quad8, mesh::CellType::tet4}) {
    solver::SolverOptions options;
    Step step(device(), box_mesh(world(), cell, 3, 0.02), options);
    ASSERT_TRUE(step.equations.linear());
    solver::Vector<double> x = step.guess();
    solver::NewtonOptions newton;
    newton.tolerance = 1e-10;
    solver::NewtonScales scales;
    const solver::NewtonResult result = solver::newton(step.equations, newton, scales, x);
    ASSERT_TRUE(result.converged) << result.message;
    // The scale of the forces is known after the first one only.
    EXPECT_LE(result.iterations.size(), 2u);
    EXPECT_EQ(result.last_solve.preconditioner, "field_split (amg, amg)");
    // At the solution the reactions are all that is out of balance.
    solver::Vector<double> r = step.equations.make_vector();
    step.equations.residual(x, r);
    EXPECT_LE(solver::norm(r), 1e-10);
  }
}

TEST_P(CouplingTest, AReferenceTemperatureThatIsNotAbsoluteIsRefused) {
  physics::Problem problem = problem_of(2);
  problem.materials.front().parameters["reference_temperature"] = value({"0"});
  physics::Analysis analysis(device(), box_mesh(world(), mesh::CellType::quad4, 2, 0), problem);
  physics::Capacity capacity = analysis.heat()->make_capacity();
  physics::StepEquations of_heat(*analysis.heat(), {}, &capacity, physics::MassKind::consistent);
  EXPECT_THROW(physics::CoupledEquations(analysis, of_heat, {}), CaseError);
}

}  // namespace
}  // namespace trestle::test

#include "app/selftest.hpp"

#include "app/model_problem.hpp"
#include "gpu/vector_ops.hpp"
#include "mesh/generate.hpp"
#include "physics/derived.hpp"
#include "solver/linear_solver.hpp"

namespace trestle::app {
namespace {

constexpr double rounding = 1e-11;  // allowed for sums of some hundred products in another order
constexpr double solved = 1e-7;     // allowed for solutions to a tolerance of 1e-10

physics::Problem heat_problem() {
  physics::Problem problem{.physics = "heat"};
  problem.materials = {model_material({{"conductivity", "2 + x*y"}})};
  problem.conditions = {
      model_condition("temperature", "xmin", {{"value", {"1 + sin(y)"}}}),
      model_condition("source", "body", {{"value", {"exp(x)"}}}),
      model_condition("flux", "ymax", {{"value", {"cos(x)"}}}),
      model_condition("convection", "xmax", {{"coefficient", {"3"}}, {"ambient", {"2"}}})};
  return problem;
}

physics::Problem solid_problem(int dim) {
  physics::Problem problem{.physics = "elasticity"};
  problem.materials = {model_material({{"young", "1000"},
                                       {"poisson", "0.3"},
                                       {"density", "2"},
                                       {"thermal_expansion", "1e-3"},
                                       {"reference_temperature", "0"}})};
  Components zero(static_cast<std::size_t>(dim), "0"), traction = zero, weight = zero,
                                                       normal = zero;
  traction[0] = "sin(y)", weight[static_cast<std::size_t>(dim - 1)] = "-1", normal[0] = "1",
  normal[1] = "2";
  problem.conditions = {model_condition("displacement", "xmin", {{"value", zero}}),
                        model_condition("roller", "ymin", {{"normal", normal}}),
                        model_condition("traction", "xmax", {{"value", traction}}),
                        model_condition("pressure", "ymax", {{"value", {"2"}}}),
                        model_condition("gravity", "body", {{"value", weight}}),
                        model_condition("temperature", "body", {{"value", {"x + y"}}})};
  return problem;
}

std::shared_ptr<const mesh::Mesh> box(const Comm& comm, mesh::CellType cell) {
  mesh::BoxOptions options;
  options.cell = cell;
  options.cells = {3, 2, mesh::traits(cell).dim == 3 ? 2 : 1};
  return std::make_shared<const mesh::Mesh>(
      mesh::distribute(comm, mesh::generate_box(comm, options), mesh::Partitioner::hilbert));
}

/// What one device makes of a problem, on the host.
struct Outcome {
  std::vector<double> matrix, right_side, solution, nodal;
};

Outcome compute(const gpu::Device& device, const std::shared_ptr<const mesh::Mesh>& mesh,
                const physics::Problem& problem, solver::Precision precision) {
  const physics::Analysis analysis(device, mesh, problem);
  auto matrix = std::make_shared<const solver::BlockMatrix<double>>(analysis.matrix());
  const solver::Vector<double> b = analysis.right_side(0);
  solver::SolverOptions options;
  options.method = solver::Method::cg;
  options.precision = precision;
  options.tolerance = 1e-10;
  solver::LinearSolver<double> solver(options, matrix, analysis.matrix_traits());
  solver::Vector<double> v(device, mesh->nodes, analysis.n_components());
  gpu::fill(device, v.view(), 0.0);
  const solver::SolveResult result = solver.solve(b, v);
  if (!result.converged) gpu::fill(device, v.view(), std::numeric_limits<double>::quiet_NaN());
  const physics::ResultPoints points = physics::make_result_points(*mesh, analysis.materials(), 1);
  const physics::State state = physics::make_state(analysis, 0, analysis.expand(v), false);
  physics::PointAverages averages(analysis, points);
  physics::Derived derived(averages, state);
  std::vector<double> sums = gpu::download(b.values());
  sums.resize(static_cast<std::size_t>(b.n_owned()));
  return {gpu::download(matrix->values()), std::move(sums), gpu::download(state.u.values()),
          derived.values(problem.physics == "heat" ? "heat_flux" : "stress")};
}

void add_problem(std::vector<gpu::KernelCheck>& checks, const gpu::Device& device,
                 const std::shared_ptr<const mesh::Mesh>& mesh, const physics::Problem& problem,
                 const std::string& name, solver::Precision precision) {
  const Outcome cpu = compute(gpu::make_cpu_device(), mesh, problem, precision);
  const Outcome other = compute(device, mesh, problem, precision);
  checks.push_back(gpu::compare_with_cpu(name + " matrix", cpu.matrix, other.matrix, rounding));
  checks.push_back(
      gpu::compare_with_cpu(name + " right side", cpu.right_side, other.right_side, rounding));
  checks.push_back(gpu::compare_with_cpu(name + " solution", cpu.solution, other.solution, solved));
  checks.push_back(gpu::compare_with_cpu(name + " flux at nodes", cpu.nodal, other.nodal, solved));
}

}  // namespace

std::vector<gpu::KernelCheck> check_device(const Comm& comm, const gpu::Device& device) {
  using enum mesh::CellType;
  std::vector<gpu::KernelCheck> checks = gpu::check_kernels(device, comm);
  for (const mesh::CellType cell :
       {tri3, tri6, quad4, quad8, quad9, tet4, tet10, hex8, hex20, hex27, prism6, prism15, prism18,
        pyramid5, pyramid13, pyramid14}) {
    const auto mesh = box(comm, cell);
    const std::string name(mesh::traits(cell).name);
    add_problem(checks, device, mesh, heat_problem(), "heat " + name, solver::Precision::double_);
    add_problem(checks, device, mesh, solid_problem(mesh->dim), "elasticity " + name,
                solver::Precision::mixed);
  }
  return checks;
}

}  // namespace trestle::app

#include "app/commands/selftest.hpp"

#include <array>
#include <limits>

#include "app/model_problem.hpp"
#include "gpu/vector_ops.hpp"
#include "mesh/generate.hpp"
#include "physics/results/derived.hpp"
#include "physics/step_equations.hpp"
#include "solver/linear_solver.hpp"
#include "solver/multigrid/multigrid.hpp"

namespace trestle::app {
namespace {

constexpr double rounding = 1e-11;  // allowed for sums of some hundred products in another order
constexpr double rounding_in_float = 1e-4;  // the same in float, through the levels of a cycle
constexpr double solved = 1e-7;             // allowed for solutions to a tolerance of 1e-10

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

/// A solute in a stream that decays, and flow through a heavy medium.
physics::Problem stream_problem() {
  physics::Problem problem{.physics = "transport"};
  problem.materials = {
      model_material({{"diffusivity", "0.1 + x"}, {"velocity", "2 + y"}, {"reaction", "0.5"}})};
  problem.conditions = {model_condition("concentration", "xmin", {{"value", {"1 + y"}}}),
                        model_condition("source", "body", {{"value", {"exp(x)"}}}),
                        model_condition("flux", "ymax", {{"value", {"cos(x)"}}})};
  return problem;
}
physics::Problem porous_problem() {
  physics::Problem problem{.physics = "darcy"};
  problem.gravity = {0.5, -2, 0};
  problem.materials = {
      model_material({{"permeability", "2 + x*y"}, {"viscosity", "3"}, {"density", "1 + x"}})};
  problem.conditions = {
      model_condition("pressure", "xmin", {{"value", {"1 + sin(y)"}}}),
      model_condition("source", "body", {{"value", {"exp(x)"}}}),
      model_condition("leakage", "xmax", {{"coefficient", {"3"}}, {"ambient", {"2"}}})};
  return problem;
}

std::shared_ptr<const mesh::Mesh> box(const Comm& comm, mesh::CellType cell, int fineness = 1) {
  mesh::BoxOptions options;
  options.cell = cell;
  options.cells = {3 * fineness, 2 * fineness, mesh::traits(cell).dim == 3 ? 2 * fineness : 1};
  return std::make_shared<const mesh::Mesh>(
      mesh::distribute(comm, mesh::generate_box(comm, options), mesh::Partitioner::hilbert));
}

/// The result that is a flow, or the stress.
std::string flux_of(const physics::Description& description) {
  for (const physics::ResultInfo& result : description.results)
    if (result.flow) return result.name;
  return "stress";
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
  options.method = analysis.symmetric() ? solver::Method::cg : solver::Method::gmres;
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
          derived.values(flux_of(analysis.description()))};
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

/// Heat whose parameters follow the temperature, with radiation.
physics::Problem hot_problem() {
  physics::Problem problem{.physics = "heat"};
  problem.materials = {model_material(
      {{"conductivity", "2 + 0.01*T"}, {"density", "1 + x"}, {"specific_heat", "3 + 0.01*T"}})};
  problem.conditions = {
      model_condition("temperature", "xmin", {{"value", {"300 + 10*y"}}}),
      model_condition("source", "body", {{"value", {"100*x"}}}),
      model_condition("radiation", "xmax", {{"emissivity", {"0.8"}}, {"ambient", {"400"}}})};
  return problem;
}

/// Melts about the temperature at which steps start.
physics::Problem melting_problem() {
  physics::Problem problem = hot_problem();
  for (const auto& [name, number] :
       {std::pair("latent_heat", "40"), {"solidus", "330"}, {"liquidus", "355"}})
    problem.materials[0].parameters[name] = model_material({{name, number}}).parameters.at(name);
  return problem;
}

/// A solid of a law, nearly at rest.
physics::Problem law_problem(int dim, const std::string& law) {
  physics::Problem problem = solid_problem(dim);
  const std::map<std::string, std::string> parameters =
      law == "neo_hookean"
          ? std::map<std::string, std::string>{{"shear_modulus", "400"}, {"bulk_modulus", "2000"}}
          : std::map<std::string, std::string>{
                {"young", "1000"}, {"poisson", "0.3"}, {"yield_stress", "5"}};
  problem.materials = {model_material(parameters)};
  problem.materials[0].parameters["density"] =
      model_material({{"density", "2"}}).parameters.at("density");
  problem.materials[0].words["law"] = law;
  std::erase_if(problem.conditions, [](const physics::Condition& condition) {
    return condition.type == "temperature";
  });
  return problem;
}

/// The residual of a step of a problem that is not linear, and its solution, on the host.
std::array<std::vector<double>, 2> take_step(const gpu::Device& device,
                                             const std::shared_ptr<const mesh::Mesh>& mesh,
                                             physics::Problem problem, double start,
                                             physics::MassKind mass) {
  problem.analysis.mass = mass;
  physics::Analysis analysis(device, mesh, problem);
  physics::Capacity capacity = analysis.make_capacity();
  solver::SolverOptions options;
  options.method = solver::Method::gmres;
  options.tolerance = 1e-10;
  physics::StepEquations equations(analysis, options, &capacity, mass);
  const int n = analysis.n_components();
  solver::Vector<double> u(device, mesh->nodes, n), h(device, mesh->nodes, n),
      r(device, mesh->nodes, n);
  gpu::fill(device, u.view(), start);
  gpu::fill(device, h.view(), -20 * start);
  gpu::fill(device, r.view(), 0.0);
  analysis.constraints().impose(u);
  solver::Vector<double> latent(device, mesh->nodes, n);
  solver::StepForm form{.mass_factor = 20, .mass_offset = &h};
  if (capacity.latent_heat() != nullptr || capacity.enthalpy() != nullptr) {
    equations.content(u, latent);
    gpu::scale(device, -20, latent.owned());
    form.content_offset = &latent;
  }
  equations.use(form);
  equations.residual(u, r);
  std::vector<double> residual = gpu::download(r.values());
  solver::NewtonScales scales;
  const solver::NewtonResult result = solver::newton(equations, {.tolerance = 1e-10}, scales, u);
  if (!result.converged) gpu::fill(device, u.view(), std::numeric_limits<double>::quiet_NaN());
  return {std::move(residual), gpu::download(u.values())};
}

void add_step(std::vector<gpu::KernelCheck>& checks, const gpu::Device& device,
              const std::shared_ptr<const mesh::Mesh>& mesh, const physics::Problem& problem,
              const std::string& name, double start, physics::MassKind mass) {
  const auto cpu = take_step(gpu::make_cpu_device(), mesh, problem, start, mass);
  const auto other = take_step(device, mesh, problem, start, mass);
  checks.push_back(gpu::compare_with_cpu(name + " residual", cpu[0], other[0], rounding));
  checks.push_back(gpu::compare_with_cpu(name + " step", cpu[1], other[1], solved));
}

/// One cycle of a hierarchy of several levels on the same matrix.
template <class Real>
std::vector<double> cycle(const gpu::Device& device, const solver::Pattern& pattern, int block,
                          const std::vector<double>& values, const solver::MatrixTraits& traits) {
  const auto shared = std::make_shared<const solver::Pattern>(pattern);
  solver::BlockMatrix<double> matrix(device, shared, block);
  {
    const auto to = gpu::write(matrix.values());
    std::copy(values.begin(), values.end(), to.begin());
  }
  solver::Multigrid<Real> multigrid(matrix, traits.near_null);
  solver::Vector<Real> b(device, pattern.map, block), x(device, pattern.map, block);
  {
    const auto to = gpu::write(b.values());
    for (Offset i = 0; i < to.size(); ++i)
      to[i] = static_cast<Real>(1 + static_cast<double>(i % 7) / 7);
  }
  multigrid.apply(b, 1, x);
  const auto result = gpu::read(x.values());
  return {result.begin(), result.begin() + x.n_owned()};
}

void add_multigrid(std::vector<gpu::KernelCheck>& checks, const Comm& comm,
                   const gpu::Device& device, const physics::Problem& problem,
                   const std::string& name) {
  const gpu::Device cpu = gpu::make_cpu_device();
  const physics::Analysis analysis(cpu, box(comm, mesh::CellType::tet4, 12), problem);
  const solver::BlockMatrix<double> matrix = analysis.matrix();
  const std::vector<double> values = gpu::download(matrix.values());
  const solver::MatrixTraits traits = analysis.matrix_traits();
  const auto compare = [&](auto real, const std::string& kind, double allowed) {
    using Real = decltype(real);
    checks.push_back(gpu::compare_with_cpu(
        "multigrid cycle " + name + ", " + kind,
        cycle<Real>(cpu, matrix.pattern(), matrix.block(), values, traits),
        cycle<Real>(device, matrix.pattern(), matrix.block(), values, traits), allowed));
  };
  compare(double{}, "double", rounding);
  compare(float{}, "float", rounding_in_float);
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
    add_problem(checks, device, mesh, stream_problem(), "transport " + name,
                solver::Precision::double_);
    add_problem(checks, device, mesh, porous_problem(), "darcy " + name,
                solver::Precision::double_);
  }
  for (const mesh::CellType cell : {quad4, tri6, tet4, hex8, tet10, hex27}) {
    const auto mesh = box(comm, cell);
    const std::string name(mesh::traits(cell).name);
    add_step(checks, device, mesh, hot_problem(), "radiating heat " + name, 350,
             physics::MassKind::consistent);
    add_step(checks, device, mesh, hot_problem(), "lumped heat " + name, 350,
             physics::MassKind::lumped);
    add_step(checks, device, mesh, melting_problem(), "melting heat " + name, 350,
             physics::MassKind::lumped);
    for (const std::string law : {"neo_hookean", "j2_plasticity"})
      add_step(checks, device, mesh, law_problem(mesh->dim, law), law + " " + name, 0,
               physics::MassKind::consistent);
  }
  add_multigrid(checks, comm, device, heat_problem(), "heat");
  add_multigrid(checks, comm, device, solid_problem(3), "elasticity");
  return checks;
}

}  // namespace trestle::app

#include "tests/physics/model_problems.hpp"

#include "gpu/vector_ops.hpp"
#include "io/case/expression_parser.hpp"

namespace trestle::test {

physics::Value value(const std::vector<std::string>& components) {
  physics::Value value;
  for (const std::string& text : components)
    value.components.push_back(
        text.empty() ? std::nullopt : std::optional(io::parse_expression(text, {"test", 1, 1})));
  return value;
}

physics::Condition condition(const std::string& type, const std::vector<std::string>& on,
                             const std::vector<std::string>& components) {
  physics::Condition made{.type = type};
  for (const std::string& name : on) made.on.push_back({name, {}});
  if (!components.empty()) made.parameters["value"] = value(components);
  return made;
}

physics::Material material(const std::map<std::string, std::vector<std::string>>& parameters) {
  physics::Material made{.name = "medium"};
  for (const auto& [name, components] : parameters) made.parameters[name] = value(components);
  return made;
}

solver::Vector<double> solve(const physics::Analysis& analysis, std::size_t c) {
  solver::SolverOptions options;
  options.method = solver::Method::direct;
  options.tolerance = 1e-11;
  solver::LinearSolver<double> solver(
      options, std::make_shared<const solver::BlockMatrix<double>>(analysis.matrix()),
      analysis.matrix_traits());
  const solver::Vector<double> b = analysis.right_side(c);
  solver::Vector<double> v(b.device(), b.shared_map(), b.block());
  gpu::fill(v.device(), v.view(), 0.0);
  const solver::SolveResult result = solver.solve(b, v);
  EXPECT_TRUE(result.converged) << result.message;
  return analysis.expand(v);
}

std::vector<std::string> boundary(int dim) {
  std::vector<std::string> sides{"xmin", "xmax", "ymin", "ymax"};
  if (dim == 3) sides.insert(sides.end(), {"zmin", "zmax"});
  return sides;
}

}  // namespace trestle::test

#include "tests/physics/model_problems.hpp"

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "io/expression_parser.hpp"

namespace trestle::test {

std::shared_ptr<const mesh::Mesh> box_mesh(const Comm& comm, mesh::CellType cell, Index n,
                                           double distortion, mesh::Partitioner partitioner) {
  mesh::BoxOptions options;
  options.cell = cell;
  const int dim = mesh::traits(cell).dim;
  options.cells = {n, n, dim == 3 ? n : 1};
  mesh::RawMesh raw = mesh::generate_box(comm, options);
  for (std::size_t i = 0; i < raw.coordinates.size(); i += 3) {
    double* x = &raw.coordinates[i];
    double inside = distortion * 16 * x[0] * (1 - x[0]) * x[1] * (1 - x[1]);
    if (dim == 3) inside *= 4 * x[2] * (1 - x[2]);
    const double along[3] = {std::sin(3 * x[1] + x[2]), std::cos(2 * x[0] - x[2]),
                             std::sin(x[0] + 2 * x[1])};
    for (int d = 0; d < dim; ++d) x[d] += inside * along[d];
  }
  return std::make_shared<const mesh::Mesh>(mesh::distribute(comm, std::move(raw), partitioner));
}

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

std::vector<mesh::CellType> all_cells() {
  using enum mesh::CellType;
  return {tri3,  tri6,  quad4,  quad8,   quad9,   tet4,     tet10,     hex8,
          hex20, hex27, prism6, prism15, prism18, pyramid5, pyramid13, pyramid14};
}

std::string cell_name(mesh::CellType type) { return std::string(mesh::traits(type).name); }

}  // namespace trestle::test

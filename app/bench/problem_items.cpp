#include <cmath>

#include "app/bench/problem.hpp"
#include "app/make_mesh.hpp"
#include "app/model_problem.hpp"

namespace trestle::app {
namespace {

physics::Problem poisson() {
  physics::Problem problem{.physics = "heat"};
  problem.materials = {model_material({{"conductivity", "1"}})};
  problem.conditions = {model_condition("temperature", "xmin", {{"value", {"0"}}}),
                        model_condition("source", "body", {{"value", {"1"}}})};
  return problem;
}

physics::Problem elasticity() {
  physics::Problem problem{.physics = "elasticity"};
  problem.materials = {model_material({{"young", "1"}, {"poisson", "0.3"}})};
  problem.conditions = {model_condition("displacement", "xmin", {{"value", {"0", "0", "0"}}}),
                        model_condition("traction", "xmax", {{"value", {"0", "0", "-1"}}})};
  return problem;
}

io::MeshOptions cube(GlobalIndex n_nodes) {
  const double edge = std::cbrt(static_cast<double>(n_nodes));
  const auto bricks = std::max<Index>(1, static_cast<Index>(std::lround(edge)) - 1);
  io::MeshOptions options;
  options.box = mesh::BoxOptions{.cells = {bricks, bricks, bricks}, .cell = mesh::CellType::tet4};
  return options;
}

BenchProblem make_problem(const Comm& comm, const gpu::Device& device, const std::string& name,
                          io::MeshOptions mesh, physics::Problem problem) {
  auto analysis =
      std::make_shared<const physics::Analysis>(device, make_mesh(comm, mesh), std::move(problem));
  auto matrix = std::make_shared<const solver::BlockMatrix<double>>(analysis->matrix());
  return {name, std::move(mesh), std::move(analysis), std::move(matrix)};
}

/// Of the mesh that `options` name; the limit is that of matching the facets of tetrahedra by
/// sorting their keys.
BenchItem mesh_item(const Comm& comm, const std::string& name, const mesh::Mesh& mesh,
                    io::MeshOptions options) {
  return {.name = name,
          .unit = "cells",
          .n = mesh.n_cells_global,
          .formula = "400 cells",
          .model_bytes = 400.0 * static_cast<double>(mesh.n_cells_global) / comm.size(),
          .run = [comm, options = std::move(options)] { make_mesh(comm, options); }};
}

}  // namespace

BenchItems problem_items(const Comm& comm, const gpu::Device& device, GlobalIndex n_unknowns) {
  BenchItems items;
  for (const BenchProblem& problem :
       {make_problem(comm, device, "poisson", cube(n_unknowns), poisson()),
        make_problem(comm, device, "elasticity", cube(n_unknowns / 3), elasticity())}) {
    items.push_back(
        mesh_item(comm, problem.name + "_mesh", problem.analysis->mesh(), problem.mesh));
    for (const BenchItems& more :
         {assembly_items(problem), product_items(problem), multigrid_items(problem)})
      items.insert(items.end(), more.begin(), more.end());
  }
  return items;
}

BenchItems mesh_file_items(const Comm& comm, const std::string& path) {
  io::MeshOptions options;
  options.file = path;
  const auto mesh = make_mesh(comm, options);
  return {mesh_item(comm, "mesh_file", *mesh, options)};
}

}  // namespace trestle::app

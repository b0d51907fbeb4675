// The same bits on any number of ranks, and on any device that rounds alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

physics::Problem loaded_heat(int dim) {
  physics::Problem problem{.physics = "heat"};
  if (dim == 2) problem.model = "axisymmetric";
  problem.materials = {material({{"conductivity", {"2", "3", "4"}}})};
  problem.materials[0]
      .parameters.at("conductivity")
      .components.resize(static_cast<std::size_t>(dim));
  problem.conditions = {condition("temperature", {"xmin"}, {"1 + y"}),
                        condition("source", {"body"}, {"exp(-x) + y"}),
                        condition("flux", {"xmax"}, {"sin(3*y)"})};
  physics::Condition convection = condition("convection", {"ymax"}, {"0"});
  convection.parameters = {{"coefficient", value({"5"})}, {"ambient", value({"300"})}};
  problem.conditions.push_back(convection);
  return problem;
}

physics::Problem loaded_solid(int dim) {
  physics::Problem problem{.physics = "elasticity"};
  if (dim == 2) problem.model = "plane_strain";
  problem.materials = {
      material({{"young", {"1e6*(1 + 0.3*x)"}}, {"poisson", {"0.3"}}, {"density", {"7"}}})};
  std::vector<std::string> zero(static_cast<std::size_t>(dim), "0"), traction = zero, weight = zero;
  traction[1] = "sin(3*y)", weight[0] = "1 + x*y";
  problem.conditions = {
      condition("displacement", {"xmin"}, zero), condition("roller", {"ymin"}, {}),
      condition("traction", {"xmax"}, traction), condition("gravity", {"body"}, weight)};
  return problem;
}

/// Entries of the matrix and the right side by canonical ids.
struct Assembled {
  std::map<std::array<GlobalIndex, 2>, std::vector<double>> matrix;
  std::map<GlobalIndex, std::vector<double>> right_side;
};

Assembled assemble(const Comm& comm, const gpu::Device& device, mesh::CellType cell,
                   mesh::Partitioner partitioner, bool heat = false) {
  const auto mesh = box_mesh(comm, cell, 3, 0.04, partitioner);
  const physics::Analysis analysis(device, mesh,
                                   heat ? loaded_heat(mesh->dim) : loaded_solid(mesh->dim));
  const solver::BlockMatrix<double> matrix = analysis.matrix();
  const solver::Vector<double> b = analysis.right_side(0);
  const std::vector<double> values = gpu::download(matrix.values()),
                            sums = gpu::download(b.values());
  const solver::Pattern& pattern = matrix.pattern();
  const auto ids = mesh->nodes->ids();
  const auto n = static_cast<std::size_t>(matrix.block());
  Assembled assembled;
  for (std::size_t row = 0; row < static_cast<std::size_t>(mesh->nodes->n_owned()); ++row) {
    for (const auto& offsets : {pattern.owned_offsets, pattern.ghost_offsets})
      for (auto e = static_cast<std::size_t>(offsets[row]);
           e < static_cast<std::size_t>(offsets[row + 1]); ++e)
        assembled.matrix[{ids[row], ids[static_cast<std::size_t>(pattern.columns[e])]}] = {
            &values[e * n * n], &values[e * n * n] + n * n};
    assembled.right_side[ids[row]] = {&sums[row * n], &sums[row * n] + n};
  }
  return assembled;
}

class RanksTest : public testing::TestWithParam<mesh::CellType> {};

TEST_P(RanksTest, MatrixAndRightSideAreBitwiseEqualToOneRank) {
  const Comm alone(MPI_COMM_SELF);
  const Assembled one =
      assemble(alone, gpu::make_cpu_device(), GetParam(), mesh::Partitioner::hilbert);
  for (const auto partitioner : {mesh::Partitioner::hilbert, mesh::Partitioner::scotch}) {
    const Assembled many = assemble(world(), gpu::make_cpu_device(), GetParam(), partitioner);
    const GlobalIndex n_entries = world().sum(static_cast<GlobalIndex>(many.matrix.size()));
    EXPECT_EQ(n_entries, static_cast<GlobalIndex>(one.matrix.size()));
    for (const auto& [place, block] : many.matrix)
      ASSERT_EQ(block, one.matrix.at(place)) << place[0] << " " << place[1];
    for (const auto& [node, sum] : many.right_side) ASSERT_EQ(sum, one.right_side.at(node)) << node;
  }
}

TEST_P(RanksTest, MatrixIsSymmetric) {
  const Comm alone(MPI_COMM_SELF);
  const Assembled one =
      assemble(alone, gpu::make_cpu_device(), GetParam(), mesh::Partitioner::hilbert);
  const std::size_t n = one.right_side.begin()->second.size();
  double largest = 0;
  for (const auto& [place, block] : one.matrix)
    for (double entry : block) largest = std::max(largest, std::abs(entry));
  for (const auto& [place, block] : one.matrix) {
    const std::vector<double>& mirror = one.matrix.at({place[1], place[0]});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_NEAR(block[i * n + j], mirror[j * n + i], 1e-14 * largest);
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, RanksTest,
                         testing::Values(mesh::CellType::tri3, mesh::CellType::quad9,
                                         mesh::CellType::tet4, mesh::CellType::tet10,
                                         mesh::CellType::hex8, mesh::CellType::pyramid14,
                                         mesh::CellType::prism18),
                         [](const auto& info) { return cell_name(info.param); });

class AnalysisOnDevices : public OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(AnalysisOnDevices);

// The kernels of one thread, four cells in vector lanes, against those of a row or a cell each.
TEST_P(AnalysisOnDevices, AssemblesWhatTheCpuAssembles) {
  for (const mesh::CellType cell : all_cells())
    for (const bool heat : {false, true}) {
      const Assembled cpu =
          assemble(world(), gpu::make_cpu_device(), cell, mesh::Partitioner::hilbert, heat);
      const Assembled other = assemble(world(), device(), cell, mesh::Partitioner::hilbert, heat);
      ASSERT_EQ(cpu.matrix.size(), other.matrix.size());
      double largest_entry = 0, largest_sum = 0;
      for (const auto& [place, block] : cpu.matrix)
        for (double entry : block) largest_entry = std::max(largest_entry, std::abs(entry));
      for (const auto& [node, sum] : cpu.right_side)
        for (double entry : sum) largest_sum = std::max(largest_sum, std::abs(entry));
      for (const auto& [place, block] : cpu.matrix)
        for (std::size_t i = 0; i < block.size(); ++i)
          ASSERT_NEAR(block[i], other.matrix.at(place)[i], 1e-13 * largest_entry)
              << cell_name(cell) << " " << place[0] << " " << place[1];
      for (const auto& [node, sum] : cpu.right_side)
        for (std::size_t i = 0; i < sum.size(); ++i)
          ASSERT_NEAR(sum[i], other.right_side.at(node)[i], 1e-13 * largest_sum)
              << cell_name(cell) << " " << node;
    }
}

TEST_P(AnalysisOnDevices, SolvesWhatTheCpuSolves) {
  const auto mesh = box_mesh(world(), mesh::CellType::tet10, 2, 0.02);
  const physics::Analysis on_cpu(gpu::make_cpu_device(), mesh, loaded_solid(3));
  const physics::Analysis on_device(device(), mesh, loaded_solid(3));
  const std::vector<double> expected = gpu::download(solve(on_cpu).values()),
                            found = gpu::download(solve(on_device).values());
  double largest = 0;
  for (double entry : expected) largest = std::max(largest, std::abs(entry));
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(expected[i], found[i], 1e-9 * largest);
}

}  // namespace
}  // namespace trestle::test

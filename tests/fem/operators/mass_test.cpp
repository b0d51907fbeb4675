// Masses: totals, integrals of polynomials, lumping, inertia without a matrix, constraints, ranks.
#include "fem/operators/mass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "fem/constraints.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/meshes.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;
using test::world;

constexpr double density = 7.0;
constexpr double round_off = 1e-12;  // relative: sums of some thousand terms of like sign

/// A discretisation of `mesh` with the density everywhere.
struct Model {
  Model(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> on, Section section = {})
      : mesh(std::move(on)), discretisation(device, mesh, section) {
    for (const mesh::CellBlock& block : mesh->cells)
      material.emplace_back(device, std::vector<Index>(block.ids.size(), 0), "materials");
  }
  CellCoefficient coefficient() const {
    return {
        material, gpu::upload(discretisation.device(), std::vector<double>{density}, "table"), {}};
  }
  std::shared_ptr<solver::BlockMatrix<double>> matrix(int n_components, double factor = 1) const {
    const MatrixLayout layout = make_matrix_layout(discretisation);
    auto made = std::make_shared<solver::BlockMatrix<double>>(discretisation.device(),
                                                              layout.pattern, n_components);
    add_mass(discretisation, layout, coefficient(), factor, *made);
    return made;
  }
  /// f(x, component) at all local nodes.
  template <class F>
  solver::Vector<double> nodal_values(int n_components, const F& f) const {
    solver::Vector<double> u(discretisation.device(), mesh->nodes, n_components);
    const auto values = gpu::write(u.values());
    for (Index node = 0; node < mesh->nodes->n_local(); ++node)
      for (int d = 0; d < n_components; ++d)
        values[Offset{node} * n_components + d] = f(node_place(*mesh, node), d);
    return u;
  }

  std::shared_ptr<const mesh::Mesh> mesh;
  Discretisation discretisation;
  std::vector<gpu::ConstantArray<Index>> material;
};

double dot(const solver::Vector<double>& x, const solver::Vector<double>& y) {
  return x.map().comm().sum(gpu::dot(x.device(), x.owned(), y.owned()));
}

/// x' M y.
double product(const std::shared_ptr<solver::BlockMatrix<double>>& M,
               const solver::Vector<double>& x, solver::Vector<double>& y) {
  const solver::MatrixOperator<double> apply(M);
  solver::Vector<double> My = apply.make_vector("vectors");
  apply.apply(y, My);
  return dot(x, My);
}

double smooth(const Vec3& x, int d) {
  return std::sin(3 * x[0] + d) + x[1] * std::cos(2 * x[2] - d);
}

/// Integral over the unit square or cube of x^i y^j z^k.
double monomial(std::array<int, 3> powers) {
  return 1.0 / ((powers[0] + 1) * (powers[1] + 1) * (powers[2] + 1));
}

class MassOfCell : public testing::TestWithParam<CellType> {
 protected:
  int dim() const { return mesh::traits(GetParam()).dim; }
  int order() const { return mesh::traits(GetParam()).order; }
  /// The powers of the monomials of at most the order of the cell.
  std::vector<std::array<int, 3>> monomials() const {
    std::vector<std::array<int, 3>> all;
    for (int i = 0; i <= order(); ++i)
      for (int j = 0; i + j <= order(); ++j)
        for (int k = 0; i + j + k <= (dim() == 3 ? order() : i + j); ++k) all.push_back({i, j, k});
    return all;
  }
  /// x' M y of all pairs of monomials against their integrals on a mesh of affine cells; the full
  /// circle gives 2 pi x, a plane model its thickness.
  void expect_exact_integrals(const Section& section) const {
    const Model model(gpu::make_cpu_device(), test::box_mesh(world(), GetParam(), 2, 0), section);
    const auto M = model.matrix(1);
    for (const auto& p : monomials())
      for (const auto& r : monomials()) {
        const auto value = [](const std::array<int, 3>& powers) {
          return [powers](const Vec3& x, int) {
            return std::pow(x[0], powers[0]) * std::pow(x[1], powers[1]) *
                   std::pow(x[2], powers[2]);
          };
        };
        std::array<int, 3> powers{p[0] + r[0], p[1] + r[1], p[2] + r[2]};
        if (section.axisymmetric) ++powers[0];
        const double factor =
            density * (section.axisymmetric ? 2 * std::numbers::pi : section.thickness);
        solver::Vector<double> f = model.nodal_values(1, value(p)),
                               g = model.nodal_values(1, value(r));
        EXPECT_NEAR(product(M, f, g), factor * monomial(powers), round_off * factor)
            << p[0] << p[1] << p[2] << " " << r[0] << r[1] << r[2];
      }
  }
};

INSTANTIATE_TEST_SUITE_P(Cells, MassOfCell, testing::ValuesIn(test::all_cells()),
                         [](const auto& info) { return test::cell_name(info.param); });

TEST_P(MassOfCell, IntegratesProductsOfPolynomialsOfItsOrder) {
  expect_exact_integrals({});
  if (dim() == 2) expect_exact_integrals({.thickness = 0.25});
  if (dim() == 2) expect_exact_integrals({.axisymmetric = true});
}

TEST_P(MassOfCell, IsPositiveAndKeepsTheMassWhenLumped) {
  const Model model(gpu::make_cpu_device(), test::box_mesh(world(), GetParam(), 3, 0.03));
  const solver::Vector<double> lumped =
      lumped_mass(model.discretisation, model.coefficient(), dim());
  std::vector<double> total(static_cast<std::size_t>(dim()), 0.0);
  {
    const auto masses = gpu::read(lumped.values());
    for (Offset i = 0; i < lumped.n_owned(); ++i) {
      EXPECT_GT(masses[i], 0) << "entry " << i;
      total[static_cast<std::size_t>(i % dim())] += masses[i];
    }
  }
  world().sum(std::span<double>(total));
  const auto M = model.matrix(dim());
  for (int d = 0; d < dim(); ++d) {
    solver::Vector<double> along =
        model.nodal_values(dim(), [d](const Vec3&, int e) { return d == e ? 1.0 : 0.0; });
    EXPECT_NEAR(total[static_cast<std::size_t>(d)], product(M, along, along), density * round_off);
    const bool polynomial = mesh::traits(GetParam()).linear != CellType::pyramid5;
    if (polynomial) {  // the map of the cell, so that its volume is exact
      EXPECT_NEAR(total[static_cast<std::size_t>(d)], density, density * round_off);
    }
  }
  solver::Vector<double> x = model.nodal_values(dim(), smooth);
  EXPECT_GT(product(M, x, x), 0);
}

TEST(Mass, LumpsLinearCellsByRowSums) {
  for (const CellType cell : test::all_cells()) {
    if (mesh::traits(cell).order != 1) continue;
    const Model model(gpu::make_cpu_device(), test::box_mesh(world(), cell, 3, 0.03));
    const solver::Vector<double> lumped = lumped_mass(model.discretisation, model.coefficient(), 1);
    const solver::MatrixOperator<double> M(model.matrix(1));
    solver::Vector<double> one = model.nodal_values(1, [](const Vec3&, int) { return 1.0; }),
                           sums = M.make_vector("vectors");
    M.apply(one, sums);
    const auto expected = gpu::read(sums.values()), found = gpu::read(lumped.values());
    for (Offset i = 0; i < lumped.n_owned(); ++i)
      EXPECT_NEAR(found[i], expected[i], round_off * density) << test::cell_name(cell);
  }
}

// Parts of the mass of an affine cell that its scaled diagonal gives to a vertex and to a mid node:
// 3/76 and 16/76 of quad8 from 6/180 and 32/180 on the diagonal, and so on [Hinton, Rock and
// Zienkiewicz 1976]. Row sums would be negative at the vertices.
TEST(Mass, ScalesTheDiagonalOfQuadraticCells) {
  struct Parts {
    CellType cell;
    double vertex, middle;
  };
  for (const Parts& parts :
       {Parts{CellType::tri6, 1.0 / 19, 16.0 / 57}, Parts{CellType::quad8, 3.0 / 76, 16.0 / 76},
        Parts{CellType::tet10, 1.0 / 36, 4.0 / 27},
        Parts{CellType::hex20, 7.0 / 248, 16.0 / 248}}) {
    const Model model(gpu::make_cpu_device(), test::box_mesh(world(), parts.cell, 2, 0));
    const mesh::CellTraits& traits = mesh::traits(parts.cell);
    const mesh::CellBlock& cells = model.mesh->cells[0];
    const double mass = density / static_cast<double>(model.mesh->n_cells_global);
    std::vector<double> expected(static_cast<std::size_t>(model.mesh->nodes->n_local()), 0.0);
    for (std::size_t slot = 0; slot < cells.nodes.size(); ++slot) {
      const auto a = static_cast<int>(slot % static_cast<std::size_t>(traits.n_nodes));
      expected[static_cast<std::size_t>(cells.nodes[slot])] +=
          mass * (a < traits.n_vertices ? parts.vertex : parts.middle);
    }
    const solver::Vector<double> lumped = lumped_mass(model.discretisation, model.coefficient(), 1);
    const auto masses = gpu::read(lumped.values());
    for (Offset node = 0; node < lumped.n_owned(); ++node)
      EXPECT_NEAR(masses[node], expected[static_cast<std::size_t>(node)], density * round_off)
          << traits.name;
  }
}

class MassOnDevices : public test::OnEachDevice {};
TRESTLE_ON_EACH_DEVICE(MassOnDevices);

TEST_P(MassOnDevices, InertiaIsMatrixTimesAcceleration) {
  for (const CellType cell : test::all_cells()) {
    const Model model(device(), test::box_mesh(world(), cell, 2, 0.03));
    for (int n : {1, model.mesh->dim}) {
      const solver::MatrixOperator<double> M(model.matrix(n, -2.5));
      solver::Vector<double> a = model.nodal_values(n, smooth),
                             sum = model.nodal_values(n, [](const Vec3&, int) { return 1.0; }),
                             expected = M.make_vector("vectors");
      M.apply(a, expected);
      add_inertia(model.discretisation, model.coefficient(), a, -2.5, sum);
      const auto found = gpu::read(sum.values()), product = gpu::read(expected.values());
      for (Offset i = 0; i < a.n_owned(); ++i)
        ASSERT_NEAR(found[i], 1 + product[i], density * round_off) << test::cell_name(cell);
    }
  }
}

TEST_P(MassOnDevices, AssemblesWhatTheCpuAssembles) {
  for (const CellType cell : test::all_cells()) {
    const auto mesh = test::box_mesh(world(), cell, 2, 0.03);
    const Model on_cpu(gpu::make_cpu_device(), mesh), on_device(device(), mesh);
    const std::vector<double> expected = gpu::download(on_cpu.matrix(2)->values()),
                              found = gpu::download(on_device.matrix(2)->values());
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(expected[i], found[i], density * round_off) << test::cell_name(cell);
    const std::vector<double>
        lumped =
            gpu::download(lumped_mass(on_cpu.discretisation, on_cpu.coefficient(), 1).values()),
        lumped_there = gpu::download(
            lumped_mass(on_device.discretisation, on_device.coefficient(), 1).values());
    for (std::size_t i = 0; i < lumped.size(); ++i)
      ASSERT_NEAR(lumped[i], lumped_there[i], density * round_off) << test::cell_name(cell);
  }
}

// A density that varies from point to point stands in the field: x y on a square of quad4, whose
// product with a linear function the rule of degree 3 integrates.
TEST_P(MassOnDevices, TakesTheCoefficientAtPoints) {
  const Model model(device(), test::box_mesh(world(), CellType::quad4, 2, 0));
  CellCoefficient coefficient = model.coefficient();
  const EntityBlock& block = model.discretisation.blocks()[0];
  const Quadrature& rule = load_quadrature(CellType::quad4);
  std::vector<double> values;
  for (Index c = 0; c < model.mesh->cells[0].n_cells(); ++c)
    for (const auto& point : rule.points) {
      const Vec3 corner =
          node_place(*model.mesh, model.mesh->cells[0].nodes[static_cast<std::size_t>(c) * 4]);
      values.push_back((corner[0] + (point[0] + 1) / 4) * (corner[1] + (point[1] + 1) / 4));
    }
  ASSERT_EQ(static_cast<Offset>(values.size()), block.n_entities * block.load.n_points);
  coefficient.field.push_back(gpu::upload(device(), values, "materials"));
  solver::Vector<double> x = model.nodal_values(1, [](const Vec3&at, int) { return at[0]; }),
                         sum = model.nodal_values(1, [](const Vec3&, int) { return 0.0; });
  const solver::Vector<double> one = model.nodal_values(1, [](const Vec3&, int) { return 1.0; });
  add_inertia(model.discretisation, coefficient, x, 1.0, sum);
  EXPECT_NEAR(dot(one, sum), 1.0 / 6, round_off);  // integral of x^2 y
  const MatrixLayout layout = make_matrix_layout(model.discretisation);
  const auto M = std::make_shared<solver::BlockMatrix<double>>(device(), layout.pattern, 1);
  add_mass(model.discretisation, layout, coefficient, 1.0, *M);
  EXPECT_NEAR(product(M, one, x), 1.0 / 6, round_off);
  EXPECT_NEAR(dot(one, lumped_mass(model.discretisation, coefficient, 1)), 0.25, round_off);
}

// A roller on a skew plane and a held component: no mass is left in fixed directions, and what is
// left is C'MC.
TEST_P(MassOnDevices, HasNoMassInFixedDirections) {
  const Model model(device(), test::box_mesh(world(), CellType::hex8, 2, 0.03));
  const Vec3 skew{0.6, 0, 0.8};
  std::vector<FixedDirection> fixed;
  for (Index node = 0; node < model.mesh->nodes->n_owned(); ++node) {
    const Vec3 x = node_place(*model.mesh, node);
    if (x[0] == 0) fixed.push_back({node, 0, skew, 0});
    if (x[1] == 0) fixed.push_back({node, 1, {0, 1, 0}, 0});
  }
  const Constraints constraints(device(), model.mesh->nodes, 3, fixed);
  const auto M = model.matrix(3), constrained = model.matrix(3);
  constraints.apply_mass(*constrained);
  solver::Vector<double> v = model.nodal_values(3, smooth), u(device(), model.mesh->nodes, 3);
  constraints.expand(v, u);
  EXPECT_NEAR(product(constrained, v, v), product(M, u, u), density * round_off);

  solver::Vector<double> lumped = lumped_mass(model.discretisation, model.coefficient(), 3);
  const std::vector<double> before = gpu::download(lumped.values());
  constraints.apply_mass(lumped);
  const std::vector<double> after = gpu::download(lumped.values());
  for (Index node = 0; node < model.mesh->nodes->n_owned(); ++node)
    for (int d = 0; d < 3; ++d) {
      const NodeConstraint* constraint = constraints.at(node);
      const auto i = static_cast<std::size_t>(node * 3 + d);
      EXPECT_EQ(after[i], constraint != nullptr && constraint->mask[d] == 0 ? 0.0 : before[i]);
    }
}

/// Entries by canonical ids.
struct Assembled {
  std::map<std::array<GlobalIndex, 2>, double> matrix;
  std::map<GlobalIndex, std::array<double, 2>> vectors;  // lumped mass, inertia force
};

Assembled assemble(const Comm& comm, CellType cell, mesh::Partitioner partitioner) {
  const Model model(gpu::make_cpu_device(), test::box_mesh(comm, cell, 3, 0.04, partitioner));
  const auto M = model.matrix(1);
  const solver::Vector<double> lumped = lumped_mass(model.discretisation, model.coefficient(), 1),
                               a = model.nodal_values(1, smooth);
  solver::Vector<double> force = model.nodal_values(1, [](const Vec3&, int) { return 0.0; });
  add_inertia(model.discretisation, model.coefficient(), a, 1.0, force);
  const auto values = gpu::read(M->values());
  const auto masses = gpu::read(lumped.values()), forces = gpu::read(force.values());
  const solver::Pattern& pattern = M->pattern();
  const auto ids = model.mesh->nodes->ids();
  Assembled assembled;
  for (std::size_t row = 0; row < static_cast<std::size_t>(model.mesh->nodes->n_owned()); ++row) {
    for (const auto& offsets : {pattern.owned_offsets, pattern.ghost_offsets})
      for (Offset e = offsets[row]; e < offsets[row + 1]; ++e)
        assembled
            .matrix[{ids[row],
                     ids[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(e)])]}] =
            values[e];
    assembled.vectors[ids[row]] = {masses[static_cast<Offset>(row)],
                                   forces[static_cast<Offset>(row)]};
  }
  return assembled;
}

TEST_P(MassOfCell, IsBitwiseTheSameOnAnyNumberOfRanks) {
  const Comm alone(MPI_COMM_SELF);
  const Assembled one = assemble(alone, GetParam(), mesh::Partitioner::hilbert);
  for (const auto& [place, entry] : one.matrix)
    ASSERT_EQ(entry, one.matrix.at({place[1], place[0]})) << "not symmetric";
  for (const auto partitioner : {mesh::Partitioner::hilbert, mesh::Partitioner::scotch}) {
    const Assembled many = assemble(world(), GetParam(), partitioner);
    EXPECT_EQ(world().sum(static_cast<GlobalIndex>(many.matrix.size())),
              static_cast<GlobalIndex>(one.matrix.size()));
    for (const auto& [place, entry] : many.matrix) ASSERT_EQ(entry, one.matrix.at(place));
    for (const auto& [node, sums] : many.vectors) ASSERT_EQ(sums, one.vectors.at(node)) << node;
  }
}

}  // namespace
}  // namespace trestle::fem

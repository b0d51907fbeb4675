// Solids over cells: tangents, forces of states with known stress, formulations, memory, faults.
#include "fem/operators/solid_operator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fem/kernels/solid_kernels.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/meshes.hpp"

namespace trestle::fem {
namespace {

using mesh::CellType;
using test::world;

constexpr double shear = 3, bulk = 70;

struct LawData {
  std::string name;
  std::vector<double> values;
  std::vector<double> curve;
};
double code(Law law) { return static_cast<double>(law); }
std::vector<LawData> laws() {
  return {{"linear", {code(Law::linear), shear, bulk, 0, 0, 0, 0}, {}},
          {"neo_hookean", {code(Law::neo_hookean), shear, bulk, 0, 0, 0, 0}, {}},
          {"mooney_rivlin", {code(Law::mooney_rivlin), 1.1, bulk, 0.4, 0, 0, 0}, {}},
          {"j2_plasticity", {code(Law::j2_plasticity), shear, bulk, 2, 0, 1, 0}, {0, 0.2}}};
}

/// The operator of one law on a mesh.
struct Model {
  Model(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> on, const LawData& law,
        Formulation formulation, Section section = {})
      : mesh(std::move(on)), discretisation(device, mesh, section) {
    std::vector<gpu::ConstantArray<Index>> material;
    for (const mesh::CellBlock& block : mesh->cells)
      material.emplace_back(device, std::vector<Index>(block.ids.size(), 0), "materials");
    data = std::make_unique<MaterialData>(MaterialData{std::move(material),
                                                       gpu::upload(device, law.values, "materials"),
                                                       {},
                                                       solid_parameter::count});
    cells = make_solid_operator(discretisation, *data, law.curve, formulation);
  }
  int dim() const { return mesh->dim; }
  solver::Vector<double> zero() const {
    solver::Vector<double> v(discretisation.device(), mesh->nodes, dim());
    gpu::fill(discretisation.device(), v.view(), 0.0);
    return v;
  }
  /// u(x) at all local nodes.
  template <class F>
  solver::Vector<double> displacement(const F& u) const {
    solver::Vector<double> v = zero();
    const auto values = gpu::write(v.values());
    for (Index node = 0; node < mesh->nodes->n_local(); ++node) {
      const Vec3 here = u(node_place(*mesh, node));
      for (int d = 0; d < dim(); ++d) values[Offset{node} * dim() + d] = here[d];
    }
    return v;
  }
  solver::Vector<double> force(const solver::Vector<double>& u) const {
    solver::Vector<double> f = zero();
    cells->add_internal_force(u, {}, 1.0, f);
    return f;
  }
  std::shared_ptr<solver::BlockMatrix<double>> matrix(const solver::Vector<double>& u) const {
    const MatrixLayout layout = make_matrix_layout(discretisation);
    auto K = std::make_shared<solver::BlockMatrix<double>>(discretisation.device(), layout.pattern,
                                                           dim());
    cells->add_stiffness(layout, u, {}, *K);
    return K;
  }

  std::shared_ptr<const mesh::Mesh> mesh;
  Discretisation discretisation;
  std::unique_ptr<MaterialData> data;
  std::unique_ptr<CellOperator> cells;
};

double norm(const solver::Vector<double>& x) {
  return std::sqrt(x.map().comm().sum(gpu::norm2_squared(x.device(), x.owned())));
}
double distance(const solver::Vector<double>& x, const solver::Vector<double>& y) {
  solver::Vector<double> d(x.device(), x.shared_map(), x.block());
  gpu::copy(x.device(), x.view(), d.view());
  gpu::axpy(x.device(), -1.0, y.view(), d.view());
  return norm(d);
}
std::shared_ptr<const mesh::Mesh> distorted(CellType cell, Index n = 2) {
  return test::box_mesh(world(), cell, n, 0.1);
}
Section section_of(bool axisymmetric) { return {axisymmetric, 1}; }

Vec3 wave(const Vec3& x) {
  return {0.06 * std::sin(2 * x[0] + x[1]) + 0.01 * x[2] * x[2],
          0.05 * std::cos(x[0] - 2 * x[1]) + 0.03 * x[0] * x[2],
          0.04 * std::sin(x[2] + 2 * x[0] * x[1])};
}
Vec3 direction(const Vec3& x) {
  return {std::cos(3 * x[1]), x[0] - x[2] * x[1], std::sin(2 * x[0] + x[2])};
}

class SolidOperator : public test::OnEachDevice {};

TEST_P(SolidOperator, MatrixIsTheDerivativeOfTheForce) {
  for (const CellType cell : test::all_cells()) {
    const auto mesh = distorted(cell);
    std::vector<LawData> all = laws();
    for (LawData law : laws()) {
      law.name += " in plane stress ";
      law.values[solid_parameter::plane_stress] = 1;
      if (mesh::traits(cell).dim == 2) all.push_back(std::move(law));
    }
    for (const LawData& law : all)
      for (const Formulation formulation : {Formulation::standard, Formulation::mean_dilatation})
        for (const bool axisymmetric : {false, true}) {
          if (axisymmetric && mesh::traits(cell).dim == 3) continue;
          const bool plane_stress = law.values[solid_parameter::plane_stress] != 0;
          if (plane_stress && (axisymmetric || formulation != Formulation::standard)) continue;
          const Model model(device(), mesh, law, formulation, section_of(axisymmetric));
          constexpr double h = 1e-5;  // 1e-10 of third derivatives, 1e-11 of rounding
          const auto shifted = [&](double s) {
            return model.force(
                model.displacement([&](const Vec3& x) { return wave(x) + s * direction(x); }));
          };
          solver::Vector<double> difference = shifted(h);
          gpu::axpy(device(), -1.0, shifted(-h).view(), difference.view());
          gpu::scale(device(), 1 / (2 * h), difference.view());
          const solver::MatrixOperator<double> K(model.matrix(model.displacement(wave)));
          solver::Vector<double> d = model.displacement(direction), Kd = model.zero();
          K.apply(d, Kd);
          EXPECT_LT(distance(Kd, difference), 1e-7 * norm(Kd))
              << law.name << " " << test::cell_name(cell) << static_cast<int>(formulation)
              << axisymmetric;
        }
  }
}

TEST_P(SolidOperator, LinearLawIsThatOfTheElasticOperator) {
  for (const CellType cell : test::all_cells()) {
    const Model model(device(), distorted(cell), laws()[0], Formulation::standard);
    const double young = 9 * bulk * shear / (3 * bulk + shear),
                 poisson = (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear));
    std::vector<gpu::ConstantArray<Index>> material;
    for (const mesh::CellBlock& block : model.mesh->cells)
      material.emplace_back(device(), std::vector<Index>(block.ids.size(), 0), "materials");
    const MaterialData data{std::move(material),
                            gpu::upload(device(), std::vector{young, poisson, 0.0}, "materials"),
                            {},
                            3};
    const auto elastic = make_elastic_operator(model.discretisation, data);
    solver::Vector<double> u = model.displacement(wave);
    solver::Vector<double> f = model.zero(), Ku = model.zero();
    elastic->add_internal_force(u, {}, 1.0, f);
    EXPECT_LT(distance(model.force(u), f), 1e-12 * norm(f)) << test::cell_name(cell);
    EXPECT_TRUE(model.cells->linear());
    solver::MatrixOperator<double>(model.matrix(u)).apply(u, Ku);
    EXPECT_LT(distance(Ku, f), 1e-12 * norm(f)) << test::cell_name(cell);
  }
}

TEST_P(SolidOperator, AffineStatesHaveTheirStressAndNoForceInside) {
  const Mat3 H{{{0.2, 0.1, 0}, {-0.15, 0.1, 0}, {0, 0, 0}}};
  for (const CellType cell : test::all_cells()) {
    const auto mesh = distorted(cell);
    for (const LawData& law : laws())
      for (const Formulation formulation : {Formulation::standard, Formulation::mean_dilatation}) {
        const Model model(device(), mesh, law, formulation);
        const solver::Vector<double> u = model.displacement([&](const Vec3& x) { return H * x; });
        const SolidLaw at_point(law.values.data(), law.curve.data(), {});
        const Mat3 P = at_point.stress(H) +
                       at_point.pressure(at_point.volume(H), 0) * at_point.volume_slope(H);
        const Mat3 F = identity() + H;
        const Sym6 cauchy =
            to_sym6(at_point.finite() ? (1 / determinant(F)) * (P * transpose(F)) : P);
        const solver::Vector<double> f = model.force(u);
        const auto forces = gpu::read(f.values());
        for (Index node = 0; node < model.mesh->nodes->n_owned(); ++node) {
          const Vec3 x = node_place(*model.mesh, node);
          bool inside = true;
          for (int d = 0; d < model.dim(); ++d) inside = inside && x[d] > 1e-9 && x[d] < 1 - 1e-9;
          for (int d = 0; inside && d < model.dim(); ++d)
            EXPECT_NEAR(forces[Offset{node} * model.dim() + d], 0, 1e-12 * fem::norm(P))
                << law.name << " " << test::cell_name(cell);
        }
        for (std::size_t b = 0; b < model.mesh->cells.size(); ++b) {
          const auto stress =
              gpu::download(model.cells->cell_integrals(CellQuantity::flux, u, {}, b));
          const auto energy =
              gpu::download(model.cells->cell_integrals(CellQuantity::energy, u, {}, b));
          const double density =
              at_point.shape_energy(H) + at_point.volume_energy(at_point.volume(H), 0);
          for (std::size_t c = 0; c < energy.size(); ++c)
            for (std::size_t k = 0; k < 6; ++k)
              EXPECT_NEAR(stress[6 * c + k] * density, cauchy[static_cast<int>(k)] * energy[c],
                          1e-12 * fem::norm(P) * density)
                  << law.name << " " << test::cell_name(cell);
        }
      }
  }
}

TEST_P(SolidOperator, ARigidTurnOfFiniteStrainsNeedsNoForce) {
  const double c = std::cos(0.8), s = std::sin(0.8);
  const Mat3 H{{{c - 1, -s, 0}, {s, c - 1, 0}, {0, 0, 0}}};
  for (const LawData& law : {laws()[1], laws()[2]})
    for (const Formulation formulation : {Formulation::standard, Formulation::mean_dilatation}) {
      const Model model(device(), distorted(CellType::hex8), law, formulation);
      const solver::Vector<double> u = model.displacement([&](const Vec3& x) { return H * x; });
      EXPECT_LT(norm(model.force(u)), 1e-12 * bulk);
    }
}

TEST_P(SolidOperator, AnAcceptedStepIsRememberedByAllPoints) {
  for (const CellType cell : {CellType::quad4, CellType::tet4, CellType::hex20}) {
    Model model(device(), distorted(cell), laws()[3], Formulation::mean_dilatation);
    const auto sheared = [&](double e) {
      return model.displacement([e](const Vec3& x) { return Vec3{2 * e * x[1], 0, 0}; });
    };
    // sqrt(3) tau = 0.2 + 2 alpha, tau = 2 mu (e - sqrt(3)/2 alpha)
    const double e = 0.1, alpha = (2 * std::sqrt(3.0) * shear * e - 0.2) / (2 + 3 * shear);
    const auto forces_before = model.force(sheared(e));
    model.cells->accept(sheared(e), {});
    ASSERT_EQ(model.cells->history().size(), model.mesh->cells.size());
    for (gpu::Array<double>& block : model.cells->history()) {
      const std::vector<double> history = gpu::download(block);
      const std::size_t n = history.size() / n_history;
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(history[6 * n + i], alpha, 1e-14);
        EXPECT_NEAR(history[3 * n + i], std::sqrt(0.75) * alpha, 1e-14);
      }
    }
    EXPECT_LT(distance(model.force(sheared(e)), forces_before), 1e-13);
    // Released to strain e - sqrt(3)/2 alpha: stress 2 mu of what is left, elastic.
    const auto f = model.force(sheared(std::sqrt(0.75) * alpha));
    EXPECT_LT(norm(f), 1e-13);
  }
}

TEST_P(SolidOperator, TheLowestInvertedCellIsNamed) {
  const Model model(device(), test::box_mesh(world(), CellType::hex8, 4, 0.0), laws()[1],
                    Formulation::mean_dilatation);
  EXPECT_FALSE(model.cells->find_fault(model.displacement(wave)).has_value());
  const auto fold = [](const Vec3& x) { return Vec3{0, 0, x[2] > 0.6 ? -1.5 * (x[2] - 0.5) : 0}; };
  const auto fault = model.cells->find_fault(model.displacement(fold));
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->cell, 2 * 16);  // the first of the third layer, z from 0.5 to 0.75
  EXPECT_NEAR(fault->centre[2], 0.625, 1e-14);
  EXPECT_NEAR(fault->volume, -0.5, 1e-14);
}

TRESTLE_ON_EACH_DEVICE(SolidOperator);

}  // namespace
}  // namespace trestle::fem

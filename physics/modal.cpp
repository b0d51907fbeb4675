#include "physics/modal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;
using Vector = solver::Vector<double>;

double squared_rate(double frequency) {
  const double rate = 2 * std::numbers::pi * frequency;
  return rate * rate;
}

std::optional<double> squared_rate(const std::optional<double>& frequency) {
  return frequency ? std::optional(squared_rate(*frequency)) : std::nullopt;
}

/// Axes along and about which a model of this kind moves rigidly, in [0, 3) and [3, 6).
std::vector<int> motions_of(Model model) {
  if (model == Model::three_d) return {0, 1, 2, 3, 4, 5};
  if (model == Model::axisymmetric) return {1};
  return {0, 1, 5};
}

constexpr const char* motion_names[] = {"x", "y", "z", "rx", "ry", "rz"};

/// What a motion without strain is: the first motion of the whole model that it takes part in, as
/// modes are turned to the motions in their order; else parts of the model move on their own.
std::string rigid_name(const Vibration& vibration, const std::vector<int>& motions,
                       const std::vector<double>& inertia) {
  constexpr double nothing = 1e-8;  // a part of the inertia that is rounding
  for (std::size_t k = 0; k < motions.size(); ++k)
    if (vibration.effective_mass[k] > nothing * inertia[k])
      return std::string(motions[k] < 3 ? "translation " : "rotation ") +
             motion_names[motions[k] % 3];
  return "mechanism";
}

/// `n` orthonormal rows from candidates by Gram-Schmidt, twice; those that depend on the ones
/// before are left out.
std::vector<std::vector<double>> orthonormal_rows(
    const std::vector<std::vector<double>>& candidates, std::size_t n) {
  constexpr double dependent = 1e-6;  // of its length is left
  std::vector<std::vector<double>> rows;
  for (std::vector<double> row : candidates) {
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    for (int pass = 0; pass < 2; ++pass)
      for (const std::vector<double>& known : rows) {
        const double part = dot(row, known);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] -= part * known[i];
      }
    const double length = std::sqrt(dot(row, row));
    if (length < dependent || rows.size() == n) continue;
    for (double& entry : row) entry /= length;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Displacement of a rigid motion at x [m]: a translation, or a turn of 1 rad about the centre.
Vec3 displacement_of(int motion, const Vec3& x, const Vec3& centre) {
  Vec3 axis{};
  axis[motion % 3] = 1;
  return motion < 3 ? axis : cross(axis, x - centre);
}

double largest_displacement(const Vector& x) {
  const auto values = gpu::read(x.values());
  double largest = 0;
  for (Offset i = 0; i < x.n_owned(); i += x.block()) {
    double square = 0;
    for (int d = 0; d < x.block(); ++d) square += values[i + d] * values[i + d];
    largest = std::max(largest, square);
  }
  return x.map().comm().max(std::sqrt(largest));
}

}  // namespace

ModalProblem::ModalProblem(const Analysis& analysis, MassKind mass)
    : analysis_(analysis), density_(analysis.make_capacity()) {
  const fem::Discretisation& discretisation = analysis.discretisation();
  const fem::MatrixLayout layout = fem::make_matrix_layout(discretisation);
  const int n = analysis.n_components();
  const auto make_matrix = [&] {
    return std::make_shared<solver::BlockMatrix<double>>(discretisation.device(), layout.pattern,
                                                         n);
  };
  Vector rest = make_vector();
  gpu::fill(rest.device(), rest.view(), 0.0);
  const auto K = make_matrix(), M = make_matrix();
  analysis.cells().add_stiffness(layout, rest, {}, *K);
  analysis.constraints().apply(*K);
  if (mass == MassKind::lumped) {
    auto lumped =
        std::make_unique<Vector>(fem::lumped_mass(discretisation, density_.coefficient(), n));
    fem::add_lumped_mass(*lumped, 1.0, *M);
    lumped_ = std::move(lumped);
  } else {
    fem::add_mass(discretisation, layout, density_.coefficient(), 1.0, *M);
  }
  analysis.constraints().apply_mass(*M);
  K_ = K;
  M_ = M;
  centre_ = centre_of_mass();
}

solver::EigenResult ModalProblem::solve(const AnalysisOptions& options, double tolerance,
                                        const solver::IterationObserver& observer) const {
  solver::EigenOptions eigen;
  if (options.eigensolver == Eigensolver::lobpcg) eigen.method = solver::EigenMethod::lobpcg;
  constexpr int usual = 10;
  eigen.modes = options.modes > 0       ? options.modes
                : options.max_frequency ? std::numeric_limits<int>::max()
                                        : usual;
  eigen.lower = squared_rate(options.min_frequency);
  eigen.upper = squared_rate(options.max_frequency);
  eigen.shift = squared_rate(options.near_frequency);
  eigen.tolerance = tolerance;
  eigen.observer = observer;
  eigen.may_factor = options.may_factor;
  solver::EigenResult found = solver::solve_eigen(eigen, K_, M_, analysis_.matrix_traits());
  turn_rigid_modes(found);
  return found;
}

Vector ModalProblem::make_vector() const {
  return Vector(analysis_.discretisation().device(), analysis_.mesh().nodes,
                analysis_.n_components(), "modes");
}

void ModalProblem::add_inertia(const Vector& a, double factor, Vector& sum) const {
  if (lumped_)
    fem::add_lumped_inertia(*lumped_, a, factor, sum);
  else
    fem::add_inertia(analysis_.discretisation(), density_.coefficient(), a, factor, sum);
}

Vector ModalProblem::shape(const solver::Mode& mode) const {
  Vector x = analysis_.expand(mode.shape);
  gpu::axpy(x.device(), -1.0, analysis_.constraints().prescribed().view(), x.view());
  return x;
}

template <class Value>
Vector ModalProblem::nodal(const Value& value) const {
  Vector x = make_vector();
  const auto to = gpu::write(x.values());
  for (Index node = 0; node < x.map().n_local(); ++node) {
    const Vec3 displacement = value(fem::node_place(analysis_.mesh(), node));
    for (int d = 0; d < x.block(); ++d) to[Offset{node} * x.block() + d] = displacement[d];
  }
  return x;
}

/// The integral of density times place over that of density: as the work of inertia of a motion
/// along the last axis that grows with a coordinate.
Vec3 ModalProblem::centre_of_mass() const {
  const int axis = analysis_.n_components() - 1;
  const auto along_axis = [axis](double size) {
    Vec3 displacement{};
    displacement[axis] = size;
    return displacement;
  };
  const Vector translation = nodal([&](const Vec3&) { return along_axis(1); });
  const Vector inertia = inertia_of(translation);
  const double mass = solver::dot(translation, inertia);
  Vec3 centre{};
  for (int d = 0; d < analysis_.mesh().dim; ++d)
    centre[d] = solver::dot(nodal([&](const Vec3& x) { return along_axis(x[d]); }), inertia) / mass;
  return centre;
}

Vector ModalProblem::rigid_motion(int motion) const {
  return nodal([&](const Vec3& x) { return displacement_of(motion, x, centre_); });
}

Vector ModalProblem::inertia_of(const Vector& a) const {
  Vector sum = make_vector();
  gpu::fill(sum.device(), sum.view(), 0.0);
  add_inertia(a, 1.0, sum);
  return sum;
}

/// Participation of the modes without strain in each motion, [motion][mode], tells how these lie
/// in their span: Gram-Schmidt over motions gives the first mode the part of the first motion that
/// the model can make, and so on; then over the modes as they were found.
void ModalProblem::turn_rigid_modes(solver::EigenResult& found) const {
  std::vector<Vector> old;
  for (const solver::Mode& mode : found.modes)
    if (mode.zero) old.push_back(shape(mode));
  std::vector<std::vector<double>> candidates;
  for (const int k : motions_of(analysis_.model())) {
    const Vector motion = rigid_motion(k), inertia = inertia_of(motion);
    const double length = std::sqrt(solver::dot(motion, inertia));
    std::vector<double>& row = candidates.emplace_back();
    for (const Vector& x : old) row.push_back(solver::dot(x, inertia) / length);
  }
  for (std::size_t i = 0; i < old.size(); ++i) candidates.emplace_back(old.size(), 0.0)[i] = 1;
  const std::vector<std::vector<double>> turned = orthonormal_rows(candidates, old.size());
  std::vector<Vector> shapes;
  for (const std::vector<double>& row : turned) {
    Vector& x = shapes.emplace_back(make_vector());
    gpu::fill(x.device(), x.view(), 0.0);
    std::size_t i = 0;
    for (const solver::Mode& mode : found.modes)
      if (mode.zero) gpu::axpy(x.device(), row[i++], mode.shape.view(), x.view());
  }
  std::size_t i = 0;
  for (solver::Mode& mode : found.modes)
    if (mode.zero) mode.shape = std::move(shapes[i++]);
}

Vibrations ModalProblem::describe(const solver::EigenResult& found) const {
  Vibrations vibrations{.motions = {}, .inertia = {}, .centre = centre_, .modes = {}};
  std::vector<Vector> shapes;
  for (const solver::Mode& mode : found.modes) {
    const Vector& x = shapes.emplace_back(shape(mode));
    Vibration& vibration = vibrations.modes.emplace_back();
    vibration.eigenvalue = mode.eigenvalue;
    vibration.rigid = mode.zero;
    vibration.frequency = mode.zero ? 0 : std::sqrt(mode.eigenvalue) / (2 * std::numbers::pi);
    vibration.residual = mode.residual;
    vibration.largest = largest_displacement(x);
  }
  const std::vector<int> motions = motions_of(analysis_.model());
  for (const int k : motions) {
    const Vector motion = rigid_motion(k), inertia = inertia_of(motion);
    vibrations.motions.push_back(motion_names[k]);
    vibrations.inertia.push_back(solver::dot(motion, inertia));
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      const double factor = solver::dot(shapes[j], inertia);
      vibrations.modes[j].participation.push_back(factor);
      vibrations.modes[j].effective_mass.push_back(factor * factor);
    }
  }
  for (Vibration& vibration : vibrations.modes)
    if (vibration.rigid) vibration.name = rigid_name(vibration, motions, vibrations.inertia);
  return vibrations;
}

State ModalProblem::state(const solver::EigenResult& found, std::size_t k,
                          bool with_reactions) const {
  Vector x = shape(found.modes[k]);
  std::optional<Vector> reactions;
  if (with_reactions) {
    reactions.emplace(make_vector());
    gpu::fill(x.device(), reactions->view(), 0.0);
    analysis_.cells().add_internal_force(x, {}, -1.0, *reactions);
    add_inertia(x, found.modes[k].eigenvalue, *reactions);
    analysis_.keep_supports(*reactions);
  }
  return {.name = fmt::format("mode {}", k + 1),
          .u = std::move(x),
          .reactions = std::move(reactions),
          .thermal = std::make_shared<const fem::ThermalStrain>()};
}

}  // namespace trestle::physics

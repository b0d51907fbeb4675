#include "physics/thermal_materials.hpp"

#include <algorithm>
#include <limits>

#include "fem/materials/solid_law.hpp"
#include "fem/state_fields.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/solid_materials.hpp"

namespace trestle::physics {
namespace {

using fem::Expression;
using Op = Expression::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr fem::OpenRange any_value{-infinity, infinity};

/// a op b, which stands where `a` stands in messages.
Expression joined(const Expression& a, Op op, const Expression& b) {
  std::vector<Expression::Instruction> code = a.code();
  code.insert(code.end(), b.code().begin(), b.code().end());
  code.push_back({op, 0});
  return Expression(std::move(code), a.text(), a.where());
}

/// alpha (T - T_ref).
Expression strain_of(const Material& material) {
  const Expression& alpha = material_expression(material, "thermal_expansion", 0);
  const Expression& reference = material_expression(material, "reference_temperature", 0);
  const Expression T({{Op::temperature, 0}}, "T", {});
  return joined(alpha, Op::multiply, joined(T, Op::subtract, reference));
}

/// A value at points that must stay within a range.
struct BoundedValue {
  Expression value;
  fem::OpenRange range;
};

/// What the kernels take of a material, in their order: fem::IsotropicElastic or, with `laws`,
/// fem::solid_parameter.
std::vector<BoundedValue> kernel_values(const Problem& problem, Model model,
                                        const Material& material) {
  const BoundedValue young{material_expression(material, "young", 0), {0, infinity}};
  const BoundedValue poisson{material_expression(material, "poisson", 0), {-1, 0.5}};
  if (!needs_solid_laws(problem))
    return {young, poisson, {Expression(model == Model::plane_stress ? 1.0 : 0.0), any_value}};
  const Expression one(1.0), two(2.0), three(3.0);
  Material constant = material;  // the numbers that do not depend on the temperature
  for (const char* key : {"young", "poisson"})
    constant.parameters.at(key).components = {Expression(0.25)};
  std::vector<BoundedValue> values;
  for (const double value : solid_values(problem, constant, {}))
    values.push_back({Expression(value), any_value});
  values[fem::solid_parameter::shear].value = joined(
      young.value, Op::divide, joined(two, Op::multiply, joined(one, Op::add, poisson.value)));
  values[fem::solid_parameter::bulk].value =
      joined(young.value, Op::divide,
             joined(three, Op::multiply,
                    joined(one, Op::subtract, joined(two, Op::multiply, poisson.value))));
  for (const int k : {fem::solid_parameter::shear, fem::solid_parameter::bulk})
    values[static_cast<std::size_t>(k)].range = {0, infinity};
  return values;
}

/// work(block, its index, temperatures, cells of a material, the material) for all of them.
template <class Work>
void for_each_material(const fem::Discretisation& discretisation, const Problem& problem,
                       const fem::MaterialData& data, const Work& work) {
  discretisation.mesh().comm().agree([&] {
    for (std::size_t b = 0; b < discretisation.blocks().size(); ++b)
      for (std::size_t m = 0; m < problem.materials.size(); ++m)
        work(b, fem::MaterialCells{data.material[b].view(), static_cast<Index>(m)},
             problem.materials[m]);
  });
}

PointTemperatures zeros(const fem::Discretisation& discretisation) {
  PointTemperatures T;
  for (const fem::EntityBlock& block : discretisation.blocks()) {
    T.emplace_back(discretisation.device(), block.n_entities * block.stiffness.n_points, "loads");
    gpu::fill(discretisation.device(), T.back().view(), 0.0);
  }
  return T;
}

}  // namespace

PointTemperatures at_points(const fem::Discretisation& discretisation,
                            const solver::Vector<double>& T) {
  PointTemperatures values;
  for (const fem::EntityBlock& block : discretisation.blocks())
    values.push_back(fem::interpolate(discretisation, block, block.stiffness, T));
  return values;
}

PointTemperatures reference_temperatures(const fem::Discretisation& discretisation,
                                         const Problem& problem, const fem::MaterialData& data) {
  const PointTemperatures zero = zeros(discretisation);
  PointTemperatures reference = zeros(discretisation);
  for_each_material(discretisation, problem, data,
                    [&](std::size_t b, const fem::MaterialCells& cells, const Material& material) {
                      const fem::EntityBlock& block = discretisation.blocks()[b];
                      fem::evaluate_component(
                          discretisation, block, block.stiffness, cells,
                          material_expression(material, "reference_temperature", 0), any_value,
                          zero[b], {1, 0}, reference[b]);
                    });
  return reference;
}

fem::ThermalStrain thermal_strain(const fem::Discretisation& discretisation, const Problem& problem,
                                  const fem::MaterialData& data, const PointTemperatures& T) {
  fem::ThermalStrain strain = zeros(discretisation);
  for_each_material(discretisation, problem, data,
                    [&](std::size_t b, const fem::MaterialCells& cells, const Material& material) {
                      const fem::EntityBlock& block = discretisation.blocks()[b];
                      fem::evaluate_component(discretisation, block, block.stiffness, cells,
                                              strain_of(material), any_value, T[b], {1, 0},
                                              strain[b]);
                    });
  return strain;
}

ThermalModuli thermal_moduli(const fem::Discretisation& discretisation, const Problem& problem,
                             const fem::MaterialData& data, const PointTemperatures& T) {
  ThermalModuli moduli{zeros(discretisation),
                       reference_temperatures(discretisation, problem, data)};
  const Expression one(1.0), two(2.0);
  for_each_material(discretisation, problem, data,
                    [&](std::size_t b, const fem::MaterialCells& cells, const Material& material) {
                      const fem::EntityBlock& block = discretisation.blocks()[b];
                      const Expression& poisson = material_expression(material, "poisson", 0);
                      const Expression modulus =
                          joined(material_expression(material, "young", 0), Op::divide,
                                 joined(one, Op::subtract, joined(two, Op::multiply, poisson)));
                      fem::evaluate_component(discretisation, block, block.stiffness, cells,
                                              modulus, any_value, T[b], {1, 0}, moduli.stress[b]);
                    });
  for (std::size_t b = 0; b < moduli.stress.size(); ++b) {
    const fem::EntityBlock& block = discretisation.blocks()[b];
    const gpu::Device& device = discretisation.device();
    gpu::Array<double> strain(device, 2 * T[b].size(), "loads");  // with its slope
    discretisation.mesh().comm().agree([&] {
      for (std::size_t m = 0; m < problem.materials.size(); ++m) {
        const Expression expression = strain_of(problem.materials[m]);
        fem::evaluate_by_temperature(discretisation, block, block.stiffness,
                                     {data.material[b].view(), static_cast<Index>(m)},
                                     std::span(&expression, 1), -infinity, T[b], strain);
      }
    });
    fem::multiply_by_component(device, strain, 2, 1, moduli.stress[b]);
    fem::multiply_by_component(device, moduli.stress[b], 1, 0, moduli.heat[b]);
  }
  return moduli;
}

bool moduli_depend_on_temperature(const Material& material) {
  for (const char* key : {"young", "poisson"})
    if (const auto found = material.parameters.find(key); found != material.parameters.end())
      if (found->second.components.front()->uses_temperature()) return true;
  return false;
}

bool moduli_depend_on_temperature(const Problem& problem) {
  return std::any_of(problem.materials.begin(), problem.materials.end(),
                     [](const Material& m) { return moduli_depend_on_temperature(m); });
}

void update_moduli(const fem::Discretisation& discretisation, const Problem& problem, Model model,
                   const PointTemperatures& T, fem::MaterialData& data) {
  for_each_material(
      discretisation, problem, data,
      [&](std::size_t b, const fem::MaterialCells& cells, const Material& material) {
        const fem::EntityBlock& block = discretisation.blocks()[b];
        const std::vector<BoundedValue> values = kernel_values(problem, model, material);
        for (std::size_t k = 0; k < values.size(); ++k)
          fem::evaluate_component(
              discretisation, block, block.stiffness, cells, values[k].value, values[k].range, T[b],
              {static_cast<int>(values.size()), static_cast<int>(k)}, data.field[b]);
      });
}

}  // namespace trestle::physics

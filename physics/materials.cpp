#include "physics/materials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "fem/point_values.hpp"
#include "fem/state_fields.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/models/darcy.hpp"
#include "physics/models/elasticity.hpp"
#include "physics/models/heat.hpp"
#include "physics/models/transport.hpp"
#include "physics/solid_materials.hpp"
#include "physics/thermal_materials.hpp"

namespace trestle::physics {
namespace {

/// Materials by group set: -1 none, -2 two or more.
std::vector<Index> material_of_sets(const mesh::Mesh& mesh, const Problem& problem,
                                    GroupLookup& lookup) {
  std::vector<Index> of_set(mesh.group_sets.size(), -1);
  for (std::size_t m = 0; m < problem.materials.size(); ++m) {
    const Material& material = problem.materials[m];
    if (material.on.empty()) std::fill(of_set.begin(), of_set.end(), static_cast<Index>(m));
    for (const GroupRef& ref : material.on) {
      const mesh::LocalGroup* group =
          lookup.find(ref, {.cells = true}, "material " + material.name);
      if (group == nullptr) continue;
      const int index = static_cast<int>(group - mesh.groups.data());
      for (std::size_t set = 0; set < of_set.size(); ++set) {
        if (!mesh.set_has_group(static_cast<int>(set), index)) continue;
        const bool taken = of_set[set] != -1 && of_set[set] != static_cast<Index>(m);
        of_set[set] = taken ? -2 : static_cast<Index>(m);
      }
    }
  }
  return of_set;
}

void note_faults(const mesh::Mesh& mesh, const Problem& problem, const CellMaterials& materials,
                 GroupLookup& lookup) {
  std::array<GlobalIndex, 2> faults{};  // without a material, with two
  for (std::size_t b = 0; b < mesh.cells.size(); ++b)
    for (std::size_t c = 0; c < materials[b].size(); ++c)
      if (mesh.cells[b].owned[c] != 0 && materials[b][c] < 0)
        ++faults[materials[b][c] == -1 ? 0 : 1];
  mesh.comm().sum(std::span<GlobalIndex>(faults));
  const SourcePosition where =
      problem.materials.empty() ? SourcePosition{} : problem.materials.front().where;
  if (faults[0] > 0)
    lookup.add(where, fmt::format("{} of {} cells have no material; name their group in a "
                                  "material's `on`, or leave `on` out "
                                  "of the only material",
                                  faults[0], mesh.n_cells_global));
  if (faults[1] > 0)
    lookup.add(where, fmt::format("{} cells lie in groups of two materials; a cell can have one",
                                  faults[1]));
}

/// The parameters of fem::PorousFlow at a place.
std::vector<double> flow_parameters(const Problem& problem, const Material& material,
                                    const fem::Vec3& x) {
  const double viscosity = material_value(material, "viscosity", 0, x);
  const bool heavy = material.parameters.find("density") != material.parameters.end();
  const double density = heavy ? material_value(material, "density", 0, x) : 0;
  std::vector<double> values(6);
  for (std::size_t d = 0; d < 3; ++d) {
    values[d] = material_value(material, "permeability", static_cast<int>(d), x) / viscosity;
    values[3 + d] = values[d] * density * problem.gravity[d];
  }
  return values;
}

/// The parameters of fem::Conduction, fem::PorousFlow or fem::IsotropicElastic at a place.
std::vector<double> kernel_parameters(const Problem& problem, Model model, const Material& material,
                                      const fem::Vec3& x) {
  if (problem.physics == heat().name)
    return {material_value(material, "conductivity", 0, x),
            material_value(material, "conductivity", 1, x),
            material_value(material, "conductivity", 2, x)};
  if (problem.physics == darcy().name) return flow_parameters(problem, material, x);
  if (needs_solid_laws(problem)) return solid_values(problem, material, x);
  return {material_value(material, "young", 0, x), material_value(material, "poisson", 0, x),
          model == Model::plane_stress ? 1.0 : 0.0};
}

/// Whether some parameter of a material is an expression.
bool uses_place(const Problem& problem, const Description& description) {
  for (const Material& material : problem.materials)
    for (const ParameterInfo& info : description.material)
      if (const auto found = material.parameters.find(info.name);
          found != material.parameters.end())
        for (const auto& component : found->second.components)
          if (component && !component->is_number()) return true;
  return false;
}

/// A table for fields beside it: it has only the laws, which have no place.
std::vector<double> laws_alone(const Problem& problem, int n_parameters) {
  const auto n = static_cast<std::size_t>(n_parameters);
  std::vector<double> table(n * problem.materials.size());
  for (std::size_t m = 0; n == fem::solid_parameter::count && m < problem.materials.size(); ++m)
    table[m * n + fem::solid_parameter::law] = static_cast<double>(law_of(problem.materials[m]));
  return table;
}

/// "above 0", "above -1 and below 0.5".
std::string bounds_of(const ParameterInfo& info) {
  std::vector<std::string> bounds;
  if (std::isfinite(info.lower))
    bounds.push_back(fmt::format("{} {:g}", info.lower_open ? "above" : "at least", info.lower));
  if (std::isfinite(info.upper))
    bounds.push_back(fmt::format("{} {:g}", info.upper_open ? "below" : "at most", info.upper));
  return fmt::format("{}", fmt::join(bounds, " and "));
}

void check_bounds(const Description& description, const Material& material, const fem::Vec3& x) {
  for (const ParameterInfo& info : description.material) {
    const auto found = material.parameters.find(info.name);
    if (found == material.parameters.end()) continue;
    for (const auto& component : found->second.components) {
      if (!component || component->is_number() || component->uses_temperature()) continue;
      const double value = value_at(*component, x);
      const bool low = info.lower_open ? !(value > info.lower) : !(value >= info.lower);
      const bool high = info.upper_open ? !(value < info.upper) : !(value <= info.upper);
      if (low || high)
        throw CaseError(
            component->where(),
            fmt::format("{} of material {} is {:g} {} at ({:g}, {:g}, {:g}); it must be {}",
                        info.name, material.name, value, info.unit, x[0], x[1], x[2],
                        bounds_of(info)));
    }
  }
}

std::vector<gpu::Array<double>> parameter_fields(const fem::Discretisation& discretisation,
                                                 const Problem& problem, Model model,
                                                 const CellMaterials& materials) {
  const Description& description = *find_description(problem.physics);
  std::vector<std::vector<double>> values(materials.size());
  discretisation.mesh().comm().agree([&] {
    for (std::size_t b = 0; b < materials.size(); ++b) {
      const fem::EntityBlock& block = discretisation.blocks()[b];
      const std::vector<double> places =
          fem::point_places(discretisation.device(), discretisation.view(block, block.stiffness));
      const auto n_points = static_cast<std::size_t>(block.stiffness.n_points);
      for (std::size_t i = 0; i < places.size() / 3; ++i) {
        if (materials[b][i / n_points] < 0) continue;  // a mistake that is noted already
        const fem::Vec3 x{places[3 * i], places[3 * i + 1], places[3 * i + 2]};
        const Material& material =
            problem.materials[static_cast<std::size_t>(materials[b][i / n_points])];
        check_bounds(description, material, x);
        const std::vector<double> here = kernel_parameters(problem, model, material, x);
        values[b].insert(values[b].end(), here.begin(), here.end());
      }
    }
  });
  std::vector<gpu::Array<double>> fields;
  for (const auto& block : values)
    fields.push_back(gpu::upload(discretisation.device(), block, "materials"));
  return fields;
}

}  // namespace

double value_at(const fem::Expression& expression, const fem::Vec3& x, double time,
                double temperature) {
  const double value = expression(x[0], x[1], x[2], time, temperature);
  if (!std::isfinite(value))
    throw NumericalError(
        ExitCode::not_a_number,
        fmt::format("{}: {} at x = {:g}, y = {:g}, z = {:g} m{}{}: it must be finite; {}",
                    to_string(expression.where()), expression.words_of(value), x[0], x[1], x[2],
                    expression.uses_time() ? fmt::format(", t = {:g} s", time) : "",
                    expression.uses_temperature() ? fmt::format(", T = {:g} K", temperature) : "",
                    fem::keep_finite));
  return value;
}

const fem::Expression& material_expression(const Material& material, const std::string& parameter,
                                           int component) {
  const auto found = material.parameters.find(parameter);
  if (found == material.parameters.end())
    throw CaseError(material.where,
                    fmt::format("material {} needs {} here; add it", material.name, parameter));
  const auto& components = found->second.components;
  return *components[std::min(static_cast<std::size_t>(component), components.size() - 1)];
}

double material_value(const Material& material, const std::string& parameter, int component,
                      const fem::Vec3& x, double temperature) {
  return value_at(material_expression(material, parameter, component), x, 0, temperature);
}

CellMaterials assign_materials(const mesh::Mesh& mesh, const Problem& problem,
                               GroupLookup& lookup) {
  const std::vector<Index> of_set = material_of_sets(mesh, problem, lookup);
  CellMaterials materials;
  for (const mesh::CellBlock& block : mesh.cells) {
    std::vector<Index>& of_cell = materials.emplace_back(block.group_set.size());
    std::transform(block.group_set.begin(), block.group_set.end(), of_cell.begin(),
                   [&](int set) { return of_set[static_cast<std::size_t>(set)]; });
  }
  note_faults(mesh, problem, materials, lookup);
  return materials;
}

fem::MaterialData make_material_data(const fem::Discretisation& discretisation,
                                     const Problem& problem, Model model,
                                     const CellMaterials& materials) {
  const gpu::Device& device = discretisation.device();
  const Description& description = *find_description(problem.physics);
  const bool porous = problem.physics == darcy().name;
  const bool solid = problem.physics == elasticity().name && needs_solid_laws(problem);
  const bool with_slopes = conductivity_depends_on_temperature(problem);
  const bool by_temperature = with_slopes || moduli_depend_on_temperature(problem);
  const int n_parameters = solid ? fem::solid_parameter::count : with_slopes || porous ? 6 : 3;
  std::vector<gpu::ConstantArray<Index>> of_cell;
  for (const auto& block : materials) of_cell.emplace_back(device, std::span(block), "materials");
  std::vector<double> table;
  std::vector<gpu::Array<double>> fields;
  if (by_temperature) {  // filled for each state
    for (const fem::EntityBlock& block : discretisation.blocks())
      fields.emplace_back(device, block.n_entities * block.stiffness.n_points * n_parameters,
                          "materials");
    table = laws_alone(problem, n_parameters);
  } else if (uses_place(problem, description)) {
    fields = parameter_fields(discretisation, problem, model, materials);
    table = laws_alone(problem, n_parameters);
  } else {
    for (const Material& material : problem.materials) {
      const std::vector<double> row = kernel_parameters(problem, model, material, {});
      table.insert(table.end(), row.begin(), row.end());
    }
  }
  return {std::move(of_cell), gpu::upload(device, table, "materials"), std::move(fields),
          n_parameters};
}

bool conductivity_depends_on_temperature(const Problem& problem) {
  for (const Material& material : problem.materials)
    if (const auto found = material.parameters.find("conductivity");
        found != material.parameters.end())
      for (const auto& component : found->second.components)
        if (component && component->uses_temperature()) return true;
  return false;
}

void update_conductivities(const fem::Discretisation& discretisation, const Problem& problem,
                           const solver::Vector<double>& u, fem::MaterialData& data) {
  discretisation.mesh().comm().agree([&] {
    for (std::size_t b = 0; b < discretisation.blocks().size(); ++b) {
      const fem::EntityBlock& block = discretisation.blocks()[b];
      const gpu::Array<double> temperatures =
          fem::interpolate(discretisation, block, block.stiffness, u);
      for (std::size_t m = 0; m < problem.materials.size(); ++m) {
        std::vector<fem::Expression> components;
        for (int d = 0; d < 3; ++d)
          components.push_back(material_expression(problem.materials[m], "conductivity", d));
        fem::evaluate_by_temperature(discretisation, block, block.stiffness,
                                     {data.material[b].view(), static_cast<Index>(m)}, components,
                                     0, temperatures, data.field[b]);
      }
    }
  });
}

namespace {

/// What multiplies the rate, or the acceleration, as a product.
std::vector<fem::Expression> storage_factors(const Problem& problem, const Material& material) {
  if (problem.physics == transport().name) return {fem::Expression(1.0)};
  if (problem.physics == darcy().name) return {material_expression(material, "storage", 0)};
  const fem::Expression& density = material_expression(material, "density", 0);
  if (problem.physics != heat().name) return {density};
  return {material_expression(material, "specific_heat", 0), density};
}

fem::Expression multiply(const fem::Expression& a, const fem::Expression& b) {
  return a.is_number() && b.is_number() ? fem::Expression(a.number() * b.number())
                                        : fem::product(a, b);
}

fem::Expression storage_of(const Problem& problem, const Material& material) {
  const std::vector<fem::Expression> factors = storage_factors(problem, material);
  return factors.size() == 1 ? factors[0] : multiply(factors[0], factors[1]);
}

/// Nothing where one of the factors uses both.
std::optional<CapacityFactors> factors_of(const std::vector<fem::Expression>& factors) {
  CapacityFactors both;
  for (const fem::Expression& factor : factors) {
    if (factor.uses_temperature() && factor.uses_place()) return std::nullopt;
    fem::Expression& side = factor.uses_temperature() ? both.by_temperature : both.by_place;
    side = multiply(factor, side);
  }
  return both;
}

}  // namespace

std::optional<std::array<double, 2>> melting_range(const Material& material) {
  if (material.parameters.find("latent_heat") == material.parameters.end()) return std::nullopt;
  const auto number = [&](const char* name) {
    return material_expression(material, name, 0).number();
  };
  if (material.parameters.find("solidus") != material.parameters.end())
    return std::array{number("solidus"), number("liquidus")};
  constexpr double narrow = 1e-4;
  const double at = number("melting_temperature");
  const double heat = material_expression(material, "specific_heat", 0)(0, 0, 0, 0, at);
  const double width = narrow * number("latent_heat") / (heat > 0 ? heat : 1000);
  return std::array{at, at + std::max(width, 1e-9 * std::abs(at))};
}

double molten_part(const std::array<double, 2>& range, double temperature) {
  return std::clamp((temperature - range[0]) / (range[1] - range[0]), 0.0, 1.0);
}

bool melts(const Problem& problem) {
  return std::any_of(problem.materials.begin(), problem.materials.end(),
                     [](const Material& m) { return melting_range(m).has_value(); });
}

Capacity::Capacity(const fem::Discretisation& discretisation, const Problem& problem,
                   const fem::MaterialData& data)
    : discretisation_(discretisation),
      material_(data.material),
      coefficient_{data.material, gpu::Array<double>(discretisation.device(), 0, "materials"), {}} {
  bool by_place = false;
  std::vector<double> table;
  for (const Material& material : problem.materials) {
    fem::Expression value = storage_of(problem, material);
    by_temperature_ = by_temperature_ || value.uses_temperature();
    by_place = by_place || !value.is_number();
    table.push_back(value.is_number() ? value.number() : 0);
    of_material_.push_back(std::move(value));
  }
  coefficient_.table = gpu::upload(discretisation.device(), table, "materials");
  find_latent_heat(problem);
  find_enthalpy(problem);
  if (!by_place) return;
  for (const fem::EntityBlock& block : discretisation.blocks()) {
    const Offset n = block.n_entities * block.load.n_points;
    coefficient_.field.emplace_back(discretisation.device(), n, "materials");
    with_slopes_.emplace_back(discretisation.device(), 2 * n, "materials");
  }
  solver::Vector<double> zero(discretisation.device(), discretisation.mesh().nodes, 1, "materials");
  gpu::fill(discretisation.device(), zero.view(), 0.0);
  if (!by_temperature_) update(zero);
}

fem::CellCoefficient Capacity::in_material(Index material, const fem::Expression& value) const {
  const gpu::Device& device = discretisation_.device();
  std::vector<double> table(of_material_.size(), 0.0);
  if (value.is_number()) table[static_cast<std::size_t>(material)] = value.number();
  fem::CellCoefficient coefficient{material_, gpu::upload(device, table, "materials"), {}};
  if (value.is_number()) return coefficient;
  solver::Vector<double> zero(device, discretisation_.mesh().nodes, 1, "materials");
  gpu::fill(device, zero.view(), 0.0);
  discretisation_.mesh().comm().agree([&] {
    for (std::size_t b = 0; b < discretisation_.blocks().size(); ++b) {
      const fem::EntityBlock& block = discretisation_.blocks()[b];
      const Offset n = block.n_entities * block.load.n_points;
      gpu::Array<double> with_slope(device, 2 * n, "materials");
      gpu::fill(device, with_slope.view(), 0.0);
      fem::evaluate_by_temperature(
          discretisation_, block, block.load, {material_[b].view(), material}, std::span(&value, 1),
          0, fem::interpolate(discretisation_, block, block.load, zero), with_slope);
      coefficient.field.emplace_back(device, n, "materials");
      fem::copy_component(device, with_slope, 2, 0, coefficient.field[b]);
    }
  });
  return coefficient;
}

void Capacity::find_latent_heat(const Problem& problem) {
  std::vector<fem::Melting> melting;
  for (std::size_t m = 0; m < problem.materials.size(); ++m) {
    const Material& material = problem.materials[m];
    const auto range = melting_range(material);
    if (!range) continue;
    const fem::Expression per_volume =
        fem::product(material_expression(material, "density", 0),
                     material_expression(material, "latent_heat", 0));
    const bool constant = !per_volume.uses_place();
    const fem::CellCoefficient coefficient = in_material(
        static_cast<Index>(m), constant ? fem::Expression(per_volume(0, 0, 0)) : per_volume);
    melting.push_back(
        {fem::lumped_mass(discretisation_, coefficient, 1), (*range)[0], (*range)[1]});
  }
  if (!melting.empty()) latent_heat_ = std::make_unique<const fem::LatentHeat>(std::move(melting));
}

void Capacity::find_enthalpy(const Problem& problem) {
  const AnalysisOptions& analysis = problem.analysis;
  if (!by_temperature_ || analysis.scheme == TimeScheme::crank_nicolson ||
      analysis.coupling == Coupling::two_way)
    return;
  std::vector<CapacityFactors> factors;
  for (const Material& material : problem.materials) {
    std::optional<CapacityFactors> both = factors_of(storage_factors(problem, material));
    if (!both) return;
    factors.push_back(std::move(*both));
  }
  std::vector<solver::Vector<double>> lumped;
  for (std::size_t m = 0; m < factors.size() && analysis.mass == MassKind::lumped; ++m)
    lumped.push_back(fem::lumped_mass(discretisation_,
                                      in_material(static_cast<Index>(m), factors[m].by_place), 1));
  enthalpy_ =
      std::make_unique<const Enthalpy>(discretisation_, material_, factors, std::move(lumped));
}

void Capacity::update(const solver::Vector<double>& u) {
  if (with_slopes_.empty()) return;
  const gpu::Device& device = discretisation_.device();
  discretisation_.mesh().comm().agree([&] {
    for (std::size_t b = 0; b < with_slopes_.size(); ++b) {
      const fem::EntityBlock& block = discretisation_.blocks()[b];
      const gpu::Array<double> temperatures =
          fem::interpolate(discretisation_, block, block.load, u);
      for (std::size_t m = 0; m < of_material_.size(); ++m)
        fem::evaluate_by_temperature(
            discretisation_, block, block.load, {material_[b].view(), static_cast<Index>(m)},
            std::span(&of_material_[m], 1), 0, temperatures, with_slopes_[b]);
      fem::copy_component(device, with_slopes_[b], 2, 0, coefficient_.field[b]);
    }
  });
}

fem::CellCoefficient Capacity::tangent(const solver::Vector<double>& rate) const {
  const gpu::Device& device = discretisation_.device();
  fem::CellCoefficient slopes{material_, gpu::Array<double>(device, 0, "materials"), {}};
  for (std::size_t b = 0; b < with_slopes_.size(); ++b) {
    const fem::EntityBlock& block = discretisation_.blocks()[b];
    slopes.field.push_back(fem::interpolate(discretisation_, block, block.load, rate));
    fem::multiply_by_component(device, with_slopes_[b], 2, 1, slopes.field[b]);
  }
  return slopes;
}

}  // namespace trestle::physics

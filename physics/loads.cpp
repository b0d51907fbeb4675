#include "physics/loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "fem/point_values.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::physics {

struct Loads::Context {
  const fem::Discretisation& discretisation;
  const Problem& problem;
  const CellMaterials& materials;
  int n_components;
  const mesh::Mesh& mesh() const { return discretisation.mesh(); }
};

namespace {

const ConditionInfo& condition_info(const Problem& problem, const std::string& type) {
  for (const ConditionInfo& info : find_description(problem.physics)->conditions)
    if (info.name == type) return info;
  throw Error(ExitCode::bug, "condition " + type + " is not known to " + problem.physics);
}

const Value& value_of(const Condition& condition) { return condition.parameters.at("value"); }

/// chosen[cell]: 1 where a cell of the block is in the group.
std::vector<std::uint8_t> cells_of_group(const mesh::Mesh& mesh, std::size_t block,
                                         const mesh::LocalGroup& group) {
  const int index = static_cast<int>(&group - mesh.groups.data());
  std::vector<std::uint8_t> set_chosen;
  for (std::size_t set = 0; set < mesh.group_sets.size(); ++set)
    set_chosen.push_back(mesh.set_has_group(static_cast<int>(set), index) ? 1 : 0);
  const std::vector<int>& sets = mesh.cells[block].group_set;
  std::vector<std::uint8_t> chosen(sets.size());
  std::transform(sets.begin(), sets.end(), chosen.begin(),
                 [&](int set) { return set_chosen[static_cast<std::size_t>(set)]; });
  return chosen;
}

/// Coefficients of heat transfer that are expressions must not be negative anywhere; [facet, point,
/// 2] with the ambient.
void check_coefficients(const gpu::Array<double>& values, const Condition& condition) {
  const auto host = gpu::read(values);
  for (Offset i = 0; i < host.size(); i += 2)
    if (!(host[i] >= 0))
      throw CaseError(condition.where,
                      fmt::format("convection: the coefficient is {:g} W/(m^2 K) at "
                                  "some place; it must not be negative",
                                  host[i]));
}

}  // namespace

std::vector<fem::Expression> components_of(const Value& value, int n) {
  std::vector<fem::Expression> components;
  for (int d = 0; d < n; ++d) {
    const bool listed = static_cast<std::size_t>(d) < value.components.size();
    components.push_back(
        listed ? value.components[static_cast<std::size_t>(d)].value_or(fem::Expression(0.0))
               : fem::Expression(0.0));
  }
  return components;
}

Loads::Loads(const fem::Discretisation& discretisation, const Problem& problem,
             const LoadCase* load_case, const CellMaterials& materials, int n_components,
             GroupLookup& lookup)
    : n_components_(n_components) {
  const Context context{discretisation, problem, materials, n_components};
  for (const Condition& condition : problem.conditions) add_condition(context, condition, lookup);
  if (load_case != nullptr)
    for (const Condition& condition : load_case->conditions)
      add_condition(context, condition, lookup);
  for (const auto& block : thermal_host_)
    thermal_.push_back(gpu::upload(discretisation.device(), block, "loads"));
  thermal_host_.clear();
}

void Loads::add_condition(const Context& context, const Condition& condition, GroupLookup& lookup) {
  const ConditionInfo& info = condition_info(context.problem, condition.type);
  if (info.fixes_values) return;
  for (const GroupRef& ref : condition.on) {
    const mesh::LocalGroup* group = lookup.find(ref, info.targets, condition.type);
    if (group == nullptr) continue;
    lookup.take([&] {
      if (info.targets.facets)
        add_facets(context, condition, *group);
      else if (info.targets.points)
        add_points(context, condition, *group);
      else if (condition.type == "gravity")
        add_gravity(context, condition, *group);
      else if (condition.type == "temperature")
        add_thermal_strain(context, condition, *group);
      else
        add_cells(context, condition, *group);
    });
  }
}

void Loads::add_facets(const Context& context, const Condition& condition,
                       const mesh::LocalGroup& group) {
  const bool convection = condition.type == "convection";
  const bool pressure = condition.type == "pressure";
  if (pressure &&
      context.mesh().comm().any(std::any_of(group.entities.begin(), group.entities.end(),
                                            [](const mesh::Entity& e) { return e.internal; })))
    throw CaseError(
        condition.where,
        fmt::format("pressure on \"{}\": some facets lie between two cells, so their normal has no "
                    "side; use traction, or take the internal facets out of the group",
                    group.group.name));
  std::vector<fem::Expression> components;
  if (convection) {
    components = {*condition.parameters.at("coefficient").components[0],
                  *condition.parameters.at("ambient").components[0]};
  } else {
    components = components_of(value_of(condition), pressure ? 1 : context.n_components);
  }
  const int n_values = static_cast<int>(components.size());
  std::vector<fem::EntityBlock> blocks = context.discretisation.facets(group.entities);
  context.mesh().comm().agree([&] {
    for (fem::EntityBlock& block : blocks) {
      gpu::Array<double> values =
          fem::evaluate_at_points(context.discretisation.device(),
                                  context.discretisation.view(block, block.load), components);
      if (convection) check_coefficients(values, condition);
      (convection ? convection_ : per_area_)
          .push_back({std::move(block), std::move(values), n_values});
    }
  });
}

void Loads::add_cells(const Context& context, const Condition& condition,
                      const mesh::LocalGroup& group) {
  const std::vector<fem::Expression> components =
      components_of(value_of(condition), context.n_components);
  for (std::size_t b = 0; b < context.mesh().cells.size(); ++b)
    per_volume_.push_back(
        {context.discretisation.cells(b, cells_of_group(context.mesh(), b, group)), components,
         fem::Expression(1.0)});
}

void Loads::add_gravity(const Context& context, const Condition& condition,
                        const mesh::LocalGroup& group) {
  const std::vector<fem::Expression> acceleration =
      components_of(value_of(condition), context.n_components);
  context.mesh().comm().agree([&] {
    for (std::size_t b = 0; b < context.mesh().cells.size(); ++b) {
      const std::vector<std::uint8_t> chosen = cells_of_group(context.mesh(), b, group);
      for (std::size_t m = 0; m < context.problem.materials.size(); ++m) {
        std::vector<std::uint8_t> of_material(chosen.size());
        bool any = false;
        for (std::size_t c = 0; c < chosen.size(); ++c) {
          of_material[c] = chosen[c] != 0 && context.materials[b][c] == static_cast<Index>(m);
          any = any || of_material[c] != 0;
        }
        if (any)
          per_volume_.push_back({context.discretisation.cells(b, of_material), acceleration,
                                 material_expression(context.problem.materials[m], "density", 0)});
      }
    }
  });
}

void Loads::add_points(const Context& context, const Condition& condition,
                       const mesh::LocalGroup& group) {
  const std::vector<fem::Expression> components =
      components_of(value_of(condition), context.n_components);
  context.mesh().comm().agree([&] {
    for (Index node : group.nodes) {
      if (node >= context.mesh().nodes->n_owned()) continue;
      fem::Vec3 value{};
      for (std::size_t d = 0; d < components.size(); ++d)
        value[static_cast<int>(d)] = value_at(components[d], fem::node_place(context.mesh(), node));
      points_.push_back({node, value});
    }
  });
}

void Loads::add_thermal_strain(const Context& context, const Condition& condition,
                               const mesh::LocalGroup& group) {
  const fem::Expression temperature = components_of(value_of(condition), 1).front();
  const auto& blocks = context.discretisation.blocks();
  thermal_host_.resize(blocks.size());
  context.mesh().comm().agree([&] {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto n_points = static_cast<std::size_t>(blocks[b].stiffness.n_points);
      const std::vector<std::uint8_t> chosen = cells_of_group(context.mesh(), b, group);
      const std::vector<double> places =
          fem::point_places(context.discretisation.device(),
                            context.discretisation.view(blocks[b], blocks[b].stiffness));
      thermal_host_[b].resize(chosen.size() * n_points, 0.0);
      for (std::size_t i = 0; i < chosen.size() * n_points; ++i) {
        const std::size_t c = i / n_points;
        if (chosen[c] == 0 || context.materials[b][c] < 0) continue;
        const Material& material =
            context.problem.materials[static_cast<std::size_t>(context.materials[b][c])];
        const fem::Vec3 x{places[3 * i], places[3 * i + 1], places[3 * i + 2]};
        thermal_host_[b][i] =
            material_value(material, "thermal_expansion", 0, x) *
            (value_at(temperature, x) - material_value(material, "reference_temperature", 0, x));
      }
    }
  });
}

const solver::Vector<double>& Loads::fixed(const fem::Discretisation& discretisation) const {
  if (fixed_) return *fixed_;
  const mesh::Mesh& mesh = discretisation.mesh();
  auto sum = std::make_unique<solver::Vector<double>>(discretisation.device(), mesh.nodes,
                                                      n_components_, "loads");
  gpu::fill(discretisation.device(), sum->view(), 0.0);
  for (const FacetLoads& load : per_area_)
    fem::add_facet_load(discretisation, load.facets, load.values, load.n_values, *sum);
  mesh.comm().agree([&] {
    for (const BodyLoads& load : per_volume_)
      fem::add_body_load(discretisation, *load.cells, load.components, load.density, 0, *sum);
  });
  {
    const auto values = gpu::write(sum->values());
    for (const PointLoad& load : points_)
      for (int d = 0; d < n_components_; ++d)
        values[static_cast<Offset>(load.node) * n_components_ + d] += load.value[d];
  }
  fixed_ = std::move(sum);
  return *fixed_;
}

void Loads::add_convection(const fem::Discretisation& discretisation,
                           const solver::Vector<double>& u, solver::Vector<double>& sum) const {
  for (const FacetLoads& load : convection_)
    fem::add_convection_load(discretisation, load.facets, load.values, u, sum);
}

void Loads::add_convection_matrix(const fem::Discretisation& discretisation,
                                  solver::BlockMatrix<double>& matrix) const {
  for (const FacetLoads& load : convection_)
    fem::add_convection_matrix(discretisation, load.facets, load.values, matrix);
}

}  // namespace trestle::physics

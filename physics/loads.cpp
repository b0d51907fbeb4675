#include "physics/loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "core/number.hpp"
#include "fem/point_values.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::physics {

namespace {

const ConditionInfo& condition_info(const Problem& problem, const std::string& type) {
  for (const ConditionInfo& info : find_description(problem.physics)->conditions)
    if (info.name == type) return info;
  throw Error(ExitCode::bug, "condition " + type + " is not known to " + problem.physics);
}

const Value& value_of(const Condition& condition) { return condition.parameters.at("value"); }

/// The facets of the groups, each once.
std::vector<mesh::Entity> entities_of(const std::vector<const mesh::LocalGroup*>& groups) {
  if (groups.size() == 1) return groups.front()->entities;
  std::vector<mesh::Entity> entities;
  std::set<std::array<Index, 3>> seen;
  for (const mesh::LocalGroup* group : groups)
    for (const mesh::Entity& entity : group->entities)
      if (seen.insert({entity.parent_block, entity.parent_cell, entity.parent_facet}).second)
        entities.push_back(entity);
  return entities;
}

/// Coefficients of exchange that are expressions must keep their bounds, and radiation needs
/// absolute temperatures; [facet, point, 2] with the ambient.
void check_exchange(const ExchangeLoads& exchange) {
  const auto host = gpu::read(exchange.load.values);
  const bool radiation = exchange.kind == fem::Exchange::radiation;
  for (Offset i = 0; i < host.size(); i += 2) {
    if (!(host[i] >= 0) || (radiation && host[i] > 1))
      throw CaseError(
          exchange.where,
          radiation
              ? fmt::format("radiation: the emissivity is {:g} at some place, outside 0 to 1",
                            host[i])
              : fmt::format("{}: the coefficient is {:g} at some place; it must not be negative",
                            exchange.condition, host[i]));
    if (radiation && !(host[i + 1] >= 0))
      throw CaseError(exchange.where,
                      fmt::format("radiation: the ambient temperature is {:g} K at some place; it "
                                  "is absolute, in K",
                                  host[i + 1]));
  }
}

bool any_uses_time(const std::vector<fem::Expression>& components) {
  return std::any_of(components.begin(), components.end(),
                     [](const fem::Expression& e) { return e.uses_time(); });
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
    : discretisation_(discretisation),
      problem_(problem),
      materials_(materials),
      n_components_(n_components) {
  for (const Condition& condition : problem.conditions) add_condition(condition, lookup);
  if (load_case != nullptr)
    for (const Condition& condition : load_case->conditions) add_condition(condition, lookup);
  lookup.take([&] { evaluate_thermal_strain(); });
}

void Loads::add_condition(const Condition& condition, GroupLookup& lookup) {
  const ConditionInfo& info = condition_info(problem_, condition.type);
  if (info.fixes_values) return;
  for (const auto& [name, value] : condition.parameters)
    for (const auto& component : value.components)
      changes_ = changes_ || (component && component->uses_time());
  Groups groups;
  for (const GroupRef& ref : condition.on)
    if (const mesh::LocalGroup* group = lookup.find(ref, info.targets, condition.type))
      groups.push_back(group);
  if (groups.empty()) return;
  lookup.take([&] {
    if (info.targets.facets)
      add_facets(condition, groups);
    else if (info.targets.points)
      add_points(condition, groups);
    else if (condition.type == "gravity")
      add_gravity(condition, groups);
    else if (condition.type == "temperature")
      thermal_loads_.push_back({groups, components_of(value_of(condition), 1).front()});
    else
      add_cells(condition, groups);
  });
}

void Loads::refuse_internal(const Condition& condition, const Groups& groups) const {
  for (const mesh::LocalGroup* group : groups)
    if (const GlobalIndex n = count_internal(mesh(), *group); n > 0)
      throw CaseError(
          condition.where,
          fmt::format("pressure on \"{}\": {} of its {} lie between two cells, so that the normal "
                      "has no side; use traction, or take the internal facets out of the group",
                      group->group.called(), n, counted(group->n_global, "facet")));
}

void Loads::add_facets(const Condition& condition, const Groups& groups) {
  const bool exchange = condition.parameters.contains("ambient");
  const bool follower = condition.type == "follower_pressure";
  const bool pressure = condition.type == "pressure" || follower;
  follows_ = follows_ || follower;
  if (pressure) refuse_internal(condition, groups);
  std::vector<fem::Expression> components;
  if (exchange) {
    const char* coefficient = condition.type == "radiation" ? "emissivity" : "coefficient";
    components = {*condition.parameters.at(coefficient).components[0],
                  *condition.parameters.at("ambient").components[0]};
    radiates_ = radiates_ || condition.type == "radiation";
    coefficient_changes_ = coefficient_changes_ || components.front().uses_time();
  } else {
    components = components_of(value_of(condition), pressure ? 1 : n_components_);
  }
  std::vector<fem::EntityBlock> blocks = discretisation_.facets(entities_of(groups));
  mesh().comm().agree([&] {
    for (fem::EntityBlock& block : blocks) {
      FacetLoads load{std::move(block), components,
                      gpu::Array<double>(discretisation_.device(), 0, "loads")};
      if (exchange) {
        exchanges_.push_back(
            {condition.type == "radiation" ? fem::Exchange::radiation : fem::Exchange::convection,
             condition.type, std::move(load), condition.where});
        evaluate(exchanges_.back());
      } else {
        evaluate(load);
        (follower ? followers_ : per_area_).push_back(std::move(load));
      }
    }
  });
}

void Loads::evaluate(FacetLoads& load) const {
  load.values = fem::evaluate_at_points(discretisation_.device(),
                                        discretisation_.view(load.facets, load.facets.load),
                                        load.components, time_);
}

void Loads::evaluate(ExchangeLoads& exchange) const {
  evaluate(exchange.load);
  check_exchange(exchange);
}

void Loads::add_cells(const Condition& condition, const Groups& groups) {
  const std::vector<fem::Expression> components = components_of(value_of(condition), n_components_);
  if (has_flow(problem_)) return sources_.push_back({groups, components.front()});
  for (std::size_t b = 0; b < mesh().cells.size(); ++b)
    per_volume_.push_back({discretisation_.cells(b, cells_of_groups(mesh(), b, groups)), components,
                           fem::Expression(1.0)});
}

void Loads::add_gravity(const Condition& condition, const Groups& groups) {
  const std::vector<fem::Expression> acceleration =
      components_of(value_of(condition), n_components_);
  mesh().comm().agree([&] {
    for (std::size_t b = 0; b < mesh().cells.size(); ++b) {
      const std::vector<std::uint8_t> chosen = cells_of_groups(mesh(), b, groups);
      for (std::size_t m = 0; m < problem_.materials.size(); ++m) {
        std::vector<std::uint8_t> of_material(chosen.size());
        bool any = false;
        for (std::size_t c = 0; c < chosen.size(); ++c) {
          of_material[c] = chosen[c] != 0 && materials_[b][c] == static_cast<Index>(m);
          any = any || of_material[c] != 0;
        }
        if (any)
          per_volume_.push_back({discretisation_.cells(b, of_material), acceleration,
                                 material_expression(problem_.materials[m], "density", 0)});
      }
    }
  });
}

void Loads::add_points(const Condition& condition, const Groups& groups) {
  std::set<Index> nodes;  // each once
  for (const mesh::LocalGroup* group : groups)
    std::copy_if(group->nodes.begin(), group->nodes.end(), std::inserter(nodes, nodes.end()),
                 [&](Index node) { return node < mesh().nodes->n_owned(); });
  points_.push_back(
      {{nodes.begin(), nodes.end()}, components_of(value_of(condition), n_components_)});
}

void Loads::add_thermal_strain(const ThermalLoads& load, std::vector<std::vector<double>>& strain) {
  const auto& blocks = discretisation_.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto n_points = static_cast<std::size_t>(blocks[b].stiffness.n_points);
    const std::vector<std::uint8_t> chosen = cells_of_groups(mesh(), b, load.groups);
    const std::vector<double> places = fem::point_places(
        discretisation_.device(), discretisation_.view(blocks[b], blocks[b].stiffness));
    strain[b].resize(chosen.size() * n_points, 0.0);
    temperatures_[b].resize(strain[b].size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < chosen.size() * n_points; ++i) {
      const std::size_t c = i / n_points;
      if (chosen[c] == 0 || materials_[b][c] < 0) continue;
      const Material& material = problem_.materials[static_cast<std::size_t>(materials_[b][c])];
      const fem::Vec3 x{places[3 * i], places[3 * i + 1], places[3 * i + 2]};
      const double T = value_at(load.temperature, x, time_);
      temperatures_[b][i] = T;
      strain[b][i] = material_value(material, "thermal_expansion", 0, x, T) *
                     (T - material_value(material, "reference_temperature", 0, x));
    }
  }
}

void Loads::evaluate_thermal_strain() {
  if (thermal_loads_.empty()) return;
  std::vector<std::vector<double>> strain(discretisation_.blocks().size());
  temperatures_.assign(strain.size(), {});
  mesh().comm().agree([&] {
    for (const ThermalLoads& load : thermal_loads_) add_thermal_strain(load, strain);
  });
  thermal_.clear();
  for (const auto& block : strain)
    thermal_.push_back(gpu::upload(discretisation_.device(), block, "loads"));
}

void Loads::set_time(double time) {
  if (!changes_ || time == time_) return;
  time_ = time;
  fixed_.reset();
  mesh().comm().agree([&] {
    for (FacetLoads& load : per_area_)
      if (any_uses_time(load.components)) evaluate(load);
    for (FacetLoads& load : followers_)
      if (any_uses_time(load.components)) evaluate(load);
    for (ExchangeLoads& exchange : exchanges_)
      if (any_uses_time(exchange.load.components)) evaluate(exchange);
  });
  if (temperatures_change()) evaluate_thermal_strain();
}

bool Loads::temperatures_change() const {
  return std::any_of(thermal_loads_.begin(), thermal_loads_.end(),
                     [](const ThermalLoads& load) { return load.temperature.uses_time(); });
}

const solver::Vector<double>& Loads::fixed() const {
  if (fixed_) return *fixed_;
  auto sum = std::make_unique<solver::Vector<double>>(discretisation_.device(), mesh().nodes,
                                                      n_components_, "loads");
  gpu::fill(discretisation_.device(), sum->view(), 0.0);
  for (const FacetLoads& load : per_area_)
    fem::add_facet_load(discretisation_, load.facets, load.values,
                        static_cast<int>(load.components.size()), *sum);
  if (advection_ != nullptr) advection_->add_sources(sources_, time_, *sum);
  mesh().comm().agree([&] {
    for (const BodyLoads& load : per_volume_)
      fem::add_body_load(discretisation_, *load.cells, load.components, load.density, time_, *sum);
    const auto values = gpu::write(sum->values());
    for (const PointLoads& load : points_)
      for (Index node : load.nodes)
        for (int d = 0; d < n_components_; ++d)
          values[static_cast<Offset>(node) * n_components_ + d] += value_at(
              load.components[static_cast<std::size_t>(d)], fem::node_place(mesh(), node), time_);
  });
  fixed_ = std::move(sum);
  return *fixed_;
}

void Loads::add_followers(const solver::Vector<double>& u, double factor,
                          solver::Vector<double>& sum) const {
  for (const FacetLoads& load : followers_)
    fem::add_follower_load(discretisation_, load.facets, load.values, u, factor, sum);
}

void Loads::add_follower_matrix(const solver::Vector<double>& u, double factor,
                                solver::BlockMatrix<double>& matrix) const {
  for (const FacetLoads& load : followers_)
    fem::add_follower_matrix(discretisation_, load.facets, load.values, u, factor, matrix);
}

void Loads::add_exchange(const solver::Vector<double>& u, double factor,
                         solver::Vector<double>& sum) const {
  for (const ExchangeLoads& exchange : exchanges_)
    fem::add_exchange_load(discretisation_, exchange.kind, exchange.load.facets,
                           exchange.load.values, u, factor, sum);
}

void Loads::add_exchange_matrix(const solver::Vector<double>& u,
                                solver::BlockMatrix<double>& matrix) const {
  for (const ExchangeLoads& exchange : exchanges_)
    fem::add_exchange_matrix(discretisation_, exchange.kind, exchange.load.facets,
                             exchange.load.values, u, matrix);
}

}  // namespace trestle::physics

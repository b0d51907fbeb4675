#include "physics/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "fem/operators/solid_operator.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/cell_state.hpp"
#include "physics/fixed_values.hpp"
#include "physics/initial_state.hpp"
#include "physics/locking.hpp"
#include "physics/lumped_loads.hpp"
#include "physics/model.hpp"
#include "physics/models/darcy.hpp"
#include "physics/models/elasticity.hpp"
#include "physics/models/heat.hpp"
#include "physics/models/thermoelasticity.hpp"
#include "physics/near_null.hpp"
#include "physics/solid_materials.hpp"
#include "physics/supports/free_parts.hpp"
#include "solver/near_null.hpp"

namespace trestle::physics {
namespace {

bool is_coupled(const Problem& problem) { return problem.physics == thermoelasticity().name; }

/// Lists that have more or fewer components than the mesh has dimensions.
void check_lengths(const Problem& problem, int dim, GroupLookup& lookup) {
  const auto check = [&](const Value& value, const std::string& what) {
    if (value.components.size() > 1 && static_cast<int>(value.components.size()) != dim)
      lookup.add(value.where,
                 fmt::format("{}: {} components, but the mesh has {} dimensions; give {}", what,
                             value.components.size(), dim, dim));
  };
  const auto check_all = [&](const std::vector<Condition>& conditions) {
    for (const Condition& condition : conditions)
      for (const auto& [name, value] : condition.parameters) check(value, condition.type);
  };
  check_all(problem.conditions);
  check_all(problem.initial);
  for (const LoadCase& load_case : problem.cases) check_all(load_case.conditions);
  for (const Material& material : problem.materials)
    for (const auto& [name, value] : material.parameters)
      check(value, name + " of material " + material.name);
  for (const Value& field : problem.near_null.fields) check(field, "solver.near_null");
}

bool same(const fem::Expression& a, const fem::Expression& b) {
  return std::ranges::equal(a.code(), b.code(), [](const auto& left, const auto& right) {
    return left.op == right.op && left.value == right.value;
  });
}

/// Whether two cases exchange with their surroundings in the same places, with the same
/// coefficients: what they add to the matrix. Ambients are loads.
bool exchange_alike(const LoadCase& a, const LoadCase& b) {
  const auto exchanges = [](const LoadCase& load_case) {
    std::vector<const Condition*> found;
    for (const Condition& condition : load_case.conditions)
      if (condition.parameters.contains("ambient")) found.push_back(&condition);
    return found;
  };
  const auto alike = [](const Condition* left, const Condition* right) {
    const auto coefficient = [](const Condition* condition) -> const fem::Expression& {
      return *condition->parameters.at("coefficient").components.at(0);
    };
    return left->type == right->type && left->type != "radiation" &&
           std::ranges::equal(left->on, right->on, {}, &GroupRef::name, &GroupRef::name) &&
           same(coefficient(left), coefficient(right));
  };
  return std::ranges::equal(exchanges(a), exchanges(b), alike);
}

std::shared_ptr<const fem::Discretisation> make_discretisation(
    const gpu::Device& device, std::shared_ptr<const mesh::Mesh> mesh, const Problem& problem,
    GroupLookup& lookup) {
  const Model model = find_model(problem, mesh->dim, lookup);
  if (model == Model::axisymmetric) lookup.take([&] { check_radius(*mesh, problem.model_where); });
  return std::make_shared<const fem::Discretisation>(device, std::move(mesh),
                                                     section_of(problem, model));
}

/// Whether a prescribed value uses t.
bool changes_in_time(const std::vector<Condition>& conditions,
                     const std::vector<ConditionInfo>& infos) {
  for (const Condition& condition : conditions)
    for (const ConditionInfo& info : infos)
      if (info.name == condition.type && info.fixes_values)
        for (const auto& [name, value] : condition.parameters)
          for (const auto& component : value.components)
            if (component && component->uses_time()) return true;
  return false;
}

std::unique_ptr<fem::CellOperator> make_cells(const fem::Discretisation& discretisation,
                                              const fem::MaterialData& data,
                                              const Problem& problem) {
  if (has_flow(problem)) return fem::make_advection_operator(discretisation, data);
  if (problem.physics == darcy().name) return fem::make_porous_flow_operator(discretisation, data);
  if (problem.physics == heat().name)
    return conductivity_depends_on_temperature(problem)
               ? fem::make_temperature_conduction_operator(discretisation, data)
               : fem::make_conduction_operator(discretisation, data);
  if (!needs_solid_laws(problem)) return fem::make_elastic_operator(discretisation, data);
  return fem::make_solid_operator(discretisation, data, hardening_points(problem),
                                  problem.formulation);
}

/// Owned nodes of the facets that exchange heat: their coefficient is above 0 somewhere.
std::vector<Index> exchanging_nodes(const Loads& loads, Index n_owned) {
  std::vector<Index> held;
  for (const ExchangeLoads& exchange : loads.exchanges()) {
    const fem::EntityBlock& facets = exchange.load.facets;
    const std::vector<Index> nodes = facets.nodes.to_host();
    const auto values = gpu::read(exchange.load.values);  // the temperatures stand between
    for (Offset facet = 0; facet < facets.n_entities; ++facet) {
      const Offset n = values.size() / facets.n_entities;
      bool exchanges = false;
      for (Offset i = facet * n; i < (facet + 1) * n; i += 2)
        exchanges = exchanges || values[i] > 0;
      for (Offset a = facet * facets.n_nodes; exchanges && a < (facet + 1) * facets.n_nodes; ++a)
        if (nodes[static_cast<std::size_t>(a)] < n_owned)
          held.push_back(nodes[static_cast<std::size_t>(a)]);
    }
  }
  return held;
}

/// The coldest node where that is below absolute zero; "" where none is. Collective.
std::string below_zero(const mesh::Mesh& mesh, const solver::Vector<double>& T) {
  const auto values = gpu::read(T.values());
  struct Coldest {
    double T;
    std::int64_t tag;
  } own{0, 0};
  for (Index node = 0; node < mesh.nodes->n_owned(); ++node)
    if (values[node] < own.T) own = {values[node], mesh.node_tags[static_cast<std::size_t>(node)]};
  Coldest coldest{0, 0};
  for (const Coldest& one : mesh.comm().all_gather(std::span<const Coldest>(&own, 1)))
    if (one.T < coldest.T) coldest = one;
  if (coldest.T == 0) return "";
  return fmt::format("the temperature at node {} is {:.4g} K, below absolute zero", coldest.tag,
                     coldest.T);
}

/// Nodes of all ranks for a message.
struct NodeList {
  std::size_t n;
  std::string count;  // "3 nodes"
  std::string tags;   // of the first ten
};

/// Collective; `owned` are owned nodes.
NodeList list_nodes(const mesh::Mesh& mesh, const std::vector<Index>& owned) {
  std::vector<std::int64_t> tags;
  for (Index node : owned) tags.push_back(mesh.node_tags[static_cast<std::size_t>(node)]);
  std::vector<std::int64_t> all = mesh.comm().all_gather(std::span<const std::int64_t>(tags));
  std::sort(all.begin(), all.end());
  const std::size_t n = all.size();
  all.resize(std::min<std::size_t>(n, 10));
  return {n, fmt::format("{} node{}", n, n == 1 ? "" : "s"),
          fmt::format("{}{}", fmt::join(all, ", "), n > 10 ? " ..." : "")};
}

/// "that of case.yaml:9:5 over that of case.yaml:8:5" for each pair of entries. Collective.
std::string describe_conflicts(const Comm& comm, const std::vector<fem::Conflict>& conflicts,
                               const std::vector<Condition>& conditions) {
  using Pair = std::array<int, 2>;
  std::set<Pair> own;
  for (const fem::Conflict& conflict : conflicts) own.insert({conflict.winner, conflict.loser});
  const std::vector<Pair> here(own.begin(), own.end());
  const std::vector<Pair> all = comm.all_gather(std::span<const Pair>(here));
  const std::set<Pair> pairs(all.begin(), all.end());
  const auto place = [&](int entry) {
    return to_string(conditions[static_cast<std::size_t>(entry)].where);
  };
  constexpr std::size_t most = 5;
  std::vector<std::string> texts;
  for (const auto& [winner, loser] : pairs)
    if (texts.size() < most)
      texts.push_back(fmt::format("that of {} over that of {}", place(winner), place(loser)));
  return fmt::format("{}{}", fmt::join(texts, ", "), pairs.size() > most ? " ..." : "");
}

}  // namespace

Analysis::Analysis(const gpu::Device& device, std::shared_ptr<const mesh::Mesh> mesh,
                   Problem problem, GroupLookup lookup)
    : Analysis(make_discretisation(device, mesh, problem, lookup),
               is_coupled(problem) ? solid_part(problem) : problem,
               *find_description(problem.physics), lookup) {
  if (is_coupled(problem)) {
    is_strained_by_heat_ = true;
    heat_.reset(new Analysis(discretisation_, heat_part(problem), physics::heat(), lookup));
  }
  check_load_cases(lookup);
  lookup.raise();
  if (moduli_depend_on_temperature(problem_)) evaluate_moduli();
  if (heat_) {
    heat_->make_operators();
    warnings_.insert(warnings_.begin(), heat_->warnings_.begin(), heat_->warnings_.end());
  }
  make_operators();
}

Analysis::Analysis(std::shared_ptr<const fem::Discretisation> discretisation, Problem problem,
                   const Description& description, GroupLookup& lookup)
    : problem_(std::move(problem)),
      description_(find_description(description.name)),
      model_(find_model(problem_, discretisation->mesh().dim, lookup)),
      n_components_(find_description(problem_.physics)->results.front().components == 1
                        ? 1
                        : discretisation->mesh().dim),
      discretisation_(std::move(discretisation)) {
  check_lengths(problem_, mesh().dim, lookup);
  if (mesh().dim == 3 && problem_.thickness != 1)
    lookup.add(problem_.thickness_where,
               "thickness: is for plane models, but this mesh has three dimensions; leave it out");
  check_initial(problem_, mesh(), lookup);
  if (description_->name == problem_.physics)  // the solid of thermoelasticity has no mass
    check_lumped_loads(mesh(), problem_, lookup);
  check_near_null(problem_.near_null, n_components_ == 1 ? 1 : 3 * (mesh().dim - 1), lookup);
  materials_ = assign_materials(mesh(), problem_, lookup);
  Prescribed fixed = prescribed(mesh(), problem_, n_components_, 0, lookup);
  constraints_ = std::make_unique<fem::Constraints>(discretisation_->device(), mesh().nodes,
                                                    n_components_, std::move(fixed.directions));
  warn_of_blunt_edges(fixed.blunt_edges);
  prescribed_changes_ =
      changes_in_time(problem_.conditions, find_description(problem_.physics)->conditions);
  case_names_ = problem_.cases.empty() ? std::vector<std::string>{""} : std::vector<std::string>{};
  for (const LoadCase& load_case : problem_.cases) case_names_.push_back(load_case.name);
  for (std::size_t c = 0; c < case_names_.size(); ++c)
    loads_.push_back(std::make_unique<Loads>(*discretisation_, problem_,
                                             problem_.cases.empty() ? nullptr : &problem_.cases[c],
                                             materials_, n_components_, lookup));
  lookup.take([&] {
    if (has_flow(problem_)) return make_advection();
    material_data_ = std::make_unique<fem::MaterialData>(
        make_material_data(*discretisation_, problem_, model_, materials_));
  });
}

void Analysis::check_load_cases(GroupLookup& lookup) const {
  const auto depends = [&](const Analysis& field) {
    return conductivity_depends_on_temperature(field.problem_) ||
           std::any_of(field.loads_.begin(), field.loads_.end(),
                       [](const auto& loads) { return !loads->exchange_is_linear(); });
  };
  const auto exchanges_differ = [](const Analysis& field) {
    const std::vector<LoadCase>& cases = field.problem_.cases;
    return std::any_of(cases.begin(), cases.end(), [&](const LoadCase& load_case) {
      return !exchange_alike(load_case, cases.front());
    });
  };
  const auto gives_temperature = [](const LoadCase& load_case) {
    return std::any_of(load_case.conditions.begin(), load_case.conditions.end(),
                       [](const Condition& condition) { return condition.type == "temperature"; });
  };
  const char* what = nullptr;
  if (n_cases() > 1 && depends(*this)) what = "radiation and conductivities that use T";
  if (heat_ && heat_->n_cases() > 1 && depends(*heat_))
    what = "radiation and conductivities that use T";
  if (what == nullptr &&
      (exchanges_differ(*this) || (heat_ != nullptr && exchanges_differ(*heat_))))
    what = "exchanges with the surroundings in other places or with other coefficients";
  const bool many_temperatures =
      heat_ ? heat_->n_cases() > 1
            : std::any_of(problem_.cases.begin(), problem_.cases.end(), gives_temperature);
  if (many_temperatures && moduli_depend_on_temperature(problem_))
    what = "moduli that use T, at the temperature of each case,";
  if (what != nullptr)
    lookup.add(problem_.boundary, fmt::format("cases: load cases share one matrix, which {} do not "
                                              "have; write a case file for each",
                                              what));
}

void Analysis::make_operators() {
  cells_ = make_cells(*discretisation_, *material_data_, problem_);
  warn_of_conflicts();
  if (problem_.physics == elasticity().name)
    for (std::string& warning : locking_warnings(mesh(), problem_, model_))
      warnings_.push_back(std::move(warning));
}

void Analysis::make_advection() {
  advection_ = std::make_unique<const AdvectionFields>(*discretisation_, problem_, materials_);
  material_data_ = std::make_unique<fem::MaterialData>(advection_->steady());
  for (const auto& loads : loads_) loads->follow(*advection_);
  if (problem_.analysis.type != AnalysisType::transient) return;
  rate_data_ = std::make_unique<fem::MaterialData>(advection_->rate());
  rates_ = fem::make_advection_operator(*discretisation_, *rate_data_);
}

void Analysis::warn_of_conflicts() {
  std::vector<Index> owned;
  for (const fem::Conflict& conflict : constraints_->conflicts()) owned.push_back(conflict.node);
  const NodeList nodes = list_nodes(mesh(), owned);
  if (nodes.n == 0) return;
  warnings_.push_back(fmt::format(
      "{} {} different prescribed values; the later entry of the case holds, {}: node {}",
      nodes.count, nodes.n == 1 ? "has" : "have",
      describe_conflicts(mesh().comm(), constraints_->conflicts(), problem_.conditions),
      nodes.tags));
}

void Analysis::warn_of_blunt_edges(const std::vector<Index>& blunt_edges) {
  if (const NodeList nodes = list_nodes(mesh(), blunt_edges); nodes.n > 0)
    warnings_.push_back(fmt::format(
        "roller: {} where normals of its surface differ by 30 to 60 degrees {} taken for an edge "
        "and held in each of them: node {}; where the surface is smooth there, use more facets or "
        "second-order cells, or give the normal as expressions, roller: {{normal: [..]}}",
        nodes.count, nodes.n == 1 ? "is" : "are", nodes.tags));
}

void Analysis::check_supports() const {
  if (heat_) heat_->check_supports();
  std::vector<Index> held = exchanging_nodes(*loads_.front(), mesh().nodes->n_owned());
  if (advection_)  // what is consumed in proportion to the field determines it
    for (Index node : advection_->consuming_nodes())
      if (node < mesh().nodes->n_owned()) held.push_back(node);
  std::vector<std::string> names;
  for (const Material& material : problem_.materials) names.push_back(material.name);
  const std::vector<std::string> free = free_parts(
      mesh(), *constraints_, {n_components_, model_ == Model::axisymmetric, description_->field},
      materials_, names, held);
  if (free.empty()) return;
  std::string where;
  for (std::size_t i = 0; i < std::min<std::size_t>(free.size(), 5); ++i) where += "\n  " + free[i];
  if (free.size() > 5) where += "\n  ...";
  std::vector<double> total(static_cast<std::size_t>(n_components_) + 1, 0.0);
  const std::size_t n = total.size() - 1;  // behind the sums that of all sizes
  const std::vector<double> r = gpu::download(external(0, constraints_->prescribed()).values());
  for (std::size_t i = 0; i < static_cast<std::size_t>(mesh().nodes->n_owned()) * n; ++i) {
    total[i % n] += r[i];
    total[n] += std::abs(r[i]);
  }
  mesh().comm().sum(std::span<double>(total));
  constexpr double rounding = 1e-12;  // of loads that balance
  for (std::size_t i = 0; i < n; ++i)
    if (std::abs(total[i]) <= std::max(rounding * total[n], 1e-300)) total[i] = 0;
  total.pop_back();
  const std::string sum =
      n_components_ == 1
          ? fmt::format("net {} {:.6g} {}", description_->flow, total[0], description_->rate_unit)
          : fmt::format("resultant force ({:.6g}) N", fmt::join(total, ", "));
  const std::string remedy =
      n_components_ == 1
          ? fmt::format("fix a {} or give an exchange with the surroundings there",
                        description_->field)
          : "fix displacements, or add rollers, so that it cannot move as a rigid body";
  throw NumericalError(
      ExitCode::diverged,
      fmt::format("{}{} ({} part{} of the mesh); the loads of the model add up to a {}; {}{}",
                  problem_.boundary.file.empty() ? "" : to_string(problem_.boundary) + ": ",
                  n_components_ == 1 ? description_->field + " is fixed nowhere"
                                     : "rigid-body modes left: the model can move freely",
                  free.size(), free.size() == 1 ? "" : "s", sum, remedy, where));
}

solver::BlockMatrix<double> Analysis::matrix() const {
  const fem::MatrixLayout layout = fem::make_matrix_layout(*discretisation_);
  solver::BlockMatrix<double> matrix(discretisation_->device(), layout.pattern, n_components_);
  add_tangent(layout, constraints_->prescribed(), matrix);
  constraints_->apply(matrix);
  return matrix;
}

void Analysis::add_tangent(const fem::MatrixLayout& layout, const solver::Vector<double>& u,
                           solver::BlockMatrix<double>& matrix) const {
  cells_->add_stiffness(layout, u, thermal(0), matrix);
  loads_.front()->add_exchange_matrix(u, matrix);
  loads_.front()->add_follower_matrix(u, load_factor_, matrix);
}

bool Analysis::linear() const {
  return cells_->linear() && loads_.front()->exchange_is_linear() &&
         !loads_.front()->follow_the_surface();
}

std::vector<fem::FixedDirection> Analysis::fixed_at(double time) const {
  GroupLookup lookup(mesh());
  Prescribed fixed = prescribed(mesh(), problem_, n_components_, time, lookup);
  lookup.raise();  // a value that was fine at time 0 may not be later
  return std::move(fixed.directions);
}

void Analysis::set_time(double time, double load_factor) {
  const bool values_change = load_factor != load_factor_ || (prescribed_changes_ && time != time_);
  time_ = time;
  load_factor_ = load_factor;
  if (values_change) constraints_->set_values(fixed_at(time), load_factor);
  for (const auto& loads : loads_) loads->set_time(time);
  if (moduli_change() && !is_strained_by_heat_) evaluate_moduli();
}

ThermalModuli Analysis::thermal_moduli(const solver::Vector<double>& T) const {
  return physics::thermal_moduli(*discretisation_, problem_, *material_data_,
                                 at_points(*discretisation_, T));
}

bool Analysis::moduli_change() const {
  return problem_.physics != physics::heat().name && moduli_depend_on_temperature(problem_) &&
         (is_strained_by_heat_ || loads_.front()->temperatures_change());
}

void Analysis::evaluate_moduli() {
  if (is_strained_by_heat_)
    return update_moduli(*discretisation_, problem_, model_,
                         reference_temperatures(*discretisation_, problem_, *material_data_),
                         *material_data_);
  std::vector<std::vector<double>> given = loads_.front()->temperatures();
  given.resize(materials_.size());
  std::vector<GlobalIndex> missing(problem_.materials.size(), 0);  // cells without a temperature
  PointTemperatures temperatures;
  for (std::size_t b = 0; b < materials_.size(); ++b) {
    const auto n_points = static_cast<std::size_t>(discretisation_->blocks()[b].stiffness.n_points);
    given[b].resize(materials_[b].size() * n_points, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < given[b].size(); ++i) {
      if (!std::isnan(given[b][i])) continue;
      given[b][i] = 0;  // of materials that take no notice
      const std::size_t c = i / n_points;
      if (i % n_points == 0 && mesh().cells[b].owned[c] != 0)
        ++missing[static_cast<std::size_t>(materials_[b][c])];
    }
    temperatures.push_back(gpu::upload(discretisation_->device(), given[b], "loads"));
  }
  mesh().comm().sum(std::span<GlobalIndex>(missing));
  for (std::size_t m = 0; m < missing.size(); ++m)
    if (const Material& material = problem_.materials[m];
        missing[m] > 0 && moduli_depend_on_temperature(material))
      throw CaseError(material.where,
                      fmt::format("material {}: its moduli depend on the temperature, which {} of "
                                  "its cells do not have; give them the condition `temperature`",
                                  material.name, missing[m]));
  update_moduli(*discretisation_, problem_, model_, temperatures, *material_data_);
}

solver::Vector<double> Analysis::forces_at_zero() const {
  solver::Vector<double> zero(discretisation_->device(), mesh().nodes, n_components_, "vectors");
  gpu::fill(discretisation_->device(), zero.view(), 0.0);
  return thermal(0).empty() && cells_->homogeneous() ? external(0, zero) : residual(0, zero);
}

std::array<double, 2> Analysis::data_range() const {
  constexpr double none = std::numeric_limits<double>::infinity();
  std::array<double, 2> range{-none, -none};  // of - value and of value
  const auto take = [&](double value) {
    range = {std::max(range[0], -value), std::max(range[1], value)};
  };
  for (const fem::FixedDirection& fixed : fixed_at(time_)) take(load_factor_ * fixed.value);
  for (const ExchangeLoads& exchange : loads_.front()->exchanges()) {
    const auto values = gpu::read(exchange.load.values);
    for (Offset i = 1; i < values.size(); i += 2) take(values[i]);
  }
  mesh().comm().max(std::span<double>(range));
  return {-range[0], range[1]};
}

void Analysis::set_state(const solver::Vector<double>& u) {
  if (conductivity_depends_on_temperature(problem_))
    update_conductivities(*discretisation_, problem_, u, *material_data_);
}

void Analysis::accept(const solver::Vector<double>& u) {
  cells_->accept(u, thermal(0));
  ++n_accepted_;
}

void Analysis::visit(solver::StateVisitor& visitor) {
  visitor.number("analysis.n_accepted", n_accepted_);
  if (!history().empty()) visit_cells(visitor, "analysis.history", mesh(), history());
}

void Analysis::set_temperature(std::size_t c, const solver::Vector<double>& T) {
  const PointTemperatures temperatures = at_points(*discretisation_, T);
  loads_[c]->set_thermal(thermal_strain(*discretisation_, problem_, *material_data_, temperatures));
  if (moduli_depend_on_temperature(problem_))
    update_moduli(*discretisation_, problem_, model_, temperatures, *material_data_);
}

std::string Analysis::fault(const solver::Vector<double>& u) const {
  if (radiates()) return below_zero(mesh(), u);
  const std::optional<fem::CellFault> fault = cells_->find_fault(u);
  if (!fault) return "";
  return fmt::format(
      "cell {} around ({:g}, {:g}, {:g}) m is turned inside out, its volume ratio is "
      "{:.3g}",
      fault->tag, fault->centre[0], fault->centre[1], fault->centre[2], fault->volume);
}

Capacity Analysis::make_capacity() const {
  return Capacity(*discretisation_, problem_, *material_data_);
}

solver::Vector<double> Analysis::external(std::size_t c, const solver::Vector<double>& u) const {
  const gpu::Device& device = discretisation_->device();
  solver::Vector<double> sum(device, mesh().nodes, n_components_, "vectors");
  gpu::copy(device, loads_[c]->fixed().view(), sum.view());
  gpu::scale(device, load_factor_, sum.view());
  loads_[c]->add_exchange(u, 1, sum);
  loads_[c]->add_followers(u, load_factor_, sum);
  return sum;
}

solver::Vector<double> Analysis::residual(std::size_t c, const solver::Vector<double>& u) const {
  solver::Vector<double> sum = external(c, u);
  cells_->add_internal_force(u, loads_[c]->thermal(), -1.0, sum);
  return sum;
}

solver::Vector<double> Analysis::right_side(std::size_t c) const {
  const solver::Vector<double>& g = constraints_->prescribed();
  const bool forceless =
      constraints_->all_zero() && loads_[c]->thermal().empty() && cells_->homogeneous();  // K g = 0
  solver::Vector<double> b = forceless ? external(c, g) : residual(c, g);
  constraints_->apply(b);
  return b;
}

solver::Vector<double> Analysis::expand(const solver::Vector<double>& v) const {
  solver::Vector<double> u(discretisation_->device(), mesh().nodes, n_components_, "solution");
  constraints_->expand(v, u);
  return u;
}

solver::Vector<double> Analysis::reactions(std::size_t c, const solver::Vector<double>& u) const {
  solver::Vector<double> r = residual(c, u);
  keep_supports(r);
  return r;
}

void Analysis::keep_supports(solver::Vector<double>& residual) const {
  const auto values = gpu::write(residual.values());
  for (Index node = 0; node < mesh().nodes->n_owned(); ++node) {
    const fem::NodeConstraint* constraint = constraints_->at(node);
    for (int d = 0; d < n_components_; ++d) {
      double& value = values[static_cast<Offset>(node) * n_components_ + d];
      value = constraint == nullptr ? 0.0 : -value;
    }
  }
}

solver::MatrixTraits Analysis::matrix_traits() const {
  solver::MatrixTraits traits;
  traits.symmetric = symmetric();
  traits.dim = mesh().dim;
  const auto n_owned = static_cast<std::size_t>(mesh().nodes->n_owned());
  traits.coordinates.assign(mesh().coordinates.begin(),
                            mesh().coordinates.begin() + static_cast<std::ptrdiff_t>(3 * n_owned));
  if (problem_.near_null.replace)
    traits.near_null.clear();
  else if (n_components_ == 1)
    traits.near_null = {std::vector<double>(n_owned, 1.0)};
  else
    traits.near_null = solver::rigid_body_modes(*mesh().nodes, mesh().dim, traits.coordinates);
  for (std::vector<double>& field : near_null_fields(problem_.near_null, mesh(), n_components_))
    traits.near_null.push_back(std::move(field));
  for (std::vector<double>& mode : traits.near_null) constraints_->restrict_host(mode);
  return traits;
}

}  // namespace trestle::physics

#include "physics/results/derived.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "physics/results/recovery.hpp"

namespace trestle::physics {
namespace {

fem::Mat3 tensor(const double* v) {
  return {{{v[0], v[3], v[5]}, {v[3], v[1], v[4]}, {v[5], v[4], v[2]}}};
}

/// f(stress of the point) -> n values, for every point.
template <class Function>
std::vector<double> from_tensor(const std::vector<double>& stress, std::size_t n,
                                const Function& function) {
  std::vector<double> values(stress.size() / 6 * n);
  for (std::size_t i = 0; i < stress.size() / 6; ++i)
    function(tensor(&stress[6 * i]), &values[n * i]);
  return values;
}

}  // namespace

const ResultInfo& result_info(const Description& description, const std::string& name) {
  for (const ResultInfo& info : description.results)
    if (info.name == name) return info;
  throw Error(ExitCode::bug, "result " + name + " is not known to " + description.name);
}

std::vector<std::string> component_names(const ResultInfo& info) {
  if (info.components == 1) return {""};
  if (info.components == 6) return {"xx", "yy", "zz", "xy", "yz", "xz"};
  return info.name == "principal_stress" ? std::vector<std::string>{"1", "2", "3"}
                                         : std::vector<std::string>{"x", "y", "z"};
}

bool is_of_heat(const Analysis& analysis, const std::string& name) {
  if (analysis.heat() == nullptr) return false;
  const std::vector<ResultInfo>& results = analysis.heat()->description().results;
  return std::any_of(results.begin(), results.end(),
                     [&](const ResultInfo& info) { return info.name == name; });
}

const std::vector<double>& Derived::values(const std::string& name) {
  if (is_of_heat(analysis_, name)) return heat_->values(name);
  const auto found = known_.find(name);
  if (found != known_.end()) return found->second;
  std::vector<double> values = compute(name);
  update_ghosts(*points_.map, std::span<double>(values),
                result_info(analysis_.description(), name).components);
  return known_[name] = std::move(values);
}

std::vector<double> Derived::compute(const std::string& name) {
  if (name == analysis_.description().field) return nodal(state_.u);
  if (name == "velocity" || name == "acceleration") {
    const auto& field = name == "velocity" ? state_.velocity : state_.acceleration;
    require(field.has_value(), ExitCode::bug, "a state at rest was asked for its " + name);
    return nodal(*field);
  }
  if (name == "amplitude" || name == "phase" || name == "stress_amplitude") return response(name);
  if (name.starts_with("reaction_")) return nodal(reactions_of(state_));
  if (name == "darcy_velocity")
    return recover_flux(analysis_, points_, state_,
                        averages_.compute(fem::CellQuantity::flux, state_));
  if (result_info(analysis_.description(), name).flow || name == "stress")
    return averages_.compute(fem::CellQuantity::flux, state_);
  if (name == "liquid_fraction") return liquid_fraction();
  if (name == "hydraulic_head") return hydraulic_head();
  if (name == "strain") return averages_.compute(fem::CellQuantity::strain, state_);
  if (name == "strain_energy_density") return averages_.compute(fem::CellQuantity::energy, state_);
  if (name == "equivalent_plastic_strain") {
    if (analysis_.cells().width(fem::CellQuantity::plastic_strain) == 0)
      return std::vector<double>(points_.node.size(), 0.0);
    return averages_.compute(fem::CellQuantity::plastic_strain, state_);
  }
  if (name == "von_mises")
    return from_tensor(values("stress"), 1,
                       [](const fem::Mat3& s, double* v) { v[0] = fem::von_mises(s); });
  if (name == "principal_stress")
    return from_tensor(values("stress"), 3, [](const fem::Mat3& s, double* v) {
      const fem::Vec3 principal = fem::principal_values(s);
      for (int d = 0; d < 3; ++d) v[d] = principal[d];
    });
  throw Error(ExitCode::bug, "result " + name + " has no way to be computed");
}

std::vector<double> Derived::response(const std::string& name) {
  require(state_.imaginary.has_value(), ExitCode::bug,
          "a state that is no harmonic response was asked for its " + name);
  std::vector<double> real, imaginary;
  if (name == "stress_amplitude") {
    State other{.u = solver::Vector<double>(state_.u.device(), state_.u.shared_map(),
                                            state_.u.block(), "results"),
                .thermal = state_.thermal};
    gpu::copy(state_.u.device(), state_.imaginary->view(), other.u.view());
    real = values("stress");
    imaginary = averages_.compute(fem::CellQuantity::flux, other);
  } else {
    real = nodal(state_.u);
    imaginary = nodal(*state_.imaginary);
  }
  std::transform(
      real.begin(), real.end(), imaginary.begin(), real.begin(), [&](double a, double b) {
        constexpr double degree = std::numbers::pi / 180;
        // What is at rest has no phase, whatever the sign of its zeros.
        return name == "phase" ? std::atan2(b + 0.0, a + 0.0) / degree : std::hypot(a, b);
      });
  return real;
}

std::vector<double> Derived::nodal(const solver::Vector<double>& field) const {
  const auto source = gpu::read(field.values());
  const std::size_t n_in = static_cast<std::size_t>(field.block()), n_out = n_in == 1 ? 1 : 3;
  std::vector<double> values(points_.node.size() * n_out, 0.0);
  for (std::size_t p = 0; p < static_cast<std::size_t>(points_.map->n_owned()); ++p)
    for (std::size_t d = 0; d < n_in; ++d)
      values[p * n_out + d] =
          source[static_cast<Offset>(static_cast<std::size_t>(points_.node[p]) * n_in + d)];
  return values;
}

std::vector<double> Derived::liquid_fraction() const {
  const auto& materials = analysis_.problem().materials;
  std::vector<double> values = nodal(state_.u);
  for (std::size_t p = 0; p < static_cast<std::size_t>(points_.map->n_owned()); ++p) {
    const auto range = melting_range(materials[static_cast<std::size_t>(points_.region[p])]);
    values[p] = range ? molten_part(*range, values[p]) : 0.0;
  }
  return values;
}

std::vector<double> Derived::hydraulic_head() const {
  const Problem& problem = analysis_.problem();
  const fem::Vec3 g{problem.gravity[0], problem.gravity[1], problem.gravity[2]};
  std::vector<double> values = nodal(state_.u);
  for (std::size_t p = 0; p < static_cast<std::size_t>(points_.map->n_owned()); ++p) {
    const Material& material = problem.materials[static_cast<std::size_t>(points_.region[p])];
    const fem::Vec3 x = fem::node_place(analysis_.mesh(), points_.node[p]);
    const double weight = material_value(material, "density", 0, x) * fem::norm(g);
    values[p] = values[p] / weight - fem::dot(g, x) / fem::norm(g);
  }
  return values;
}

std::vector<double> PointAverages::compute(fem::CellQuantity quantity, const State& state) {
  const fem::Discretisation& discretisation = analysis_.discretisation();
  if (!slots_) slots_ = make_point_slots(discretisation, analysis_.materials(), points_);
  const gpu::Device& device = discretisation.device();
  const auto width = static_cast<std::size_t>(analysis_.cells().width(quantity));
  const auto n_owned = static_cast<std::size_t>(points_.map->n_owned());
  gpu::Array<double> sum(device, static_cast<Offset>(n_owned * width), "results");
  gpu::fill(device, sum.view(), 0.0);
  analysis_.cells().add_nodal(quantity, state.u, *state.thermal, slots_->rows, sum);
  std::vector<double> values = gpu::download(sum);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= slots_->n_slots[i / width];
  values.resize(points_.node.size() * width);
  return values;
}

std::vector<Range> ranges(const mesh::Mesh& mesh, const ResultPoints& points,
                          const std::vector<double>& values, int n_components) {
  struct Candidate {
    double value;
    GlobalIndex point;
    double x[3];
    std::int64_t tag;
  };
  const auto n = static_cast<std::size_t>(n_components);
  std::vector<Candidate> mine;
  if (points.map->n_owned() > 0)
    for (std::size_t c = 0; c < n; ++c)
      for (const double sign : {1.0, -1.0}) {
        std::size_t best = 0;
        for (std::size_t p = 1; p < static_cast<std::size_t>(points.map->n_owned()); ++p) {
          const double a = sign * values[p * n + c], b = sign * values[best * n + c];
          if (a < b || (a == b && points.map->ids()[p] < points.map->ids()[best])) best = p;
        }
        const auto node = static_cast<std::size_t>(points.node[best]);
        mine.push_back({values[best * n + c],
                        points.map->ids()[best],
                        {mesh.coordinates[3 * node], mesh.coordinates[3 * node + 1],
                         mesh.coordinates[3 * node + 2]},
                        mesh.node_tags[node]});
      }
  const std::vector<Candidate> all = mesh.comm().all_gather(std::span<const Candidate>(mine));
  std::vector<Range> found(n);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t side = 0; side < 2; ++side) {
      const double sign = side == 0 ? 1.0 : -1.0;
      const Candidate* best = nullptr;
      for (std::size_t i = 2 * c + side; i < all.size(); i += 2 * n)
        if (best == nullptr || sign * all[i].value < sign * best->value ||
            (all[i].value == best->value && all[i].point < best->point))
          best = &all[i];
      (side == 0 ? found[c].minimum : found[c].maximum) = {
          best->value, best->point, {best->x[0], best->x[1], best->x[2]}, best->tag};
    }
  return found;
}

}  // namespace trestle::physics

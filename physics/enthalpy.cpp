#include "physics/enthalpy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fem/state_fields.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::physics {
namespace {

using fem::Expression;

constexpr double coldest = 0, hottest = 4000;  // [K]
constexpr double spacing = 0.25;               // [K]
constexpr double beyond = 1e9;                 // [K]: as far as any iterate goes
constexpr double room_temperature = 293.15;    // h is 0 there, so that digits are kept [K]

Expression temperature_of(const Expression& like) {
  return {{{Expression::Op::temperature, 0}}, "T", like.where()};
}

/// Where h has its pairs: evenly, and where tables of the capacity have theirs.
std::vector<double> knots_of(const Expression& capacity) {
  std::vector<double> knots;
  for (double T = coldest; T <= hottest; T += spacing) knots.push_back(T);
  const std::vector<Expression::Instruction>& code = capacity.code();
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].op != Expression::Op::table && code[i].op != Expression::Op::strict_table) continue;
    const auto n = static_cast<std::size_t>(code[i].value);
    for (std::size_t k = 0; k < n; ++k) knots.push_back(code[i + 1 + 2 * k].value);
    i += 2 * n;
  }
  std::ranges::sort(knots);
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
  return knots;
}

/// Of the temperatures at which the capacity is finite, all between two that are, around the most
/// of them.
std::span<const double> finite_part(const Expression& capacity, std::span<const double> knots) {
  std::size_t best_first = 0, best_n = 0;
  for (std::size_t first = 0, end = 0; first < knots.size(); first = end + 1) {
    end = first;
    while (end < knots.size() && std::isfinite(capacity(0, 0, 0, 0, knots[end]))) ++end;
    if (end - first > best_n) {
      best_first = first;
      best_n = end - first;
    }
  }
  return knots.subspan(best_first, best_n);
}

/// Integral over [a, b] by three Gauss points.
double integral(const Expression& capacity, double a, double b) {
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a), off = half * std::sqrt(0.6);
  const auto c = [&](double T) { return capacity(0, 0, 0, 0, T); };
  return half / 9 * (5 * c(middle - off) + 8 * c(middle) + 5 * c(middle + off));
}

}  // namespace

Expression enthalpy_of(const Expression& capacity) {
  const std::vector<double> all = knots_of(capacity);
  const std::span<const double> knots = finite_part(capacity, all);
  if (knots.size() < 2)
    return temperature_of(capacity);  // the capacity has no value: told elsewhere
  std::vector<double> h{0};
  for (std::size_t k = 1; k < knots.size(); ++k)
    h.push_back(h.back() + integral(capacity, knots[k - 1], knots[k]));
  const auto room = std::ranges::lower_bound(knots, room_temperature);
  const double zero = h[room == knots.end() ? 0 : static_cast<std::size_t>(room - knots.begin())];
  const double cold = capacity(0, 0, 0, 0, knots.front()), hot = capacity(0, 0, 0, 0, knots.back());
  std::vector<Expression::Instruction> code{
      {Expression::Op::temperature, 0},
      {Expression::Op::table, static_cast<double>(knots.size() + 2)}};
  const auto add = [&](double T, double value) {
    code.push_back({Expression::Op::number, T});
    code.push_back({Expression::Op::number, value - zero});
  };
  add(knots.front() - beyond, h.front() - beyond * cold);
  for (std::size_t k = 0; k < knots.size(); ++k) add(knots[k], h[k]);
  add(knots.back() + beyond, h.back() + beyond * hot);
  return {std::move(code), "enthalpy of " + capacity.text(), capacity.where()};
}

Enthalpy::Enthalpy(const fem::Discretisation& discretisation,
                   std::span<const gpu::ConstantArray<Index>> material,
                   const std::vector<CapacityFactors>& capacities,
                   std::vector<solver::Vector<double>> lumped)
    : discretisation_(discretisation), material_(material), lumped_(std::move(lumped)) {
  for (const auto& [by_temperature, by_place] : capacities) {
    const Expression h = by_temperature.uses_temperature()
                             ? enthalpy_of(by_temperature)
                             : fem::product(by_temperature, temperature_of(by_place));
    of_material_.push_back(lumped_.empty() ? fem::product(by_place, h) : h);
  }
}

fem::CellCoefficient Enthalpy::at_points(const solver::Vector<double>& T) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr fem::OpenRange any{-infinite, infinite};
  const gpu::Device& device = discretisation_.device();
  fem::CellCoefficient h{material_, gpu::Array<double>(device, 0, "materials"), {}};
  for (std::size_t b = 0; b < discretisation_.blocks().size(); ++b) {
    const fem::EntityBlock& block = discretisation_.blocks()[b];
    const gpu::Array<double> temperatures = fem::interpolate(discretisation_, block, block.load, T);
    h.field.emplace_back(device, temperatures.size(), "materials");
    for (std::size_t m = 0; m < of_material_.size(); ++m)
      fem::evaluate_component(discretisation_, block, block.load,
                              {material_[b].view(), static_cast<Index>(m)}, of_material_[m], any,
                              temperatures, {1, 0}, h.field.back());
  }
  return h;
}

void Enthalpy::add(const solver::Vector<double>& T, solver::Vector<double>& w) const {
  const gpu::Device& device = discretisation_.device();
  solver::Vector<double> values(device, T.shared_map(), 1, "materials");
  if (lumped_.empty()) {
    gpu::fill(device, values.view(), 1.0);
    discretisation_.mesh().comm().agree(
        [&] { fem::add_inertia(discretisation_, at_points(T), values, 1, w); });
    return;
  }
  solver::Vector<double> slopes(device, T.shared_map(), 1, "materials");
  for (std::size_t m = 0; m < of_material_.size(); ++m) {
    fem::evaluate_with_slope(device, of_material_[m], {}, 0, T.view(), values.view(),
                             slopes.view());
    fem::add_lumped_inertia(lumped_[m], values, 1, w);
  }
}

void Enthalpy::add_slope(const solver::Vector<double>& T, solver::Vector<double>& slope) const {
  const gpu::Device& device = discretisation_.device();
  solver::Vector<double> values(device, T.shared_map(), 1, "materials"),
      slopes(device, T.shared_map(), 1, "materials");
  for (std::size_t m = 0; m < of_material_.size(); ++m) {
    fem::evaluate_with_slope(device, of_material_[m], {}, 0, T.view(), values.view(),
                             slopes.view());
    fem::add_lumped_inertia(lumped_[m], slopes, 1, slope);
  }
}

}  // namespace trestle::physics

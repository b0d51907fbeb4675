#include "io/results/tools.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>

#include "core/error.hpp"
#include "io/escape.hpp"
#include "io/results/text.hpp"

namespace trestle::io {

namespace {

std::string mesh_text(const ResultsContent& content) {
  std::string text =
      fmt::format("points   {}\ncells    {}\n", content.node_ids.size(), content.cell_types.size());
  std::map<mesh::CellType, std::size_t> counts;
  for (mesh::CellType type : content.cell_types) ++counts[type];
  for (const auto& [type, n] : counts)
    text += fmt::format("         {} {}\n", n, mesh::traits(type).name);
  for (std::size_t axis = 0; axis < 3 && !content.coordinates.empty(); ++axis) {
    double lower = std::numeric_limits<double>::infinity(), upper = -lower;
    for (std::size_t i = axis; i < content.coordinates.size(); i += 3) {
      lower = std::min(lower, content.coordinates[i]);
      upper = std::max(upper, content.coordinates[i]);
    }
    text += fmt::format("{}        {:.6g} .. {:.6g} m\n", "xyz"[axis], lower, upper);
  }
  std::vector<std::size_t> cells(content.region_names.size(), 0);
  for (int region : content.cell_regions) ++cells[static_cast<std::size_t>(region)];
  for (std::size_t r = 0; r < cells.size(); ++r)
    text +=
        fmt::format("region   {}: {} cells\n", escape_terminal(content.region_names[r]), cells[r]);
  return text;
}

std::string field_text(const std::string& path, const ResultsContent& content,
                       const ResultField& field) {
  std::string text =
      fmt::format("field    {} [{}], {} component{}\n", escape_terminal(field.name),
                  escape_terminal(field.unit), field.components, field.components == 1 ? "" : "s");
  for (std::size_t step = 0; step < content.step_names.size(); ++step) {
    const auto values = read_result_values(path, field.name, static_cast<int>(step));
    if (values.empty()) continue;
    const auto [lower, upper] = std::minmax_element(values.begin(), values.end());
    text += fmt::format("         step {}: {:.6g} .. {:.6g}\n", step_label(content, step), *lower,
                        *upper);
  }
  return text;
}

/// A node of one region, the same in any file of the mesh.
using PointKey = std::pair<GlobalIndex, std::string>;

std::map<PointKey, std::size_t> points_by_key(const ResultsContent& content) {
  std::map<PointKey, std::size_t> points;
  for (std::size_t i = 0; i < content.node_ids.size(); ++i)
    points[{content.node_ids[i], region_of(content, i)}] = i;
  return points;
}

/// Pairs (point of a, point of b) of the points that both have.
std::vector<std::pair<std::size_t, std::size_t>> matches(const ResultsContent& a,
                                                         const ResultsContent& b,
                                                         std::vector<std::string>& mismatches) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const auto in_a = points_by_key(a), in_b = points_by_key(b);
  for (const auto& [key, i] : in_a)
    if (const auto found = in_b.find(key); found != in_b.end())
      pairs.emplace_back(i, found->second);
  if (pairs.size() != in_a.size() || pairs.size() != in_b.size())
    mismatches.push_back(fmt::format("{} points are only in the first file, {} only in the second",
                                     in_a.size() - pairs.size(), in_b.size() - pairs.size()));
  return pairs;
}

/// Phases [degrees] are places on a circle: 179 and -179 are 2 apart.
double distance(const ResultField& field, double one, double other) {
  const double apart = std::abs(one - other);
  constexpr double turn = 360;
  return field.name == "phase" ? std::abs(std::remainder(apart, turn)) : apart;
}

void compare_step(const ResultsContent& content, std::size_t step, const ResultField& field,
                  const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                  const std::vector<double>& a, const std::vector<double>& b,
                  FieldDifference& difference) {
  const auto width = static_cast<std::size_t>(field.components);
  for (const auto& [i, j] : pairs)
    for (std::size_t c = 0; c < width; ++c) {
      const double one = a[i * width + c], other = b[j * width + c];
      const double apart = distance(field, one, other);
      difference.scale = std::max({difference.scale, std::abs(one), std::abs(other)});
      if (std::isnan(difference.largest)) continue;  // nothing is worse
      if (!(apart <= difference.largest)) {
        difference.largest = apart;
        difference.step = step_label(content, step);
        difference.node_tag = content.node_tags[i];
        difference.region = region_of(content, i);
        difference.component = component_name(field, static_cast<int>(c));
      }
    }
}

/// Names that stand in one list only.
void note_missing(const std::vector<std::string>& a, const std::vector<std::string>& b,
                  const std::string& what, std::vector<std::string>& mismatches) {
  for (const auto& [mine, theirs, which] : {std::tuple{&a, &b, "first"}, {&b, &a, "second"}})
    for (const std::string& name : *mine)
      if (std::find(theirs->begin(), theirs->end(), name) == theirs->end())
        mismatches.push_back(
            fmt::format("{} {} is only in the {} file", what, escape_terminal(name), which));
}

/// How many steps do not have the same name and, to the tolerance, the same value, and the first.
void note_other_steps(const ResultsContent& a, const ResultsContent& b, double tolerance,
                      std::vector<std::string>& mismatches) {
  const std::size_t n = std::min(a.step_names.size(), b.step_names.size());
  if (a.step_names.size() != b.step_names.size())
    mismatches.push_back(fmt::format("the first file has {} steps, the second {}",
                                     a.step_names.size(), b.step_names.size()));
  std::size_t n_other = 0, first = n;
  for (std::size_t s = 0; s < n; ++s) {
    const double one = a.step_values[s], other = b.step_values[s];
    const bool same = std::abs(one - other) <= tolerance * std::max(std::abs(one), std::abs(other));
    if (same && a.step_names[s] == b.step_names[s]) continue;
    ++n_other;
    first = std::min(first, s);
  }
  if (n_other == 0) return;
  const auto called = [&](const ResultsContent& content) {
    return fmt::format("\"{}\" at {}", escape_terminal(content.step_names[first]),
                       content.step_values[first]);
  };
  mismatches.push_back(
      fmt::format("{} of {} steps have another name or time: step {} is {} in the first file, {} "
                  "in the second",
                  n_other, n, first, called(a), called(b)));
}

/// Whether matched points are farther apart than the tolerance allows of the size of the mesh.
void note_moved_points(const ResultsContent& a, const ResultsContent& b,
                       const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                       double tolerance, std::vector<std::string>& mismatches) {
  double apart = 0, size = 0;
  for (const auto& [i, j] : pairs)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double x = a.coordinates[3 * i + axis], y = b.coordinates[3 * j + axis];
      apart = std::max(apart, std::abs(x - y));
      size = std::max({size, std::abs(x), std::abs(y)});
    }
  if (apart > tolerance * size)
    mismatches.push_back(fmt::format("points lie at other places, up to {:.3e} m apart", apart));
}

std::vector<std::string> names_of(const std::vector<ResultField>& fields) {
  std::vector<std::string> names;
  for (const ResultField& field : fields) names.push_back(field.name);
  return names;
}

}  // namespace

std::string results_info(const std::string& path) {
  const ResultsContent content = read_results(path);
  std::string text = mesh_text(content);
  text += fmt::format("steps    {}\n", content.step_names.size());
  for (const ResultField& field : content.fields) text += field_text(path, content, field);
  return text;
}

void results_csv(const std::string& path, int step, std::ostream& out) {
  const ResultsContent content = read_results(path);
  // Everything is read before a byte is written: an error leaves no half of a table.
  std::vector<std::vector<double>> values;
  for (const ResultField& field : content.fields)
    values.push_back(read_result_values(path, field.name, step));
  out << "point,node,region,x [m],y [m],z [m]";
  for (const ResultField& field : content.fields)
    for (int c = 0; c < field.components; ++c) {
      const std::string name = component_name(field, c);
      out << ','
          << escape_csv(field.name + (name.empty() ? "" : "_" + name) + " [" + field.unit + "]");
    }
  out << '\n';
  for (std::size_t i = 0; i < content.node_ids.size(); ++i) {
    const double* x = &content.coordinates[3 * i];
    out << fmt::format("{},{},{},{:.17g},{:.17g},{:.17g}", i, content.node_tags[i],
                       escape_csv(region_of(content, i)), x[0], x[1], x[2]);
    for (std::size_t f = 0; f < values.size(); ++f) {
      const auto width = static_cast<std::size_t>(content.fields[f].components);
      for (std::size_t c = 0; c < width; ++c)
        out << fmt::format(",{:.17g}", values[f][i * width + c]);
    }
    out << '\n';
  }
}

bool ResultsDifference::same() const {
  return mismatches.empty() &&
         std::all_of(fields.begin(), fields.end(), [](const auto& field) { return field.within; });
}

ResultsDifference results_diff(const std::string& a, const std::string& b, double tolerance) {
  const ResultsContent first = read_results(a), second = read_results(b);
  ResultsDifference result;
  note_missing(names_of(first.fields), names_of(second.fields), "field", result.mismatches);
  const std::size_t n_steps = std::min(first.step_names.size(), second.step_names.size());
  note_other_steps(first, second, tolerance, result.mismatches);
  const auto pairs = matches(first, second, result.mismatches);
  note_moved_points(first, second, pairs, tolerance, result.mismatches);
  for (const ResultField& field : first.fields) {
    const auto other = std::find_if(second.fields.begin(), second.fields.end(),
                                    [&](const auto& one) { return one.name == field.name; });
    if (other == second.fields.end()) continue;
    if (other->components != field.components) {
      result.mismatches.push_back(
          fmt::format("field {} has {} components in the first file, {} "
                      "in the second",
                      escape_terminal(field.name), field.components, other->components));
      continue;
    }
    if (other->unit != field.unit)
      result.mismatches.push_back(fmt::format(
          "field {} is in {} in the first file, in {} in the second", escape_terminal(field.name),
          escape_terminal(field.unit), escape_terminal(other->unit)));
    FieldDifference difference;
    difference.field = field.name;
    for (std::size_t step = 0; step < n_steps; ++step)
      compare_step(first, step, field, pairs,
                   read_result_values(a, field.name, static_cast<int>(step)),
                   read_result_values(b, field.name, static_cast<int>(step)), difference);
    difference.within = difference.largest <= tolerance * difference.scale;
    result.fields.push_back(difference);
  }
  return result;
}

std::string to_string(const ResultsDifference& difference) {
  std::string text;
  for (const std::string& mismatch : difference.mismatches) text += mismatch + "\n";
  for (const FieldDifference& field : difference.fields) {
    text += fmt::format("{}  largest difference {:.3e} of {:.6g} {}", escape_terminal(field.field),
                        field.largest, field.scale, field.within ? "ok" : "DIFFERS");
    if (field.largest != 0)
      text += fmt::format("  (step {}, node {}, region {}{})", field.step, field.node_tag,
                          escape_terminal(field.region),
                          field.component.empty() ? "" : ", component " + field.component);
    text += "\n";
  }
  return text;
}

}  // namespace trestle::io

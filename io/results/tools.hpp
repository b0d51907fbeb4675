// What `trestle results info | csv | diff` do with results files, on one rank.
#pragma once

#include <array>
#include <iosfwd>
#include <string>
#include <vector>

#include "io/results/results.hpp"

namespace trestle::io {

/// A page of plain text: counts, bounding box, regions, cell types, steps, and each field with its
/// unit and its range over the steps.
std::string results_info(const std::string& path);

/// One line per point of step `step`: point, node, region, x, y, z, and a column for each component
/// of each field, with units in the head; numbers with 17 digits. An error leaves `out` untouched.
void results_csv(const std::string& path, int step, std::ostream& out);

/// How far one field of two files is apart, over all steps, points and components.
struct FieldDifference {
  std::string field;
  double largest = 0;  // |a - b| in the unit of the field; of phases around the circle
  double scale = 0;    // largest |value| of the field in either file
  std::string step;    // where the largest is
  std::int64_t node_tag = 0;
  std::string region;
  std::string component;  // "" of a scalar
  bool within = true;     // largest <= tolerance * scale
};
struct ResultsDifference {
  std::vector<FieldDifference> fields;  // that both files have
  std::vector<std::string> mismatches;  // what only one has: steps, fields, points; other names
  bool same() const;                    // no mismatch and every field within the tolerance
};
/// Compares point by point: by node id and region name, whatever the order of points; steps by
/// number, with name and time. `tolerance` is relative to the largest value of a field, the time of
/// a step, and the largest coordinate.
ResultsDifference results_diff(const std::string& a, const std::string& b, double tolerance);
/// As plain text.
std::string to_string(const ResultsDifference& difference);

}  // namespace trestle::io

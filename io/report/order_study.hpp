// A study of the order of convergence: errors of one case on finer and finer meshes and steps, as
// JSON and as a page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trestle::io {

struct OrderLevel {
  std::int64_t unknowns = 0;
  double h = 0;                 // mean size of the cells, (measure / cells)^(1 / dim) [m]
  double step = 0;              // [s]; 0 of static analyses
  double error = 0;             // L2 norm of the error of the field at the end
  double exact_norm = 0;        // L2 norm of the exact field
  std::optional<double> order;  // between the level before and this one
};

struct OrderStudy {
  std::string case_file, title, field;
  std::string refined;  // "space", "time", "both"
  int ranks = 1;
  std::vector<OrderLevel> levels;
  std::optional<double> at_least;  // the order that is asked for

  /// What is refined: h, or the step where only time is.
  double size(const OrderLevel& level) const;
  /// Adds a finer level with its observed order; none where the error has come down to rounding,
  /// below 1e-12 of the field.
  void add(OrderLevel level);
  /// Whether the order between the two finest levels is what is asked for.
  bool met() const;
};

std::string order_json(const OrderStudy& study);
/// One self-contained page: the table, and the errors beside lines of whole orders.
std::string order_html(const OrderStudy& study);

}  // namespace trestle::io

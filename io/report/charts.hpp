// Charts of a report as inline SVG: no scripts, colours from the page's style (classes c0 .. c7).
#pragma once

#include <string>
#include <vector>

namespace trestle::io {

/// One bar: a name, its length, and what is written at its end.
struct Bar {
  std::string name;
  double value = 0;
  std::string text;
};
/// Horizontal bars on one scale; lengths below 0 and no numbers are shown as 0.
std::string bar_chart(const std::vector<Bar>& bars);

/// One row of a stacked chart: the lengths of its parts, in the order of `parts`.
struct StackedRow {
  std::string name;
  std::vector<double> values;
  std::string text;
};
/// Horizontal bars of several parts each, on one scale, with a legend.
std::string stacked_chart(const std::vector<std::string>& parts,
                          const std::vector<StackedRow>& rows);

/// A curve over iterations.
struct Curve {
  std::string name;
  std::vector<double> y;  // spread evenly over 0 .. x_end; what is not positive is left out
  double x_end = 1;
};
/// Curves with a logarithmic y axis, a grid line per decade (or few), and a legend.
std::string log_chart(const std::vector<Curve>& curves, const std::string& x_label,
                      const std::string& y_label);

}  // namespace trestle::io

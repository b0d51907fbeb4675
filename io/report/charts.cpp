#include "io/report/charts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/escape.hpp"
#include "io/report/text.hpp"

namespace trestle::io {

namespace {

constexpr int n_colours = 8;
constexpr double chart_width = 760;
constexpr double name_width = 150;
constexpr double text_width = 130;
constexpr double row_height = 26;
constexpr double bars_width = chart_width - name_width - text_width;

double length_of(double value, double largest) {
  return std::isfinite(value) && value > 0 && largest > 0 ? value / largest * bars_width : 0;
}

std::string svg(double height, const std::string& label, const std::string& content) {
  return fmt::format("<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">{}</svg>\n",
                     chart_width, height, escape_html(label), content);
}

std::string text_at(double x, double y, const char* kind, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>", x, y, kind,
                     escape_html(text));
}

std::string rectangle(double x, double y, double width, std::size_t colour,
                      const std::string& tip) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"16\" rx=\"2\" "
      "class=\"c{}\"><title>{}</title></rect>",
      x, y, width, colour % n_colours, escape_html(tip));
}

std::string row_frame(double y, const std::string& name, const std::string& text, double end) {
  return text_at(name_width - 8, y + 13, "name", clipped(escape_terminal(name), 22)) +
         text_at(name_width + end + 6, y + 13, "value", text);
}

std::string legend(const std::vector<std::string>& names) {
  std::string items;
  for (std::size_t i = 0; i < names.size(); ++i)
    items +=
        fmt::format("<span><i class=\"c{}\"></i>{}</span>", i % n_colours, escape_html(names[i]));
  return "<p class=\"legend\">" + items + "</p>\n";
}

/// The frame and scales of a chart with a logarithmic y axis.
struct LogAxes {
  double x_end = 1;
  int low = 0, high = 0;  // decades
  static constexpr double left = 64, right = 16, top = 12, bottom = 40, height = 300;

  double x(double value) const { return left + value / x_end * (chart_width - left - right); }
  double y(double value) const {
    const double part = (std::log10(value) - low) / (high - low);
    return height - bottom - part * (height - top - bottom);
  }
};

bool drawable(double value) { return std::isfinite(value) && value > 0; }

LogAxes axes_of(const std::vector<Curve>& curves) {
  double lowest = std::numeric_limits<double>::infinity(), highest = 0, x_end = 0;
  for (const Curve& curve : curves) {
    x_end = std::max(x_end, curve.x_end);
    for (double value : curve.y)
      if (drawable(value)) {
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
      }
  }
  LogAxes axes;
  if (x_end > 0) axes.x_end = x_end;
  if (highest > 0) {
    axes.low = static_cast<int>(std::floor(std::log10(lowest)));
    axes.high = static_cast<int>(std::ceil(std::log10(highest)));
  }
  if (axes.high == axes.low) ++axes.high;
  return axes;
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`, and at least 1.
double round_step(double least) {
  if (!(least > 1)) return 1;
  const double decade = std::pow(10., std::floor(std::log10(least)));
  for (const double factor : {1., 2., 5.})
    if (factor * decade >= least) return factor * decade;
  return 10 * decade;
}

std::string grid_of(const LogAxes& axes, const std::string& x_label, const std::string& y_label) {
  std::string content;
  const int step = std::max(1, (axes.high - axes.low + 9) / 10);
  for (int decade = axes.low; decade <= axes.high; decade += step) {
    const double y = axes.y(std::pow(10., decade));
    content += fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" class=\"grid\"/>",
                           LogAxes::left, y, chart_width - LogAxes::right, y);
    content += text_at(LogAxes::left - 6, y + 4, "name", fmt::format("1e{}", decade));
  }
  const double tick = round_step(axes.x_end / 6);
  for (double value = 0; value <= axes.x_end; value += tick)
    content += text_at(axes.x(value), LogAxes::height - LogAxes::bottom + 16, "tick",
                       text_of_value(value));
  content += text_at(chart_width / 2, LogAxes::height - 6, "tick", x_label);
  content += text_at(LogAxes::left, LogAxes::top - 2, "value", y_label);
  return content;
}

std::string path_of(const Curve& curve, const LogAxes& axes, std::size_t colour) {
  std::string points;
  const double step =
      curve.y.size() > 1 ? curve.x_end / static_cast<double>(curve.y.size() - 1) : 0;
  for (std::size_t i = 0; i < curve.y.size(); ++i)
    if (drawable(curve.y[i]))
      points +=
          fmt::format("{:.1f},{:.1f} ", axes.x(step * static_cast<double>(i)), axes.y(curve.y[i]));
  return fmt::format("<polyline points=\"{}\" class=\"curve s{}\"><title>{}</title></polyline>",
                     points, colour % n_colours, escape_html(curve.name));
}

}  // namespace

std::string bar_chart(const std::vector<Bar>& bars) {
  double largest = 0;
  for (const Bar& bar : bars)
    if (std::isfinite(bar.value)) largest = std::max(largest, bar.value);
  std::string content, label;
  double y = 4;
  for (const Bar& bar : bars) {
    const double length = length_of(bar.value, largest);
    content += rectangle(name_width, y, length, 0, bar.name + " " + bar.text);
    content += row_frame(y, bar.name, bar.text, length);
    label += bar.name + " " + bar.text + "; ";
    y += row_height;
  }
  return svg(y, label, content);
}

std::string stacked_chart(const std::vector<std::string>& parts,
                          const std::vector<StackedRow>& rows) {
  double largest = 0;
  for (const StackedRow& row : rows) {
    double total = 0;
    for (double value : row.values) total += drawable(value) ? value : 0;
    largest = std::max(largest, total);
  }
  std::string content;
  double y = 4;
  for (const StackedRow& row : rows) {
    double x = 0;
    for (std::size_t p = 0; p < row.values.size() && p < parts.size(); ++p) {
      const double length = length_of(row.values[p], largest);
      if (length > 0)
        content +=
            rectangle(name_width + x, y, length, p, parts[p] + " " + text_of_value(row.values[p]));
      x += length;
    }
    content += row_frame(y, row.name, row.text, x);
    y += row_height;
  }
  return svg(y, "stacked bars", content) + legend(parts);
}

std::string log_chart(const std::vector<Curve>& curves, const std::string& x_label,
                      const std::string& y_label) {
  const LogAxes axes = axes_of(curves);
  std::string content = grid_of(axes, x_label, y_label);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    content += path_of(curves[i], axes, i);
    names.push_back(curves[i].name);
  }
  return svg(LogAxes::height, y_label + " over " + x_label, content) + legend(names);
}

}  // namespace trestle::io

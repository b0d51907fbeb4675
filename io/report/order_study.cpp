#include "io/report/order_study.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/escape.hpp"
#include "io/report/charts.hpp"
#include "io/report/html_page.hpp"
#include "io/version.hpp"

namespace trestle::io {
namespace {

constexpr double rounding = 1e-12;  // of the field: what is left of an error is rounding

std::string text_of(const std::optional<double>& order) {
  return order ? fmt::format("{:.3f}", *order) : "-";
}

std::string table(const OrderStudy& study) {
  std::string rows;
  for (const OrderLevel& level : study.levels)
    rows += fmt::format(
        "<tr><td>{}</td><td>{:.4g}</td><td>{}</td><td>{:.4e}</td><td>{:.4e}</td><td>{}</td></tr>\n",
        level.unknowns, level.h, level.step > 0 ? fmt::format("{:.4g}", level.step) : "",
        level.error, level.error / level.exact_norm, text_of(level.order));
  return "<div class=\"wide\"><table><tr><th>unknowns</th><th>h [m]</th><th>step [s]</th><th>L2 "
         "error</th><th>relative</th><th>order</th></tr>\n" +
         rows + "</table></div>\n";
}

/// The errors, and below them what whole orders would make of the first.
std::string chart(const OrderStudy& study) {
  const auto n = static_cast<int>(study.levels.size());
  std::vector<Curve> curves{{.name = "error", .y = {}, .x_end = n - 1.0}};
  for (const OrderLevel& level : study.levels) curves[0].y.push_back(level.error);
  for (int order = 1; order <= 3; ++order) {
    Curve line{.name = fmt::format("order {}", order), .y = {}, .x_end = n - 1.0};
    for (const OrderLevel& level : study.levels)
      line.y.push_back(curves[0].y[0] *
                       std::pow(study.size(level) / study.size(study.levels[0]), order));
    curves.push_back(std::move(line));
  }
  return log_chart(curves, "refinements", "L2 error of the " + study.field);
}

}  // namespace

bool OrderStudy::met() const {
  if (!at_least) return true;
  return !levels.empty() && levels.back().order && *levels.back().order >= *at_least;
}

double OrderStudy::size(const OrderLevel& level) const {
  return refined == "time" ? level.step : level.h;
}

void OrderStudy::add(OrderLevel level) {
  const auto rounded = [](const OrderLevel& l) { return !(l.error > rounding * l.exact_norm); };
  if (!levels.empty() && !rounded(levels.back()) && !rounded(level))
    level.order =
        std::log(levels.back().error / level.error) / std::log(size(levels.back()) / size(level));
  levels.push_back(level);
}

std::string order_json(const OrderStudy& study) {
  const auto number_or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const OrderLevel& level : study.levels)
    levels.push_back({{"unknowns", level.unknowns},
                      {"h", level.h},
                      {"step", level.step > 0 ? number_or_null(level.step) : nullptr},
                      {"error", level.error},
                      {"exact_norm", level.exact_norm},
                      {"order", number_or_null(level.order)}});
  const nlohmann::ordered_json all{{"schema", 1},
                                   {"version", version},
                                   {"case_file", study.case_file},
                                   {"field", study.field},
                                   {"refined", study.refined},
                                   {"ranks", study.ranks},
                                   {"at_least", number_or_null(study.at_least)},
                                   {"met", study.met()},
                                   {"levels", levels}};
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string order_html(const OrderStudy& study) {
  const std::string title = study.title.empty() ? study.case_file : study.title;
  std::string text = fmt::format(
      "<h1>{}</h1>\n<p class=\"soft\">Order of convergence of the {}, refined in {} &middot; {} "
      "&middot; Trestle {}</p>\n",
      escape_html(title), escape_html(study.field),
      study.refined == "both" ? "space and time" : study.refined, escape_html(study.case_file),
      version);
  if (study.at_least)
    text +=
        fmt::format("<p><b class=\"{0}\">{1}</b>: an order of {2:g} or more was asked for</p>\n",
                    study.met() ? "good" : "bad", study.met() ? "met" : "missed", *study.at_least);
  text += "<section>" + chart(study) + "</section>\n<section>" + table(study) + "</section>\n";
  return html_page(title, text);
}

}  // namespace trestle::io

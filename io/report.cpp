#include "io/report.hpp"

#include "io/files.hpp"

namespace trestle::io {

void write_report(const Report& report, const std::string& directory) {
  write_text_file(directory + "/report.json", report_json(report));
  write_text_file(directory + "/report.html", report_html(report));
}

}  // namespace trestle::io

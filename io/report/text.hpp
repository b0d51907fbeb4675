// Numbers of a report as a person reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/report/report.hpp"

namespace trestle::io {

/// "12,345,678"
std::string text_of_count(std::int64_t n);
/// "850 us", "12.3 s", "4 min 12 s", "3 h 07 min"
std::string text_of_seconds(double seconds);
/// "512 B", "1.5 MiB", "12.3 GiB"
std::string text_of_bytes(std::size_t bytes);
/// Six digits, "-" for what is no number.
std::string text_of_value(double value);
/// Components one after the other: "(1, 2, 3)"; one alone without brackets.
std::string text_of_values(const std::vector<double>& values);
/// Values by name with their unit: "x 1, y 2 m"; "1 m" where there is one value.
std::string text_of_values(const std::vector<double>& values,
                           const std::vector<std::string>& components, const std::string& unit);
/// "12.3456 Hz", "translation x"
std::string text_of_frequency(const ModeResult& mode);
/// The first `columns` characters of UTF-8 text, the last one an ellipsis where some are missing.
std::string clipped(std::string_view text, std::size_t columns);
/// The lines of UTF-8 text in at most `columns`: broken behind a comma, a semicolon or a colon in
/// their last quarter, else at a blank, else within a word.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);
/// Characters (code points) of UTF-8 text.
std::size_t columns_of(std::string_view text);

}  // namespace trestle::io

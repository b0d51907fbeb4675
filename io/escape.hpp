// Text of a user (names, titles, messages) made harmless for where it is shown.
#pragma once

#include <string>
#include <string_view>

namespace trestle::io {

/// Control characters as \xNN, so that a name cannot steer the terminal.
std::string escape_terminal(std::string_view text);
/// For HTML and XML, in elements and in quoted attributes: & < > " ' and control characters.
std::string escape_html(std::string_view text);
/// One CSV cell [RFC 4180]: quoted where needed; a text that a spreadsheet would run as a formula
/// (= + - @ first) gets a leading apostrophe.
std::string escape_csv(std::string_view text);

}  // namespace trestle::io

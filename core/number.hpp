// The one number grammar of case files, command line and expressions; no locale takes part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trestle {

/// A number, or why the text is none.
struct ParsedNumber {
  double value = 0;
  std::string fault;     // empty when `value` holds
  bool refused = false;  // written as a number, but in a form that is refused: 010, 0x10, .inf ...
  bool ok() const { return fault.empty(); }
};

/// Reads `[+-] digits [. digits] [e [+-] digits]` as the nearest double, times 10^`shift`. `.5`,
/// `5.` and `+3` are numbers. Refused with a reason: leading zeros (010), 0x10, 1_000, 1,5, .nan,
/// .inf, what overflows (1e400) and what is not zero but underflows to it (1e-400).
ParsedNumber parse_number(std::string_view text, int shift = 0);

/// Length of the longest start of `text` with the form of a number; 0 when there is none.
std::size_t number_length(std::string_view text);

/// A whole number: as `parse_number`, and exact (1e3 and 2.0 are, 1.5 is not), at most 2^53.
struct ParsedInteger {
  std::int64_t value = 0;
  std::string fault;
  bool ok() const { return fault.empty(); }
};
ParsedInteger parse_integer(std::string_view text);

/// The shortest text that `parse_number` reads back to the same bits; "nan" for what is no number.
std::string format_number(double value);

/// "1 facet", "2 facets" for the noun "facet".
std::string counted(std::int64_t n, std::string_view noun);

/// A piece of user text for a message: in quotes, control characters as \xNN, cut after 60 bytes.
std::string in_quotes(std::string_view text);

}  // namespace trestle

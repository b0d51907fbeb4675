// Standard output and standard error, which may be full, closed or without a reader.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace trestle {

/// Writes what `stream` takes of a text. What it does not take shows in std::ferror and is no
/// exception: that would hide an error behind another one, or end a run for a line on its way.
template <class... T>
void write_to(std::FILE* stream, fmt::format_string<T...> format, T&&... values) {
  const std::string text = fmt::format(format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stream);
}

/// Gives standard streams that are closed /dev/null: a file that is opened later would take their
/// place and get what is written to them.
void fill_closed_streams();

}  // namespace trestle

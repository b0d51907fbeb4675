// Numbers of a .msh file as text and as bytes.
#include "io/gmsh/cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.hpp"

namespace trestle::io {
namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

std::string name_of(const GmshContext& context) {
  return context.kind == nullptr ? "" : fmt::format("{} {}: ", context.kind, context.id);
}

}  // namespace

AsciiCursor::AsciiCursor(const GmshFile& file, const GmshSection& section)
    : file_(file),
      at_(file.bytes().data() + section.begin),
      end_(file.bytes().data() + section.end) {}

void AsciiCursor::skip(bool over_lines) {
  while (at_ != end_ && (is_blank(*at_) || (over_lines && *at_ == '\n'))) ++at_;
}

void AsciiCursor::fail(const std::string& message) const {
  file_.fail(position(), name_of(context_) + message);
}

std::string_view AsciiCursor::token(const char* what) {
  skip(false);
  const char* begin = at_;
  while (at_ != end_ && !is_blank(*at_) && *at_ != '\n') ++at_;
  if (begin == at_)
    fail(fmt::format("expected {}, found the end of the {}", what,
                     at_ == end_ ? "section" : "line"));
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

void AsciiCursor::fail_number(std::string_view found, const char* what, const char* expected) {
  at_ = found.data();
  fail(fmt::format("expected {} ({}), found {}", what, expected, quoted(found)));
}

std::int64_t AsciiCursor::int64(const char* what) {
  skip(false);
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(at_, end_, value);
  if (error == std::errc{} && (rest == end_ || is_blank(*rest) || *rest == '\n')) {
    at_ = rest;
    return value;
  }
  fail_number(token(what), what, "an integer below 2^63");
}

std::int64_t AsciiCursor::int32(const char* what) {
  const char* const before = at_;
  const std::int64_t value = int64(what);
  if (value == static_cast<std::int32_t>(value)) return value;
  at_ = before;
  fail_number(token(what), what, "an integer below 2^31");
}

double AsciiCursor::real(const char* what) {
  std::string_view word = token(what);
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = rest == word.data() + word.size();
  // Below the smallest double a number is 0.
  if (whole && error == std::errc::result_out_of_range &&
      (word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos))
    return 0;
  if (error != std::errc{} || !whole || !std::isfinite(value))
    fail_number(word, what, "a finite number, '.' before its decimals");
  return value;
}

bool AsciiCursor::at_quote() {
  skip(false);
  return at_ != end_ && *at_ == '"';
}

std::string_view AsciiCursor::text(const char* what) {
  const std::string_view rest(at_, bytes_left());
  const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size()));
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (!at_quote() || first == last) fail(fmt::format("expected {} in double quotes", what));
  at_ += last - first + 1;
  return {line.data() + first + 1, last - first - 1};
}

void AsciiCursor::end_record() {
  skip(false);
  if (at_ == end_ || *at_ == '\n') return;
  const std::string_view found = token("the end of the line");
  at_ = found.data();
  fail(fmt::format("expected the end of the line, found {}", quoted(found)));
}

bool AsciiCursor::skip_records(std::int64_t count, int) {
  for (std::int64_t i = 0; i < count; ++i) {
    begin_record();
    if (at_ == end_) token("an element");
    at_ = std::find(at_, end_, '\n');
  }
  return true;
}

void AsciiCursor::finish() {
  context_ = {};
  begin_record();
  if (at_ == end_) return;
  const std::string_view found = token("the end of the section");
  at_ = found.data();
  fail(
      fmt::format("expected the end of the section, found {}: there is more in it than its count "
                  "says",
                  quoted(found)));
}

BinaryCursor::BinaryCursor(const GmshFile& file, const GmshSection& section)
    : file_(file),
      at_(file.bytes().data() + section.begin),
      end_(file.bytes().data() + section.end) {}

void BinaryCursor::fail(const std::string& message) const {
  file_.fail(position(), name_of(context_) + message);
}

void BinaryCursor::fail_short(const char* what) const {
  fail(fmt::format("expected {}, found the end of the section", what));
}

template <class T>
T BinaryCursor::raw(const char* what) {
  if (bytes_left() < sizeof(T)) fail_short(what);
  T value;
  std::memcpy(&value, at_, sizeof value);
  at_ += sizeof value;
  if (!file_.swapped()) return value;
  if constexpr (sizeof(T) == 4)
    return __builtin_bswap32(value);
  else
    return __builtin_bswap64(value);
}

std::int64_t BinaryCursor::int64(const char* what) {
  const auto value = static_cast<std::int64_t>(raw<std::uint64_t>(what));
  if (value >= 0) return value;
  at_ -= sizeof value;
  fail(fmt::format("expected {} (an integer below 2^63), found {}", what,
                   static_cast<std::uint64_t>(value)));
}

double BinaryCursor::real(const char* what) {
  const double value = std::bit_cast<double>(raw<std::uint64_t>(what));
  if (std::isfinite(value)) return value;
  at_ -= sizeof value;
  fail(fmt::format("expected {} (a finite number), found {}", what, value));
}

std::int64_t BinaryCursor::int32(const char* what) {
  return static_cast<std::int32_t>(raw<std::uint32_t>(what));
}

bool BinaryCursor::skip_records(std::int64_t count, int n_nodes) {
  if (n_nodes == 0) return false;
  const std::size_t record = (1 + static_cast<std::size_t>(n_nodes)) * long_bytes;
  checked_count(*this, count, record, "elements in this block");
  at_ += static_cast<std::size_t>(count) * record;
  return true;
}

void BinaryCursor::finish() {
  context_ = {};
  while (at_ != end_ && (*at_ == '\r' || *at_ == '\n')) ++at_;
  if (at_ != end_)
    fail(fmt::format("expected the end of the section, found {} more bytes", bytes_left()));
}

}  // namespace trestle::io

// The two ways to read numbers from a section of a .msh file: as text, and as bytes; both have the
// same functions, so that one parser serves both.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "io/gmsh/file.hpp"

namespace trestle::io {

/// What is being read, for messages: "node 12", "element 7", or nothing.
struct GmshContext {
  const char* kind = nullptr;
  std::int64_t id = 0;
};

/// Reads numbers from an ASCII section, each by std::from_chars whatever the locale. A record is a
/// line: numbers do not run on to the next one unless `begin_record` is called.
class AsciiCursor {
 public:
  AsciiCursor(const GmshFile& file, const GmshSection& section);

  /// Goes to the next number, over line ends.
  void begin_record() { skip(true); }
  /// Refuses what is left on the line.
  void end_record();
  /// Passes over the rest of `count` lines, whatever they hold.
  bool skip_records(std::int64_t count, int n_nodes);
  /// The next number of this line; `what` names it in messages. Throws MeshError with file and
  /// line.
  std::int64_t int32(const char* what);
  std::int64_t int64(const char* what);
  double real(const char* what);
  /// The next text in double quotes, up to the last quote of the line.
  std::string_view text(const char* what);
  bool at_quote();

  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }
  std::size_t position() const { return static_cast<std::size_t>(at_ - file_.bytes().data()); }
  /// Refuses anything but blanks before the end of the section.
  void finish();
  /// Bytes that an integer and a real number take at least, a separator included.
  static constexpr std::size_t int_bytes = 2, long_bytes = 2, real_bytes = 2;

  /// Names what is read in the messages of the calls that follow.
  void set_context(const char* kind, std::int64_t id) { context_ = {kind, id}; }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip(bool over_lines);
  std::string_view token(const char* what);
  [[noreturn]] void fail_number(std::string_view found, const char* what, const char* expected);

  const GmshFile& file_;
  const char* at_;
  const char* end_;
  GmshContext context_;
};

/// Reads numbers from a binary section, in either byte order. Records have no marks.
class BinaryCursor {
 public:
  BinaryCursor(const GmshFile& file, const GmshSection& section);

  void begin_record() {}
  void end_record() {}
  /// Passes over `count` elements of version 4; false when `n_nodes` is 0, not known.
  bool skip_records(std::int64_t count, int n_nodes);
  std::int64_t int32(const char* what);
  /// A size_t of the file; throws MeshError from 2^63 on.
  std::int64_t int64(const char* what);
  double real(const char* what);

  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }
  std::size_t position() const { return static_cast<std::size_t>(at_ - file_.bytes().data()); }
  void finish();
  static constexpr std::size_t int_bytes = 4, long_bytes = 8, real_bytes = 8;

  void set_context(const char* kind, std::int64_t id) { context_ = {kind, id}; }
  [[noreturn]] void fail(const std::string& message) const;
  /// Ends the text that stands before binary data, such as the count of version 2.
  void go_to(std::size_t position) { at_ = file_.bytes().data() + position; }

 private:
  template <class T>
  T raw(const char* what);
  [[noreturn]] void fail_short(const char* what) const;

  const GmshFile& file_;
  const char* at_;
  const char* end_;
  GmshContext context_;
};

/// `count` as a number of records of at least `record_bytes` each; throws MeshError unless it is
/// positive or 0 and they fit into what is left of the section.
template <class Cursor>
std::int64_t checked_count(const Cursor& cursor, std::int64_t count, std::size_t record_bytes,
                           const char* what) {
  // The last record of a text may lack its separator.
  const std::size_t most = (cursor.bytes_left() + 1) / record_bytes;
  if (count < 0 || static_cast<std::uint64_t>(count) > most)
    cursor.fail("the number of " + std::string(what) + " is said to be " + std::to_string(count) +
                ", the " + std::to_string(cursor.bytes_left()) +
                " bytes left in the section hold at most " + std::to_string(most));
  return count;
}

}  // namespace trestle::io

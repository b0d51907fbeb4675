// Lines and fields of a CalculiX or Abaqus deck: places in its files, data lines, numbers.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace trestle::io {

/// A line of one of the files of a deck; lines start at 1.
struct InpPlace {
  int file = 0;
  int line = 0;
};

/// The files of a deck, the deck itself first. They stay where they are: views of them last.
class InpFiles {
 public:
  /// Reads `path`, or finds it among those that are read. Throws as read_mesh_bytes.
  int add(const std::string& path);
  std::string_view bytes(int file) const { return at(file).bytes; }
  const std::string& path(int file) const { return at(file).path; }
  /// "part.inp:12".
  std::string text_of(InpPlace place) const;
  /// A field in quotes, as a message may show it: of an included file that begins with no keyword
  /// and may be anything, only a number.
  std::string shown(InpPlace place, std::string_view field) const;
  /// Throws MeshError "file:line: message".
  [[noreturn]] void fail(InpPlace place, const std::string& message) const;

 private:
  struct File {
    std::string path, bytes;
  };
  const File& at(int file) const { return files_[static_cast<std::size_t>(file)]; }
  std::deque<File> files_;
};

/// Adjacent lines of a file, from byte `begin` to `end`, the first of them number `line`.
struct InpChunk {
  int file;
  std::size_t begin, end;
  int line;
};

/// Goes through the data lines of chunks; blank lines and comments (`**`) are passed over.
class InpLines {
 public:
  InpLines(const InpFiles& files, std::vector<InpChunk> chunks)
      : files_(files), chunks_(std::move(chunks)) {}

  /// Goes to the next line; false at the end.
  bool next();
  /// The line without blanks around it.
  std::string_view text() const { return text_; }
  InpPlace place() const { return place_; }
  const InpFiles& files() const { return files_; }
  std::string shown(std::string_view field) const { return files_.shown(place_, field); }
  [[noreturn]] void fail(const std::string& message) const { files_.fail(place_, message); }

 private:
  const InpFiles& files_;
  std::vector<InpChunk> chunks_;
  std::size_t chunk_ = 0, at_ = 0;  // at_: from the begin of the chunk
  int next_line_ = 0;
  std::string_view text_;
  InpPlace place_;
};

/// The fields of a line between commas, without blanks around them; a comma at the end of the line
/// begins none.
class InpFields {
 public:
  explicit InpFields(std::string_view line) : rest_(line), more_(!line.empty()) {}
  bool next(std::string_view& field);

 private:
  std::string_view rest_;
  bool more_;
};

/// `text` without blanks around it.
std::string_view trimmed(std::string_view text);
std::string upper_case(std::string_view text);
/// `text` without the double quotes around it, if it has them.
std::string_view unquoted(std::string_view text);

/// Whether `field` begins as a number does, not as a name.
bool is_number(std::string_view field);
/// The id in `field`, positive and at most 10^15; throws MeshError naming `what`.
std::int64_t id_of(const InpLines& lines, std::string_view field, const char* what);
/// The finite number in `field`, its exponent behind e, E, d or D; nothing where there is none.
std::optional<double> real_of(std::string_view field);

}  // namespace trestle::io

// GmshFile: the bytes of a .msh file, its header and its sections, and errors that name a place in
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "io/mesh/bytes.hpp"

namespace trestle::io {

/// What stands between `$NAME` and `$EndNAME`, as positions in the file.
struct GmshSection {
  std::size_t begin = 0;  // after the line `$NAME`
  std::size_t end = 0;    // at `$EndNAME`
};

/// A whole .msh file in memory with its header read. Nothing in it is trusted: every position lies
/// inside the file.
class GmshFile {
 public:
  /// Reads `path` and finds its sections. Throws Error(66) when there is no such file, Error(77)
  /// when it may not be read, MeshError when it is no regular file, empty, no .msh file, truncated
  /// or of a version that is not supported. Never waits for a FIFO.
  explicit GmshFile(const std::string& path);
  /// As if `path` held `bytes`.
  GmshFile(const std::string& path, std::string bytes);

  std::string_view bytes() const { return bytes_; }
  /// 20, 21, 22 or 41.
  int version() const { return version_; }
  bool binary() const { return binary_; }
  /// Whether the numbers of a binary file are in the other byte order than this machine's.
  bool swapped() const { return swapped_; }

  /// The section called `name`, or null. Each occurs at most once where it matters.
  const GmshSection* section(const std::string& name) const;
  /// As `section`; throws MeshError naming what the file has when there is none.
  const GmshSection& required_section(const std::string& name) const;

  /// Throws MeshError "file:line: message", in a binary file "file: byte N: message".
  [[noreturn]] void fail(std::size_t position, const std::string& message) const;

 private:
  void refuse_other_formats() const;
  /// A word in quotes; before the header, which shows that this is a mesh, only what it is.
  std::string shown(std::string_view word) const;
  void find_sections();
  void read_header(const GmshSection& format);
  void read_version(std::string_view word, std::size_t position);
  void read_byte_order(std::size_t position, std::size_t end);

  std::string path_;
  std::string bytes_;
  std::map<std::string, GmshSection, std::less<>> sections_;
  int version_ = 0;
  bool binary_ = false;
  bool swapped_ = false;
};

}  // namespace trestle::io

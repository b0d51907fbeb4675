// Reads a .msh file into memory, finds its sections and checks its header.
#include "io/gmsh/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "core/error.hpp"
#include "io/mesh/bytes.hpp"

namespace trestle::io {
namespace {

constexpr std::string_view supported =
    "supported are 2, 2.1, 2.2 and 4.1: save it with gmsh -format msh41";
constexpr std::string_view blanks = " \t\r\n";

std::size_t line_end(std::string_view bytes, std::size_t from) {
  return std::min(bytes.find('\n', from), bytes.size());
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Where `$EndNAME` stands at or after `from`, as a whole word; npos when it does not.
std::size_t find_end(std::string_view bytes, std::string_view word, std::size_t from) {
  for (std::size_t at = bytes.find(word, from); at != std::string_view::npos;
       at = bytes.find(word, at + 1)) {
    const std::size_t after = at + word.size();
    if (after == bytes.size() || blanks.find(bytes[after]) != std::string_view::npos) return at;
  }
  return std::string_view::npos;
}

}  // namespace

GmshFile::GmshFile(const std::string& path) : GmshFile(path, read_mesh_bytes(path)) {}

GmshFile::GmshFile(const std::string& path, std::string bytes)
    : path_(path), bytes_(std::move(bytes)) {
  refuse_other_formats();
  find_sections();
  if (version_ == 0)
    fail(0, fmt::format("expected the section $MeshFormat, it is missing; {}", supported));
}

void GmshFile::fail(std::size_t position, const std::string& message) const {
  position = std::min(position, bytes_.size());
  if (binary_) throw MeshError(fmt::format("{}: byte {}: {}", path_, position, message));
  const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(position);
  const auto line = 1 + std::count(bytes_.begin(), end, '\n');
  throw MeshError(fmt::format("{}:{}: {}", path_, line, message));
}

const GmshSection* GmshFile::section(const std::string& name) const {
  const auto found = sections_.find(name);
  return found == sections_.end() ? nullptr : &found->second;
}

const GmshSection& GmshFile::required_section(const std::string& name) const {
  if (const GmshSection* found = section(name)) return *found;
  std::string names;
  for (const auto& [other, place] : sections_) names += (names.empty() ? "$" : ", $") + other;
  const std::string hint = name == "Nodes" && section("ParametricNodes") != nullptr
                               ? " (save the mesh without parametric coordinates)"
                               : "";
  fail(bytes_.size(), fmt::format("the file ends without the section ${}{}; it has {}", name, hint,
                                  names.substr(0, 200)));
}

void GmshFile::refuse_other_formats() const {
  const std::size_t first = bytes_.find_first_not_of(blanks);
  if (first == std::string::npos) throw MeshError(path_ + ": the mesh file holds only blanks");
  const std::string_view start = std::string_view(bytes_).substr(first);
  const bool begins_a_section = start.starts_with('$') || start.starts_with("\xef\xbb\xbf$");
  if (begins_a_section && start.find("$MeshFormat") != std::string_view::npos) return;
  const std::string_view format = format_of(start);
  if (begins_a_section && format.empty()) return;  // a comment of Nastran begins as a section does
  const std::string known = format.empty() ? "" : fmt::format(", this looks like {}", format);
  fail(first,
       fmt::format("not a Gmsh .msh file: expected $MeshFormat, found other content{}", known));
}

std::string GmshFile::shown(std::string_view word) const {
  return version_ == 0 ? "other text" : quoted(word);
}

void GmshFile::find_sections() {
  const std::string_view bytes = bytes_;
  std::size_t at = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while ((at = bytes.find_first_not_of(blanks, at)) != std::string_view::npos) {
    const std::size_t end_of_line = line_end(bytes, at);
    const std::string_view word = trimmed(bytes.substr(at, end_of_line - at));
    if (!word.starts_with('$') || word.find_first_of(blanks) != std::string_view::npos)
      fail(at, fmt::format("expected a section such as $Nodes{}, found {}",
                           word.starts_with('$') ? " alone in its line (of Unix or Windows)" : "",
                           shown(word)));
    const std::string_view name = word.substr(1);
    if (name == "NOD" || name == "ELM")
      fail(at, fmt::format("this is a .msh file of version 1; {}", supported));
    if (name.starts_with("End"))
      fail(at, fmt::format("{} ends a section that was not begun", shown(word)));
    const std::size_t begin = std::min(end_of_line + 1, bytes.size());
    const std::size_t end = find_end(bytes, fmt::format("$End{}", name), begin);
    if (end == std::string_view::npos)
      fail(at, fmt::format("section {} is not closed: expected {} before the end of the file ({} "
                           "bytes); is the file truncated?",
                           shown(word), shown(fmt::format("$End{}", name)), bytes.size()));
    const bool is_new = sections_.emplace(std::string(name), GmshSection{begin, end}).second;
    static constexpr std::array<std::string_view, 6> once{
        "MeshFormat", "PhysicalNames", "Entities", "PartitionedEntities", "Nodes", "Elements"};
    if (!is_new && std::find(once.begin(), once.end(), name) != once.end())
      fail(at, fmt::format("section {} occurs twice", quoted(word)));
    at = line_end(bytes, end);
    if (name == "MeshFormat") read_header({begin, end});
  }
}

void GmshFile::read_header(const GmshSection& format) {
  const std::string_view bytes = bytes_;
  std::size_t at = std::min(bytes.find_first_not_of(blanks, format.begin), format.end);
  const std::size_t end = std::min(line_end(bytes, at), format.end);
  std::array<std::string_view, 3> words;
  for (std::string_view& word : words) {
    at = std::min(bytes.find_first_not_of(blanks, at), end);
    const std::size_t after = std::min(bytes.find_first_of(blanks, at), end);
    word = bytes.substr(at, after - at);
    at = after;
  }
  read_version(words[0], format.begin);
  if (words[1] != "0" && words[1] != "1")
    fail(format.begin, fmt::format("expected 0 (ASCII) or 1 (binary) after the version, found {}",
                                   quoted(words[1])));
  if (words[2] != "8")
    fail(
        format.begin,
        fmt::format("the size of numbers in the file is {}, only 8 is supported: save it in double "
                    "precision",
                    quoted(words[2])));
  if (!trimmed(bytes.substr(at, end - at)).empty())
    fail(format.begin, "expected three numbers: version, file type and data size");
  if (words[1] == "1")
    read_byte_order(std::min(end + 1, format.end), format.end);
  else if (!trimmed(bytes.substr(end, format.end - end)).empty())
    fail(end + 1, "expected $EndMeshFormat after the header of an ASCII file");
}

void GmshFile::read_version(std::string_view word, std::size_t position) {
  double value = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc{} || rest != word.data() + word.size())
    fail(position, fmt::format("expected the version of the .msh format, found {}", quoted(word)));
  for (const int known : {20, 21, 22, 41})
    if (value == known / 10.0) version_ = known;
  if (version_ == 0)
    fail(position, fmt::format("this is a .msh file of version {}; {}", quoted(word), supported));
}

void GmshFile::read_byte_order(std::size_t position, std::size_t end) {
  std::uint32_t mark = 0;
  if (end - position >= sizeof mark) std::memcpy(&mark, bytes_.data() + position, sizeof mark);
  if (mark != 1 && mark != 0x01000000)
    throw MeshError(
        fmt::format("{}: byte {}: the header says binary, but the 4-byte number 1 that shows the "
                    "byte order does not follow it: is the file ASCII?",
                    path_, position));
  binary_ = true;
  swapped_ = mark != 1;
}

}  // namespace trestle::io

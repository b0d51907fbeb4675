// InpDeck: the keywords of a CalculiX or Abaqus deck that describe its mesh, over all files that it
// includes.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/inp/lines.hpp"

namespace trestle::io {

enum class InpKeyword { node, element, nset, elset, surface, instance };

/// One keyword with its parameters and data lines.
struct InpBlock {
  InpKeyword keyword;
  bool in_assembly = false;
  InpPlace place;
  std::vector<std::pair<std::string, std::string>> parameters;  // name in capitals, value
  std::vector<InpChunk> chunks;

  /// The value of a parameter, "" for one without; null when it is missing.
  const std::string* find(std::string_view parameter) const;
};

/// A deck cut into blocks; nothing of its data is read yet. A keyword is known whatever the case of
/// its letters and the blanks in it; a line of it that ends with a comma goes on in the next.
class InpDeck {
 public:
  /// Reads `path` and what it includes. Throws MeshError with the place of what cannot be read as
  /// a mesh: keywords that generate nodes or elements, a second part or instance, includes that go
  /// in circles.
  explicit InpDeck(const std::string& path);

  const InpFiles& files() const { return files_; }
  const std::vector<InpBlock>& blocks() const { return blocks_; }
  InpLines lines(const InpBlock& block) const { return {files_, block.chunks}; }
  /// The value of a parameter that `block` must have, which is plain UTF-8.
  const std::string& required(const InpBlock& block, const char* parameter) const;
  /// The name of the one instance of an assembly, "" where there is none.
  const std::string& instance() const { return instance_; }
  /// One sentence that lists the keywords whose data are not taken; "" when there are none.
  std::string skipped() const;

 private:
  struct Keyword;  // a keyword line taken apart
  [[noreturn]] void fail_at_start(InpPlace place, std::string_view text) const;
  void scan(int file);
  Keyword read_keyword(int file, std::size_t& at, int& line) const;
  void take(const Keyword& keyword);
  bool take_structure(const Keyword& keyword);
  /// Throws MeshError at a parameter that is not known or given twice.
  void check_parameters(InpKeyword kind, const Keyword& keyword) const;
  void begin_block(InpKeyword kind, const Keyword& keyword);
  void include(const Keyword& keyword);
  void skip(const std::string& what, InpPlace place);
  void check_instance(const InpBlock& block) const;

  InpFiles files_;
  std::vector<InpBlock> blocks_;
  bool in_block_ = false;  // the data lines that follow belong to blocks_.back()
  bool seen_keyword_ = false;
  bool in_assembly_ = false;
  int n_parts_ = 0;
  std::string instance_;
  std::vector<int> open_files_;
  int n_includes_ = 0;
  std::map<std::string, InpPlace> skipped_;  // the first of each keyword
  bool more_skipped_ = false;
};

}  // namespace trestle::io

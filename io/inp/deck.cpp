// Finds the keywords of a deck and follows its includes.
#include "io/inp/deck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "io/files.hpp"
#include "io/mesh/bytes.hpp"

namespace trestle::io {

struct InpDeck::Keyword {
  std::string name;  // in capitals, without * and blanks
  std::vector<std::pair<std::string, std::string>> parameters;
  InpPlace place;
};

namespace {

std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char letter : text)
    if (letter != ' ' && letter != '\t') result += letter;
  return result;
}

/// Whether `line` goes on with the parameters of the keyword before it, and is no data line.
bool continues(std::string_view line) {
  InpFields fields(line);
  std::string_view first;
  if (!fields.next(first) || is_number(first)) return false;
  if (first.find('=') != std::string_view::npos) return true;
  const std::string word = upper_case(first);
  return word == "GENERATE" || word == "UNSORTED" || word == "INTERNAL";
}

/// Keywords that make nodes or elements, or move them: without them the mesh would be wrong.
constexpr std::array<std::string_view, 11> generators{"NGEN",
                                                      "NFILL",
                                                      "NCOPY",
                                                      "NMAP",
                                                      "ELGEN",
                                                      "ELCOPY",
                                                      "SYSTEM",
                                                      "IMPORT",
                                                      "SUBSTRUCTUREGENERATE",
                                                      "PARAMETER",
                                                      "SYMMETRICMODELGENERATION"};

/// The parameters of a keyword that are taken, or that change nothing here.
std::vector<std::string> parameters_of(InpKeyword kind) {
  switch (kind) {
    case InpKeyword::node:
      return {"NSET", "INPUT", "SYSTEM", "INSTANCE"};
    case InpKeyword::element:
      return {"TYPE", "ELSET", "INPUT", "INSTANCE"};
    case InpKeyword::nset:
      return {"NSET", "ELSET", "GENERATE", "INSTANCE", "INTERNAL", "UNSORTED"};
    case InpKeyword::elset:
      return {"ELSET", "GENERATE", "INSTANCE", "INTERNAL", "UNSORTED"};
    case InpKeyword::surface:
      return {"NAME", "TYPE", "COMBINE", "INSTANCE", "INTERNAL", "NOTHICK", "NOOFFSET", "MAXRATIO"};
    case InpKeyword::instance:
      return {"NAME", "PART"};
  }
  return {};
}

std::string message_of(const char* what) {
  return fmt::format(
      "decks with {} are not read: write the deck without parts and assemblies "
      "(Abaqus/CAE: Model > Edit Attributes > Do not use parts and assemblies in "
      "input files)",
      what);
}

}  // namespace

const std::string* InpBlock::find(std::string_view parameter) const {
  for (const auto& [name, value] : parameters)
    if (name == parameter) return &value;
  return nullptr;
}

InpDeck::InpDeck(const std::string& path) {
  scan(files_.add(path));
  for (const InpBlock& block : blocks_)
    if (block.keyword == InpKeyword::instance) check_instance(block);
}

const std::string& InpDeck::required(const InpBlock& block, const char* parameter) const {
  const std::string* value = block.find(parameter);
  if (value == nullptr || value->empty())
    files_.fail(block.place, fmt::format("the keyword lacks its parameter {}=...", parameter));
  if (!is_plain_utf8(*value))
    files_.fail(block.place, fmt::format("{}={} is not UTF-8 text without control characters",
                                         parameter, quoted(*value)));
  return *value;
}

void InpDeck::fail_at_start(InpPlace place, std::string_view text) const {
  const std::string_view format = format_of(text);
  files_.fail(place,
              fmt::format("expected a keyword such as *NODE, found other text{}",
                          format.empty() ? "" : fmt::format(", this looks like {}", format)));
}

void InpDeck::scan(int file) {
  constexpr std::size_t deepest = 16;
  open_files_.push_back(file);
  const std::string_view bytes = files_.bytes(file);
  std::size_t at = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;
  bool open = false;  // the last line belongs to the last chunk of the last block
  for (int line = 1; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view text = trimmed(bytes.substr(at, end - at));
    const bool comment = text.empty() || text.starts_with("**");
    if (text.find("\r*") != std::string_view::npos)
      files_.fail({file, line},
                  "a carriage return without a line feed: save the file with Unix or Windows line "
                  "ends");
    if (!comment && text.starts_with('*')) {
      open = false;
      const Keyword keyword = read_keyword(file, at, line);
      if (open_files_.size() > deepest)
        files_.fail(keyword.place,
                    fmt::format("files include each other more than {} deep", deepest));
      take(keyword);
      continue;
    }
    if (!comment && !seen_keyword_) fail_at_start({file, line}, text);
    const std::size_t after = std::min(end + 1, bytes.size());
    if (!comment && in_block_ && !open) {
      blocks_.back().chunks.push_back({file, at, after, line});
      open = true;
    }
    if (open) blocks_.back().chunks.back().end = after;
    at = after;
    ++line;
  }
  open_files_.pop_back();
}

InpDeck::Keyword InpDeck::read_keyword(int file, std::size_t& at, int& line) const {
  const std::string_view bytes = files_.bytes(file);
  const auto text_at = [&](std::size_t from) {
    return trimmed(bytes.substr(from, std::min(bytes.find('\n', from), bytes.size()) - from));
  };
  const auto pass = [&] {
    at = std::min(std::min(bytes.find('\n', at), bytes.size()) + 1, bytes.size());
    ++line;
  };
  Keyword keyword{{}, {}, {file, line}};
  std::string text(text_at(at));
  pass();
  while (text.ends_with(',') && at < bytes.size()) {
    const std::string_view more = text_at(at);
    if (!more.starts_with("**")) {
      if (!continues(more)) break;
      text += more;
    }
    pass();
  }
  InpFields fields(std::string_view(text).substr(1));
  std::string_view field;
  fields.next(field);
  keyword.name = upper_case(without_blanks(field));
  while (fields.next(field)) {
    const std::size_t equals = std::min(field.find('='), field.size());
    std::string_view value = trimmed(field.substr(std::min(equals + 1, field.size())));
    keyword.parameters.emplace_back(upper_case(without_blanks(field.substr(0, equals))),
                                    unquoted(value));
  }
  return keyword;
}

void InpDeck::take(const Keyword& keyword) {
  using Known = std::pair<std::string_view, InpKeyword>;
  static constexpr std::array<Known, 5> known{{{"NODE", InpKeyword::node},
                                               {"ELEMENT", InpKeyword::element},
                                               {"NSET", InpKeyword::nset},
                                               {"ELSET", InpKeyword::elset},
                                               {"SURFACE", InpKeyword::surface}}};
  seen_keyword_ = true;
  if (keyword.name == "INCLUDE") {
    include(keyword);
    return;
  }
  in_block_ = false;
  if (keyword.name == "HEADING" || take_structure(keyword)) return;
  if (std::find(generators.begin(), generators.end(), keyword.name) != generators.end())
    files_.fail(
        keyword.place,
        fmt::format("*{} is not read, and without it the mesh would be wrong: write out the "
                    "nodes and elements that the deck stands for",
                    keyword.name));
  for (const auto& [name, kind] : known)
    if (name == keyword.name) {
      begin_block(kind, keyword);
      return;
    }
  skip(quoted("*" + keyword.name), keyword.place);
}

bool InpDeck::take_structure(const Keyword& keyword) {
  if (keyword.name == "PART" && ++n_parts_ > 1)
    files_.fail(keyword.place, message_of("several parts"));
  if (keyword.name == "ASSEMBLY") in_assembly_ = true;
  if (keyword.name == "ENDASSEMBLY") in_assembly_ = false;
  if (keyword.name == "INSTANCE") {
    begin_block(InpKeyword::instance, keyword);
    if (!instance_.empty()) files_.fail(keyword.place, message_of("several instances"));
    instance_ = required(blocks_.back(), "NAME");
    in_assembly_ = false;  // what an instance holds is the mesh of the part
  }
  if (keyword.name == "ENDINSTANCE") in_assembly_ = true;
  static constexpr std::array<std::string_view, 6> structure{
      "PART", "ENDPART", "ASSEMBLY", "ENDASSEMBLY", "INSTANCE", "ENDINSTANCE"};
  return std::find(structure.begin(), structure.end(), keyword.name) != structure.end();
}

void InpDeck::check_parameters(InpKeyword kind, const Keyword& keyword) const {
  const std::vector<std::string> known = parameters_of(kind);
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : keyword.parameters) {
    if (name.empty()) continue;  // a comma too many
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest_word(name, known);
      files_.fail(
          keyword.place,
          fmt::format("*{} is not read with the parameter {}{}; known are {}: write what it "
                      "stands for into the deck, or take it out where the mesh and its "
                      "sets do not need it",
                      keyword.name, quoted(name),
                      near.empty() ? "" : fmt::format(", did you mean {}?", near),
                      fmt::join(known, ", ")));
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      files_.fail(keyword.place,
                  fmt::format("*{} has the parameter {} twice: leave one", keyword.name, name));
    seen.push_back(name);
  }
}

void InpDeck::begin_block(InpKeyword kind, const Keyword& keyword) {
  InpBlock block{kind, in_assembly_, keyword.place, keyword.parameters, {}};
  const std::string* instance = block.find("INSTANCE");
  const bool of_assembly =
      in_assembly_ && kind != InpKeyword::surface && kind != InpKeyword::instance;
  const bool is_mesh = kind == InpKeyword::node || kind == InpKeyword::element;
  if (of_assembly && instance == nullptr && is_mesh) {
    // Ids of an assembly are other than those of its part.
    skip("*" + keyword.name + " of the assembly itself", keyword.place);
    return;
  }
  if (of_assembly && instance != nullptr && upper_case(*instance) != upper_case(instance_))
    files_.fail(keyword.place,
                fmt::format("there is no instance {}{}", quoted(*instance),
                            instance_.empty() ? "" : "; the deck has " + quoted(instance_)));
  check_parameters(kind, keyword);
  blocks_.push_back(std::move(block));
  in_block_ = true;
  if (keyword.name == "NODE" || keyword.name == "ELEMENT")
    if (blocks_.back().find("INPUT") != nullptr) include(keyword);
}

void InpDeck::include(const Keyword& keyword) {
  constexpr int most = 1000;
  InpBlock line{InpKeyword::node, false, keyword.place, keyword.parameters, {}};
  const std::string& name = required(line, "INPUT");
  if (++n_includes_ > most)
    files_.fail(keyword.place, fmt::format("the deck includes files more than {} times", most));
  const std::string path =
      name.starts_with('/') ? name : folder_of(files_.path(keyword.place.file)) + "/" + name;
  int file = 0;
  try {
    file = files_.add(path);
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("{}: the included file cannot be read: {}",
                                      files_.text_of(keyword.place), e.what()));
  }
  if (std::find(open_files_.begin(), open_files_.end(), file) != open_files_.end())
    files_.fail(keyword.place, fmt::format("the file {} includes itself", path));
  scan(file);
}

void InpDeck::skip(const std::string& what, InpPlace place) {
  constexpr std::size_t most = 12;  // that a sentence can name
  if (skipped_.size() < most)
    skipped_.try_emplace(what, place);
  else if (!skipped_.contains(what))
    more_skipped_ = true;
}

std::string InpDeck::skipped() const {
  if (skipped_.empty()) return "";
  std::string list;
  for (const auto& [what, place] : skipped_)
    list += fmt::format("{}{} ({}line {})", list.empty() ? "" : ", ", what,
                        place.file == 0 ? "" : files_.path(place.file) + " ", place.line);
  return fmt::format(
      "The deck gives its mesh and sets only; materials, sections, conditions and steps are those "
      "of the case. Not taken: {}{}.",
      list, more_skipped_ ? " and others" : "");
}

void InpDeck::check_instance(const InpBlock& block) const {
  InpLines lines(files_, block.chunks);
  for (int number = 0; lines.next(); ++number) {
    InpFields fields(lines.text());
    std::string_view field;
    for (int f = 0; fields.next(field); ++f) {
      const auto value = real_of(field.empty() ? "0" : field);
      const bool matters = number == 0 || f == 6;  // the second line is an axis and an angle
      if (!value || (matters && *value != 0))
        lines.fail(message_of("an instance that is moved or turned"));
    }
  }
}

}  // namespace trestle::io

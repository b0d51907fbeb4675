#include "io/case/yaml.hpp"

#include <yaml.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/number.hpp"
#include "io/case/yaml_problem.hpp"

namespace trestle::io {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // of UTF-8

/// Spaces that look like one and are none: no-break, ideographic, zero width ...
bool is_odd_space(char32_t c) {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x2060 || c == 0x3000 || c == 0xFEFF || c == 0x85;
}

/// Decodes one character of UTF-8 at `at` and moves on; returns false when it is invalid
/// [RFC 3629].
bool next_character(std::string_view text, std::size_t& at, char32_t& c) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  const std::size_t n = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (n == 0 || at + n > text.size()) return false;
  c = n == 1 ? first : first & (0x7Fu >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(at + i) & 0xC0u) != 0x80u) return false;
    c = (c << 6) | (byte(at + i) & 0x3Fu);
  }
  if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10FFFF))) return false;
  if (c >= 0xD800 && c <= 0xDFFF) return false;
  at += n;
  return true;
}

/// What the bytes must be before any YAML is looked at.
void check_characters(const std::string& text, const std::string& file) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw CaseError({file, 1, 1}, "the file is UTF-16: save it as UTF-8");
  SourcePosition at{file, 1, 1};
  bool indentation = true;
  const std::size_t mark = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  for (std::size_t i = mark; i < text.size();) {
    char32_t c = 0;
    if (!next_character(text, i, c))
      throw CaseError(at, "this byte is not valid UTF-8: save the file as UTF-8");
    if (c == 0)
      throw CaseError(at, "a NUL byte: the file is binary or UTF-16, not a case in UTF-8");
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7F && c < 0xA0 && c != 0x85))
      throw CaseError(at, "a control character: remove it");
    if (c == '\t' && indentation)
      throw CaseError(at, "a tab in the indentation: YAML allows spaces only");
    if (c == '\r' && (i >= text.size() || text[i] != '\n'))
      throw CaseError(at,
                      "a carriage return without a line feed: save the file with Unix or "
                      "Windows line ends");
    indentation = c == '\n' || (indentation && c == ' ');
    at.column = c == '\n' ? 1 : at.column + 1;
    at.line += c == '\n' ? 1 : 0;
  }
}

/// The event stream of libyaml, an event at a time.
class Events {
 public:
  Events(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    if (yaml_parser_initialize(&parser_) == 0)
      throw Error(ExitCode::system, "out of memory in the YAML parser");
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    if (held_) yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  /// The next event; it lives until the next call.
  const yaml_event_t& next() {
    if (held_) yaml_event_delete(&event_);
    held_ = yaml_parser_parse(&parser_, &event_) != 0;
    if (!held_) raise_problem();
    return event_;
  }
  SourcePosition position(const yaml_mark_t& mark) const {
    return {file_, static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
  }

 private:
  [[noreturn]] void raise_problem() const {
    if (parser_.error == YAML_MEMORY_ERROR)
      throw Error(ExitCode::system, "out of memory in the YAML parser");
    const auto text_of = [](const char* text) { return std::string(text != nullptr ? text : ""); };
    const SourcePosition at = position(parser_.problem_mark);
    const SourcePosition context = position(parser_.context_mark);
    throw explain_yaml_problem(text_, file_,
                               {text_of(parser_.problem), text_of(parser_.context), at.line,
                                at.column, context.line, context.column});
  }

  std::string_view text_;
  std::string file_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool held_ = false;
};

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::string& file, Faults& faults)
      : events_(text, file), file_(std::make_shared<const std::string>(file)), faults_(faults) {}

  YamlNode build() {
    events_.next();  // the start of the stream
    if (events_.next().type == YAML_STREAM_END_EVENT)
      throw CaseError({*file_, 0, 0},
                      "the file is empty: a case needs at least mesh, physics and "
                      "materials");
    YamlNode root = build_node(events_.next(), 0);
    events_.next();  // the end of the document
    const yaml_event_t& after = events_.next();
    if (after.type != YAML_STREAM_END_EVENT)
      throw CaseError(events_.position(after.start_mark),
                      "a second document begins here: a case file has one");
    return root;
  }

 private:
  YamlNode build_node(const yaml_event_t& event, int depth) {
    if (++n_nodes_ > max_yaml_nodes)
      throw CaseError(events_.position(event.start_mark),
                      "more than " + std::to_string(max_yaml_nodes) + " values");
    const SourcePosition where = events_.position(event.start_mark);
    if (depth > max_yaml_depth)
      throw CaseError(where, "nesting deeper than " + std::to_string(max_yaml_depth));
    YamlNode node;
    node.file = file_;
    node.line = where.line;
    node.column = where.column;
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        throw CaseError(where, "aliases (*name) are refused: write the value out");
      case YAML_SEQUENCE_START_EVENT:
        refuse_properties(event.data.sequence_start.anchor, event.data.sequence_start.tag, where);
        build_list(node, depth);
        break;
      case YAML_MAPPING_START_EVENT:
        refuse_properties(event.data.mapping_start.anchor, event.data.mapping_start.tag, where);
        build_mapping(node, depth);
        break;
      case YAML_SCALAR_EVENT:
        refuse_properties(event.data.scalar.anchor, event.data.scalar.tag, where);
        build_scalar(node, event);
        break;
      default:
        throw Error(ExitCode::bug, "unexpected event of the YAML parser");
    }
    return node;
  }

  void build_list(YamlNode& node, int depth) {
    node.kind = YamlNode::Kind::list;
    for (const yaml_event_t* event = &events_.next(); event->type != YAML_SEQUENCE_END_EVENT;
         event = &events_.next())
      node.items.push_back(build_node(*event, depth + 1));
  }

  void build_mapping(YamlNode& node, int depth) {
    node.kind = YamlNode::Kind::mapping;
    std::map<std::string, int> line_of;
    for (const yaml_event_t* event = &events_.next(); event->type != YAML_MAPPING_END_EVENT;
         event = &events_.next()) {
      const YamlNode key = build_node(*event, depth + 1);
      if (!key.is_scalar() || key.text.empty())
        throw CaseError(key.where(), "a key must be a word, got " + describe(key));
      YamlEntry entry{key.text, build_node(events_.next(), depth + 1), key.line, key.column};
      const auto [first, is_new] = line_of.emplace(key.text, key.line);
      if (is_new)
        node.entries.push_back(std::move(entry));
      else
        faults_.add(key.where(), "the key " + in_quotes(key.text) +
                                     " stands here for the second "
                                     "time; the first is at line " +
                                     std::to_string(first->second));
    }
  }

  void build_scalar(YamlNode& node, const yaml_event_t& event) const {
    const auto& scalar = event.data.scalar;
    node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    node.quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node.kind = YamlNode::Kind::scalar;
    if (node.quoted) return;
    refuse_odd_spaces(node);
    const std::string& text = node.text;
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
      node.kind = YamlNode::Kind::null;
  }

  void refuse_odd_spaces(const YamlNode& node) const {
    SourcePosition where = node.where();
    for (std::size_t i = 0; i < node.text.size(); ++where.column) {
      char32_t c = 0;
      if (!next_character(node.text, i, c)) return;  // escapes of libyaml only make valid UTF-8
      if (c == '\t') throw CaseError(where, "a tab within a value: put the text in quotes");
      if (is_odd_space(c))
        throw CaseError(where, "a no-break or other special space where a plain space belongs");
    }
  }

  void refuse_properties(const yaml_char_t* anchor, const yaml_char_t* tag,
                         const SourcePosition& where) const {
    if (anchor != nullptr)
      throw CaseError(
          where,
          "anchors (&name) are refused: leave it out, and write the value out where it is "
          "wanted again; a text that begins with & stands in quotes");
    if (tag != nullptr)
      throw CaseError(
          where,
          "tags (!name) are refused: leave it out; a text that begins with ! stands in quotes");
  }

  Events events_;
  std::shared_ptr<const std::string> file_;
  Faults& faults_;
  int n_nodes_ = 0;
};

/// Whether `key` stands before a colon, first in a line or in a mapping in braces, in what may be
/// no YAML.
bool mentions(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    const std::size_t before = at == 0 ? text.npos : text.find_last_not_of(" \"'", at - 1);
    const std::size_t after = text.find_first_not_of(" \"'", at + key.size());
    const bool first =
        before == text.npos || text[before] == '\n' || text[before] == '{' || text[before] == ',';
    if (first && after != text.npos && text[after] == ':') return true;
  }
  return false;
}

bool has_content(std::string_view text) {
  for (std::size_t at = 0; (at = text.find_first_not_of(" \r\n", at)) != text.npos;) {
    if (text[at] != '#') return true;
    at = std::min(text.find('\n', at), text.size());
  }
  return false;
}

void check_text(const std::string& text, const std::string& file) {
  if (text.size() > max_yaml_bytes)
    throw CaseError({file, 0, 0}, "larger than 1 MiB: this is not a case file");
  check_characters(text, file);
}

}  // namespace

const YamlEntry* YamlNode::find_entry(std::string_view key) const {
  for (const YamlEntry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

const YamlNode* YamlNode::find(std::string_view key) const {
  const YamlEntry* entry = find_entry(key);
  return entry != nullptr ? &entry->value : nullptr;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(static_cast<const YamlNode&>(*this).find(key));
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::mapping:
      return "a mapping";
    case YamlNode::Kind::scalar:
      break;
  }
  return in_quotes(node.text);
}

YamlNode parse_yaml(const std::string& text, const std::string& file, Faults& faults) {
  check_text(text, file);
  const std::size_t mark = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  return TreeBuilder(std::string_view(text).substr(mark), file, faults).build();
}

YamlNode parse_yaml_of(const char* kind, const std::vector<OptionInfo>& known,
                       const std::string& text, const std::string& file, Faults& faults) {
  check_text(text, file);
  const auto any_known = [&](const auto& test) {
    return std::any_of(known.begin(), known.end(), test);
  };
  const auto is_mentioned = [&](const OptionInfo& key) { return mentions(text, key.name); };
  std::string found = "other text";
  try {
    YamlNode root = parse_yaml(text, file, faults);
    const auto is_there = [&](const OptionInfo& key) { return root.find(key.name) != nullptr; };
    if (root.is_mapping() ? root.entries.empty() || any_known(is_there) : any_known(is_mentioned))
      return root;
    if (!root.is_scalar()) found = root.is_mapping() ? "other keys" : describe(root);
  } catch (const CaseError&) {
    if (any_known(is_mentioned) || !has_content(text)) throw;
  }
  const bool any_required = any_known([](const OptionInfo& key) { return key.required; });
  std::string keys;
  for (const OptionInfo& key : known)
    if (key.required || !any_required) keys += (keys.empty() ? "" : ", ") + key.name;
  throw CaseError({file, 1, 1}, std::string("not a ") + kind + ": expected a mapping with " +
                                    (any_required ? "the keys " : "keys such as ") + keys +
                                    ", found " + found);
}

}  // namespace trestle::io

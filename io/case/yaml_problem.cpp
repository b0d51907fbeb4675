#include "io/case/yaml_problem.hpp"

#include <algorithm>
#include <vector>

#include "core/number.hpp"

namespace trestle::io {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// A place among the lines of a text.
struct Mark {
  int line = 0;
  int column = 0;
};

class Lines {
 public:
  explicit Lines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  std::string_view line(int number) const {
    const bool exists = number >= 1 && static_cast<std::size_t>(number) <= lines_.size();
    return exists ? lines_[static_cast<std::size_t>(number - 1)] : std::string_view();
  }
  std::string_view before(Mark at) const { return line(at.line).substr(0, byte_of(at)); }
  std::string_view from(Mark at) const { return line(at.line).substr(byte_of(at)); }
  char character(Mark at) const { return from(at).empty() ? '\0' : from(at).front(); }
  bool begins_line(Mark at) const { return trimmed(before(at)).empty(); }
  /// Column of the first character of a line that is no blank.
  int indentation(int number) const {
    const std::size_t first = line(number).find_first_not_of(' ');
    return first == std::string_view::npos ? 1 : static_cast<int>(first) + 1;
  }
  /// The last line above `number` that is neither empty nor a comment; 0 when there is none.
  int line_above(int number) const {
    do --number;
    while (number >= 1 && (trimmed(line(number)).empty() || trimmed(line(number))[0] == '#'));
    return number;
  }

 private:
  /// Bytes before a column, which counts characters of UTF-8.
  std::size_t byte_of(Mark at) const {
    const std::string_view text = line(at.line);
    int column = 0;
    std::size_t i = 0;
    for (; i < text.size(); ++i)
      if ((text[i] & 0xC0) != 0x80 && ++column == at.column) break;
    return i;
  }

  std::vector<std::string_view> lines_;
};

std::string column(int number) { return "column " + std::to_string(number); }
std::string line_number(int number) { return "line " + std::to_string(number); }

class Explainer {
 public:
  Explainer(std::string_view text, const std::string& file, const YamlProblem& problem)
      : lines_(text),
        file_(file),
        problem_(problem),
        at_{problem.line, problem.column},
        context_{problem.context_line, problem.context_column} {}

  CaseError explain() const {
    if (says("did not find expected ',' or")) return open_bracket();
    if (says("did not find expected key")) return no_key();
    if (says("did not find expected '-' indicator")) return no_entry();
    if (says("could not find expected ':'")) return no_colon(context_);
    if (says("mapping values are not allowed")) return stray_colon();
    if (says("<document start>")) return indentation();
    if (says("block sequence entries are not allowed"))
      return error(at_,
                   "a list in this form begins on a line of its own: put \"- ...\" below its key, "
                   "or write [a, b]");
    if (says("did not find expected node content")) return no_value();
    if (in("quoted scalar")) return quoted();
    if (says("cannot start any token"))
      return error(at_, "a value cannot begin with " + in_quotes(lines_.from(at_).substr(0, 1)) +
                            ": put the text in quotes");
    if (says("comment or line break"))
      return error(at_, "nothing may follow | or > on its line: the text begins on the next one");
    if (in("alias") || in("anchor"))
      return error(context_,
                   "a value that begins with * or & is an alias or anchor, which are refused: put "
                   "a text in quotes");
    if (in("directive"))
      return error(context_, "a line that begins with % is no part of a case: remove it");
    if (says("mapping keys are not allowed"))
      return error(at_, "a value cannot begin with \"? \": put the text in quotes");
    return error(at_, "this is no YAML: check indentation, quotes and brackets here (" +
                          problem_.problem + ")");
  }

 private:
  bool says(std::string_view part) const {
    return problem_.problem.find(part) != std::string::npos;
  }
  bool in(std::string_view part) const { return problem_.context.find(part) != std::string::npos; }
  CaseError error(Mark at, const std::string& message) const {
    return {SourcePosition{file_, at.line, at.column}, message};
  }
  char last_before(Mark at) const {
    const std::string_view before = trimmed(lines_.before(at));
    return before.empty() ? '\0' : before.back();
  }

  CaseError open_bracket() const {
    const char opening = lines_.character(context_) == '{' ? '{' : '[';
    const std::string open(1, opening), close(1, opening == '{' ? '}' : ']');
    if (const char last = last_before(at_); last == '"' || last == '\'') return after_quote();
    if (at_.line != context_.line)
      return error(context_,
                   "the " + open + " that opens here is not closed: a " + close + " is missing");
    const char found = lines_.character(at_);
    if (found == ']' || found == '}')
      return error(at_, "this " + std::string(1, found) + " comes before the " + open + " of " +
                            column(context_.column) + " is closed: a " + close + " is missing");
    return error(at_, "a comma or " + close + " is missing before this: the " + open + " of " +
                          column(context_.column) + " is still open");
  }

  CaseError after_quote() const {
    return error(
        at_,
        "a value in quotes ends at its closing quote, and here more follows; a unit stands "
        "behind a plain number only: expressions are in SI, so write the factor into them "
        "(\"1e-3*2*x\" for 2*x in mm)");
  }

  CaseError no_key() const {
    const char found = lines_.character(at_);
    if (lines_.begins_line(at_)) {
      if (found == ':') return error(at_, "a key is missing before this colon");
      if (found == '-')
        return error(at_,
                     "a list entry (\"- ...\") where a key is expected: indent it as the "
                     "other entries of its list, or give the list a key");
      return indentation();
    }
    const char last = last_before(at_);
    if (last == '"' || last == '\'') return after_quote();
    if (found == ']' || found == '}')
      return error(at_, "this " + std::string(1, found) + " closes nothing: remove it, or open it");
    return error(at_,
                 "the value ends before this: put the next key on a line of its own, and a text "
                 "that goes on in quotes");
  }

  CaseError no_entry() const {
    if (at_.column == context_.column)
      return error(at_, "every entry of the list that begins at " + line_number(context_.line) +
                            " starts with \"- \"; a new key stands further left");
    return indentation();
  }

  CaseError indentation() const {
    const int above = lines_.line_above(at_.line);
    std::string message = "the indentation fits nothing above: this line begins at " +
                          column(at_.column) + ", " + line_number(above) + " at " +
                          column(lines_.indentation(above));
    if (context_.line > 0 && context_.line < above && context_.column != at_.column)
      message +=
          ", the block from " + line_number(context_.line) + " at " + column(context_.column);
    return error(at_, message + ": lines of one block begin at the same column, with spaces");
  }

  CaseError no_colon(Mark at) const {
    const std::string_view text = trimmed(lines_.from(at));
    if (const std::string better = with_blank_behind_colon(text); !better.empty())
      return error(at, "a blank is missing behind the colon: write " + in_quotes(better));
    if (!text.empty() && (text[0] == '{' || text[0] == '['))
      return error(at,
                   "a key is expected here (key: value); an entry of a list begins with \"- \"");
    const std::size_t equals = text.find('=');
    return error(at, equals != std::string_view::npos
                         ? "write \"key: value\", with a colon and a blank in place of ="
                         : "a colon is missing in " + in_quotes(text) +
                               ": write \"key: value\", with a blank behind the colon");
  }

  /// A colon that makes a key where none can be: behind another key, or in a line that libyaml took
  /// for the rest of the value above.
  CaseError stray_colon() const {
    const std::string_view before = lines_.before(at_);
    if (const std::string_view entry = trimmed(before);
        entry.starts_with("-{") || entry.starts_with("-["))
      return error(at_, "a blank is missing behind the - of a list: write " +
                            in_quotes("- " + std::string(entry.substr(1, 12))) + "...");
    if (before.find(": ") != std::string_view::npos)
      return error(
          at_,
          "a second key in this line: put a text that holds a colon in quotes, and several "
          "keys in braces, as in {a: 1, b: 2}");
    const int above = lines_.line_above(at_.line);
    const Mark start{above, lines_.indentation(above)};
    const bool aligned = start.column == lines_.indentation(at_.line);
    if (above > 0 && aligned && lines_.line(above).find(": ") == std::string_view::npos)
      return no_colon(start);
    if (above == 0) return error(at_, "a key is missing before this colon");
    return error({at_.line, lines_.indentation(at_.line)},
                 "this line is indented as a part of the value above (" + line_number(above) +
                     "): keys of one block begin at the same column");
  }

  CaseError no_value() const {
    const char found = lines_.character(at_);
    if (found == ',') return error(at_, "a value is missing before this comma");
    if (found == ']' || found == '}')
      return error(at_, "this " + std::string(1, found) + " closes nothing: remove it, or open it");
    return error(at_, "a value is missing here");
  }

  CaseError quoted() const {
    if (says("end of stream") || says("document indicator"))
      return error(context_, "the quote that opens here is not closed");
    return error(at_,
                 "within double quotes a backslash begins an escape, and this is none: write \\\\, "
                 "or take single quotes");
  }

  Lines lines_;
  const std::string& file_;
  const YamlProblem& problem_;
  Mark at_, context_;
};

}  // namespace

std::string with_blank_behind_colon(std::string_view text) {
  text = trimmed(text.substr(0, text.find(" #")));
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 >= text.size()) return "";
  if (text[colon + 1] == ' ' || text.find_first_of("\"'{[ ") < colon) return "";
  return std::string(text.substr(0, colon + 1)) + " " + std::string(text.substr(colon + 1));
}

CaseError explain_yaml_problem(std::string_view text, const std::string& file,
                               const YamlProblem& problem) {
  return Explainer(text, file, problem).explain();
}

}  // namespace trestle::io

// The reference page of the case file in Markdown, from the tables of the reader.
#include <algorithm>

#include "core/number.hpp"
#include "io/case/case.hpp"
#include "io/case/expression_parser.hpp"
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

using Kind = OptionKind;

constexpr const char* opening = R"(# The case file

This page is made from the tables of the reader (`trestle schema --reference`); do not edit it.

A case is one YAML file. It is read strictly: unknown, missing and repeated keys, wrong types and
values out of range are errors with their place, all reported at once, and the exit code is 78.
So are keys that would do nothing in their setting, such as `solver.restart` with `method: cg`.
Aliases, anchors, tags and several documents are refused; the file is UTF-8 of at most 1 MiB.

**Paths** are relative to the folder of the case file; `~` is not expanded.

**Numbers** are written `[sign] digits [. digits] [e exponent]`: `1e5`, `1.e5`, `.5`, `5.` and `+3` are
numbers. Refused are leading zeros (`010`), `0x10`, `1_000`, `0,3`, `.nan`, `.inf`, and what does not fit a
double (`1e400`, `1e-400`). A whole number may be written in any form that is exact: `1000`, `1e3`.
`true` and `false` are the only truth values.

**Units.** Plain numbers are in SI. A number may carry a unit, which must have the dimension of the
key: `210 GPa`, `25 W/(m^2 K)`, `7.85 g/cm^3`, `12e-6 1/K`, `10 mm`, `30 %`. Known are m g s K A mol, N Pa J W
Hz V C ohm bar L with the prefixes n u m c d h k M G T, and t min h d rad deg degC degF in ft lb
lbf psi ksi. A power may stand right behind its unit: `210 N/mm2`. After a `/` a product needs parentheses. `20 degC` is 293.15 K; within a compound unit write K.

**Expressions.** Where the type is *field*, an expression in the coordinates x, y, z and the time t of transient analyses may stand:
`1e5*(1 - y/0.2)`, `if(x > 0.5, 10, 20)`. Expressions are in SI, coordinates in metres, angles in radians, and
carry no units. From weakest to strongest: `or`, `and`, `not`, comparisons, `+ -`, `* /`, sign, `^` (to the
right; `-x^2` is `-(x^2)`). Comparisons give 1 or 0. Constants: `pi`, `e`. Put an expression in quotes where YAML would cut it: at a
comma within `[ ]` and `{ }`, and at `#` and `: `. A value that is not finite ends the run with exit code 81.

**Tables.** Wherever an expression may stand, a table may: `conductivity: {table: [[293, 45], [600, 38]], of: T}`. Its pairs are a place,
ascending, and a value there, both with units if wanted (`[20 degC, 45]`); between them it is linear. `of` is `T` where the temperature may
stand, `t` where the time may, `x`, `y` or `z`. Beyond its ends a table is constant (`beyond: constant`, the default), or ends the run with exit code
81 (`beyond: error`). Within expressions it is a function: `1.2*table(t, 0, 0, 10, 1)`, `strict_table(T, 293, 45, 600, 38)`.

)";

constexpr const char* overrides =
    R"(**Overrides.** `--set key.path=value` changes a key from the command line before the check, with `value` in
YAML and places in lists counted from 0: `--set solver.precision=mixed`, `--set boundary.0.pressure='2 MPa'`,
`--set mesh.generate.box.cells=[38,38,39]`. One that is malformed gives exit code 64.

)";

std::string type_of(const OptionInfo& info) {
  switch (info.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
      return "whole number";
    case Kind::number:
      return "number";
    case Kind::text:
      return "text";
    case Kind::path:
      return "path";
    case Kind::word:
    case Kind::words: {
      std::string words;
      for (const std::string& word : info.words)
        words += (words.empty() ? "`" : ", `") + word + "`";
      if (words.empty()) words = "words";
      return (info.kind == Kind::words ? "list of " : "") + words;
    }
    case Kind::integers:
      return "list of whole numbers";
    case Kind::numbers:
      return "list of numbers";
    case Kind::texts:
      return "text or list";
    case Kind::field:
      if (info.max_count == 1) return "field";
      return std::string(info.zero_scalar ? "list of fields or 0" : "field or list of fields") +
             (info.nullable ? ", `~` for a free component" : "");
    case Kind::curve:
      return "list of pairs of numbers";
    case Kind::quantity:
      return "number";
    case Kind::tolerance:
      return "number or percentage";
    case Kind::factors:
      return "mapping";
    case Kind::mapping:
      return info.or_true ? "mapping or `true`" : "mapping";
    case Kind::list:
      return "list of mappings";
    case Kind::named:
      return "mapping of names to mappings";
    case Kind::anything:
      break;
  }
  return "";
}

/// Text for a cell of a table, where a bar has a meaning.
std::string cell(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string row(const std::string& path, const OptionInfo& info) {
  const std::string bounds = describe_bounds(info);
  const std::string fallback = info.required               ? "required"
                               : info.default_text.empty() ? ""
                                                           : "`" + info.default_text + "`";
  return "| `" + path + "` | " + type_of(info) + " | " + info.unit + " | " + bounds + " | " +
         fallback + " | " + cell(info.help) + " |\n";
}

constexpr const char* head =
    "| key | type | unit | range | default | meaning |\n|---|---|---|---|---|---|\n";

/// Rows of a mapping and of the mappings in it.
std::string rows(const OptionInfo& info, const std::string& path) {
  std::string text;
  for (const OptionInfo& entry : info.entries) {
    const std::string here = path.empty() ? entry.name : path + "." + entry.name;
    text += row(here, entry);
    const std::string below = entry.kind == Kind::list    ? here + "[]"
                              : entry.kind == Kind::named ? here + ".NAME"
                                                          : here;
    text += rows(entry, below);
  }
  return text;
}

const OptionInfo& entry_named(const OptionInfo& info, const std::string& name) {
  for (const OptionInfo& entry : info.entries)
    if (entry.name == name) return entry;
  throw Error(ExitCode::bug, "the case file has no key " + name);
}

bool has_entry(const OptionInfo& info, const std::string& name) {
  return std::any_of(info.entries.begin(), info.entries.end(),
                     [&](const OptionInfo& entry) { return entry.name == name; });
}

std::string targets_text(const physics::Targets& targets) {
  std::string text;
  for (const auto& [can, name] : {std::pair(targets.cells, "cells"),
                                  {targets.facets, "facets"},
                                  {targets.edges, "edges"},
                                  {targets.points, "points"}})
    if (can) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string physics_chapter(const physics::Description& physics) {
  const OptionInfo info = case_info(physics);
  std::string text = "## physics: " + physics.name + "\n\n" + physics.help +
                     " Unknown: " + physics.field + " [" + physics.field_unit +
                     "].\n\nIn two dimensions `model` is ";
  for (const std::string& model : physics.models_2d) text += "`" + model + "` ";
  text += "(the first is the default). ";
  for (const OptionInfo& key : entry_named(info, "analysis").entries)
    if (key.name == "type" || key.name == "scheme")
      text += "`analysis." + key.name + "` is one of " + type_of(key) + ". ";
  for (const char* key : {"damping", "coupling"})
    if (has_entry(entry_named(info, "analysis"), key))
      text += "It takes `analysis." + std::string(key) + "`. ";
  text.back() = '\n';
  text += "\n### Materials\n\n";
  text += std::string(head) + rows(entry_named(info, "materials"), "materials.NAME");
  text += "\n### Conditions\n\nEach entry of `boundary` is `{on: GROUP, CONDITION: value}`.\n\n";
  text +=
      "| condition | on groups of | type | unit | range | meaning |\n|---|---|---|---|---|---|\n";
  for (const physics::ConditionInfo& condition : physics.conditions) {
    const OptionInfo option = condition_info(condition);
    text += "| `" + condition.name + "` | " + targets_text(condition.targets) + " | " +
            type_of(option) + " | " + option.unit + " | " + describe_bounds(option) + " | " +
            condition.help + " |\n";
    for (const OptionInfo& parameter : option.entries)
      text += "| `" + condition.name + "." + parameter.name + "` | | " + type_of(parameter) +
              " | " + parameter.unit + " | " + describe_bounds(parameter) + " | " + parameter.help +
              (parameter.required ? " Required." : "") + " |\n";
  }
  text += "\n### Results\n\n| name | components | unit | meaning |\n|---|---|---|---|\n";
  for (const physics::ResultInfo& result : physics.results)
    text += "| `" + result.name + "` | " + std::to_string(result.components) + " | " + result.unit +
            " | " + result.help + " |\n";
  return text + "\n";
}

/// Adds the words and the keys that `other` has besides.
void merge(OptionInfo& info, const OptionInfo& other) {
  for (const std::string& word : other.words)
    if (std::find(info.words.begin(), info.words.end(), word) == info.words.end())
      info.words.push_back(word);
  for (const OptionInfo& entry : other.entries) {
    const auto known = std::find_if(info.entries.begin(), info.entries.end(),
                                    [&](const OptionInfo& key) { return key.name == entry.name; });
    if (known == info.entries.end())
      info.entries.push_back(entry);
    else
      merge(*known, entry);
  }
}

/// The keys of every physics; the chapters say which words and fields belong to which.
std::string common_chapter() {
  OptionInfo info = case_info(physics::descriptions().front());
  for (OptionInfo& entry : info.entries)
    if (entry.name == "analysis" || entry.name == "initial" || entry.name == "exact")
      for (const physics::Description& physics : physics::descriptions())
        merge(entry, entry_named(case_info(physics), entry.name));
  const OptionInfo model = problem_table(nullptr).infos()[1];
  for (OptionInfo& entry : info.entries) {
    const bool in_chapters = entry.name == "materials" || entry.name == "boundary";
    if (in_chapters) entry.entries.clear();
    if (entry.name == "model") entry = model;
    if (entry.name == "cases") entry.entries[1].entries.clear();
    const bool results = entry.name == "output" || entry.name == "expect";
    if (!results) continue;
    const auto refer = [](OptionInfo& word) {
      if (word.kind != Kind::word && word.kind != Kind::words) return;
      if (word.kind == Kind::word) word.kind = Kind::text;
      word.words.clear();
      word.help += " A result of the physics.";
      word.default_text.clear();
    };
    for (OptionInfo& key : entry.entries) {
      refer(key);
      for (OptionInfo& deeper : key.entries) refer(deeper);
    }
  }
  return "## All keys\n\n" + std::string(head) + rows(info, "") + "\n";
}

std::string functions_chapter() {
  std::string text = "## Functions of expressions\n\n| name | meaning |\n|---|---|\n";
  for (const ExpressionName& function : expression_functions())
    text += "| `" + function.name + "` | " + function.help + " |\n";
  return text;
}

}  // namespace

std::string case_reference() {
  std::string text = std::string(opening) + overrides + common_chapter();
  for (const physics::Description& physics : physics::descriptions())
    text += physics_chapter(physics);
  return text + functions_chapter();
}

}  // namespace trestle::io

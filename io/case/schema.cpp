// The JSON schema of the case file (draft 7), from the tables of the reader.
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/case/case.hpp"
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

using Json = nlohmann::ordered_json;
using Kind = OptionKind;

/// A number with a unit, or one that an editor takes for a text (1e-8 in YAML 1.1).
Json quantity_text() {
  return {
      {"type", "string"},
      {"pattern", R"(^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?( *[A-Za-z%°µ1(].*)?$)"}};
}

Json bounded(const OptionInfo& info, const char* type) {
  Json number{{"type", type}};
  if (std::isfinite(info.lower))
    number[info.lower_open ? "exclusiveMinimum" : "minimum"] = info.lower;
  if (std::isfinite(info.upper))
    number[info.upper_open ? "exclusiveMaximum" : "maximum"] = info.upper;
  return number;
}

Json number_schema(const OptionInfo& info) {
  return {{"anyOf", {bounded(info, "number"), quantity_text()}}};
}

Json list_schema(const OptionInfo& info, const Json& items) {
  Json list{{"type", "array"}, {"items", items}};
  if (info.min_count > 0) list["minItems"] = info.min_count;
  if (info.max_count < 1000) list["maxItems"] = info.max_count;
  return list;
}

Json table_schema(const OptionInfo& info) {
  const Json pair{{"type", "array"},
                  {"items", {{"anyOf", {{{"type", "number"}}, quantity_text()}}}},
                  {"minItems", 2},
                  {"maxItems", 2}};
  Json of = Json::array({"x", "y", "z"});
  if (info.of_time) of.push_back("t");
  if (info.of_temperature) of.push_back("T");
  return {{"type", "object"},
          {"properties",
           {{"table", {{"type", "array"}, {"items", pair}, {"minItems", 2}}},
            {"of", {{"enum", of}}},
            {"beyond", {{"enum", {"constant", "error"}}}}}},
          {"required", {"table", "of"}},
          {"additionalProperties", false}};
}

Json field_schema(const OptionInfo& info) {
  const Json text{{"type", "string"}};
  Json scalar = {{"anyOf", {bounded(info, "number"), text, table_schema(info)}}};
  if (info.max_count == 1) return scalar;
  Json component = scalar;
  if (info.nullable) component["anyOf"].push_back({{"type", "null"}});
  const Json list{
      {"type", "array"}, {"items", component}, {"minItems", 2}, {"maxItems", info.max_count}};
  if (info.zero_scalar) return {{"anyOf", {{{"const", 0}}, list}}};
  scalar["anyOf"].push_back(list);
  return scalar;
}

Json curve_schema(const OptionInfo& info) {
  const Json pair{
      {"type", "array"}, {"items", number_schema(info)}, {"minItems", 2}, {"maxItems", 2}};
  return {{"type", "array"}, {"items", pair}, {"minItems", 1}};
}

Json option_schema(const OptionInfo& info);

Json mapping_schema(const OptionInfo& info) {
  Json properties = Json::object(), required = Json::array(), choices = Json::array();
  for (const OptionInfo& entry : info.entries) {
    properties[entry.name] = option_schema(entry);
    if (entry.required)
      required.push_back(entry.name);
    else
      choices.push_back({{"required", {entry.name}}});
  }
  Json mapping{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) mapping["required"] = required;
  if (info.one_of) mapping["oneOf"] = choices;
  if (info.or_true) return {{"anyOf", {{{"const", true}}, mapping}}};
  return mapping;
}

Json list_of_mappings(const OptionInfo& info) {
  const Json list{{"type", "array"}, {"items", mapping_schema(info)}};
  if (info.name != "combine") return list;
  return {{"anyOf", {list, {{"type", "object"}}}}};  // its short form has free names
}

Json shape(const OptionInfo& info) {
  OptionInfo one = info;
  const Json word{{"enum", info.words}}, text{{"type", "string"}};
  switch (info.kind) {
    case Kind::boolean:
      return {{"type", "boolean"}};
    case Kind::integer:
      return bounded(info, "integer");
    case Kind::number:
      return number_schema(info);
    case Kind::text:
      return {{"type", {"string", "number"}}};
    case Kind::path:
      return text;
    case Kind::word:
      return word;
    case Kind::integers:
      return list_schema(info, bounded(info, "integer"));
    case Kind::numbers:
      return list_schema(info, number_schema(info));
    case Kind::texts:
      return {{"anyOf", {text, list_schema(info, text)}}};
    case Kind::words:
      return list_schema(info, word);
    case Kind::field:
      return field_schema(info);
    case Kind::curve:
      return curve_schema(info);
    case Kind::quantity:
    case Kind::tolerance:
      return {{"type", {"number", "string"}}};
    case Kind::factors:
      return {{"type", "object"}, {"additionalProperties", {{"type", {"number", "string"}}}}};
    case Kind::mapping:
      return mapping_schema(info);
    case Kind::list:
      return list_of_mappings(info);
    case Kind::named:
      return {
          {"type", "object"}, {"minProperties", 1}, {"additionalProperties", mapping_schema(info)}};
    case Kind::anything:
      break;
  }
  return Json::object();
}

Json option_schema(const OptionInfo& info) {
  Json schema{{"description", info.help + (info.unit.empty() ? "" : " [" + info.unit + "]")}};
  if (!info.default_text.empty())
    schema["description"] =
        schema["description"].get<std::string>() + " Default: " + info.default_text + ".";
  schema.update(shape(info));
  return schema;
}

}  // namespace

std::string case_schema() {
  // One branch for each physics; an editor shows the words of the one that the case names.
  Json branches = Json::array();
  Json names = Json::array();
  for (const physics::Description& physics : physics::descriptions()) {
    Json branch = mapping_schema(case_info(physics));
    branch["properties"]["physics"] = {{"const", physics.name}};
    branches.push_back(
        {{"if", {{"properties", {{"physics", {{"const", physics.name}}}}}}}, {"then", branch}});
    names.push_back(physics.name);
  }
  const Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                    {"title", "Trestle case file"},
                    {"type", "object"},
                    {"required", {"physics"}},
                    {"properties", {{"physics", {{"enum", names}}}}},
                    {"allOf", branches}};
  return schema.dump(1);
}

}  // namespace trestle::io

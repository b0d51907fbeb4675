// Finds temperatures without a unit, which are in K, that were most likely meant in degC.
#include "core/number.hpp"
#include "io/case/options.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

using Kind = OptionKind;

/// Walks the values of a case and the tree of its keys side by side.
class ColdTemperatures {
 public:
  void look(const YamlNode& node, const OptionInfo& info, const std::string& path) {
    const bool is_table = node.is_mapping() && node.find("table") != nullptr;
    if (info.kind == Kind::field && is_table)
      look_at_table(node, info, path);
    else if (info.kind == Kind::field || info.kind == Kind::number)
      look_at_values(node, info, path);
    else
      look_below(node, info, path);
  }
  const std::string& places() const { return places_; }

 private:
  void look_below(const YamlNode& node, const OptionInfo& info, const std::string& path) {
    OptionInfo entry = info;
    entry.kind = Kind::mapping;
    for (const YamlNode& item : node.items) look(item, entry, "");
    for (const YamlEntry& below : node.entries) {
      const std::string here = path.empty() ? below.key : path + "." + below.key;
      if (info.kind == Kind::named) look(below.value, entry, here);
      for (const OptionInfo& known : info.entries)
        if (info.kind == Kind::mapping && known.name == below.key) look(below.value, known, here);
    }
  }

  void look_at_values(const YamlNode& node, const OptionInfo& info, const std::string& path) {
    if (info.unit != "K") return;
    look_at(node, path);
    for (const YamlNode& item : node.items) look_at(item, path);
  }

  /// The first one of a table, where what it is of, or its value, is a temperature.
  void look_at_table(const YamlNode& node, const OptionInfo& info, const std::string& path) {
    const YamlNode* of = node.find("of");
    const bool of_temperature = of != nullptr && of->text == "T";
    for (const YamlNode& pair : node.find("table")->items)
      if (pair.items.size() == 2 && ((of_temperature && look_at(pair.items[0], path)) ||
                                     (info.unit == "K" && look_at(pair.items[1], path))))
        return;
  }

  /// Below 200 K few models work. 0 and 1 are those of model problems without units.
  bool look_at(const YamlNode& node, const std::string& path) {
    constexpr double coldest = 200;
    const ParsedNumber number = parse_number(node.is_scalar() ? node.text : "");
    if (!number.ok() || number.value >= coldest || number.value == 0 || number.value == 1)
      return false;
    places_ += (places_.empty() ? "" : "; ") + to_string(node.where()) + ": " + path + " " +
               format_number(number.value) + " K";
    return true;
  }

  std::string places_;
};

}  // namespace

std::vector<std::string> cold_temperatures(const YamlNode& root,
                                           const physics::Description& physics) {
  ColdTemperatures cold;
  for (const OptionInfo& section : case_info(physics).entries)
    for (const char* name : {"materials", "initial", "boundary", "cases"})
      if (const YamlNode* node = root.find(name); node != nullptr && section.name == name)
        cold.look(*node, section, section.kind == Kind::named ? name : "");
  if (cold.places().empty()) return {};
  return {cold.places() + ": temperatures without a unit are in K; was degC meant, as in 20 degC?"};
}

}  // namespace trestle::io

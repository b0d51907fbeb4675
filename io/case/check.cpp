// The strict check of a case: every key known, every required one there, every value right.
#include "core/number.hpp"
#include "io/case/options.hpp"
#include "io/case/yaml_problem.hpp"

namespace trestle::io {
namespace {

using Kind = OptionKind;

/// Walks tree and tables side by side.
class Checker {
 public:
  Checker(const OptionInfo& root, Faults& faults) : root_(root), faults_(faults) {}

  void check(const YamlNode& node, const OptionInfo& info, const std::string& path) {
    if (faults_.full()) return;
    switch (info.kind) {
      case Kind::mapping:
        return check_mapping(node, info, path);
      case Kind::list:
        return check_list(node, info, path);
      case Kind::named:
        return check_named(node, info, path);
      case Kind::field:
        read_field(node, info, path, &faults_);
        return;
      default:
        read_option(node, info, path, &faults_);
    }
  }

 private:
  static std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }
  static std::string prefix(const std::string& path) { return path.empty() ? "" : path + ": "; }

  void check_mapping(const YamlNode& node, const OptionInfo& info, const std::string& path) {
    if (info.or_true && node.is_scalar() && !node.quoted && node.text == "true") return;
    if (!node.is_mapping()) {
      const std::string better = with_blank_behind_colon(node.is_scalar() ? node.text : "");
      faults_.add(node.where(),
                  prefix(path) + "expected a mapping (key: value)" +
                      (info.or_true ? " or true" : "") + ", got " + describe(node) +
                      (better.empty() ? "" : ": write " + in_quotes(better) + ", with a blank"));
      return;
    }
    bool all_known = true;
    std::vector<std::string> chosen;
    for (const YamlEntry& entry : node.entries) {
      if (faults_.full()) return;
      const OptionInfo* known = find(info, entry.key);
      if (known == nullptr) {
        all_known = false;
        report_unknown(node, entry, info, path);
      } else {
        if (!known->required) chosen.push_back(entry.key);
        check(entry.value, *known, below(path, entry.key));
      }
    }
    for (const OptionInfo& entry : info.entries)
      if (entry.required && node.find(entry.name) == nullptr)
        faults_.add(node.where(),
                    "the key " + below(path, entry.name) + " is missing: " + entry.help);
    if (info.one_of && all_known) check_one_of(node, info, path, chosen);
  }

  void check_one_of(const YamlNode& node, const OptionInfo& info, const std::string& path,
                    const std::vector<std::string>& chosen) {
    if (chosen.size() == 1) return;
    std::string names;
    for (const OptionInfo& entry : info.entries)
      if (!entry.required) names += (names.empty() ? "" : ", ") + entry.name;
    faults_.add(node.where(),
                prefix(path) + (chosen.empty() ? "one of these keys is missing: " + names
                                               : "has both " + chosen[0] + " and " + chosen[1] +
                                                     ": write an entry for each"));
  }

  void check_list(const YamlNode& node, const OptionInfo& info, const std::string& path) {
    if (!node.is_list()) {
      faults_.add(node.where(), prefix(path) + "expected a list (- entry), got " + describe(node));
      return;
    }
    OptionInfo entry = info;
    entry.kind = Kind::mapping;
    for (std::size_t i = 0; i < node.items.size(); ++i)
      check_mapping(node.items[i], entry, path + "." + std::to_string(i));
  }

  void check_named(const YamlNode& node, const OptionInfo& info, const std::string& path) {
    if (!node.is_mapping() || node.entries.empty()) {
      faults_.add(node.where(), prefix(path) + "expected a mapping from names to entries, got " +
                                    (node.is_mapping() ? "an empty one" : describe(node)));
      return;
    }
    OptionInfo entry = info;
    entry.kind = Kind::mapping;
    for (const YamlEntry& named : node.entries)
      check_mapping(named.value, entry, below(path, named.key));
  }

  static const OptionInfo* find(const OptionInfo& info, const std::string& key) {
    for (const OptionInfo& entry : info.entries)
      if (entry.name == key) return &entry;
    return nullptr;
  }

  /// The path of a mapping that knows `key`, or "".
  static std::string home_of(const std::string& key, const OptionInfo& info,
                             const std::string& path) {
    for (const OptionInfo& entry : info.entries) {
      const std::string here = below(path, entry.name);
      if (!entry.entries.empty() && find(entry, key) != nullptr) return here;
      const std::string home = home_of(key, entry, here);
      if (!home.empty()) return home;
    }
    return "";
  }

  /// What a key without a value is when it only came to be by a slip of the pen within { }; "" when
  /// it is none.
  static std::string slip(const YamlNode& node, const YamlEntry& entry) {
    if (!entry.value.is_null() || entry.value.line == 0) return "";
    const auto* before = &entry == node.entries.data() ? nullptr : &entry - 1;
    if (before != nullptr)
      if (const std::string number = split_at_comma(before->value, entry.key, entry.where());
          !number.empty())
        return "the decimal separator is a point: write " + number;
    if (const std::string better = with_blank_behind_colon(entry.key); !better.empty())
      return "a blank is missing behind the colon: write " + in_quotes(better);
    if (entry.key.find_first_of(" =") == std::string::npos) return "";
    return "a colon is missing in " + in_quotes(entry.key) + ": write \"key: value\"";
  }

  void report_unknown(const YamlNode& node, const YamlEntry& entry, const OptionInfo& info,
                      const std::string& path) {
    if (const std::string what = slip(node, entry); !what.empty())
      return faults_.add(entry.where(), prefix(path) + what);
    std::vector<std::string> names;
    for (const OptionInfo& known : info.entries) names.push_back(known.name);
    std::string hint = suggestion(entry.key, names);
    if (entry.key == "<<") hint = ": merge keys are refused, write the keys out";
    const std::string home = home_of(entry.key, root_, "");
    const OptionInfo* boundary = find(root_, "boundary");
    if (path.starts_with("cases.") && boundary != nullptr && find(*boundary, entry.key) != nullptr)
      hint =
          ": prescribed values are the same in every load case, so that one matrix serves them "
          "all; "
          "move this entry to the top-level boundary";
    else if (!hint.starts_with(", did you") && !home.empty())
      hint = "; it belongs to " + home + (path.empty() ? "" : hint);
    if (!hint.starts_with(", did you") && find(root_, entry.key) != nullptr)
      hint = "; it belongs to the top level";
    faults_.add(entry.where(), prefix(path) + "unknown key " + in_quotes(entry.key) + hint);
  }

  const OptionInfo& root_;
  Faults& faults_;
};

}  // namespace

void check_options(const YamlNode& node, const OptionInfo& root, Faults& faults) {
  Checker(root, faults).check(node, root, "");
}

}  // namespace trestle::io

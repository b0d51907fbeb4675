// The section `checkpoint` of a case.
#include "core/number.hpp"
#include "core/units.hpp"
#include "io/case/options.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

using Rule = CheckpointOptions::Rule;

/// The number in "20 steps"; nothing where the text is of another form.
std::optional<std::string> number_of_steps(const std::string& text) {
  for (const char* word : {" steps", " step"})
    if (text.ends_with(word)) return text.substr(0, text.size() - std::string(word).size());
  return std::nullopt;
}

/// What `every` says, into `options`; what is wrong with it, or "".
std::string read_rule(CheckpointOptions& options) {
  if (options.every == "auto") return "";
  if (options.every == "never") {
    options.rule = Rule::never;
    return "";
  }
  if (const auto number = number_of_steps(options.every)) {
    options.rule = Rule::steps;
    const ParsedInteger steps = parse_integer(*number);
    options.steps = steps.value;
    return !steps.ok() ? steps.fault : steps.value < 1 ? "must be 1 step or more" : "";
  }
  options.rule = Rule::time;
  const ParsedNumber time = parse_quantity(options.every, "s");
  options.seconds = time.value;
  if (!time.ok()) return "is neither auto, never, a time such as 10 min, nor 20 steps";
  return time.value > 0 ? "" : "must be a time above 0";
}

}  // namespace

void flatten_checkpoint_rule(YamlNode& root) {
  YamlNode* section = root.find("checkpoint");
  YamlNode* every = section != nullptr ? section->find("every") : nullptr;
  if (every == nullptr || !every->is_mapping() || every->entries.size() != 1) return;
  const YamlEntry entry = every->entries.front();
  if (!entry.value.is_scalar() || (entry.key != "steps" && entry.key != "time")) return;
  every->kind = YamlNode::Kind::scalar;
  every->text = entry.value.text + (entry.key == "steps" ? " steps" : "");
  every->entries.clear();
}

void read_checkpoint(const YamlNode& root, Case& c, Faults& faults) {
  const YamlNode* section = root.find("checkpoint");
  if (section == nullptr || !section->is_mapping()) return;
  fill_options(*section, checkpoint_table(), c.checkpoint);
  const YamlNode* every = section->find("every");
  if (every == nullptr || !every->is_scalar() || every->text.empty()) return;
  if (const std::string fault = read_rule(c.checkpoint); !fault.empty())
    faults.add(every->where(), "checkpoint.every: " + in_quotes(every->text) + " " + fault);
}

}  // namespace trestle::io

// The resolved copy of a case: YAML with every default filled in, which reads back to the same
// case.
#include <algorithm>
#include <filesystem>

#include "core/number.hpp"
#include "io/case/idle_keys.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"
#include "physics/models/darcy.hpp"
#include "physics/models/elasticity.hpp"
#include "physics/models/thermoelasticity.hpp"

namespace trestle::io {
namespace {

using physics::Description;

/// Lines of YAML at a depth of indentation.
class Writer {
 public:
  void open(const std::string& key) {
    line(key + ":");
    ++depth_;
  }
  void close() { --depth_; }
  void pair(const std::string& key, const std::string& value) {
    if (!value.empty()) line(key + ": " + value);
  }
  /// The next line begins an entry of a list.
  void begin_item() {
    dash_ = true;
    ++depth_;
  }
  void end_item() { --depth_; }
  const std::string& text() const { return text_; }

  template <class Options>
  void table(const OptionTable<Options>& table, const Options& options,
             const std::vector<std::string>& without = {}) {
    for (const Option<Options>& option : table.options())
      if (std::find(without.begin(), without.end(), option.info.name) == without.end())
        pair(option.info.name, format_option(option.get(options)));
  }

 private:
  void line(const std::string& content) {
    const int blanks = 2 * depth_ - (dash_ ? 2 : 0);
    text_ +=
        std::string(static_cast<std::size_t>(blanks), ' ') + (dash_ ? "- " : "") + content + "\n";
    dash_ = false;
  }

  std::string text_;
  int depth_ = 0;
  bool dash_ = false;
};

std::string component_text(const std::optional<fem::Expression>& component) {
  if (!component) return "~";
  if (component->is_number()) return format_number(component->number());
  return yaml_text(component->text());
}

std::string value_text(const physics::Value& value) {
  if (value.components.size() == 1) return component_text(value.components[0]);
  std::string text = "[";
  for (const auto& component : value.components)
    text += (text.size() > 1 ? ", " : "") + component_text(component);
  return text + "]";
}

std::string curve_text(const physics::Curve& curve) {
  std::string text = "[";
  for (const auto& [at, value] : curve.points)
    text += (text.size() > 1 ? ", [" : "[") + format_number(at) + ", " + format_number(value) + "]";
  return text + "]";
}

std::string groups_text(const std::vector<physics::GroupRef>& groups) {
  std::vector<std::string> names;
  for (const physics::GroupRef& group : groups) names.push_back(group.name);
  return groups.empty() ? "" : format_option(names);
}

void write_conditions(Writer& out, const std::vector<physics::Condition>& conditions) {
  for (const physics::Condition& condition : conditions) {
    out.begin_item();
    out.pair("on", groups_text(condition.on));
    const auto plain = condition.parameters.find("value");
    if (plain != condition.parameters.end()) {
      out.pair(condition.type, value_text(plain->second));
    } else if (condition.parameters.empty()) {
      out.pair(condition.type, "true");
    } else {
      out.open(condition.type);
      for (const auto& [name, value] : condition.parameters) out.pair(name, value_text(value));
      out.close();
    }
    out.end_item();
  }
}

void write_mesh(Writer& out, MeshOptions mesh, const std::string& working_directory) {
  out.open("mesh");
  if (mesh.box) {
    out.table(mesh_table(), mesh, {"file", "scale", "merge_tolerance"});
    out.open("generate");
    out.open("box");
    const bool flat = mesh::traits(mesh.box->cell).dim == 2;
    for (const auto& option : box_table().options()) {
      OptionValue value = option.get(*mesh.box);
      if (flat) {
        if (auto* numbers = std::get_if<std::vector<double>>(&value)) numbers->resize(2);
        if (auto* counts = std::get_if<std::vector<std::int64_t>>(&value)) counts->resize(2);
      }
      out.pair(option.info.name, format_option(value));
    }
    out.close();
    out.close();
  } else {
    mesh.file = (std::filesystem::path(working_directory) / mesh.file).lexically_normal().string();
    out.table(mesh_table(), mesh);
  }
  out.close();
}

void write_analysis(Writer& out, const physics::AnalysisOptions& analysis,
                    const Description& physics, const std::vector<IdleKey>& idle) {
  using physics::AnalysisType;
  out.open("analysis");
  std::vector<std::string> foreign = idle_in(idle, "analysis");
  const bool newton = std::find(foreign.begin(), foreign.end(), "newton") == foreign.end();
  const bool transient = analysis.type == AnalysisType::transient;
  if (analysis.type != AnalysisType::static_) foreign.push_back("load_steps");
  if (analysis.type != AnalysisType::modal) foreign.push_back("eigensolver");
  if (!transient)
    foreign.insert(foreign.end(), {"end", "step", "scheme", "tolerance", "smallest_step",
                                   "largest_step", "spectral_radius"});
  else if (analysis.tolerance == 0)
    foreign.insert(foreign.end(), {"smallest_step", "largest_step"});
  if (analysis.points > 0 || analysis.type != AnalysisType::harmonic)
    foreign.push_back("frequencies");                              // they follow
  if (transient && analysis.step == 0) foreign.push_back("step");  // it is found
  if (transient && analysis.scheme != physics::TimeScheme::generalized_alpha)
    foreign.push_back("spectral_radius");
  out.table(analysis_table(&physics), analysis, foreign);
  if (transient && physics.name == physics::thermoelasticity().name)
    out.table(coupling_table(), analysis);
  if (analysis.damping.mass + analysis.damping.stiffness + analysis.damping.loss_factor > 0) {
    out.open("damping");
    out.table(damping_table(), analysis.damping);
    out.close();
  }
  if (newton) {
    out.open("newton");
    out.table(newton_table(), analysis.newton);
    out.close();
  }
  out.close();
}

void write_problem(Writer& out, const physics::Problem& problem) {
  out.open("materials");
  for (const physics::Material& material : problem.materials) {
    out.open(yaml_text(material.name));
    out.pair("on", groups_text(material.on));
    for (const auto& [name, word] : material.words) out.pair(name, word);
    for (const auto& [name, value] : material.parameters) out.pair(name, value_text(value));
    for (const auto& [name, curve] : material.curves) out.pair(name, curve_text(curve));
    out.close();
  }
  out.close();
  if (!problem.initial.empty()) {
    out.open("initial");
    write_conditions(out, problem.initial);
    out.close();
  }
  if (!problem.conditions.empty()) {
    out.open("boundary");
    write_conditions(out, problem.conditions);
    out.close();
  }
}

void write_near_null(Writer& out, const physics::NearNull& near_null) {
  if (near_null.fields.empty()) return;
  out.open("near_null");
  out.pair("replace", near_null.replace ? "true" : "false");
  out.open("fields");
  for (const physics::Value& field : near_null.fields) {
    out.begin_item();
    out.pair("field", value_text(field));
    out.end_item();
  }
  out.close();
  out.close();
}

void write_cases(Writer& out, const physics::Problem& problem) {
  if (problem.cases.empty()) return;
  out.open("cases");
  for (const physics::LoadCase& load_case : problem.cases) {
    out.begin_item();
    out.pair("name", yaml_text(load_case.name));
    if (load_case.conditions.empty()) {
      out.pair("boundary", "[]");
    } else {
      out.open("boundary");
      write_conditions(out, load_case.conditions);
      out.close();
    }
    out.end_item();
  }
  out.close();
  if (problem.combinations.empty()) return;
  out.open("combine");
  for (const physics::Combination& combination : problem.combinations) {
    out.begin_item();
    out.pair("name", yaml_text(combination.name));
    out.open("of");
    for (const auto& [name, factor] : combination.factors)
      out.pair(yaml_text(name), format_number(factor));
    out.close();
    out.end_item();
  }
  out.close();
}

void write_output(Writer& out, OutputOptions output, const Description& physics,
                  const std::string& working_directory) {
  out.open("output");
  if (!output.directory.empty())
    output.directory =
        (std::filesystem::path(working_directory) / output.directory).lexically_normal().string();
  std::vector<std::string> without{"fields"};
  if (output.every == 0) without.push_back("every");
  out.table(output_table(&physics), output, without);
  out.pair("fields", format_option(output.fields));
  if (!output.probes.empty()) out.open("probes");
  for (const Probe& probe : output.probes) {
    out.begin_item();
    out.table(probe_table(), probe);
    out.end_item();
  }
  if (!output.probes.empty()) out.close();
  if (!output.integrals.empty()) out.open("integrals");
  for (const Integral& integral : output.integrals) {
    out.begin_item();
    out.pair("name", yaml_text(integral.name));
    out.pair("of", integral.of);
    if (!integral.on.name.empty()) out.pair("on", yaml_text(integral.on.name));
    out.end_item();
  }
  if (!output.integrals.empty()) out.close();
  out.close();
}

void write_expectations(Writer& out, const std::vector<Expectation>& all) {
  if (all.empty()) return;
  out.open("expect");
  for (const Expectation& expectation : all) {
    out.begin_item();
    if (expectation.kind != "mode") out.pair(expectation.kind, yaml_text(expectation.name));
    // Its load case follows from the mode, or from the frequency.
    const bool modal = expectation.mode > 0 || expectation.frequency;
    out.table(expectation_table(), expectation,
              modal ? std::vector<std::string>{"case"} : std::vector<std::string>{});
    out.pair("value", format_number(expectation.value));
    out.pair("tolerance", format_number(expectation.tolerance));
    out.end_item();
  }
  out.close();
}

}  // namespace

std::string resolved_case(const Case& c, const Description& physics,
                          const std::string& working_directory) {
  Writer out;
  const std::vector<IdleKey> idle = idle_keys(c);
  if (!c.title.empty()) out.pair("title", yaml_text(c.title));
  std::vector<std::string> foreign;
  if (c.problem.model == "axisymmetric") foreign.push_back("thickness");
  if (physics.name != physics::elasticity().name) foreign.push_back("formulation");
  if (physics.name != physics::darcy().name) foreign.push_back("gravity");
  out.table(problem_table(&physics), c.problem, foreign);
  write_mesh(out, c.mesh, working_directory);
  write_analysis(out, c.problem.analysis, physics, idle);
  write_problem(out, c.problem);
  write_cases(out, c.problem);
  out.open("solver");
  out.table(solver_table(), c.solver, idle_in(idle, "solver"));
  out.table(run_table(), c.run);
  write_near_null(out, c.problem.near_null);
  out.close();
  out.open("stop");
  out.table(stop_table(), c.stop);
  out.close();
  out.open("watchdog");
  out.table(watchdog_table(), c.watchdog);
  out.close();
  write_output(out, c.output, physics, working_directory);
  if (const auto without = idle_in(idle, "checkpoint"); without.size() < 3) {
    out.open("checkpoint");
    out.table(checkpoint_table(), c.checkpoint, without);
    out.close();
  }
  write_expectations(out, c.expect);
  if (c.exact) {
    out.open("exact");
    out.pair(c.exact_field, value_text(*c.exact));
    out.close();
  }
  return out.text();
}

}  // namespace trestle::io

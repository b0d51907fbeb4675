// The tables of what a case is: mesh, problem, outputs and expectations.
#include "io/case/tables.hpp"

#include <algorithm>

namespace trestle::io {
namespace {

using Kind = OptionKind;

std::vector<std::pair<std::string, mesh::CellType>> cell_words() {
  std::vector<std::pair<std::string, mesh::CellType>> words;
  for (int i = 0; i < mesh::n_cell_types; ++i) {
    const mesh::CellTraits& cell = mesh::traits(static_cast<mesh::CellType>(i));
    if (cell.dim >= 2) words.emplace_back(std::string(cell.name), cell.type);
  }
  return words;
}

Option<mesh::BoxOptions> cells_option() {
  return {{.name = "cells",
           .kind = Kind::integers,
           .help = "Number of bricks along x, y (and z).",
           .required = true,
           .lower = 1,
           .upper = 2147483647,
           .min_count = 2,
           .max_count = 3},
          [](mesh::BoxOptions& box, const OptionValue& value) {
            const auto& given = std::get<std::vector<std::int64_t>>(value);
            for (std::size_t i = 0; i < given.size(); ++i) box.cells[i] = narrow<Index>(given[i]);
          },
          [](const mesh::BoxOptions& box) -> OptionValue {
            return std::vector<std::int64_t>(box.cells.begin(), box.cells.end());
          }};
}

Option<physics::Problem> model_option(const physics::Description* physics) {
  OptionInfo info{.name = "model",
                  .kind = Kind::word,
                  .help =
                      "What a two-dimensional mesh stands for; the first word is the default "
                      "there. Not for three dimensions."};
  for (const physics::Description& known : physics::descriptions())
    if (physics == nullptr || physics == &known)
      for (const std::string& word : known.models_2d)
        if (std::find(info.words.begin(), info.words.end(), word) == info.words.end())
          info.words.push_back(word);
  return {std::move(info),
          [](physics::Problem& p, const OptionValue& v) { p.model = std::get<std::string>(v); },
          [](const physics::Problem& p) -> OptionValue {
            if (!p.model) return std::monostate{};
            return *p.model;
          }};
}

}  // namespace

std::vector<std::string> result_words(const physics::Description* physics) {
  std::vector<std::string> words;
  for (const physics::Description& known : physics::descriptions())
    if (physics == nullptr || physics == &known)
      for (const physics::ResultInfo& result : known.results)
        if (std::find(words.begin(), words.end(), result.name) == words.end())
          words.push_back(result.name);
  return words;
}

OptionInfo text_info(std::string name, std::string help, bool required) {
  return {
      .name = std::move(name), .kind = Kind::text, .help = std::move(help), .required = required};
}

const OptionTable<MeshOptions>& mesh_table() {
  static const OptionTable<MeshOptions> table{
      option(
          OptionInfo{
              .name = "file",
              .kind = Kind::path,
              .help = "Mesh file (Gmsh .msh, CalculiX or Abaqus .inp, own HDF5), relative to the "
                      "folder of the case file."},
          &MeshOptions::file),
      option(OptionInfo{.name = "scale",
                        .kind = Kind::number,
                        .help = "Length of one unit of the mesh file; `1e-3` or `1 mm` for a mesh "
                                "in millimetres.",
                        .unit = "m",
                        .lower = 0,
                        .lower_open = true},
             &MeshOptions::scale),
      option(OptionInfo{.name = "merge_tolerance",
                        .kind = Kind::number,
                        .help = "Nodes closer than this times the size of the mesh become one; 0 "
                                "merges none.",
                        .lower = 0,
                        .upper = 0.01},
             &MeshOptions::merge_tolerance),
      int_option(OptionInfo{.name = "order",
                            .help = "1 drops the mid nodes of quadratic cells, 2 adds them to "
                                    "linear cells; without it the mesh stays as it is.",
                            .lower = 1,
                            .upper = 2},
                 &MeshOptions::order, 0),
      word_option(OptionInfo{.name = "partitioner", .help = "How cells are shared among ranks."},
                  &MeshOptions::partitioner,
                  {{"auto", mesh::Partitioner::automatic},
                   {"scotch", mesh::Partitioner::scotch},
                   {"hilbert", mesh::Partitioner::hilbert}}),
  };
  return table;
}

const OptionTable<mesh::BoxOptions>& box_table() {
  static const OptionTable<mesh::BoxOptions> table{
      triple_option(OptionInfo{.name = "size",
                               .help = "Length of the box along x, y (and z).",
                               .required = true,
                               .unit = "m",
                               .lower = 0,
                               .lower_open = true},
                    &mesh::BoxOptions::size),
      triple_option(OptionInfo{.name = "origin", .help = "Lowest corner.", .unit = "m"},
                    &mesh::BoxOptions::origin),
      cells_option(),
      word_option(OptionInfo{.name = "cell",
                             .help = "Type of the cells; where `size` has two values the default "
                                     "is `quad4`."},
                  &mesh::BoxOptions::cell, cell_words()),
  };
  return table;
}

const OptionTable<Probe>& probe_table() {
  static const OptionTable<Probe> table{
      option(text_info("name", "Name of the probe.", true), &Probe::name),
      triple_option(
          OptionInfo{.name = "at", .help = "Where: x, y (and z).", .required = true, .unit = "m"},
          &Probe::at),
      option(text_info("of", "The result that is taken.", true), &Probe::of),
  };
  return table;
}

const OptionTable<Expectation>& expectation_table() {
  static const OptionTable<Expectation> table{
      option(
          text_info("component",
                    "x y z of vectors, xx yy zz xy yz xz of tensors, 1 2 3 of principal values."),
          &Expectation::component),
      option(text_info("case", "The load case or combination, where there are several."),
             &Expectation::load_case),
      int_option(OptionInfo{.name = "mode",
                            .help = "Of a modal analysis: the number of a mode. Alone it stands "
                                    "for the frequency of the mode.",
                            .lower = 1},
                 &Expectation::mode, 0),
      Option<Expectation>{
          {.name = "time",
           .kind = Kind::number,
           .help = "Of a transient analysis: a time, at which a step then ends and results are "
                   "written, also where output does not ask for them; without it the end. Of load "
                   "steps: a part of the load, up to 1, in the same way.",
           .unit = "s",
           .lower = 0},
          [](Expectation& e, const OptionValue& value) { e.time = std::get<double>(value); },
          [](const Expectation& e) -> OptionValue {
            if (!e.time) return std::monostate{};
            return *e.time;
          }},
      Option<Expectation>{
          {.name = "frequency",
           .kind = Kind::number,
           .help = "Of a harmonic analysis: one of its frequencies.",
           .unit = "Hz",
           .lower = 0},
          [](Expectation& e, const OptionValue& value) { e.frequency = std::get<double>(value); },
          [](const Expectation& e) -> OptionValue {
            if (!e.frequency) return std::monostate{};
            return *e.frequency;
          }},
  };
  return table;
}

OptionTable<physics::Problem> problem_table(const physics::Description* physics) {
  OptionInfo name{
      .name = "physics", .kind = Kind::word, .help = "What is computed.", .required = true};
  for (const physics::Description& known : physics::descriptions())
    name.words.push_back(known.name);
  return {
      option(std::move(name), &physics::Problem::physics),
      model_option(physics),
      option(OptionInfo{.name = "thickness",
                        .kind = Kind::number,
                        .help = "Of plane models.",
                        .unit = "m",
                        .lower = 0,
                        .lower_open = true},
             &physics::Problem::thickness),
      word_option(OptionInfo{.name = "formulation",
                             .help = "Of solids. `mean_dilatation`: the change of volume is "
                                     "averaged over each cell (B-bar), so that nearly "
                                     "incompressible and plastic solids do not lock; for `quad4`, "
                                     "`hex8` and second-order cells."},
                  &physics::Problem::formulation,
                  {{"standard", fem::Formulation::standard},
                   {"mean_dilatation", fem::Formulation::mean_dilatation}}),
      triple_option(OptionInfo{.name = "gravity",
                               .help = "Of `darcy`: the acceleration that pulls at the fluid, as "
                                       "[0, 0, -9.81].",
                               .unit = "m/s^2"},
                    &physics::Problem::gravity),
  };
}

OptionTable<OutputOptions> output_table(const physics::Description* physics) {
  Option<OutputOptions> fields = option(OptionInfo{.name = "fields",
                                                   .kind = Kind::words,
                                                   .help = "Results that are written.",
                                                   .words = result_words(physics)},
                                        &OutputOptions::fields);
  if (physics != nullptr)
    fields.get = [names = physics->default_results](const OutputOptions& o) -> OptionValue {
      return o.fields.empty() ? names : o.fields;
    };
  return {
      option(OptionInfo{.name = "directory",
                        .kind = Kind::path,
                        .help = "Folder of the results, relative to the folder of the case file; "
                                "without it `results/<case name>` in the working directory."},
             &OutputOptions::directory),
      std::move(fields),
      option(OptionInfo{.name = "every",
                        .kind = Kind::number,
                        .help = "Transient: results at every multiple of this time; with neither "
                                "this nor `times`, after every step. Static and not linear: at "
                                "every multiple of this part of the load.",
                        .unit = "s",
                        .lower = 0},
             &OutputOptions::every),
      option(
          OptionInfo{.name = "times",
                     .kind = Kind::numbers,
                     .help = "Transient: results at these times, which steps hit exactly; static "
                             "and not linear: at these parts of the load, up to 1.",
                     .unit = "s",
                     .lower = 0},
          &OutputOptions::times),
  };
}

}  // namespace trestle::io

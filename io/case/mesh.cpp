// The sections `mesh` and `solver` of a case.
#include "core/number.hpp"
#include "io/case/options.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

void read_box(const YamlNode& node, Case& c, Faults& faults) {
  mesh::BoxOptions box;
  fill_options(node, box_table(), box);
  const YamlNode* size = node.find("size");
  const YamlNode* cell = node.find("cell");
  const bool free = cell == nullptr;
  if (!free && cell->text != mesh::traits(box.cell).name) return;  // an unknown word
  if (free && (size == nullptr || size->items.size() < 2 || size->items.size() > 3)) return;
  if (free && size != nullptr && size->items.size() == 2) box.cell = mesh::CellType::quad4;
  const auto dim = static_cast<std::size_t>(mesh::traits(box.cell).dim);
  for (const char* key : {"size", "origin", "cells"}) {
    const YamlNode* list = node.find(key);
    if (list != nullptr && list->is_list() && list->items.size() != dim &&
        (list->items.size() == 2 || list->items.size() == 3))
      faults.add(
          list->where(),
          "mesh.generate.box." + std::string(key) +
              (free ? ": the size has " + std::to_string(dim) + " values and asks for "
                    : ": cells of type " + std::string(mesh::traits(box.cell).name) + " need ") +
              std::to_string(dim) + (free ? " here" : " values") + ", got " +
              std::to_string(list->items.size()));
  }
  const double bricks = double{1} * box.cells[0] * box.cells[1] * (dim == 3 ? box.cells[2] : 1);
  if (bricks > 1e15)
    faults.add(node.where(), "mesh.generate.box.cells: " + format_number(bricks) +
                                 " bricks are out of range: at most 1e15");
  c.mesh.box = box;
}

void refuse_with(const YamlNode& section, const char* key, const std::string& path,
                 const std::string& why, Faults& faults) {
  if (const YamlEntry* entry = section.find_entry(key))
    faults.add(entry->where(), path + "." + key + ": " + why);
}

/// The words of an option text, at blanks.
std::vector<std::string> split_words(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::string word;
    for (char c : text + " ") {
      if (c != ' ' && c != '\n')
        word += c;
      else if (!word.empty())
        words.push_back(std::exchange(word, ""));
    }
  }
  return words;
}

void check_single(const YamlNode& section, solver::SolverOptions& options, Faults& faults) {
  constexpr double least = 1e-5;
  const YamlEntry* tolerance = section.find_entry("tolerance");
  if (tolerance == nullptr) options.tolerance = least;
  if (options.tolerance < least)
    faults.add(tolerance->value.where(),
               "solver.tolerance: " + format_number(options.tolerance) +
                   " is out of reach of precision single (at least 1e-5): use precision: mixed");
}

void check_petsc(const YamlNode& section, const solver::SolverOptions& options, Faults& faults) {
  const bool direct = options.method == solver::Method::direct;
  const std::string method = direct ? "direct" : "petsc";
  if (options.precision != solver::Precision::double_)
    faults.add(section.find("precision")->where(),
               "solver.precision: method " + method + " works in double only");
  if (options.preconditioner != solver::Preconditioner::automatic)
    faults.add(section.find("preconditioner")->where(),
               "solver.preconditioner: is for the methods cg, minres, gmres and bicgstab; " +
                   (direct ? std::string("method direct has none")
                           : std::string("for method petsc write petsc_options: -pc_type ...")));
}

}  // namespace

void read_mesh(const YamlNode& root, Case& c, Faults& faults) {
  const YamlNode* section = root.find("mesh");
  if (section == nullptr || !section->is_mapping()) return;
  fill_options(*section, mesh_table(), c.mesh);
  c.mesh.where = section->where();
  c.mesh.states_scale = section->find("scale") != nullptr;
  const YamlEntry* file = section->find_entry("file");
  const YamlEntry* generate = section->find_entry("generate");
  if (file == nullptr && generate == nullptr)
    faults.add(section->where(), "mesh: one of these keys is missing: file, generate");
  if (file != nullptr && generate != nullptr)
    faults.add(generate->where(), "mesh: has both file and generate");
  if (file != nullptr) c.mesh.where = file->value.where();
  if (!c.mesh.file.empty()) c.mesh.file = beside_case(c.file, c.mesh.file);
  if (generate == nullptr) return;
  if (const YamlNode* box = generate->value.find("box")) read_box(*box, c, faults);
  for (const char* key : {"scale", "merge_tolerance"})
    refuse_with(*section, key, "mesh", "is for mesh files, not for a generated mesh", faults);
}

void read_stop(const YamlNode& root, Case& c) {
  const YamlNode* section = root.find("stop");
  if (section != nullptr && section->is_mapping()) fill_options(*section, stop_table(), c.stop);
  section = root.find("watchdog");
  if (section != nullptr && section->is_mapping())
    fill_options(*section, watchdog_table(), c.watchdog);
}

void read_solver(const YamlNode& root, Case& c, Faults& faults) {
  const YamlNode* section = root.find("solver");
  if (section == nullptr || !section->is_mapping()) return;
  fill_options(*section, solver_table(), c.solver);
  fill_options(*section, run_table(), c.run);
  if (const YamlEntry* device = section->find_entry("device")) c.run.where = device->where();
  solver::SolverOptions& options = c.solver;
  if (const YamlEntry* most = section->find_entry("max_iterations"))
    c.max_iterations = most->where();
  if (const YamlNode* words = section->find("petsc_options")) c.petsc_options = words->where();
  options.petsc_options = split_words(options.petsc_options);
  if (options.precision == solver::Precision::single) check_single(*section, options, faults);
  if (options.method == solver::Method::petsc || options.method == solver::Method::direct)
    check_petsc(*section, options, faults);
  if (options.method != solver::Method::petsc)
    refuse_with(*section, "petsc_options", "solver", "is for method petsc", faults);
  else if (!options.petsc_options.empty() && !options.petsc_options[0].starts_with('-'))
    faults.add(section->find("petsc_options")->where(),
               "solver.petsc_options: " + in_quotes(options.petsc_options[0]) +
                   " is no option: they begin with -");
}

}  // namespace trestle::io

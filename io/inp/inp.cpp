// Reads a deck on rank 0, checks the mesh and hands a slice to every rank.
#include "io/inp/inp.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/inp/content.hpp"
#include "mesh/scatter.hpp"

namespace trestle::io {
namespace {

void warn_of_formulations(InpContent& content) {
  if (content.formulations.empty()) return;
  std::string list;
  for (const auto& [type, what] : content.formulations)
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", type, what);
  content.warnings.push_back(fmt::format(
      "Of element types only the cells are taken, which are integrated fully: {}.", list));
}

/// A deck of plane stress would be solved in the default model of the case without a word.
void warn_of_model(InpContent& content) {
  if (content.dim != 2) return;
  std::string list;
  for (const std::string& type : content.plane_types) list += (list.empty() ? "" : ", ") + type;
  content.warnings.push_back(fmt::format(
      "The deck has elements {}; whether they are plane stress (CPS), plane strain (CPE) or "
      "axisymmetric (CAX) and how thick they are is said by `model` and `thickness` of the case.",
      list));
}

/// Elements of lower dimension have a stiffness in the deck and none here.
void warn_of_marks(InpContent& content) {
  std::map<std::string_view, Index> counts;
  for (std::size_t e = 0; e < content.element_types.size(); ++e) {
    const mesh::CellTraits& cell = content.cell_of(static_cast<Index>(e));
    if (cell.dim < content.dim) ++counts[cell.name];
  }
  std::string list;
  for (const auto& [name, n] : counts)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", n, name);
  if (!list.empty())
    content.warnings.push_back(fmt::format(
        "Elements of lower dimension than {} only mark places where a set names them, and "
        "add no stiffness: {}.",
        content.dim, list));
}

}  // namespace

MeshContent read_inp_content(const std::string& path) {
  const InpDeck deck(path);
  InpContent content;
  read_inp_elements(deck, content);
  if (content.dim < 2)
    throw MeshError(
        path +
        ": the deck has only line elements, cells of dimension 2 or 3 are needed: trusses "
        "and beams are not offered");
  read_inp_groups(deck, content);
  warn_of_formulations(content);
  warn_of_model(content);
  warn_of_marks(content);
  if (std::string skipped = deck.skipped(); !skipped.empty())
    content.warnings.push_back(std::move(skipped));
  return content;
}

mesh::RawMesh read_inp(const Comm& comm, const std::string& path, const MeshFileOptions& options) {
  mesh::RawMesh whole;
  comm.agree([&] {
    if (comm.is_root()) whole = make_checked_mesh(path, read_inp_content(path), options);
  });
  return mesh::scatter(comm, std::move(whole));
}

}  // namespace trestle::io

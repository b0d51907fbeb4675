// Element types of CalculiX and Abaqus: their cells, order of nodes and labels of faces.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "mesh/cell_type.hpp"

namespace trestle::io {

/// What the name of an element type stands for.
struct InpType {
  const mesh::CellTraits* cell = nullptr;
  /// What the name says of the formulation, "reduced integration", which is not taken; "" for a
  /// plain element.
  std::string formulation;
};

/// The element type called `name`, in capitals; `cell` is null when it is not read.
InpType inp_type(std::string_view name);

/// Why a type that is not read is not, and what to do.
std::string_view inp_refusal(std::string_view name);

/// Where the deck's node k of an element stands among the nodes of our cell [CalculiX CrunchiX
/// manual 2.20, "Element Types"; Abaqus Analysis User's Guide, "Solid element library"].
const std::array<std::uint8_t, mesh::max_nodes_per_cell>& inp_node_order(mesh::CellType type);

/// The facet that the label `S1` ... `S6` names, an index into traits(type).facets; -1 when the
/// element has no such face.
int inp_facet(mesh::CellType type, std::string_view label);

}  // namespace trestle::io

// InpContent: nodes and elements of a deck by their ids, and the sets and surfaces over them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/inp/deck.hpp"
#include "io/inp/types.hpp"
#include "io/mesh/content.hpp"
#include "io/mesh/id_table.hpp"

namespace trestle::io {

struct InpContent : MeshContent {
  IdTable nodes, elements;
  std::vector<std::int64_t> element_tags;       // [element], in the order of the deck
  std::vector<mesh::CellType> element_types;    // [element]
  std::vector<Index> element_places;            // [element]: its place in the block of its type
  std::vector<std::pair<Index, Index>> ranges;  // [block of the deck]: what it adds, from and to
  std::map<std::string, std::string> formulations;  // of types whose formulation is not taken
  std::set<std::string> plane_types;                // of the plane elements
  int dim = 0;                                      // of the cells

  const mesh::CellTraits& cell_of(Index element) const {
    return mesh::traits(element_types[static_cast<std::size_t>(element)]);
  }
  /// The node (position) at place `a` of our cell that `element` is.
  GlobalIndex node_of(Index element, int a) const;
};

/// Reads *NODE and *ELEMENT. Throws MeshError with the place: ids that occur twice or are missing,
/// types that are not read, numbers that are none.
void read_inp_elements(const InpDeck& deck, InpContent& content);

/// Makes groups of *NSET (points), *ELSET (cells; facets and edges where its elements are of lower
/// dimension) and *SURFACE (facets, or points with TYPE=NODE), in the order of the deck. Throws
/// MeshError with the place: sets that are not defined before, ids and faces that do not exist.
void read_inp_groups(const InpDeck& deck, InpContent& content);

}  // namespace trestle::io

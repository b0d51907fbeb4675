// What the tests of the reader of decks share.
#pragma once

#include <string>
#include <vector>

#include "io/inp/inp.hpp"
#include "tests/io/gmsh_support.hpp"

namespace trestle::test {

/// Reads `text` as a deck on all ranks.
WholeMesh read_deck(const std::string& text);
/// The error that reading `text` as a deck gives on every rank; code 0 when there is none.
Failure failure_of_deck(const std::string& text);
Failure failure_of_deck(const Comm& comm, const std::string& text);

/// The nodes and elements of a unit cube of one C3D8, nodes 1 to 4 at z = 0 and 5 to 8 above them,
/// element 7, sets ALL and BODY.
extern const std::string cube;
/// Two CPS4 side by side on [0, 2] x [0, 1]: nodes 1 to 3 at y = 0, 4 to 6 above them, elements 10
/// and 20.
extern const std::string strip;

}  // namespace trestle::test

// Reading texts as decks.
#include "tests/io/inp_support.hpp"

#include "core/error.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {

WholeMesh read_deck(const std::string& text) {
  const TemporaryFile file(world(), text);
  return gathered(world(), io::read_inp(world(), file.path()));
}

Failure failure_of_deck(const std::string& text) { return failure_of_deck(world(), text); }

Failure failure_of_deck(const Comm& comm, const std::string& text) {
  const TemporaryFile file(comm, text);
  try {
    io::read_inp(comm, file.path());
  } catch (const Error& e) {
    return {static_cast<int>(e.code()), e.what()};
  }
  return {};
}

const std::string cube =
    "*NODE, NSET=ALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
    "*ELEMENT, TYPE=C3D8, ELSET=BODY\n7, 1,2,3,4,5,6,7,8\n";

const std::string strip =
    "*NODE\n1,0,0\n2,1,0\n3,2,0\n4,0,1\n5,1,1\n6,2,1\n"
    "*ELEMENT, TYPE=CPS4, ELSET=plate\n10, 1,2,5,4\n20, 2,3,6,5\n";

}  // namespace trestle::test

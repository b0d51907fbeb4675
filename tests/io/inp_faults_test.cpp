// Tests that the reader of decks refuses what is wrong, naming file, line and entity.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "io/inp/inp.hpp"
#include "tests/io/inp_support.hpp"
#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {

struct Fault {
  const char* from;
  const char* to;  // in the cube
  std::vector<std::string> says;
};

TEST(InpFaults, AreToldWithLineAndEntity) {
  const std::vector<Fault> faults{
      {"2,1,0,0", "1,1,0,0", {":3: ", "node 1 is defined a second time", ":2"}},
      {"2,1,0,0", "-2,1,0,0", {":3: ", "a node id", "'-2'"}},
      {"2,1,0,0", "2.5,1,0,0", {":3: ", "a node id", "'2.5'"}},
      {"2,1,0,0", "99999999999999999999,1,0,0", {":3: ", "10^15"}},
      {"2,1,0,0", "2,nan,0,0", {":3: ", "node 2", "coordinate x", "'nan'"}},
      {"2,1,0,0", "2,1,inf,0", {":3: ", "node 2", "coordinate y"}},
      {"2,1,0,0", "2,1,0,1e400", {":3: ", "node 2", "coordinate z", "'1e400'"}},
      {"2,1,0,0", "2,1,0,0x10", {"coordinate z", "'0x10'"}},
      {"2,1,0,0", "2,1,0,abc", {"coordinate z", "'abc'"}},
      {"2,1,0,0", "2,1,0,0,5", {":3: ", "node 2", "at most 3 coordinates", "'.'"}},
      {"2,1,0,0", "2", {":3: ", "node 2", "no coordinates"}},
      {"2,1,0,0", "2 1 0 0", {":3: ", "'2 1 0 0'", "is a comma missing?"}},
      {"2,1,0,0", "\xff\xfe\x01", {":3: ", "a node id", "'\\xff\\xfe\\x01'"}},
      {"7, 1,2,3,4,5,6,7,8", "7, 1,2,3,4,5,6,7", {":11: ", "element 7", "8 nodes", "found 7"}},
      {"7, 1,2,3,4,5,6,7,8", "7, 1,2,3,4,5,6,7,8,1", {":11: ", "element 7", "found more"}},
      {"7, 1,2,3,4,5,6,7,8", "7, 1,2,3,4,5,6,7,9", {":11: ", "element 7", "node 9"}},
      {"7, 1,2,3,4,5,6,7,8", "7, 1,2,3,4,5,6,7,", {"element 7", "found 7"}},
      {"7, 1,2,3,4,5,6,7,8", "7, 1,,3,4,5,6,7,8", {":11: ", "nothing between two commas"}},
      {"7, 1,2,3,4,5,6,7,8", "0, 1,2,3,4,5,6,7,8", {":11: ", "an element id"}},
      {"7, 1,2,3,4,5,6,7,8",
       "7, 1,2,3,4,5,6,7,8\n7, 2,1,4,3,6,5,8,7",
       {":12: ", "element 7 is defined a second time", ":11"}},
      {"7, 1,2,3,4,5,6,7,8",
       "7, 1,2,3,4,\n5,6,7,8\n** again\n8, 1,2,3,4,\n5,6,7,8\n7, 1,2,3,\n4,5,6,7,8",
       {":16: ", "element 7 is defined a second time", ":11"}},
      {"7, 1,2,3,4,5,6,7,8",
       "7, 1,2,3,4,5,6,7\n8, 1,2,3,4,5,6,7,8",
       {":11: ", "element 7", "found more in line 12 that goes on with it"}},
      {"7, 1,2,3,4,5,6,7,8", "7, 1,2,3,4,1,2,3,4", {"7"}},
      {"C3D8", "C3D27", {":10: ", "'C3D27'", "Mesh.SecondOrderIncomplete"}},
      {"C3D8", "M3D9", {":10: ", "'M3D9'", "without nodes in faces"}},
      {"C3D8", "S4R", {":10: ", "'S4R'", "shells", "solid elements"}},
      {"C3D8", "M3D4", {"'M3D4'", "membranes"}},
      {"C3D8", "B31", {"'B31'", "beams"}},
      {"C3D8", "SPRINGA", {"'SPRINGA'", "springs"}},
      {"C3D8", "U1", {"'U1'", "read are"}},
      {"TYPE=C3D8, ", "", {":10: ", "TYPE=..."}},
      {"*NODE, NSET=ALL", "*NODE, NSET", {":1: ", "NSET=..."}},
      {"*NODE, NSET=ALL", "*NODE, NEST=ALL", {":1: ", "'NEST'", "did you mean NSET?"}},
      {"*NODE, NSET=ALL", "*NODE, NSET=A, NSET=B", {":1: ", "NSET twice"}},
      {"TYPE=C3D8, ",
       "TYPE=C3D8, OFFSET=100, ",
       {":10: ", "*ELEMENT", "'OFFSET'", "known are TYPE"}},
      {"*NODE, NSET=ALL", "*NODE, SYSTEM=C", {":1: ", "rectangular"}},
      {"*NODE, NSET=ALL", "*NGEN\n1,2,1\n*NODE", {":1: ", "*NGEN", "write out"}},
      {"*NODE, NSET=ALL", "1,2,3\n*NODE", {":1: ", "a keyword such as *NODE", "other text"}},
      {"*NODE, NSET=ALL", "\x89PNG\n*NODE", {":1: ", "a PNG image"}},
      {"*NODE, NSET=ALL", "*NADE", {"no *NODE"}},
      {"*ELEMENT", "*ELEMNT", {"no *ELEMENT"}},
  };
  for (const Fault& fault : faults) {
    const Failure failure = failure_of_deck(replaced(cube, fault.from, fault.to));
    EXPECT_EQ(failure.code, 65) << fault.to;
    EXPECT_TRUE(failure.says(fault.says)) << fault.to;
  }
}

TEST(InpFaults, OfSetsAndSurfacesAreTold) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> faults{
      {"*NSET, NSET=a\n1, 77\n", {":12: ", "no node 77"}},
      {"*ELSET, ELSET=a\n77\n", {":12: ", "no element 77"}},
      {"*ELSET, ELSET=a\nplatte\n", {":12: ", "'platte'", "did you mean 'plate'?"}},
      {"*NSET, NSET=a\nplate\n", {"no set of nodes 'plate'"}},
      {"*NSET, NSET=a\nb\n*NSET, NSET=b\na\n", {":12: ", "no set of nodes 'b' before this line"}},
      {"*NSET, NSET=a\na\n", {":12: ", "no set of nodes 'a'"}},
      {"*NSET\n1\n", {":11: ", "NSET=..."}},
      {"*NSET, NSET=a, ELSET=none\n", {":11: ", "no set of elements 'none'"}},
      {"*NSET, NSET=a, GENERATE\n3, 1\n", {":12: ", "3 to 1"}},
      {"*NSET, NSET=a, GENERATE\n1, 3, 0\n", {":12: ", "the step of GENERATE"}},
      {"*NSET, NSET=a, GENERATE\n1, 3, -1\n", {":12: ", "the step of GENERATE"}},
      {"*NSET, NSET=a, GENERATE\n1, 3, 1, 1\n", {":12: ", "found more"}},
      {"*NSET, NSET=a, GENERATE\n1\n", {":12: ", "GENERATE"}},
      {"*NSET, NSET=a, GENERAT\n1, 6, 1\n", {":11: ", "'GENERAT'", "did you mean GENERATE?"}},
      {"*ELSET, ELSET=a, NSET=b\n10\n", {":11: ", "*ELSET", "'NSET'"}},
      {"*SURFACE, NAME=a, TRIM=NO\nplate, S1\n", {":11: ", "*SURFACE", "'TRIM'"}},
      {"*NSET, NSET=a, GENERATE\n100, 900000000000000, 1\n", {":12: ", "meets no node"}},
      {"*NSET, NSET=a\xff\n1\n", {":11: ", "NSET='a\\xff'", "UTF-8"}},
      {"*NSET, NSET=a\x01\n1\n", {":11: ", "control characters"}},
      {"*SURFACE, NAME=a\nplate, S5\n", {":12: ", "element 10 (quad4)", "'S5'", "S1 to S4"}},
      {"*SURFACE, NAME=a\nplate, SPOS\n", {":12: ", "'SPOS'"}},
      {"*SURFACE, NAME=a\nplate\n", {":12: ", "such as S1"}},
      {"*SURFACE, NAME=a\nplat, S1\n", {":12: ", "'plat'", "'plate'?"}},
      {"*SURFACE, TYPE=ELEMENT\nplate, S1\n", {":11: ", "NAME=..."}},
      {"*SURFACE, NAME=a, TYPE=CYLINDER\n", {":11: ", "'CYLINDER'"}},
      {"*SURFACE, NAME=a\nplate, S1\n*SURFACE, NAME=a\nplate, S3\n", {":13: ", "is a set already"}},
      {"*NSET, NSET=a\n1\n*SURFACE, NAME=a, TYPE=NODE\n2\n", {":13: ", "is a set already"}},
      {"*ELEMENT, TYPE=T2D2, ELSET=t\n5, 1, 2\n*SURFACE, NAME=a\nt, S1\n", {":14: ", "element 5"}},
  };
  for (const auto& [text, says] : faults) {
    const Failure failure = failure_of_deck(strip + text);
    EXPECT_EQ(failure.code, 65) << text;
    EXPECT_TRUE(failure.says(says)) << text;
  }
}

TEST(InpFaults, OfWholeMeshesAreTold) {
  const std::string trusses = "*NODE\n1,0,0\n2,1,0\n*ELEMENT,TYPE=T3D2\n1, 1,2\n";
  EXPECT_TRUE(failure_of_deck(trusses).says({"only line elements"}));
  EXPECT_TRUE(failure_of_deck("").says({"empty"}));
  EXPECT_TRUE(failure_of_deck("\n \n").says({"no *NODE"}));
  EXPECT_TRUE(failure_of_deck("*NODE").says({"no *NODE with nodes"}));
  EXPECT_TRUE(failure_of_deck(replaced(strip, "6,2,1", "6,2,1,3")).says({"x-y plane"}));
  // A mark that is no facet of a cell.
  EXPECT_TRUE(failure_of_deck(strip + "*ELEMENT, TYPE=T2D2, ELSET=t\n5, 1, 5\n")
                  .says({"no facet of a cell"}));
}

/// Sets that list each other twice would grow as powers of 2.
TEST(InpFaults, SetsOfSetsStaySmall) {
  std::string deck = strip + "*NSET, NSET=s0\n1, 2, 3\n";
  for (int i = 1; i < 200; ++i)
    deck += fmt::format("*NSET, NSET=s{}\ns{}, s{}\ns{}, s{}\n", i, i - 1, i - 1, i - 1, i - 1);
  EXPECT_EQ(read_deck(deck).members("s199", 0).size(), 3u);
}

const std::string rich = strip +
                         "*NSET, NSET=low, GENERATE\n1, 3, 1\n*NSET, NSET=b\nlow, 4\n"
                         "*SURFACE, NAME=top, TYPE=ELEMENT\nplate, S3\n*MATERIAL, NAME=m\n";

/// A deck says nowhere how long it is: a part of it is a deck or is refused, and never worse.
TEST(InpFaults, TruncatedDecksAreReadOrRefused) {
  for (std::size_t n = 0; n < rich.size(); ++n) {
    const int code = failure_of_deck(alone(), rich.substr(0, n)).code;
    EXPECT_TRUE(code == 0 || code == 65) << n;
    const bool lacks_elements = n < strip.find("*ELEMENT");
    EXPECT_TRUE(code == 65 || !lacks_elements) << n;
  }
}

TEST(InpFaults, DamagedDecksAreReadOrRefused) {
  std::mt19937 random(20240607);
  const std::string bytes = std::string("0123456789,.-+eEdD*=\n\r\t \"S\xff", 28) + '\0';
  for (int i = 0; i < 400; ++i) {
    std::string deck = rich;
    for (int k = 0; k < 1 + i % 4; ++k) {
      const std::size_t at = random() % deck.size();
      const char letter = bytes[random() % bytes.size()];
      if (random() % 3 == 0)
        deck.insert(at, 1, letter);
      else if (random() % 3 == 0)
        deck.erase(at, 1 + random() % 8);
      else
        deck[at] = letter;
    }
    const int code = failure_of_deck(alone(), deck).code;
    EXPECT_TRUE(code == 0 || code == 65) << deck;
  }
}

TEST(InpFaults, LineEndsOfACarriageReturnAloneAreToldAsSuch) {
  for (const std::string& deck : {strip, "** a comment\n" + strip, "*HEADING\nword\n" + strip}) {
    std::string text = deck;
    std::replace(text.begin(), text.end(), '\n', '\r');
    EXPECT_TRUE(failure_of_deck(text).says({":1:", "carriage return without a line feed"}));
  }
}

}  // namespace
}  // namespace trestle::test

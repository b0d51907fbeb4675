// Whatever bytes come as a case file: a checked case, or an Error.
#include "io/case/case.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    // What a run writes as its resolved case is a case again.
    const trestle::io::Case first = trestle::io::parse_case(text, "case.yaml", {}, "/");
    trestle::io::parse_case(first.resolved, "resolved.yaml", {}, "/");
  } catch (const trestle::Error&) {
  }
  return 0;
}

// Whatever bytes come as an expression: a program that can be evaluated, or an Error.
#include "io/case/expression_parser.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const trestle::fem::Expression expression =
        trestle::io::parse_expression(text, {"case.yaml", 1, 1});
    expression(0.5, -2, 3, 1e9, 300);
  } catch (const trestle::Error&) {
  }
  return 0;
}

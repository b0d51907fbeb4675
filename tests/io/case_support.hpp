// Cases for the tests of the case reader: a small valid one, and the mistakes of a text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/case/case.hpp"

namespace trestle::test {

inline io::Case parsed(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return io::parse_case(text, "case.yaml", overrides, "/work");
}

/// The messages of a case that must be refused.
inline std::vector<std::string> mistakes(const std::string& text,
                                         const std::vector<std::string>& overrides = {}) {
  try {
    parsed(text, overrides);
  } catch (const CaseError& error) {
    EXPECT_EQ(error.code(), ExitCode::case_file);
    return error.messages();
  }
  ADD_FAILURE() << "accepted:\n" << text;
  return {};
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Expects one message that holds `part`.
inline void expect_mistake(const std::string& text, const std::string& part,
                           const std::vector<std::string>& overrides = {}) {
  const std::vector<std::string> messages = mistakes(text, overrides);
  EXPECT_EQ(messages.size(), 1u) << joined(messages);
  EXPECT_NE(joined(messages).find(part), std::string::npos)
      << "expected " << part << "\ngot " << joined(messages);
}

inline const std::string heat_case =
    "physics: heat\n"
    "mesh: {file: plate.msh}\n"
    "materials:\n"
    "  iron: {conductivity: 50}\n"
    "boundary:\n"
    "  - {on: left, temperature: 300}\n";

inline const std::string elasticity_case =
    "physics: elasticity\n"
    "mesh: {file: bracket.msh}\n"
    "materials:\n"
    "  steel: {young: 210 GPa, poisson: 0.3, density: 7850}\n"
    "boundary:\n"
    "  - {on: foot, displacement: [0, 0, 0]}\n";

}  // namespace trestle::test

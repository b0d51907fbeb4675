// What a run may go on with when its case has changed.
#include "io/case/compare.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace trestle::io {
namespace {

const std::string before =
    "title: a\nmesh:\n  file: /here/a.msh\n  scale: 1\nanalysis:\n  end: 1\n  step: 0.1\n"
    "boundary:\n  - on: [x, y]\n    temperature: 3\nsolver:\n  tolerance: 1e-8\n  device: auto\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = before;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(CaseCompare, FindsNothingWhereNothingHasChanged) {
  EXPECT_TRUE(compare_cases(before, before).empty());
  EXPECT_TRUE(compare_cases(before, with("title: a", "title:   a")).empty());
}

TEST(CaseCompare, AllowsWhatTheStateDoesNotDependOn) {
  for (const auto& [from, to] : {std::pair{"end: 1", "end: 2"},
                                 {"1e-8", "1e-10"},
                                 {"auto", "cpu"},
                                 {"title: a", "title: b"}}) {
    const auto differences = compare_cases(before, with(from, to));
    ASSERT_EQ(differences.size(), 1u) << to;
    EXPECT_TRUE(differences[0].allowed) << to;
  }
  EXPECT_TRUE(compare_cases(before, with("/here/a.msh", "/there/a.msh")).empty());
  const auto added = compare_cases(before, before + "output:\n  every: 3\n");
  ASSERT_EQ(added.size(), 1u);
  EXPECT_TRUE(added[0].allowed);
}

TEST(CaseCompare, NamesWhatMustNotChange) {
  const auto differences = compare_cases(before, with("temperature: 3", "temperature: 4"));
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_FALSE(differences[0].allowed);
  EXPECT_EQ(to_string(differences), "  boundary[0].temperature: 3 -> 4");
  for (const auto& [from, to] : {std::pair{"step: 0.1", "step: 0.2"},
                                 {"scale: 1", "scale: 2"},
                                 {"[x, y]", "[x]"},
                                 {"end: 1", "ending: 1"}})
    EXPECT_TRUE([&] {
      for (const auto& one : compare_cases(before, with(from, to)))
        if (!one.allowed) return true;
      return false;
    }()) << to;
}

TEST(CaseCompare, ADamagedTextIsNoCheckpoint) {
  try {
    compare_cases("a: [", before);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::no_checkpoint);
  }
}

}  // namespace
}  // namespace trestle::io

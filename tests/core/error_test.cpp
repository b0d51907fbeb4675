// Errors: messages, places, codes, and the nearest word.
#include "core/error.hpp"

#include <gtest/gtest.h>

namespace trestle {
namespace {

TEST(NearestWord, FindsAWordWithOneLetterChangedMissingOrAdded) {
  const std::vector<std::string> words{"displacement", "traction", "pressure", "roller"};
  EXPECT_EQ(nearest_word("displacment", words), "displacement");
  EXPECT_EQ(nearest_word("presure", words), "pressure");
  EXPECT_EQ(nearest_word("rollers", words), "roller");
  EXPECT_EQ(nearest_word("tractoin", words), "traction");  // a swap counts once
}

TEST(NearestWord, SaysNothingWhenNoWordIsNear) {
  EXPECT_EQ(nearest_word("temperature", {"young", "poisson"}), "");
  EXPECT_EQ(nearest_word("x", {"young"}), "");
  EXPECT_EQ(nearest_word("r", {"x", "y", "z"}), "");  // any letter is one change away
  EXPECT_EQ(nearest_word("X", {"y", "x"}), "x");
  EXPECT_EQ(nearest_word("young", {}), "");
}

TEST(NearestWord, FindsAWordOfOtherCase) {
  EXPECT_EQ(nearest_word("LEFT", {"top", "left"}), "left");
  EXPECT_EQ(nearest_word("LEFTT", {"top", "left"}), "left");
  EXPECT_EQ(nearest_word("Sin", {"min", "sin"}), "sin");
  EXPECT_EQ(nearest_word("lef", {"LEFT", "left"}), "left");  // the same case counts first
}

TEST(NearestWord, FindsAWordThatAWordProcessorDressedUp) {
  const std::vector<std::string> words{"left", "top", "x-min"};
  EXPECT_EQ(nearest_word("\u201cleft\u201d", words), "left");
  EXPECT_EQ(nearest_word("\u2018top\u2019", words), "top");
  EXPECT_EQ(nearest_word("\u00abTop\u00bb", words), "top");
  EXPECT_EQ(nearest_word("x\u2011min", words), "x-min");
  EXPECT_EQ(nearest_word("top\u200b", words), "top");
  EXPECT_EQ(nearest_word("left", {"top", "\u201cleft\u201d"}), "\u201cleft\u201d");
  EXPECT_EQ(nearest_word("\u201c\u201d", {"x", "y"}), "");
}

TEST(NearestWord, CountsALetterOfAnyAlphabetOnce) {
  EXPECT_EQ(nearest_word("h\u00f6he", {"oben", "hohe"}), "hohe");  // two bytes, one letter
  EXPECT_EQ(nearest_word("\u5de6", {"\u53f3", "\u4e0a"}), "");     // another letter, not a near one
  EXPECT_EQ(nearest_word("\u5de6\u5074", {"\u5de6\u4fa7", "\u53f3"}), "\u5de6\u4fa7");
}

TEST(NearestWord, FindsWhatAPartOfACompoundNames) {
  const std::vector<std::string> words{"title", "mesh", "boundary", "solver", "output"};
  EXPECT_EQ(nearest_word("boundary_condtions", words), "boundary");
  EXPECT_EQ(nearest_word("Solver-Options", words), "solver");
  EXPECT_EQ(nearest_word("youngs_modulus", {"on", "young", "poisson"}), "young");
  EXPECT_EQ(nearest_word("heat_flux", {"on", "heat", "flux", "source"}), "flux");
  EXPECT_EQ(nearest_word("of_it", {"on", "it"}), "");  // parts of two letters say nothing
}

TEST(NearestWord, FindsWhatAWordAbbreviates) {
  EXPECT_EQ(nearest_word("tol", {"method", "tolerance"}), "tolerance");
  EXPECT_EQ(nearest_word("max_iter", {"method", "max_iterations"}), "max_iterations");
  EXPECT_EQ(nearest_word("to", {"tolerance"}), "");
}

TEST(NearestWord, TakesTheFirstOfEquallyNearWords) {
  EXPECT_EQ(nearest_word("zmid", {"zmin", "zmix", "xmin"}), "zmin");
}

TEST(SourcePosition, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(to_string(SourcePosition{"case.yaml", 7, 3}), "case.yaml:7:3");
  EXPECT_EQ(to_string(SourcePosition{"case.yaml", 7, 0}), "case.yaml:7");
  EXPECT_EQ(to_string(SourcePosition{"case.yaml", 0, 0}), "case.yaml");
}

TEST(CaseError, JoinsItsMessagesByLinesAndKeepsThemApart) {
  const CaseError error(std::vector<std::string>{"a.yaml:1: one", "a.yaml:2: two"});
  EXPECT_STREQ(error.what(), "a.yaml:1: one\na.yaml:2: two");
  EXPECT_EQ(error.messages().size(), 2U);
  EXPECT_EQ(error.code(), ExitCode::case_file);
}

TEST(CaseError, PutsThePlaceBeforeTheMessage) {
  const CaseError error(SourcePosition{"a.yaml", 4, 9}, "unknown key 'yung'");
  EXPECT_STREQ(error.what(), "a.yaml:4:9: unknown key 'yung'");
}

TEST(Require, ThrowsTheCodeAndMessageOnlyWhenTheConditionFails) {
  EXPECT_NO_THROW(require(true, ExitCode::io, "never said"));
  try {
    require(false, ExitCode::io, "disk is full");
    FAIL() << "require(false) came back";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::io);
    EXPECT_STREQ(error.what(), "disk is full");
  }
}

// docs/exit_codes.md is what scripts of users rely on: a changed number must be on purpose.
TEST(ExitCode, HasTheNumbersThatAreDocumented) {
  EXPECT_EQ(static_cast<int>(ExitCode::usage), 64);
  EXPECT_EQ(static_cast<int>(ExitCode::stopped_saved), 75);
  EXPECT_EQ(static_cast<int>(ExitCode::case_file), 78);
  EXPECT_EQ(static_cast<int>(ExitCode::expectation), 79);
  EXPECT_EQ(static_cast<int>(ExitCode::no_progress), 87);
}

}  // namespace
}  // namespace trestle

// Observed orders, and what is told of them.
#include "io/report/order_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace trestle::test {
namespace {

io::OrderStudy study_of(const std::string& refined) {
  io::OrderStudy study{.case_file = "a<b.yaml", .field = "temperature", .refined = refined};
  study.add({.unknowns = 9, .h = 0.5, .step = 0.3, .error = 0.8, .exact_norm = 2});
  study.add({.unknowns = 25, .h = 0.25, .step = 0.1, .error = 0.1, .exact_norm = 2});
  return study;
}

TEST(OrderStudyTest, TheOrderIsTheExponentOfWhatIsRefined) {
  EXPECT_FALSE(study_of("space").levels[0].order);
  EXPECT_DOUBLE_EQ(*study_of("space").levels[1].order, 3);
  EXPECT_DOUBLE_EQ(*study_of("both").levels[1].order, 3);
  EXPECT_DOUBLE_EQ(*study_of("time").levels[1].order, std::log(8.0) / std::log(3.0));
}

TEST(OrderStudyTest, AnErrorOfRoundingHasNoOrder) {
  io::OrderStudy study = study_of("space");
  study.at_least = 1;
  EXPECT_TRUE(study.met());
  study.add({.unknowns = 81, .h = 0.125, .step = 0.05, .error = 1e-12, .exact_norm = 2});
  EXPECT_FALSE(study.levels[2].order);
  EXPECT_FALSE(study.met());
}

TEST(OrderStudyTest, JsonHoldsEveryLevelAndThePageEscapesItsTexts) {
  io::OrderStudy study = study_of("space");
  study.at_least = 3.5;
  const auto json = nlohmann::json::parse(io::order_json(study));
  EXPECT_EQ(json["levels"].size(), 2u);
  EXPECT_TRUE(json["levels"][0]["order"].is_null());
  EXPECT_EQ(json["levels"][1]["unknowns"], 25);
  EXPECT_EQ(json["met"], false);
  const std::string page = io::order_html(study);
  EXPECT_NE(page.find("a&lt;b.yaml"), std::string::npos);
  EXPECT_EQ(page.find("a<b.yaml"), std::string::npos);
  EXPECT_NE(page.find("missed"), std::string::npos);
}

}  // namespace
}  // namespace trestle::test

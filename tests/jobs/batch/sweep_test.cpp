#include "jobs/batch/sweep.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/error.hpp"

namespace trestle::jobs {
namespace {

TEST(Sweep, MakesEveryCombinationOnce) {
  const auto points = make_sweep({"a.k=1,2,3", "b=x,y"});
  ASSERT_EQ(points.size(), 6u);
  std::set<std::vector<std::string>> seen;
  std::set<std::string> names;
  for (const SweepPoint& point : points) {
    seen.insert(point.overrides);
    names.insert(point.name);
  }
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_EQ(names.size(), 6u);
  EXPECT_EQ(points[1].overrides, (std::vector<std::string>{"a.k=1", "b=y"}));
  EXPECT_EQ(points[1].name, "2-k=1,b=y");
}

TEST(Sweep, CommasWithinListsAndQuotesSeparateNothing) {
  const auto points = make_sweep({"boundary.0.traction=[0, 0, 1],[0, 0, 2]", "title='a, b'"});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].overrides[0], "boundary.0.traction=[0, 0, 1]");
  EXPECT_EQ(points[1].overrides[1], "title='a, b'");
}

TEST(Sweep, NamesAreFitForFoldersAndUniqueWhateverTheValues) {
  const auto points = make_sweep({"k=../../etc,a/b,a b," + std::string(500, 'x')});
  std::set<std::string> names;
  for (const SweepPoint& point : points) {
    EXPECT_EQ(point.name.find('/'), std::string::npos);
    EXPECT_LE(point.name.size(), 100u);
    names.insert(point.name);
  }
  EXPECT_EQ(names.size(), 4u);
}

TEST(Sweep, RefusesWhatIsNoSweep) {
  for (const std::vector<std::string>& axes : std::vector<std::vector<std::string>>{
           {"k"}, {"k="}, {"k=1,,2"}, {"k=1,1"}, {"k=1", "k=2"}, {"=1"}})
    EXPECT_THROW(make_sweep(axes), Error);
  std::string many = "k=0";
  for (int i = 1; i < 200; ++i) many += "," + std::to_string(i);
  EXPECT_THROW(make_sweep({many, "l" + many.substr(1)}), Error);
}

}  // namespace
}  // namespace trestle::jobs

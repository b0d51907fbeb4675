// How long steps are: times that are hit, and steps that adapt themselves.
#include "solver/steps/step_control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/error.hpp"
#include "tests/support/memory_state.hpp"

namespace trestle::solver {
namespace {

struct Walk {
  std::vector<double> times, lengths;
};

Walk walk(StepControl control) {
  Walk walk;
  while (!control.done()) {
    walk.lengths.push_back(control.step());
    control.accept(0);
    walk.times.push_back(control.time());
  }
  return walk;
}

TEST(StepControl, AMultipleOfTheStepLeavesNoTinyStepBehind) {
  struct {
    double step, end;
    std::size_t n;
  } const cases[] = {{1e-3, 2, 2000}, {0.005, 2, 400}, {0.1, 1, 10}, {1e-3, 3, 3000}};
  for (const auto& c : cases) {
    const Walk all = walk(StepControl({.step = c.step}, {c.end}));
    EXPECT_EQ(all.times.size(), c.n) << c.step;
    EXPECT_EQ(all.times.back(), c.end);
    const std::set<double> lengths(all.lengths.begin(), all.lengths.end());
    EXPECT_EQ(lengths.size(), 1U) << "all steps are the same bits";
    EXPECT_NEAR(*lengths.begin() / c.step, 1, 1e-12);
  }
}

TEST(StepControl, StopsAreHitExactlyByStepsThatDivideTheWay) {
  const std::vector<double> stops{0.1, 0.25, 0.3, 1};
  const Walk all = walk(StepControl({.step = 0.1}, stops));
  for (const double stop : stops)
    EXPECT_EQ(std::count(all.times.begin(), all.times.end(), stop), 1) << stop;
  for (const double length : all.lengths) {
    EXPECT_LE(length, 0.1 * (1 + 1e-12));
    EXPECT_GE(length, 0.05 * (1 - 1e-12));
  }
  EXPECT_EQ(all.times.size(), 1U + 2 + 1 + 7);
}

TEST(StepControl, EquallySpacedStopsKeepTheBitsOfTheStep) {
  std::vector<double> stops;
  for (int k = 1; k <= 100; ++k) stops.push_back(0.1 * k);
  const Walk all = walk(StepControl({.step = 0.1}, stops));
  EXPECT_EQ(std::set<double>(all.lengths.begin(), all.lengths.end()).size(), 1U);
  EXPECT_EQ(all.times, stops);
}

TEST(StepControl, AFailedFixedStepIsHalvedAndTheLengthComesBack) {
  StepControl control({.step = 0.1, .smallest = 1e-3}, {1});
  control.accept(0);
  ASSERT_TRUE(control.refuse(0));
  EXPECT_NEAR(control.step(), 0.05, 1e-12);
  EXPECT_DOUBLE_EQ(control.time(), 0.1);
  control.accept(0);
  EXPECT_NEAR(control.step(), 0.1, 0.1 / 8);  // the rest is divided evenly
  while (!control.done()) control.accept(0);
  EXPECT_EQ(control.time(), 1);
  EXPECT_EQ(control.n_refused(), 1U);
}

TEST(StepControl, ALimitHoldsForAllStepsToCome) {
  StepControl control({.step = 0.1}, {1});
  control.accept(0);
  control.limit(0.04);
  while (!control.done()) {
    EXPECT_LE(control.step(), 0.04 * (1 + 1e-9));
    control.accept(0);
  }
  EXPECT_EQ(control.n_steps(), 1U + 23);
}

TEST(StepControl, HalvesFallOnTheSameTimes) {
  StepControl control({.step = 0.1}, {0.3, 1});
  control.halve(2);
  const Walk all = walk(std::move(control));
  const std::vector<double> times{0.05, 0.1, 0.15, 0.2, 0.3, 0.4};
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(all.times[k], times[k], 1e-15);
  EXPECT_EQ(all.times.size(), 12U);
  EXPECT_EQ(all.lengths[0], 0.5 * all.lengths[4]);
  EXPECT_EQ(std::count(all.times.begin(), all.times.end(), 0.3), 1);
}

TEST(StepControl, AFailedHalfDividesWhatIsLeft) {
  StepControl control({.step = 0.2, .smallest = 1e-3}, {1});
  control.halve(1);
  control.accept(0);
  EXPECT_NEAR(control.time(), 0.1, 1e-15);
  ASSERT_TRUE(control.refuse(0));
  EXPECT_TRUE(control.halved());
  EXPECT_LT(control.step(), 0.06);
  while (!control.done()) control.accept(0);
  EXPECT_EQ(control.time(), 1);
}

TEST(StepControl, BelowTheSmallestStepThereIsNone) {
  StepControl control({.step = 0.1, .smallest = 0.03}, {1});
  EXPECT_TRUE(control.refuse(0));
  EXPECT_FALSE(control.refuse(0));
}

/// The error of a scheme of order 2 on a solution whose third derivative is `jerk`.
TEST(StepControl, StepsMeetTheToleranceOfALawOfOrderTwo) {
  StepControl control({.step = 0.01, .tolerance = 1e-6, .smallest = 1e-9, .order = 2}, {1});
  double largest = 0;
  while (!control.done()) {
    const double jerk = control.next_time() < 0.5 ? 1 : 1000;
    const double error = jerk * std::pow(control.step(), 3);
    if (control.too_large(error)) {
      ASSERT_TRUE(control.refuse(error));
      continue;
    }
    largest = std::max(largest, error);
    control.accept(error);
  }
  EXPECT_LE(largest, 1e-6);
  EXPECT_EQ(control.time(), 1);
  // 0.5 / 0.01 and 0.5 / 0.001 steps would just meet it; safety takes somewhat more.
  EXPECT_GT(control.n_steps(), 550U);
  EXPECT_LT(control.n_steps(), 850U);
}

TEST(StepControl, TheLargestStepIsABound) {
  StepControl control({.step = 0.01, .tolerance = 1, .smallest = 1e-9, .largest = 0.02, .order = 1},
                      {1});
  while (!control.done()) {
    EXPECT_LE(control.step(), 0.02 * (1 + 1e-12));
    control.accept(1e-12);
  }
}

/// What is left of the way of `from`, taken by a new control with these stops.
Walk walk_on(StepControl& from, const StepOptions& options, std::vector<double> stops) {
  test::MemoryState state;
  from.visit(state);
  state.load();
  StepControl loaded(options, std::move(stops));
  loaded.visit(state);
  return walk(loaded);
}

TEST(StepControl, LoadedItGoesOnToTheSameBits) {
  const std::vector<double> stops{0.3, 0.7, 1.1};
  const Walk whole = walk(StepControl({.step = 0.1}, stops));
  for (std::size_t n = 0; n <= whole.times.size(); ++n) {
    StepControl control({.step = 0.1}, stops);
    for (std::size_t k = 0; k < n; ++k) control.accept(0);
    const Walk rest = walk_on(control, {.step = 0.1}, stops);
    ASSERT_EQ(rest.times.size() + n, whole.times.size());
    EXPECT_TRUE(std::equal(rest.times.begin(), rest.times.end(),
                           whole.times.begin() + static_cast<std::ptrdiff_t>(n)));
    EXPECT_TRUE(std::equal(rest.lengths.begin(), rest.lengths.end(),
                           whole.lengths.begin() + static_cast<std::ptrdiff_t>(n)));
  }
}

TEST(StepControl, LoadedWithOtherStopsItGoesOnToTheNextOfThem) {
  StepControl at_end({.step = 1}, {4});
  for (int k = 0; k < 4; ++k) at_end.accept(0);
  EXPECT_EQ(walk_on(at_end, {.step = 1}, {7}).times, (std::vector<double>{5, 6, 7}));
  EXPECT_TRUE(walk_on(at_end, {.step = 1}, {4}).times.empty());
  EXPECT_TRUE(walk_on(at_end, {.step = 1}, {1, 3}).times.empty());
  StepControl halfway({.step = 1}, {4});
  for (int k = 0; k < 2; ++k) halfway.accept(0);
  EXPECT_EQ(walk_on(halfway, {.step = 1}, {1, 3, 5}).times, (std::vector<double>{3, 4, 5}));
}

TEST(StepControl, StopsThatDoNotAscendAreABug) {
  EXPECT_THROW(StepControl({.step = 1}, {}), Error);
  EXPECT_THROW(StepControl({.step = 1}, {1, 1}), Error);
  EXPECT_THROW(StepControl({.step = 1}, {0, 1}), Error);
}

}  // namespace
}  // namespace trestle::solver

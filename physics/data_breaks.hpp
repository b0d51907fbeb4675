// The times at which the data of a problem jump.
#pragma once

#include <vector>

#include "physics/problem.hpp"

namespace trestle::physics {

/// From the last time with the old data to the first one with the new ones [s]; the same but where
/// a table is steep.
struct DataBreak {
  double from, until;
};

/// The breaks in (0, end) [s], ascending, of conditions that use t: where a comparison, `step`,
/// `sign`, `floor` or `ceil` of t alone changes its value, and where a table of t goes from one
/// pair to the next within a tenth of `step` [s] while its other pairs are farther apart. Changes
/// are looked for in intervals of `step`, or of a thousandth of the end: of two within one that
/// cancel each other nothing is seen. What depends on place too jumps at other times elsewhere, and
/// is left out. Empty where there are more breaks than steps.
std::vector<DataBreak> data_breaks(const Problem& problem, double end, double step);

}  // namespace trestle::physics

// A sweep: the same case for each combination of the values of some keys.
#pragma once

#include <string>
#include <vector>

namespace trestle::jobs {

struct SweepPoint {
  std::string name;                    // unique, and fit for a folder: 02-young=2e9
  std::vector<std::string> overrides;  // key=value, a --set each
};

/// The combinations of `axes`, each `key.path=value,value...` with values in YAML; commas within
/// brackets and quotes separate nothing. The last axis runs fastest. Throws Error(64) for an axis
/// without values, a key twice, or more than `most_points` points.
std::vector<SweepPoint> make_sweep(const std::vector<std::string>& axes);

constexpr std::size_t most_points = 10'000;

/// `text` with what is no good in the name of a folder as `_`, of at most `limit` bytes.
std::string folder_name(const std::string& text, std::size_t limit = 80);

}  // namespace trestle::jobs

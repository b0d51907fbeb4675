// The measured items of `trestle bench`, and how they are shown.
#pragma once

#include <string>
#include <vector>

#include "app/bench/items.hpp"

namespace trestle::app {

/// An item with its times; bytes are of all ranks.
struct BenchResult {
  std::string name, unit, formula;
  GlobalIndex n = 0;
  double model_bytes = 0;
  double counted_bytes = 0;  // 0: not counted
  double best_s = 0;         // of the slowest rank
  double median_s = 0;

  /// Counted, else the model's.
  double bytes() const { return counted_bytes > 0 ? counted_bytes : model_bytes; }
  double gb_s() const { return bytes() / best_s * 1e-9; }
};

struct BenchRun {
  std::string device;
  int ranks = 1;
  int repeats = 0;
  std::vector<BenchResult> results;  // the triad first

  double percent_of_triad(const BenchResult& result) const {
    return 100 * (result.gb_s() / results.front().gb_s());
  }
};

/// Runs every item once to warm up and then `repeats` times, in rounds, so that all share what
/// disturbs the machine. Collective.
BenchRun measure(const Comm& comm, const gpu::Device& device, const BenchItems& items, int repeats);

/// A heading and a line per item.
std::vector<std::string> bench_table(const BenchRun& run);
std::string bench_json(const BenchRun& run);

}  // namespace trestle::app

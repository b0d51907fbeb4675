#include "app/bench/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/stopwatch.hpp"
#include "io/version.hpp"

namespace trestle::app {
namespace {

constexpr int schema = 1;

/// Seconds of one run on the slowest rank. Collective.
double time_of(const Comm& comm, const gpu::Device& device, const BenchItem& item) {
  device.synchronize();
  comm.barrier();
  const Stopwatch watch;
  item.run();
  device.synchronize();
  return comm.max(watch.seconds());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

}  // namespace

BenchRun measure(const Comm& comm, const gpu::Device& device, const BenchItems& items,
                 int repeats) {
  std::vector<std::vector<double>> seconds(items.size());
  for (int round = 0; round <= repeats; ++round)
    for (std::size_t i = 0; i < items.size(); ++i) {
      const double s = time_of(comm, device, items[i]);
      if (round > 0) seconds[i].push_back(s);
    }
  BenchRun run{.device = device.name(), .ranks = comm.size(), .repeats = repeats};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const BenchItem& item = items[i];
    run.results.push_back({.name = item.name,
                           .unit = item.unit,
                           .formula = item.formula,
                           .n = item.n,
                           .model_bytes = comm.sum(item.model_bytes),
                           .counted_bytes = comm.sum(item.counted_bytes),
                           .best_s = *std::min_element(seconds[i].begin(), seconds[i].end()),
                           .median_s = median(seconds[i])});
  }
  return run;
}

std::vector<std::string> bench_table(const BenchRun& run) {
  std::vector<std::string> lines{
      fmt::format("{:24} {:>10} {:8} {:>8} {:>8} {:>9} {:>9} {:>7} {:>8} {:>8}", "item", "n", "of",
                  "B model", "B moved", "best ms", "median ms", "GB/s", "% triad", "M/s")};
  for (const BenchResult& r : run.results) {
    const auto n = static_cast<double>(r.n);
    lines.push_back(fmt::format(
        "{:24} {:10} {:8} {:8.0f} {:>8} {:9.2f} {:9.2f} {:7.2f} {:8.1f} {:8.2f}", r.name, r.n,
        r.unit, r.model_bytes / n,
        r.counted_bytes > 0 ? fmt::format("{:.0f}", r.counted_bytes / n) : "-", 1e3 * r.best_s,
        1e3 * r.median_s, r.gb_s(), run.percent_of_triad(r), n / r.best_s * 1e-6));
  }
  lines.push_back(
      "bytes are of one run for each of n: by the model, and counted from the arrays that are read "
      "and written; GB/s, percent and M/s are those of the best run, GB/s of the model's bytes "
      "where none are counted");
  return lines;
}

std::string bench_json(const BenchRun& run) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const BenchResult& r : run.results)
    items.push_back({{"name", r.name},
                     {"unit", r.unit},
                     {"n", r.n},
                     {"model", r.formula},
                     {"model_bytes", r.model_bytes},
                     {"bytes", r.bytes()},
                     {"counted", r.counted_bytes > 0},
                     {"best_s", r.best_s},
                     {"median_s", r.median_s},
                     {"gb_s", r.gb_s()},
                     {"percent_of_triad", run.percent_of_triad(r)},
                     {"n_per_s", static_cast<double>(r.n) / r.best_s}});
  const nlohmann::ordered_json all{
      {"schema", schema},   {"version", io::version}, {"device", run.device},
      {"ranks", run.ranks}, {"repeats", run.repeats}, {"triad_gb_s", run.results.front().gb_s()},
      {"items", items}};
  return all.dump(1) + "\n";
}

}  // namespace trestle::app

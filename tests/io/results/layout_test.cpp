// Rows dealt out in any order come to slices in the order of ids.
#include "io/results/layout.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/readers/sample_results.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

using test::world;

/// Row id has id % 3 values, the first of which is id.
std::vector<GlobalIndex> list_of(GlobalIndex id) {
  std::vector<GlobalIndex> list(static_cast<std::size_t>(id % 3));
  std::iota(list.begin(), list.end(), id);
  return list;
}

TEST(ToSlices, BringsMoreThanARoundTakes) {
  const auto n_ranks = static_cast<GlobalIndex>(world().size());
  const GlobalIndex n =
      n_ranks * n_ranks * static_cast<GlobalIndex>(entries_per_round) * 5 / 4;  // 2 rounds
  std::vector<GlobalIndex> ids;
  for (GlobalIndex id = n - 1; id >= 0; --id)
    if (test::dealt_to(world(), id)) ids.push_back(id);
  const ToSlices order(world(), n, ids, "row");
  const Share share = order.share();
  std::vector<GlobalIndex> rows(static_cast<std::size_t>(share.count())), lists;
  std::iota(rows.begin(), rows.end(), share.first);
  EXPECT_EQ(order.move(std::span<const GlobalIndex>(ids)), rows);

  std::vector<Offset> ends;
  for (GlobalIndex id : rows) {
    const auto list = list_of(id);
    lists.insert(lists.end(), list.begin(), list.end());
    ends.push_back(std::ssize(lists));
  }
  std::vector<GlobalIndex> list;
  const auto of_entry = [&](std::size_t i) {
    list = list_of(ids[i]);
    return std::span<const GlobalIndex>(list);
  };
  EXPECT_EQ(order.move_lists<GlobalIndex>(of_entry, ends), lists);
}

}  // namespace
}  // namespace trestle::io

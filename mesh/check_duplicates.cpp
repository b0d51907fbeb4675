// Merges elements that have the same nodes, as Gmsh writes them once per group.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/error.hpp"
#include "mesh/check_steps.hpp"
#include "mesh/sort_keys.hpp"

namespace trestle::mesh {
namespace {

std::vector<GlobalIndex> sorted_nodes(const RawBlock& block, std::size_t e) {
  const auto begin = block.nodes.begin() + static_cast<std::ptrdiff_t>(e * width_of(block));
  std::vector<GlobalIndex> nodes(begin, begin + static_cast<std::ptrdiff_t>(width_of(block)));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// Unions of group sets.
class SetUnions {
 public:
  explicit SetUnions(std::vector<std::vector<int>>& sets) : sets_(sets) {
    for (std::size_t s = 0; s < sets.size(); ++s) index_.emplace(sets[s], static_cast<int>(s));
  }
  int of(int a, int b) {
    if (a == b) return a;
    const auto& left = sets_[static_cast<std::size_t>(a)];
    const auto& right = sets_[static_cast<std::size_t>(b)];
    std::vector<int> both;
    std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
    const auto [place, is_new] = index_.try_emplace(both, static_cast<int>(sets_.size()));
    if (is_new) sets_.push_back(both);
    return place->second;
  }

 private:
  std::vector<std::vector<int>>& sets_;
  std::map<std::vector<int>, int> index_;
};

/// Merges the duplicates of one block into their first; returns the ids of those that go.
std::vector<std::int64_t> merge_block(RawBlock& block, SetUnions& unions) {
  std::vector<std::uint64_t> keys(block.size());
  const std::size_t n = width_of(block);
  for (std::size_t e = 0; e < block.size(); ++e)
    keys[e] = hash_of(block.nodes.data() + e * n, n) >> 1;
  const std::vector<Index> order = order_by_key(keys, std::less<Index>());
  std::vector<Index> gone;
  for (std::size_t first = 0, k = 1; k < order.size(); ++k) {
    const auto a = static_cast<std::size_t>(order[first]);
    const auto b = static_cast<std::size_t>(order[k]);
    if (keys[b] != keys[a]) {
      first = k;
      continue;
    }
    if (sorted_nodes(block, a) != sorted_nodes(block, b)) continue;
    block.group_set[a] = unions.of(block.group_set[a], block.group_set[b]);
    gone.push_back(order[k]);
  }
  std::vector<std::int64_t> ids;
  if (gone.empty()) return ids;
  std::sort(gone.begin(), gone.end());
  std::vector<std::uint8_t> keep(block.size(), 1);
  for (const Index e : gone) {
    ids.push_back(block.tags[static_cast<std::size_t>(e)]);
    keep[static_cast<std::size_t>(e)] = 0;
  }
  keep_entities(block, keep);
  return ids;
}

/// An id names one element in messages and results.
void refuse_shared_ids(const RawMesh& mesh) {
  std::vector<std::int64_t> tags;
  for (const auto* blocks : {&mesh.cells, &mesh.entities})
    for (const RawBlock& block : *blocks)
      tags.insert(tags.end(), block.tags.begin(), block.tags.end());
  std::sort(tags.begin(), tags.end());
  std::vector<std::int64_t> shared;
  for (std::size_t i = 1; i < tags.size(); ++i)
    if (tags[i] == tags[i - 1] && (shared.empty() || shared.back() != tags[i]))
      shared.push_back(tags[i]);
  if (!shared.empty())
    throw MeshError(
        fmt::format("{} element ids belong to several elements with different nodes: {}",
                    shared.size(), list_of(shared)));
}

}  // namespace

void merge_duplicates(RawMesh& mesh) {
  SetUnions unions(mesh.group_sets);
  for (auto* blocks : {&mesh.cells, &mesh.entities})
    for (RawBlock& block : *blocks) {
      std::vector<std::int64_t> ids = merge_block(block, unions);
      const std::size_t n = ids.size();
      ids.erase(std::unique(ids.begin(), ids.end()), ids.end());  // Gmsh repeats an id per group
      if (n > 0)
        mesh.warnings.push_back(fmt::format(
            "{} elements of type {} have the same nodes as an earlier one and are merged "
            "with it, with the groups of both: {}.",
            n, traits(block.type).name, list_of(ids)));
    }
  refuse_shared_ids(mesh);
}

}  // namespace trestle::mesh

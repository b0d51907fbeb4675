#include "io/mesh/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace trestle::io {
namespace {

/// The sum of the hashes of many things, in whatever order they come; 128 bits as four parts, so
/// that sums over ranks do not overflow.
class Sum {
 public:
  void add(std::span<const std::uint64_t> words) {
    const XXH128_hash_t hash = XXH3_128bits(words.data(), words.size_bytes());
    low_ += hash.low64;
    high_ += hash.high64;
  }
  /// Collective.
  std::string over_ranks(const Comm& comm) const {
    constexpr std::uint64_t half = 0xffffffff;
    std::array<std::int64_t, 4> parts{
        static_cast<std::int64_t>(low_ & half), static_cast<std::int64_t>(low_ >> 32),
        static_cast<std::int64_t>(high_ & half), static_cast<std::int64_t>(high_ >> 32)};
    comm.sum(std::span<std::int64_t>(parts));
    const auto whole = [&](std::size_t i) {
      return static_cast<std::uint64_t>(parts[i]) +
             (static_cast<std::uint64_t>(parts[i + 1]) << 32);
    };
    return fmt::format("{:016x}{:016x}", whole(0), whole(2));
  }

 private:
  std::uint64_t low_ = 0, high_ = 0;
};

std::uint64_t bits(double value) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

std::uint64_t name_hash(const mesh::Mesh& mesh, int set) {
  std::vector<std::string> names;
  for (const int group : mesh.group_sets[static_cast<std::size_t>(set)])
    names.push_back(mesh.groups[static_cast<std::size_t>(group)].group.name);
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) all += name + '\n';
  return XXH3_64bits(all.data(), all.size());
}

enum Kind : std::uint64_t { node, cell, entity };

/// What is hashed of one cell or entity, at most so many words.
using Words = std::array<std::uint64_t, 32>;

}  // namespace

std::string mesh_hash(const mesh::Mesh& mesh) {
  Sum sum;
  const auto ids = mesh.nodes->ids();
  for (std::size_t n = 0; n < static_cast<std::size_t>(mesh.nodes->n_owned()); ++n)
    sum.add(std::array{std::uint64_t{Kind::node}, static_cast<std::uint64_t>(ids[n]),
                       bits(mesh.coordinates[3 * n]), bits(mesh.coordinates[3 * n + 1]),
                       bits(mesh.coordinates[3 * n + 2])});
  std::vector<std::uint64_t> of_set;
  for (std::size_t s = 0; s < mesh.group_sets.size(); ++s)
    of_set.push_back(name_hash(mesh, static_cast<int>(s)));
  const auto id_of = [&](Index local) {
    return static_cast<std::uint64_t>(ids[static_cast<std::size_t>(local)]);
  };
  for (const mesh::CellBlock& block : mesh.cells) {
    const std::size_t n_nodes = block.ids.empty() ? 0 : block.nodes.size() / block.ids.size();
    for (std::size_t c = 0; c < block.ids.size(); ++c) {
      if (block.owned[c] == 0) continue;
      const auto set = static_cast<std::size_t>(std::max(block.group_set[c], 0));
      Words words{Kind::cell, static_cast<std::uint64_t>(block.ids[c]),
                  static_cast<std::uint64_t>(block.type), set < of_set.size() ? of_set[set] : 0};
      for (std::size_t a = 0; a < n_nodes; ++a) words[4 + a] = id_of(block.nodes[c * n_nodes + a]);
      sum.add(std::span(words).first(4 + n_nodes));
    }
  }
  for (const mesh::LocalGroup& group : mesh.groups) {
    const std::uint64_t name = XXH3_64bits(group.group.name.data(), group.group.name.size());
    for (const mesh::Entity& one : group.entities) {
      if (!one.owned) continue;
      Words words{Kind::entity, name};
      const auto n_nodes = static_cast<std::size_t>(mesh::traits(one.type).n_nodes);
      for (std::size_t a = 0; a < n_nodes; ++a) words[2 + a] = id_of(one.nodes[a]);
      const auto used = std::span(words).first(2 + n_nodes);
      std::ranges::sort(used.subspan(2));
      sum.add(used);
    }
  }
  return sum.over_ranks(mesh.comm());
}

}  // namespace trestle::io

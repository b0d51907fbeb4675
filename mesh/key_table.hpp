// Keys (canonical ids, or sorted vertices of edges and faces) numbered in the order of their first
// use.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace trestle::mesh {

/// The vertices of an edge, face or cell: its first `n` entries are sorted, the others are -1.
/// Two are equal when they are the same edge, face or cell.
template <std::size_t width>
using VertexKey = std::array<GlobalIndex, width>;

/// The key of vertices vertex(0) .. vertex(n-1), by insertion: n is at most 8.
template <std::size_t width, class Vertex>
VertexKey<width> make_vertex_key(int n, const Vertex& vertex) {
  VertexKey<width> key;
  key.fill(-1);
  for (int i = 0; i < n; ++i) {
    const GlobalIndex id = vertex(i);
    auto at = static_cast<std::size_t>(i);
    for (; at > 0 && key[at - 1] > id; --at) key[at] = key[at - 1];
    key[at] = id;
  }
  return key;
}

/// A hash table with linear probing. Key is GlobalIndex or an array of them. Keys that follow each
/// other (or share their first id) stand close together, because meshes are walked so.
template <class Key>
class KeyTable {
 public:
  explicit KeyTable(std::size_t expected = 0) { resize(expected); }

  /// The number of `key`, which is added when it is new.
  Index insert(const Key& key) {
    if (2 * (keys_.size() + 1) > slots_.size()) resize(slots_.size());
    std::size_t slot = first_slot(key);
    for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1))
      if (keys_[static_cast<std::size_t>(slots_[slot])] == key) return slots_[slot];
    keys_.push_back(key);
    return slots_[slot] = narrow<Index>(keys_.size() - 1);
  }

  /// The number of `key`, or -1.
  Index find(const Key& key) const {
    std::size_t slot = first_slot(key);
    for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1))
      if (keys_[static_cast<std::size_t>(slots_[slot])] == key) return slots_[slot];
    return -1;
  }

  /// All keys by number.
  const std::vector<Key>& keys() const { return keys_; }
  std::size_t size() const { return keys_.size(); }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio [Knuth 6.4]

  /// A group of 8 slots by one part of the key, a slot in it by the other.
  std::size_t first_slot(GlobalIndex id) const {
    const auto bits = static_cast<std::uint64_t>(id);
    return group(bits >> 3) + (bits & 7);
  }
  template <std::size_t n>
  std::size_t first_slot(const std::array<GlobalIndex, n>& key) const {
    std::uint64_t rest = 0;
    for (std::size_t i = 1; i < n; ++i) rest = (rest ^ static_cast<std::uint64_t>(key[i])) * golden;
    return group(static_cast<std::uint64_t>(key[0])) + (rest >> 61);
  }
  std::size_t group(std::uint64_t bits) const {
    return static_cast<std::size_t>(bits * golden >> shift_) << 3;
  }

  void resize(std::size_t expected) {
    std::size_t n = 64;
    for (shift_ = 61; n < 2 * expected; n *= 2) --shift_;
    slots_.assign(n, -1);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::size_t slot = first_slot(keys_[i]);
      while (slots_[slot] >= 0) slot = (slot + 1) & (n - 1);
      slots_[slot] = static_cast<Index>(i);
    }
  }

  std::vector<Index> slots_;  // a power of two, at most half full; -1 is empty
  std::vector<Key> keys_;
  int shift_ = 61;
};

}  // namespace trestle::mesh

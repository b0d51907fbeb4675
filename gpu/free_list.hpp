// FreeList: first-fit allocation of offsets in a range of bytes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace trestle::gpu {

/// Blocks are multiples of `alignment`; neighbouring free blocks are joined.
class FreeList {
 public:
  static constexpr std::size_t alignment = 256;

  explicit FreeList(std::size_t bytes) : free_{{0, bytes}}, bytes_free_(bytes) {}

  /// The offset of a block of at least `bytes`, or nothing when no free block is large enough.
  std::optional<std::size_t> allocate(std::size_t bytes);
  /// Gives back what `allocate` returned; returns its size.
  std::size_t release(std::size_t offset);
  std::size_t bytes_free() const { return bytes_free_; }

 private:
  std::map<std::size_t, std::size_t> free_;  // offset -> bytes
  std::map<std::size_t, std::size_t> used_;
  std::size_t bytes_free_;
};

}  // namespace trestle::gpu

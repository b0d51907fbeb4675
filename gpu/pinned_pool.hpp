// PinnedPool: keeps blocks of pinned host memory, because the system is slow to pin it.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>

namespace trestle::gpu {

/// Blocks are powers of two of bytes; released ones serve the next request of their size.
class PinnedPool {
 public:
  /// `pin` returns null when there is no more memory.
  using Pin = void* (*)(std::size_t bytes);
  using Unpin = void (*)(void* memory);
  PinnedPool(Pin pin, Unpin unpin) : pin_(pin), unpin_(unpin) {}
  ~PinnedPool();
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  /// Throws SystemError (71) that names `item`.
  void* allocate(std::size_t bytes, std::string_view item);
  void release(void* memory);

 private:
  void unpin_free_blocks();

  Pin pin_;
  Unpin unpin_;
  std::multimap<std::size_t, void*> free_;
  std::map<void*, std::size_t> used_;
};

}  // namespace trestle::gpu

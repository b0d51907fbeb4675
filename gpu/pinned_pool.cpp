#include "gpu/pinned_pool.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "core/error.hpp"

namespace trestle::gpu {

PinnedPool::~PinnedPool() {
  unpin_free_blocks();
  for (const auto& block : used_) unpin_(block.first);
}

void* PinnedPool::allocate(std::size_t bytes, std::string_view item) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(bytes, 4096));
  void* memory = nullptr;
  if (const auto kept = free_.find(size); kept != free_.end()) {
    memory = kept->second;
    free_.erase(kept);
  } else {
    memory = pin_(size);
    if (memory == nullptr) {
      unpin_free_blocks();
      memory = pin_(size);
    }
  }
  if (memory == nullptr)
    throw SystemError(ExitCode::system, "out of pinned host memory: " + std::string(item) +
                                            " asked for " + std::to_string(bytes) +
                                            " bytes; raise the limit of locked memory (ulimit -l) "
                                            "or use fewer ranks on this machine");
  used_.emplace(memory, size);
  return memory;
}

void PinnedPool::release(void* memory) {
  const auto block = used_.find(memory);
  free_.emplace(block->second, block->first);
  used_.erase(block);
}

void PinnedPool::unpin_free_blocks() {
  for (const auto& block : free_) unpin_(block.second);
  free_.clear();
}

}  // namespace trestle::gpu

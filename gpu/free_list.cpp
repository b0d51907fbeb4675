#include "gpu/free_list.hpp"

#include <algorithm>
#include <iterator>

namespace trestle::gpu {

std::optional<std::size_t> FreeList::allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  const auto fits = std::find_if(free_.begin(), free_.end(),
                                 [&](const auto& block) { return block.second >= rounded; });
  if (fits == free_.end()) return std::nullopt;
  const auto [offset, size] = *fits;
  free_.erase(fits);
  if (size > rounded) free_.emplace(offset + rounded, size - rounded);
  used_.emplace(offset, rounded);
  bytes_free_ -= rounded;
  return offset;
}

std::size_t FreeList::release(std::size_t offset) {
  const auto used = used_.find(offset);
  const std::size_t bytes = used->second;
  used_.erase(used);
  bytes_free_ += bytes;
  auto block = free_.emplace(offset, bytes).first;
  const auto next = std::next(block);
  if (next != free_.end() && block->first + block->second == next->first) {
    block->second += next->second;
    free_.erase(next);
  }
  if (block != free_.begin()) {
    const auto before = std::prev(block);
    if (before->first + before->second == block->first) {
      before->second += block->second;
      free_.erase(block);
    }
  }
  return bytes;
}

}  // namespace trestle::gpu

#include "gpu/memory_account.hpp"

#include <algorithm>

namespace trestle::gpu {

void MemoryAccount::add(std::string_view item, std::size_t bytes) {
  auto found = items_.find(item);
  if (found == items_.end()) found = items_.emplace(std::string(item), Entry{}).first;
  for (Entry* entry : {&found->second, &total_}) {
    entry->bytes += bytes;
    entry->peak = std::max(entry->peak, entry->bytes);
  }
}

void MemoryAccount::remove(std::string_view item, std::size_t bytes) {
  items_.find(item)->second.bytes -= bytes;
  total_.bytes -= bytes;
}

}  // namespace trestle::gpu

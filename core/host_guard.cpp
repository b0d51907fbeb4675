#include "core/host_guard.hpp"

#include <map>
#include <string>

#include "core/error.hpp"

namespace trestle {
namespace {

// Address space is one per process, and so is this table.
std::map<const char*, std::size_t>& guarded() {
  static std::map<const char*, std::size_t> ranges;
  return ranges;
}

}  // namespace

void guard_device_memory(const void* begin, std::size_t bytes) {
  guarded()[static_cast<const char*>(begin)] = bytes;
}

void release_device_memory(const void* begin) { guarded().erase(static_cast<const char*>(begin)); }

void refuse_device_memory(const void* address, const char* call) {
  const char* at = static_cast<const char*>(address);
  auto next = guarded().upper_bound(at);
  if (next == guarded().begin()) return;
  --next;
  if (at < next->first + next->second)
    throw Error(ExitCode::bug,
                std::string(call) + " was given device memory; copy it to a host buffer first");
}

}  // namespace trestle

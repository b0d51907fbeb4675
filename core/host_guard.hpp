// Address ranges that belong to a device: MPI and file calls refuse them, so that a missing copy
// shows at once.
#pragma once

#include <cstddef>

namespace trestle {

/// Declares [begin, begin + bytes) as memory that only a device may touch, until
/// `release_device_memory`.
void guard_device_memory(const void* begin, std::size_t bytes);
void release_device_memory(const void* begin);

/// Throws Error(70) naming `call` when `address` lies in a guarded range.
void refuse_device_memory(const void* address, const char* call);

}  // namespace trestle

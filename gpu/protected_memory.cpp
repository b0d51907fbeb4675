#include "gpu/protected_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "core/error.hpp"

namespace trestle::gpu {
namespace {

constexpr std::size_t commit_step = std::size_t{4} << 20;

void check(bool ok, const char* call) {
  if (!ok)
    throw SystemError(ExitCode::system, std::string(call) + " failed for the memory of the debug " +
                                            "device: " + std::strerror(errno));
}

/// The one protection key of this process (a process has fifteen), or -1 without such keys.
int key() {
  static const int allocated = pkey_alloc(0, PKEY_DISABLE_ACCESS);
  return allocated;
}

}  // namespace

Protection best_protection() { return key() >= 0 ? Protection::keys : Protection::pages; }

ProtectedMemory::ProtectedMemory(std::size_t bytes, Protection protection)
    : size_(bytes), protection_(protection) {
  void* const range =
      mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  check(range != MAP_FAILED, "mmap");
  begin_ = static_cast<std::byte*>(range);
}

ProtectedMemory::~ProtectedMemory() { munmap(begin_, size_); }

void ProtectedMemory::commit(std::size_t bytes) {
  if (bytes <= committed_) return;
  const std::size_t end = std::min(size_, (bytes + commit_step - 1) / commit_step * commit_step);
  if (protection_ == Protection::keys)
    check(pkey_mprotect(begin_ + committed_, end - committed_, PROT_READ | PROT_WRITE, key()) == 0,
          "pkey_mprotect");
  committed_ = end;
}

void ProtectedMemory::discard(std::size_t offset, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t first = (offset + page - 1) / page * page;
  const std::size_t last = (offset + bytes) / page * page;
  if (last > first) madvise(begin_ + first, last - first, MADV_DONTNEED);
}

void ProtectedMemory::set_access(bool allowed) const {
  if (protection_ == Protection::keys)
    check(pkey_set(key(), allowed ? 0U : PKEY_DISABLE_ACCESS) == 0, "pkey_set");
  else if (committed_ > 0)
    check(mprotect(begin_, committed_, allowed ? PROT_READ | PROT_WRITE : PROT_NONE) == 0,
          "mprotect");
}

}  // namespace trestle::gpu

// ProtectedMemory: a range of addresses that this process can touch only while it is open.
#pragma once

#include <cstddef>

namespace trestle::gpu {

enum class Protection {
  keys,   // memory protection keys: a register is written at each opening
  pages,  // mprotect of all that is committed: works everywhere, slowly
};

/// Keys where processor and kernel have them.
Protection best_protection();

/// Reserves addresses without memory; memory comes with `commit`. Closed at first. Openings do not
/// nest. Throws SystemError (71) when the operating system refuses.
class ProtectedMemory {
 public:
  explicit ProtectedMemory(std::size_t bytes, Protection protection = best_protection());
  ~ProtectedMemory();
  ProtectedMemory(const ProtectedMemory&) = delete;
  ProtectedMemory& operator=(const ProtectedMemory&) = delete;

  std::byte* begin() const { return begin_; }
  std::size_t size() const { return size_; }
  Protection protection() const { return protection_; }
  /// Makes the first `bytes` usable.
  void commit(std::size_t bytes);
  /// Gives the pages that lie wholly inside back to the system; their content is lost.
  void discard(std::size_t offset, std::size_t bytes);

  /// While it lives, the calling thread may read and write what is committed.
  class Open {
   public:
    explicit Open(const ProtectedMemory& memory) : memory_(memory) { memory_.set_access(true); }
    ~Open() { memory_.set_access(false); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    const ProtectedMemory& memory_;
  };

 private:
  void set_access(bool allowed) const;

  std::size_t size_;
  Protection protection_;
  std::byte* begin_ = nullptr;
  std::size_t committed_ = 0;
};

}  // namespace trestle::gpu

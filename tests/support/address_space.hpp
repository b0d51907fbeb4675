// A limit of memory for a test.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace trestle::test {

/// While it lives, the process may map `bytes` more than it has mapped (RLIMIT_AS).
class AddressSpace {
 public:
  explicit AddressSpace(rlim_t bytes) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + bytes,
                       before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpace() { setrlimit(RLIMIT_AS, &before_); }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

 private:
  rlimit before_{};
};

}  // namespace trestle::test

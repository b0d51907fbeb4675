// The memory in which BLAS works, where a limit leaves too little.
#include "solver/blas_workspace.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "core/error.hpp"

namespace trestle::solver {
namespace {

/// What the process has mapped [bytes].
rlim_t mapped() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// RLIMIT_AS while it lives.
class AddressSpace {
 public:
  explicit AddressSpace(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpace() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(BlasWorkspace, IsRefusedInsteadOfAskedForForEver) {
  constexpr rlim_t mib = 1 << 20;
  {
    const AddressSpace tight(mapped() + 32 * mib);
    try {
      take_blas_workspace();
      FAIL() << "nothing was refused";
    } catch (const SystemError& error) {
      EXPECT_EQ(error.code(), ExitCode::system);
      EXPECT_NE(std::string(error.what()).find("ulimit -v"), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(take_blas_workspace());
}

}  // namespace
}  // namespace trestle::solver

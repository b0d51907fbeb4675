// The memory in which BLAS works, where a limit leaves too little.
#include "solver/blas_workspace.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "tests/support/address_space.hpp"

namespace trestle::solver {
namespace {

TEST(BlasWorkspace, IsRefusedInsteadOfAskedForForEver) {
  constexpr rlim_t mib = 1 << 20;
  {
    const test::AddressSpace tight(32 * mib);
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

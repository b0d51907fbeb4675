#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

/// Where the library or program that holds `address` was loaded.
void* base_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

void in_this_program() {}

TEST(Waiting, OfLibrariesGoesThroughTheProgramsOwnYield) {
  void* found = dlsym(RTLD_DEFAULT, "sched_yield");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(base_of(found), base_of(reinterpret_cast<void*>(&in_this_program)));
}

}  // namespace

#include "gpu/pinned_pool.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.hpp"

namespace trestle::test {
namespace {

int n_pinned = 0;
std::size_t bytes_left = 0;

void* pin(std::size_t bytes) {
  if (bytes > bytes_left) return nullptr;
  ++n_pinned;
  return std::malloc(bytes);
}
void unpin(void* memory) {
  --n_pinned;
  std::free(memory);
}

TEST(PinnedPool, ReleasedBlockServesTheNextRequestOfItsSize) {
  bytes_left = 1 << 20;
  gpu::PinnedPool pool(pin, unpin);
  void* const first = pool.allocate(5000, "halo");
  void* const other = pool.allocate(5000, "halo");
  EXPECT_NE(first, other);
  pool.release(first);
  EXPECT_EQ(pool.allocate(8000, "halo"), first);
  EXPECT_NE(pool.allocate(9000, "halo"), first);
  EXPECT_EQ(n_pinned, 3);
}

TEST(PinnedPool, EverythingIsUnpinnedAtTheEnd) {
  bytes_left = 1 << 20;
  {
    gpu::PinnedPool pool(pin, unpin);
    pool.allocate(100, "halo");
    pool.release(pool.allocate(5000, "halo"));
    EXPECT_EQ(n_pinned, 2);
  }
  EXPECT_EQ(n_pinned, 0);
}

TEST(PinnedPool, RefusalNamesTheItemAfterFreeBlocksWereGivenUp) {
  bytes_left = 1 << 20;
  gpu::PinnedPool pool(pin, unpin);
  pool.release(pool.allocate(4096, "halo"));
  bytes_left = 0;
  try {
    pool.allocate(1 << 21, "output");
    FAIL() << "memory came from nowhere";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.code(), ExitCode::system);
    EXPECT_NE(std::string(error.what()).find("output"), std::string::npos);
  }
  EXPECT_EQ(n_pinned, 0);
}

}  // namespace
}  // namespace trestle::test

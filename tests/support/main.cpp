// main of every test program: ranks run the same tests in step; one failing rank fails the program.
#include <gtest/gtest.h>
#include <petscsys.h>

#include <cstdlib>
#include <memory>

#include "tests/support/devices.hpp"

namespace trestle::test {
namespace {
std::unique_ptr<Comm> all_ranks;
}
const Comm& world() { return *all_ranks; }
}  // namespace trestle::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
  PETSC_COMM_WORLD = MPI_COMM_WORLD;
  PetscInitializeNoArguments();
  PetscPopSignalHandler();
  int failed = 0;
  {
    trestle::test::all_ranks = std::make_unique<trestle::Comm>(MPI_COMM_WORLD);
    if (!trestle::test::world().is_root()) {
      auto& listeners = testing::UnitTest::GetInstance()->listeners();
      delete listeners.Release(listeners.default_result_printer());
    }
    failed = RUN_ALL_TESTS();
    if (failed != 0 && !trestle::test::world().is_root())
      fprintf(stderr, "rank %d: %d test(s) failed\n", trestle::test::world().rank(),
              testing::UnitTest::GetInstance()->failed_test_count());
    failed = trestle::test::world().max(failed);
    trestle::test::all_ranks.reset();
  }
  PetscFinalize();
  MPI_Finalize();
  return failed;
}

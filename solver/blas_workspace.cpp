#include "solver/blas_workspace.hpp"

#include <fmt/format.h>
#include <petscsys.h>
// Needs the names of petscsys.h.
#include <petscblaslapack.h>
#include <sys/mman.h>

#include "core/error.hpp"

namespace trestle::solver {

void take_blas_workspace() {
  constexpr std::size_t mib = std::size_t{1} << 20, needed = 160 * mib;  // with some to spare
  void* space = mmap(nullptr, needed, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
    throw SystemError(
        ExitCode::system,
        fmt::format("out of memory before the start: BLAS works in {} MiB, and a limit of address "
                    "space leaves less; raise it (ulimit -v, RLIMIT_AS)",
                    needed / mib));
  munmap(space, needed);
  PetscBLASInt one = 1, info = 0;
  PetscScalar number = 1;
  LAPACKpotrf_("L", &one, &number, &one, &info);
}

}  // namespace trestle::solver

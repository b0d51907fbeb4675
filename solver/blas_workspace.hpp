// The memory in which BLAS works.
#pragma once

namespace trestle::solver {

/// OpenBLAS takes 128 MiB of address space with the first call that needs a workspace, keeps them,
/// and where they are not to be had asks again for ever. So they are taken before anything else:
/// throws SystemError (71) where a limit leaves less.
void take_blas_workspace();

}  // namespace trestle::solver

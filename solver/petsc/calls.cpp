#include "solver/petsc/calls.hpp"

#include <utility>

#include "core/error.hpp"

namespace trestle::solver {

/// Keeps the text of the first error of a chain; the callers above it only repeat it. Where memory
/// is refused, PETSc 3.18 gives its code as the line and the line as the code, and the name of the
/// function as the text [PetscMallocAlign of mal.c].
PetscErrorCode PetscCalls::keep(MPI_Comm, int line, const char* function, const char*,
                                PetscErrorCode code, PetscErrorType type, const char* text,
                                void* context) {
  if (type != PETSC_ERROR_INITIAL || text == nullptr) return code;
  PetscCalls& calls = *static_cast<PetscCalls*>(context);
  calls.message_ = text;
  const bool swapped = line == PETSC_ERR_MEM && function != nullptr && calls.message_ == function;
  calls.memory_refused_ = swapped || code == PETSC_ERR_MEM;
  return code;
}

PetscCalls::PetscCalls() { static_cast<void>(PetscPushErrorHandler(keep, this)); }

PetscCalls::~PetscCalls() { static_cast<void>(PetscPopErrorHandler()); }

void PetscCalls::check(PetscErrorCode code) {
  if (code == 0) return;
  const std::string text = "PETSc error " + std::to_string(static_cast<int>(code)) + ": " +
                           (message_.empty() ? "no message" : message_);
  message_.clear();
  if (std::exchange(memory_refused_, false) || code == PETSC_ERR_MEM)
    throw SystemError(ExitCode::system, "out of memory: " + text +
                                            "; use more ranks on more machines or a smaller mesh");
  switch (code) {
    case PETSC_ERR_ARG_UNKNOWN_TYPE:
    case PETSC_ERR_USER_INPUT:
    case PETSC_ERR_ARG_OUTOFRANGE:
    case PETSC_ERR_SUP:
    case PETSC_ERR_SUP_SYS:
    case PETSC_ERR_MISSING_FACTOR:
      throw CaseError({"solver: " + text + "; correct petsc_options"});
    default:
      throw NumericalError(ExitCode::diverged, text);
  }
}

}  // namespace trestle::solver

#include "solver/petsc/calls.hpp"

#include "core/error.hpp"

namespace trestle::solver {
namespace {

/// Keeps the text of the first error of a chain; the callers above it only repeat it.
PetscErrorCode keep_message(MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                            PetscErrorType type, const char* text, void* context) {
  if (type == PETSC_ERROR_INITIAL && text != nullptr) *static_cast<std::string*>(context) = text;
  return code;
}

}  // namespace

PetscCalls::PetscCalls() { static_cast<void>(PetscPushErrorHandler(keep_message, &message_)); }

PetscCalls::~PetscCalls() { static_cast<void>(PetscPopErrorHandler()); }

void PetscCalls::check(PetscErrorCode code) {
  if (code == 0) return;
  const std::string text = "PETSc error " + std::to_string(static_cast<int>(code)) + ": " +
                           (message_.empty() ? "no message" : message_);
  message_.clear();
  switch (code) {
    case PETSC_ERR_MEM:
      throw SystemError(ExitCode::system, text + "; use more ranks or a smaller mesh");
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

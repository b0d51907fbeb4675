// PETSc's errors as exceptions, and owners of its objects. Only the solver's .cpp files include it.
#pragma once

#include <petscksp.h>

#include <string>

namespace trestle::solver {

/// While it lives, PETSc's errors are kept for `check` instead of printed.
class PetscCalls {
 public:
  PetscCalls();
  ~PetscCalls();
  PetscCalls(const PetscCalls&) = delete;
  PetscCalls& operator=(const PetscCalls&) = delete;

  /// Throws Error with PETSc's message unless `code` is 0: CaseError (78) for a type or an option
  /// that PETSc refuses, SystemError (71) for lack of memory, NumericalError (80) else.
  void check(PetscErrorCode code);

 private:
  static PetscErrorCode keep(MPI_Comm, int line, const char* function, const char* file,
                             PetscErrorCode code, PetscErrorType type, const char* text,
                             void* context);
  std::string message_;
  bool memory_refused_ = false;
};

/// Owns a PETSc object; `Destroy` is VecDestroy, MatDestroy ...
template <class T, PetscErrorCode (*Destroy)(T*)>
class PetscOwned {
 public:
  PetscOwned() = default;
  PetscOwned(PetscOwned&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  PetscOwned& operator=(PetscOwned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PetscOwned() {
    if (object_ != nullptr) static_cast<void>(Destroy(&object_));
  }
  T get() const { return object_; }
  /// Forgets the object without destroying it: after an error inside PETSc its parts may be half
  /// gone, and to destroy them crashes.
  void abandon() { object_ = nullptr; }
  /// For the functions of PETSc that create.
  T* out() { return &object_; }

 private:
  T object_ = nullptr;
};

using PetscMat = PetscOwned<Mat, MatDestroy>;
using PetscVec = PetscOwned<Vec, VecDestroy>;
using PetscKsp = PetscOwned<KSP, KSPDestroy>;
using PetscNullSpace = PetscOwned<MatNullSpace, MatNullSpaceDestroy>;
using PetscOptionTable = PetscOwned<PetscOptions, PetscOptionsDestroy>;

}  // namespace trestle::solver

// PetscOptionSet: a private table of PETSc options, the only one that PETSc sees while its scope
// lives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solver/petsc/calls.hpp"

namespace trestle::solver {

class PetscOptionSet {
 public:
  /// Later tokens win. Throws CaseError (78) for tokens of `user` that are no options, that print
  /// or that name files.
  PetscOptionSet(PetscCalls& calls, const std::vector<std::string>& base,
                 const std::vector<std::string>& user);

  PetscOptions get() const { return table_.get(); }
  bool has(PetscCalls& calls, const char* name) const;
  /// Throws CaseError (78) that names the options of `user` that nobody asked for.
  void refuse_unused(PetscCalls& calls) const;

  /// Makes the table PETSc's default for its life.
  class Scope {
   public:
    Scope(PetscCalls& calls, const PetscOptionSet& options) {
      calls.check(PetscOptionsPush(options.get()));
    }
    ~Scope() { static_cast<void>(PetscOptionsPop()); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

 private:
  PetscOptionTable table_;
  std::vector<std::string> user_names_;
};

}  // namespace trestle::solver

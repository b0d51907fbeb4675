#include "solver/petsc/options.hpp"

#include <algorithm>
#include <cctype>

#include "core/error.hpp"

namespace trestle::solver {
namespace {

bool is_name(const std::string& token) {
  return token.size() > 1 && token[0] == '-' &&
         (std::isalpha(static_cast<unsigned char>(token[1])) != 0);
}

/// Why an option is not allowed in a case, or "".
std::string refusal(const std::string& name) {
  for (const char* word : {"view", "monitor", "converged_reason", "python", "ooc_tmpdir"})
    if (name.find(word) != std::string::npos)
      return "prints or names files, which a case may not ask of PETSc";
  for (const char* start : {"-options", "-prefix", "-log", "-info", "-malloc", "-help", "-version",
                            "-on_error", "-start_in", "-debug"})
    if (name.starts_with(start)) return "steers PETSc as a whole, not this solver";
  return "";
}

/// Splits tokens into options with a value or none.
std::vector<std::pair<std::string, const char*>> pairs_of(const std::vector<std::string>& tokens) {
  std::vector<std::pair<std::string, const char*>> pairs;
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_name(tokens[i])) {
      faults.push_back("solver.petsc_options: '" + tokens[i] +
                       "' is neither an option (-name) nor the value of one");
      continue;
    }
    const std::string why = refusal(tokens[i]);
    if (!why.empty()) faults.push_back("solver.petsc_options: " + tokens[i] + " " + why);
    const bool has_value = i + 1 < tokens.size() && !is_name(tokens[i + 1]);
    pairs.emplace_back(tokens[i], has_value ? tokens[i + 1].c_str() : nullptr);
    if (has_value) ++i;
  }
  if (!faults.empty()) throw CaseError(faults);
  return pairs;
}

}  // namespace

PetscOptionSet::PetscOptionSet(PetscCalls& calls, const std::vector<std::string>& base,
                               const std::vector<std::string>& user) {
  calls.check(PetscOptionsCreate(table_.out()));
  for (const auto& [name, value] : pairs_of(base))
    calls.check(PetscOptionsSetValue(get(), name.c_str(), value));
  for (const auto& [name, value] : pairs_of(user)) {
    calls.check(PetscOptionsSetValue(get(), name.c_str(), value));
    user_names_.push_back(name.substr(1));
  }
}

bool PetscOptionSet::has(PetscCalls& calls, const char* name) const {
  PetscBool set = PETSC_FALSE;
  calls.check(PetscOptionsHasName(get(), nullptr, name, &set));
  return set == PETSC_TRUE;
}

void PetscOptionSet::refuse_unused(PetscCalls& calls) const {
  PetscInt n = 0;
  char** names = nullptr;
  char** values = nullptr;
  calls.check(PetscOptionsLeftGet(get(), &n, &names, &values));
  std::vector<std::string> faults;
  for (PetscInt i = 0; i < n; ++i)
    if (std::find(user_names_.begin(), user_names_.end(), names[i]) != user_names_.end())
      faults.push_back("solver.petsc_options: PETSc does not use -" + std::string(names[i]) +
                       " with this method and preconditioner; remove it or correct its name");
  calls.check(PetscOptionsLeftRestore(get(), &n, &names, &values));
  if (!faults.empty()) throw CaseError(faults);
}

}  // namespace trestle::solver

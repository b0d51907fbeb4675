// Whether a run may go on with a case that has changed.
#pragma once

#include <string>
#include <vector>

namespace trestle::io {

/// One key of two resolved cases that is not the same.
struct CaseDifference {
  std::string key;          // "boundary[0].temperature"
  std::string before, now;  // "" where it is missing
  bool allowed = false;     // it changes nothing that a checkpoint holds
};

/// Compares the resolved texts of two cases key by key. The name of the mesh file is left out: the
/// mesh itself is compared. Throws Error(76) where `before` cannot be read.
std::vector<CaseDifference> compare_cases(const std::string& before, const std::string& now);

/// "  analysis.step: 0.1 -> 0.2", a line each.
std::string to_string(const std::vector<CaseDifference>& differences);

}  // namespace trestle::io

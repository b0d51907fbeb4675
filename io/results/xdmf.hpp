// Export of a results file for readers that do not know VTKHDF with steps: XDMF 3 with one plain
// HDF5 file per step.
#pragma once

#include <string>

namespace trestle::io {

/// Writes into `directory` (made when missing) NAME.xdmf, NAME_mesh.h5 and NAME_0000.h5, ... a file
/// per step, NAME being that of `results_path` without folder and suffix. Paths inside are
/// relative: the folder can be moved. Older files of these names are replaced; the .xdmf last.
/// Returns its path. On one rank. Throws as read_results, and SystemError 73, 74, 77.
std::string export_xdmf(const std::string& results_path, const std::string& directory);

}  // namespace trestle::io

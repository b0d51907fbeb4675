// What this build holds for CUDA cards, also where there is none.
#pragma once

#include <string>

namespace trestle::gpu {

/// "8.0 9.0 and PTX 9.0"; "" for a build without CUDA.
std::string cuda_built_for();

}  // namespace trestle::gpu

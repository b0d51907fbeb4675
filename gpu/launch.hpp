// The CUDA launch of a kernel struct; only nvcc sees it.
#pragma once

#include <cstdlib>

#include "core/types.hpp"

#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

namespace trestle::gpu {

#ifdef __CUDACC__
template <class Kernel>
__global__ void run_kernel(Offset n, Kernel kernel) {
  const Offset i = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) kernel(i);
}

/// Throws SystemError (82) with the name of the CUDA error unless `code` is success.
void check_cuda(int code, const char* what);

template <class Kernel>
void launch(void* stream, Offset n, const Kernel& kernel) {
  if (n == 0) return;
  constexpr int block = 128;
  run_kernel<<<static_cast<unsigned>((n + block - 1) / block), block, 0,
               static_cast<cudaStream_t>(stream)>>>(n, kernel);
  check_cuda(static_cast<int>(cudaGetLastError()), "kernel launch");
}
#else
/// Never reached: a build without CUDA has no cuda device.
template <class Kernel>
void launch(void*, Offset, const Kernel&) {
  std::abort();
}
#endif

}  // namespace trestle::gpu

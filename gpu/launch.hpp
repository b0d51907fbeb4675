// The CUDA launches of kernel structs; only nvcc sees their bodies.
#pragma once

#include <cstdlib>

#include "core/types.hpp"
#include "gpu/device.hpp"
#include "gpu/macros.hpp"

#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

namespace trestle::gpu {

#ifdef __CUDACC__
/// Throws SystemError (82) with the name of the CUDA error unless `code` is success.
void check_cuda(int code, const char* what);

template <class Kernel>
__global__ void run_kernel(Offset n, Kernel kernel) {
  const Offset i = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) kernel(i);
}

template <class Kernel>
void launch(void* stream, Offset n, const Kernel& kernel) {
  if (n == 0) return;
  constexpr int block = 128;
  run_kernel<<<static_cast<unsigned>((n + block - 1) / block), block, 0,
               static_cast<cudaStream_t>(stream)>>>(n, kernel);
  check_cuda(static_cast<int>(cudaGetLastError()), "kernel launch");
}

constexpr int reduction_threads = 256;

/// Sums each thread's strided share, then the threads of the block as a tree: no atomics, a fixed
/// order.
template <class Operation, class Kernel>
__global__ void reduce_to_blocks(Offset n, Kernel kernel, double* partial) {
  __shared__ double shared[reduction_threads];
  const Operation combine;
  const Offset step = static_cast<Offset>(gridDim.x) * reduction_threads;
  double value = Operation::neutral;
  for (Offset i = static_cast<Offset>(blockIdx.x) * reduction_threads + threadIdx.x; i < n;
       i += step)
    value = combine(value, kernel(i));
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = reduction_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = shared[0];
}

struct PartialValues {
  const double* values;
  TRESTLE_KERNEL double operator()(Offset i) const { return values[i]; }
};

template <class Operation, class Kernel>
double launch_reduction(const Device& device, Offset n, const Kernel& kernel) {
  if (n == 0) return Operation::neutral;
  const ReductionBuffers buffers = device.reduction_buffers();
  const Offset wanted = (n + reduction_threads - 1) / reduction_threads;
  const auto blocks =
      static_cast<unsigned>(wanted < buffers.n_partial ? wanted : buffers.n_partial);
  const auto stream = static_cast<cudaStream_t>(device.stream());
  reduce_to_blocks<Operation><<<blocks, reduction_threads, 0, stream>>>(n, kernel, buffers.partial);
  check_cuda(static_cast<int>(cudaGetLastError()), "reduction");
  reduce_to_blocks<Operation>
      <<<1, reduction_threads, 0, stream>>>(blocks, PartialValues{buffers.partial}, buffers.result);
  check_cuda(static_cast<int>(cudaGetLastError()), "reduction");
  device.copy_to_host(buffers.host_result, buffers.result, sizeof(double));
  device.synchronize();
  return *buffers.host_result;
}
#else
/// Never reached: a build without CUDA has no cuda device.
template <class Kernel>
void launch(void*, Offset, const Kernel&) {
  std::abort();
}
template <class Operation, class Kernel>
double launch_reduction(const Device&, Offset, const Kernel&) {
  std::abort();
}
#endif

}  // namespace trestle::gpu

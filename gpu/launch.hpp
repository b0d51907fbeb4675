// The CUDA launches of kernel structs; only nvcc sees their bodies.
#pragma once

#include <array>
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

/// Combines the values of the threads of a block as a tree: no atomics, a fixed order.
template <class Operation>
__device__ void combine_threads(double value, double* to) {
  __shared__ double shared[reduction_threads];
  const Operation combine;
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = reduction_threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *to = shared[0];
  __syncthreads();
}

/// Each thread takes a strided share of the indices; partial[term, block of threads].
template <class Operation, class Update, class... Terms>
__global__ void reduce_to_blocks(Offset n, double* partial, Update update, Terms... terms) {
  constexpr int n_terms = sizeof...(Terms);
  const Operation combine;
  double values[n_terms];
  for (double& value : values) value = Operation::neutral;
  const Offset step = static_cast<Offset>(gridDim.x) * reduction_threads;
  for (Offset i = static_cast<Offset>(blockIdx.x) * reduction_threads + threadIdx.x; i < n;
       i += step) {
    update(i);
    int at = 0;
    ((values[at] = combine(values[at], terms(i)), ++at), ...);
  }
  for (int term = 0; term < n_terms; ++term)
    combine_threads<Operation>(values[term], partial + term * gridDim.x + blockIdx.x);
}

/// Block k of threads combines partial[k, n].
template <class Operation>
__global__ void reduce_partial_values(Offset n, const double* partial, double* result) {
  const Operation combine;
  double value = Operation::neutral;
  for (Offset i = threadIdx.x; i < n; i += reduction_threads)
    value = combine(value, partial[static_cast<Offset>(blockIdx.x) * n + i]);
  combine_threads<Operation>(value, result + blockIdx.x);
}

template <class Operation, class Update, class... Terms>
std::array<double, sizeof...(Terms)> launch_reduction(const Device& device, Offset n,
                                                      const Update& update, const Terms&... terms) {
  constexpr std::size_t n_terms = sizeof...(Terms);
  static_assert(n_terms <= ReductionBuffers::max_sums);
  std::array<double, n_terms> results;
  results.fill(Operation::neutral);
  if (n == 0) return results;
  const ReductionBuffers buffers = device.reduction_buffers();
  const Offset wanted = (n + reduction_threads - 1) / reduction_threads;
  const auto blocks =
      static_cast<unsigned>(wanted < buffers.n_partial ? wanted : buffers.n_partial);
  const auto stream = static_cast<cudaStream_t>(device.stream());
  reduce_to_blocks<Operation>
      <<<blocks, reduction_threads, 0, stream>>>(n, buffers.partial, update, terms...);
  check_cuda(static_cast<int>(cudaGetLastError()), "reduction");
  reduce_partial_values<Operation>
      <<<n_terms, reduction_threads, 0, stream>>>(blocks, buffers.partial, buffers.result);
  check_cuda(static_cast<int>(cudaGetLastError()), "reduction");
  device.copy_to_host(buffers.host_result, buffers.result, n_terms * sizeof(double));
  device.synchronize();
  for (std::size_t k = 0; k < n_terms; ++k) results[k] = buffers.host_result[k];
  return results;
}
#else
/// Never reached: a build without CUDA has no cuda device.
template <class Kernel>
void launch(void*, Offset, const Kernel&) {
  std::abort();
}
template <class Operation, class Update, class... Terms>
std::array<double, sizeof...(Terms)> launch_reduction(const Device&, Offset, const Update&,
                                                      const Terms&...) {
  std::abort();
}
#endif

}  // namespace trestle::gpu

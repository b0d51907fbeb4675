#include "gpu/gpu_aware_mpi.hpp"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <vector>

#include "gpu/array.hpp"

namespace trestle::gpu {
namespace {

bool library_says_yes() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

std::vector<int> pattern_of(int rank) {
  std::vector<int> values(16384);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = rank * 7919 + static_cast<int>(i) * 31;
  return values;
}

bool ring_transfer_arrives(const Device& device, const Comm& comm) {
  const int next = (comm.rank() + 1) % comm.size();
  const int before = (comm.rank() + comm.size() - 1) % comm.size();
  const std::vector<int> sent = pattern_of(comm.rank());
  const auto n = static_cast<Offset>(sent.size());
  Array<int> from(device, n, "halo", Memory::device), to(device, n, "halo", Memory::device);
  device.copy_from_host(from.data(), sent.data(), from.bytes());
  device.synchronize();
  constexpr int tag = 3;
  const int code =
      MPI_Sendrecv(from.data(), static_cast<int>(n), MPI_INT, next, tag, to.data(),
                   static_cast<int>(n), MPI_INT, before, tag, comm.handle(), MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS && download(to) == pattern_of(before);
}

}  // namespace

GpuAwareMpi probe_gpu_aware_mpi(const Device& device, const Comm& comm) {
  if (!comm.all(device.kind() == DeviceKind::cuda)) return {false, "not every rank runs on a GPU"};
  if (!comm.all(library_says_yes()))
    return {false, "this MPI does not take device memory: halos go through pinned host memory"};
  if (!comm.all(ring_transfer_arrives(device, comm)))
    return {false,
            "MPI claims to take device memory, but a transfer between cards came out wrong: "
            "halos go through pinned host memory"};
  return {true, "a transfer between cards arrived: halos go from card to card"};
}

}  // namespace trestle::gpu

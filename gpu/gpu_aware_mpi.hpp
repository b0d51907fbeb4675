// Whether MPI may be given addresses of a card: asked, then proved by a real transfer.
#pragma once

#include <string>

#include "core/comm.hpp"
#include "gpu/device.hpp"

namespace trestle::gpu {

/// The result of the probe, the same on all ranks.
struct GpuAwareMpi {
  bool works = false;
  std::string reason;  // one clause for the start table
};

/// Where MPI says that it takes device memory, sends 64 KiB around the ring of ranks from card to
/// card and compares what arrives. MPI that does not say so is never tried: it would crash.
/// Collective.
GpuAwareMpi probe_gpu_aware_mpi(const Device& device, const Comm& comm);

}  // namespace trestle::gpu

// Halo: fills the ghost entries of vectors on a device from the ranks that own them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/index_map.hpp"
#include "gpu/array.hpp"

namespace trestle::gpu {

/// Vectors are [local node, block]. One exchange is under way at a time; each rank starts and
/// finishes its exchanges in the same order. On a GPU what is sent is packed by a kernel and goes
/// through pinned host memory, or from card to card where `mpi` says that this works.
class Halo {
 public:
  /// Probes GPU-aware MPI when the device is a card. Collective.
  Halo(const Device& device, std::shared_ptr<const IndexMap> map, int block);
  /// With the probe done before.
  Halo(const Device& device, std::shared_ptr<const IndexMap> map, int block, bool gpu_aware_mpi);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// Sends the owned entries of `x` that neighbours need, without waiting for theirs; `x` may be
  /// read until `finish`. Instantiated for float and double. Collective.
  template <class Real>
  void start(View<Real, 1> x);
  /// Waits for the neighbours and queues the filling of the ghosts of the same `x`. Collective.
  template <class Real>
  void finish(View<Real, 1> x);
  /// `start` and `finish`. Collective.
  template <class Real>
  void update(View<Real, 1> x) {
    start(x);
    finish(x);
  }

 private:
  /// What MPI is given: x itself with a packed host buffer (cpu), buffers on the card, or host
  /// buffers with copies from and to the device.
  enum class Path { host, card, staged };

  template <class Real>
  void send(const Real* packed);
  template <class Real>
  void receive(Real* ghosts);
  std::size_t n_bytes_sent() const;
  std::size_t n_bytes_received() const;

  Device device_;
  std::shared_ptr<const IndexMap> map_;
  int block_;
  Path path_;
  Array<Index> send_;          // [entry sent] owned nodes, one neighbour after another
  Array<std::byte> packed_;    // [entry sent, block] on the device
  Array<std::byte> unpacked_;  // [ghost, block] on the device, path card
  std::byte* send_buffer_;     // [entry sent, block] on the host
  std::byte* receive_buffer_;  // [ghost, block] on the host, path staged
  std::vector<MPI_Request> requests_;
};

}  // namespace trestle::gpu

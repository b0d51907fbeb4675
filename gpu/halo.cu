#include "gpu/halo.hpp"

#include "core/error.hpp"
#include "core/host_guard.hpp"
#include "gpu/for_each.hpp"
#include "gpu/gpu_aware_mpi.hpp"

namespace trestle::gpu {
namespace {

constexpr int tag = 2;

std::vector<Index> all_sent(const IndexMap& map) {
  std::vector<Index> all;
  for (const auto& neighbour : map.neighbours())
    all.insert(all.end(), neighbour.send.begin(), neighbour.send.end());
  return all;
}

template <class Real>
MPI_Datatype datatype() {
  return std::is_same_v<Real, float> ? MPI_FLOAT : MPI_DOUBLE;
}

/// to(k, c) = x(node k of those sent, c).
template <class Real>
struct Pack {
  View<const Index, 1> nodes;  // [entry sent]
  View<const Real, 1> x;       // [local node, block]
  View<Real, 1> to;            // [entry sent, block]
  int block;
  TRESTLE_KERNEL void operator()(Offset i) const {
    const Offset entry = i / block;
    to[i] = x[static_cast<Offset>(nodes[entry]) * block + (i - entry * block)];
  }
};

std::byte* host_buffer(const Device& device, std::size_t bytes) {
  return static_cast<std::byte*>(device.allocate_host(bytes, "halo"));
}

}  // namespace

Halo::Halo(const Device& device, std::shared_ptr<const IndexMap> map, int block)
    : Halo(device, map, block,
           device.kind() == DeviceKind::cuda && probe_gpu_aware_mpi(device, map->comm()).works) {}

Halo::Halo(const Device& device, std::shared_ptr<const IndexMap> map, int block, bool gpu_aware_mpi)
    : device_(device),
      map_(std::move(map)),
      block_(block),
      path_(device.kind() == DeviceKind::cpu ? Path::host
            : gpu_aware_mpi                  ? Path::card
                                             : Path::staged),
      send_(upload(device, all_sent(*map_), "halo")),
      packed_(device, path_ == Path::host ? 0 : static_cast<Offset>(n_bytes_sent()), "halo",
              Memory::device),
      unpacked_(device, path_ == Path::card ? static_cast<Offset>(n_bytes_received()) : 0, "halo",
                Memory::device),
      send_buffer_(host_buffer(device, path_ == Path::card ? 0 : n_bytes_sent())),
      receive_buffer_(host_buffer(device, path_ == Path::staged ? n_bytes_received() : 0)) {}

Halo::~Halo() {
  if (!requests_.empty()) return;  // after an error: MPI may still write to the buffers
  device_.release_host(send_buffer_, n_bytes_sent(), "halo");
  device_.release_host(receive_buffer_, n_bytes_received(), "halo");
}

std::size_t Halo::n_bytes_sent() const {
  return static_cast<std::size_t>(send_.size() * block_) * sizeof(double);
}
std::size_t Halo::n_bytes_received() const {
  return static_cast<std::size_t>(map_->n_ghosts()) * static_cast<std::size_t>(block_) *
         sizeof(double);
}

template <class Real>
void Halo::start(View<Real, 1> x) {
  require(requests_.empty(), ExitCode::bug, "a halo exchange was started before the last finished");
  Real* const ghosts = x.data() + static_cast<Offset>(map_->n_owned()) * block_;
  const Offset n = send_.size() * block_;
  auto* const packed = reinterpret_cast<Real*>(path_ == Path::host ? send_buffer_ : packed_.data());
  for_each(device_, n, Pack<Real>{send_.view(), x, View<Real, 1>(packed, n), block_});
  if (path_ == Path::staged)
    device_.copy_to_host(send_buffer_, packed, static_cast<std::size_t>(n) * sizeof(Real));
  device_.synchronize();
  receive(path_ == Path::host
              ? ghosts
              : reinterpret_cast<Real*>(path_ == Path::card ? unpacked_.data() : receive_buffer_));
  send(path_ == Path::staged ? reinterpret_cast<const Real*>(send_buffer_) : packed);
}

template <class Real>
void Halo::receive(Real* ghosts) {
  if (path_ != Path::card) refuse_device_memory(ghosts, "MPI_Irecv");
  for (const auto& from : map_->neighbours()) {
    const Offset begin = static_cast<Offset>(from.receive_begin - map_->n_owned()) * block_;
    const Offset count = static_cast<Offset>(from.receive_end - from.receive_begin) * block_;
    if (count > 0)
      check_mpi(MPI_Irecv(ghosts + begin, narrow<int>(count), datatype<Real>(), from.rank, tag,
                          map_->comm().handle(), &requests_.emplace_back()),
                "MPI_Irecv");
  }
}

template <class Real>
void Halo::send(const Real* packed) {
  if (path_ != Path::card) refuse_device_memory(packed, "MPI_Isend");
  for (const auto& to : map_->neighbours()) {
    const Offset count = static_cast<Offset>(to.send.size()) * block_;
    if (count > 0)
      check_mpi(MPI_Isend(packed, narrow<int>(count), datatype<Real>(), to.rank, tag,
                          map_->comm().handle(), &requests_.emplace_back()),
                "MPI_Isend");
    packed += count;
  }
}

template <class Real>
void Halo::finish(View<Real, 1> x) {
  check_mpi(MPI_Waitall(narrow<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  requests_.clear();
  Real* const ghosts = x.data() + static_cast<Offset>(map_->n_owned()) * block_;
  const std::size_t bytes =
      static_cast<std::size_t>(map_->n_ghosts()) * static_cast<std::size_t>(block_) * sizeof(Real);
  if (path_ == Path::staged) device_.copy_from_host(ghosts, receive_buffer_, bytes);
  if (path_ == Path::card) device_.copy_on_device(ghosts, unpacked_.data(), bytes);
}

template void Halo::start(View<float, 1>);
template void Halo::start(View<double, 1>);
template void Halo::finish(View<float, 1>);
template void Halo::finish(View<double, 1>);

}  // namespace trestle::gpu

#include "gpu/halo.hpp"

#include "core/error.hpp"
#include "core/host_guard.hpp"
#include "gpu/for_each.hpp"

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

}  // namespace

Halo::Halo(const Device& device, std::shared_ptr<const IndexMap> map, int block)
    : device_(device),
      map_(std::move(map)),
      block_(block),
      on_host_(device.kind() == DeviceKind::cpu),
      send_(upload(device, all_sent(*map_), "halo")),
      packed_(device, on_host_ ? 0 : send_.size() * block * Offset{sizeof(double)}, "halo"),
      send_buffer_(nullptr),
      receive_buffer_(nullptr) {
  const auto width = static_cast<std::size_t>(block) * sizeof(double);
  send_buffer_ = static_cast<std::byte*>(
      device_.allocate_host(static_cast<std::size_t>(send_.size()) * width, "halo"));
  if (!on_host_)
    receive_buffer_ = static_cast<std::byte*>(
        device_.allocate_host(static_cast<std::size_t>(map_->n_ghosts()) * width, "halo"));
}

Halo::~Halo() {
  const auto width = static_cast<std::size_t>(block_) * sizeof(double);
  device_.release_host(send_buffer_, static_cast<std::size_t>(send_.size()) * width, "halo");
  device_.release_host(receive_buffer_, static_cast<std::size_t>(map_->n_ghosts()) * width, "halo");
}

template <class Real>
void Halo::pack(View<const Real, 1> x, Real* to) const {
  const Offset n = send_.size() * block_;
  for_each(device_, n, Pack<Real>{send_.view(), x, View<Real, 1>(to, n), block_});
}

template <class Real>
void Halo::start(View<Real, 1> x) {
  require(requests_.empty(), ExitCode::bug, "a halo exchange was started before the last finished");
  const Offset ghosts = static_cast<Offset>(map_->n_owned()) * block_;
  Real* const sent = reinterpret_cast<Real*>(send_buffer_);
  Real* const received = on_host_ ? x.data() + ghosts : reinterpret_cast<Real*>(receive_buffer_);
  if (on_host_) {
    pack<Real>(x, sent);
  } else {
    pack<Real>(x, reinterpret_cast<Real*>(packed_.data()));
    device_.copy_to_host(sent, packed_.data(),
                         static_cast<std::size_t>(send_.size() * block_) * sizeof(Real));
    device_.synchronize();
  }
  refuse_device_memory(sent, "MPI_Isend");
  refuse_device_memory(received, "MPI_Irecv");
  const MPI_Comm comm = map_->comm().handle();
  for (const auto& from : map_->neighbours())
    if (from.receive_end > from.receive_begin)
      check_mpi(MPI_Irecv(received + static_cast<Offset>(from.receive_begin) * block_ - ghosts,
                          (from.receive_end - from.receive_begin) * block_, datatype<Real>(),
                          from.rank, tag, comm, &requests_.emplace_back()),
                "MPI_Irecv");
  Offset at = 0;
  for (const auto& to : map_->neighbours()) {
    const Offset n = static_cast<Offset>(to.send.size()) * block_;
    if (n > 0)
      check_mpi(MPI_Isend(sent + at, narrow<int>(n), datatype<Real>(), to.rank, tag, comm,
                          &requests_.emplace_back()),
                "MPI_Isend");
    at += n;
  }
}

template <class Real>
void Halo::finish(View<Real, 1> x) {
  check_mpi(MPI_Waitall(narrow<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  requests_.clear();
  if (on_host_) return;
  device_.copy_from_host(
      x.data() + static_cast<Offset>(map_->n_owned()) * block_, receive_buffer_,
      static_cast<std::size_t>(map_->n_ghosts()) * static_cast<std::size_t>(block_) * sizeof(Real));
}

template void Halo::start(View<float, 1>);
template void Halo::start(View<double, 1>);
template void Halo::finish(View<float, 1>);
template void Halo::finish(View<double, 1>);

}  // namespace trestle::gpu

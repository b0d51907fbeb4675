#include "jobs/watch/beat_ring.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "core/host_name.hpp"
#include "jobs/watch/whereabouts.hpp"

namespace trestle::jobs {
namespace {

constexpr int most_addresses = 4;  // of one machine

/// IPv4 addresses of this machine that others may reach.
std::vector<std::uint32_t> own_addresses() {
  std::vector<std::uint32_t> found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in address{};
    std::memcpy(&address, one->ifa_addr, sizeof address);
    const bool loopback = ntohl(address.sin_addr.s_addr) >> 24 == 127;
    if (!loopback && found.size() < most_addresses) found.push_back(address.sin_addr.s_addr);
  }
  freeifaddrs(all);
  return found;
}

}  // namespace

BeatRing::BeatRing(const Comm& comm) : rank_(comm.rank()) {
  const bool one_machine = comm.all(comm.local_size() == comm.size());
  std::uint16_t port = 0;
  comm.agree([&] {
    socket_ = io::FileDescriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(one_machine ? INADDR_LOOPBACK : INADDR_ANY);
    socklen_t size = sizeof own;
    auto* address = reinterpret_cast<sockaddr*>(&own);
    if (!socket_ || bind(socket_.number(), address, size) != 0 ||
        getsockname(socket_.number(), address, &size) != 0)
      throw io::file_error("open", "a socket for beats between ranks", errno, ExitCode::system);
    port = own.sin_port;
  });
  run_ = comm.broadcast(std::vector<std::uint64_t>{(std::uint64_t{std::random_device{}()} << 32) |
                                                   std::random_device{}()})[0];

  std::vector<Address> own;
  if (one_machine) own.push_back({htonl(INADDR_LOOPBACK), port, 0});
  if (!one_machine)
    for (const std::uint32_t host : own_addresses()) own.push_back({host, port, 0});
  own.resize(most_addresses, {0, 0, 0});
  const std::vector<Address> all = comm.all_gather(std::span<const Address>(own));
  const auto next = static_cast<std::size_t>((rank_ + 1) % comm.size());
  for (std::size_t k = 0; k < most_addresses; ++k)
    if (const Address& one = all[next * most_addresses + k]; one.port != 0) next_.push_back(one);

  watched_ = (rank_ + comm.size() - 1) % comm.size();
  char host[64] = {};
  host_name().copy(host, sizeof host - 1);
  const std::vector<char> hosts = comm.all_gather(std::span<const char>(host));
  watched_host_ = &hosts[static_cast<std::size_t>(watched_) * sizeof host];
}

void BeatRing::send(bool is_last) {
  const Whereabouts& here = whereabouts();
  Beat beat{run_, rank_, is_last ? 1 : 0, here.step, {}};
  std::strncpy(beat.phase, here.phase.load(), sizeof beat.phase - 1);
  for (const Address& to : next_) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = to.host;
    address.sin_port = to.port;
    sendto(socket_.number(), &beat, sizeof beat, MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
}

std::optional<Beat> BeatRing::receive() {
  std::optional<Beat> newest;
  Beat beat;
  for (;;) {
    const ssize_t n = recv(socket_.number(), &beat, sizeof beat, 0);
    if (n < 0) return newest;
    if (n != sizeof beat || beat.run != run_ || beat.rank != watched_) continue;
    beat.phase[sizeof beat.phase - 1] = 0;
    newest = beat;
    if (beat.is_last != 0) return newest;
  }
}

}  // namespace trestle::jobs

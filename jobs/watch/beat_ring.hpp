// BeatRing: every rank tells the next one that it lives, beside MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "io/files.hpp"

namespace trestle::jobs {

/// What a rank tells of itself.
struct Beat {
  std::uint64_t run;  // a random number of this run
  std::int32_t rank;
  std::int32_t is_last;  // it says goodbye
  std::int64_t step;
  char phase[24];
};

/// Datagrams from rank r to rank r + 1, the last one's to rank 0. After the constructor one thread
/// may use it without MPI.
class BeatRing {
 public:
  /// Throws SystemError(71) on all ranks where one has no socket. Collective.
  explicit BeatRing(const Comm& comm);

  /// Sends one beat with what `whereabouts` says. What does not arrive is not noticed.
  void send(bool is_last);
  /// The newest beat of the rank before that has arrived since the last call.
  std::optional<Beat> receive();

  int watched_rank() const { return watched_; }
  const std::string& watched_host() const { return watched_host_; }

 private:
  struct Address {
    std::uint32_t host;  // network byte order
    std::uint16_t port;
    std::uint16_t unused;
  };
  io::FileDescriptor socket_;
  std::uint64_t run_ = 0;
  int rank_ = 0, watched_ = 0;
  std::string watched_host_;
  std::vector<Address> next_;  // where the next rank may be reached
};

}  // namespace trestle::jobs

// Monitor: what the driver's management library (NVML) says of a card while it works.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "gpu/device.hpp"

namespace trestle::gpu {

/// One look at a card, counting every process on it.
struct CardStatus {
  std::string name;
  std::string uuid;
  std::string compute_capability;  // "9.0"
  std::size_t bytes_used = 0;
  std::size_t bytes_total = 0;
  int utilisation = 0;         // percent of the last sample period in which a kernel ran
  int memory_utilisation = 0;  // percent of it in which memory was read or written
};

/// Opens libnvidia-ml.so.1 at its making; without it, and for a device that is no card, it sees
/// nothing.
class Monitor {
 public:
  explicit Monitor(const Device& device);
  ~Monitor();
  Monitor(Monitor&&) noexcept;

  /// Nothing when the library or the card does not answer. May be called from another thread.
  std::optional<CardStatus> status() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace trestle::gpu

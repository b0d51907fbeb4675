// The folder of the checkpoints of a run: their names, their order, and which may go.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/checkpoint/manifest.hpp"

namespace trestle::io {

constexpr const char* manifest_name = "MANIFEST.json";
constexpr std::size_t manifest_limit = std::size_t{1} << 29;  // of its bytes

/// "000000000120.i0003": never used twice, never renamed over.
std::string checkpoint_name(std::int64_t step, std::int64_t incarnation);

struct CheckpointEntry {
  std::string name;
  std::int64_t step = 0, incarnation = 0;
  bool committed = false;  // it has a manifest
  bool verified = false;   // it was read back once, and was right
};
/// What is in `folder`, the newest (by step, then incarnation) first; nothing where it does not
/// exist. Local.
std::vector<CheckpointEntry> list_checkpoints(const std::string& folder);

/// The greatest incarnation that any name in `folder` has, whatever became of it; 0: none.
std::int64_t last_incarnation(const std::string& folder);
/// Whether a checkpoint was ever committed here, damaged ones included.
bool ever_committed(const std::string& folder);

/// Takes a checkpoint away: by another name first, so that it is whole or gone. Never throws.
void remove_checkpoint(const std::string& folder, const std::string& name) noexcept;
/// Gives a damaged one a name that is not looked at again. Never throws.
void mark_bad(const std::string& folder, const std::string& name) noexcept;
/// Notes that it was read back and is right. Never throws.
void mark_verified(const std::string& folder, const std::string& name) noexcept;
/// Removes what earlier runs left unfinished. Never throws.
void remove_leftovers(const std::string& folder) noexcept;

/// Keeps the `keep` - 1 newest, the newest verified one before these (or the next one, where none
/// was), and `protect`; removes the others. Returns how many it removed. Never throws.
int prune_checkpoints(const std::string& folder, int keep, const std::string& protect) noexcept;

/// Reads manifest and checksums of one checkpoint, the blocks shared out among ranks: what is wrong
/// with it, "" for nothing. `from_disk` bypasses the cache of the system. Collective.
struct CheckpointCheck {
  CheckpointManifest manifest;
  std::string fault;
  bool damaged = false;  // for good: not a disk that fails just now
};
CheckpointCheck check_checkpoint(const Comm& comm, const std::string& path, bool from_disk = false);

}  // namespace trestle::io

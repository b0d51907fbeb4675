// Shards of checkpoints: plain files, reserved first, hashed by blocks while they are written and
// whenever they are read.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/checkpoint/manifest.hpp"
#include "io/files.hpp"

namespace trestle::io {

/// Writes one shard from front to back.
class ShardWriter {
 public:
  /// Creates `path`, which must not exist, with blocks on the disk for `bytes`. Throws SystemError
  /// 73, 74, 77.
  ShardWriter(std::string path, std::int64_t bytes);
  /// Throws SystemError(74).
  void append(std::span<const std::byte> bytes);
  /// Nothing follows: its size and checksums, before the disk has all of it.
  CheckpointShard seal();
  /// Waits for the disk, if wanted, and closes. Throws SystemError(74) also where the file does not
  /// have the size it should.
  void finish(bool to_disk);

 private:
  void end_block();

  std::string path_;
  std::int64_t bytes_;
  FileDescriptor file_;
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> hash_;
  std::int64_t written_ = 0;
  std::vector<std::string> blocks_;
};

/// Reads parts of one shard, each block checked before any byte of it is used.
class ShardReader {
 public:
  /// Throws Error(76) where the file is missing, no regular file, or has another size, SystemError
  /// where it cannot be read. `shard` outlives it.
  ShardReader(std::string path, const CheckpointShard& shard);
  /// Bytes [offset, offset + to.size()). Throws Error(76) where a block does not have its checksum.
  void read(std::int64_t offset, std::span<std::byte> to);
  /// Throws unless the blocks [first, last) have their checksums. `from_disk`: not from the cache
  /// of the system.
  void check_blocks(std::size_t first, std::size_t last, bool from_disk);

 private:
  void load_block(std::size_t block);

  std::string path_;
  const CheckpointShard& shard_;
  FileDescriptor file_;
  std::vector<std::byte> buffer_;
  std::size_t in_buffer_;
};

}  // namespace trestle::io

#include "io/checkpoint/shard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/roots.hpp"

namespace trestle::io {
namespace {

constexpr std::size_t no_block = SIZE_MAX;

std::int64_t size_of_file(int fd, const std::string& path) {
  struct stat status {};
  if (fstat(fd, &status) != 0) throw file_error("look at", path, errno, ExitCode::io);
  return S_ISREG(status.st_mode) ? static_cast<std::int64_t>(status.st_size) : -1;
}

}  // namespace

ShardWriter::ShardWriter(std::string path, std::int64_t bytes)
    : path_(std::move(path)), bytes_(bytes), hash_(XXH3_createState(), XXH3_freeState) {
  require_in_roots(path_);
  file_ = FileDescriptor(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
  if (!file_) throw file_error("create", path_, errno, ExitCode::cannot_create);
  if (bytes_ > 0) reserve_space(file_.number(), bytes_, path_);
  XXH3_128bits_reset(hash_.get());
}

void ShardWriter::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::int64_t room = checkpoint_block - written_ % checkpoint_block;
    const auto part = bytes.first(std::min(bytes.size(), static_cast<std::size_t>(room)));
    write_fully(file_.number(), part, written_, path_);
    XXH3_128bits_update(hash_.get(), part.data(), part.size());
    written_ += static_cast<std::int64_t>(part.size());
    if (written_ % checkpoint_block == 0) end_block();
    bytes = bytes.subspan(part.size());
  }
}

void ShardWriter::end_block() {
  const XXH128_hash_t hash = XXH3_128bits_digest(hash_.get());
  blocks_.push_back(fmt::format("{:016x}{:016x}", hash.high64, hash.low64));
  XXH3_128bits_reset(hash_.get());
  // The disk begins while the next block is made ready; what it reports comes with fsync.
  const std::int64_t begin = (written_ - 1) / checkpoint_block * checkpoint_block;
  start_writing(file_.number(), begin, written_ - begin);
}

CheckpointShard ShardWriter::seal() {
  if (written_ % checkpoint_block != 0) end_block();
  return {written_, std::move(blocks_)};
}

void ShardWriter::finish(bool to_disk) {
  if (to_disk) sync_file(file_.number(), path_);
  const std::int64_t size = size_of_file(file_.number(), path_);
  if (file_.close() != 0) throw file_error("write", path_, errno, ExitCode::io);
  if (size != written_ || written_ != bytes_)
    throw SystemError(ExitCode::io,
                      fmt::format("{} has {} bytes after {} of {} were written; the file system "
                                  "does not keep what it is given",
                                  path_, size, written_, bytes_));
}

ShardReader::ShardReader(std::string path, const CheckpointShard& shard)
    : path_(std::move(path)), shard_(shard), in_buffer_(no_block) {
  require_in_roots(path_);
  file_ = FileDescriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file_ && errno != ENOENT && errno != ELOOP)
    throw file_error("open", path_, errno, ExitCode::io);
  if (!file_)
    throw Error(ExitCode::no_checkpoint,
                path_ + (errno == ENOENT ? " is missing" : " is a symbolic link"));
  const std::int64_t size = size_of_file(file_.number(), path_);
  if (size < 0) throw Error(ExitCode::no_checkpoint, path_ + " is not a regular file");
  if (size != shard_.bytes)
    throw Error(ExitCode::no_checkpoint,
                fmt::format("{} has {} bytes, not {}", path_, size, shard_.bytes));
}

void ShardReader::load_block(std::size_t block) {
  if (block == in_buffer_) return;
  const std::int64_t begin = static_cast<std::int64_t>(block) * checkpoint_block;
  buffer_.resize(static_cast<std::size_t>(std::min(checkpoint_block, shard_.bytes - begin)));
  in_buffer_ = no_block;
  for (std::size_t done = 0; done < buffer_.size();) {
    const ssize_t n = pread(file_.number(), buffer_.data() + done, buffer_.size() - done,
                            begin + static_cast<std::int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw file_error("read", path_, errno, ExitCode::io);
    if (n == 0) throw Error(ExitCode::no_checkpoint, path_ + " became shorter");
    done += static_cast<std::size_t>(n);
  }
  if (hash_text(buffer_.data(), buffer_.size()) != shard_.blocks[block])
    throw Error(ExitCode::no_checkpoint,
                fmt::format("{}: the bytes from {} on do not have their checksum", path_, begin));
  in_buffer_ = block;
}

void ShardReader::read(std::int64_t offset, std::span<std::byte> to) {
  while (!to.empty()) {
    load_block(static_cast<std::size_t>(offset / checkpoint_block));
    const auto begin = static_cast<std::size_t>(offset % checkpoint_block);
    const std::size_t n = std::min(to.size(), buffer_.size() - begin);
    std::memcpy(to.data(), buffer_.data() + begin, n);
    to = to.subspan(n);
    offset += static_cast<std::int64_t>(n);
  }
}

void ShardReader::check_blocks(std::size_t first, std::size_t last, bool from_disk) {
  if (from_disk) posix_fadvise(file_.number(), 0, 0, POSIX_FADV_DONTNEED);
  for (std::size_t block = first; block < last; ++block) load_block(block);
}

}  // namespace trestle::io

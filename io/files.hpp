// Files of the operating system: descriptors that close themselves, writes that write everything,
// and files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace trestle::io {

/// An open file; closed at the end of its life. Move-only.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();
  int number() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// Closes now; the result of close(2), which may report an error of an earlier write.
  int close();

 private:
  int fd_ = -1;
};

/// The exit code of the system error `error`: 77 for permission and read-only file systems and
/// links that are not followed, else `otherwise` (73 while creating, 74 while writing, 66 while
/// reading).
ExitCode exit_code_of(int error, ExitCode otherwise);

/// The error "cannot <doing> <path>: <text of error>; <what to do>".
SystemError file_error(const std::string& doing, const std::string& path, int error,
                       ExitCode otherwise);

/// Writes all bytes at `offset`, whatever short writes and interrupts come. Throws SystemError(74).
/// Refuses device memory.
void write_fully(int fd, std::span<const std::byte> bytes, std::int64_t offset,
                 const std::string& path);

/// The same, and reads back what it wrote: bytes that the file does not hold although the system
/// said so are written once more, and then are an error. For files without checksums that the
/// program itself reads again; `fd` is open for reading too. It costs a copy from the system's
/// memory, not from the disk. Throws SystemError(74).
void write_surely(int fd, std::span<const std::byte> bytes, std::int64_t offset,
                  const std::string& path);
/// The same for callers in C: the error number, 0 for none.
int error_of_sure_write(int fd, std::span<const std::byte> bytes, std::int64_t offset) noexcept;

/// Has the disk begin with `size` bytes at `offset`, without waiting; what goes wrong is told by
/// fsync.
void start_writing(int fd, std::int64_t offset, std::int64_t size);

/// fsync; throws SystemError(74). A failed one must not be retried: the pages may be gone.
void sync_file(int fd, const std::string& path);

/// Makes sure that the bytes up to `size` have blocks on the disk, so that later writes cannot find
/// it full. Does nothing where the file system cannot reserve. Throws SystemError(74).
void reserve_space(int fd, std::int64_t size, const std::string& path);

/// Makes a folder and those above it that are missing. Throws SystemError 73, 74 or 77.
void make_folders(const std::string& path);
/// Throws SystemError(77) where the names in a folder may not be read; one that does not exist is
/// none of its business.
void require_readable_folder(const std::string& path);

/// The whole content of a regular file of at most `limit` bytes. Throws Error(66) when it is
/// missing, 77 when it may not be read, 65 when it is no regular file or too large, 74 where
/// reading fails.
std::string read_text_file(const std::string& path, std::size_t limit);

/// Finds out before minutes of work that a file will have no place; `option` names it in messages,
/// and an empty path is none. Throws SystemError 73 or 77.
void require_place(const std::string& path, const std::string& option);

/// Writes `text` so that `path` is either the old or the new file after any crash: a temporary name
/// beside it, fsync, rename, fsync of the folder. Throws SystemError 73, 74 or 77.
void write_text_file(const std::string& path, std::string_view text);

/// Bytes that may still be written where `folder` is; nothing where its file system does not count.
/// Throws SystemError(74).
std::optional<double> free_space(const std::string& folder);

/// The folder of `path`, "." when there is none.
std::string folder_of(const std::string& path);

/// fsync of a folder, so that a new name in it survives. Throws SystemError(74).
void sync_folder(const std::string& folder);

}  // namespace trestle::io

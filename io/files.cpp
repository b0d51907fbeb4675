#include "io/files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/host_guard.hpp"
#include "core/types.hpp"
#include "io/roots.hpp"

namespace trestle::io {

namespace {

std::string advice(int error) {
  switch (error) {
    case ENOSPC:
      return "free some space or write to another disk (output.directory, --output)";
    case EDQUOT:
      return "your quota is used up: free some space or write elsewhere (output.directory)";
    case EFBIG:
      return "the file would pass the largest size allowed here (ulimit -f)";
    case EIO:
      return "the disk or its server reports a fault: see the system's log";
    case EACCES:
    case EPERM:
      return "check the owner and the permissions of the file and its folder";
    case EROFS:
      return "the file system is read-only: write elsewhere (output.directory)";
    case ELOOP:
      return "it is a symbolic link, which is not followed for writing: remove it";
    case ENOENT:
    case ENOTDIR:
      return "check that the folder exists";
    case EEXIST:
      return "move it away first";
    case EMFILE:
    case ENFILE:
      return "too many open files: raise the limit (ulimit -n)";
    default:
      return "check the path";
  }
}

/// Runs `call` again while a signal interrupts it; its result.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Removes a temporary file unless it was renamed.
struct TemporaryName {
  std::string path;
  bool renamed = false;
  explicit TemporaryName(std::string name) : path(std::move(name)) {}
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  ~TemporaryName() {
    if (!renamed) unlink(path.c_str());
  }
};

/// 0, or why not all was written, whatever short writes and interrupts come.
int error_of_write(int fd, std::span<const std::byte> bytes, std::int64_t offset) noexcept {
  constexpr std::size_t most = std::size_t{1} << 30;  // one call writes at most 2 GiB - 4 KiB
  while (!bytes.empty()) {
    const ssize_t n = uninterrupted(
        [&] { return pwrite(fd, bytes.data(), std::min(bytes.size(), most), offset); });
    if (n < 0) return errno;
    if (n == 0 || static_cast<std::size_t>(n) > bytes.size()) return EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += n;
  }
  return 0;
}

/// Whether the file has these bytes.
bool holds(int fd, std::span<const std::byte> bytes, std::int64_t offset) noexcept {
  std::array<std::byte, 1 << 16> part;
  while (!bytes.empty()) {
    const ssize_t n = uninterrupted(
        [&] { return pread(fd, part.data(), std::min(bytes.size(), part.size()), offset); });
    if (n <= 0 || std::memcmp(part.data(), bytes.data(), static_cast<std::size_t>(n)) != 0)
      return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += n;
  }
  return true;
}

std::string read_all(int fd, std::size_t limit, const std::string& path) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = uninterrupted([&] { return read(fd, buffer, sizeof buffer); });
    if (n < 0) throw file_error("read", path, errno, ExitCode::io);
    if (n == 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > limit)
      throw Error(
          ExitCode::mesh,
          fmt::format("{} is larger than {} bytes, which no such file of ours is; check the "
                      "path",
                      path, limit));
  }
}

}  // namespace

FileDescriptor::~FileDescriptor() { close(); }

int FileDescriptor::close() {
  const int fd = std::exchange(fd_, -1);
  return fd < 0 ? 0 : ::close(fd);
}

ExitCode exit_code_of(int error, ExitCode otherwise) {
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
      return ExitCode::permission;
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EFBIG:
      return ExitCode::io;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ExitCode::system;
    default:
      return otherwise;
  }
}

SystemError file_error(const std::string& doing, const std::string& path, int error,
                       ExitCode otherwise) {
  return SystemError(exit_code_of(error, otherwise),
                     fmt::format("cannot {} {}: {}; {}", doing, path,
                                 std::generic_category().message(error), advice(error)));
}

void write_fully(int fd, std::span<const std::byte> bytes, std::int64_t offset,
                 const std::string& path) {
  refuse_device_memory(bytes.data(), "pwrite");
  if (const int error = error_of_write(fd, bytes, offset); error != 0)
    throw file_error("write", path, error, ExitCode::io);
}

int error_of_sure_write(int fd, std::span<const std::byte> bytes, std::int64_t offset) noexcept {
  for (int tries = 0; tries < 2; ++tries) {
    if (const int error = error_of_write(fd, bytes, offset); error != 0) return error;
    if (holds(fd, bytes, offset)) return 0;
  }
  return EIO;
}

void write_surely(int fd, std::span<const std::byte> bytes, std::int64_t offset,
                  const std::string& path) {
  refuse_device_memory(bytes.data(), "pwrite");
  if (const int error = error_of_sure_write(fd, bytes, offset); error != 0)
    throw file_error("write", path, error, ExitCode::io);
}

void start_writing(int fd, std::int64_t offset, std::int64_t size) {
  sync_file_range(fd, offset, size, SYNC_FILE_RANGE_WRITE);
}

void sync_file(int fd, const std::string& path) {
  if (uninterrupted([&] { return fsync(fd); }) != 0)
    throw file_error("write to the disk", path, errno, ExitCode::io);
}

void reserve_space(int fd, std::int64_t size, const std::string& path) {
  if (uninterrupted([&] { return fallocate(fd, 0, 0, size); }) == 0) return;
  if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) return;
  throw file_error(fmt::format("reserve {} bytes for", size), path, errno, ExitCode::io);
}

void make_folders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw file_error("make the folder", path, error.value(), ExitCode::cannot_create);
}

void require_readable_folder(const std::string& path) {
  const FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder && exit_code_of(errno, ExitCode::done) == ExitCode::permission)
    throw file_error("read", path, errno, ExitCode::permission);
}

std::string read_text_file(const std::string& path, std::size_t limit) {
  require_in_roots(path);
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) throw file_error("open", path, errno, ExitCode::no_input);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) throw file_error("open", path, errno, ExitCode::io);
  if (!S_ISREG(status.st_mode))
    throw Error(ExitCode::mesh, path + " is not a regular file; check the path");
  return read_all(file.number(), limit, path);
}

void write_text_file(const std::string& path, std::string_view text) {
  require_in_roots(path);
  TemporaryName temporary(fmt::format("{}.tmp.{}", path, getpid()));
  unlink(temporary.path.c_str());
  FileDescriptor file(
      open(temporary.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
  if (!file) throw file_error("create", temporary.path, errno, ExitCode::cannot_create);
  write_surely(file.number(), std::as_bytes(std::span(text.data(), text.size())), 0, path);
  sync_file(file.number(), path);
  if (file.close() != 0) throw file_error("write", path, errno, ExitCode::io);
  if (rename(temporary.path.c_str(), path.c_str()) != 0)
    throw file_error("create", path, errno, ExitCode::cannot_create);
  temporary.renamed = true;
  sync_folder(folder_of(path));
}

void require_place(const std::string& path, const std::string& option) {
  if (path.empty()) return;
  require_in_roots(path);
  std::error_code error;
  if (std::filesystem::is_directory(folder_of(path), error)) return;
  throw SystemError(ExitCode::cannot_create,
                    fmt::format("{} {}: the folder {} does not exist; make it first", option, path,
                                folder_of(path)));
}

std::optional<double> free_space(const std::string& folder) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) throw file_error("look at", folder, errno, ExitCode::io);
  if (disk.f_blocks == 0) return {};
  return static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void sync_folder(const std::string& folder) {
  const FileDescriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file) throw file_error("open", folder, errno, ExitCode::io);
  // Some network file systems cannot sync a folder and say so.
  if (uninterrupted([&] { return fsync(file.number()); }) != 0 && errno != EINVAL)
    throw file_error("write to the disk", folder, errno, ExitCode::io);
}

}  // namespace trestle::io

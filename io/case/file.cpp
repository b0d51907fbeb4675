#include "io/case/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "core/number.hpp"
#include "io/case/yaml.hpp"
#include "io/roots.hpp"

namespace trestle::io {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

[[noreturn]] void raise_system(const std::string& path, const char* what) {
  const int code = errno;
  const std::string message =
      "case file " + in_quotes(path) + ": " + what + ": " + std::strerror(code);
  if (code == ENOENT || code == ENOTDIR) throw Error(ExitCode::no_input, message);
  if (code == EACCES || code == EPERM || code == ELOOP || code == ENAMETOOLONG)
    throw Error(ExitCode::permission, message);
  throw SystemError(ExitCode::io, message);
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "a socket";
}

void require_regular(const struct stat& status, const std::string& path) {
  if (!S_ISREG(status.st_mode))
    throw CaseError({path, 0, 0}, std::string("is ") + kind_of(status.st_mode) +
                                      ": a case must be a regular file");
}

std::string read_bytes(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    throw Error(ExitCode::permission, "case file " + in_quotes(path) + ": a NUL in the path");
  require_in_roots(path);
  struct stat status {};
  // The status comes first: to open a device may already do something.
  if (::stat(path.c_str(), &status) != 0) raise_system(path, "cannot be found");
  require_regular(status, path);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) raise_system(path, "cannot be opened");
  if (::fstat(file.get(), &status) != 0) raise_system(path, "cannot be read");
  require_regular(status, path);
  std::string text(max_yaml_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise_system(path, "cannot be read");
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  text.resize(size);
  return text;
}

}  // namespace

CaseFile read_case_file(const Comm& comm, const std::string& path) {
  CaseFile file;
  comm.agree([&] {
    if (!comm.is_root()) return;
    file.text = read_bytes(path);
    file.working_directory = std::filesystem::current_path().string();
  });
  file.text = comm.broadcast(file.text);
  file.working_directory = comm.broadcast(file.working_directory);
  return file;
}

}  // namespace trestle::io

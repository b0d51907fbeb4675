// A folder of its own for a test of all ranks, removed at the end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/comm.hpp"

namespace trestle::test {

/// Collective, its making and its end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const Comm& comm) : comm_(comm) {
    std::string name = std::filesystem::temp_directory_path() / "trestle_test_XXXXXX";
    if (comm.is_root() && mkdtemp(name.data()) == nullptr) std::abort();
    path_ = comm.broadcast(name);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    comm_.barrier();
    std::error_code ignored;
    if (comm_.is_root()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  Comm comm_;
  std::string path_;
};

}  // namespace trestle::test

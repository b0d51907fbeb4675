// A folder of its own for a test on rank 0.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trestle::test {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/trestle-jobs-XXXXXX";
    path_ = mkdtemp(name);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace trestle::test

// Hdf5Source: an HDF5 file that may come from anywhere; every object is checked before a byte of it
// is read.
#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"
#include "io/results/hdf5.hpp"

namespace trestle::io {

/// Read without locks. Links to other objects or files, data in other files, filters, and sizes
/// beyond the file are refused. Errors: 66 missing, 77 not allowed, 74 the system's, 65 the file's.
class Hdf5Source {
 public:
  /// `kind` is what messages call a right one: "results file".
  Hdf5Source(const std::string& path, std::string kind);

  /// First extent of a dataset.
  GlobalIndex n_rows(const std::string& name) const;
  /// Rows [first, first + n) of a dataset [rows >= first + n, width].
  template <class T>
  std::vector<T> rows(const std::string& name, GlobalIndex first, GlobalIndex n,
                      std::size_t width = 1) const;
  /// The first `n` strings of a dataset; all of them when n is negative.
  std::vector<std::string> strings(const std::string& name, GlobalIndex n = -1) const;
  /// Throws Error(65): "PATH: NAME WHY; it is no KIND of ours, or it is damaged".
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 protected:
  /// Throws where HDF5 failed: 74 when the system did, else 65, for the file is no HDF5 or damaged.
  template <class Result>
  Result checked(Result result, const char* doing = "read") const {
    return h5::check(result, doing, path_, ExitCode::mesh);
  }
  h5::Handle open_group(const std::string& name) const { return open_checked(name, false); }
  h5::Handle open_dataset(const std::string& name) const;
  std::vector<hsize_t> extent(hid_t set) const;
  hsize_t file_bytes() const { return file_bytes_; }

 private:
  h5::Handle open_checked(const std::string& name, bool dataset) const;
  void check_storage(const std::string& name, hid_t set) const;

  std::string path_;
  std::string kind_;
  hsize_t file_bytes_ = 0;
  h5::Handle file_;
};

}  // namespace trestle::io

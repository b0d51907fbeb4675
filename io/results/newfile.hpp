// An own HDF5 file whose disk may fail: HDF5 writes through an own driver, which keeps the first
// error for us and lets HDF5 believe that all is well.
#pragma once

#include <memory>
#include <string>

#include "io/files.hpp"
#include "io/results/hdf5.hpp"

namespace trestle::io::h5 {

/// HDF5 1.10 cannot close a file that it could not write: it keeps it open, tries again at exit,
/// and ends in a segmentation fault inside MPI_Finalize. With this driver nothing is written after
/// the first error, and closing always works. The format is that of the default driver. Nothing is
/// locked.
class NewFile {
 public:
  /// Creates `path`; it must not exist, and symbolic links are not followed. Throws SystemError 73,
  /// 74 or 77.
  NewFile(std::string path, hid_t creation_properties, hid_t access_properties);
  /// Opens one that was made so, to go on with it or to look at it. Throws SystemError 73, 74
  /// or 77.
  enum class Use { change, look };
  NewFile(std::string path, hid_t access_properties, Use use);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  hid_t id() const { return file_.id(); }
  const std::string& path() const { return path_; }
  /// Throws SystemError(74) when a write failed since the file was made.
  void check_writes() const;
  /// Reserves blocks for `bytes` more than the file has. Throws SystemError(74).
  void reserve(std::int64_t bytes) const;
  /// Everything to the disk: flush and fsync. Throws SystemError(74).
  void sync();
  /// Whether the file was closed in order: it ends where HDF5 says so. What a process left that was
  /// killed may have more, and tables that do not agree about it.
  bool is_whole() const;
  /// Closes HDF5's side; whatever was not synced before is lost or not.
  void close();

  struct State;  // shared with the driver

 private:
  void open_descriptor(int flags);
  Handle with_driver(hid_t access_properties);

  std::string path_;
  std::unique_ptr<State> state_;
  Handle file_;
};

}  // namespace trestle::io::h5

// The few HDF5 calls that results files need: handles that close themselves, and errors with the
// cause that HDF5 found.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace trestle::io::h5 {

/// A handle of any kind. Move-only.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
};

/// Turns HDF5's own messages on stderr off, and its plugins: a file must not load code
/// (HDF5_PLUGIN_PATH is ignored). To be called before anything else.
void prepare();

/// The innermost cause of the last HDF5 error, and the number of the system's error in it (0 when
/// there is none).
struct Cause {
  std::string text;
  int system_error = 0;
  bool locking = false;
};
Cause last_cause();

/// The error "cannot <doing> <path>: <cause>; <what to do>" from the last HDF5 error.
SystemError error(const std::string& doing, const std::string& path, ExitCode otherwise);

/// Throws `error` when `result` is negative.
template <class Result>
Result check(Result result, const std::string& doing, const std::string& path,
             ExitCode otherwise = ExitCode::io) {
  if (result < 0) throw error(doing, path, otherwise);
  return result;
}

/// HDF5's name of a number type in memory and in our files.
template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, double>)
    return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return H5T_NATIVE_INT64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return H5T_NATIVE_UINT64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return H5T_NATIVE_INT32;
  else {
    static_assert(std::is_same_v<T, std::uint8_t>);
    return H5T_NATIVE_UINT8;
  }
}

/// The type of strings of `size` bytes, padded with zeros.
Handle string_type(std::size_t size);

/// Attributes of an object: numbers, and a fixed-length string.
template <class T>
void write_attribute(hid_t object, const char* name, const std::vector<T>& values,
                     const std::string& path);
void write_attribute(hid_t object, const char* name, const std::string& text,
                     const std::string& path);

}  // namespace trestle::io::h5

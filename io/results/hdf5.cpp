#include "io/results/hdf5.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "io/files.hpp"

namespace trestle::io::h5 {

namespace {

/// The number after "errno = " in a message of HDF5's sec2 driver, or 0.
int errno_in(const std::string& text) {
  const std::size_t at = text.find("errno = ");
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + std::strlen("errno = "));
}

/// Called from the innermost entry of the error stack outwards.
herr_t note_cause(unsigned, const H5E_error2_t* entry, void* data) {
  auto& cause = *static_cast<Cause*>(data);
  const std::string text = entry->desc == nullptr ? "" : entry->desc;
  if (cause.text.empty()) cause.text = text;
  if (cause.system_error == 0) cause.system_error = errno_in(text);
  if (text.find("lock") != std::string::npos && text.find("block") == std::string::npos)
    cause.locking = true;
  return 0;
}

}  // namespace

void prepare() {
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);
}

Cause last_cause() {
  Cause cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_cause, &cause);
  return cause;
}

SystemError error(const std::string& doing, const std::string& path, ExitCode otherwise) {
  const Cause cause = last_cause();
  if (cause.locking)
    return SystemError(
        ExitCode::io,
        fmt::format("cannot {} {}: the file could not be locked ({}): another program has it open, "
                    "or its file system knows no locks; close the other program, or set "
                    "HDF5_USE_FILE_LOCKING=FALSE and try again",
                    doing, path, cause.system_error ? strerror(cause.system_error) : cause.text));
  if (cause.system_error != 0) return file_error(doing, path, cause.system_error, otherwise);
  return SystemError(otherwise, fmt::format("cannot {} {}: {}", doing, path,
                                            cause.text.empty() ? "HDF5 failed" : cause.text));
}

Handle string_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), size);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  return type;
}

namespace {
void write_raw_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* data,
                         const std::string& path) {
  const bool exists = check(H5Aexists(object, name), "write", path) > 0;
  const Handle attribute(exists ? H5Aopen(object, name, H5P_DEFAULT)
                                : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  check(attribute.id(), "write", path);
  check(H5Awrite(attribute.id(), type, data), "write", path);
}
}  // namespace

template <class T>
void write_attribute(hid_t object, const char* name, const std::vector<T>& values,
                     const std::string& path) {
  const hsize_t n = values.size();
  const Handle space(n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr));
  write_raw_attribute(object, name, type_of<T>(), space.id(), values.data(), path);
}
template void write_attribute(hid_t, const char*, const std::vector<std::int64_t>&,
                              const std::string&);
template void write_attribute(hid_t, const char*, const std::vector<std::uint64_t>&,
                              const std::string&);

void write_attribute(hid_t object, const char* name, const std::string& text,
                     const std::string& path) {
  const Handle type = string_type(std::max<std::size_t>(1, text.size()));
  const Handle space(H5Screate(H5S_SCALAR));
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  write_raw_attribute(object, name, type.id(), space.id(), padded.data(), path);
}

}  // namespace trestle::io::h5

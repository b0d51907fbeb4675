#include "io/hdf5_source.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "io/files.hpp"
#include "io/roots.hpp"

namespace trestle::io {

Hdf5Source::Hdf5Source(const std::string& path, std::string kind)
    : path_(path), kind_(std::move(kind)) {
  require_in_roots(path);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw file_error("open", path, errno, ExitCode::no_input);
  if (!S_ISREG(status.st_mode))
    throw Error(ExitCode::mesh, path + " is not a regular file; check the path");
  file_bytes_ = static_cast<hsize_t>(status.st_size);
  h5::prepare();
  const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_sec2(access.id());
  H5Pset_file_locking(access.id(), false, true);
  file_ = h5::Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  if (file_.id() >= 0) return;
  const h5::Cause cause = h5::last_cause();
  if (cause.locking || cause.system_error != 0) checked(file_.id(), "open");
  throw Error(ExitCode::mesh,
              fmt::format("{}: this {} is cut off, damaged, or no HDF5 file at all ({} bytes; HDF5 "
                          "says: {}); copy it again, or write it anew",
                          path, kind_, file_bytes_, cause.text));
}

void Hdf5Source::refuse(const std::string& name, const std::string& why) const {
  throw Error(ExitCode::mesh, fmt::format("{}: {} {}; it is no {} of ours, or it is damaged", path_,
                                          name, why, kind_));
}

/// Opens an object after it is sure that every link on the way is a plain one: links may point at
/// other files.
h5::Handle Hdf5Source::open_checked(const std::string& name, bool dataset) const {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    H5L_info_t info;
    if (H5Lget_info(file_.id(), part.c_str(), &info, H5P_DEFAULT) < 0) refuse(part, "is missing");
    if (info.type != H5L_TYPE_HARD) refuse(part, "is a link to another object or file");
    if (end == std::string::npos) break;
  }
  h5::Handle object(H5Oopen(file_.id(), name.c_str(), H5P_DEFAULT));
  checked(object.id());
  if (H5Iget_type(object.id()) != (dataset ? H5I_DATASET : H5I_GROUP))
    refuse(name, "is no " + std::string(dataset ? "dataset" : "group"));
  return object;
}

void Hdf5Source::check_storage(const std::string& name, hid_t set) const {
  const h5::Handle properties(H5Dget_create_plist(set));
  checked(properties.id());
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT)
    refuse(name, "is stored in other files");
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties.id()) != 0)
    refuse(name, "is stored in other files");
  if (H5Pget_nfilters(properties.id()) != 0) refuse(name, "is compressed");
  const h5::Handle type(H5Dget_type(set));
  hsize_t bytes = H5Tget_size(type.id());
  for (hsize_t n : extent(set)) {
    if (n != 0 && bytes > file_bytes_ / n) refuse(name, "claims more bytes than the file has");
    bytes *= n;
  }
}

std::vector<hsize_t> Hdf5Source::extent(hid_t set) const {
  const h5::Handle space(H5Dget_space(set));
  const int rank = checked(H5Sget_simple_extent_ndims(space.id()));
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  return sizes;
}

h5::Handle Hdf5Source::open_dataset(const std::string& name) const {
  h5::Handle set = open_checked(name, true);
  check_storage(name, set.id());
  return set;
}

template <class T>
std::vector<T> Hdf5Source::rows(const std::string& name, GlobalIndex first, GlobalIndex n,
                                std::size_t width) const {
  const h5::Handle set = open_dataset(name);
  const h5::Handle type(H5Dget_type(set.id()));
  if (H5Tequal(type.id(), h5::type_of<T>()) <= 0) refuse(name, "has another number type");
  const std::vector<hsize_t> sizes = extent(set.id());
  const bool shaped = (sizes.size() == 1 && width == 1) || (sizes.size() == 2 && sizes[1] == width);
  if (!shaped || n < 0 || static_cast<hsize_t>(first + n) > sizes[0])
    refuse(name, "has another shape");
  std::vector<T> values(static_cast<std::size_t>(n) * width);
  if (values.empty()) return values;
  const hsize_t start[2] = {static_cast<hsize_t>(first), 0};
  const hsize_t count[2] = {static_cast<hsize_t>(n), width};
  const h5::Handle space(H5Dget_space(set.id()));
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
  const h5::Handle memory(H5Screate_simple(static_cast<int>(sizes.size()), count, nullptr));
  checked(H5Dread(set.id(), h5::type_of<T>(), memory.id(), space.id(), H5P_DEFAULT, values.data()));
  return values;
}

std::vector<std::string> Hdf5Source::strings(const std::string& name, GlobalIndex n) const {
  const h5::Handle set = open_dataset(name);
  const h5::Handle type(H5Dget_type(set.id()));
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) != 0)
    refuse(name, "has no texts");
  const std::vector<hsize_t> sizes = extent(set.id());
  const hsize_t wanted = n < 0 && sizes.size() == 1 ? sizes[0] : static_cast<hsize_t>(n);
  if (sizes.size() != 1 || wanted > sizes[0]) refuse(name, "has another shape");
  const std::size_t size = H5Tget_size(type.id());
  std::vector<char> data(size * static_cast<std::size_t>(sizes[0]) + 1, '\0');
  if (sizes[0] != 0)
    checked(H5Dread(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()));
  std::vector<std::string> texts;
  for (hsize_t i = 0; i < wanted; ++i) {
    const char* begin = data.data() + i * size;
    texts.emplace_back(begin, std::find(begin, begin + size, '\0'));
  }
  return texts;
}

GlobalIndex Hdf5Source::n_rows(const std::string& name) const {
  const std::vector<hsize_t> sizes = extent(open_dataset(name).id());
  if (sizes.empty()) refuse(name, "has another shape");
  return static_cast<GlobalIndex>(sizes[0]);
}

template std::vector<double> Hdf5Source::rows(const std::string&, GlobalIndex, GlobalIndex,
                                              std::size_t) const;
template std::vector<std::int64_t> Hdf5Source::rows(const std::string&, GlobalIndex, GlobalIndex,
                                                    std::size_t) const;
template std::vector<std::uint64_t> Hdf5Source::rows(const std::string&, GlobalIndex, GlobalIndex,
                                                     std::size_t) const;
template std::vector<std::int32_t> Hdf5Source::rows(const std::string&, GlobalIndex, GlobalIndex,
                                                    std::size_t) const;
template std::vector<std::uint8_t> Hdf5Source::rows(const std::string&, GlobalIndex, GlobalIndex,
                                                    std::size_t) const;

}  // namespace trestle::io

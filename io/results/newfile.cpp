#include "io/results/newfile.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/roots.hpp"

namespace trestle::io::h5 {

struct NewFile::State {
  FileDescriptor descriptor;
  int fd = -1;    // for HDF5, which asks for its address
  int error = 0;  // of the first call that failed
  haddr_t allocated = 0;
  haddr_t end = 0;
};

namespace {

/// What HDF5 calls a file: its own head, then ours.
struct DriverFile {
  H5FD_t head;
  NewFile::State* state;
};

NewFile::State& state_of(const H5FD_t* file) {
  return *reinterpret_cast<const DriverFile*>(file)->state;
}

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* state = static_cast<NewFile::State* const*>(H5Pget_driver_info(access));
  if (state == nullptr) return nullptr;
  auto file = std::make_unique<DriverFile>();
  file->state = *state;
  return &file.release()->head;
}

herr_t close_file(H5FD_t* file) {
  delete reinterpret_cast<DriverFile*>(file);
  return 0;
}

int compare_files(const H5FD_t* a, const H5FD_t* b) {
  const std::less<const NewFile::State*> less;
  const auto *first = &state_of(a), *second = &state_of(b);
  return less(first, second) ? -1 : less(second, first) ? 1 : 0;
}

herr_t query_features(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_POSIX_COMPAT_HANDLE |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocated_end(const H5FD_t* file, H5FD_mem_t) { return state_of(file).allocated; }

herr_t set_allocated_end(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  state_of(file).allocated = address;
  return 0;
}

haddr_t file_end(const H5FD_t* file, H5FD_mem_t) { return state_of(file).end; }

herr_t descriptor_of(H5FD_t* file, hid_t, void** handle) {
  *handle = &state_of(file).fd;
  return 0;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                  void* buffer) {
  auto* to = static_cast<std::byte*>(buffer);
  while (size != 0) {
    const ssize_t n = pread(state_of(file).fd, to, size, static_cast<off_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    to += n;
    size -= static_cast<std::size_t>(n);
    address += static_cast<haddr_t>(n);
  }
  std::memset(to, 0, size);  // behind the end of the file
  return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   const void* buffer) {
  NewFile::State& state = state_of(file);
  state.end = std::max(state.end, address + size);
  if (state.error == 0)
    state.error =
        error_of_sure_write(state.fd, std::span(static_cast<const std::byte*>(buffer), size),
                            static_cast<std::int64_t>(address));
  return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  NewFile::State& state = state_of(file);
  if (state.allocated == state.end) return 0;
  state.end = state.allocated;
  while (state.error == 0 && ftruncate(state.fd, static_cast<off_t>(state.end)) != 0)
    if (errno != EINTR) state.error = errno;
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "trestle_new_file";
  driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(NewFile::State*);
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare_files;
  driver.query = query_features;
  driver.get_eoa = allocated_end;
  driver.set_eoa = set_allocated_end;
  driver.get_eof = file_end;
  driver.get_handle = descriptor_of;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = truncate_file;
  const H5FD_mem_t one_list[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(one_list), std::end(one_list), driver.fl_map);
  return driver;
}

hid_t driver() {
  static const H5FD_class_t definition = driver_class();
  static const hid_t registered = H5FDregister(&definition);
  return registered;
}

}  // namespace

NewFile::NewFile(std::string path, hid_t creation_properties, hid_t access_properties)
    : path_(std::move(path)), state_(std::make_unique<State>()) {
  open_descriptor(O_RDWR | O_CREAT | O_EXCL);
  const Handle access = with_driver(access_properties);
  file_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation_properties, access.id()));
  check(file_.id(), "create", path_, ExitCode::cannot_create);
}

NewFile::NewFile(std::string path, hid_t access_properties, Use use)
    : path_(std::move(path)), state_(std::make_unique<State>()) {
  const bool change = use == Use::change;
  open_descriptor(change ? O_RDWR : O_RDONLY);
  struct stat status {};
  if (fstat(state_->fd, &status) != 0) throw file_error("look at", path_, errno, ExitCode::io);
  state_->end = static_cast<haddr_t>(status.st_size);
  const Handle access = with_driver(access_properties);
  file_ = Handle(H5Fopen(path_.c_str(), change ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access.id()));
  check(file_.id(), "open", path_, ExitCode::cannot_create);
}

void NewFile::open_descriptor(int flags) {
  prepare();
  require_in_roots(path_);
  state_->descriptor = FileDescriptor(open(path_.c_str(), O_NOFOLLOW | O_CLOEXEC | flags, 0640));
  if (!state_->descriptor) throw file_error("create", path_, errno, ExitCode::cannot_create);
  state_->fd = state_->descriptor.number();
}

Handle NewFile::with_driver(hid_t access_properties) {
  State* const shared = state_.get();
  Handle access(H5Pcopy(access_properties));
  check(H5Pset_driver(access.id(), driver(), &shared), "create", path_, ExitCode::cannot_create);
  return access;
}

NewFile::~NewFile() { close(); }

void NewFile::check_writes() const {
  if (state_->error != 0) throw file_error("write", path_, state_->error, ExitCode::io);
}

void NewFile::reserve(std::int64_t bytes) const {
  check_writes();
  reserve_space(state_->fd, static_cast<std::int64_t>(state_->allocated) + bytes, path_);
}

void NewFile::sync() {
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "write", path_);
  check_writes();
  try {
    sync_file(state_->fd, path_);
  } catch (...) {
    state_->error = EIO;  // what the disk has is unknown now: nothing more is written
    throw;
  }
}

bool NewFile::is_whole() const { return state_->allocated == state_->end; }

void NewFile::close() {
  const bool changed =
      file_ && state_->error == 0 && (fcntl(state_->fd, F_GETFL) & O_ACCMODE) == O_RDWR;
  file_ = Handle();
  // Without the space that was reserved and not used.
  if (changed && ftruncate(state_->fd, static_cast<off_t>(state_->allocated)) != 0)
    state_->error = errno;
}

}  // namespace trestle::io::h5

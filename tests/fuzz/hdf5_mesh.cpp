// Whatever was done to an own mesh file: a mesh, or an Error. The bytes are changes to a small
// right file: of single bytes, which checksums find, or of arrays and their lengths with new
// checksums.
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "file_in_memory.hpp"
#include "io/hdf5_source.hpp"
#include "io/mesh/hdf5.hpp"
#include "io/mesh/hdf5_layout.hpp"
#include "mesh/generate.hpp"

namespace {

using namespace trestle;
using Bytes = std::vector<std::uint8_t>;

/// Takes numbers from the input; zeros when it is used up.
struct Input {
  const std::uint8_t* data;
  std::size_t left;
  template <class T>
  T take() {
    T value{};
    const std::size_t n = std::min(left, sizeof(T));
    std::memcpy(&value, data, n);
    data += n;
    left -= n;
    return value;
  }
};

struct Array {
  std::string name;
  bool is_text;
  std::size_t row_bytes;
  std::vector<hsize_t> extent;
  Bytes values;
};

struct Base {
  Bytes image;
  std::vector<Array> arrays;
};

Array read_array(hid_t file, const std::string& name) {
  const io::h5::Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  const io::h5::Handle type(H5Dget_type(set.id())), space(H5Dget_space(set.id()));
  std::vector<hsize_t> extent(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.id())));
  H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  Array array{name, H5Tget_class(type.id()) == H5T_STRING, H5Tget_size(type.id()), extent, {}};
  if (extent.size() > 1) array.row_bytes *= extent[1];
  array.values.resize(array.row_bytes * extent[0]);
  if (!array.values.empty())
    H5Dread(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data());
  return array;
}

herr_t collect(hid_t, const char* name, const H5O_info_t* info, void* names) {
  if (info->type == H5O_TYPE_DATASET && !std::string_view(name).ends_with(".xxh3"))
    static_cast<std::vector<std::string>*>(names)->push_back("/" + std::string(name));
  return 0;
}

Base make_base(const Comm& comm, mesh::CellType cell) {
  const std::string path = "/dev/shm/trestle-fuzz-" + std::to_string(getpid()) + ".h5";
  const bool flat = mesh::traits(cell).dim == 2;
  io::write_mesh_hdf5(path,
                      mesh::generate_box(comm, {.cells = {2, 1, flat ? 2 : 1}, .cell = cell}));
  Base base;
  std::ifstream file(path, std::ios::binary);
  base.image.assign(std::istreambuf_iterator<char>(file), {});
  const io::h5::Handle opened(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  std::vector<std::string> names;
  H5Ovisit(opened.id(), H5_INDEX_NAME, H5_ITER_INC, collect, &names);
  for (const std::string& name : names) base.arrays.push_back(read_array(opened.id(), name));
  unlink(path.c_str());
  return base;
}

std::vector<std::uint64_t> hashes(const Array& array) {
  if (!array.is_text)
    return io::block_hashes(std::as_bytes(std::span(array.values)), array.row_bytes);
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < array.extent[0]; ++row) {
    const auto* text = reinterpret_cast<const char*>(array.values.data()) + row * array.row_bytes;
    texts.emplace_back(text, strnlen(text, array.row_bytes));
  }
  return io::mesh_layout::hashes_of(texts);
}

void replace(hid_t file, const std::string& name, hid_t type, const std::vector<hsize_t>& extent,
             const void* values) {
  H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  const io::h5::Handle space(
      H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr));
  const io::h5::Handle set(
      H5Dcreate2(file, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (extent[0] != 0) H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

/// One change of an array: of some bytes of it, or of its length.
void change(Array& array, Input& input) {
  constexpr std::uint8_t length = 0x80;
  constexpr hsize_t most_rows = 1500;  // several blocks of checksums
  const auto kind = input.take<std::uint8_t>();
  if ((kind & length) != 0) {
    array.extent[0] = input.take<std::uint16_t>() % most_rows;
    array.values.resize(array.row_bytes * array.extent[0]);
    return;
  }
  const auto at = input.take<std::uint16_t>();
  const auto value = input.take<std::uint64_t>();
  const std::size_t n = 1 + kind % sizeof value;
  if (array.values.size() >= n)
    std::memcpy(array.values.data() + at % (array.values.size() - n + 1), &value, n);
}

void change_arrays(const std::string& path, const Base& base, Input input) {
  const io::h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  std::vector<Array> arrays = base.arrays;
  while (input.left > 0) {
    Array& array = arrays[input.take<std::uint8_t>() % arrays.size()];
    const io::h5::Handle set(H5Dopen2(file.id(), array.name.c_str(), H5P_DEFAULT));
    const io::h5::Handle type(H5Dget_type(set.id()));
    change(array, input);
    replace(file.id(), array.name, type.id(), array.extent, array.values.data());
    const auto sums = hashes(array);
    replace(file.id(), io::mesh_layout::hashes_of(array.name), H5T_NATIVE_UINT64, {sums.size()},
            sums.data());
  }
}

Bytes change_bytes(Bytes image, Input input) {
  while (input.left > 0) {
    const auto at = input.take<std::uint16_t>();
    image[at % image.size()] = input.take<std::uint8_t>();
  }
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Comm comm(MPI_COMM_SELF);
  static const Base bases[] = {make_base(comm, mesh::CellType::hex8),
                               make_base(comm, mesh::CellType::tri3)};
  Input input{data, size};
  const auto choice = input.take<std::uint8_t>();
  const Base& base = bases[choice & 1];
  const bool sealed = (choice & 2) != 0;
  const Bytes image = sealed ? base.image : change_bytes(base.image, input);
  const fuzz::FileInMemory file(image.data(), image.size());
  if (sealed) change_arrays(file.path(), base, input);
  try {
    io::read_mesh_hdf5(comm, file.path());
  } catch (const Error&) {
  }
  return 0;
}

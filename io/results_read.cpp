// The reader of results.hdf: every object is checked before a byte of it is read, because a file
// may come from anywhere.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include "io/files.hpp"
#include "io/results.hpp"
#include "io/results_file.hpp"
#include "io/results_hdf5.hpp"
#include "io/results_layout.hpp"
#include "io/roots.hpp"
#include "io/vtk_cells.hpp"

namespace trestle::io {

namespace {

/// An open results file.
class Source {
 public:
  explicit Source(const std::string& path);

  /// Steps that were announced.
  int n_steps() const { return n_steps_; }
  /// The number in a dataset of one.
  std::int64_t count(const std::string& name) const;
  /// Rows [first, first + n) of a dataset [rows >= first + n, width].
  template <class T>
  std::vector<T> rows(const std::string& name, GlobalIndex first, GlobalIndex n,
                      std::size_t width = 1) const;
  /// The first `n` strings of a dataset; all of them when n is negative.
  std::vector<std::string> strings(const std::string& name, GlobalIndex n = -1) const;
  /// 1 for a dataset of numbers, 3 or 6 for one of vectors or tensors.
  int components(const std::string& name) const;
  /// Throws unless the data of the array `name` have the checksum that its attribute tells.
  void verify(const std::string& name, std::span<const std::uint64_t> hashes) const;
  template <class T>
  std::vector<T> verified_rows(const std::string& name, GlobalIndex n,
                               std::size_t width = 1) const {
    std::vector<T> values = rows<T>(name, 0, n, width);
    verify(name, block_hashes(std::as_bytes(std::span(values)), width * sizeof(T)));
    return values;
  }
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw Error(ExitCode::mesh, fmt::format("{}: {} {}; it is no results file of ours, or it is "
                                            "damaged",
                                            path_, name, why));
  }

 private:
  /// Throws where HDF5 failed: 74 when the system did, else 65, for the file is no HDF5 or damaged.
  template <class Result>
  Result checked(Result result, const char* doing = "read") const {
    return h5::check(result, doing, path_, ExitCode::mesh);
  }
  h5::Handle open_checked(const std::string& name, bool dataset) const;
  h5::Handle open_dataset(const std::string& name) const;
  void check_storage(const std::string& name, hid_t set) const;
  std::vector<hsize_t> extent(hid_t set) const;
  int read_n_steps() const;

  std::string path_;
  hsize_t file_bytes_ = 0;
  h5::Handle file_;
  int n_steps_ = 0;
};

Source::Source(const std::string& path) : path_(path) {
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
  checked(file_.id(), "open");
  n_steps_ = read_n_steps();
}

int Source::read_n_steps() const {
  const h5::Handle vtk = open_checked("/VTKHDF", false);
  std::string type(std::string(type_announced).size(), '\0');
  const h5::Handle attribute(H5Aopen(vtk.id(), "Type", H5P_DEFAULT));
  const h5::Handle string = h5::string_type(type.size());
  const h5::Handle stored(attribute ? H5Aget_type(attribute.id()) : -1);
  if (!stored || H5Tequal(stored.id(), string.id()) <= 0) refuse("/VTKHDF", "has no Type of ours");
  checked(H5Aread(attribute.id(), string.id(), type.data()));
  if (type == type_not_announced) return 0;
  if (type != type_announced) refuse("/VTKHDF", "has no Type of ours");
  if (H5Lexists(vtk.id(), "Steps", H5P_DEFAULT) <= 0) return 1;
  const h5::Handle steps = open_checked("/VTKHDF/Steps", false);
  const h5::Handle number(H5Aopen(steps.id(), "NSteps", H5P_DEFAULT));
  const h5::Handle space(number ? H5Aget_space(number.id()) : -1);
  if (!space || H5Sget_simple_extent_npoints(space.id()) != 1) refuse("NSteps", "is missing");
  std::int64_t n = 0;
  checked(H5Aread(number.id(), H5T_NATIVE_INT64, &n));
  if (n < 0 || n > most_steps) refuse("NSteps", fmt::format("is {}", n));
  return static_cast<int>(n);
}

/// Opens an object after it is sure that every link on the way is a plain one: links may point at
/// other files.
h5::Handle Source::open_checked(const std::string& name, bool dataset) const {
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

void Source::check_storage(const std::string& name, hid_t set) const {
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

std::vector<hsize_t> Source::extent(hid_t set) const {
  const h5::Handle space(H5Dget_space(set));
  const int rank = checked(H5Sget_simple_extent_ndims(space.id()));
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
  return sizes;
}

h5::Handle Source::open_dataset(const std::string& name) const {
  h5::Handle set = open_checked(name, true);
  check_storage(name, set.id());
  return set;
}

template <class T>
std::vector<T> Source::rows(const std::string& name, GlobalIndex first, GlobalIndex n,
                            std::size_t width) const {
  const h5::Handle set = open_dataset(name);
  const h5::Handle type(H5Dget_type(set.id()));
  if (H5Tequal(type.id(), h5::type_of<T>()) <= 0) refuse(name, "has another number type");
  const std::vector<hsize_t> sizes = extent(set.id());
  const bool shaped = width == 1 ? sizes.size() == 1 : sizes.size() == 2 && sizes[1] == width;
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

std::int64_t Source::count(const std::string& name) const {
  const std::int64_t n = rows<std::int64_t>(name, 0, 1)[0];
  if (n < 0 || static_cast<hsize_t>(n) > file_bytes_) refuse(name, fmt::format("is {}", n));
  return n;
}

std::vector<std::string> Source::strings(const std::string& name, GlobalIndex n) const {
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

void Source::verify(const std::string& name, std::span<const std::uint64_t> hashes) const {
  const h5::Handle set = open_dataset(name);
  const h5::Handle attribute(H5Aopen(set.id(), "xxh3", H5P_DEFAULT));
  const h5::Handle space(attribute ? H5Aget_space(attribute.id()) : -1);
  if (!space || H5Sget_simple_extent_npoints(space.id()) != 1) refuse(name, "has no checksum");
  std::uint64_t stored = 0;
  checked(H5Aread(attribute.id(), H5T_NATIVE_UINT64, &stored));
  if (stored != hash_of_hashes(hashes)) refuse(name, "does not have its checksum");
}

int Source::components(const std::string& name) const {
  const std::vector<hsize_t> sizes = extent(open_dataset(name).id());
  if (sizes.size() == 1) return 1;
  if (sizes.size() != 2 || (sizes[1] != 3 && sizes[1] != 6)) refuse(name, "has another shape");
  return static_cast<int>(sizes[1]);
}

std::vector<ResultField> read_fields(const Source& source) {
  const auto names = source.strings("/trestle/field_names");
  const auto units = source.strings("/trestle/field_units");
  if (names.size() != units.size()) source.refuse("/trestle/field_units", "has another shape");
  std::vector<ResultField> fields;
  for (std::size_t f = 0; f < names.size(); ++f) {
    if (names[f].empty() || names[f].find('/') != std::string::npos)
      source.refuse("/trestle/field_names", "has a bad name");
    fields.push_back({names[f], source.components("/VTKHDF/PointData/" + names[f]), units[f]});
  }
  return fields;
}

std::vector<int> narrowed(const Source& source, const std::string& name,
                          const std::vector<std::int64_t>& regions, std::size_t n_regions) {
  for (std::int64_t region : regions)
    if (region < 0 || static_cast<std::size_t>(region) >= n_regions)
      source.refuse(name, fmt::format("has region {} of {}", region, n_regions));
  return {regions.begin(), regions.end()};
}

void read_points(const Source& source, ResultsContent& content) {
  const GlobalIndex n = source.count("/VTKHDF/NumberOfPoints");
  content.coordinates = source.verified_rows<double>("/VTKHDF/Points", n, 3);
  content.node_ids = source.verified_rows<GlobalIndex>("/VTKHDF/PointData/node_id", n);
  content.node_tags = source.verified_rows<std::int64_t>("/VTKHDF/PointData/node_tag", n);
  const std::string region = "/VTKHDF/PointData/region";
  content.point_regions = narrowed(source, region, source.verified_rows<std::int64_t>(region, n),
                                   content.region_names.size());
}

/// Cell types, and the checked offsets of their nodes in the connectivity.
std::vector<std::int64_t> read_types(const Source& source, GlobalIndex n,
                                     std::vector<const VtkCell*>& cells) {
  const auto offsets = source.rows<std::int64_t>("/VTKHDF/Offsets", 0, n + 1);
  if (offsets[0] != 0) source.refuse("/VTKHDF/Offsets", "does not begin with 0");
  const auto codes = source.verified_rows<std::uint8_t>("/VTKHDF/Types", n);
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const VtkCell* cell = vtk_cell_of_code(codes[c]);
    if (cell == nullptr) source.refuse("/VTKHDF/Types", fmt::format("has type {}", codes[c]));
    if (offsets[c + 1] != offsets[c] + static_cast<std::int64_t>(cell->order.size()))
      source.refuse("/VTKHDF/Offsets", fmt::format("does not fit the type of cell {}", c));
    cells.push_back(cell);
  }
  return offsets;
}

void read_cells(const Source& source, ResultsContent& content) {
  const GlobalIndex n = source.count("/VTKHDF/NumberOfCells");
  std::vector<const VtkCell*> cells;
  const auto offsets = read_types(source, n, cells);
  const std::string connectivity = "/VTKHDF/Connectivity";
  const auto points = source.rows<GlobalIndex>(connectivity, 0, offsets.back());
  std::vector<std::size_t> ends;
  for (GlobalIndex c = 0; c < n; c += rows_per_block) {
    const auto last = static_cast<std::size_t>(std::min(c + rows_per_block, n));
    ends.push_back(static_cast<std::size_t>(offsets[last]) * sizeof(GlobalIndex));
  }
  source.verify(connectivity, block_hashes(std::as_bytes(std::span(points)), ends));
  const auto n_points = static_cast<GlobalIndex>(content.node_ids.size());
  content.cell_points.resize(points.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    content.cell_types.push_back(cells[c]->type);
    const auto begin = static_cast<std::size_t>(offsets[c]);
    for (std::size_t k = 0; k < cells[c]->order.size(); ++k) {
      const GlobalIndex point = points[begin + k];
      if (point < 0 || point >= n_points)
        source.refuse(connectivity, fmt::format("has point {} of {}", point, n_points));
      content.cell_points[begin + cells[c]->order[k]] = point;
    }
  }
  content.cell_tags = source.verified_rows<std::int64_t>("/VTKHDF/CellData/cell_tag", n);
  const std::string region = "/VTKHDF/CellData/region";
  content.cell_regions = narrowed(source, region, source.verified_rows<std::int64_t>(region, n),
                                  content.region_names.size());
}

}  // namespace

ResultsContent read_results(const std::string& path) {
  const Source source(path);
  ResultsContent content;
  content.step_names = source.strings("/trestle/step_names", source.n_steps());
  content.step_values = source.rows<double>("/trestle/step_values", 0, source.n_steps());
  content.region_names = source.strings("/trestle/region_names");
  content.fields = read_fields(source);
  read_points(source, content);
  read_cells(source, content);
  return content;
}

std::vector<double> read_result_values(const std::string& path, const std::string& field,
                                       int step) {
  const Source source(path);
  const std::vector<ResultField> fields = read_fields(source);
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const ResultField& one) { return one.name == field; });
  require(found != fields.end(), ExitCode::usage, path + " has no field '" + field + "'");
  require(step >= 0 && step < source.n_steps(), ExitCode::usage,
          fmt::format("{} has {} steps; there is no step {}", path, source.n_steps(), step));
  const auto width = static_cast<std::size_t>(found->components);
  const GlobalIndex n = source.count("/VTKHDF/NumberOfPoints");
  const std::string name = "/VTKHDF/PointData/" + field;
  const auto values = source.rows<double>(name, step * n, n, width);
  const auto sums = source.rows<std::uint64_t>("/trestle/checksums", step, 1,
                                               std::max<std::size_t>(1, fields.size()));
  const auto hashes = block_hashes(std::as_bytes(std::span(values)), width * sizeof(double));
  if (hash_of_hashes(hashes) != sums[static_cast<std::size_t>(found - fields.begin())])
    source.refuse(name, fmt::format("does not have its checksum at step {}", step));
  return values;
}

}  // namespace trestle::io

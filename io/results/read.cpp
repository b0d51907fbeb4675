// The reader of results.hdf: every object is checked before a byte of it is read, because a file
// may come from anywhere.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "io/files.hpp"
#include "io/hdf5_source.hpp"
#include "io/results/file.hpp"
#include "io/results/hdf5.hpp"
#include "io/results/layout.hpp"
#include "io/results/results.hpp"
#include "io/results/vtk_cells.hpp"

namespace trestle::io {

namespace {

/// An open results file.
class Source : public Hdf5Source {
 public:
  explicit Source(const std::string& path)
      : Hdf5Source(path, "results file"), format_(read_format()), n_steps_(read_n_steps()) {}

  /// Steps that were announced.
  int n_steps() const { return n_steps_; }
  /// Whether the file can take several.
  bool is_series() const { return is_series_; }
  /// Whether names, units and steps have checksums.
  bool has_all_checksums() const { return format_ > 1; }
  /// The number in a dataset of one.
  std::int64_t count(const std::string& name) const;
  /// 1 for a dataset of numbers, 3 or 6 for one of vectors or tensors.
  int components(const std::string& name) const;
  std::string unit_of(const std::string& field) const {
    return text_attribute(open_dataset(field), "unit", field);
  }
  /// Throws unless the data of the array `name` have the checksum that its attribute tells.
  void verify(const std::string& name, std::uint64_t hash) const;
  template <class T>
  std::vector<T> verified_rows(const std::string& name, GlobalIndex n,
                               std::size_t width = 1) const {
    std::vector<T> values = rows<T>(name, 0, n, width);
    verify(name, hash_of_hashes(block_hashes(std::as_bytes(std::span(values)), width * sizeof(T))));
    return values;
  }
  /// The texts of a dataset, verified where they have a checksum.
  std::vector<std::string> verified_strings(const std::string& name) const {
    std::vector<std::string> texts = strings(name);
    if (has_all_checksums()) verify(name, hash_of_texts(texts));
    return texts;
  }

 private:
  template <class T>
  std::vector<T> attribute(const h5::Handle& object, const char* attribute, hsize_t n,
                           const std::string& name) const;
  std::string text_attribute(const h5::Handle& object, const char* attribute,
                             const std::string& name) const;
  std::int64_t read_format() const;
  int read_n_steps();

  std::int64_t format_ = 0;
  bool is_series_ = false;
  int n_steps_ = 0;
};

/// The n numbers in an attribute of the object `name`.
template <class T>
std::vector<T> Source::attribute(const h5::Handle& object, const char* attribute, hsize_t n,
                                 const std::string& name) const {
  const h5::Handle opened(H5Aopen(object.id(), attribute, H5P_DEFAULT));
  const h5::Handle space(opened ? H5Aget_space(opened.id()) : -1);
  if (!space || static_cast<hsize_t>(H5Sget_simple_extent_npoints(space.id())) != n)
    refuse(name, fmt::format("has no {}", attribute));
  std::vector<T> values(n);
  checked(H5Aread(opened.id(), h5::type_of<T>(), values.data()));
  return values;
}

/// The text in an attribute of the object `name`.
std::string Source::text_attribute(const h5::Handle& object, const char* attribute,
                                   const std::string& name) const {
  const h5::Handle opened(H5Aopen(object.id(), attribute, H5P_DEFAULT));
  const h5::Handle type(opened ? H5Aget_type(opened.id()) : -1);
  if (!type || H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) != 0)
    refuse(name, fmt::format("has no {} of ours", attribute));
  const h5::Handle space(H5Aget_space(opened.id()));
  if (H5Sget_simple_extent_npoints(space.id()) != 1)
    refuse(name, fmt::format("has no {} of ours", attribute));
  std::string text(H5Tget_size(type.id()), '\0');
  checked(H5Aread(opened.id(), type.id(), text.data()));
  return text.substr(0, text.find('\0'));
}

std::int64_t Source::read_format() const {
  const std::int64_t format =
      attribute<std::int64_t>(open_group("/trestle"), "format", 1, "/trestle")[0];
  if (format < 1 || format > results_format)
    refuse("/trestle", fmt::format("has format {}, and this version of Trestle reads 1 to {}",
                                   format, results_format));
  return format;
}

int Source::read_n_steps() {
  const h5::Handle vtk = open_group("/VTKHDF");
  const std::string type = text_attribute(vtk, "Type", "/VTKHDF");
  if (type != type_announced && type != type_not_announced)
    refuse("/VTKHDF", "has no Type of ours");
  is_series_ = H5Lexists(vtk.id(), "Steps", H5P_DEFAULT) > 0;
  const std::vector<std::int64_t> version = attribute<std::int64_t>(vtk, "Version", 2, "/VTKHDF");
  if (version[0] != (is_series_ ? 2 : 1) || version[1] != 0)
    refuse("/VTKHDF", fmt::format("has version {}.{}", version[0], version[1]));
  if (type == type_not_announced) return 0;
  if (!is_series_) return 1;
  const h5::Handle steps = open_group("/VTKHDF/Steps");
  const std::int64_t n = attribute<std::int64_t>(steps, "NSteps", 1, "NSteps")[0];
  if (n < 0 || n > most_steps) refuse("NSteps", fmt::format("is {}", n));
  return static_cast<int>(n);
}

std::int64_t Source::count(const std::string& name) const {
  const std::int64_t n = rows<std::int64_t>(name, 0, 1)[0];
  if (n < 0 || static_cast<hsize_t>(n) > file_bytes()) refuse(name, fmt::format("is {}", n));
  return n;
}

void Source::verify(const std::string& name, std::uint64_t hash) const {
  if (attribute<std::uint64_t>(open_dataset(name), "xxh3", 1, name)[0] != hash)
    refuse(name, "does not have its checksum");
}

int Source::components(const std::string& name) const {
  const std::vector<hsize_t> sizes = extent(open_dataset(name).id());
  if (sizes.size() == 1) return 1;
  if (sizes.size() != 2 || (sizes[1] != 3 && sizes[1] != 6)) refuse(name, "has another shape");
  return static_cast<int>(sizes[1]);
}

std::vector<ResultField> read_fields(const Source& source) {
  const auto names = source.verified_strings("/trestle/field_names");
  const auto units = source.verified_strings("/trestle/field_units");
  if (names.size() != units.size()) source.refuse("/trestle/field_units", "has another shape");
  std::vector<ResultField> fields;
  for (std::size_t f = 0; f < names.size(); ++f) {
    if (names[f].empty() || names[f].find('/') != std::string::npos)
      source.refuse("/trestle/field_names", "has a bad name");
    const std::string path = "/VTKHDF/PointData/" + names[f];
    fields.push_back({names[f], source.components(path), units[f]});
    if (source.unit_of(path) != units[f])
      source.refuse(path, "has another unit than in /trestle/field_units");
  }
  return fields;
}

/// The names and values of the announced steps, verified where they have checksums.
template <class Content>
void read_steps(const Source& source, Content& content) {
  const int n = source.n_steps();
  content.step_names = source.strings("/trestle/step_names", n);
  content.step_values = source.rows<double>("/trestle/step_values", 0, n);
  if (!source.has_all_checksums()) return;
  const std::string name = "/trestle/step_checksums";
  const auto right = source.rows<std::uint64_t>(name, 0, n);
  const std::size_t width = std::max<std::size_t>(1, content.fields.size());
  const auto sums = source.rows<std::uint64_t>("/trestle/checksums", 0, n, width);
  for (std::size_t s = 0; s < right.size(); ++s)
    if (hash_of_step(content.step_names[s], content.step_values[s],
                     std::span(sums).subspan(s * width, width)) != right[s])
      source.refuse(name,
                    fmt::format("does not fit the name, the value or the checksums of step {}", s));
}

/// What VTK reads of the steps must be what the other arrays tell.
void check_vtk_steps(const Source& source, const ResultsContent& content) {
  const std::string steps = "/VTKHDF/Steps/";
  if (!source.is_series()) return;
  const int n = source.n_steps();
  if (source.rows<double>(steps + "Values", 0, n) != content.step_values)
    source.refuse(steps + "Values", "differs from /trestle/step_values");
  const auto check = [&](const std::string& name, std::int64_t first, std::int64_t growth) {
    const auto numbers = source.rows<std::int64_t>(steps + name, 0, n);
    for (std::size_t s = 0; s < numbers.size(); ++s)
      if (numbers[s] != first + static_cast<std::int64_t>(s) * growth)
        source.refuse(steps + name, fmt::format("is {} at step {}", numbers[s], s));
  };
  check("NumberOfParts", 1, 0);
  for (const std::string name : step_offsets) check(name, 0, 0);
  for (const std::string name : {"node_id", "node_tag", "region"})
    check("PointDataOffsets/" + name, 0, 0);
  for (const std::string name : {"cell_tag", "region"}) check("CellDataOffsets/" + name, 0, 0);
  for (const ResultField& field : content.fields)
    check("PointDataOffsets/" + field.name, 0, static_cast<std::int64_t>(content.node_ids.size()));
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
  if (source.count("/VTKHDF/NumberOfConnectivityIds") != offsets.back())
    source.refuse("/VTKHDF/NumberOfConnectivityIds", "does not fit the cells");
  std::vector<std::size_t> ends;
  for (GlobalIndex c = 0; c < n; c += rows_per_block) {
    const auto last = static_cast<std::size_t>(std::min(c + rows_per_block, n));
    ends.push_back(static_cast<std::size_t>(offsets[last]) * sizeof(GlobalIndex));
  }
  source.verify(connectivity, hash_of_hashes(block_hashes(std::as_bytes(std::span(points)), ends)));
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
  content.region_names = source.verified_strings("/trestle/region_names");
  content.fields = read_fields(source);
  read_steps(source, content);
  read_points(source, content);
  read_cells(source, content);
  check_vtk_steps(source, content);
  content.has_all_checksums = source.has_all_checksums();
  content.n_unannounced = narrow<int>(source.n_rows("/trestle/step_names")) - source.n_steps();
  return content;
}

ResultsSummary read_results_summary(const std::string& path) {
  const Source source(path);
  ResultsSummary summary;
  summary.fields = read_fields(source);
  read_steps(source, summary);
  summary.region_names = source.verified_strings("/trestle/region_names");
  summary.n_points = source.count("/VTKHDF/NumberOfPoints");
  summary.n_cells = source.count("/VTKHDF/NumberOfCells");
  return summary;
}

std::vector<double> read_result_values(const std::string& path, const std::string& field,
                                       int step) {
  const Source source(path);
  const std::vector<ResultField> fields = read_fields(source);
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const ResultField& one) { return one.name == field; });
  require(found != fields.end(), ExitCode::usage, path + " has no field '" + field + "'");
  require(step >= 0 && step < source.n_steps(), ExitCode::usage,
          fmt::format("{} has {} step{}, counted from 0; there is no step {}", path,
                      source.n_steps(), source.n_steps() == 1 ? "" : "s", step));
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

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
      : Hdf5Source(path, "results file"), n_steps_(read_n_steps()) {}

  /// Steps that were announced.
  int n_steps() const { return n_steps_; }
  /// The number in a dataset of one.
  std::int64_t count(const std::string& name) const;
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

 private:
  int read_n_steps() const;

  int n_steps_ = 0;
};

int Source::read_n_steps() const {
  const h5::Handle vtk = open_group("/VTKHDF");
  std::string type(std::string(type_announced).size(), '\0');
  const h5::Handle attribute(H5Aopen(vtk.id(), "Type", H5P_DEFAULT));
  const h5::Handle string = h5::string_type(type.size());
  const h5::Handle stored(attribute ? H5Aget_type(attribute.id()) : -1);
  if (!stored || H5Tequal(stored.id(), string.id()) <= 0) refuse("/VTKHDF", "has no Type of ours");
  checked(H5Aread(attribute.id(), string.id(), type.data()));
  if (type == type_not_announced) return 0;
  if (type != type_announced) refuse("/VTKHDF", "has no Type of ours");
  if (H5Lexists(vtk.id(), "Steps", H5P_DEFAULT) <= 0) return 1;
  const h5::Handle steps = open_group("/VTKHDF/Steps");
  const h5::Handle number(H5Aopen(steps.id(), "NSteps", H5P_DEFAULT));
  const h5::Handle space(number ? H5Aget_space(number.id()) : -1);
  if (!space || H5Sget_simple_extent_npoints(space.id()) != 1) refuse("NSteps", "is missing");
  std::int64_t n = 0;
  checked(H5Aread(number.id(), H5T_NATIVE_INT64, &n));
  if (n < 0 || n > most_steps) refuse("NSteps", fmt::format("is {}", n));
  return static_cast<int>(n);
}

std::int64_t Source::count(const std::string& name) const {
  const std::int64_t n = rows<std::int64_t>(name, 0, 1)[0];
  if (n < 0 || static_cast<hsize_t>(n) > file_bytes()) refuse(name, fmt::format("is {}", n));
  return n;
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

ResultsSummary read_results_summary(const std::string& path) {
  const Source source(path);
  ResultsSummary summary;
  summary.step_names = source.strings("/trestle/step_names", source.n_steps());
  summary.step_values = source.rows<double>("/trestle/step_values", 0, source.n_steps());
  summary.fields = read_fields(source);
  summary.region_names = source.strings("/trestle/region_names");
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

#include "io/results/file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "io/files.hpp"
#include "io/results/layout.hpp"
#include "io/version.hpp"

namespace trestle::io {

namespace {

constexpr hsize_t page = 4096;
// Chunks of what is small per step fill one page: a page is written whole or not at all.
constexpr GlobalIndex numbers_per_page = page / 8;

std::string below_vtk(const std::string& path) { return "/VTKHDF/" + path; }

hid_t file_type(Number number) {
  switch (number) {
    case Number::float64:
      return H5T_IEEE_F64LE;
    case Number::int64:
      return H5T_STD_I64LE;
    default:
      return H5T_STD_U8LE;
  }
}

/// Half the number of chunks that one node of the chunk index can hold: enough for every dataset.
unsigned index_half_rank(const ResultsPlan& plan) {
  GlobalIndex chunks = plan.n_steps;
  for (const ResultField& field : plan.fields)
    chunks = std::max(chunks, plan.n_steps * plan.n_points / plan.rows_per_chunk(field) + 1);
  require(chunks <= most_steps, ExitCode::case_file,
          fmt::format("{}: {} steps of {} points need more than {} chunks in one results file; "
                      "write fewer steps",
                      plan.path, plan.n_steps, plan.n_points, most_steps));
  return static_cast<unsigned>(std::max<GlobalIndex>(32, (chunks + 2) / 2));
}

h5::Handle access_properties() {
  h5::Handle properties(H5Pcreate(H5P_FILE_ACCESS));
  // The old superblock has no "open for writing" mark: a file stays readable after a crash.
  H5Pset_libver_bounds(properties.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
  H5Pset_alignment(properties.id(), page, page);
  H5Pset_meta_block_size(properties.id(), 16 * page);
  return properties;
}

}  // namespace

GlobalIndex ResultsPlan::rows_per_chunk(const ResultField& field) const {
  return chunk_rows(n_points, static_cast<std::size_t>(field.components) * sizeof(double),
                    chunk_bytes);
}

GlobalIndex ResultsPlan::rows_per_chunk(const MeshArray& array) const {
  return chunk_rows(array.n_rows, array.row_bytes(), chunk_bytes);
}

ResultsFile::ResultsFile(ResultsPlan plan, const std::vector<MeshArray>& arrays)
    : plan_(std::move(plan)) {
  make_file();
  try {
    make_mesh(arrays);
    make_fields();
    if (plan_.series()) make_steps();
    make_own();
    file_->sync();
  } catch (...) {
    discard();
    throw;
  }
}

ResultsFile::ResultsFile(ResultsPlan plan, int n_kept) : plan_(std::move(plan)), opened_(true) {
  file_ =
      std::make_unique<h5::NewFile>(plan_.path, access_properties().id(), h5::NewFile::Use::change);
  make_fields();
  if (plan_.series()) make_steps();
  make_own();
  rewind(n_kept);
}

void ResultsFile::rewind(int n_kept) {
  // First nobody sees the steps that go, then they go.
  n_written_ = n_kept;
  announce(n_kept);
  file_->sync();
  for (const auto& [name, dataset] : sets_) {
    const bool is_field = name.starts_with(below_vtk("PointData/"));
    extend(name,
           static_cast<hsize_t>(n_kept) * (is_field ? static_cast<hsize_t>(plan_.n_points) : 1));
  }
  file_->sync();
}

ResultsFile::~ResultsFile() = default;

void ResultsFile::discard() {
  sets_.clear();
  file_.reset();
  unlink(plan_.path.c_str());
}

void ResultsFile::make_file() {
  const h5::Handle creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_istore_k(creation.id(), index_half_rank(plan_));
  file_ = std::make_unique<h5::NewFile>(plan_.path, creation.id(), access_properties().id());
}

void ResultsFile::make_group(const std::string& name) {
  if (opened_) return;
  const h5::Handle group(
      H5Gcreate2(file_->id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  h5::check(group.id(), "write", plan_.path);
}

void ResultsFile::make_dataset(const std::string& name, hid_t type, std::vector<hsize_t> row,
                               GlobalIndex rows_per_chunk, hsize_t n_rows, bool grows) {
  if (opened_) return open_dataset(name, std::move(row));
  std::vector<hsize_t> extent{n_rows}, chunk{static_cast<hsize_t>(rows_per_chunk)};
  std::vector<hsize_t> most{grows ? H5S_UNLIMITED : std::max<hsize_t>(n_rows, 1)};
  for (auto* sizes : {&extent, &most, &chunk}) sizes->insert(sizes->end(), row.begin(), row.end());
  const h5::Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  const int rank = static_cast<int>(chunk.size());
  H5Pset_chunk(properties.id(), rank, chunk.data());
  H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(properties.id(), false);
  const h5::Handle space(H5Screate_simple(rank, extent.data(), most.data()));
  h5::Handle set(H5Dcreate2(file_->id(), name.c_str(), type, space.id(), H5P_DEFAULT,
                            properties.id(), H5P_DEFAULT));
  h5::check(set.id(), "write", plan_.path);
  sets_.emplace(name, Dataset{std::move(set), std::move(row)});
}

void ResultsFile::open_dataset(const std::string& name, std::vector<hsize_t> row) {
  h5::Handle set(H5Dopen2(file_->id(), name.c_str(), H5P_DEFAULT));
  h5::check(set.id(), "open", plan_.path);
  sets_.emplace(name, Dataset{std::move(set), std::move(row)});
}

void ResultsFile::make_mesh(const std::vector<MeshArray>& arrays) {
  for (const char* group : {"/VTKHDF", "/VTKHDF/PointData", "/VTKHDF/CellData"}) make_group(group);
  const h5::Handle vtk(H5Gopen2(file_->id(), "/VTKHDF", H5P_DEFAULT));
  h5::write_attribute(vtk.id(), "Version", std::vector<std::int64_t>{plan_.series() ? 2 : 1, 0},
                      plan_.path);
  h5::write_attribute(vtk.id(), "Type", std::string(type_not_announced), plan_.path);
  for (const char* count : {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"})
    make_dataset(below_vtk(count), H5T_STD_I64LE, {}, numbers_per_page, 1, true);
  for (const MeshArray& array : arrays) {
    const std::vector<hsize_t> row =
        array.width == 1 ? std::vector<hsize_t>{} : std::vector<hsize_t>{array.width};
    make_dataset(below_vtk(array.path), file_type(array.number), row, plan_.rows_per_chunk(array),
                 static_cast<hsize_t>(array.n_rows), false);
  }
}

void ResultsFile::make_fields() {
  for (const ResultField& field : plan_.fields) {
    const std::string name = below_vtk("PointData/" + field.name);
    const auto width = static_cast<hsize_t>(field.components);
    make_dataset(name, H5T_IEEE_F64LE,
                 width == 1 ? std::vector<hsize_t>{} : std::vector<hsize_t>{width},
                 plan_.rows_per_chunk(field), 0, true);
    if (!opened_) h5::write_attribute(sets_.at(name).set.id(), "unit", field.unit, plan_.path);
  }
}

void ResultsFile::make_steps() {
  const auto make = [&](const std::string& name, std::vector<hsize_t> row = {}) {
    make_dataset(name, H5T_STD_I64LE, std::move(row), numbers_per_page, 0, true);
  };
  const std::string steps = below_vtk("Steps");
  for (const char* group : {"", "/PointDataOffsets", "/CellDataOffsets"}) make_group(steps + group);
  make_dataset(steps + "/Values", H5T_IEEE_F64LE, {}, numbers_per_page, 0, true);
  make(steps + "/NumberOfParts");
  for (const std::string offsets : step_offsets)
    make(steps + "/" + offsets,
         offsets.starts_with("C") ? std::vector<hsize_t>{1} : std::vector<hsize_t>{});
  for (const char* name : {"node_id", "node_tag", "region"})
    make(steps + "/PointDataOffsets/" + name);
  for (const ResultField& field : plan_.fields) make(steps + "/PointDataOffsets/" + field.name);
  for (const char* name : {"cell_tag", "region"}) make(steps + "/CellDataOffsets/" + name);
  if (opened_) return;
  const h5::Handle group(H5Gopen2(file_->id(), steps.c_str(), H5P_DEFAULT));
  h5::write_attribute(group.id(), "NSteps", std::vector<std::int64_t>{0}, plan_.path);
}

void ResultsFile::make_own() {
  if (!opened_) make_names();
  const h5::Handle name_type = h5::string_type(step_name_bytes);
  make_dataset("/trestle/step_names", name_type.id(), {}, page / step_name_bytes, 0, true);
  make_dataset("/trestle/step_values", H5T_IEEE_F64LE, {}, numbers_per_page, 0, true);
  const hsize_t n_fields = plan_.fields.size();
  make_dataset("/trestle/checksums", H5T_STD_U64LE,
               n_fields < 2 ? std::vector<hsize_t>{} : std::vector<hsize_t>{n_fields},
               numbers_per_page, 0, true);
  make_dataset("/trestle/step_checksums", H5T_STD_U64LE, {}, numbers_per_page, 0, true);
}

void ResultsFile::make_names() {
  make_group("/trestle");
  const h5::Handle group(H5Gopen2(file_->id(), "/trestle", H5P_DEFAULT));
  h5::write_attribute(group.id(), "format", std::vector<std::int64_t>{results_format}, plan_.path);
  h5::write_attribute(group.id(), "version", std::string(version), plan_.path);
  std::vector<std::string> names, units;
  for (const ResultField& field : plan_.fields) {
    names.push_back(field.name);
    units.push_back(field.unit);
  }
  make_strings("/trestle/field_names", names);
  make_strings("/trestle/field_units", units);
  make_strings("/trestle/region_names", plan_.region_names);
}

void ResultsFile::make_strings(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size());
  std::string data(size * std::max<std::size_t>(1, texts.size()), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].copy(data.data() + i * size, size);
  const h5::Handle type = h5::string_type(size);
  const hsize_t n = texts.size();
  const h5::Handle space(H5Screate_simple(1, &n, nullptr));
  const h5::Handle set(H5Dcreate2(file_->id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT));
  h5::check(set.id(), "write", plan_.path);
  h5::check(H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), "write",
            plan_.path);
  h5::write_attribute(set.id(), "xxh3", std::vector<std::uint64_t>{hash_of_texts(texts)},
                      plan_.path);
}

void ResultsFile::reserve(std::int64_t bytes) { file_->reserve(bytes); }

void ResultsFile::extend(const std::string& name, hsize_t n_rows) {
  const Dataset& dataset = sets_.at(name);
  std::vector<hsize_t> extent{n_rows};
  extent.insert(extent.end(), dataset.row.begin(), dataset.row.end());
  h5::check(H5Dset_extent(dataset.set.id(), extent.data()), "write", plan_.path);
}

void ResultsFile::append(const std::string& name, hid_t type, hsize_t row, const void* values) {
  const Dataset& dataset = sets_.at(name);
  std::vector<hsize_t> start{row}, count{1};
  start.insert(start.end(), dataset.row.size(), 0);
  count.insert(count.end(), dataset.row.begin(), dataset.row.end());
  const h5::Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  const h5::Handle space(H5Dget_space(dataset.set.id()));
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  h5::check(H5Dwrite(dataset.set.id(), type, memory.id(), space.id(), H5P_DEFAULT, values), "write",
            plan_.path);
}

ChunkAddresses ResultsFile::addresses(const std::string& name, Share rows,
                                      GlobalIndex rows_per_chunk) const {
  const Dataset& dataset = sets_.at(name);
  ChunkAddresses found;
  for (const Piece& piece : pieces_of(rows, rows_per_chunk)) {
    std::vector<hsize_t> corner{static_cast<hsize_t>(piece.chunk * rows_per_chunk)};
    corner.insert(corner.end(), dataset.row.size(), 0);
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    unsigned mask = 0;
    h5::check(H5Dget_chunk_info_by_coord(dataset.set.id(), corner.data(), &mask, &address, &size),
              "write", plan_.path);
    require(address != HADDR_UNDEF, ExitCode::bug,
            fmt::format("results: {} has no room in the file", name));
    found.push_back(static_cast<std::int64_t>(address));
  }
  return found;
}

std::vector<ChunkAddresses> ResultsFile::mesh_addresses(
    const std::vector<MeshArray>& arrays) const {
  std::vector<ChunkAddresses> all;
  for (const MeshArray& array : arrays)
    all.push_back(addresses(below_vtk(array.path), {0, array.n_rows}, plan_.rows_per_chunk(array)));
  return all;
}

void ResultsFile::finish_mesh(const std::vector<MeshArray>& arrays,
                              const std::vector<std::uint64_t>& hashes) {
  std::int64_t n_connectivity = 0;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    if (arrays[a].path == "Connectivity") n_connectivity = arrays[a].n_rows;
    if (!arrays[a].hashed) continue;
    h5::write_attribute(sets_.at(below_vtk(arrays[a].path)).set.id(), "xxh3",
                        std::vector<std::uint64_t>{hashes[a]}, plan_.path);
  }
  append(below_vtk("NumberOfPoints"), H5T_NATIVE_INT64, 0, &plan_.n_points);
  append(below_vtk("NumberOfCells"), H5T_NATIVE_INT64, 0, &plan_.n_cells);
  append(below_vtk("NumberOfConnectivityIds"), H5T_NATIVE_INT64, 0, &n_connectivity);
  file_->sync();
  sync_folder(folder_of(plan_.path));
}

std::vector<ChunkAddresses> ResultsFile::begin_step(const std::string& name, double value) {
  step_name_ = name;
  step_value_ = value;
  const auto step = static_cast<hsize_t>(n_written_);
  const auto n = static_cast<hsize_t>(plan_.n_points);
  std::vector<ChunkAddresses> all;
  for (const ResultField& field : plan_.fields) {
    const std::string path = below_vtk("PointData/" + field.name);
    extend(path, (step + 1) * n);
    const Share rows{n_written_ * plan_.n_points, (n_written_ + 1) * plan_.n_points};
    all.push_back(addresses(path, rows, plan_.rows_per_chunk(field)));
  }
  const auto add = [&](const std::string& path, hid_t type, const void* number) {
    extend(path, step + 1);
    append(path, type, step, number);
  };
  std::string padded = name;
  padded.resize(step_name_bytes, '\0');
  const h5::Handle name_type = h5::string_type(step_name_bytes);
  add("/trestle/step_names", name_type.id(), padded.data());
  add("/trestle/step_values", H5T_NATIVE_DOUBLE, &value);
  if (!plan_.series()) return all;
  const std::string steps = below_vtk("Steps/");
  const std::int64_t zero = 0, one = 1, offset = n_written_ * plan_.n_points;
  add(steps + "Values", H5T_NATIVE_DOUBLE, &value);
  add(steps + "NumberOfParts", H5T_NATIVE_INT64, &one);
  for (const std::string offsets : step_offsets) add(steps + offsets, H5T_NATIVE_INT64, &zero);
  for (const std::string of : {"node_id", "node_tag", "region"})
    add(steps + "PointDataOffsets/" + of, H5T_NATIVE_INT64, &zero);
  for (const ResultField& field : plan_.fields)
    add(steps + "PointDataOffsets/" + field.name, H5T_NATIVE_INT64, &offset);
  for (const std::string of : {"cell_tag", "region"})
    add(steps + "CellDataOffsets/" + of, H5T_NATIVE_INT64, &zero);
  return all;
}

void ResultsFile::finish_step(const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint64_t> row = hashes;
  row.resize(std::max<std::size_t>(1, plan_.fields.size()));
  const std::uint64_t of_step = hash_of_step(step_name_, step_value_, row);
  const auto add = [&](const std::string& name, const std::uint64_t* values) {
    extend(name, static_cast<hsize_t>(n_written_) + 1);
    append(name, H5T_NATIVE_UINT64, static_cast<hsize_t>(n_written_), values);
  };
  add("/trestle/checksums", row.data());
  add("/trestle/step_checksums", &of_step);
  file_->sync();
}

void ResultsFile::announce_step() {
  announce(++n_written_);
  file_->sync();
}

void ResultsFile::announce(int n_steps) {
  if (plan_.series()) {
    const h5::Handle steps(H5Gopen2(file_->id(), "/VTKHDF/Steps", H5P_DEFAULT));
    h5::write_attribute(steps.id(), "NSteps", std::vector<std::int64_t>{n_steps}, plan_.path);
  }
  if (n_steps > 1) return;
  const h5::Handle vtk(H5Gopen2(file_->id(), "/VTKHDF", H5P_DEFAULT));
  h5::write_attribute(vtk.id(), "Type",
                      std::string(n_steps == 1 ? type_announced : type_not_announced), plan_.path);
}

bool can_go_on(const std::string& path, const ResultsPlan& plan) {
  const h5::NewFile file(path, access_properties().id(), h5::NewFile::Use::look);
  const bool series = H5Lexists(file.id(), below_vtk("Steps").c_str(), H5P_DEFAULT) > 0;
  const h5::Handle format(
      H5Aopen_by_name(file.id(), "/trestle", "format", H5P_DEFAULT, H5P_DEFAULT));
  std::int64_t number = 0;
  if (!format || H5Aread(format.id(), H5T_NATIVE_INT64, &number) < 0) return false;
  if (!file.is_whole() || number != results_format || series != plan.series()) return false;
  const h5::Handle creation(H5Fget_create_plist(file.id()));
  unsigned half_rank = 0;
  return H5Pget_istore_k(creation.id(), &half_rank) >= 0 && half_rank >= index_half_rank(plan);
}

void ResultsFile::close() {
  file_->sync();
  sets_.clear();
  file_->close();
  file_->check_writes();
}

}  // namespace trestle::io

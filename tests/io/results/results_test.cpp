// results.hdf: what is written on any number of ranks is read back to the bit, and nothing else is.
#include "io/results/results.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "core/error.hpp"
#include "io/results/layout.hpp"
#include "io/results/vtk_cells.hpp"
#include "tests/readers/sample_results.hpp"
#include "tests/readers/temporary_folder.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

using test::sample_fields;
using test::sample_values;
using test::SampleMesh;
using test::TemporaryFolder;
using test::world;

/// The exit code with which `work` ends on this rank, and its message.
std::pair<int, std::string> failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return {static_cast<int>(e.code()), e.what()};
  }
  return {0, ""};
}

void write_samples(const std::string& path, const SampleMesh& mesh, int n_steps) {
  ResultsWriter writer(world(), path, mesh, sample_fields(), n_steps);
  for (int step = 0; step < n_steps; ++step)
    writer.write_step("case " + std::to_string(step), 0.5 * step, sample_values(mesh, step));
  writer.close();
}

/// The whole mesh as one rank would hold it.
class Alone {
 public:
  Alone() { MPI_Comm_split(world().handle(), world().rank(), 0, &self_); }
  ~Alone() { MPI_Comm_free(&self_); }
  Comm comm() const { return Comm(self_); }

 private:
  MPI_Comm self_ = MPI_COMM_NULL;
};

void expect_sample(const std::string& path, const SampleMesh& whole, int n_steps) {
  const ResultsContent content = read_results(path);
  ASSERT_EQ(content.step_names.size(), static_cast<std::size_t>(n_steps));
  EXPECT_EQ(content.step_names.back(), "case " + std::to_string(n_steps - 1));
  EXPECT_EQ(content.step_values.back(), 0.5 * (n_steps - 1));
  EXPECT_EQ(content.region_names, whole.region_names);
  EXPECT_EQ(content.coordinates, whole.coordinates);
  EXPECT_EQ(content.node_ids, whole.node_ids);
  EXPECT_EQ(content.node_tags, whole.node_tags);
  EXPECT_EQ(content.point_regions, whole.point_regions);
  EXPECT_EQ(content.cell_tags, whole.cell_tags);
  EXPECT_EQ(content.cell_regions, whole.cell_regions);
  for (int step = 0; step < n_steps; ++step) {
    const auto right = sample_values(whole, step);
    for (std::size_t f = 0; f < right.size(); ++f) {
      EXPECT_EQ(content.fields[f].unit, sample_fields()[f].unit);
      EXPECT_EQ(read_result_values(path, content.fields[f].name, step), right[f]);
    }
  }
}

TEST(Results, MeshAndValuesComeBackOnAnyNumberOfRanks) {
  const TemporaryFolder folder(world());
  const Alone alone;
  for (const int n_steps : {1, 3}) {
    const std::string path = folder / ("cube" + std::to_string(n_steps));
    // 10 cells a side: 1452 points are three blocks of rows, so that two ranks share them.
    write_samples(path, test::two_regions(world(), 10), n_steps);
    const SampleMesh whole = test::two_regions(alone.comm(), 10);
    if (!world().is_root()) continue;
    expect_sample(path, whole, n_steps);
    EXPECT_EQ(read_results(path).cell_points, whole.cell_points);
  }
}

TEST(Results, StepsThatAreLargerThanAChunkComeBack) {
  const TemporaryFolder folder(world());
  const Alone alone;
  const SampleMesh mesh = test::two_regions(world(), 10);
  constexpr std::size_t chunk_bytes = 25000;  // 512 or 1024 of 1452 rows
  {
    ResultsWriter writer(world(), folder / "large", mesh, sample_fields(), 5, chunk_bytes);
    for (int step = 0; step < 5; ++step)
      writer.write_step("case " + std::to_string(step), 0.5 * step, sample_values(mesh, step));
    writer.close();
  }
  if (!world().is_root()) return;
  expect_sample(folder / "large", test::two_regions(alone.comm(), 10), 5);
}

TEST(Results, EveryCellTypeComesBackInItsOwnOrder) {
  const TemporaryFolder folder(world());
  const Alone alone;
  write_samples(folder / "cells", test::one_cell_of_each_type(world()), 1);
  if (!world().is_root()) return;
  const SampleMesh whole = test::one_cell_of_each_type(alone.comm());
  expect_sample(folder / "cells", whole, 1);
  const ResultsContent content = read_results(folder / "cells");
  std::size_t here = 0, there = 0;
  for (std::size_t c = 0; c < whole.cell_types.size(); ++c) {
    const bool pyramid14 = whole.cell_types[c] == mesh::CellType::pyramid14;
    EXPECT_EQ(content.cell_types[c], pyramid14 ? mesh::CellType::pyramid13 : whole.cell_types[c]);
    const auto n = static_cast<std::size_t>(mesh::traits(content.cell_types[c]).n_nodes);
    for (std::size_t k = 0; k < n; ++k)
      EXPECT_EQ(content.cell_points[here + k], whole.cell_points[there + k]);
    here += n;
    there += static_cast<std::size_t>(mesh::traits(whole.cell_types[c]).n_nodes);
  }
}

// VTK's middle nodes [vtkQuadraticTetra.h, vtkQuadraticHexahedron.h, vtkQuadraticWedge.h,
// vtkQuadraticPyramid.h]: the two vertices that each stands between.
struct MiddleNodes {
  mesh::CellType type;
  std::vector<std::array<std::size_t, 2>> ends;
};

TEST(VtkCells, MiddleNodesStandBetweenTheVerticesThatVtkNames) {
  const std::vector<MiddleNodes> cells = {
      {mesh::CellType::tri6, {{0, 1}, {1, 2}, {2, 0}}},
      {mesh::CellType::quad9, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
      {mesh::CellType::tet10, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
      {mesh::CellType::hex27,
       {{0, 1},
        {1, 2},
        {2, 3},
        {3, 0},
        {4, 5},
        {5, 6},
        {6, 7},
        {7, 4},
        {0, 4},
        {1, 5},
        {2, 6},
        {3, 7},
        {0, 7},
        {1, 6},
        {0, 5},
        {3, 6},
        {0, 2},
        {4, 6}}},  // faces: two opposite vertices
      {mesh::CellType::prism18,
       {{0, 1},
        {1, 2},
        {2, 0},
        {3, 4},
        {4, 5},
        {5, 3},
        {0, 3},
        {1, 4},
        {2, 5},
        {0, 4},
        {1, 5},
        {2, 3}}},
      {mesh::CellType::pyramid13,
       {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}}};
  for (const MiddleNodes& cell : cells) {
    const mesh::CellTraits& type = mesh::traits(cell.type);
    const auto order = vtk_cell(cell.type).order;
    const auto at = [&](std::size_t k) { return type.nodes[order[k]]; };
    for (std::size_t m = 0; m < cell.ends.size(); ++m)
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_EQ(at(static_cast<std::size_t>(type.n_vertices) + m)[axis],
                  (at(cell.ends[m][0])[axis] + at(cell.ends[m][1])[axis]) / 2)
            << type.name << " middle node " << m;
  }
}

TEST(VtkCells, LinesAndPointsAreRefused) {
  EXPECT_EQ(failure_of([] { vtk_cell(mesh::CellType::line2); }).first, 70);
}

TEST(Results, FileWithoutAnAnnouncedStepHasNone) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 4);
  for (const int n_steps : {1, 2}) {
    const std::string path = folder / std::to_string(n_steps);
    ResultsWriter writer(world(), path, mesh, sample_fields(), n_steps);
    if (world().is_root()) {
      EXPECT_TRUE(read_results(path).step_names.empty());
      EXPECT_EQ(failure_of([&] { read_result_values(path, "stress", 0); }).first, 64);
    }
  }
}

TEST(Results, ReaderSeesEachStepWhileTheWriterIsOpen) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 4);
  ResultsWriter writer(world(), folder / "open", mesh, sample_fields(), 70);
  for (int step = 0; step < 70; ++step) {  // more than HDF5's default index node of 64 chunks holds
    writer.write_step("", step, sample_values(mesh, step));
    if (!world().is_root()) continue;
    EXPECT_EQ(read_results(folder / "open").step_values.size(), static_cast<std::size_t>(step) + 1);
    EXPECT_EQ(read_result_values(folder / "open", "temperature", step)[7], 7 + 1e6 * step);
  }
}

TEST(Results, NumberThatIsNotOneIsRefusedWithItsPlace) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 4);
  ResultsWriter writer(world(), folder / "nan", mesh, sample_fields(), 2);
  writer.write_step("first", 0, sample_values(mesh, 0));
  auto values = sample_values(mesh, 1);
  for (std::size_t i = 0; i < mesh.point_ids.size(); ++i)
    if (mesh.point_ids[i] == 33) values[1][3 * i + 2] = std::nan("");
  // Point 33 of the left half, 3 x 5 x 5 points: i = 0, j = 1, k = 2 of 5 x 5 x 5 nodes.
  const auto [code, message] = failure_of([&] { writer.write_step("second", 1, values); });
  EXPECT_EQ(code, 81);
  EXPECT_NE(message.find("displacement is nan at node 56 (component 2) in step 1 second"),
            std::string::npos)
      << message;
  writer.write_step("second", 1, sample_values(mesh, 1));  // the file is as good as before
  writer.close();
  if (!world().is_root()) return;
  EXPECT_EQ(read_results(folder / "nan").step_names.size(), 2u);
}

TEST(Results, ExistingFileAndMissingFolderAreRefused) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 2);
  const auto make = [&](const std::string& path) {
    return failure_of([&] { ResultsWriter(world(), path, mesh, sample_fields(), 1); });
  };
  EXPECT_EQ(make(folder / "missing/results.hdf").first, 73);
  EXPECT_EQ(make(folder / "results.hdf").first, 0);
  const auto [code, message] = make(folder / "results.hdf");
  EXPECT_EQ(code, 73);
  EXPECT_NE(message.find("File exists"), std::string::npos) << message;
  if (world().is_root()) std::filesystem::create_symlink("/dev/null", folder / "link");
  world().barrier();
  EXPECT_EQ(make(folder / "link").first, 73);
}

TEST(Results, IdsThatDoNotFitAreRefusedOnAllRanks) {
  const TemporaryFolder folder(world());
  const auto make = [&](const SampleMesh& mesh) {
    return failure_of([&] { ResultsWriter(world(), folder / "bad", mesh, sample_fields(), 1); });
  };
  SampleMesh twice = test::two_regions(world(), 2);
  if (world().is_root()) twice.point_ids[0] = twice.n_points - 1;
  EXPECT_EQ(make(twice).first, 70);
  SampleMesh outside = test::two_regions(world(), 2);
  if (world().is_root()) outside.cell_points[0] = outside.n_points;
  EXPECT_EQ(make(outside).first, 70);
  SampleMesh missing = test::two_regions(world(), 2);
  ++missing.n_cells;
  EXPECT_EQ(make(missing).first, 70);
  SampleMesh shorter = test::two_regions(world(), 2);
  if (world().is_root()) shorter.cell_tags.pop_back();
  EXPECT_EQ(make(shorter).first, 70);
  world().barrier();
  EXPECT_FALSE(std::filesystem::exists(folder / "bad"));
}

TEST(Results, MoreStepsThanPlannedAreRefused) {
  const TemporaryFolder folder(world());
  const SampleMesh mesh = test::two_regions(world(), 2);
  ResultsWriter writer(world(), folder / "steps", mesh, sample_fields(), 1);
  writer.write_step("", 0, sample_values(mesh, 0));
  EXPECT_EQ(failure_of([&] { writer.write_step("", 1, sample_values(mesh, 1)); }).first, 70);
}

/// Whether a file tells just what the samples of `whole` are.
bool is_sample(const std::string& path, const ResultsContent& right, const SampleMesh& whole) {
  const ResultsContent content = read_results(path);
  const auto same_field = [](const ResultField& a, const ResultField& b) {
    return a.name == b.name && a.unit == b.unit && a.components == b.components;
  };
  return content.coordinates == whole.coordinates && content.cell_points == whole.cell_points &&
         content.node_ids == whole.node_ids && content.node_tags == whole.node_tags &&
         content.point_regions == whole.point_regions && content.cell_tags == whole.cell_tags &&
         content.cell_regions == whole.cell_regions && content.step_names == right.step_names &&
         content.step_values == right.step_values && content.region_names == right.region_names &&
         content.has_all_checksums && content.n_unannounced == 0 &&
         std::equal(content.fields.begin(), content.fields.end(), right.fields.begin(),
                    right.fields.end(), same_field) &&
         read_result_values(path, "stress", 0) == sample_values(whole, 0)[2];
}

/// Flips one bit at each 499th byte in turn; returns how many flips of `n_tried` went unseen though
/// what was read is wrong.
int unseen_flips(const std::string& path, const SampleMesh& whole, int& n_tried) {
  const int fd = open(path.c_str(), O_RDWR);
  const off_t size = lseek(fd, 0, SEEK_END);
  const ResultsContent right = read_results(path);
  int unseen = 0;
  for (off_t at = 0; at < size; at += 499, ++n_tried) {
    unsigned char byte = 0, flipped = 0;
    if (pread(fd, &byte, 1, at) != 1) ADD_FAILURE();
    flipped = byte ^ 0x10;
    if (pwrite(fd, &flipped, 1, at) != 1) ADD_FAILURE();
    try {
      if (!is_sample(path, right, whole)) ++unseen;
    } catch (const Error&) {
    }
    if (pwrite(fd, &byte, 1, at) != 1) ADD_FAILURE();
  }
  close(fd);
  return unseen;
}

TEST(Results, NoFlippedBitGivesWrongContent) {
  const TemporaryFolder folder(world());
  const Alone alone;
  write_samples(folder / "flips", test::two_regions(world(), 6), 2);
  if (!world().is_root()) return;
  int n_tried = 0;
  EXPECT_EQ(unseen_flips(folder / "flips", test::two_regions(alone.comm(), 6), n_tried), 0);
  EXPECT_GT(n_tried, 300);
}

/// What `change` makes of a good file must be refused with 65.
void expect_refused(const std::string& good, const std::string& what,
                    const std::function<void(hid_t)>& change) {
  const std::string path = good + "_" + what;
  std::filesystem::copy_file(good, path);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  change(file);
  ASSERT_GE(H5Fclose(file), 0);
  const auto [code, message] = failure_of([&] {
    read_results(path);
    read_result_values(path, "temperature", 0);
  });
  EXPECT_EQ(code, 65) << what << ": " << message;
}

/// Puts a dataset of doubles [n] with `properties` in the place of "temperature".
void replace_temperature(hid_t file, hsize_t n, hid_t properties) {
  const char* name = "/VTKHDF/PointData/temperature";
  H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &n, nullptr);
  H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(properties);
}

TEST(Results, HostileFilesAreRefusedBeforeTheyAreRead) {
  const TemporaryFolder folder(world());
  const std::string good = folder / "good";
  write_samples(good, test::two_regions(world(), 2), 1);
  if (!world().is_root()) return;
  const char* name = "/VTKHDF/PointData/temperature";
  expect_refused(good, "external_storage", [&](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, "/etc/passwd", 0, 36 * 8);
    replace_temperature(file, 36, properties);
  });
  expect_refused(good, "external_link", [&](hid_t file) {
    H5Ldelete(file, name, H5P_DEFAULT);
    H5Lcreate_external(good.c_str(), name, file, name, H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused(good, "soft_link", [&](hid_t file) {
    H5Ldelete(file, name, H5P_DEFAULT);
    H5Lcreate_soft("/VTKHDF/PointData/node_id", file, name, H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused(good, "linked_group", [&](hid_t file) {
    H5Lmove(file, "/VTKHDF", file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/elsewhere", file, "/VTKHDF", H5P_DEFAULT, H5P_DEFAULT);
  });
  expect_refused(good, "eight_pebibytes", [&](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(properties, H5D_CONTIGUOUS);
    replace_temperature(file, hsize_t{1} << 50, properties);
  });
  expect_refused(good, "compressed", [&](hid_t file) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 36;
    H5Pset_chunk(properties, 1, &chunk);
    H5Pset_deflate(properties, 1);
    replace_temperature(file, 36, properties);
  });
  expect_refused(good, "zeros",
                 [&](hid_t file) { replace_temperature(file, 36, H5Pcreate(H5P_DATASET_CREATE)); });
}

/// Changes the first byte of a dataset.
void change_first_byte(hid_t file, const std::string& name) {
  const hid_t set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  std::vector<char> bytes(H5Tget_size(type) *
                          static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  bytes.front() ^= 1;
  EXPECT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0) << name;
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(set);
}

/// Writes to an attribute what `change` makes of its bytes.
void change_attribute(hid_t file, const std::string& name, const std::string& attribute,
                      const std::function<void(std::vector<char>&)>& change) {
  const hid_t object = H5Oopen(file, name.c_str(), H5P_DEFAULT);
  const hid_t opened = H5Aopen(object, attribute.c_str(), H5P_DEFAULT);
  const hid_t type = H5Aget_type(opened);
  std::vector<char> bytes(static_cast<std::size_t>(H5Aget_storage_size(opened)));
  H5Aread(opened, type, bytes.data());
  change(bytes);
  EXPECT_GE(H5Awrite(opened, type, bytes.data()), 0) << name << " " << attribute;
  H5Tclose(type);
  H5Aclose(opened);
  H5Oclose(object);
}

TEST(Results, ChangedNamesUnitsAndTimesAreRefused) {
  const TemporaryFolder folder(world());
  const std::string good = folder / "good";
  write_samples(good, test::two_regions(world(), 2), 2);
  if (!world().is_root()) return;
  int n = 0;
  for (const char* set :
       {"/trestle/step_names", "/trestle/step_values", "/trestle/field_names",
        "/trestle/field_units", "/trestle/region_names", "/trestle/checksums",
        "/trestle/step_checksums", "/VTKHDF/Steps/Values", "/VTKHDF/Steps/NumberOfParts",
        "/VTKHDF/Steps/CellOffsets", "/VTKHDF/Steps/PointDataOffsets/stress",
        "/VTKHDF/Steps/CellDataOffsets/region", "/VTKHDF/NumberOfPoints", "/VTKHDF/NumberOfCells",
        "/VTKHDF/NumberOfConnectivityIds", "/VTKHDF/Offsets", "/VTKHDF/CellData/cell_tag"})
    expect_refused(good, "set" + std::to_string(n++),
                   [&](hid_t file) { change_first_byte(file, set); });
  for (const auto& [of, attribute] : {std::pair{"/VTKHDF", "Version"},
                                      {"/VTKHDF", "Type"},
                                      {"/trestle", "format"},
                                      {"/VTKHDF/PointData/stress", "unit"},
                                      {"/trestle/field_units", "xxh3"}})
    expect_refused(good, "attribute" + std::to_string(n++),
                   [&, of = of, attribute = attribute](hid_t file) {
                     change_attribute(file, of, attribute, [](auto& bytes) { bytes.front() ^= 4; });
                   });
}

/// Makes of a file what versions wrote that knew no checksums of names, units and steps.
void make_old(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "/trestle/step_checksums", H5P_DEFAULT);
  for (const char* texts : {"field_names", "field_units", "region_names"})
    H5Adelete_by_name(file, ("/trestle/" + std::string(texts)).c_str(), "xxh3", H5P_DEFAULT);
  change_attribute(file, "/trestle", "format", [](auto& bytes) { bytes.front() = 1; });
  EXPECT_GE(H5Fclose(file), 0);
}

TEST(Results, FilesWithoutChecksumsOfNamesAreReadAndGoOnInACopy) {
  const TemporaryFolder folder(world());
  const Alone alone;
  const std::string path = folder / "old";
  const SampleMesh mesh = test::two_regions(world(), 4);
  write_samples(path, mesh, 3);
  if (world().is_root()) {
    make_old(path);
    expect_sample(path, test::two_regions(alone.comm(), 4), 3);
    EXPECT_FALSE(read_results(path).has_all_checksums);
  }
  world().barrier();
  ResultsResume resume{2, ""};
  ResultsWriter writer(world(), path, mesh, sample_fields(), 3, resume);
  writer.write_step("case 2", 1, sample_values(mesh, 2));
  writer.close();
  if (!world().is_root()) return;
  EXPECT_EQ(resume.note, "");
  expect_sample(path, test::two_regions(alone.comm(), 4), 3);
  EXPECT_TRUE(read_results(path).has_all_checksums);
}

TEST(Results, WhatIsNoResultsFileIsRefused) {
  if (!world().is_root()) return;
  EXPECT_EQ(failure_of([] { read_results("/no/such/file"); }).first, 66);
  EXPECT_EQ(failure_of([] { read_results("/dev/zero"); }).first, 65);
  EXPECT_EQ(failure_of([] { read_results("/etc/passwd"); }).first, 65);
}

TEST(ResultsLayout, PiecesCoverEveryRowOnceAndStayBelowTheLimit) {
  constexpr std::size_t limit = std::size_t{1} << 30;
  for (const GlobalIndex n :
       {(GlobalIndex{1} << 31) + 7, GlobalIndex{1} << 32, 3 * (GlobalIndex{1} << 31)})
    for (const std::size_t row_bytes : {8u, 24u, 48u}) {
      const GlobalIndex per_chunk = chunk_rows(n, row_bytes, limit);
      EXPECT_LE(static_cast<std::size_t>(per_chunk) * row_bytes, limit);
      GlobalIndex next = 2 * n;  // the third step
      for (const Piece& piece : pieces_of({2 * n, 3 * n}, per_chunk)) {
        EXPECT_EQ(piece.chunk * per_chunk + piece.row_in_chunk, next);
        EXPECT_LE(piece.row_in_chunk + piece.n_rows, per_chunk);
        next += piece.n_rows;
      }
      EXPECT_EQ(next, 3 * n);
    }
}

TEST(ResultsLayout, SlicesAreContiguousAndEachRowHasOneOwner) {
  for (const GlobalIndex n : {0, 1, 511, 512, 513, 5000})
    for (const int n_ranks : {1, 2, 3, 7}) {
      const Slices slices(n, n_ranks);
      GlobalIndex next = 0;
      for (int rank = 0; rank < n_ranks; ++rank) {
        const Share share = slices.of(rank);
        EXPECT_EQ(share.first, next);
        for (GlobalIndex row = share.first; row < share.last; ++row)
          ASSERT_EQ(slices.owner(row), rank);
        EXPECT_TRUE(share.count() == 0 || share.first % rows_per_block == 0);
        next = share.last;
      }
      EXPECT_EQ(next, n);
    }
}

}  // namespace
}  // namespace trestle::io

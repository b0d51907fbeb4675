// The own mesh file: what was checked and written comes back in slices on any number of ranks, and
// what is damaged or hostile is refused.
#include "io/mesh/hdf5.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "core/error.hpp"
#include "io/results/layout.hpp"
#include "mesh/generate.hpp"
#include "tests/io/gmsh_support.hpp"
#include "tests/readers/temporary_folder.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/raw_blocks.hpp"

namespace trestle::io {
namespace {

using test::alone;
using test::expect_same_blocks;
using test::TemporaryFolder;
using test::world;

/// Rank 0 writes the mesh of a Gmsh file of tests/io/meshes. Collective.
void convert(const std::string& gmsh_file, const std::string& path) {
  const Comm own = alone();
  world().agree([&] {
    if (world().is_root()) write_mesh_hdf5(path, read_gmsh(own, test::mesh_file(gmsh_file)));
  });
}

int code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    return static_cast<int>(e.code());
  }
  return 0;
}

class MeshFile : public testing::TestWithParam<std::string> {};

TEST_P(MeshFile, GivesEveryRankTheSliceThatTheGmshReaderGivesIt) {
  const TemporaryFolder folder(world());
  convert(GetParam(), folder / "part.h5");
  const mesh::RawMesh expected = read_gmsh(world(), test::mesh_file(GetParam()));
  const mesh::RawMesh mesh = read_mesh_hdf5(world(), folder / "part.h5");
  EXPECT_EQ(mesh.dim, expected.dim);
  EXPECT_EQ(mesh.n_nodes, expected.n_nodes);
  EXPECT_EQ(mesh.n_cells, expected.n_cells);
  EXPECT_EQ(mesh.coordinates, expected.coordinates);
  EXPECT_EQ(mesh.node_tags, expected.node_tags);
  EXPECT_EQ(mesh.group_sets, expected.group_sets);
  EXPECT_EQ(mesh.warnings, expected.warnings);
  ASSERT_EQ(mesh.groups.size(), expected.groups.size());
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    EXPECT_EQ(mesh.groups[g].name, expected.groups[g].name);
    EXPECT_EQ(mesh.groups[g].dim, expected.groups[g].dim);
    EXPECT_EQ(mesh.groups[g].tag, expected.groups[g].tag);
  }
  expect_same_blocks(mesh.cells, expected.cells);
  expect_same_blocks(mesh.entities, expected.entities);
}

INSTANTIATE_TEST_SUITE_P(Files, MeshFile,
                         testing::Values("mixed41.msh", "mixed3d_41.msh", "hex27_41.msh",
                                         "multi41.msh", "nophys41.msh", "dup22.msh"),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

TEST(MeshFileHdf5, OfMoreRowsThanABlockComesBackInSlices) {
  const TemporaryFolder folder(world());
  mesh::BoxOptions box;
  box.cell = mesh::CellType::tet4;
  box.cells = {9, 10, 11};  // 5940 cells, 1320 nodes: several blocks of 512 rows
  const Comm own = alone();
  world().agree([&] {
    if (world().is_root()) write_mesh_hdf5(folder / "box.h5", mesh::generate_box(own, box));
  });
  const mesh::RawMesh mesh = read_mesh_hdf5(world(), folder / "box.h5", 1e-3);
  const mesh::RawMesh expected = mesh::generate_box(world(), box);
  expect_same_blocks(mesh.cells, expected.cells);
  ASSERT_EQ(mesh.coordinates.size(), expected.coordinates.size());
  for (std::size_t i = 0; i < mesh.coordinates.size(); ++i)
    ASSERT_EQ(mesh.coordinates[i], 1e-3 * expected.coordinates[i]);
}

TEST(MeshFileHdf5, NoFlippedBitGivesAnotherMesh) {
  const TemporaryFolder folder(world());
  const std::string path = folder / "part.h5";
  convert("mixed3d_41.msh", path);
  const Comm own = alone();
  if (!world().is_root()) return;
  const mesh::RawMesh right = read_mesh_hdf5(own, path);
  const int fd = open(path.c_str(), O_RDWR);
  int unseen = 0, tried = 0;
  for (off_t at = 0; at < lseek(fd, 0, SEEK_END); at += 53, ++tried) {
    unsigned char byte = 0;
    ASSERT_EQ(pread(fd, &byte, 1, at), 1);
    const unsigned char flipped = byte ^ 0x10;
    ASSERT_EQ(pwrite(fd, &flipped, 1, at), 1);
    try {
      const mesh::RawMesh mesh = read_mesh_hdf5(own, path);
      bool same = mesh.coordinates == right.coordinates && mesh.node_tags == right.node_tags &&
                  mesh.group_sets == right.group_sets && mesh.warnings == right.warnings &&
                  mesh.groups.size() == right.groups.size() &&
                  mesh.cells.size() == right.cells.size() &&
                  mesh.entities.size() == right.entities.size();
      for (std::size_t g = 0; same && g < mesh.groups.size(); ++g)
        same = mesh.groups[g].name == right.groups[g].name &&
               mesh.groups[g].tag == right.groups[g].tag &&
               mesh.groups[g].dim == right.groups[g].dim;
      for (std::size_t b = 0; same && b < mesh.cells.size(); ++b)
        same = mesh.cells[b].nodes == right.cells[b].nodes &&
               mesh.cells[b].group_set == right.cells[b].group_set;
      unseen += same ? 0 : 1;
    } catch (const Error&) {
    }
    ASSERT_EQ(pwrite(fd, &byte, 1, at), 1);
  }
  close(fd);
  EXPECT_GT(tried, 100);
  EXPECT_EQ(unseen, 0);
}

/// Changes the file on rank 0 by HDF5. Collective.
void change(const std::string& path, const std::function<void(hid_t)>& work) {
  if (world().is_root()) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    work(file);
    H5Fclose(file);
  }
  world().barrier();
}

TEST(MeshFileHdf5, OfHostileHandsIsRefusedOnAllRanks) {
  const TemporaryFolder folder(world());
  const auto refused = [&](const std::string& name, const std::function<void(hid_t)>& work) {
    convert("mixed41.msh", folder / name);
    change(folder / name, work);
    return code_of([&] { read_mesh_hdf5(world(), folder / name); });
  };
  EXPECT_EQ(refused("soft.h5",
                    [](hid_t file) {
                      H5Ldelete(file, "/mesh/node_tags", H5P_DEFAULT);
                      H5Lcreate_soft("/mesh/counts", file, "/mesh/node_tags", H5P_DEFAULT,
                                     H5P_DEFAULT);
                    }),
            65);
  EXPECT_EQ(refused("external_link.h5",
                    [](hid_t file) {
                      H5Ldelete(file, "/mesh/node_tags", H5P_DEFAULT);
                      H5Lcreate_external("other.h5", "/x", file, "/mesh/node_tags", H5P_DEFAULT,
                                         H5P_DEFAULT);
                    }),
            65);
  EXPECT_EQ(refused("external_data.h5",
                    [](hid_t file) {
                      const hsize_t n = 4;
                      const hid_t space = H5Screate_simple(1, &n, nullptr);
                      const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
                      H5Pset_external(properties, "/etc/passwd", 0, 8 * n);
                      H5Ldelete(file, "/mesh/counts", H5P_DEFAULT);
                      H5Dclose(H5Dcreate2(file, "/mesh/counts", H5T_NATIVE_INT64, space,
                                          H5P_DEFAULT, properties, H5P_DEFAULT));
                      H5Pclose(properties);
                      H5Sclose(space);
                    }),
            65);
  EXPECT_EQ(refused("absurd.h5",
                    [](hid_t file) {
                      const hsize_t n[2] = {hsize_t{1} << 47, 3};
                      const hid_t space = H5Screate_simple(2, n, nullptr);
                      const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
                      H5Pset_alloc_time(properties, H5D_ALLOC_TIME_LATE);
                      H5Ldelete(file, "/mesh/coordinates", H5P_DEFAULT);
                      H5Dclose(H5Dcreate2(file, "/mesh/coordinates", H5T_NATIVE_DOUBLE, space,
                                          H5P_DEFAULT, properties, H5P_DEFAULT));
                      H5Pclose(properties);
                      H5Sclose(space);
                    }),
            65);
  EXPECT_EQ(refused("cells.h5",
                    [](hid_t file) {  // a number of cells that the file has not, and its checksum
                      std::vector<std::int64_t> counts(4);
                      hid_t set = H5Dopen2(file, "/mesh/counts", H5P_DEFAULT);
                      H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts.data());
                      counts[3] = std::int64_t{1} << 60;
                      H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts.data());
                      H5Dclose(set);
                      const auto hashes = block_hashes(std::as_bytes(std::span(counts)), 8);
                      set = H5Dopen2(file, "/mesh/counts.xxh3", H5P_DEFAULT);
                      H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                               hashes.data());
                      H5Dclose(set);
                    }),
            65);
  EXPECT_EQ(code_of([&] { read_mesh_hdf5(world(), folder / "missing.h5"); }), 66);
  EXPECT_EQ(code_of([&] { read_mesh_hdf5(world(), test::mesh_file("mixed41.msh")); }), 65);
}

TEST(MeshFileHdf5, IsKnownByItsFirstBytes) {
  const TemporaryFolder folder(world());
  convert("mixed41.msh", folder / "part");
  EXPECT_TRUE(is_hdf5(folder / "part"));
  EXPECT_FALSE(is_hdf5(test::mesh_file("mixed41.msh")));
  EXPECT_FALSE(is_hdf5(test::mesh_file("empty.msh")));
  EXPECT_FALSE(is_hdf5(folder / "missing"));
}

}  // namespace
}  // namespace trestle::io

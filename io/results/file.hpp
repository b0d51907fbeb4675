// The HDF5 side of a results file, on rank 0 alone: groups, datasets, steps. It writes no field
// values: it says where they go.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/results/hdf5.hpp"
#include "io/results/mesh.hpp"
#include "io/results/newfile.hpp"
#include "io/results/results.hpp"

namespace trestle::io {

/// Most steps that one file can announce: the index of a dataset's chunks is one node of HDF5's
/// B-tree, made for all steps at once, because a node that splits can lose old steps to a crash.
constexpr int most_steps = 65000;

/// Attribute "Type" of /VTKHDF before the first announced step (of the same length as the right
/// one): VTK refuses such a file, instead of showing what is not there.
constexpr const char* type_announced = "UnstructuredGrid";
constexpr const char* type_not_announced = "NoStepWrittenYet";

/// What /trestle says of its form. In format 1 names, units and steps had no checksums.
constexpr std::int64_t results_format = 2;

/// What VTK asks of each step beside its values: none of it changes.
constexpr std::array<const char*, 4> step_offsets = {"PartOffsets", "PointOffsets", "CellOffsets",
                                                     "ConnectivityIdOffsets"};

/// Length of the names of steps in the file.
constexpr std::size_t step_name_bytes = 256;

/// What is fixed when the file is made.
struct ResultsPlan {
  std::string path;
  GlobalIndex n_points = 0;
  GlobalIndex n_cells = 0;
  std::vector<ResultField> fields;
  std::vector<std::string> region_names;
  int n_steps = 1;  // at most
  std::size_t chunk_bytes = std::size_t{1} << 30;
  bool series() const { return n_steps > 1; }
  GlobalIndex rows_per_chunk(const ResultField& field) const;
  GlobalIndex rows_per_chunk(const MeshArray& array) const;
};

/// Where the rows [first, last) of a dataset are: the byte in the file of every chunk that holds
/// some, in order.
using ChunkAddresses = std::vector<std::int64_t>;

class ResultsFile {
 public:
  /// Creates the file (it must not exist) and everything in it but the values. Throws SystemError
  /// 73, 74 or 77.
  ResultsFile(ResultsPlan plan, const std::vector<MeshArray>& arrays);
  /// Opens a file that was made with such a plan, and takes it back to its first `n_kept` steps.
  /// Throws SystemError 73, 74, 77.
  ResultsFile(ResultsPlan plan, int n_kept);
  /// Closes quietly.
  ~ResultsFile();

  /// Reserves blocks on the disk for `bytes` more. Throws SystemError(74).
  void reserve(std::int64_t bytes);
  /// The chunks of each array of the mesh.
  std::vector<ChunkAddresses> mesh_addresses(const std::vector<MeshArray>& arrays) const;
  /// Checksums and counts of the mesh; then flush and fsync, so that the file is whole, with no
  /// step yet.
  void finish_mesh(const std::vector<MeshArray>& arrays, const std::vector<std::uint64_t>& hashes);
  /// Makes room for the next step; the chunks of each field.
  std::vector<ChunkAddresses> begin_step(const std::string& name, double value);
  /// Checksums of the fields; flush and fsync.
  void finish_step(const std::vector<std::uint64_t>& hashes);
  /// From here on readers see the step: one number changes; flush and fsync.
  void announce_step();
  /// Throws SystemError(74) when the last bytes cannot be written.
  void close();
  /// Removes the file, which is not whole.
  void discard();

 private:
  void make_file();
  void rewind(int n_kept);
  void make_mesh(const std::vector<MeshArray>& arrays);
  void make_fields();
  void make_steps();
  void make_own();
  void make_names();
  void make_group(const std::string& name);
  void make_dataset(const std::string& name, hid_t type, std::vector<hsize_t> row,
                    GlobalIndex rows_per_chunk, hsize_t n_rows, bool grows);
  void make_strings(const std::string& name, const std::vector<std::string>& texts);
  void open_dataset(const std::string& name, std::vector<hsize_t> row);
  void announce(int n_steps);
  void extend(const std::string& name, hsize_t n_rows);
  void append(const std::string& name, hid_t type, hsize_t row, const void* values);
  ChunkAddresses addresses(const std::string& name, Share rows, GlobalIndex rows_per_chunk) const;

  struct Dataset {
    h5::Handle set;
    std::vector<hsize_t> row;  // extent of one row; empty for a scalar
  };
  ResultsPlan plan_;
  std::unique_ptr<h5::NewFile> file_;
  std::map<std::string, Dataset> sets_;  // by path
  bool opened_ = false;                  // not made here: what is there already is not made again
  int n_written_ = 0;
  std::string step_name_;  // of the step that has begun
  double step_value_ = 0;
};

/// Whether a file was closed in order, is of the present format, has steps where the plan has, and
/// its chunk indices are laid out for all that the plan may write: then it can go on in place.
bool can_go_on(const std::string& path, const ResultsPlan& plan);

}  // namespace trestle::io

// results.hdf: one file per run in VTKHDF layout, readable after every announced step whatever
// happens.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "mesh/cell_type.hpp"

namespace trestle::io {

/// A field at points. `values` hold [owned point, components].
struct ResultField {
  std::string name;
  int components = 1;  // 1, 3 or 6 (VTK order xx yy zz xy yz xz)
  std::string unit;    // SI
};

/// Makes an array when it is about to be written, so that one is in memory at a time.
template <class T>
using Maker = std::function<std::vector<T>()>;

/// The points and cells that this rank writes. A point is a (node, region) pair: nodes between
/// regions appear once per region. Point ids and cell ids are positions in the file: each is owned
/// by one rank, all ids 0 .. n-1 occur.
struct ResultMesh {
  GlobalIndex n_points = 0;            // all ranks
  GlobalIndex n_cells = 0;             // all ranks
  std::vector<GlobalIndex> point_ids;  // [owned point]
  Maker<double> coordinates;           // [owned point, 3]  [m]
  Maker<GlobalIndex> node_ids;         // [owned point]: canonical node of the mesh
  Maker<std::int64_t> node_tags;       // [owned point]: node id in the mesh file
  Maker<int> point_regions;            // [owned point]
  Maker<GlobalIndex> cell_ids;         // [owned cell]
  Maker<mesh::CellType> cell_types;    // [owned cell]
  Maker<std::int64_t> cell_tags;       // [owned cell]: id in the mesh file
  Maker<int> cell_regions;             // [owned cell]
  /// Writes the point ids of an owned cell, nodes in CellType order.
  std::function<void(std::size_t cell, std::span<GlobalIndex> points)> cell_points;
  std::vector<std::string> region_names;  // by region, the same on all ranks
};

/// Going on with the results file of a run that was interrupted.
struct ResultsResume {
  int n_kept = 0;    // steps that stay, from the first on
  std::string note;  // receives what a person should know: "" where the file simply goes on
};

/// Writes the file. Rank 0 makes all HDF5 calls (serial driver); every rank writes its slice by
/// pwrite, and all that is written is read back. Each step: data, flush, fsync, then the Steps
/// entry, flush, fsync. Errors: SystemError 73 (cannot create), 74 (full disk, quota, I/O, a disk
/// that does not keep what it is given) on all ranks, within seconds.
class ResultsWriter {
 public:
  /// `n_steps`: the most steps that will be written, at most 65000; more than 1 makes a VTKHDF 2.0
  /// file with Steps, 1 a 1.0 file with one state. A chunk holds a step of a field, or at most
  /// `chunk_bytes`. Throws SystemError 73, 74, 77, and Error(70) where `mesh` contradicts itself.
  /// `mesh` is asked for its arrays here, and not after. Collective.
  ResultsWriter(const Comm& comm, const std::string& path, ResultMesh mesh,
                std::vector<ResultField> fields, int n_steps,
                std::size_t chunk_bytes = std::size_t{1} << 30);
  /// Goes on with the file at `path` after its first `n_kept` steps: in place, or in a copy where
  /// it was not laid out for so many steps. Where it is missing, damaged or of other fields, a new
  /// file begins, and the old one is kept beside it under another name. Throws as above.
  /// Collective.
  ResultsWriter(const Comm& comm, const std::string& path, ResultMesh mesh,
                std::vector<ResultField> fields, int n_steps, ResultsResume& resume);
  ~ResultsWriter();

  /// One step: for each field, in the order given, this rank's values [owned point, components].
  /// `name` is that of a load case ("" for none), `value` the time or the number of the step.
  /// Throws NumericalError(81) for values that are not finite, and leaves the file as it was;
  /// SystemError(74) for a disk that fails. Collective.
  void write_step(const std::string& name, double value,
                  const std::vector<std::vector<double>>& values);
  /// Closes the file; throws SystemError(74) when the last bytes cannot be written. Collective.
  void close();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A results file read back, on one rank.
struct ResultsContent {
  std::vector<std::string> step_names;
  std::vector<double> step_values;
  std::vector<ResultField> fields;
  std::vector<std::string> region_names;
  std::vector<double> coordinates;    // [point, 3]
  std::vector<GlobalIndex> node_ids;  // [point]
  std::vector<std::int64_t> node_tags;
  std::vector<int> point_regions;
  std::vector<mesh::CellType> cell_types;
  std::vector<GlobalIndex> cell_points;  // nodes in CellType order
  std::vector<std::int64_t> cell_tags;
  std::vector<int> cell_regions;
  bool has_all_checksums = true;  // false of files of older versions: only mesh and values have
  int n_unannounced = 0;          // steps that were begun, and are not there for a reader
};

/// Of the same, what a file is about: steps, fields, regions and counts alone, without reading its
/// mesh. Throws as read_results.
struct ResultsSummary {
  std::vector<std::string> step_names;
  std::vector<double> step_values;
  std::vector<ResultField> fields;
  std::vector<std::string> region_names;
  GlobalIndex n_points = 0, n_cells = 0;
};
ResultsSummary read_results_summary(const std::string& path);
/// Everything but the values. Checks sizes and links before reading; throws Error(66) for a missing
/// file, Error(65) for one that is no results file or damaged, SystemError(74) where reading fails.
ResultsContent read_results(const std::string& path);
/// Values [point, components] of one field at one step, its checksum verified.
std::vector<double> read_result_values(const std::string& path, const std::string& field, int step);

}  // namespace trestle::io

// The bridge to PT-Scotch: PETSc's MatPartitioning on the dual graph.
#include <dlfcn.h>
#include <petscmat.h>

#include <algorithm>

#include "core/error.hpp"
#include "mesh/partition.hpp"

namespace trestle::mesh {
namespace {

void check_petsc(PetscErrorCode code, const char* call) {
  if (code == 0) return;
  const char* text = nullptr;
  if (PetscErrorMessage(code, &text, nullptr) != 0 || text == nullptr) text = "unknown error";
  throw SystemError(ExitCode::system, std::string(call) + " failed in the mesh partition: " + text +
                                          " (PETSc error " + std::to_string(code) +
                                          "); try `partitioner: hilbert`");
}

/// PETSc reports errors by return codes only, while this lives.
class QuietPetsc {
 public:
  QuietPetsc() {
    check_petsc(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr), "PetscPushErrorHandler");
  }
  QuietPetsc(const QuietPetsc&) = delete;
  QuietPetsc& operator=(const QuietPetsc&) = delete;
  ~QuietPetsc() { static_cast<void>(PetscPopErrorHandler()); }
};

/// Destroys a PETSc object at the end of its scope.
template <class Object, PetscErrorCode (*destroy)(Object*)>
struct Owned {
  Object object = nullptr;
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { static_cast<void>(destroy(&object)); }
};

/// A copy in PETSc's memory and integer type, for PETSc to free.
template <class T>
PetscInt* petsc_copy(std::span<const T> values) {
  PetscInt* copy = nullptr;
  check_petsc(PetscMalloc1(values.size(), &copy), "PetscMalloc1");
  std::transform(values.begin(), values.end(), copy, [](T v) { return narrow<PetscInt>(v); });
  return copy;
}

/// Starts Scotch's random numbers anew, so that a partition does not depend on those made before
/// it. PETSc brings Scotch along but does not pass this call on, and its headers need not be here.
void reset_random_numbers() {
  if (void* reset = dlsym(RTLD_DEFAULT, "SCOTCH_randomReset"))
    reinterpret_cast<void (*)()>(reset)();
}

/// The row of each cell in the graph, in the order of blocks.
std::vector<std::size_t> rows_of_cells(const RawMesh& mesh, GlobalIndex first_cell) {
  std::vector<std::size_t> rows;
  for (const RawBlock& block : mesh.cells)
    for (GlobalIndex id : block.ids) rows.push_back(static_cast<std::size_t>(id - first_cell));
  return rows;
}

}  // namespace

std::vector<int> partition_scotch(const Comm& comm, const RawMesh& mesh,
                                  const CellsToPartition& cells) {
  require(mesh.n_cells <= max_scotch_cells, ExitCode::mesh,
          "the mesh has " + std::to_string(mesh.n_cells) +
              " cells, more than Scotch through PETSc can number; use `partitioner: hilbert`");
  const DualGraph graph = make_dual_graph(comm, mesh);
  const std::vector<std::size_t> rows = rows_of_cells(mesh, graph.first_cell);
  std::vector<Index> work(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) work[rows[i]] = cells.work[i];

  reset_random_numbers();
  const QuietPetsc quiet;
  Owned<Mat, MatDestroy> matrix;
  Owned<MatPartitioning, MatPartitioningDestroy> partitioning;
  Owned<IS, ISDestroy> result;
  comm.agree([&] {
    check_petsc(MatCreateMPIAdj(comm.handle(), narrow<PetscInt>(rows.size()),
                                narrow<PetscInt>(mesh.n_cells), petsc_copy<Offset>(graph.begin),
                                petsc_copy<GlobalIndex>(graph.columns), nullptr, &matrix.object),
                "MatCreateMPIAdj");
    check_petsc(MatPartitioningCreate(comm.handle(), &partitioning.object),
                "MatPartitioningCreate");
    check_petsc(MatPartitioningSetAdjacency(partitioning.object, matrix.object),
                "MatPartitioningSetAdjacency");
    check_petsc(MatPartitioningSetVertexWeights(partitioning.object, petsc_copy<Index>(work)),
                "MatPartitioningSetVertexWeights");
    check_petsc(MatPartitioningSetType(partitioning.object, MATPARTITIONINGPTSCOTCH),
                "MatPartitioningSetType");
    check_petsc(MatPartitioningApply(partitioning.object, &result.object), "MatPartitioningApply");
  });
  std::vector<int> parts(rows.size());
  comm.agree([&] {
    const PetscInt* of_row = nullptr;
    check_petsc(ISGetIndices(result.object, &of_row), "ISGetIndices");
    for (std::size_t i = 0; i < rows.size(); ++i) parts[i] = narrow<int>(of_row[rows[i]]);
    check_petsc(ISRestoreIndices(result.object, &of_row), "ISRestoreIndices");
  });
  return parts;
}

}  // namespace trestle::mesh

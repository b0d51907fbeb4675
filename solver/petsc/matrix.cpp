#include "solver/petsc/matrix.hpp"

#include <algorithm>
#include <limits>

#include "core/error.hpp"
#include "solver/near_null.hpp"

namespace trestle::solver {
namespace {

/// Counts of entries in one scalar row of each part, for every scalar row.
std::vector<PetscInt> row_lengths(const std::vector<Offset>& offsets, int block) {
  std::vector<PetscInt> lengths;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    for (int c = 0; c < block; ++c)
      lengths.push_back(petsc_int((offsets[i + 1] - offsets[i]) * block, "entries in a row"));
  return lengths;
}

/// Copies one part of every row; entries of a block are one after another on both sides.
void copy_part(PetscCalls& calls, const Pattern& pattern, const std::vector<Offset>& offsets,
               int block, const gpu::HostAccess<const double>& values, Mat to) {
  const auto b = static_cast<std::size_t>(block);
  const auto ids = pattern.map->rows();
  std::vector<PetscInt> columns;
  std::vector<double> rows_of_values;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto first = static_cast<std::size_t>(offsets[i]);
    const auto n = static_cast<std::size_t>(offsets[i + 1]) - first;
    columns.resize(n);
    rows_of_values.resize(n * b * b);
    for (std::size_t e = 0; e < n; ++e) {
      const auto column = static_cast<std::size_t>(pattern.columns[first + e]);
      columns[e] = petsc_int(ids[column], "nodes");
      for (std::size_t r = 0; r < b; ++r)
        for (std::size_t c = 0; c < b; ++c)
          rows_of_values[(r * n + e) * b + c] =
              values[static_cast<Offset>(((first + e) * b + r) * b + c)];
    }
    const PetscInt row = petsc_int(ids[i], "nodes");
    calls.check(MatSetValuesBlocked(to, 1, &row, static_cast<PetscInt>(n), columns.data(),
                                    rows_of_values.data(), INSERT_VALUES));
  }
}

/// Owned rows without a diagonal block.
std::vector<Index> rows_without_diagonal(const Pattern& pattern) {
  std::vector<Index> rows;
  for (Index i = 0; i < pattern.map->n_owned(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const auto begin = pattern.columns.begin() + pattern.owned_offsets[row];
    const auto end = pattern.columns.begin() + pattern.owned_offsets[row + 1];
    if (!std::binary_search(begin, end, i)) rows.push_back(i);
  }
  return rows;
}

}  // namespace

PetscInt petsc_int(GlobalIndex value, const char* what) {
  if (value > std::numeric_limits<PetscInt>::max())
    throw CaseError({"solver: " + std::to_string(value) + " " + what + " pass the " +
                     std::to_string(8 * sizeof(PetscInt)) +
                     "-bit integers of the installed PETSc; take method cg or gmres instead of "
                     "petsc or direct"});
  return static_cast<PetscInt>(value);
}

PetscMat make_petsc_matrix(PetscCalls& calls, const BlockMatrix<double>& matrix,
                           const MatrixTraits& traits) {
  const Pattern& pattern = matrix.pattern();
  const IndexMap& map = *pattern.map;
  const int block = matrix.block();
  petsc_int(map.n_global() * block, "unknowns");
  petsc_int(map.comm().max(pattern.n_entries()) * block * block, "matrix entries of one rank");
  const PetscInt n = petsc_int(static_cast<GlobalIndex>(map.n_owned()) * block, "unknowns");
  auto owned_lengths = row_lengths(pattern.owned_offsets, block);
  const auto ghost_lengths = row_lengths(pattern.ghost_offsets, block);
  // PETSc's SOR reads the diagonal of each row and crashes where none is stored.
  const std::vector<Index> bare = rows_without_diagonal(pattern);
  for (Index i : bare)
    for (int c = 0; c < block; ++c) owned_lengths[static_cast<std::size_t>(i * block + c)] += block;
  PetscMat result;
  calls.check(MatCreate(map.comm().handle(), result.out()));
  const Mat a = result.get();
  calls.check(MatSetSizes(a, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  calls.check(MatSetBlockSize(a, block));
  calls.check(MatSetType(a, MATAIJ));
  calls.check(MatSeqAIJSetPreallocation(a, 0, owned_lengths.data()));
  calls.check(MatMPIAIJSetPreallocation(a, 0, owned_lengths.data(), 0, ghost_lengths.data()));
  calls.check(MatSetOption(a, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  const std::vector<double> zeros(static_cast<std::size_t>(block * block), 0.0);
  for (Index i : bare) {
    const PetscInt row = petsc_int(map.first_row() + i, "nodes");
    calls.check(MatSetValuesBlocked(a, 1, &row, 1, &row, zeros.data(), INSERT_VALUES));
  }
  update_petsc_matrix(calls, matrix, traits, result);
  return result;
}

void update_petsc_matrix(PetscCalls& calls, const BlockMatrix<double>& matrix,
                         const MatrixTraits& traits, const PetscMat& petsc) {
  const Mat a = petsc.get();
  {
    const Pattern& pattern = matrix.pattern();
    const auto values = gpu::read(matrix.values());
    copy_part(calls, pattern, pattern.owned_offsets, matrix.block(), values, a);
    copy_part(calls, pattern, pattern.ghost_offsets, matrix.block(), values, a);
  }
  calls.check(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  calls.check(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  if (traits.symmetric) calls.check(MatSetOption(a, MAT_SYMMETRIC, PETSC_TRUE));
}

PetscVec make_petsc_vector(PetscCalls& calls, const PetscMat& matrix) {
  PetscVec vector;
  calls.check(MatCreateVecs(matrix.get(), vector.out(), nullptr));
  return vector;
}

int set_near_null_space(PetscCalls& calls, const IndexMap& map, const MatrixTraits& traits,
                        const PetscMat& matrix) {
  std::vector<std::vector<double>> modes = traits.near_null;
  orthonormalise(map.comm(), modes);
  std::vector<PetscVec> owners;
  std::vector<Vec> vectors;
  for (const std::vector<double>& mode : modes) {
    PetscVec& vector = owners.emplace_back(make_petsc_vector(calls, matrix));
    PetscScalar* to = nullptr;
    calls.check(VecGetArrayWrite(vector.get(), &to));
    std::copy(mode.begin(), mode.end(), to);
    calls.check(VecRestoreArrayWrite(vector.get(), &to));
    vectors.push_back(vector.get());
  }
  if (vectors.empty()) return 0;
  PetscNullSpace space;
  const auto n = static_cast<PetscInt>(vectors.size());
  calls.check(MatNullSpaceCreate(map.comm().handle(), PETSC_FALSE, n, vectors.data(), space.out()));
  calls.check(MatSetNearNullSpace(matrix.get(), space.get()));
  return static_cast<int>(n);
}

}  // namespace trestle::solver

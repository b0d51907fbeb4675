// Work by chunks of cells: a bounded workspace, gathered over rows in the order of the cells.
#pragma once

#include <algorithm>

#include "fem/discretisation.hpp"
#include "gpu/for_each.hpp"

namespace trestle::fem {

/// For each chunk of a block runs make_kernel(first cell, workspace [cell of the chunk, node,
/// width]) over its cells, then adds `factor` times the workspace to sum [row, width] over the
/// slots of `rows`.
template <class MakeKernel>
void gather_over_chunks(const gpu::Device& device, const EntityBlock& block, const Incidence& rows,
                        int width, double factor, gpu::View<double, 1> sum,
                        const MakeKernel& make_kernel) {
  constexpr Offset workspace_entries = 1 << 22;
  const Offset per_entity = static_cast<Offset>(block.n_nodes) * width;
  const Offset chunk =
      std::min(block.n_entities, std::max<Offset>(1, workspace_entries / per_entity));
  gpu::Array<double> work(device, chunk * per_entity, "assembly workspace");
  gpu::Array<Offset> cursor(device, rows.n_rows(), "assembly workspace");
  gpu::for_each(device, rows.n_rows(), StartGather{rows.offsets.view(), cursor.view()});
  for (Offset first = 0; first < block.n_entities; first += chunk) {
    const Offset n = std::min(chunk, block.n_entities - first);
    gpu::for_each(device, n,
                  make_kernel(first, gpu::View<double, 3>(work.data(), n, block.n_nodes, width)));
    gpu::for_each(device, rows.n_rows(),
                  GatherChunk{rows.view(), cursor.view(), work.view(), sum, first * block.n_nodes,
                              (first + n) * block.n_nodes, width, factor});
  }
}

}  // namespace trestle::fem

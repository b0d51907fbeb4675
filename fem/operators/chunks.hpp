// Work by chunks of cells or facets: a bounded, reused workspace, summed at rows in the order of
// the entities.
#pragma once

#include <algorithm>

#include "fem/matrix_layout.hpp"
#include "gpu/for_each.hpp"

namespace trestle::fem {

/// The places of the cells of a block; empty where there are none.
inline PlacesView places_of_block(const MatrixLayout& layout, const EntityBlock& block,
                                  std::size_t b) {
  if (layout.places.empty()) return {};
  return {layout.places[b].data(), block.n_entities, block.n_nodes, block.n_nodes};
}

/// Entities of a chunk whose workspace of `per_entity` doubles each is bounded: it stays in the
/// cache of a processor, and keeps every thread of a card busy.
inline Offset chunk_size(const gpu::Device& device, Offset n_entities, Offset per_entity) {
  const Offset workspace_entries = scatters(device) ? Offset{1} << 12 : Offset{1} << 22;
  return std::min(n_entities, std::max<Offset>(64, workspace_entries / per_entity));
}

/// For each chunk of a block runs fill(first entity, workspace [entity of the chunk, node, width]),
/// which queues the work of these entities, then adds `factor` times the workspace to sum [row,
/// width] over the slots of `rows`.
template <class Fill>
void gather_over_chunks(const gpu::Device& device, const EntityBlock& block, const Incidence& rows,
                        int width, double factor, gpu::View<double, 1> sum, const Fill& fill) {
  const Offset per_entity = static_cast<Offset>(block.n_nodes) * width;
  const Offset chunk = std::min<Offset>(block.n_entities, (Offset{1} << 22) / per_entity);
  gpu::Array<double> work(device, chunk * per_entity, "assembly workspace");
  gpu::Array<Offset> cursor(device, rows.n_rows(), "assembly workspace");
  gpu::for_each(device, rows.n_rows(), StartGather{rows.offsets.view(), cursor.view()});
  for (Offset first = 0; first < block.n_entities; first += chunk) {
    const Offset n = std::min(chunk, block.n_entities - first);
    fill(first, gpu::View<double, 3>(work.data(), n, block.n_nodes, width));
    gpu::for_each(device, rows.n_rows(),
                  GatherChunk{rows.view(), cursor.view(), work.view(), sum, first * block.n_nodes,
                              (first + n) * block.n_nodes, width, factor});
  }
}

/// The same over the owned nodes of the entities: gathered, or scattered where one thread works.
template <class Fill>
void sum_over_chunks(const Discretisation& discretisation, const EntityBlock& block, double factor,
                     solver::Vector<double>& sum, const Fill& fill) {
  const gpu::Device& device = discretisation.device();
  const int width = sum.block();
  if (!scatters(device))
    return gather_over_chunks(device, block, block.around, width, factor, sum.view(), fill);
  const Offset per_entity = static_cast<Offset>(block.n_nodes) * width;
  const Offset chunk = chunk_size(device, block.n_entities, per_entity);
  gpu::Array<double> work(device, chunk * per_entity, "assembly workspace");
  for (Offset first = 0; first < block.n_entities; first += chunk) {
    const Offset n = std::min(chunk, block.n_entities - first);
    fill(first, gpu::View<double, 3>(work.data(), n, block.n_nodes, width));
    ScatterChunk{{block.nodes.data() + first * block.n_nodes, n * block.n_nodes},
                 work.view(),
                 sum.view(),
                 sum.map().n_owned(),
                 width,
                 factor}();
  }
}

}  // namespace trestle::fem

#include "physics/cell_state.hpp"

#include <algorithm>

namespace trestle::physics {
namespace {

solver::StateRows cell_rows(const mesh::Mesh& mesh) {
  solver::StateRows rows{"cells", mesh.n_cells_global, {}, {}};
  for (const mesh::CellBlock& block : mesh.cells) {
    rows.ids.insert(rows.ids.end(), block.ids.begin(), block.ids.end());
    rows.owned.insert(rows.owned.end(), block.owned.begin(), block.owned.end());
  }
  return rows;
}

/// Calls work(entry of the table, entry of the block, block) for all that blocks hold.
template <class Work>
void for_each_entry(const mesh::Mesh& mesh, std::span<gpu::Array<double>> blocks, std::size_t width,
                    const Work& work) {
  std::size_t first = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::size_t n = mesh.cells[b].ids.size();
    const std::size_t n_values = n == 0 ? 0 : static_cast<std::size_t>(blocks[b].size()) / n;
    for (std::size_t k = 0; k < n_values; ++k)
      for (std::size_t c = 0; c < n; ++c) work((first + c) * width + k, k * n + c, b);
    first += n;
  }
}

}  // namespace

void visit_cells(solver::StateVisitor& visitor, const std::string& name, const mesh::Mesh& mesh,
                 std::span<gpu::Array<double>> blocks) {
  // Cells of a type with fewer values leave the rest of their row at 0.
  Offset width = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (const Index n = mesh.cells[b].n_cells(); n > 0)
      width = std::max(width, blocks[b].size() / n);
  solver::StateVisitor::Table table;
  table.width = static_cast<std::size_t>(mesh.comm().max(width));
  const solver::StateRows rows = cell_rows(mesh);
  table.take = [&] {
    std::vector<double> values(rows.ids.size() * table.width, 0.0);
    std::vector<std::vector<double>> on_host;
    for (const gpu::Array<double>& block : blocks) on_host.push_back(gpu::download(block));
    for_each_entry(mesh, blocks, table.width, [&](std::size_t to, std::size_t from, std::size_t b) {
      values[to] = on_host[b][from];
    });
    return values;
  };
  table.put = [&](std::span<const double> values) {
    std::vector<std::vector<double>> on_host;
    for (const gpu::Array<double>& block : blocks)
      on_host.emplace_back(static_cast<std::size_t>(block.size()));
    for_each_entry(mesh, blocks, table.width, [&](std::size_t from, std::size_t to, std::size_t b) {
      on_host[b][to] = values[from];
    });
    for (std::size_t b = 0; b < blocks.size(); ++b)
      std::ranges::copy(on_host[b], gpu::write(blocks[b]).begin());
  };
  visitor.table(name, rows, table);
}

}  // namespace trestle::physics

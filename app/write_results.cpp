#include "app/write_results.hpp"

namespace trestle::app {
namespace {

/// The owned cells of a mesh, block by block.
class OwnedCells {
 public:
  explicit OwnedCells(const mesh::Mesh& mesh) {
    std::size_t n_local = 0;
    for (const mesh::CellBlock& block : mesh.cells) n_local += block.ids.size();
    cells_.reserve(n_local);
    for (const mesh::CellBlock& block : mesh.cells) {
      for (std::size_t c = 0; c < block.ids.size(); ++c)
        if (block.owned[c] != 0) cells_.push_back(narrow<Index>(c));
      ends_.push_back(cells_.size());
    }
  }

  /// value(block, cell in block) of every owned cell.
  template <class Value>
  auto values(const Value& value) const {
    std::vector<decltype(value(0, 0))> all;
    all.reserve(cells_.size());
    for (std::size_t b = 0; b < ends_.size(); ++b)
      while (all.size() < ends_[b])
        all.push_back(value(b, static_cast<std::size_t>(cells_[all.size()])));
    return all;
  }
  /// Block, and cell in block.
  std::pair<std::size_t, std::size_t> at(std::size_t cell) const {
    std::size_t b = 0;
    while (cell >= ends_[b]) ++b;
    return {b, static_cast<std::size_t>(cells_[cell])};
  }

 private:
  std::vector<Index> cells_;       // [owned cell]: in its block
  std::vector<std::size_t> ends_;  // of the blocks' owned cells
};

/// value(point) of every owned point.
template <class Value>
auto point_values(const physics::ResultPoints& points, const Value& value) {
  const auto n = static_cast<std::size_t>(points.map->n_owned());
  std::vector<decltype(value(0))> all;
  all.reserve(n);
  for (std::size_t p = 0; p < n; ++p) all.push_back(value(p));
  return all;
}

void add_points(const mesh::Mesh& mesh, const physics::ResultPoints& points,
                io::ResultMesh& result) {
  const auto ids = points.map->ids().first(static_cast<std::size_t>(points.map->n_owned()));
  result.point_ids.assign(ids.begin(), ids.end());
  const auto node = [&points](std::size_t p) { return static_cast<std::size_t>(points.node[p]); };
  result.coordinates = [&mesh, &points, node] {
    std::vector<double> all;
    const auto n = static_cast<std::size_t>(points.map->n_owned());
    all.reserve(3 * n);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t d = 0; d < 3; ++d) all.push_back(mesh.coordinates[3 * node(p) + d]);
    return all;
  };
  result.node_ids = [&mesh, &points, node] {
    return point_values(points, [&](std::size_t p) { return mesh.nodes->ids()[node(p)]; });
  };
  result.node_tags = [&mesh, &points, node] {
    return point_values(points, [&](std::size_t p) { return mesh.node_tags[node(p)]; });
  };
  result.point_regions = [&points] {
    return point_values(points, [&](std::size_t p) { return points.region[p]; });
  };
}

void add_cells(const physics::Analysis& analysis, const physics::ResultPoints& points,
               io::ResultMesh& result) {
  const std::vector<mesh::CellBlock>& blocks = analysis.mesh().cells;
  const auto cells = std::make_shared<const OwnedCells>(analysis.mesh());
  result.cell_ids = [&blocks, cells] {
    return cells->values([&](std::size_t b, std::size_t c) { return blocks[b].ids[c]; });
  };
  result.cell_types = [&blocks, cells] {
    return cells->values([&](std::size_t b, std::size_t) { return blocks[b].type; });
  };
  result.cell_tags = [&blocks, cells] {
    return cells->values([&](std::size_t b, std::size_t c) { return blocks[b].tags[c]; });
  };
  result.cell_regions = [&analysis, cells] {
    return cells->values([&](std::size_t b, std::size_t c) { return analysis.materials()[b][c]; });
  };
  result.cell_points = [&analysis, &blocks, &points, cells](std::size_t cell,
                                                            std::span<GlobalIndex> ids) {
    const auto [b, c] = cells->at(cell);
    const Index region = analysis.materials()[b][c];
    for (std::size_t a = 0; a < ids.size(); ++a)
      ids[a] = points.map->ids()[static_cast<std::size_t>(
          points.point(blocks[b].nodes[c * ids.size() + a], region))];
  };
}

}  // namespace

io::ResultMesh make_result_mesh(const physics::Analysis& analysis,
                                const physics::ResultPoints& points) {
  const mesh::Mesh& mesh = analysis.mesh();
  io::ResultMesh result;
  result.n_points = points.map->n_global();
  result.n_cells = mesh.n_cells_global;
  add_points(mesh, points, result);
  add_cells(analysis, points, result);
  for (const physics::Material& material : analysis.problem().materials)
    result.region_names.push_back(material.name);
  return result;
}

std::vector<io::ResultField> result_fields(const io::Case& c,
                                           const physics::Description& description) {
  std::vector<io::ResultField> fields;
  for (const std::string& name : c.output.fields) {
    const physics::ResultInfo& info = physics::result_info(description, name);
    fields.push_back({name, info.components, info.unit});
  }
  return fields;
}

std::vector<std::vector<double>> field_values(const io::Case& c, const physics::Analysis& analysis,
                                              const physics::ResultPoints& points,
                                              physics::Derived& derived) {
  std::vector<std::vector<double>> values;
  for (const std::string& name : c.output.fields) {
    const auto n =
        static_cast<std::size_t>(physics::result_info(analysis.description(), name).components);
    const std::vector<double>& all = derived.values(name);
    values.emplace_back(all.begin(),
                        all.begin() + static_cast<std::ptrdiff_t>(
                                          n * static_cast<std::size_t>(points.map->n_owned())));
  }
  return values;
}

}  // namespace trestle::app

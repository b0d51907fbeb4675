#include "app/write_results.hpp"

namespace trestle::app {
namespace {

void add_points(const mesh::Mesh& mesh, const physics::ResultPoints& points,
                io::ResultMesh& result) {
  const auto n = static_cast<std::size_t>(points.map->n_owned());
  const auto ids = points.map->ids().first(n);
  result.point_ids.assign(ids.begin(), ids.end());
  result.point_regions.assign(points.region.begin(),
                              points.region.begin() + static_cast<std::ptrdiff_t>(n));
  result.coordinates.reserve(3 * n);
  result.node_ids.reserve(n);
  result.node_tags.reserve(n);
  for (std::size_t p = 0; p < n; ++p) {
    const auto node = static_cast<std::size_t>(points.node[p]);
    for (std::size_t d = 0; d < 3; ++d)
      result.coordinates.push_back(mesh.coordinates[3 * node + d]);
    result.node_ids.push_back(mesh.nodes->ids()[node]);
    result.node_tags.push_back(mesh.node_tags[node]);
  }
}

void add_cells(const physics::Analysis& analysis, const physics::ResultPoints& points,
               io::ResultMesh& result) {
  const auto ids = points.map->ids();
  std::size_t n_cells = 0, n_entries = 0;
  for (const mesh::CellBlock& block : analysis.mesh().cells) {
    n_cells += block.ids.size();
    n_entries += block.nodes.size();
  }
  result.cell_ids.reserve(n_cells);
  result.cell_types.reserve(n_cells);
  result.cell_tags.reserve(n_cells);
  result.cell_regions.reserve(n_cells);
  result.cell_points.reserve(n_entries);
  for (std::size_t b = 0; b < analysis.mesh().cells.size(); ++b) {
    const mesh::CellBlock& block = analysis.mesh().cells[b];
    const auto n_nodes = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
    for (std::size_t c = 0; c < block.ids.size(); ++c) {
      if (block.owned[c] == 0) continue;
      const Index region = analysis.materials()[b][c];
      result.cell_ids.push_back(block.ids[c]);
      result.cell_types.push_back(block.type);
      result.cell_tags.push_back(block.tags[c]);
      result.cell_regions.push_back(region);
      for (std::size_t a = 0; a < n_nodes; ++a)
        result.cell_points.push_back(
            ids[static_cast<std::size_t>(points.point(block.nodes[c * n_nodes + a], region))]);
    }
  }
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

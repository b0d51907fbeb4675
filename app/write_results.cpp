#include "app/write_results.hpp"

namespace trestle::app {

io::ResultMesh make_result_mesh(const physics::Analysis& analysis,
                                const physics::ResultPoints& points) {
  const mesh::Mesh& mesh = analysis.mesh();
  io::ResultMesh result;
  result.n_points = points.map->n_global();
  result.n_cells = mesh.n_cells_global;
  for (std::size_t p = 0; p < static_cast<std::size_t>(points.map->n_owned()); ++p) {
    const auto node = static_cast<std::size_t>(points.node[p]);
    result.point_ids.push_back(points.map->ids()[p]);
    result.coordinates.insert(result.coordinates.end(), &mesh.coordinates[3 * node],
                              &mesh.coordinates[3 * node] + 3);
    result.node_ids.push_back(mesh.nodes->ids()[node]);
    result.node_tags.push_back(mesh.node_tags[node]);
    result.point_regions.push_back(points.region[p]);
  }
  for (std::size_t b = 0; b < mesh.cells.size(); ++b) {
    const mesh::CellBlock& block = mesh.cells[b];
    const auto n_nodes = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
    for (std::size_t c = 0; c < block.ids.size(); ++c) {
      if (block.owned[c] == 0) continue;
      result.cell_ids.push_back(block.ids[c]);
      result.cell_types.push_back(block.type);
      result.cell_tags.push_back(block.tags[c]);
      result.cell_regions.push_back(analysis.materials()[b][c]);
      for (std::size_t a = 0; a < n_nodes; ++a)
        result.cell_points.push_back(
            points.map->ids()[static_cast<std::size_t>(points.cell_points[b][c * n_nodes + a])]);
    }
  }
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

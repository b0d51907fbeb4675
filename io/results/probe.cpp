#include "io/results/probe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "core/error.hpp"
#include "fem/cells/cell_locator.hpp"
#include "io/escape.hpp"
#include "io/results/text.hpp"

namespace trestle::io {
namespace {

using Place = std::array<double, 3>;

Place coordinates_of(const ResultsContent& content, std::size_t point) {
  return {content.coordinates[3 * point], content.coordinates[3 * point + 1],
          content.coordinates[3 * point + 2]};
}

double distance(const Place& a, const Place& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

std::string text_of(const Place& at) {
  return fmt::format("({:.10g}, {:.10g}, {:.10g}) m", at[0], at[1], at[2]);
}

/// The cells of a results file as a mesh of this rank alone: its nodes are the points, its groups
/// the regions.
mesh::Mesh mesh_of(const ResultsContent& content) {
  mesh::Mesh mesh{};
  std::vector<GlobalIndex> points(content.node_ids.size());
  std::iota(points.begin(), points.end(), GlobalIndex{0});
  mesh.nodes = std::make_shared<IndexMap>(Comm(MPI_COMM_SELF), std::move(points),
                                          std::span<const GlobalIndex>(), std::span<const int>());
  mesh.coordinates = content.coordinates;
  mesh.n_cells_global = static_cast<GlobalIndex>(content.cell_types.size());
  for (int r = 0; r < static_cast<int>(content.region_names.size()); ++r)
    mesh.group_sets.push_back({r});
  std::map<mesh::CellType, mesh::CellBlock> blocks;
  std::size_t at = 0;
  for (std::size_t c = 0; c < content.cell_types.size(); ++c) {
    const mesh::CellTraits& traits = mesh::traits(content.cell_types[c]);
    mesh.dim = std::max(mesh.dim, traits.dim);
    mesh::CellBlock& block = blocks[traits.type];
    block.type = traits.type;
    for (int a = 0; a < traits.n_nodes; ++a)
      block.nodes.push_back(narrow<Index>(content.cell_points[at++]));
    block.ids.push_back(static_cast<GlobalIndex>(c));
    block.tags.push_back(content.cell_tags[c]);
    block.group_set.push_back(content.cell_regions[c]);
    block.owned.push_back(1);
  }
  for (auto& [type, block] : blocks) mesh.cells.push_back(std::move(block));
  return mesh;
}

/// Where the values of one region are taken from: a place in a cell, or a point.
struct Sample {
  std::string region;
  fem::CellLocator::Found cell;  // not found: the values of `point`
  GlobalIndex point = 0;
};

/// Finds the place in a cell of each region that has it.
std::vector<Sample> samples_in_cells(const ResultsContent& content, const mesh::Mesh& mesh,
                                     const Place& at) {
  std::vector<Sample> samples;
  for (std::size_t r = 0; r < content.region_names.size(); ++r)
    if (const auto found = fem::CellLocator(mesh, static_cast<int>(r)).locate(at); found.found)
      samples.push_back({content.region_names[r], found});
  return samples;
}

std::string values_text(const std::string& path, const ResultsContent& content,
                        const mesh::Mesh& mesh, const std::vector<Sample>& samples) {
  const fem::CellLocator locator(mesh);
  std::string text;
  for (const ResultField& field : content.fields)
    for (std::size_t step = 0; step < content.step_names.size(); ++step) {
      const auto values = read_result_values(path, field.name, static_cast<int>(step));
      const auto width = static_cast<std::size_t>(field.components);
      for (const Sample& sample : samples) {
        std::vector<double> here(width);
        if (sample.cell.found)
          here = locator.interpolate(sample.cell, values, field.components);
        else
          std::copy_n(values.begin() + sample.point * field.components, width, here.begin());
        text += fmt::format("{}  step {}  {}:", escape_terminal(field.name),
                            step_label(content, step), escape_terminal(sample.region));
        for (double value : here) text += fmt::format(" {:.10g}", value);
        text += fmt::format(" {}\n", escape_terminal(field.unit));
      }
    }
  return text;
}

}  // namespace

std::vector<NearestPoint> nearest_points(const ResultsContent& content, const Place& at) {
  std::size_t best = 0;
  const std::size_t n = content.node_ids.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double here = distance(coordinates_of(content, i), at);
    const double before = distance(coordinates_of(content, best), at);
    if (here < before || (here == before && content.node_ids[i] < content.node_ids[best])) best = i;
  }
  std::vector<NearestPoint> points;
  for (std::size_t i = 0; i < n; ++i)
    if (content.node_ids[i] == content.node_ids[best]) {
      const auto x = coordinates_of(content, i);
      points.push_back({static_cast<GlobalIndex>(i), content.node_tags[i], region_of(content, i), x,
                        distance(x, at)});
    }
  return points;
}

std::string results_probe(const std::string& path, const Place& at) {
  const ResultsContent content = read_results(path);
  require(!content.node_ids.empty(), ExitCode::mesh, path + " has no points");
  const mesh::Mesh mesh = mesh_of(content);
  Place place = at;
  if (mesh.dim == 2) place[2] = content.coordinates[2];
  std::vector<Sample> samples = samples_in_cells(content, mesh, place);
  std::string text = "at " + text_of(place) + "\n";
  if (samples.empty()) {
    const auto points = nearest_points(content, place);
    for (const NearestPoint& point : points) samples.push_back({point.region, {}, point.point});
    text = fmt::format(
        "{} lies outside the mesh; the nearest node is {} at {}, {:.6g} m away, and "
        "these are its values\n",
        text_of(place), points[0].node_tag, text_of(points[0].at), points[0].distance);
  }
  return text + values_text(path, content, mesh, samples);
}

}  // namespace trestle::io

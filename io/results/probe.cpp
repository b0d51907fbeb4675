#include "io/results/probe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>

#include "core/error.hpp"
#include "fem/cells/cell_locator.hpp"
#include "io/escape.hpp"
#include "io/results/distance.hpp"
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

/// The node nearest to a place.
struct NearestPoint {
  std::int64_t node_tag;  // in the mesh file
  Place at;
  double distance;
};

NearestPoint nearest_point(const ResultsContent& content, const Place& at) {
  NearestPoint best{-1, {}, std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < content.node_ids.size(); ++i) {
    const Place x = coordinates_of(content, i);
    const double here = distance(x, at);
    if (here < best.distance) best = {content.node_tags[i], x, here};
  }
  return best;
}

/// The place in a cell of one region.
struct Sample {
  std::string region;
  fem::CellLocator::Found cell;
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
      for (const Sample& sample : samples) {
        text += fmt::format("{}  step {}  {}:", escape_terminal(field.name),
                            step_label(content, step), escape_terminal(sample.region));
        for (double value : locator.interpolate(sample.cell, values, field.components))
          text += fmt::format(" {:.10g}", value);
        text += fmt::format(" {}\n", escape_terminal(field.unit));
      }
    }
  return text;
}

}  // namespace

std::string results_probe(const std::string& path, const std::vector<double>& at) {
  const ResultsContent content = read_results(path);
  require(!content.node_ids.empty(), ExitCode::mesh, path + " has no points");
  const mesh::Mesh mesh = mesh_of(content);
  const bool plane = at.size() == 2;
  require(!plane || mesh.dim == 2, ExitCode::usage,
          fmt::format("at: {:g} {:g} has 2 places, but {} has 3 dimensions; give 3", at[0], at[1],
                      path));
  Place place{at[0], at[1], plane ? 0 : at[2]};
  if (mesh.dim == 2 && place[2] == 0) place[2] = content.coordinates[2];
  const std::vector<Sample> samples = samples_in_cells(content, mesh, place);
  if (samples.empty()) {
    const NearestPoint nearest = nearest_point(content, place);
    Place below = place;  // in the plane of a mesh of two dimensions
    if (mesh.dim == 2) below[2] = content.coordinates[2];
    const double across =
        samples_in_cells(content, mesh, below).empty() ? distance_to_mesh(mesh, below) : 0;
    throw Error(ExitCode::mesh,
                fmt::format("{} lies outside the mesh, {:.6g} m from it, and has no values; the "
                            "nearest node is {} at {}",
                            text_of(place), std::hypot(across, place[2] - below[2]),
                            nearest.node_tag, text_of(nearest.at)));
  }
  return "at " + text_of(place) + "\n" + values_text(path, content, mesh, samples);
}

}  // namespace trestle::io

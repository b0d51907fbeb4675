#include "physics/lumped_loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "physics/materials.hpp"

namespace trestle::physics {
namespace {

/// "tet10": a type of cells whose shape functions are not positive on average at each node; "" for
/// none. Collective.
std::string uneven_cells(const mesh::Mesh& mesh) {
  int type = -1;
  for (const mesh::CellBlock& block : mesh.cells)
    if (block.n_cells() > 0 && mesh::traits(block.type).order == 2 &&
        block.type != mesh::CellType::quad9 && block.type != mesh::CellType::hex27)
      type = std::max(type, static_cast<int>(block.type));
  type = mesh.comm().max(type);
  return type < 0 ? "" : std::string(mesh::traits(static_cast<mesh::CellType>(type)).name);
}

/// Why masses are diagonal; "" where they are not.
std::string why_lumped(const Problem& problem) {
  if (problem.analysis.type != AnalysisType::transient) return "";
  if (problem.analysis.scheme == TimeScheme::central_difference) return "central_difference has";
  if (melts(problem)) return "latent heat has";
  return problem.analysis.mass == MassKind::lumped ? "analysis.mass: lumped is" : "";
}

}  // namespace

void check_lumped_loads(const mesh::Mesh& mesh, const Problem& problem, GroupLookup& lookup) {
  const std::string why = why_lumped(problem);
  const std::string cells = uneven_cells(mesh);
  if (why.empty() || cells.empty()) return;
  const std::vector<ConditionInfo>& infos = find_description(problem.physics)->conditions;
  for (const Condition& condition : problem.conditions) {
    const auto info = std::ranges::find(infos, condition.type, &ConditionInfo::name);
    if (info->fixes_values || !(info->targets.cells || info->targets.facets)) continue;
    lookup.add(
        condition.where,
        fmt::format("{}: {} a diagonal mass or capacity, which second-order cells ({}) divide "
                    "among their nodes in other proportions than a load that is spread over "
                    "them, so that nodes would part; take mesh: {{order: 1}}, or quad9 or "
                    "hex27 cells{}",
                    condition.type, why, cells,
                    why.starts_with("analysis") ? ", or mass: consistent" : ""));
  }
}

}  // namespace trestle::physics

#include "physics/locking.hpp"

#include <fmt/format.h>

#include "fem/operators/solid_operator.hpp"
#include "physics/solid_materials.hpp"

namespace trestle::physics {
namespace {

/// Cell types of a mesh that keep the volume of every point.
struct Stiff {
  bool linear = false;     // that a mean dilatation would cure
  bool simplices = false;  // of order 1: one point, which nothing cures
  bool quadratic = false;
};

Stiff stiff_cells(const mesh::Mesh& mesh, fem::Formulation formulation) {
  Stiff stiff;
  for (const mesh::CellBlock& block : mesh.cells) {
    if (block.n_cells() == 0 || fem::dilatation_modes(block.type, formulation) > 0) continue;
    const bool simplex = block.type == mesh::CellType::tri3 || block.type == mesh::CellType::tet4;
    const bool quadratic = mesh::traits(block.type).order == 2;
    stiff.simplices = stiff.simplices || simplex;
    stiff.quadratic = stiff.quadratic || quadratic;
    stiff.linear = stiff.linear || (!simplex && !quadratic);
  }
  const Comm& comm = mesh.comm();
  return {comm.any(stiff.linear), comm.any(stiff.simplices), comm.any(stiff.quadratic)};
}

constexpr const char* remedy = "set `formulation: mean_dilatation`";
constexpr const char* remedy_of_simplices =
    "use second-order cells (mesh: {order: 2}) with `formulation: mean_dilatation`, or quads and "
    "hexes with it";

std::string warning(const Stiff& stiff, const std::string& cause) {
  std::string cells = stiff.linear && stiff.simplices ? "linear cells"
                      : stiff.linear                  ? "linear quads, hexes, prisms or pyramids"
                                                      : "linear triangles or tetrahedra";
  return fmt::format("{} with {} locks: displacements will be too small and stresses wrong; {}",
                     cause, cells, stiff.simplices ? remedy_of_simplices : remedy);
}

}  // namespace

std::vector<std::string> locking_warnings(const mesh::Mesh& mesh, const Problem& problem,
                                          Model model) {
  if (model == Model::plane_stress) return {};
  const Stiff stiff = stiff_cells(mesh, problem.formulation);
  const bool any_linear = stiff.linear || stiff.simplices;
  std::vector<std::string> warnings;
  for (const Material& material : problem.materials) {
    const std::optional<double> poisson = poisson_ratio(material);
    constexpr double of_linear = 0.49, of_quadratic = 0.4995;
    if (poisson && *poisson >= of_linear && any_linear)
      warnings.push_back(warning(
          stiff, fmt::format("material {}: Poisson's ratio {:.10g}", material.name, *poisson)));
    else if (law_of(material) == fem::Law::j2_plasticity && any_linear)
      warnings.push_back(warning(
          stiff, fmt::format("material {}: plastic flow at constant volume", material.name)));
    else if (poisson && *poisson >= of_quadratic && stiff.quadratic)
      warnings.push_back(fmt::format(
          "material {}: Poisson's ratio {:.10g} with second-order cells of the standard "
          "formulation locks where cells are curved; {}",
          material.name, *poisson, remedy));
  }
  return warnings;
}

}  // namespace trestle::physics

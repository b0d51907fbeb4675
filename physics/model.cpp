#include "physics/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"

namespace trestle::physics {
namespace {

const std::array<std::pair<const char*, Model>, 4> words_2d{
    {{"plane", Model::plane},
     {"plane_strain", Model::plane_strain},
     {"plane_stress", Model::plane_stress},
     {"axisymmetric", Model::axisymmetric}}};

}  // namespace

const char* to_string(Model model) {
  if (model == Model::three_d) return "3d";
  return std::find_if(words_2d.begin(), words_2d.end(),
                      [&](const auto& w) { return w.second == model; })
      ->first;
}

Model model_of(const Problem& problem, int dim) {
  const Description& description = *find_description(problem.physics);
  if (dim == 3) {
    if (problem.model && *problem.model != "3d")
      throw CaseError(
          problem.model_where,
          fmt::format("model: {} is for two-dimensional meshes, but this mesh has three "
                      "dimensions; leave it out",
                      *problem.model));
    return Model::three_d;
  }
  const std::string word = problem.model.value_or(description.models_2d.front());
  for (const auto& [name, model] : words_2d)
    if (name == word && std::find(description.models_2d.begin(), description.models_2d.end(),
                                  word) != description.models_2d.end())
      return model;
  throw CaseError(problem.model_where,
                  fmt::format("model: \"{}\" is not one of {} for {} on a two-dimensional mesh",
                              word, fmt::join(description.models_2d, ", "), description.name));
}

Model find_model(const Problem& problem, int dim, GroupLookup& lookup) {
  Model model = Model::three_d;
  if (lookup.take([&] { model = model_of(problem, dim); })) return model;
  Problem without = problem;
  without.model.reset();
  return model_of(without, dim);
}

fem::Section section_of(const Problem& problem, Model model) {
  return {model == Model::axisymmetric,
          model == Model::three_d || model == Model::axisymmetric ? 1.0 : problem.thickness};
}

void check_radius(const mesh::Mesh& mesh, const SourcePosition& model) {
  double lowest = 0;
  for (std::size_t i = 0; i < mesh.coordinates.size(); i += 3)
    lowest = std::min(lowest, mesh.coordinates[i]);
  lowest = mesh.comm().min(lowest);
  if (lowest < -1e-9)
    throw MeshError(with_place(
        model, fmt::format("model: axisymmetric: x is the radius, but the mesh reaches x = {:g} m; "
                           "move it to x >= 0",
                           lowest)));
}

}  // namespace trestle::physics

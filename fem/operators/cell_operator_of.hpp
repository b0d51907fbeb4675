// CellOperator for one material; included by the .cu file that instantiates it.
#pragma once

#include "core/error.hpp"
#include "fem/cells/dispatch.hpp"
#include "fem/cells/quadrature.hpp"
#include "fem/operators/cell_lanes.hpp"
#include "fem/operators/cell_operator.hpp"
#include "fem/operators/chunks.hpp"

namespace trestle::fem {

/// View of u as [local node, component].
inline gpu::View<const double, 2> nodal(const solver::Vector<double>& u) {
  return {u.values().data(), static_cast<Offset>(u.map().n_local()), u.block()};
}

inline MatrixView matrix_view(solver::BlockMatrix<double>& matrix) {
  return {matrix.owned_offsets(), matrix.ghost_offsets(), matrix.columns(), matrix.values().view(),
          matrix.pattern().map->n_owned()};
}

inline ThermalView thermal_view(const Discretisation& discretisation, const ThermalStrain& thermal,
                                std::size_t b) {
  if (thermal.empty()) return {};
  const EntityBlock& block = discretisation.blocks()[b];
  return {{thermal[b].data(), block.n_entities, block.stiffness.n_points}};
}

/// Whether a material is integrated with the load rule, as one with terms without derivatives is.
template <class Material>
constexpr bool at_load_rule = requires {
  requires Material::at_load_rule;
};
/// Whether a material has an internal force at u = 0.
template <class Material>
constexpr bool has_force_at_zero = requires {
  requires Material::has_force_at_zero;
};

/// `Dispatch` is Dispatch2d or Dispatch3d.
template <class Material, class Dispatch>
class CellOperatorOf final : public CellOperator {
 public:
  CellOperatorOf(const Discretisation& discretisation, const MaterialData& data)
      : discretisation_(discretisation), data_(data) {}

  int n_components() const override { return Material::n_components; }
  int width(CellQuantity quantity) const override {
    return quantity == CellQuantity::flux     ? Material::n_flux
           : quantity == CellQuantity::strain ? 6
           : quantity == CellQuantity::energy ? 1
                                              : 0;
  }

  bool linear() const override { return Material::linear; }
  bool symmetric() const override { return Material::symmetric; }
  bool homogeneous() const override { return !has_force_at_zero<Material>; }

  void add_stiffness(const MatrixLayout& layout, const solver::Vector<double>& u,
                     const ThermalStrain& thermal,
                     solver::BlockMatrix<double>& matrix) const override {
    if (scatters(device())) return add_stiffness_in_lanes(u, thermal, matrix);
    for (std::size_t b = 0; b < blocks().size(); ++b) {
      const EntityBlock& block = blocks()[b];
      Dispatch::call(block.n_nodes, [&]<int n>() {
        gpu::for_each(
            device(), block.around.n_rows(),
            StiffnessRow<n, Material>{
                cells(b), parameters(b), thermal_view(discretisation_, thermal, b), nodal(u),
                block.around.view(), places_of_block(layout, block, b), matrix_view(matrix)});
      });
    }
  }

  void add_internal_force(const solver::Vector<double>& u, const ThermalStrain& thermal,
                          double factor, solver::Vector<double>& sum) const override {
    for (std::size_t b = 0; b < blocks().size(); ++b) {
      const EntityBlock& block = blocks()[b];
      const ThermalView strain = thermal_view(discretisation_, thermal, b);
      sum_over_chunks(discretisation_, block, factor, sum,
                      [&](Offset first, gpu::View<double, 3> work) {
                        fill_forces({cells(b), parameters(b), strain, nodal(u), work, first});
                      });
    }
  }

  void add_nodal(CellQuantity quantity, const solver::Vector<double>& u,
                 const ThermalStrain& thermal, const std::vector<Incidence>& rows,
                 gpu::Array<double>& sum) const override {
    with_output(quantity, [&]<class Output>() {
      for (std::size_t b = 0; b < blocks().size(); ++b)
        add_nodal_of<Output>(b, u, thermal, rows[b], sum);
    });
  }

  gpu::Array<double> cell_integrals(CellQuantity quantity, const solver::Vector<double>& u,
                                    const ThermalStrain& thermal, std::size_t b) const override {
    const EntityBlock& block = blocks()[b];
    gpu::Array<double> integrals(device(), block.n_entities * width(quantity), "results");
    const gpu::View<double, 3> values(integrals.data(), block.n_entities, 1, width(quantity));
    with_output(quantity, [&]<class Output>() {
      gpu::for_each(device(), block.n_entities,
                    CellOutput<Material, Output>{cells(b),
                                                 parameters(b),
                                                 thermal_view(discretisation_, thermal, b),
                                                 nodal(u),
                                                 {},
                                                 values,
                                                 0});
    });
    return integrals;
  }

 private:
  const gpu::Device& device() const { return discretisation_.device(); }
  static const RuleData& rule(const EntityBlock& block) {
    return at_load_rule<Material> ? block.load : block.stiffness;
  }
  static const Quadrature& quadrature(mesh::CellType type) {
    return at_load_rule<Material> ? load_quadrature(type) : stiffness_quadrature(type);
  }
  const std::vector<EntityBlock>& blocks() const { return discretisation_.blocks(); }
  CellView cells(std::size_t b) const {
    return discretisation_.view(blocks()[b], rule(blocks()[b]));
  }
  MaterialView parameters(std::size_t b) const { return data_.view(discretisation_, b); }

  void add_stiffness_in_lanes(const solver::Vector<double>& u, const ThermalStrain& thermal,
                              solver::BlockMatrix<double>& matrix) const {
    const MatrixView view = matrix_view(matrix);
    const std::vector<Offset> diagonal = diagonal_entries(view);
    for (std::size_t b = 0; b < blocks().size(); ++b)
      Dispatch::call(blocks()[b].n_nodes, [&]<int n>() {
        CellLanes<Material, n>::add_stiffness({cells(b),
                                               parameters(b),
                                               thermal_view(discretisation_, thermal, b),
                                               nodal(u),
                                               view,
                                               {diagonal.data(), diagonal.size()}});
      });
    if (Material::symmetric) mirror_upper(view, Material::n_components);
  }

  /// Runs `kernel` over its chunk.
  void fill_forces(const InternalForce<Material>& kernel) const {
    if (!scatters(device())) return gpu::for_each(device(), kernel.force.extent(0), kernel);
    Dispatch::call(static_cast<int>(kernel.force.extent(1)),
                   [&]<int n>() { CellLanes<Material, n>::internal_force(kernel); });
  }

  template <class Work>
  static void with_output(CellQuantity quantity, const Work& work) {
    require(quantity != CellQuantity::plastic_strain, ExitCode::bug, "no plastic strain here");
    if (quantity == CellQuantity::flux) return work.template operator()<FluxOutput<Material>>();
    if constexpr (Material::n_flux == 6) {
      if (quantity == CellQuantity::strain)
        return work.template operator()<StrainOutput<Material>>();
      return work.template operator()<EnergyOutput<Material>>();
    }
  }

  template <class Output>
  void add_nodal_of(std::size_t b, const solver::Vector<double>& u, const ThermalStrain& thermal,
                    const Incidence& rows, gpu::Array<double>& sum) const {
    const EntityBlock& block = blocks()[b];
    const gpu::Array<double> to_nodes =
        gpu::upload(device(), extrapolation(block.type, quadrature(block.type)), "tabulation");
    const gpu::View<const double, 2> matrix(to_nodes.data(), block.n_nodes, rule(block).n_points);
    const ThermalView strain = thermal_view(discretisation_, thermal, b);
    gather_over_chunks(device(), block, rows, Output::n, 1.0, sum.view(),
                       [&](Offset first, gpu::View<double, 3> work) {
                         gpu::for_each(device(), work.extent(0),
                                       CellOutput<Material, Output>{cells(b), parameters(b), strain,
                                                                    nodal(u), matrix, work, first});
                       });
  }

  const Discretisation& discretisation_;
  const MaterialData& data_;
};

}  // namespace trestle::fem

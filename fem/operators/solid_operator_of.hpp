// SolidOperator for one dimension; included by the .cu files that instantiate it.
#pragma once

#include <algorithm>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "fem/cells/quadrature.hpp"
#include "fem/kernels/solid_kernels.hpp"
#include "fem/operators/cell_operator_of.hpp"
#include "fem/operators/solid_operator.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::fem {

template <int dim>
class SolidOperatorOf final : public CellOperator {
 public:
  SolidOperatorOf(const Discretisation& discretisation, const MaterialData& data,
                  std::span<const double> curves, Formulation formulation)
      : discretisation_(discretisation),
        data_(data),
        curves_(gpu::upload(discretisation.device(), curves, "materials")),
        formulation_(formulation) {
    const std::vector<double> table = gpu::download(data.table);
    for (std::size_t i = 0; i < table.size(); i += solid_parameter::count)
      laws_.insert(static_cast<Law>(static_cast<int>(table[i])));
    if (!laws_.contains(Law::j2_plasticity)) return;
    for (const EntityBlock& block : blocks()) {
      history_.emplace_back(device(), n_history * block.stiffness.n_points * block.n_entities,
                            "history");
      gpu::fill(device(), history_.back().view(), 0.0);
    }
  }

  int n_components() const override { return dim; }
  int width(CellQuantity quantity) const override { return n_values(of(quantity)); }
  bool linear() const override { return laws_ == std::set<Law>{Law::linear}; }
  bool symmetric() const override { return true; }

  void add_stiffness(const MatrixLayout& layout, const solver::Vector<double>& u,
                     const ThermalStrain& thermal,
                     solver::BlockMatrix<double>& matrix) const override {
    for (std::size_t b = 0; b < blocks().size(); ++b)
      with_capacity(b, [&]<int capacity>() {
        add_matrices<capacity>(b, cells(b, u, thermal), layout, matrix_view(matrix));
      });
  }

  void add_internal_force(const solver::Vector<double>& u, const ThermalStrain& thermal,
                          double factor, solver::Vector<double>& sum) const override {
    for (std::size_t b = 0; b < blocks().size(); ++b)
      with_capacity(b, [&]<int capacity>() {
        sum_over_chunks(discretisation_, blocks()[b], factor, sum,
                        [&](Offset first, gpu::View<double, 3> work) {
                          gpu::for_each(
                              device(), work.extent(0),
                              SolidForce<dim, capacity>{cells(b, u, thermal), work, first});
                        });
      });
  }

  void add_nodal(CellQuantity quantity, const solver::Vector<double>& u,
                 const ThermalStrain& thermal, const std::vector<Incidence>& rows,
                 gpu::Array<double>& sum) const override {
    for (std::size_t b = 0; b < blocks().size(); ++b) {
      const EntityBlock& block = blocks()[b];
      const gpu::Array<double> to_nodes = gpu::upload(
          device(), extrapolation(block.type, stiffness_quadrature(block.type)), "tabulation");
      const gpu::View<const double, 2> matrix(to_nodes.data(), block.n_nodes,
                                              block.stiffness.n_points);
      with_capacity(b, [&]<int capacity>() {
        gather_over_chunks(device(), block, rows[b], width(quantity), 1.0, sum.view(),
                           [&](Offset first, gpu::View<double, 3> work) {
                             gpu::for_each(
                                 device(), work.extent(0),
                                 SolidOutput<dim, capacity>{cells(b, u, thermal), of(quantity),
                                                            matrix, work, first});
                           });
      });
    }
  }

  gpu::Array<double> cell_integrals(CellQuantity quantity, const solver::Vector<double>& u,
                                    const ThermalStrain& thermal, std::size_t b) const override {
    const Offset n = blocks()[b].n_entities, n_out = width(quantity);
    gpu::Array<double> integrals(device(), n * n_out, "results");
    const gpu::View<double, 3> values(integrals.data(), n, 1, n_out);
    with_capacity(b, [&]<int capacity>() {
      gpu::for_each(device(), n,
                    SolidOutput<dim, capacity>{cells(b, u, thermal), of(quantity), {}, values, 0});
    });
    return integrals;
  }

  void accept(const solver::Vector<double>& u, const ThermalStrain& thermal) override {
    if (history_.empty()) return;
    for (std::size_t b = 0; b < blocks().size(); ++b)
      with_capacity(b, [&]<int capacity>() {
        gpu::for_each(device(), blocks()[b].n_entities,
                      AcceptState<dim, capacity>{cells(b, u, thermal)});
      });
  }

  std::span<gpu::Array<double>> history() override { return history_; }

  std::optional<CellFault> find_fault(const solver::Vector<double>& u) const override {
    constexpr GlobalIndex none = std::numeric_limits<GlobalIndex>::max();
    CellFault fault{none, 0, {}, 1};
    for (std::size_t b = 0; b < blocks().size(); ++b) {
      gpu::Array<double> least(device(), blocks()[b].n_entities, "results");
      with_capacity(b, [&]<int capacity>() {
        gpu::for_each(device(), least.size(),
                      LeastVolume<dim, capacity>{cells(b, u, {}), least.view()});
      });
      take_lowest(b, gpu::download(least), fault);
    }
    const Comm& comm = discretisation_.mesh().comm();
    const GlobalIndex lowest = comm.min(fault.cell);
    if (lowest == none) return {};
    std::vector<CellFault> mine;
    if (fault.cell == lowest) mine.push_back(fault);
    return comm.all_gather(std::span<const CellFault>(mine)).front();
  }

 private:
  const gpu::Device& device() const { return discretisation_.device(); }
  const std::vector<EntityBlock>& blocks() const { return discretisation_.blocks(); }

  SolidCells cells(std::size_t b, const solver::Vector<double>& u,
                   const ThermalStrain& thermal) const {
    const EntityBlock& block = blocks()[b];
    // Only AcceptState writes the history.
    double* history = history_.empty() ? nullptr : const_cast<double*>(history_[b].data());
    return {discretisation_.view(block, block.stiffness),
            data_.view(discretisation_, b),
            thermal_view(discretisation_, thermal, b),
            nodal(u),
            curves_.data(),
            {history, n_history, block.stiffness.n_points, block.n_entities},
            dilatation_modes(block.type, formulation_)};
  }
  static SolidQuantity of(CellQuantity quantity) {
    switch (quantity) {
      case CellQuantity::flux:
        return SolidQuantity::stress;
      case CellQuantity::strain:
        return SolidQuantity::strain;
      case CellQuantity::energy:
        return SolidQuantity::energy;
      default:
        return SolidQuantity::plastic_strain;
    }
  }
  /// Calls work.operator()<capacity>() with room for the nodes of the block's cells.
  template <class Work>
  void with_capacity(std::size_t b, const Work& work) const {
    constexpr int linear = dim == 2 ? 4 : 8, quadratic = dim == 2 ? 9 : 27;
    if (blocks()[b].n_nodes <= linear)
      work.template operator()<linear>();
    else
      work.template operator()<quadratic>();
  }

  template <int capacity>
  void add_matrices(std::size_t b, const SolidCells& cells, const MatrixLayout& layout,
                    const MatrixView& matrix) const {
    const EntityBlock& block = blocks()[b];
    const Offset n = block.n_nodes, per_cell = n * n * dim * dim;
    const Offset chunk =
        chunk_size(device(), block.n_entities, scatters(device()) ? per_cell : per_cell / 4);
    gpu::Array<double> work(device(), chunk * per_cell, "assembly workspace");
    gpu::Array<Offset> cursor(device(), block.around.n_rows(), "assembly workspace");
    gpu::for_each(device(), block.around.n_rows(),
                  StartGather{block.around.offsets.view(), cursor.view()});
    for (Offset first = 0; first < block.n_entities; first += chunk) {
      const Offset end = std::min(first + chunk, block.n_entities);
      const gpu::View<double, 4> matrices(work.data(), end - first, n, n, dim * dim);
      gpu::for_each(device(), end - first, SolidMatrix<dim, capacity>{cells, matrices, first});
      if (!scatters(device())) {
        gpu::for_each(device(), block.around.n_rows(),
                      GatherMatrices{block.around.view(), cursor.view(), matrices,
                                     places_of_block(layout, block, b), matrix, first, end});
        continue;
      }
      for (Offset i = 0; i < end - first; ++i)
        add_cell_matrix(matrix, cells.cells.nodes, first + i, &matrices(i, 0, 0, 0), dim * dim);
    }
  }

  void take_lowest(std::size_t b, const std::vector<double>& least, CellFault& fault) const {
    const mesh::CellBlock& block = discretisation_.mesh().cells[b];
    const int n_nodes = blocks()[b].n_nodes;
    for (std::size_t c = 0; c < least.size(); ++c) {
      if (block.owned[c] == 0 || least[c] > 0 || block.ids[c] >= fault.cell) continue;
      Vec3 centre{};
      for (int a = 0; a < n_nodes; ++a)
        centre += node_place(
            discretisation_.mesh(),
            block.nodes[c * static_cast<std::size_t>(n_nodes) + static_cast<std::size_t>(a)]);
      fault = {block.ids[c], block.tags[c], centre * (1.0 / n_nodes), least[c]};
    }
  }

  const Discretisation& discretisation_;
  const MaterialData& data_;
  gpu::Array<double> curves_;  // [point, 2]
  Formulation formulation_;
  std::set<Law> laws_;
  std::vector<gpu::Array<double>> history_;  // by block: [component][point][cell]
};

/// In a file of its own, as it takes long to compile.
std::unique_ptr<CellOperator> make_solid_operator_3d(const Discretisation& discretisation,
                                                     const MaterialData& data,
                                                     std::span<const double> curves,
                                                     Formulation formulation);

}  // namespace trestle::fem

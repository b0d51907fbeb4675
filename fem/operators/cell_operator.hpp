// CellOperator: everything that is integrated over cells, for a material chosen at run time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fem/expression.hpp"
#include "fem/matrix_layout.hpp"
#include "solver/matrix/vector.hpp"

namespace trestle::fem {

/// Materials of the cells of each block of a discretisation.
struct MaterialData {
  std::vector<gpu::ConstantArray<Index>> material;  // by block: [cell]
  gpu::Array<double> table;                         // [material, parameter]
  std::vector<gpu::Array<double>>
      field;  // by block: [cell, point, parameter] at the operator's rule, or empty
  int n_parameters;
  MaterialView view(const Discretisation& discretisation, std::size_t block) const;
};

/// Free thermal strain by block, [cell, point] at the stiffness rule; no blocks: none.
using ThermalStrain = std::vector<gpu::Array<double>>;

enum class CellQuantity { flux, strain, energy, plastic_strain };

/// A cell that a displacement turns inside out.
struct CellFault {
  GlobalIndex cell;  // canonical id
  std::int64_t tag;  // in the mesh file
  Vec3 centre;       // mean of its nodes, undeformed [m]
  double volume;     // the least volume ratio det F in it
};

class CellOperator {
 public:
  virtual ~CellOperator() = default;
  virtual int n_components() const = 0;
  /// Number of values of `quantity`; 0 where the material has none.
  virtual int width(CellQuantity quantity) const = 0;

  /// Whether the internal force is linear, so that the tangent does not depend on u.
  virtual bool linear() const = 0;
  virtual bool symmetric() const = 0;
  /// Whether u = 0 has no internal force but that of thermal strain.
  virtual bool homogeneous() const { return true; }

  /// matrix += K, the tangent of the internal force at u, whose ghosts are up to date; `layout` has
  /// the matrix's pattern. Where K is symmetric, the matrix must be so before.
  virtual void add_stiffness(const MatrixLayout& layout, const solver::Vector<double>& u,
                             const ThermalStrain& thermal,
                             solver::BlockMatrix<double>& matrix) const = 0;
  /// sum += factor * internal force of u at owned nodes; the ghosts of u are up to date.
  virtual void add_internal_force(const solver::Vector<double>& u, const ThermalStrain& thermal,
                                  double factor, solver::Vector<double>& sum) const = 0;
  /// sum[row, width] += the quantity at the nodes of cells, over the slots of `rows[block]`, in the
  /// order of cells.
  virtual void add_nodal(CellQuantity quantity, const solver::Vector<double>& u,
                         const ThermalStrain& thermal, const std::vector<Incidence>& rows,
                         gpu::Array<double>& sum) const = 0;
  /// The integral of the quantity over each cell of a block, [cell, width].
  virtual gpu::Array<double> cell_integrals(CellQuantity quantity, const solver::Vector<double>& u,
                                            const ThermalStrain& thermal,
                                            std::size_t block) const = 0;

  /// Ends a step at u, whose ghosts are up to date: points with a memory remember what they have
  /// come to. Forces and tangents start from there.
  virtual void accept(const solver::Vector<double>&, const ThermalStrain&) {}
  /// What the points of each block remember, [component][point][cell], ghost cells included; no
  /// blocks: nothing. Checkpoints read and write it.
  virtual std::span<gpu::Array<double>> history() { return {}; }
  /// The cell with the lowest canonical id that u turns inside out, the same on all ranks.
  /// Collective.
  virtual std::optional<CellFault> find_fault(const solver::Vector<double>&) const { return {}; }
};

/// The discretisation and the data must outlive the operator.
std::unique_ptr<CellOperator> make_conduction_operator(const Discretisation& discretisation,
                                                       const MaterialData& data);
/// `data` holds, at every point, conductivities and their slopes at the present temperature.
std::unique_ptr<CellOperator> make_temperature_conduction_operator(
    const Discretisation& discretisation, const MaterialData& data);
/// Flow through a porous medium: fem/materials/porous_flow.hpp.
std::unique_ptr<CellOperator> make_porous_flow_operator(const Discretisation& discretisation,
                                                        const MaterialData& data);
/// Advection, diffusion and reaction with streamline weighting: fem/materials/advection.hpp. The
/// rule of `data` is the load rule.
std::unique_ptr<CellOperator> make_advection_operator(const Discretisation& discretisation,
                                                      const MaterialData& data);
std::unique_ptr<CellOperator> make_elastic_operator(const Discretisation& discretisation,
                                                    const MaterialData& data);

/// sum [owned node, component] += integral of N_a times `density` times `components` over a block
/// of cells, at the load rule and `time`; the load is evaluated chunk by chunk. Throws
/// NumericalError (81) where a value is not finite.
void add_body_load(const Discretisation& discretisation, const EntityBlock& block,
                   std::span<const Expression> components, const Expression& density, double time,
                   solver::Vector<double>& sum);

}  // namespace trestle::fem

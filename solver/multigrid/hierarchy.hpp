// Hierarchy: the levels of smoothed aggregation and the V-cycle through them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solver/multigrid/coarse_solver.hpp"
#include "solver/multigrid/prolongation.hpp"
#include "solver/multigrid/smoother.hpp"
#include "solver/options.hpp"

namespace trestle::solver {

/// Whether a hierarchy keeps what `update` needs: the couplings, aggregates and tentative
/// prolongators of its levels.
enum class Updates { none, expected };

template <class Real>
class Hierarchy {
 public:
  /// Sets up all levels on the host [Vanek, Mandel, Brezina 1996] and sends them to the device.
  /// Throws NumericalError (80) on all ranks where a value on the coarsest level is not finite.
  /// Collective.
  Hierarchy(const gpu::Device& device, std::shared_ptr<const IndexMap> map,
            const BlockRowsOnHost& a, NearNull near_null, Updates updates = Updates::none,
            SetUpObserver observer = {});
  ~Hierarchy();
  Hierarchy(Hierarchy&&) noexcept;
  Hierarchy& operator=(Hierarchy&&) noexcept;

  /// Takes other values of the same pattern on the levels as they are: aggregates and near-null
  /// vectors stay, prolongators and coarse matrices are computed anew. False, with nothing done,
  /// where that was not expected, or where an entry that was dropped as negligible counts now.
  /// Throws as the constructor. Collective.
  bool update(const BlockRowsOnHost& a);

  /// x = M^-1 b: one V-cycle from zero. Queued where the coarsest level is. Collective.
  void cycle(const Vector<Real>& b, Vector<Real>& x);

  const std::vector<MultigridLevel>& levels() const { return sizes_; }
  /// What was found beyond the rule, or "".
  const std::string& remark() const { return remark_; }

 private:
  struct Level;
  /// Makes the levels from `rows` on. `matrix` holds what `rows` looks at, or is empty.
  void make_levels(const gpu::Device& device, std::shared_ptr<const IndexMap> map,
                   BlockRowsOnHost rows, LevelMatrix matrix, NearNull near_null, Updates updates);
  /// Solves the level directly where it is small enough; says whether it was.
  bool make_coarsest(const gpu::Device& device, const IndexMap& map, const BlockRowsOnHost& rows,
                     const NearNull& near_null);
  /// The cycle from a level on.
  void descend(std::size_t level, const Vector<Real>& b, Vector<Real>& x);

  SetUpObserver observer_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::unique_ptr<LevelMatrix> kept_;    // the pattern without negligible entries, or none
  std::unique_ptr<NearNull> near_null_;  // of the coarsest level, where updates are expected
  std::unique_ptr<CoarseSolver<Real>> coarsest_;
  std::vector<MultigridLevel> sizes_;
  std::string remark_;
};

extern template class Hierarchy<float>;
extern template class Hierarchy<double>;

}  // namespace trestle::solver

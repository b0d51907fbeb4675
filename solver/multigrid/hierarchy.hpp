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

template <class Real>
class Hierarchy {
 public:
  /// Sets up all levels on the host [Vanek, Mandel, Brezina 1996] and sends them to the device.
  /// Throws NumericalError (80) on all ranks where a value on the coarsest level is not finite.
  /// Collective.
  Hierarchy(const gpu::Device& device, std::shared_ptr<const IndexMap> map,
            const BlockRowsOnHost& a, NearNull near_null);
  ~Hierarchy();
  Hierarchy(Hierarchy&&) noexcept;

  /// x = M^-1 b: one V-cycle from zero. Queued where the coarsest level is. Collective.
  void cycle(const Vector<Real>& b, Vector<Real>& x);

  const std::vector<MultigridLevel>& levels() const { return sizes_; }
  /// What was found beyond the rule, or "".
  const std::string& remark() const { return remark_; }

 private:
  struct Level;
  /// Solves the level directly where it is small enough; says whether it was.
  bool make_coarsest(const gpu::Device& device, const IndexMap& map, const BlockRowsOnHost& rows,
                     const NearNull& near_null);
  /// The cycle from a level on.
  void descend(std::size_t level, const Vector<Real>& b, Vector<Real>& x);

  std::vector<std::unique_ptr<Level>> levels_;
  std::unique_ptr<CoarseSolver<Real>> coarsest_;
  std::vector<MultigridLevel> sizes_;
  std::string remark_;
};

extern template class Hierarchy<float>;
extern template class Hierarchy<double>;

}  // namespace trestle::solver

// Vector: values on nodes, owned and ghost, on one device.
#pragma once

#include <memory>

#include "core/index_map.hpp"
#include "gpu/array.hpp"

namespace trestle::solver {

/// [local node, block] entries: the unknowns of a node stand together; owned nodes first, then
/// ghosts.
template <class Real>
class Vector {
 public:
  Vector(const gpu::Device& device, std::shared_ptr<const IndexMap> map, int block,
         std::string item = "vectors");

  const IndexMap& map() const { return *map_; }
  const std::shared_ptr<const IndexMap>& shared_map() const { return map_; }
  int block() const { return block_; }
  const gpu::Device& device() const { return values_.device(); }
  /// Number of owned entries (not nodes).
  Offset n_owned() const { return static_cast<Offset>(map_->n_owned()) * block_; }
  Offset n_local() const { return static_cast<Offset>(map_->n_local()) * block_; }
  gpu::Array<Real>& values() { return values_; }
  const gpu::Array<Real>& values() const { return values_; }
  gpu::View<Real, 1> view() { return values_.view(); }
  gpu::View<const Real, 1> view() const { return values_.view(); }
  /// The owned entries alone.
  gpu::View<Real, 1> owned() { return {values_.data(), n_owned()}; }
  gpu::View<const Real, 1> owned() const { return {values_.data(), n_owned()}; }

 private:
  std::shared_ptr<const IndexMap> map_;
  int block_;
  gpu::Array<Real> values_;
};

extern template class Vector<float>;
extern template class Vector<double>;

}  // namespace trestle::solver

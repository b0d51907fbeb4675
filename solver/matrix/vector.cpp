#include "solver/matrix/vector.hpp"

namespace trestle::solver {

template <class Real>
Vector<Real>::Vector(const gpu::Device& device, std::shared_ptr<const IndexMap> map, int block,
                     std::string item)
    : map_(std::move(map)), block_(block), values_(device, n_local(), std::move(item)) {}

template class Vector<float>;
template class Vector<double>;

}  // namespace trestle::solver

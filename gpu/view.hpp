// View<T, rank>: a non-owning row-major array for kernels; bounds are checked in debug builds on
// the host.
#pragma once

#include <cassert>
#include <concepts>
#include <type_traits>

#include "core/types.hpp"
#include "gpu/macros.hpp"

namespace trestle::gpu {

/// Extents are [e0, e1, ...]; the last index runs fastest. Offsets are 64-bit.
template <class T, int rank_>
class View {
 public:
  static constexpr int rank = rank_;

  View() = default;
  template <class... Extents>
  requires(sizeof...(Extents) == rank_) TRESTLE_KERNEL View(T* data, Extents... extents)
      : data_(data), extents_{static_cast<Offset>(extents)...} {}
  /// A view of mutable entries is a view of constant ones.
  template <std::same_as<std::remove_const_t<T>> U>
  TRESTLE_KERNEL View(const View<U, rank_>& other) requires std::is_const_v<T>
      : data_(other.data()) {
    for (int d = 0; d < rank_; ++d) extents_[d] = other.extent(d);
  }

  template <class... Indices>
  requires(sizeof...(Indices) == rank_) TRESTLE_KERNEL T& operator()(Indices... indices) const {
    const Offset index[] = {static_cast<Offset>(indices)...};
    Offset at = 0;
    for (int d = 0; d < rank_; ++d) {
      assert(index[d] >= 0 && index[d] < extents_[d]);
      at = at * extents_[d] + index[d];
    }
    return data_[at];
  }
  TRESTLE_KERNEL T& operator[](Offset i) const requires(rank_ == 1) {
    assert(i >= 0 && i < extents_[0]);
    return data_[i];
  }

  TRESTLE_KERNEL T* data() const { return data_; }
  TRESTLE_KERNEL Offset extent(int d) const { return extents_[d]; }
  TRESTLE_KERNEL Offset size() const {
    Offset n = 1;
    for (int d = 0; d < rank_; ++d) n *= extents_[d];
    return n;
  }

 private:
  T* data_ = nullptr;
  Offset extents_[rank_] = {};
};

}  // namespace trestle::gpu

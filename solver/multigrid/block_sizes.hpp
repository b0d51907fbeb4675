// The block sizes that multigrid works with, as numbers that the compiler knows.
#pragma once

#include <string>
#include <type_traits>

#include "core/error.hpp"

namespace trestle::solver {

template <int n>
using BlockSize = std::integral_constant<int, n>;

/// Calls work(BlockSize<n>()) for n of 1, 2, 3 or 6; throws Error (70) for another one.
template <class Work>
void with_block_size(int n, const Work& work) {
  switch (n) {
    case 1:
      return work(BlockSize<1>());
    case 2:
      return work(BlockSize<2>());
    case 3:
      return work(BlockSize<3>());
    case 6:
      return work(BlockSize<6>());
    default:
      throw Error(ExitCode::bug, "multigrid: blocks of " + std::to_string(n) +
                                     " are not among those it knows: 1, 2, 3, 6");
  }
}

/// The smallest of 1, 2, 3 and 6 that is n or more; 0 where there is none.
constexpr int next_block_size(int n) {
  return n <= 0 ? 0 : n <= 3 ? n : n <= 6 ? 6 : 0;
}

}  // namespace trestle::solver

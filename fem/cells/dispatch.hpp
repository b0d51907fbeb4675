// From the number of nodes of a cell at run time to the template that is compiled for it.
#pragma once

#include <cstdlib>

namespace trestle::fem {

/// For two-dimensional cells.
struct Dispatch2d {
  /// Calls work.operator()<n>().
  template <class Work>
  static void call(int n_nodes, const Work& work) {
    switch (n_nodes) {
      case 3:
        return work.template operator()<3>();
      case 4:
        return work.template operator()<4>();
      case 6:
        return work.template operator()<6>();
      case 8:
        return work.template operator()<8>();
      case 9:
        return work.template operator()<9>();
      default:
        std::abort();
    }
  }
};

/// For three-dimensional cells.
struct Dispatch3d {
  /// Calls work.operator()<n>().
  template <class Work>
  static void call(int n_nodes, const Work& work) {
    switch (n_nodes) {
      case 4:
        return work.template operator()<4>();
      case 5:
        return work.template operator()<5>();
      case 6:
        return work.template operator()<6>();
      case 8:
        return work.template operator()<8>();
      case 10:
        return work.template operator()<10>();
      case 13:
        return work.template operator()<13>();
      case 14:
        return work.template operator()<14>();
      case 15:
        return work.template operator()<15>();
      case 18:
        return work.template operator()<18>();
      case 20:
        return work.template operator()<20>();
      case 27:
        return work.template operator()<27>();
      default:
        std::abort();
    }
  }
};

}  // namespace trestle::fem

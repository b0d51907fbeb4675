// Small columns that are orthonormal in a product given by a matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "solver/eigen/columns.hpp"

namespace trestle::solver {

/// Part of a direction, squared, below which it depends on the others.
constexpr double dependent_part = 1e-12;

/// Columns that become orthonormal, one after the other, in a product whose matrix is given by its
/// upper triangle [Gram-Schmidt, twice].
class Orthonormal {
 public:
  Orthonormal(const SmallMatrix& product, int capacity)
      : product_(product), columns_(product.n_rows, capacity), images_(product.n_rows, capacity) {}

  /// Appends what is left of x without its parts along the columns before, unless that is hardly
  /// anything.
  void append(std::vector<double> x) {
    const double before = square(x);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < n_; ++k) {
        double along = 0;
        for (int i = 0; i < rows(); ++i) along += images_(i, k) * x[static_cast<std::size_t>(i)];
        for (int i = 0; i < rows(); ++i) x[static_cast<std::size_t>(i)] -= along * columns_(i, k);
      }
    const double left = square(x);
    if (!(left > dependent_part * before)) return;
    for (double& value : x) value /= std::sqrt(left);
    const std::vector<double> image = image_of(x);
    for (int i = 0; i < rows(); ++i) {
      columns_(i, n_) = x[static_cast<std::size_t>(i)];
      images_(i, n_) = image[static_cast<std::size_t>(i)];
    }
    ++n_;
  }
  SmallMatrix columns() const { return columns_.part(0, n_); }

 private:
  int rows() const { return product_.n_rows; }
  std::vector<double> image_of(const std::vector<double>& x) const {
    std::vector<double> image(x.size(), 0.0);
    for (int j = 0; j < rows(); ++j)
      for (int i = 0; i < rows(); ++i)
        image[static_cast<std::size_t>(i)] +=
            product_(std::min(i, j), std::max(i, j)) * x[static_cast<std::size_t>(j)];
    return image;
  }
  double square(const std::vector<double>& x) const {
    const std::vector<double> image = image_of(x);
    return std::inner_product(x.begin(), x.end(), image.begin(), 0.0);
  }

  const SmallMatrix& product_;
  SmallMatrix columns_, images_;
  int n_ = 0;
};

}  // namespace trestle::solver

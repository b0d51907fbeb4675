#include "solver/matrix/rectangular_matrix.hpp"

#include "gpu/for_each.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::solver {
namespace {

using gpu::View;

struct AddProduct {
  View<const Offset, 1> owned_offsets, ghost_offsets;  // [row + 1]
  View<const Index, 1> columns;                        // [entry]
  View<const double, 1> values;                        // [entry, r, c]
  int r, c;
  double factor;
  View<const double, 1> x;  // [local node, c]
  View<double, 1> y;        // [row, r]

  TRESTLE_KERNEL void operator()(Offset row) const {
    for (int i = 0; i < r; ++i) {
      const double sum = part(owned_offsets, row, i) + part(ghost_offsets, row, i);
      y[row * r + i] += factor * sum;
    }
  }

 private:
  TRESTLE_KERNEL double part(View<const Offset, 1> offsets, Offset row, int i) const {
    double sum = 0;
    for (Offset e = offsets[row]; e < offsets[row + 1]; ++e)
      for (int j = 0; j < c; ++j)
        sum += values[(e * r + i) * c + j] * x[static_cast<Offset>(columns[e]) * c + j];
    return sum;
  }
};

}  // namespace

RectangularMatrix::RectangularMatrix(const gpu::Device& device,
                                     std::shared_ptr<const Pattern> pattern, int rows, int columns)
    : pattern_(std::move(pattern)),
      rows_(rows),
      columns_(columns),
      on_device_{{device, std::span(pattern_->owned_offsets), "matrix"},
                 {device, std::span(pattern_->ghost_offsets), "matrix"},
                 {device, std::span(pattern_->columns), "matrix"}},
      values_(device, pattern_->n_entries() * rows * columns, "matrix") {
  gpu::fill(device, values_.view(), 0.0);
}

void RectangularMatrix::add_product(double factor, const Vector<double>& x,
                                    Vector<double>& y) const {
  gpu::for_each(values_.device(), pattern_->map->n_owned(),
                AddProduct{on_device_.owned_offsets.view(), on_device_.ghost_offsets.view(),
                           on_device_.columns.view(), values_.view(), rows_, columns_, factor,
                           x.view(), y.view()});
}

}  // namespace trestle::solver

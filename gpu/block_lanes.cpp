#include "gpu/block_lanes.hpp"

#include <cstring>

#include "gpu/fetch.hpp"

namespace trestle::gpu {
namespace {

/// The nine products of each block with x, summed over the entries of a block row; rows of values
/// are added up only at the end.
template <class Real>
class BlockSums;

template <>
class BlockSums<double> {
 public:
  void add(const double* a, const double* x) {
    const Part of_x{x[0], x[1], x[2], x[0]};
    first_ += load(a) * of_x;
    second_ += load(a + 4) * __builtin_shuffle(of_x, Order{1, 2, 0, 1});
    last_ += a[8] * x[2];
  }
  void add(const BlockSums& other) {
    first_ += other.first_;
    second_ += other.second_;
    last_ += other.last_;
  }
  void rows(double* sum) const {
    sum[0] = first_[0] + first_[1] + first_[2];
    sum[1] = first_[3] + second_[0] + second_[1];
    sum[2] = second_[2] + second_[3] + last_;
  }

 private:
  using Part = double __attribute__((vector_size(32)));
  using Order = long long __attribute__((vector_size(32)));
  static Part load(const double* four) {
    Part part;
    std::memcpy(&part, four, sizeof part);
    return part;
  }
  Part first_{}, second_{};
  double last_ = 0;
};

template <>
class BlockSums<float> {
 public:
  void add(const float* a, const float* x) {
    Part first;
    std::memcpy(&first, a, sizeof first);
    first_ += first * Part{x[0], x[1], x[2], x[0], x[1], x[2], x[0], x[1]};
    last_ += a[8] * x[2];
  }
  void add(const BlockSums& other) {
    first_ += other.first_;
    last_ += other.last_;
  }
  void rows(float* sum) const {
    sum[0] = first_[0] + first_[1] + first_[2];
    sum[1] = first_[3] + first_[4] + first_[5];
    sum[2] = first_[6] + first_[7] + last_;
  }

 private:
  using Part = float __attribute__((vector_size(32)));
  Part first_{};
  float last_ = 0;
};

/// y = A x (+ y). As in BlockRowProduct two sums, of even and of odd entries.
template <class Real, bool add>
struct BlockLanesProduct {
  static constexpr Offset ahead = 2048 / sizeof(Real);

  BlockRows<Real> matrix;
  View<const Real, 1> x;
  View<Real, 1> y;

  void operator()() const {
    for (Offset row = 0; row < matrix.n_rows; ++row) {
      BlockSums<Real> even, odd;
      const Offset end = matrix.offsets[row + 1];
      Offset e = matrix.offsets[row];
      for (; e + 1 < end; e += 2) {
        add_entry(e, even);
        add_entry(e + 1, odd);
      }
      if (e < end) add_entry(e, even);
      even.add(odd);
      Real sum[3];
      even.rows(sum);
      for (int i = 0; i < 3; ++i) {
        Real& out = y[row * 3 + i];
        out = (add ? out : Real{0}) + sum[i];
      }
    }
  }
  void add_entry(Offset entry, BlockSums<Real>& sums) const {
    const Real* block = matrix.values.data() + entry * 9;
    TRESTLE_FETCH(block + ahead);
    sums.add(block, x.data() + static_cast<Offset>(matrix.columns[entry]) * 3);
  }
};

}  // namespace

template <class Real>
void multiply_in_lanes(const Device& device, const BlockRows<Real>& a, View<const Real, 1> x,
                       View<Real, 1> y, bool add) {
  if (add)
    device.enqueue(BlockLanesProduct<Real, true>{a, x, y});
  else
    device.enqueue(BlockLanesProduct<Real, false>{a, x, y});
}

template void multiply_in_lanes(const Device&, const BlockRows<float>&, View<const float, 1>,
                                View<float, 1>, bool);
template void multiply_in_lanes(const Device&, const BlockRows<double>&, View<const double, 1>,
                                View<double, 1>, bool);

}  // namespace trestle::gpu

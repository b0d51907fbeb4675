// Block operators over two fields and their solution by field split, against whole host products.
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/vector_ops.hpp"
#include "solver/block_solver.hpp"
#include "solver/krylov/inner_product.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "solver/matrix/rectangular_matrix.hpp"
#include "tests/solver/solving.hpp"

namespace trestle::test {
namespace {

constexpr GlobalIndex n = 8;  // points along a side

const Model& of_pairs() {
  static const Model model = laplacian_2d(n, 2, {2, 0.5, 0.5, 1});
  return model;
}
const Model& of_scalars() {
  static const Model model = laplacian_2d(n);
  return model;
}

/// An entry of the 2 x 1 coupling of a pair in row `i` with the scalar of `j`; not symmetric.
double entry(GlobalIndex i, GlobalIndex j, int component) {
  return 0.02 * std::sin(static_cast<double>(3 * i + 7 * j + 5 * component));
}

/// `r` x `c` blocks with entry(row, column, component), or with `transposed` entry(column, row, .).
std::shared_ptr<solver::RectangularMatrix> coupling_matrix(
    const gpu::Device& device, const std::shared_ptr<const solver::Pattern>& pattern,
    bool transposed) {
  auto matrix = std::make_shared<solver::RectangularMatrix>(device, pattern, transposed ? 1 : 2,
                                                            transposed ? 2 : 1);
  const auto ids = pattern->map->ids();
  const auto values = gpu::write(matrix->values());
  for (const auto* offsets : {&pattern->owned_offsets, &pattern->ghost_offsets})
    for (std::size_t row = 0; row + 1 < offsets->size(); ++row)
      for (Offset e = (*offsets)[row]; e < (*offsets)[row + 1]; ++e) {
        const GlobalIndex i = ids[row];
        const GlobalIndex j =
            ids[static_cast<std::size_t>(pattern->columns[static_cast<std::size_t>(e)])];
        for (int d = 0; d < 2; ++d)
          values[2 * e + d] = transposed ? entry(j, i, d) : entry(i, j, d);
      }
  return matrix;
}

class MatrixCoupling final : public solver::Coupling {
 public:
  explicit MatrixCoupling(std::shared_ptr<const solver::RectangularMatrix> matrix)
      : matrix_(std::move(matrix)) {}
  void add(const solver::Vector<double>& x, solver::Vector<double>& y) const override {
    matrix_->add_product(1, x, y);
  }

 private:
  std::shared_ptr<const solver::RectangularMatrix> matrix_;
};

/// A x of the whole system on the host, with the values of a node together.
std::vector<double> multiply_whole(const std::vector<double>& x) {
  std::vector<double> pairs, scalars;
  for (std::size_t k = 0; k < x.size(); k += 3) {
    pairs.insert(pairs.end(), {x[k], x[k + 1]});
    scalars.push_back(x[k + 2]);
  }
  const std::vector<double> a = multiply(of_pairs(), pairs), b = multiply(of_scalars(), scalars);
  std::vector<double> y(x.size());
  for (GlobalIndex i = 0; i < of_scalars().n_nodes; ++i) {
    const auto at = static_cast<std::size_t>(i);
    y[3 * at] = a[2 * at], y[3 * at + 1] = a[2 * at + 1], y[3 * at + 2] = b[at];
    for (const auto& [j, block] : of_scalars().row(i))
      for (int d = 0; d < 2; ++d) {
        const auto k = static_cast<std::size_t>(d), column = static_cast<std::size_t>(j);
        y[3 * at + k] += entry(i, j, d) * scalars[column];
        y[3 * at + 2] += entry(j, i, d) * pairs[2 * column + k];
      }
  }
  return y;
}

class BlockSystemTest : public OnEachDevice {
 protected:
  void make() {
    pairs_ = make_matrix<double>(device(), world(), of_pairs());
    scalars_ = make_matrix<double>(device(), world(), of_scalars());
    force_ = std::make_shared<const MatrixCoupling>(
        coupling_matrix(device(), scalars_->shared_pattern(), false));
    source_ = std::make_shared<const MatrixCoupling>(
        coupling_matrix(device(), scalars_->shared_pattern(), true));
  }
  solver::MatrixTraits traits(int block) const {
    solver::MatrixTraits traits;
    traits.dim = 2;
    const auto n_owned = static_cast<std::size_t>(scalars_->pattern().map->n_owned());
    for (int k = 0; k < block; ++k) {
      std::vector<double> constant(n_owned * static_cast<std::size_t>(block), 0.0);
      for (std::size_t i = 0; i < n_owned; ++i)
        constant[i * static_cast<std::size_t>(block) + static_cast<std::size_t>(k)] = 1;
      traits.near_null.push_back(std::move(constant));
    }
    return traits;
  }
  solver::Vector<double> wave() const {
    return make_vector(device(), scalars_->pattern().map, 3, [](GlobalIndex node, int d) {
      return std::cos(static_cast<double>(2 * node + d));
    });
  }

  std::shared_ptr<solver::BlockMatrix<double>> pairs_, scalars_;
  std::shared_ptr<const solver::Coupling> force_, source_;
};
TRESTLE_ON_EACH_DEVICE(BlockSystemTest);

TEST_P(BlockSystemTest, ProductIsThatOfTheWholeMatrix) {
  make();
  solver::BlockOperator a({std::make_shared<const solver::MatrixOperator<double>>(pairs_),
                           std::make_shared<const solver::MatrixOperator<double>>(scalars_)});
  a.couple(0, 1, force_);
  a.couple(1, 0, source_);
  solver::Vector<double> x = wave(), y = a.make_vector("vectors");
  a.apply(x, y);
  // Sums of some ten products of size 1 in another order.
  EXPECT_LT(largest_difference(gather(y), multiply_whole(gather(x))), 1e-13);
}

TEST_P(BlockSystemTest, FieldsCanBeTakenAndPutBack) {
  make();
  const solver::FieldLayout layout{{2, 1}};
  const solver::Vector<double> x = wave();
  solver::Vector<double> back(device(), x.shared_map(), 3);
  for (int k = 0; k < 2; ++k) {
    solver::Vector<double> field(device(), x.shared_map(), layout.components[k == 0 ? 0 : 1]);
    solver::take_field(layout, k, x, field);
    solver::put_field(layout, k, field, back);
  }
  EXPECT_EQ(gather(back), gather(x));
}

TEST_P(BlockSystemTest, FieldSplitSolvesTheWholeSystem) {
  make();
  for (const auto preconditioner :
       {solver::Preconditioner::automatic, solver::Preconditioner::jacobi}) {
    solver::SolverOptions options;
    options.preconditioner = preconditioner;
    solver::BlockSolver solver(options, {{pairs_, traits(2)}, {scalars_, traits(1)}},
                               {{0, 1, force_}, {1, 0, source_}});
    const solver::Vector<double> b = wave();
    solver::Vector<double> x(device(), b.shared_map(), 3);
    const solver::SolveResult result = solver.solve(1e-10, b, x);
    ASSERT_TRUE(result.converged) << result.message;
    const std::vector<double> whole = gather(b), product = multiply_whole(gather(x));
    double residual = 0, size = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      residual += std::pow(whole[i] - product[i], 2);
      size += whole[i] * whole[i];
    }
    EXPECT_LE(std::sqrt(residual / size), 1.01e-10);
    EXPECT_EQ(result.preconditioner, preconditioner == solver::Preconditioner::jacobi
                                         ? "field_split (block_jacobi, jacobi)"
                                         : "field_split (amg, amg)");
  }
}

TEST_P(BlockSystemTest, ScalesOfRowsLeaveTheSolutionWhereItIs) {
  make();
  solver::BlockSolver solver({}, {{pairs_, traits(2)}, {scalars_, traits(1)}},
                             {{0, 1, force_}, {1, 0, source_}});
  const double of_pairs = 8, of_scalars = 0.25;  // powers of two: products are the same bits
  const solver::Vector<double> b = wave();
  const solver::Vector<double> scaled =
      make_vector(device(), b.shared_map(), 3, [&](GlobalIndex node, int d) {
        return (d < 2 ? of_pairs : of_scalars) * std::cos(static_cast<double>(2 * node + d));
      });
  solver::Vector<double> x(device(), b.shared_map(), 3), y(device(), b.shared_map(), 3);
  ASSERT_TRUE(solver.solve(1e-12, b, x).converged);
  solver.set_row_scales({of_pairs, of_scalars});
  ASSERT_TRUE(solver.solve(1e-12, scaled, y).converged);
  // Both residuals are 1e-12 of a right side of norm 14 at most, the scaled one 32 times more in
  // the scalars; the norm of the inverse is below 1 / (0.19 - 0.14).
  EXPECT_LT(largest_difference(gather(x), gather(y)), 1e-12 * 14 * 32 * 20);
}

}  // namespace
}  // namespace trestle::test

// Inverses of small symmetric matrices, regular, singular and indefinite.
#include "solver/multigrid/dense_inverse.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/error.hpp"

namespace trestle::solver {
namespace {

TEST(DenseInverseTest, ARegularMatrixGivesItsInverseWhateverTheScaleOfItsRows) {
  // d A d with d = (1, 1e6) and A = [2 1; 1 2]: the inverse is d^-1 [2 -1; -1 2] / 3 d^-1.
  const DenseInverse inverse = invert_symmetric({2, 1e6, 1e6, 2e12}, 2);
  EXPECT_EQ(inverse.n_zero + inverse.n_negative, 0);
  EXPECT_NEAR(inverse.values[0], 2.0 / 3, 1e-14);
  EXPECT_NEAR(inverse.values[1], -1e-6 / 3, 1e-20);
  EXPECT_NEAR(inverse.values[2], -1e-6 / 3, 1e-20);
  EXPECT_NEAR(inverse.values[3], 2e-12 / 3, 1e-26);
}

TEST(DenseInverseTest, ASingularMatrixGivesItsPseudoInverse) {
  // Two points joined by a spring: A = [1 -1; -1 1], A+ = A / 4.
  const DenseInverse inverse = invert_symmetric({1, -1, -1, 1}, 2);
  EXPECT_EQ(inverse.n_zero, 1);
  const std::vector<double> want{0.25, -0.25, -0.25, 0.25};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(inverse.values[i], want[i], 1e-14);
}

TEST(DenseInverseTest, NegativeEigenvaluesAreCountedAndTakenByTheirSize) {
  // Eigenvalues 3 and -1: the inverse of the matrix with 3 and 1 is [2 -1; -1 2] / 3.
  const DenseInverse inverse = invert_symmetric({1, 2, 2, 1}, 2);
  EXPECT_EQ(inverse.n_negative, 1);
  const std::vector<double> want{2.0 / 3, -1.0 / 3, -1.0 / 3, 2.0 / 3};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(inverse.values[i], want[i], 1e-14);
}

TEST(DenseInverseTest, AValueThatIsNotFiniteIsNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(invert_symmetric({1, nan, nan, 1}, 2)), NumericalError);
}

}  // namespace
}  // namespace trestle::solver

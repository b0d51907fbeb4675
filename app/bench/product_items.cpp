#include <fmt/format.h>

#include "app/bench/problem.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/matrix/matrix_operator.hpp"
#include "solver/multigrid/level_operator.hpp"

namespace trestle::app {
namespace {

/// y = A x in one format.
template <class Real>
struct Product {
  explicit Product(std::unique_ptr<solver::Operator<Real>> a)
      : op(std::move(a)), x(op->make_vector("bench")), y(op->make_vector("bench")) {
    gpu::fill(op->device(), x.view(), 1.0);
  }
  std::unique_ptr<solver::Operator<Real>> op;
  solver::Vector<Real> x, y;
};

/// Of block CSR, every entry once and vectors once.
template <class Real>
double model_bytes(const BenchProblem& problem) {
  const solver::BlockMatrix<double>& a = *problem.matrix;
  const auto rows = static_cast<double>(a.pattern().map->n_owned());
  return static_cast<double>(a.values().size()) * sizeof(Real) +
         static_cast<double>(a.pattern().n_entries()) * sizeof(Index) + 4 * rows +
         2 * rows * a.block() * sizeof(Real);
}

template <class Real>
BenchItem item_of(const BenchProblem& problem, const std::string& format,
                  std::unique_ptr<solver::Operator<Real>> a, double matrix_bytes) {
  const char* precision = sizeof(Real) == sizeof(float) ? "float" : "double";
  std::shared_ptr<Product<Real>> product;
  a->comm().agree([&] { product = std::make_shared<Product<Real>>(std::move(a)); });
  const double vector_bytes =
      static_cast<double>(product->x.n_local() + product->y.n_owned()) * sizeof(Real);
  return {.name = fmt::format("{}_{}_{}", problem.name, format, precision),
          .unit = "unknowns",
          .n = problem.n_unknowns(),
          .formula =
              fmt::format("{} values + 4 columns + 4 rows + {} n", sizeof(Real), 2 * sizeof(Real)),
          .model_bytes = model_bytes<Real>(problem),
          .counted_bytes = matrix_bytes + vector_bytes,
          .run = [product] { product->op->apply(product->x, product->y); }};
}

template <class Real>
BenchItem csr_item(const BenchProblem& problem) {
  const Comm& comm = problem.analysis->mesh().comm();
  std::shared_ptr<const solver::BlockMatrix<Real>> matrix;
  if constexpr (std::is_same_v<Real, double>)
    matrix = problem.matrix;
  else
    comm.agree([&] { matrix = std::make_shared<solver::BlockMatrix<Real>>(*problem.matrix); });
  const IndexMap& map = *matrix->pattern().map;
  const auto rows = static_cast<double>(map.n_owned());
  double bytes = static_cast<double>(matrix->values().bytes()) +
                 static_cast<double>(matrix->pattern().n_entries()) * sizeof(Index) + 8 * rows;
  if (map.n_ghosts() > 0)  // their columns are a second product, added to y
    bytes += 8 * rows + 2 * rows * matrix->block() * sizeof(Real);
  const std::string format = matrix->block() == 1 ? "csr" : fmt::format("block{}", matrix->block());
  return item_of<Real>(problem, format, std::make_unique<solver::MatrixOperator<Real>>(matrix),
                       bytes);
}

template <class Real>
BenchItem sell_item(const BenchProblem& problem) {
  const solver::Pattern& pattern = problem.matrix->pattern();
  std::unique_ptr<solver::SellMatrix<Real>> matrix;
  pattern.map->comm().agree([&] {
    const auto values = gpu::read(problem.matrix->values());
    matrix = std::make_unique<solver::SellMatrix<Real>>(
        problem.matrix->device(),
        solver::LevelMatrix::rows_of(pattern, problem.matrix->block(), values.span()), "bench");
  });
  const auto bytes = static_cast<double>(matrix->bytes());
  return item_of<Real>(
      problem, "sell",
      std::make_unique<solver::LevelOperator<Real>>(pattern.map, std::move(*matrix)), bytes);
}

}  // namespace

BenchItems product_items(const BenchProblem& problem) {
  return {csr_item<double>(problem), csr_item<float>(problem), sell_item<double>(problem),
          sell_item<float>(problem)};
}

}  // namespace trestle::app

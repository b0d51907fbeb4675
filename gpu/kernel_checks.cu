#include "gpu/kernel_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "gpu/array.hpp"
#include "gpu/halo.hpp"
#include "gpu/reduce.hpp"
#include "gpu/sparse.hpp"
#include "gpu/vector_ops.hpp"

namespace trestle::gpu {
namespace {

constexpr Offset n_values = 100003;
constexpr double float_rounding = std::numeric_limits<float>::epsilon();
constexpr double double_rounding = std::numeric_limits<double>::epsilon();

template <class Real>
double rounding() {
  return std::is_same_v<Real, float> ? float_rounding : double_rounding;
}
template <class Real>
std::string type_name() {
  return std::is_same_v<Real, float> ? "float" : "double";
}

/// `n` values in [0.5, 1.5): sums of them do not cancel.
template <class Real>
std::vector<Real> random_values(Offset n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  std::vector<Real> values(static_cast<std::size_t>(n));
  for (Real& v : values) v = static_cast<Real>(uniform(generator));
  return values;
}

template <class Real>
std::vector<double> to_host(const Array<Real>& array) {
  const auto values = read(array);
  return {values.begin(), values.end()};
}

/// `compute(device)` returns its result as doubles on the host.
template <class Compute>
KernelCheck check(std::string name, const Device& device, double allowed, const Compute& compute) {
  return compare_with_cpu(std::move(name), compute(make_cpu_device()), compute(device), allowed);
}

struct Entry {
  View<const double, 1> x;
  TRESTLE_KERNEL double operator()(Offset i) const { return x[i]; }
};

void check_reductions(const Device& device, std::vector<KernelCheck>& rows) {
  const std::vector<double> values = random_values<double>(n_values, 1);
  const double rounding_of_sums = 1024 * double_rounding;  // longer than any chain of additions
  rows.push_back(check("sum", device, rounding_of_sums, [&](const Device& on) {
    const Array<double> x = upload(on, values, "selftest");
    return std::vector<double>{sum(on, x.size(), Entry{x.view()})};
  }));
  rows.push_back(check("maximum", device, 0, [&](const Device& on) {
    const Array<double> x = upload(on, values, "selftest");
    return std::vector<double>{maximum(on, x.size(), Entry{x.view()})};
  }));
}

template <class Real>
void check_vector(const Device& device, std::vector<KernelCheck>& rows) {
  const std::vector<Real> x_host = random_values<Real>(n_values, 2);
  const std::vector<Real> y_host = random_values<Real>(n_values, 3);
  const std::string type = " " + type_name<Real>();
  rows.push_back(check("fill" + type, device, 0, [&](const Device& on) {
    Array<Real> x(on, n_values, "selftest");
    fill(on, x.view(), 1.25);
    return to_host(x);
  }));
  // A GPU may contract a x + y to one rounding instead of two.
  rows.push_back(check("axpy" + type, device, 2 * rounding<Real>(), [&](const Device& on) {
    const Array<Real> x = upload(on, x_host, "selftest");
    Array<Real> y = upload(on, y_host, "selftest");
    axpy(on, 0.3, x.view(), y.view());
    return to_host(y);
  }));
  rows.push_back(check("scale" + type, device, 0, [&](const Device& on) {
    Array<Real> x = upload(on, x_host, "selftest");
    scale(on, 0.3, x.view());
    return to_host(x);
  }));
  rows.push_back(check("dot" + type, device, 1024 * double_rounding, [&](const Device& on) {
    const Array<Real> x = upload(on, x_host, "selftest");
    const Array<Real> y = upload(on, y_host, "selftest");
    return std::vector<double>{dot(on, x.view(), y.view())};
  }));
}

template <class From, class To>
void check_conversion(const Device& device, std::vector<KernelCheck>& rows) {
  const std::vector<From> values = random_values<From>(n_values, 4);
  rows.push_back(check("copy " + type_name<From>() + " to " + type_name<To>(), device, 0,
                       [&](const Device& on) {
                         const Array<From> x = upload(on, values, "selftest");
                         Array<To> y(on, n_values, "selftest");
                         copy(on, x.view(), y.view());
                         return to_host(y);
                       }));
}

void check_mixed_axpy(const Device& device, std::vector<KernelCheck>& rows) {
  rows.push_back(check("axpy float to double", device, 2 * double_rounding, [](const Device& on) {
    const Array<float> x = upload(on, random_values<float>(n_values, 5), "selftest");
    Array<double> y = upload(on, random_values<double>(n_values, 6), "selftest");
    axpy(on, 0.3, x.view(), y.view());
    return to_host(y);
  }));
}

/// Each rank owns 1000 nodes and holds every third one of the next rank (of itself where it is
/// alone) as a ghost.
std::shared_ptr<const IndexMap> ring_map(const Comm& comm) {
  constexpr GlobalIndex n = 1000;
  const int next = (comm.rank() + 1) % comm.size();
  std::vector<GlobalIndex> owned, ghosts;
  for (GlobalIndex i = 0; i < n; ++i) {
    owned.push_back(comm.rank() * n + i);
    if (i % 3 == 0) ghosts.push_back(next * n + i);
  }
  const std::vector<int> owners(ghosts.size(), next);
  return std::make_shared<const IndexMap>(comm, std::move(owned), ghosts, owners);
}

template <class Real>
void check_halo(const Device& device, const std::shared_ptr<const IndexMap>& map,
                std::vector<KernelCheck>& rows) {
  constexpr int block = 3;
  const auto values = random_values<Real>(Offset{map->n_local()} * block,
                                          7 + static_cast<unsigned>(map->comm().rank()));
  rows.push_back(check("halo " + type_name<Real>(), device, 0, [&](const Device& on) {
    Array<Real> x = upload(on, values, "selftest");
    Halo halo(on, map, block);
    halo.update(x.view());
    return to_host(x);
  }));
}

/// 27 blocks in a row, as on a structured mesh of hexahedra.
struct TestMatrix {
  static constexpr Offset n_rows = 5000;
  static constexpr Offset row_length = 27;
  std::vector<Offset> offsets;
  std::vector<Index> columns;

  TestMatrix() {
    for (Offset i = 0; i <= n_rows; ++i) offsets.push_back(i * row_length);
    for (Offset i = 0; i < n_rows; ++i) {
      std::vector<Index> row;
      for (Offset k = 0; k < row_length; ++k)
        row.push_back(static_cast<Index>((i + k * k * 7) % n_rows));
      std::sort(row.begin(), row.end());
      columns.insert(columns.end(), row.begin(), row.end());
    }
  }
};

template <class MatrixReal, class VectorReal>
std::string check_product(const Device& device, int block, ProductChoice choice,
                          std::vector<KernelCheck>& rows) {
  const TestMatrix a;
  const auto values =
      random_values<MatrixReal>(static_cast<Offset>(a.columns.size()) * block * block, 8);
  const auto x_host = random_values<VectorReal>(TestMatrix::n_rows * block, 9);
  std::string algorithm;
  const double n_terms = static_cast<double>(TestMatrix::row_length * block);
  rows.push_back(check("", device, 2 * n_terms * rounding<VectorReal>(), [&](const Device& on) {
    const Array<Offset> offsets = upload(on, a.offsets, "selftest");
    const Array<Index> columns = upload(on, a.columns, "selftest");
    const Array<MatrixReal> entries = upload(on, values, "selftest");
    const Array<VectorReal> x = upload(on, x_host, "selftest");
    Array<VectorReal> y(on, x.size(), "selftest");
    const SparseProduct<MatrixReal, VectorReal> product(
        on,
        {TestMatrix::n_rows, TestMatrix::n_rows, block, offsets.view(), columns.view(),
         entries.view()},
        choice);
    product.apply(x.view(), y.view(), false);
    product.apply(x.view(), y.view(), true);
    algorithm = product.algorithm();
    return to_host(y);
  }));
  rows.back().name = "product of " + std::to_string(block) + " x " + std::to_string(block) +
                     " blocks, " + type_name<MatrixReal>() + " by " + type_name<VectorReal>() +
                     ", " + algorithm;
  return algorithm;
}

template <class MatrixReal, class VectorReal>
void check_products(const Device& device, std::vector<KernelCheck>& rows) {
  for (int block : {1, 2, 3, 6}) {
    check_product<MatrixReal, VectorReal>(device, block, ProductChoice::own, rows);
    if (device.kind() == DeviceKind::cuda && std::is_same_v<MatrixReal, VectorReal> &&
        check_product<MatrixReal, VectorReal>(device, block, ProductChoice::best, rows) == "own")
      rows.pop_back();
  }
}

}  // namespace

KernelCheck compare_with_cpu(std::string name, std::span<const double> cpu,
                             std::span<const double> device, double allowed) {
  KernelCheck row{std::move(name), std::numeric_limits<double>::infinity(), allowed, false};
  if (cpu.size() != device.size()) return row;
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    const double d = std::abs(cpu[i] - device[i]);
    if (!(d <= std::numeric_limits<double>::max())) return row;
    difference = std::max(difference, d);
    size = std::max(size, std::abs(cpu[i]));
  }
  row.max_relative_difference = size > 0 ? difference / size : difference;
  row.ok = row.max_relative_difference <= allowed;
  return row;
}

std::vector<KernelCheck> check_kernels(const Device& device, const Comm& comm) {
  std::vector<KernelCheck> rows;
  check_reductions(device, rows);
  check_vector<float>(device, rows);
  check_vector<double>(device, rows);
  check_conversion<float, float>(device, rows);
  check_conversion<double, double>(device, rows);
  check_conversion<float, double>(device, rows);
  check_conversion<double, float>(device, rows);
  check_mixed_axpy(device, rows);
  const auto map = ring_map(comm);
  check_halo<float>(device, map, rows);
  check_halo<double>(device, map, rows);
  check_products<float, float>(device, rows);
  check_products<double, double>(device, rows);
  check_products<float, double>(device, rows);
  return rows;
}

}  // namespace trestle::gpu

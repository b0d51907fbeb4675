#include "solver/matrix/block_system.hpp"

#include <numeric>

#include "core/error.hpp"
#include "gpu/for_each.hpp"
#include "gpu/vector_ops.hpp"
#include "solver/krylov/inner_product.hpp"

namespace trestle::solver {
namespace {

/// to[node, to_first + d] = from[node, from_first + d] for d < n.
struct CopyComponents {
  gpu::View<const double, 1> from;
  int from_block, from_first;
  gpu::View<double, 1> to;
  int to_block, to_first;
  int n;

  TRESTLE_KERNEL void operator()(Offset node) const {
    for (int d = 0; d < n; ++d)
      to[node * to_block + to_first + d] = from[node * from_block + from_first + d];
  }
};

}  // namespace

int FieldLayout::total() const { return std::accumulate(components.begin(), components.end(), 0); }

int FieldLayout::first(int field) const {
  return std::accumulate(components.begin(), components.begin() + field, 0);
}

void take_field(const FieldLayout& layout, int field, const Vector<double>& all,
                Vector<double>& values) {
  gpu::for_each(all.device(), all.map().n_local(),
                CopyComponents{all.view(), all.block(), layout.first(field), values.view(),
                               values.block(), 0, values.block()});
}

void put_field(const FieldLayout& layout, int field, const Vector<double>& values,
               Vector<double>& all) {
  gpu::for_each(all.device(), all.map().n_local(),
                CopyComponents{values.view(), values.block(), 0, all.view(), all.block(),
                               layout.first(field), values.block()});
}

BlockOperator::BlockOperator(std::vector<std::shared_ptr<const Operator<double>>> diagonal)
    : diagonal_(std::move(diagonal)) {
  for (const auto& a : diagonal_) layout_.components.push_back(a->block());
  scales_.assign(diagonal_.size(), 1.0);
  comm().agree([&] {
    x_ = make_fields("krylov vectors");
    y_ = make_fields("krylov vectors");
  });
}

void BlockOperator::couple(int i, int j, std::shared_ptr<const Coupling> coupling) {
  require(i != j, ExitCode::bug, "a coupling stands beside the diagonal");
  couplings_.push_back({i, j, std::move(coupling)});
}

std::vector<Vector<double>> BlockOperator::make_fields(const std::string& item) const {
  std::vector<Vector<double>> fields;
  for (const int n : layout_.components) {
    fields.emplace_back(device(), shared_map(), n, item);
    gpu::fill(device(), fields.back().view(), 0.0);
  }
  return fields;
}

void BlockOperator::apply(Vector<double>& x, Vector<double>& y) const {
  for (int k = 0; k < layout_.n_fields(); ++k) {
    take_field(layout_, k, x, x_[index(k)]);
    diagonal_[index(k)]->apply(x_[index(k)], y_[index(k)]);  // ghosts of x_k from here on
  }
  for (const Entry& entry : couplings_) entry.coupling->add(x_[index(entry.j)], y_[index(entry.i)]);
  for (int k = 0; k < layout_.n_fields(); ++k) {
    if (row_scale(k) != 1) gpu::scale(device(), row_scale(k), y_[index(k)].owned());
    put_field(layout_, k, y_[index(k)], y);
    put_field(layout_, k, x_[index(k)], x);
  }
}

void BlockOperator::add_lower(int i, const std::vector<Vector<double>>& x,
                              Vector<double>& y) const {
  for (const Entry& entry : couplings_)
    if (entry.i == i && entry.j < i) entry.coupling->add(x[index(entry.j)], y);
}

bool BlockOperator::acts_on_later(int field) const {
  for (const Entry& entry : couplings_)
    if (entry.j == field && entry.i > field) return true;
  return false;
}

FieldSplit::FieldSplit(const BlockOperator& a,
                       std::vector<std::shared_ptr<ApproximateInverse<double>>> inverses)
    : a_(a), inverses_(std::move(inverses)) {
  a.comm().agree([&] {
    r_ = a.make_fields("preconditioner");
    z_ = a.make_fields("preconditioner");
  });
  for (int k = 0; k < a.layout().n_fields(); ++k)
    halos_.push_back(a.acts_on_later(k) ? std::make_unique<gpu::Halo>(
                                              a.device(), a.shared_map(),
                                              a.layout().components[static_cast<std::size_t>(k)])
                                        : nullptr);
}

void FieldSplit::apply(const Vector<double>& r, double, Vector<double>& z) {
  for (int k = 0; k < a_.layout().n_fields(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    Vector<double>& rest = r_[at];
    take_field(a_.layout(), k, r, rest);
    gpu::scale(a_.device(), -1 / a_.row_scale(k), rest.owned());
    a_.add_lower(k, z_, rest);
    gpu::scale(a_.device(), -1, rest.owned());
    inverses_[at]->apply(rest, norm(rest), z_[at]);
    if (halos_[at]) halos_[at]->update(z_[at].view());
    put_field(a_.layout(), k, z_[at], z);
  }
}

std::string FieldSplit::name() const {
  std::string names;
  for (const auto& inverse : inverses_) names += (names.empty() ? "" : ", ") + inverse->name();
  return "field_split (" + names + ")";
}

}  // namespace trestle::solver

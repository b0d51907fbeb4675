// Block operators over several fields, and their preconditioner by field split.
#pragma once

#include <memory>
#include <vector>

#include "gpu/halo.hpp"
#include "solver/operator.hpp"

namespace trestle::solver {

/// A vector of several fields: at each node the components of one field after those of another.
struct FieldLayout {
  std::vector<int> components;  // of each field

  int n_fields() const { return static_cast<int>(components.size()); }
  int total() const;
  /// Where the components of a field begin.
  int first(int field) const;
};

/// The values of a field, ghosts included: field = all[first ...], and back. Queued.
void take_field(const FieldLayout& layout, int field, const Vector<double>& all,
                Vector<double>& values);
void put_field(const FieldLayout& layout, int field, const Vector<double>& values,
               Vector<double>& all);

/// What one field does to the equations of another.
class Coupling {
 public:
  virtual ~Coupling() = default;
  /// y += A x on owned entries; the ghosts of x are up to date. Queued. Collective.
  virtual void add(const Vector<double>& x, Vector<double>& y) const = 0;
};

/// A_ij of fields i and j on one index map: square operators on the diagonal, couplings beside it.
class BlockOperator final : public Operator<double> {
 public:
  /// All fields are on one map and device. Collective.
  explicit BlockOperator(std::vector<std::shared_ptr<const Operator<double>>> diagonal);
  /// Adds A_ij, i != j.
  void couple(int i, int j, std::shared_ptr<const Coupling> coupling);
  /// The rows of each field are multiplied by its scale: without scales a residual of the field
  /// with the smaller numbers would hide behind that of another.
  void set_row_scales(std::vector<double> scales) { scales_ = std::move(scales); }
  double row_scale(int field) const { return scales_[index(field)]; }

  void apply(Vector<double>& x, Vector<double>& y) const override;
  const gpu::Device& device() const override { return diagonal_.front()->device(); }
  const std::shared_ptr<const IndexMap>& shared_map() const override {
    return diagonal_.front()->shared_map();
  }
  int block() const override { return layout_.total(); }

  const FieldLayout& layout() const { return layout_; }
  const Operator<double>& diagonal(int field) const { return *diagonal_[index(field)]; }
  /// y += sum over j < i of A_ij x_j: what the fields before a field do to it.
  void add_lower(int i, const std::vector<Vector<double>>& x, Vector<double>& y) const;
  /// Whether a field acts on a later one.
  bool acts_on_later(int field) const;
  /// A vector for each field.
  std::vector<Vector<double>> make_fields(const std::string& item) const;

 private:
  struct Entry {
    int i, j;
    std::shared_ptr<const Coupling> coupling;
  };
  static std::size_t index(int field) { return static_cast<std::size_t>(field); }

  std::vector<std::shared_ptr<const Operator<double>>> diagonal_;
  FieldLayout layout_;
  std::vector<double> scales_;  // of rows, by field
  std::vector<Entry> couplings_;
  mutable std::vector<Vector<double>> x_, y_;
};

/// Field after field, each with an inverse of its own and with what the fields before it do to it
/// taken from its residual: the lower block triangle of A [Elman, Silvester and Wathen 2014,
/// sec. 9.2].
class FieldSplit final : public ApproximateInverse<double> {
 public:
  /// `a` outlives it; an inverse for each field. Collective.
  FieldSplit(const BlockOperator& a,
             std::vector<std::shared_ptr<ApproximateInverse<double>>> inverses);

  void apply(const Vector<double>& r, double norm, Vector<double>& z) override;
  /// "field_split (amg, amg)".
  std::string name() const override;

 private:
  const BlockOperator& a_;
  std::vector<std::shared_ptr<ApproximateInverse<double>>> inverses_;
  std::vector<Vector<double>> r_, z_;
  std::vector<std::unique_ptr<gpu::Halo>> halos_;  // of fields that act on later ones
};

}  // namespace trestle::solver

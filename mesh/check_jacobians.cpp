// Checks the map of every cell: turns inverted cells, refuses those without positive Jacobian.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/number.hpp"
#include "mesh/check_steps.hpp"

namespace trestle::mesh {
namespace {

/// Range over the sample points of a cell of det J over the product of the tangents' lengths.
struct JacobianRange {
  double lowest = std::numeric_limits<double>::max();
  double highest = std::numeric_limits<double>::lowest();
  double zero = 0;  // below this a value is round-off
};

JacobianRange jacobian_range(const ReferencePoints& at, int dim, const Point* x) {
  JacobianRange range;
  double far = 0;
  for (std::size_t a = 0; a < at.n_nodes; ++a)
    for (const double value : x[a]) far = std::max(far, std::abs(value));
  double shortest = std::numeric_limits<double>::max();
  for (std::size_t p = 0; p < at.size(); ++p) {
    const Tangents t = tangents(at, p, x);
    double product = 1;
    for (int c = 0; c < dim; ++c) {
      const double size = length(t[static_cast<std::size_t>(c)]);
      shortest = std::min(shortest, size);
      product *= size;
    }
    const double relative = product > 0 ? determinant(t, dim) / product : 0;
    range.lowest = std::min(range.lowest, relative);
    range.highest = std::max(range.highest, relative);
  }
  // Coordinates have an error of eps |x|; a cell of length h turns it into eps |x| / h.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  range.zero = 1e-14 + (shortest > 0 ? 16 * eps * far / shortest : 0);
  return range;
}

/// The order of the nodes of a cell turned inside out: its mirror image in x = y of the reference
/// cell.
std::vector<std::size_t> mirrored_order(const CellTraits& cell) {
  std::vector<std::size_t> order;
  for (const Point& node : cell.nodes) {
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::max();
    for (std::size_t b = 0; b < cell.nodes.size(); ++b) {
      const Point& other = cell.nodes[b];
      const double distance = length({other[0] - node[1], other[1] - node[0], other[2] - node[2]});
      if (distance < least) {
        least = distance;
        nearest = b;
      }
    }
    order.push_back(nearest);
  }
  return order;
}

std::string fault_of(const RawMesh& mesh, const CellTraits& cell, GlobalIndex repeated,
                     const JacobianRange& range) {
  if (repeated >= 0)
    return fmt::format("repeats node {}", mesh.node_tags[static_cast<std::size_t>(repeated)]);
  const bool positive = range.highest > range.zero, negative = range.lowest < -range.zero;
  if (!positive && !negative) return cell.dim == 2 ? "has zero area" : "has zero volume";
  if (positive && negative)
    return fmt::format(
        "is folded or crosses itself: its scaled Jacobian runs from {:.3g} to {:.3g}", range.lowest,
        range.highest);
  return "has a zero Jacobian at a node (an angle of 180 degrees or none)";
}

/// One block's walk over its cells.
class BlockCheck {
 public:
  BlockCheck(RawMesh& mesh, RawBlock& block)
      : mesh_(mesh),
        block_(block),
        cell_(traits(block.type)),
        at_(sample_points(block.type)),
        mirrored_(mirrored_order(cell_)),
        x_(at_.n_nodes) {}

  /// Turns the cell when it is inverted; returns its fault, "" when there is none.
  std::string check(std::size_t e) {
    const GlobalIndex* nodes = block_.nodes.data() + e * at_.n_nodes;
    for (std::size_t a = 0; a < at_.n_nodes; ++a) x_[a] = point_of(mesh_, nodes[a]);
    const JacobianRange range = jacobian_range(at_, cell_.dim, x_.data());
    const GlobalIndex repeated = repeated_node(nodes, at_.n_nodes);
    if (repeated < 0 && range.lowest > range.zero) return "";
    if (repeated < 0 && range.highest < -range.zero) {
      turn(e);
      return "";
    }
    const JacobianRange inside =
        jacobian_range(quadrature_points(block_.type), cell_.dim, x_.data());
    if (repeated < 0 && inside.lowest > inside.zero) {
      folded_.push_back(block_.tags[e]);
      return "";
    }
    return fmt::format("element {} ({}) {}, centroid {}", block_.tags[e], cell_.name,
                       fault_of(mesh_, cell_, repeated, range), text_of(centroid()));
  }
  const std::vector<std::int64_t>& turned() const { return turned_; }
  /// Cells whose Jacobian is negative or zero at a node, but positive at every quadrature point.
  const std::vector<std::int64_t>& folded() const { return folded_; }

 private:
  void turn(std::size_t e) {
    std::array<GlobalIndex, max_nodes_per_cell> old{};
    GlobalIndex* nodes = block_.nodes.data() + e * at_.n_nodes;
    std::copy_n(nodes, at_.n_nodes, old.begin());
    for (std::size_t a = 0; a < at_.n_nodes; ++a) nodes[a] = old[mirrored_[a]];
    turned_.push_back(block_.tags[e]);
  }
  Point centroid() const {
    const auto n = static_cast<std::size_t>(cell_.n_vertices);
    Point mean{};
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t d = 0; d < 3; ++d) mean[d] += x_[a][d] / static_cast<double>(n);
    return mean;
  }

  RawMesh& mesh_;
  RawBlock& block_;
  const CellTraits& cell_;
  const ReferencePoints& at_;
  std::vector<std::size_t> mirrored_;
  std::vector<Point> x_;
  std::vector<std::int64_t> turned_;
  std::vector<std::int64_t> folded_;
};

}  // namespace

void check_jacobians(RawMesh& mesh) {
  std::vector<std::int64_t> turned, folded;
  std::vector<std::string> faults;
  for (RawBlock& block : mesh.cells) {
    BlockCheck walk(mesh, block);
    for (std::size_t e = 0; e < block.size(); ++e)
      if (std::string fault = walk.check(e); !fault.empty()) faults.push_back(std::move(fault));
    turned.insert(turned.end(), walk.turned().begin(), walk.turned().end());
    folded.insert(folded.end(), walk.folded().begin(), walk.folded().end());
  }
  if (!faults.empty()) {
    constexpr std::size_t shown = 5;
    std::string text = counted(static_cast<std::int64_t>(faults.size()), "bad cell") + ": ";
    for (std::size_t i = 0; i < std::min(faults.size(), shown); ++i)
      text += (i == 0 ? "" : "; ") + faults[i];
    if (faults.size() > shown) text += fmt::format("; and {} more", faults.size() - shown);
    throw MeshError(text);
  }
  if (!turned.empty())
    mesh.warnings.push_back(fmt::format(
        "Turned {} (nodes listed clockwise or inside out): elements {}.",
        counted(static_cast<std::int64_t>(turned.size()), "inverted cell"), list_of(turned)));
  if (!folded.empty())
    mesh.warnings.push_back(fmt::format(
        "{} cell{} so distorted that the Jacobian is not positive at a node, though it is where "
        "integrals are formed: elements {}; better cells give better results.",
        folded.size(), folded.size() == 1 ? " is" : "s are", list_of(folded)));
}

}  // namespace trestle::mesh

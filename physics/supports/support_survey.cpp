#include "physics/supports/support_survey.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "fem/discretisation.hpp"
#include "physics/supports/rigid_pieces.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;

void add_square(MotionMatrix& sum, const Motion& r) {
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) sum[i * 6 + j] += r[i] * r[j];
}

Frame frame_of(const PieceRecord& piece) {
  const Vec3 low{piece.low[0], piece.low[1], piece.low[2]};
  const Vec3 high{piece.high[0], piece.high[1], piece.high[2]};
  return {(low + high) * 0.5, norm(high - low)};
}

class Surveyor {
 public:
  Surveyor(const mesh::Mesh& mesh, const MotionKind& kind)
      : mesh_(mesh), kind_(kind), pieces_(find_rigid_pieces(mesh, kind.n_holding())) {}

  SupportSurvey survey(const fem::Constraints& constraints, const CellMaterials& materials,
                       const std::vector<Index>& held) {
    count_cells(materials);
    find_touching();
    measure_pieces();
    find_joints();
    if (mesh_.comm().size() > 1) find_same_pieces();
    for (Index node = 0; node < mesh_.nodes->n_owned(); ++node) hold_fixed(node, constraints);
    for (Index node : held) hold(node, {1, 0, 0});
    return std::move(survey_);
  }

 private:
  /// Calls visit(piece, nodes of the cell, block, cell) for every cell.
  template <class Visit>
  void for_cells(Visit visit) const {
    for (std::size_t b = 0; b < mesh_.cells.size(); ++b) {
      const mesh::CellBlock& block = mesh_.cells[b];
      const auto n = static_cast<std::size_t>(mesh::traits(block.type).n_nodes);
      for (std::size_t c = 0; c < block.ids.size(); ++c)
        visit(pieces_.of_cell[b][c], std::span(block.nodes).subspan(c * n, n), b, c);
    }
  }

  void count_cells(const CellMaterials& materials) {
    PieceRecord empty{};
    empty.label = std::numeric_limits<GlobalIndex>::max();
    std::fill_n(empty.low, 3, std::numeric_limits<double>::infinity());
    std::fill_n(empty.high, 3, -std::numeric_limits<double>::infinity());
    survey_.pieces.assign(static_cast<std::size_t>(pieces_.n), empty);
    std::set<std::array<Index, 3>> contents;
    for (std::size_t b = 0; b < mesh_.cells.size(); ++b)
      for (std::size_t c = 0; c < mesh_.cells[b].ids.size();)
        c = count_alike(b, c, materials[b], contents);
    for (const auto& [piece, material, set] : contents)
      survey_.contents.push_back({piece, material, set});
  }

  /// Counts the cells from `first` on that have its piece, material and groups; returns their end.
  std::size_t count_alike(std::size_t b, std::size_t first, const std::vector<Index>& materials,
                          std::set<std::array<Index, 3>>& contents) {
    const mesh::CellBlock& block = mesh_.cells[b];
    const std::vector<Index>& of_cell = pieces_.of_cell[b];
    const Index p = of_cell[first], material = materials[first];
    const int groups = block.group_set[first];
    GlobalIndex label = block.ids[first], n_owned = 0;
    std::size_t c = first;
    for (; c < of_cell.size() && of_cell[c] == p && materials[c] == material &&
           block.group_set[c] == groups;
         ++c) {
      label = std::min(label, block.ids[c]);
      n_owned += block.owned[c] != 0 ? 1 : 0;
    }
    PieceRecord& piece = survey_.pieces[static_cast<std::size_t>(p)];
    piece.label = std::min(piece.label, label);
    piece.n_cells += n_owned;
    if (n_owned > 0) contents.insert({p, material, groups});
    return c;
  }

  void find_touching() {
    const auto& joints = pieces_.is_joint;
    if (std::find(joints.begin(), joints.end(), std::uint8_t{1}) == joints.end()) return;
    for_cells([&](Index p, std::span<const Index> nodes, std::size_t, std::size_t) {
      for (Index node : nodes)
        if (joints[static_cast<std::size_t>(node)] != 0) touching_.emplace(node, p);
    });
  }

  void measure_pieces() {
    for (Index node = 0; node < mesh_.nodes->n_local(); ++node)
      if (pieces_.is_joint[static_cast<std::size_t>(node)] == 0)
        add_place(pieces_.of_node[static_cast<std::size_t>(node)], node);
    for (const auto& [node, piece] : touching_) add_place(piece, node);
  }

  void add_place(Index p, Index node) {
    if (p < 0) return;
    PieceRecord& piece = survey_.pieces[static_cast<std::size_t>(p)];
    const Vec3 x = fem::node_place(mesh_, node);
    for (int d = 0; d < 3; ++d) {
      piece.low[d] = std::min(piece.low[d], x[d]);
      piece.high[d] = std::max(piece.high[d], x[d]);
    }
    if (node >= mesh_.nodes->n_owned()) return;
    ++piece.n_nodes;
    for (int d = 0; d < 3; ++d) piece.sum[d] += x[d];
  }

  void find_joints() {
    std::map<std::pair<Index, Index>, std::vector<Vec3>> places;
    for (auto first = touching_.begin(); first != touching_.end();) {
      auto other = std::next(first);  // the lowest piece at a node holds each of the others
      for (; other != touching_.end() && other->first == first->first; ++other)
        if (first->first < mesh_.nodes->n_owned())
          places[{first->second, other->second}].push_back(fem::node_place(mesh_, first->first));
      first = other;
    }
    for (const auto& [pair, nodes] : places) add_joint(pair.first, pair.second, nodes);
  }

  void add_joint(Index a, Index b, const std::vector<Vec3>& places) {
    JointRecord joint{};
    joint.a = a;
    joint.b = b;
    joint.n = static_cast<double>(places.size());
    Vec3 middle{};
    for (const Vec3& x : places) middle += x * (1 / joint.n);
    for (const Vec3& x : places) joint.size = std::max(joint.size, norm(x - middle));
    if (!(joint.size > 0)) joint.size = frame_of(survey_.pieces[static_cast<std::size_t>(a)]).size;
    for (int d = 0; d < 3; ++d) joint.middle[d] = middle[d];
    for (const Vec3& x : places)
      for (int d = 0; d < kind_.n_components; ++d) {
        Vec3 q{};
        q[d] = 1;
        add_square(joint.gram, displacement_along(kind_, q, (x - middle) * (1 / joint.size)));
      }
    survey_.joints.push_back(joint);
  }

  /// Tells which pieces go on at other ranks. The owner of a node has all cells around it: where
  /// they are one piece, those that another rank has of them belong to it. Cells without such a
  /// node are compared themselves.
  void find_same_pieces() {
    const GlobalIndex first = mesh_.comm().exclusive_sum(GlobalIndex{pieces_.n});
    std::vector<GlobalIndex> at_owner(pieces_.of_node.size());
    for (std::size_t node = 0; node < at_owner.size(); ++node)
      at_owner[node] = pieces_.is_joint[node] != 0 ? -1 : first + pieces_.of_node[node];
    update_ghosts(*mesh_.nodes, std::span<GlobalIndex>(at_owner));
    std::set<std::pair<Index, GlobalIndex>> same;
    std::pair<Index, GlobalIndex> last{-1, -1};
    for_cells([&](Index p, std::span<const Index> nodes, std::size_t b, std::size_t c) {
      bool known = false;
      for (Index node : nodes) {
        const GlobalIndex other = at_owner[static_cast<std::size_t>(node)];
        known = known || other >= 0;
        const std::pair pair{p, other};
        if (other < 0 || other == first + p || pair == last) continue;
        same.insert(pair);
        last = pair;
      }
      if (!known) survey_.seen.push_back({p, mesh_.cells[b].ids[c]});
    });
    for (const auto& [piece, other] : same) survey_.same.push_back({piece, other});
  }

  void hold_fixed(Index node, const fem::Constraints& constraints) {
    const fem::NodeConstraint* constraint = constraints.at(node);
    if (constraint == nullptr) return;
    const int n = kind_.n_components;
    for (int direction = 0; direction < n; ++direction) {
      if (constraint->mask[direction] != 0) continue;
      Vec3 q{};
      for (int i = 0; i < n; ++i) q[i] = constraint->frame[i * n + direction];
      hold(node, q);
    }
  }

  void hold(Index node, const Vec3& q) {
    const Index p = pieces_.of_node[static_cast<std::size_t>(node)];
    if (p < 0) return;
    PieceRecord& piece = survey_.pieces[static_cast<std::size_t>(p)];
    const Frame frame = frame_of(piece);
    const Vec3 x = (fem::node_place(mesh_, node) - frame.middle) * (1 / frame.size);
    piece.n_held += 1;
    add_square(piece.held, displacement_along(kind_, q, x));
  }

  const mesh::Mesh& mesh_;
  MotionKind kind_;
  RigidPieces pieces_;
  std::set<std::pair<Index, Index>> touching_;  // joints and the pieces that touch them
  SupportSurvey survey_;
};

}  // namespace

SupportSurvey survey_supports(const mesh::Mesh& mesh, const fem::Constraints& constraints,
                              const MotionKind& kind, const CellMaterials& materials,
                              const std::vector<Index>& held) {
  return Surveyor(mesh, kind).survey(constraints, materials, held);
}

}  // namespace trestle::physics

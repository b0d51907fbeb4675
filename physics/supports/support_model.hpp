// SupportModel: the surveys of all ranks put together, on one rank.
#pragma once

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "physics/supports/mechanism.hpp"
#include "physics/supports/support_survey.hpp"

namespace trestle::physics {

/// The smallest box around places [m].
struct Bounds {
  fem::Vec3 low{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                std::numeric_limits<double>::infinity()};
  fem::Vec3 high = low * -1.0;
  void add(const Bounds& other);
  Frame frame() const { return {(low + high) * 0.5, norm(high - low)}; }
};

/// A rigid piece of the whole model, or several that move as one.
struct Piece {
  GlobalIndex n_cells = 0;
  GlobalIndex n_nodes = 0;
  fem::Vec3 sum{};  // of the places of its nodes [m]
  Bounds bounds;
  std::set<Index> materials;
  std::set<int> group_sets;
  void add(const Piece& other);
};

/// Nodes that two pieces share, those of one rank.
struct Joint {
  Index a, b;
  JointRecord record;
};

class SupportModel {
 public:
  /// Gathers the surveys. Empty on ranks other than 0. Collective.
  SupportModel(const Comm& comm, const MotionKind& kind, const SupportSurvey& survey);

  /// In the order of their lowest cells, which no partition changes.
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Joint>& joints() const { return joints_; }
  Frame frame(Index piece) const { return pieces_[static_cast<std::size_t>(piece)].bounds.frame(); }
  /// Each joint and each support weighs as one node, however many it has.
  Mechanism mechanism() const;

 private:
  using Numbers = std::vector<std::vector<Index>>;  // [rank][piece there]
  Numbers number_pieces(const std::vector<std::vector<PieceRecord>>& records,
                        const std::vector<std::vector<SamePiece>>& same,
                        const std::vector<std::vector<SeenCell>>& seen);
  void hold(Index piece, const PieceRecord& record);

  MotionKind kind_;
  std::vector<Piece> pieces_;
  std::vector<Joint> joints_;
  std::vector<std::pair<Index, MotionMatrix>> held_;  // in the frame of the piece
};

}  // namespace trestle::physics

// What one rank sees of the pieces of a model: where they are, what holds them, where they meet.
#pragma once

#include <vector>

#include "fem/constraints.hpp"
#include "mesh/mesh.hpp"
#include "physics/materials.hpp"
#include "physics/supports/rigid_motion.hpp"

namespace trestle::physics {

/// A piece on one rank.
struct PieceRecord {
  GlobalIndex label;    // the lowest canonical id of its cells
  GlobalIndex n_cells;  // owned ones
  GlobalIndex n_nodes;  // owned ones, and the sum of their places [m]
  double sum[3];
  double low[3], high[3];  // of its bounding box, ghost cells included [m]
  double n_held;           // fixed directions
  MotionMatrix held;       // sum of r r' over them, r as in displacement_along
};

/// Nodes that two pieces of a rank share.
struct JointRecord {
  Index a, b;
  double n;           // nodes
  double middle[3];   // [m]
  double size;        // [m]
  MotionMatrix gram;  // sum of r r' over the nodes and the components of the field
};

/// A piece of this rank is the same as `other`, a piece of any rank counted over all ranks.
struct SamePiece {
  Index piece;
  GlobalIndex other;
};

/// A cell on ranks that have no better word for what they share.
struct SeenCell {
  Index piece;
  GlobalIndex id;
};

/// Cells of one material and one set of groups in a piece.
struct ContentRecord {
  Index piece, material;
  int group_set;
};

struct SupportSurvey {
  std::vector<PieceRecord> pieces;
  std::vector<JointRecord> joints;
  std::vector<SamePiece> same;
  std::vector<SeenCell> seen;
  std::vector<ContentRecord> contents;
};

/// `held` are owned nodes whose value is held without being fixed. Collective.
SupportSurvey survey_supports(const mesh::Mesh& mesh, const fem::Constraints& constraints,
                              const MotionKind& kind, const CellMaterials& materials,
                              const std::vector<Index>& held);

}  // namespace trestle::physics

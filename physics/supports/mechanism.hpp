// Mechanism: rigid pieces that hold each other and the ground at places, and how they can move.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "physics/supports/rigid_motion.hpp"

namespace trestle::physics {

/// Motions of the pieces that move, each in the frame of its piece.
using FreeMotion = std::map<Index, Motion>;

/// The sum of the squared gaps that motions of the pieces open, a positive semidefinite form: its
/// null space are the motions that nothing holds.
class Mechanism {
 public:
  Mechanism(Index n_pieces, int n_motions);

  /// Adds motion' a motion of one piece.
  void hold(Index piece, const MotionMatrix& a);
  /// Adds 2 p' a q for the motions of two pieces.
  void join(Index p, Index q, const MotionMatrix& a);

  /// A basis of the free motions, `limit` of them at most. Elimination piece by piece, those with
  /// the fewest neighbours first [George and Liu 1981, ch. 5], with the largest pivot of a piece
  /// first: a pivot below 1e-13 of what the diagonal of the piece was is a motion that costs
  /// nothing. That is above rounding, and below the squared slenderness of what people build. The
  /// form is spent. Beyond `most_work` multiplications it ends with those that it has found, which
  /// are free whatever the rest: a model of very many joints is then left to the solver.
  std::vector<FreeMotion> free_motions(std::size_t limit, double most_work = 3e8);

 private:
  /// An eliminated motion: minus the sum of coefficients times motions of its own piece (first) and
  /// of its neighbours.
  struct Pivot {
    std::size_t motion;
    double value;
    std::vector<double> row;
  };
  struct Eliminated {
    std::vector<Index> pieces;  // itself, then its neighbours
    std::vector<Pivot> pivots;  // in the order of elimination
    std::vector<std::size_t> free;
  };

  Eliminated eliminate(Index piece) const;
  void update_neighbours(const Eliminated& done);
  FreeMotion motion_of(Index piece, std::size_t free) const;
  void follow(const Eliminated& done, FreeMotion& motion) const;

  std::size_t n_;
  std::vector<std::map<Index, MotionMatrix>> rows_;  // [piece]: blocks by neighbour, itself too
  std::vector<double> scale_;                        // [piece]: of its diagonal
  std::vector<Eliminated> done_;
  std::vector<std::size_t> when_;              // [piece]: its place in done_
  std::vector<std::vector<Index>> followers_;  // [piece]: eliminated neighbours
};

}  // namespace trestle::physics

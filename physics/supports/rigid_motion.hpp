// Rigid motions of a part: translations, then rotations about the middle of a frame.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fem/tensor.hpp"
#include "physics/problem.hpp"

namespace trestle::physics {

/// Where a part is: the middle and the size of its bounding box. Motions are written about the
/// middle, with lengths in units of the size.
struct Frame {
  fem::Vec3 middle{};  // [m]
  double size = 1;     // [m]
};

/// Translations, then rotations; the first MotionKind::n() entries are used.
using Motion = std::array<double, 6>;
/// [i * 6 + j], over motions.
using MotionMatrix = std::array<double, 36>;

/// Which motions of a body cost no energy: a temperature, the shift along the axis of an
/// axisymmetric model, or the rigid motions of a plane or a space.
struct MotionKind {
  int n_components = 3;  // of the primary field
  bool axisymmetric = false;
  std::string field = "temperature";  // what has one component is called

  bool is_scalar() const { return n_components == 1; }
  int n() const { return n_components == 1 || axisymmetric ? 1 : n_components == 2 ? 3 : 6; }
  int n_translations() const { return n() == 1 ? 1 : n_components; }
  /// How many nodes of a facet hold two cells to each other.
  int n_holding() const { return n() == 1 ? 1 : n_components; }
};

/// r, so that r . motion is the displacement along the unit vector `q` at the place `x`, which is
/// written in the frame of the motion.
Motion displacement_along(const MotionKind& kind, const fem::Vec3& q, const fem::Vec3& x);

/// The same motion written in another frame.
Motion seen_from(const MotionKind& kind, const Motion& motion, const Frame& from, const Frame& to);

/// T with T m = seen_from(m).
MotionMatrix frame_change(const MotionKind& kind, const Frame& from, const Frame& to);

/// a' s b.
MotionMatrix product(const MotionMatrix& a, const MotionMatrix& s, const MotionMatrix& b);

/// Independent motions that span the same space, those without a rotation last and free of the
/// others. Components below 1e-6 of the largest count as rounding.
std::vector<Motion> reduced(const MotionKind& kind, std::vector<Motion> motions);

/// "2 translations (along y, z) and 1 rotation (about the axis along x through (0, 0, 0) m)" for
/// motions in the frame of a part that are not reduced yet; "its temperature".
std::string describe(const MotionKind& kind, const std::vector<Motion>& motions,
                     const Frame& frame);

}  // namespace trestle::physics

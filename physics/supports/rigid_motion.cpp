#include "physics/supports/rigid_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trestle::physics {
namespace {

using fem::Vec3;

/// Components of a motion that are smaller than this share of its largest are rounding.
constexpr double negligible = 1e-6;

double largest(const Motion& motion) {
  double size = 0;
  for (double value : motion) size = std::max(size, std::abs(value));
  return size;
}

Vec3 translation(const MotionKind& kind, const Motion& m) {
  const int n = kind.n_translations();
  return {m[0], n > 1 ? m[1] : 0, n > 2 ? m[2] : 0};
}

Vec3 rotation(const MotionKind& kind, const Motion& m) {
  if (kind.n() == 6) return {m[3], m[4], m[5]};
  return {0, 0, kind.n() == 3 ? m[2] : 0};
}

/// "x" for a direction along an axis, else "(0.6, 0.8, 0)".
std::string direction_word(Vec3 v) {
  v = v * (1 / norm(v));
  for (int d = 0; d < 3; ++d) {
    if (std::abs(v[d]) < negligible) v[d] = 0;
    if (1 - std::abs(v[d]) < negligible) return std::string(1, "xyz"[d]);
  }
  const double first = v[0] != 0 ? v[0] : v[1];
  if (first < 0) v = v * -1.0;
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", v[0], v[1], v[2]);
}

/// The axis of a rotation: the points that stand still.
std::string axis_words(const Vec3& turn, const Vec3& move, const Frame& frame) {
  // move + turn x (place - middle) / size = 0 for the part of `move` across `turn`.
  Vec3 still = frame.middle + cross(turn, move) * (frame.size / dot(turn, turn));
  for (int d = 0; d < 3; ++d)
    if (std::abs(still[d]) < negligible * frame.size) still[d] = 0;
  return fmt::format("about the axis along {} through ({:.4g}, {:.4g}, {:.4g}) m",
                     direction_word(turn), still[0], still[1], still[2]);
}

std::string count(std::size_t n, const std::string& word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

}  // namespace

Motion displacement_along(const MotionKind& kind, const Vec3& q, const Vec3& x) {
  if (kind.is_scalar()) return {1};
  if (kind.axisymmetric) return {q[1]};
  if (kind.n_components == 2) return {q[0], q[1], x[0] * q[1] - x[1] * q[0]};
  const Vec3 moment = cross(x, q);
  return {q[0], q[1], q[2], moment[0], moment[1], moment[2]};
}

Motion seen_from(const MotionKind& kind, const Motion& motion, const Frame& from, const Frame& to) {
  if (kind.n() == 1) return motion;
  const Vec3 turn = rotation(kind, motion);
  const Vec3 move =
      translation(kind, motion) + cross(turn, (to.middle - from.middle) * (1 / from.size));
  const double scale = to.size / from.size;
  if (kind.n() == 3) return {move[0], move[1], turn[2] * scale};
  return {move[0], move[1], move[2], turn[0] * scale, turn[1] * scale, turn[2] * scale};
}

MotionMatrix frame_change(const MotionKind& kind, const Frame& from, const Frame& to) {
  MotionMatrix change{};
  for (std::size_t j = 0; j < static_cast<std::size_t>(kind.n()); ++j) {
    Motion unit{};
    unit[j] = 1;
    const Motion column = seen_from(kind, unit, from, to);
    for (std::size_t i = 0; i < 6; ++i) change[i * 6 + j] = column[i];
  }
  return change;
}

MotionMatrix product(const MotionMatrix& a, const MotionMatrix& s, const MotionMatrix& b) {
  MotionMatrix sb{}, asb{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k) sb[i * 6 + j] += s[i * 6 + k] * b[k * 6 + j];
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k) asb[i * 6 + j] += a[k * 6 + i] * sb[k * 6 + j];
  return asb;
}

std::vector<Motion> reduced(const MotionKind& kind, std::vector<Motion> motions) {
  const auto n = static_cast<std::size_t>(kind.n());
  const auto n_translations = static_cast<std::size_t>(kind.n_translations());
  for (Motion& motion : motions)
    if (const double size = largest(motion); size > 0)
      for (double& value : motion) value /= size;
  std::size_t row = 0;
  for (std::size_t k = 0; k < n && row < motions.size(); ++k) {
    const std::size_t column = (n_translations + k) % n;  // rotations first
    const auto best = std::max_element(
        motions.begin() + static_cast<std::ptrdiff_t>(row), motions.end(),
        [&](const auto& a, const auto& b) { return std::abs(a[column]) < std::abs(b[column]); });
    const double pivot = (*best)[column];
    if (std::abs(pivot) < negligible) continue;
    std::swap(motions[row], *best);
    for (double& value : motions[row]) value /= pivot;
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const double factor = i == row ? 0 : motions[i][column];
      for (std::size_t j = 0; j < n; ++j) motions[i][j] -= factor * motions[row][j];
    }
    ++row;
  }
  motions.resize(row);
  return motions;
}

std::string describe(const MotionKind& kind, const std::vector<Motion>& motions,
                     const Frame& frame) {
  if (kind.is_scalar()) return "its " + kind.field;
  if (kind.n() == 1) return "1 translation (along y, the axis)";
  std::vector<std::string> moves, turns;
  for (const Motion& motion : reduced(kind, motions)) {
    const Vec3 turn = rotation(kind, motion), move = translation(kind, motion);
    if (norm(turn) > negligible)
      turns.push_back(axis_words(turn, move, frame));
    else
      moves.push_back(direction_word(move));
  }
  std::vector<std::string> words;
  const bool all = moves.size() + turns.size() == static_cast<std::size_t>(kind.n());
  const auto add = [&](const std::vector<std::string>& list, const char* word,
                       const char* relation) {
    if (list.empty()) return;
    words.push_back(count(list.size(), word));
    if (!all) words.back() += fmt::format(" ({}{})", relation, fmt::join(list, ", "));
  };
  add(moves, "translation", "along ");
  add(turns, "rotation", "");
  return fmt::format("{}", fmt::join(words, " and "));
}

}  // namespace trestle::physics

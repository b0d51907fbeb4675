#include "physics/supports/support_model.hpp"

#include <algorithm>

#include "mesh/union_find.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Vec3 vec(const double* v) { return {v[0], v[1], v[2]}; }

MotionMatrix scaled(MotionMatrix a, double factor) {
  for (double& entry : a) entry *= factor;
  return a;
}

/// Number of the first piece of each rank among those of all ranks, and their sum.
std::vector<Index> first_pieces(const std::vector<std::vector<PieceRecord>>& records) {
  std::vector<Index> first{0};
  for (const auto& rank : records) first.push_back(first.back() + static_cast<Index>(rank.size()));
  return first;
}

}  // namespace

void Bounds::add(const Bounds& other) {
  for (int d = 0; d < 3; ++d) {
    low[d] = std::min(low[d], other.low[d]);
    high[d] = std::max(high[d], other.high[d]);
  }
}

void Piece::add(const Piece& other) {
  n_cells += other.n_cells;
  n_nodes += other.n_nodes;
  sum += other.sum;
  bounds.add(other.bounds);
  materials.insert(other.materials.begin(), other.materials.end());
  group_sets.insert(other.group_sets.begin(), other.group_sets.end());
}

SupportModel::SupportModel(const Comm& comm, const MotionKind& kind, const SupportSurvey& survey)
    : kind_(kind) {
  const auto records = comm.gather(std::span(survey.pieces));
  const auto joints = comm.gather(std::span(survey.joints));
  const auto same = comm.gather(std::span(survey.same));
  const auto seen = comm.gather(std::span(survey.seen));
  const auto contents = comm.gather(std::span(survey.contents));
  if (!comm.is_root()) return;
  const Numbers numbers = number_pieces(records, same, seen);
  for (std::size_t r = 0; r < records.size(); ++r) {
    for (std::size_t p = 0; p < records[r].size(); ++p) {
      Piece& piece = pieces_[at(numbers[r][p])];
      piece.n_cells += records[r][p].n_cells;
      piece.n_nodes += records[r][p].n_nodes;
      piece.sum += vec(records[r][p].sum);
      piece.bounds.add({vec(records[r][p].low), vec(records[r][p].high)});
    }
    for (const ContentRecord& content : contents[r]) {
      Piece& piece = pieces_[at(numbers[r][at(content.piece)])];
      piece.materials.insert(content.material);
      piece.group_sets.insert(content.group_set);
    }
    for (const JointRecord& joint : joints[r]) {
      const Index a = numbers[r][at(joint.a)], b = numbers[r][at(joint.b)];
      if (a != b) joints_.push_back({a, b, joint});
    }
  }
  for (std::size_t r = 0; r < records.size(); ++r)
    for (std::size_t p = 0; p < records[r].size(); ++p) hold(numbers[r][p], records[r][p]);
}

SupportModel::Numbers SupportModel::number_pieces(
    const std::vector<std::vector<PieceRecord>>& records,
    const std::vector<std::vector<SamePiece>>& same,
    const std::vector<std::vector<SeenCell>>& seen) {
  const std::vector<Index> first = first_pieces(records);
  mesh::UnionFind sets(at(first.back()));
  std::vector<std::pair<GlobalIndex, Index>> cells, labels;
  for (std::size_t r = 0; r < records.size(); ++r) {
    for (const SamePiece& pair : same[r])
      sets.join(first[r] + pair.piece, static_cast<Index>(pair.other));
    for (const SeenCell& cell : seen[r]) cells.emplace_back(cell.id, first[r] + cell.piece);
  }
  std::sort(cells.begin(), cells.end());
  for (std::size_t i = 1; i < cells.size(); ++i)
    if (cells[i].first == cells[i - 1].first) sets.join(cells[i].second, cells[i - 1].second);
  const auto root = [&](std::size_t r, std::size_t p) {
    return sets.root(first[r] + static_cast<Index>(p));
  };
  for (std::size_t r = 0; r < records.size(); ++r)
    for (std::size_t p = 0; p < records[r].size(); ++p)
      labels.emplace_back(records[r][p].label, root(r, p));
  std::sort(labels.begin(), labels.end());
  std::vector<Index> of_root(labels.size(), -1);
  for (const auto& [label, set] : labels) {
    if (of_root[at(set)] >= 0) continue;
    of_root[at(set)] = static_cast<Index>(pieces_.size());
    pieces_.emplace_back();
  }
  Numbers numbers(records.size());
  for (std::size_t r = 0; r < records.size(); ++r)
    for (std::size_t p = 0; p < records[r].size(); ++p)
      numbers[r].push_back(of_root[at(root(r, p))]);
  return numbers;
}

void SupportModel::hold(Index piece, const PieceRecord& record) {
  if (!(record.n_held > 0)) return;
  const Frame there = Bounds{vec(record.low), vec(record.high)}.frame();
  const MotionMatrix change = frame_change(kind_, frame(piece), there);
  held_.emplace_back(piece, product(change, scaled(record.held, 1 / record.n_held), change));
}

Mechanism SupportModel::mechanism() const {
  Mechanism mechanism(static_cast<Index>(pieces_.size()), kind_.n());
  for (const auto& [piece, matrix] : held_) mechanism.hold(piece, matrix);
  for (const Joint& joint : joints_) {
    const Frame there{vec(joint.record.middle), joint.record.size};
    const MotionMatrix gram = scaled(joint.record.gram, 1 / joint.record.n);
    const MotionMatrix a = frame_change(kind_, frame(joint.a), there);
    const MotionMatrix b = frame_change(kind_, frame(joint.b), there);
    mechanism.hold(joint.a, product(a, gram, a));
    mechanism.hold(joint.b, product(b, gram, b));
    mechanism.join(joint.a, joint.b, scaled(product(a, gram, b), -1));
  }
  return mechanism;
}

}  // namespace trestle::physics

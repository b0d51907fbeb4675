#include "physics/supports/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trestle::physics {
namespace {

constexpr double rounding = 1e-13;
constexpr std::size_t not_done = std::numeric_limits<std::size_t>::max();

std::size_t at(Index piece) { return static_cast<std::size_t>(piece); }

}  // namespace

Mechanism::Mechanism(Index n_pieces, int n_motions)
    : n_(static_cast<std::size_t>(n_motions)),
      rows_(at(n_pieces)),
      scale_(at(n_pieces)),
      when_(at(n_pieces), not_done),
      followers_(at(n_pieces)) {}

void Mechanism::hold(Index piece, const MotionMatrix& a) {
  MotionMatrix& sum = rows_[at(piece)][piece];
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] += a[i];
}

void Mechanism::join(Index p, Index q, const MotionMatrix& a) {
  MotionMatrix& pq = rows_[at(p)][q];
  MotionMatrix& qp = rows_[at(q)][p];
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      pq[i * 6 + j] += a[i * 6 + j];
      qp[j * 6 + i] += a[i * 6 + j];
    }
}

std::vector<FreeMotion> Mechanism::free_motions(std::size_t limit, double most_work) {
  std::set<std::pair<std::size_t, Index>> order;  // by number of neighbours
  for (Index p = 0; p < static_cast<Index>(rows_.size()); ++p) {
    const MotionMatrix& own = rows_[at(p)][p];
    for (std::size_t i = 0; i < n_; ++i) scale_[at(p)] = std::max(scale_[at(p)], own[i * 6 + i]);
    order.emplace(rows_[at(p)].size(), p);
  }
  std::vector<FreeMotion> found;
  for (double work = 0; !order.empty() && work <= most_work;) {
    const Index piece = order.begin()->second;
    for (const auto& [neighbour, block] : rows_[at(piece)])
      order.erase({rows_[at(neighbour)].size(), neighbour});
    done_.push_back(eliminate(piece));
    const Eliminated& done = done_.back();
    when_[at(piece)] = done_.size() - 1;
    const auto width = static_cast<double>(n_ * done.pieces.size());
    work += width * width * static_cast<double>(done.pivots.size());
    for (std::size_t free : done.free)
      if (found.size() < limit) found.push_back(motion_of(piece, free));
    update_neighbours(done);
    for (std::size_t k = 1; k < done.pieces.size(); ++k)
      order.emplace(rows_[at(done.pieces[k])].size(), done.pieces[k]);
  }
  return found;
}

Mechanism::Eliminated Mechanism::eliminate(Index piece) const {
  Eliminated done{{piece}, {}, {}};
  for (const auto& [neighbour, block] : rows_[at(piece)])
    if (neighbour != piece) done.pieces.push_back(neighbour);
  std::vector<std::vector<double>> rows(n_, std::vector<double>(n_ * done.pieces.size()));
  for (std::size_t k = 0; k < done.pieces.size(); ++k) {
    const MotionMatrix& block = rows_[at(piece)].at(done.pieces[k]);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) rows[i][k * n_ + j] = block[i * 6 + j];
  }
  for (std::size_t i = 0; i < n_; ++i) done.free.push_back(i);
  while (!done.free.empty()) {
    const auto best = std::max_element(done.free.begin(), done.free.end(),
                                       [&](auto i, auto j) { return rows[i][i] < rows[j][j]; });
    const std::size_t pivot = *best;
    const double value = rows[pivot][pivot];
    if (!(value > rounding * scale_[at(piece)])) break;
    done.free.erase(best);
    for (std::size_t i : done.free) {
      const double factor = rows[i][pivot] / value;
      for (std::size_t j = 0; j < rows[i].size(); ++j) rows[i][j] -= factor * rows[pivot][j];
    }
    for (double& entry : rows[pivot]) entry /= value;
    done.pivots.push_back({pivot, value, rows[pivot]});
  }
  return done;
}

void Mechanism::update_neighbours(const Eliminated& done) {
  const Index piece = done.pieces.front();
  for (std::size_t k = 1; k < done.pieces.size(); ++k) {
    std::map<Index, MotionMatrix>& row = rows_[at(done.pieces[k])];
    row.erase(piece);
    followers_[at(done.pieces[k])].push_back(piece);
    for (std::size_t l = 1; l < done.pieces.size(); ++l) {
      MotionMatrix& block = row[done.pieces[l]];
      for (const Pivot& pivot : done.pivots)
        for (std::size_t i = 0; i < n_; ++i)
          for (std::size_t j = 0; j < n_; ++j)
            block[i * 6 + j] -= pivot.value * pivot.row[k * n_ + i] * pivot.row[l * n_ + j];
    }
  }
  rows_[at(piece)].clear();
}

void Mechanism::follow(const Eliminated& done, FreeMotion& motion) const {
  Motion& own = motion[done.pieces.front()];
  for (auto pivot = done.pivots.rbegin(); pivot != done.pivots.rend(); ++pivot) {
    double sum = 0;
    for (std::size_t k = 0; k < done.pieces.size(); ++k) {
      const auto other = motion.find(done.pieces[k]);
      if (other == motion.end()) continue;
      for (std::size_t j = 0; j < n_; ++j) sum -= pivot->row[k * n_ + j] * other->second[j];
    }
    own[pivot->motion] = sum;
  }
}

FreeMotion Mechanism::motion_of(Index piece, std::size_t free) const {
  FreeMotion motion;
  motion[piece][free] = 1;
  follow(done_[when_[at(piece)]], motion);
  // Those that were eliminated before follow, the last of them first.
  std::set<std::size_t> earlier;
  const auto add_followers = [&](Index of) {
    for (Index follower : followers_[at(of)]) earlier.insert(when_[at(follower)]);
  };
  for (add_followers(piece); !earlier.empty();) {
    const auto last = std::prev(earlier.end());
    const Eliminated& done = done_[*last];
    earlier.erase(last);
    follow(done, motion);
    add_followers(done.pieces.front());
  }
  return motion;
}

}  // namespace trestle::physics

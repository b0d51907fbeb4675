#include "physics/supports/free_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mesh/union_find.hpp"
#include "physics/supports/support_model.hpp"

namespace trestle::physics {
namespace {

using fem::Vec3;

/// As many free motions as are described.
constexpr std::size_t most_motions = 200;

/// Motions below this share of the largest one are rounding.
constexpr double negligible = 1e-6;

double largest(const Motion& motion) {
  double size = 0;
  for (double value : motion) size = std::max(size, std::abs(value));
  return size;
}

double largest(const FreeMotion& motions) {
  double size = 0;
  for (const auto& [piece, motion] : motions) size = std::max(size, largest(motion));
  return size;
}

/// The motion of a piece among those of all, 0 where it rests.
Motion motion_of(const FreeMotion& motions, Index piece) {
  const auto found = motions.find(piece);
  return found == motions.end() ? Motion{} : found->second;
}

/// Pieces that move as one, with the motions that they have.
struct Part {
  std::vector<Index> pieces;
  std::vector<Motion> motions;  // in the frame of the first piece
};

class PartFinder {
 public:
  PartFinder(const SupportModel& model, const MotionKind& kind)
      : model_(model), kind_(kind), motions_(model.mechanism().free_motions(most_motions)) {
    for (FreeMotion& motions : motions_)
      if (const double size = largest(motions); size > 0)
        for (auto& [piece, motion] : motions)
          for (double& value : motion) value /= size;
  }

  /// The parts that move, in the order of their lowest cells.
  std::vector<Part> find() const {
    mesh::UnionFind sets(model_.pieces().size());
    for (const Joint& joint : model_.joints())
      if (move_as_one(joint.a, joint.b)) sets.join(joint.a, joint.b);
    std::map<Index, Part> parts;
    std::map<Index, std::vector<const FreeMotion*>> moving;
    for (const FreeMotion& motions : motions_)
      for (const auto& [piece, motion] : motions)
        if (largest(motion) > negligible) moving[piece].push_back(&motions);
    for (const auto& [piece, list] : moving) {
      Part& part = parts[sets.root(piece)];
      part.pieces.push_back(piece);
      if (part.pieces.size() > 1) continue;
      for (const FreeMotion* motions : list) part.motions.push_back(motions->at(piece));
    }
    std::vector<Part> found;
    for (auto& [root, part] : parts) found.push_back(std::move(part));
    return found;
  }

 private:
  bool move_as_one(Index a, Index b) const {
    return std::all_of(motions_.begin(), motions_.end(), [&](const FreeMotion& motions) {
      const Motion of_a = motion_of(motions, a);
      const Motion of_b = seen_from(kind_, motion_of(motions, b), model_.frame(b), model_.frame(a));
      double gap = 0, size = negligible;
      for (std::size_t i = 0; i < of_a.size(); ++i) {
        gap = std::max(gap, std::abs(of_a[i] - of_b[i]));
        size = std::max({size, std::abs(of_a[i]), std::abs(of_b[i])});
      }
      return gap <= negligible * size || size <= negligible;
    });
  }

  const SupportModel& model_;
  MotionKind kind_;
  std::vector<FreeMotion> motions_;
};

std::string place_words(const Vec3& x) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) m", x[0], x[1], x[2]);
}

/// What joins a part to the rest of the model; "" when nothing does.
std::string joint_words(const SupportModel& model, const Part& part) {
  const auto inside = [&](Index piece) {
    return std::binary_search(part.pieces.begin(), part.pieces.end(), piece);
  };
  double n = 0;
  Vec3 middle{};
  for (const Joint& joint : model.joints()) {
    if (inside(joint.a) == inside(joint.b)) continue;
    n += joint.record.n;
    for (int d = 0; d < 3; ++d) middle[d] += joint.record.n * joint.record.middle[d];
  }
  if (n == 0) return "";
  middle *= 1 / n;
  return n == 1 ? fmt::format("; only the node at {} joins it to others", place_words(middle))
                : fmt::format("; only {:.0f} nodes around {} join it to others", n,
                              place_words(middle));
}

std::string names(const char* word, const std::set<std::string>& all) {
  if (all.empty()) return "";
  return fmt::format("{}{} {}", word, all.size() == 1 ? "" : "s", fmt::join(all, ", "));
}

class PartWords {
 public:
  PartWords(const mesh::Mesh& mesh, const SupportModel& model, const MotionKind& kind,
            const std::vector<std::string>& materials)
      : mesh_(mesh), model_(model), kind_(kind), materials_(materials) {}

  std::string sentence(const Part& part) const {
    Piece whole;
    for (Index piece : part.pieces) whole.add(model_.pieces()[static_cast<std::size_t>(piece)]);
    const Frame from = model_.frame(part.pieces.front()), frame = whole.bounds.frame();
    std::vector<Motion> motions;
    for (const Motion& motion : part.motions)
      motions.push_back(seen_from(kind_, motion, from, frame));
    return fmt::format("the part of {} cell{} around {} ({}): nothing holds {}{}", whole.n_cells,
                       whole.n_cells == 1 ? "" : "s",
                       place_words(whole.sum * (1 / static_cast<double>(whole.n_nodes))),
                       content(whole), describe(kind_, motions, frame), joint_words(model_, part));
  }

 private:
  std::string content(const Piece& part) const {
    std::set<std::string> materials, groups;
    for (Index m : part.materials)
      if (m >= 0) materials.insert(materials_[static_cast<std::size_t>(m)]);
    for (int set : part.group_sets)
      for (int g : mesh_.group_sets[static_cast<std::size_t>(set)]) {
        const mesh::Group& group = mesh_.groups[static_cast<std::size_t>(g)].group;
        if (group.dim == mesh_.dim) groups.insert(group.called());
      }
    const std::string of = names("material", materials), in = names("group", groups);
    return of + (of.empty() || in.empty() ? "" : ", ") + in;
  }

  const mesh::Mesh& mesh_;
  const SupportModel& model_;
  MotionKind kind_;
  const std::vector<std::string>& materials_;
};

}  // namespace

std::vector<std::string> free_parts(const mesh::Mesh& mesh, const fem::Constraints& constraints,
                                    const MotionKind& kind, const CellMaterials& materials,
                                    const std::vector<std::string>& material_names,
                                    const std::vector<Index>& held) {
  const Comm& comm = mesh.comm();
  const SupportModel model(comm, kind, survey_supports(mesh, constraints, kind, materials, held));
  std::string text;
  comm.agree([&] {
    if (!comm.is_root()) return;
    const PartWords words(mesh, model, kind, material_names);
    for (const Part& part : PartFinder(model, kind).find()) text += words.sentence(part) + "\n";
  });
  text = comm.broadcast(text);
  std::vector<std::string> sentences;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    sentences.push_back(text.substr(begin, end - begin));
  }
  return sentences;
}

}  // namespace trestle::physics

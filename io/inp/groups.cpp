// Makes the groups of a mesh from the sets and surfaces of a deck.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "io/inp/content.hpp"
#include "io/inp/sets.hpp"
#include "io/mesh/bytes.hpp"
#include "mesh/key_table.hpp"

namespace trestle::io {
namespace {

/// What a group holds: elements, nodes, or facets as `element * max_facets + facet`.
enum class Of { elements, nodes, facets };
constexpr std::int64_t max_facets = 6;

/// Gathers groups with their members, then gives every member its set of groups.
class Groups {
 public:
  Groups(const InpDeck& deck, InpContent& content) : deck_(deck), content_(content) {}

  /// A group of `dim` with these members. A second one of the same dimension and name must have the
  /// same members; throws MeshError at `place` otherwise.
  template <class Members>
  void add(const std::string& name, int dim, Of of, const Members& members, InpPlace place) {
    const std::vector<std::int64_t> keys(members.begin(), members.end());
    const auto [entry, is_new] = by_name_.try_emplace({dim, name}, Origin{of, place, keys.size()});
    if (!is_new) {
      if (of == Of::nodes && entry->second.of == Of::nodes && same(entry->first, keys)) return;
      deck_.files().fail(place,
                         fmt::format("{} is a set already ({}), with other members of the same "
                                     "dimension: rename one",
                                     quoted(name), deck_.files().text_of(entry->second.place)));
    }
    const auto group = static_cast<int>(content_.group_list.size());
    content_.group_list.push_back({name, dim, group + 1});
    auto& list = members_[static_cast<std::size_t>(of)];
    for (const std::int64_t key : keys) list.emplace_back(key, group);
    entry->second.group = group;
  }

  /// Gives elements their groups, and makes entities of facets and nodes that have some.
  void finish() {
    join_facets();
    for (auto& list : members_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    for_each_set(Of::elements, [&](std::int64_t element, int set) {
      const auto e = static_cast<std::size_t>(element);
      content_.block(content_.cell_of(static_cast<Index>(element)))
          .group_set[static_cast<std::size_t>(content_.element_places[e])] = set;
    });
    // Facets and points have no ids in a deck; they get those behind the elements'.
    std::int64_t tag =
        *std::max_element(content_.element_tags.begin(), content_.element_tags.end());
    for_each_set(Of::facets, [&](std::int64_t key, int set) {
      const auto element = static_cast<Index>(key / max_facets);
      const mesh::SubCell& facet =
          content_.cell_of(element).facets[static_cast<std::size_t>(key % max_facets)];
      mesh::RawBlock& block = content_.block(mesh::traits(facet.type));
      for (int a = 0; a < mesh::traits(facet.type).n_nodes; ++a)
        block.nodes.push_back(content_.node_of(element, facet.nodes[static_cast<std::size_t>(a)]));
      block.tags.push_back(++tag);
      block.group_set.push_back(set);
    });
    for_each_set(Of::nodes, [&](std::int64_t node, int set) {
      mesh::RawBlock& block = content_.block(mesh::traits(mesh::CellType::point1));
      block.nodes.push_back(node);
      block.tags.push_back(++tag);
      block.group_set.push_back(set);
    });
  }

 private:
  /// A facet that a surface names from both sides, or that an element marks, is one entity.
  void join_facets() {
    auto& facets = members_[static_cast<std::size_t>(Of::facets)];
    if (facets.empty()) return;
    const auto corners = [&](GlobalIndex element, const auto& nodes, mesh::CellType type) {
      return mesh::make_vertex_key<4>(mesh::traits(type).n_vertices, [&](int a) {
        return content_.node_of(static_cast<Index>(element), nodes[static_cast<std::size_t>(a)]);
      });
    };
    using Key = decltype(mesh::make_vertex_key<4>(0, [](int) { return GlobalIndex{}; }));
    std::map<Key, std::int64_t> element_of;  // the mark with these corners
    constexpr std::array<std::uint8_t, 4> in_order{0, 1, 2, 3};
    for (std::size_t e = 0; e < content_.element_types.size(); ++e)
      if (mesh::traits(content_.element_types[e]).dim == content_.dim - 1)
        element_of.try_emplace(
            corners(static_cast<GlobalIndex>(e), in_order, content_.element_types[e]),
            static_cast<std::int64_t>(e));
    std::map<Key, std::int64_t> facet_of;
    std::vector<std::pair<std::int64_t, int>> kept;
    for (const auto& [member, group] : facets) {
      const auto element = static_cast<Index>(member / max_facets);
      const mesh::SubCell& facet =
          content_.cell_of(element).facets[static_cast<std::size_t>(member % max_facets)];
      const Key key = corners(element, facet.nodes, facet.type);
      if (const auto mark = element_of.find(key); mark != element_of.end())
        members_[static_cast<std::size_t>(Of::elements)].emplace_back(mark->second, group);
      else
        kept.emplace_back(facet_of.try_emplace(key, member).first->second, group);
    }
    facets = std::move(kept);
  }

  struct Origin {
    Of of;
    InpPlace place;
    std::size_t n;
    int group = 0;
  };

  bool same(const std::pair<int, std::string>& key,
            const std::vector<std::int64_t>& members) const {
    const Origin& origin = by_name_.at(key);
    if (origin.n != members.size()) return false;
    std::size_t i = 0;
    for (const auto& [member, group] : members_[static_cast<std::size_t>(Of::nodes)])
      if (group == origin.group && member != members[i++]) return false;
    return true;
  }

  /// Calls found(member, set) for every member of a group, ascending.
  template <class Found>
  void for_each_set(Of of, Found found) {
    const auto& list = members_[static_cast<std::size_t>(of)];
    std::vector<int> groups;
    for (std::size_t i = 0; i < list.size(); ++i) {
      groups.push_back(list[i].second);
      if (i + 1 < list.size() && list[i + 1].first == list[i].first) continue;
      const auto [entry, is_new] =
          sets_.try_emplace(groups, static_cast<int>(content_.group_sets.size()));
      if (is_new) content_.group_sets.push_back(groups);
      found(list[i].first, entry->second);
      groups.clear();
    }
  }

  const InpDeck& deck_;
  InpContent& content_;
  std::map<std::pair<int, std::string>, Origin> by_name_;
  std::array<std::vector<std::pair<std::int64_t, int>>, 3> members_;  // (member, group)
  std::map<std::vector<int>, int> sets_;
};

/// The facets of a surface made of faces of elements.
std::vector<std::int64_t> facets_of(const InpDeck& deck, const InpBlock& block,
                                    const InpContent& content, const InpSets& elements) {
  std::vector<std::int64_t> facets;
  for (InpLines lines = deck.lines(block); lines.next();) {
    InpFields fields(lines.text());
    std::string_view item, label;
    fields.next(item);
    if (!fields.next(label))
      lines.fail(
          "expected an element or a set of elements and a face, such as S1: free surfaces are "
          "not looked for");
    for (const Index element : elements.members_of(lines, item, block.in_assembly)) {
      const mesh::CellTraits& cell = content.cell_of(element);
      const std::int64_t id = content.element_tags[static_cast<std::size_t>(element)];
      const int facet = inp_facet(cell.type, label);
      if (facet < 0)
        lines.fail(fmt::format("element {} ({}) has no face {}: its faces are S1 to S{}", id,
                               cell.name, lines.shown(label), cell.facets.size()));
      if (cell.dim != content.dim)
        lines.fail(
            fmt::format("element {} ({}) is of dimension {} in a mesh of {}: a surface takes "
                        "faces of the mesh's cells",
                        id, cell.name, cell.dim, content.dim));
      facets.push_back(max_facets * element + facet);
    }
  }
  std::sort(facets.begin(), facets.end());
  facets.erase(std::unique(facets.begin(), facets.end()), facets.end());
  return facets;
}

/// The nodes of a surface of TYPE=NODE: ids and sets, each with an area behind it or without.
std::vector<Index> nodes_of_surface(const InpDeck& deck, const InpBlock& block,
                                    const InpSets& nodes) {
  std::vector<Index> found;
  for (InpLines lines = deck.lines(block); lines.next();) {
    InpFields fields(lines.text());
    std::string_view item;
    fields.next(item);
    const std::vector<Index> more = nodes.members_of(lines, item, block.in_assembly);
    found.insert(found.end(), more.begin(), more.end());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<Index> nodes_of_elements(const InpContent& content,
                                     const std::vector<Index>& elements) {
  std::vector<Index> nodes;
  for (const Index element : elements)
    for (int a = 0; a < content.cell_of(element).n_nodes; ++a)
      nodes.push_back(static_cast<Index>(content.node_of(element, a)));
  return nodes;
}

/// The sets of nodes and of elements, each with what the keywords up to here say.
struct Sets {
  InpSets nodes, elements;
};

void read_set(const InpDeck& deck, std::size_t b, const InpContent& content, Sets& sets) {
  const InpBlock& block = deck.blocks()[b];
  const bool of_elements =
      block.keyword == InpKeyword::element || block.keyword == InpKeyword::elset;
  const char* const parameter = of_elements ? "ELSET" : "NSET";
  InpSets& own = of_elements ? sets.elements : sets.nodes;
  if (block.keyword == InpKeyword::node || block.keyword == InpKeyword::element) {
    if (block.find(parameter) != nullptr)
      own.add_range(block, deck.required(block, parameter), content.ranges[b]);
    return;
  }
  const std::string& name = deck.required(block, parameter);
  own.add_lines(block, name);
  const std::string* elements = of_elements ? nullptr : block.find("ELSET");
  if (elements != nullptr)
    own.add(block, name,
            nodes_of_elements(
                content, sets.elements.named(block.place, *elements, block.in_assembly).members));
}

void read_surface(const InpDeck& deck, const InpBlock& block, const InpContent& content,
                  const Sets& sets, Groups& groups) {
  const std::string* given = block.find("TYPE");
  const std::string type = given == nullptr ? "ELEMENT" : upper_case(*given);
  const std::string& name = deck.required(block, "NAME");
  if (block.find("COMBINE") != nullptr || (type != "ELEMENT" && type != "NODE"))
    deck.files().fail(block.place,
                      fmt::format("the surface {} is made of other surfaces or shapes "
                                  "(COMBINE, TYPE={}): read are TYPE=ELEMENT with faces "
                                  "S1 ... S6 and TYPE=NODE",
                                  quoted(name), quoted(type)));
  if (type == "NODE")
    groups.add(name, 0, Of::nodes, nodes_of_surface(deck, block, sets.nodes), block.place);
  else
    groups.add(name, content.dim - 1, Of::facets, facets_of(deck, block, content, sets.elements),
               block.place);
}

/// A group of each dimension that the elements of a set have; of cells where it is empty.
void add_element_set(const InpContent& content, const InpSet& set, Groups& groups) {
  std::array<std::vector<Index>, 4> by_dim;
  for (const Index element : set.members)
    by_dim[static_cast<std::size_t>(content.cell_of(element).dim)].push_back(element);
  for (int dim = 3; dim >= 0; --dim) {
    const std::vector<Index>& members = by_dim[static_cast<std::size_t>(dim)];
    if (!members.empty() || (set.members.empty() && dim == content.dim))
      groups.add(set.name, dim, Of::elements, members, set.place);
  }
}

}  // namespace

void read_inp_groups(const InpDeck& deck, InpContent& content) {
  Sets sets{{deck, "node", content.nodes, content.node_tags},
            {deck, "element", content.elements, content.element_tags}};
  Groups groups(deck, content);
  std::vector<std::size_t> surfaces;
  for (std::size_t b = 0; b < deck.blocks().size(); ++b) {
    const InpKeyword keyword = deck.blocks()[b].keyword;
    if (keyword == InpKeyword::surface)
      surfaces.push_back(b);
    else if (keyword != InpKeyword::instance)
      read_set(deck, b, content, sets);
  }
  for (const InpSet& set : sets.elements.all()) add_element_set(content, set, groups);
  for (const InpSet& set : sets.nodes.all())
    groups.add(set.name, 0, Of::nodes, set.members, set.place);
  for (const std::size_t b : surfaces) read_surface(deck, deck.blocks()[b], content, sets, groups);
  groups.finish();
  for (const InpSets* kind : {&sets.nodes, &sets.elements})
    content.warnings.insert(content.warnings.end(), kind->warnings().begin(),
                            kind->warnings().end());
}

}  // namespace trestle::io

// Names that could mean several groups.
#include "physics/group_lookup.hpp"

#include <gtest/gtest.h>

#include "tests/physics/model_problems.hpp"

namespace trestle::test {
namespace {

/// A box whose group xmin bears the name of another one.
mesh::Mesh renamed_box(const std::string& name) {
  mesh::Mesh mesh = *box_mesh(world(), mesh::CellType::quad4, 3, 0);
  for (mesh::LocalGroup& group : mesh.groups)
    if (group.group.name == "xmin") group.group.name = name;
  return mesh;
}

constexpr physics::Targets anything{.cells = true, .facets = true, .edges = true, .points = true};

TEST(GroupLookup, ANameOfCellsAndFacetsIsRefusedWhereBothCouldBeMeant) {
  const mesh::Mesh mesh = renamed_box("body");
  physics::GroupLookup lookup(mesh);
  EXPECT_EQ(lookup.find({"body", {}}, anything, "temperature"), nullptr);
  try {
    lookup.raise();
    ADD_FAILURE() << "accepted";
  } catch (const CaseError& error) {
    EXPECT_NE(std::string(error.what()).find("of 9 cells and of 3 facets"), std::string::npos)
        << error.what();
  }
}

TEST(GroupLookup, WhatAConditionNeedsTellsGroupsOfOneNameApart) {
  const mesh::Mesh mesh = renamed_box("body");
  physics::GroupLookup lookup(mesh);
  EXPECT_EQ(lookup.find({"body", {}}, {.cells = true}, "source")->group.dim, 2);
  EXPECT_EQ(lookup.find({"body", {}}, {.facets = true}, "flux")->group.dim, 1);
  EXPECT_NO_THROW(lookup.raise());
}

TEST(GroupLookup, ANameThatIsTheTagOfANamelessGroupOfItsDimensionIsRefused) {
  for (const bool name_first : {true, false}) {
    mesh::Mesh mesh = *box_mesh(world(), mesh::CellType::quad4, 3, 0);
    int seen = 0;
    for (mesh::LocalGroup& group : mesh.groups) {
      if (group.group.dim == 1) group.group.tag += 100;
      if (group.group.name != "xmin" && group.group.name != "ymin") continue;
      const bool named = (seen++ == 0) == name_first;
      group.group.name = named ? "1" : "";
      group.group.tag = named ? 7 : 1;
    }
    physics::GroupLookup lookup(mesh);
    EXPECT_EQ(lookup.find({"1", {}}, {.facets = true}, "flux"), nullptr);
    try {
      lookup.raise();
      ADD_FAILURE() << "accepted";
    } catch (const CaseError& error) {
      EXPECT_NE(std::string(error.what())
                    .find("a group of the mesh (tag 7, 3 facets) and the tag "
                          "of one without a name (3 facets)"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(GroupLookup, AGroupOfTheNodesOfASurfaceMayBearItsName) {
  mesh::Mesh mesh = *box_mesh(world(), mesh::CellType::quad4, 3, 0);
  mesh::LocalGroup nodes = *mesh.find_group("xmin");
  nodes.group.dim = 0;
  mesh.groups.push_back(nodes);
  physics::GroupLookup lookup(mesh);
  EXPECT_EQ(lookup.find({"xmin", {}}, anything, "temperature")->group.dim, 1);
  EXPECT_NO_THROW(lookup.raise());
}

/// What the lookup of a facet group says that is empty, alone or with all others.
std::string message_for_empty(bool all) {
  mesh::Mesh mesh = *box_mesh(world(), mesh::CellType::quad4, 3, 0);
  for (mesh::LocalGroup& group : mesh.groups)
    if (all || group.group.name == "xmin") group.n_global = 0;
  physics::GroupLookup lookup(mesh);
  EXPECT_EQ(lookup.find({"xmin", {}}, {.facets = true}, "flux"), nullptr);
  try {
    lookup.raise();
  } catch (const CaseError& error) {
    return error.what();
  }
  return "";
}

TEST(GroupLookup, AnEmptyGroupIsToldWhyItIsEmpty) {
  const std::string one = message_for_empty(false), all = message_for_empty(true);
  EXPECT_NE(one.find("it has no facets of a cell; mesh it as a part of the body"),
            std::string::npos)
      << one;
  EXPECT_NE(all.find("no element of the mesh is in any group"), std::string::npos) << all;
}

}  // namespace
}  // namespace trestle::test

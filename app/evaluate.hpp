// What a case asks of the solution beside fields: probes, integrals, extremes, and what it expects.
#pragma once

#include <vector>

#include "io/case/case.hpp"
#include "io/report/report.hpp"
#include "physics/group_lookup.hpp"
#include "physics/results/probes.hpp"

namespace trestle::app {

/// The probes of the case that lie outside the mesh. Collective; the same on all ranks.
std::vector<const io::Probe*> probes_outside(const io::Case& c, const mesh::Mesh& mesh);

/// Checks what only the mesh knows: groups of integrals, what is expected of them, and probes
/// outside of which something is expected, or all of them in a strict case. Collective; the same on
/// all ranks.
physics::GroupLookup output_mistakes(const io::Case& c, const mesh::Mesh& mesh,
                                     const std::vector<const io::Probe*>& outside);

/// Whether any output of the case is a reaction or made of reactions.
bool asks_reactions(const io::Case& c);

/// A sentence for each of the probes that lie outside the mesh. Collective; the same on all ranks.
std::vector<std::string> outside_warnings(const mesh::Mesh& mesh,
                                          const std::vector<const io::Probe*>& outside);

/// Adds the probes, integrals and extremes of one state to the report. Collective.
class Evaluation {
 public:
  Evaluation(const io::Case& c, const physics::Analysis& analysis,
             const physics::ResultPoints& points);
  void add(const physics::State& state, physics::Derived& derived, io::Report& report) const;

 private:
  const io::Case& case_;
  const physics::Analysis& analysis_;
  const physics::ResultPoints& points_;
  physics::Probes probes_;
  std::vector<int> regions_;
};

/// Gives the values of the report's probes and integrals their names and units, which those that
/// came out of a checkpoint lack. Collective.
void name_values(const io::Case& c, const physics::Analysis& analysis, io::Report& report);

/// Compares the report with what the case expects; fills report.expectations. Returns whether all
/// are met. After name_values.
bool check_expectations(const io::Case& c, io::Report& report);

}  // namespace trestle::app

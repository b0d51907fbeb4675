// What a report has gathered step by step, as part of the state of a run.
#pragma once

#include "io/report/report.hpp"
#include "solver/state_visitor.hpp"

namespace trestle::io {

/// Steps, solves, probes, integrals, extremes, norms and energy: after loading, the report is that
/// of the run up to there. Collective.
void visit(solver::StateVisitor& visitor, Report& report);

}  // namespace trestle::io

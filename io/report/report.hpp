// The report of a run: report.json (a contract), report.html (for a person) and a short table on
// the terminal.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "solver/options.hpp"

namespace trestle::io {

/// Where a rank runs and on what.
struct RankPlace {
  int rank = 0;
  std::string host;
  std::string device;  // "cpu", "debug", or the name of the card
  std::string uuid;    // of a card
  std::string compute_capability;
  std::size_t device_memory = 0;  // bytes, 0 for the cpu
};

struct MemoryItem {
  std::string item;
  std::size_t host_peak = 0;  // bytes, largest over ranks
  std::size_t device_peak = 0;
};

struct ProbeResult {
  std::string load_case;
  std::string name;
  std::string of;
  std::array<double, 3> at{};
  std::vector<double> values;  // NaN when the point lies outside
  std::string region;
  std::string note;                          // "outside the mesh ..." or empty
  double time = 0;                           // [s] of transient analyses
  std::vector<std::string> components = {};  // names of the values; {""} of a scalar
  std::string unit = {};
};
struct IntegralResult {
  std::string load_case;
  std::string name;
  std::string of;
  std::string on;
  std::vector<double> values;
  double time = 0;                           // [s]
  std::vector<std::string> components = {};  // as of a probe
  std::string unit = {};
};
struct ExtremeResult {
  std::string load_case;
  std::string of;
  std::string component;
  double minimum = 0, maximum = 0;
  std::array<double, 3> minimum_at{}, maximum_at{};
  GlobalIndex minimum_node = 0, maximum_node = 0;  // ids in the mesh file
  double time = 0;                                 // [s]
};
struct ExpectationResult {
  std::string what;  // "probe tip y"
  double value = 0, reference = 0, tolerance = 0;
  bool met = false;
};

/// A mode of free vibration; lists stand in the order of ModalResult::motions.
struct ModeResult {
  int number = 0;  // from 1
  double frequency_hz = 0;
  double eigenvalue = 0;  // [1/s^2], as computed
  std::string rigid;      // a motion without strain: "translation x" ...; "" of others
  double residual = 0;    // ||K x - lambda M x|| / ||K x||; of a rigid mode the backward error
  double modal_mass = 0;  // of the shape scaled to a largest displacement of 1 [kg]
  std::vector<double> participation;       // [sqrt(kg), sqrt(kg) m]
  std::vector<double> effective_mass;      // [kg, kg m^2]
  std::vector<double> cumulated_fraction;  // of the model's inertia, by the modes up to this one
};
struct ModalResult {
  std::string mass;                  // "consistent", "lumped"
  std::vector<std::string> motions;  // "x", "y", "z", "rx", "ry", "rz"
  std::vector<double> inertia;       // of the whole model [kg, kg m^2]
  std::array<double, 3> centre{};    // of mass [m]
  std::string eigensolver;           // "shift_invert", "lobpcg"
  double shift = 0;                  // [1/s^2]
  std::string choice;                // why this shift
  bool complete = false;             // the inertia of K - x M agrees with the number of modes
  int restarts = 0, iterations = 0, applications = 0, factorisations = 0;
  std::vector<ModeResult> modes;
};

/// Of a motion, all in J (physics/results/energy_balance.hpp).
struct StepEnergy {
  double kinetic = 0, internal = 0, external = 0, damping = 0;
  double imbalance = 0;  // relative
};

/// Of a scalar field since time 0, or per time at rest (physics/results/flow_balance.hpp).
struct StepFlows {
  double stored = 0, loads = 0, supports = 0, carried = 0;
  double imbalance = 0;  // relative
};

/// One step of a transient or non-linear analysis, accepted or refused.
struct StepResult {
  int number = 0;   // counts accepted steps from 1; of a refused one, the number it would have had
  double time = 0;  // at its end [s], or the load factor of a static analysis
  double step = 0;  // length [s]
  bool accepted = true;
  int newton_iterations = 0;
  int linear_iterations = 0;
  double residual = 0;  // out of balance, relative to the forces
  double error = 0;     // estimated, relative to the range of values; 0 where it is not known
  double wall_s = 0;
  StepEnergy energy;  // of motions
  StepFlows flows;    // of transient scalar fields
};

/// All steps together.
struct StepTotals {
  std::int64_t accepted = 0, refused = 0;
  std::int64_t newton_iterations = 0;
  double wall_s = 0;  // without output
  void add(const StepResult& step);
};

/// One start of a run, which interruptions divide into several.
struct StartResult {
  std::int64_t number = 0;  // from 1
  std::string started;      // ISO 8601, UTC
  std::string from;         // the checkpoint that it went on from; "": from the beginning
  std::int64_t from_step = 0, saved_step = 0;  // saved_step: of its last checkpoint
  int ranks = 1;
  int saves = 0, failed_saves = 0;
  double wall_s = 0;   // to its end, or its last sign of life
  double setup_s = 0;  // before its first step
  double save_s = 0;   // of all its checkpoints
  double lost_s = 0;  // after its last checkpoint, where it was interrupted: done again by the next
  std::string end;    // "completed", "failed", "stopped", "interrupted"
};

/// All starts of a run together.
struct RecoveryTotals {
  double work_s = 0;      // of all starts
  double lost_s = 0;      // done and interrupted, so that it was done again
  double repeated_s = 0;  // set-up of all starts but the first
  double save_s = 0;
  double rank_hours = 0;
  std::int64_t saves = 0, failed_saves = 0;
  /// The part of the work that was neither lost, nor repeated, nor saving.
  double goodput() const {
    return work_s > 0 ? (work_s - lost_s - repeated_s - save_s) / work_s : 1;
  }
};
RecoveryTotals totals_of(const std::vector<StartResult>& starts);

/// Filled by the app on rank 0 after one gather; on a failed run with what is known.
struct Report {
  std::string status;  // "completed", "failed", "stopped"
  int exit_code = 0;
  std::string message;  // the error, when there is one
  std::string case_file, title, version, physics, model;
  std::string started;  // ISO 8601, UTC
  std::int64_t dofs = 0, cells = 0, nodes = 0;
  int ranks = 1;
  std::string device, precision, memory_kind;
  double wall_s = 0;
  std::map<std::string, double>
      phases;  // mesh, space, assemble, setup, solve, output; max over ranks
  std::map<std::string, std::vector<double>> phases_by_rank;
  std::vector<std::int64_t> dofs_by_rank, cells_by_rank;
  std::vector<solver::SolveResult> solves;
  std::vector<std::string> solve_names;  // load cases
  std::size_t unlisted_solves = 0;       // left out between the first and the last ones
  std::vector<StepResult> steps;         // of transient and non-linear analyses; not read back
  StepTotals step_totals;
  std::optional<StepEnergy> energy;  // of the last step of a motion
  std::optional<StepFlows> flows;    // of scalar fields: at the end, or of the first load case
  std::string flows_unit;            // "J", or "W" at rest
  std::map<std::string, double> solution_l2;
  std::size_t peak_host_bytes = 0;  // largest resident set of a rank
  std::size_t peak_device_bytes = 0;
  std::vector<MemoryItem> memory;
  double stream_gb_s = 0;  // triad bandwidth of all ranks at start
  double spmv_gb_s = 0;
  std::vector<RankPlace> places;
  ModalResult modal;
  std::vector<ProbeResult> probes;
  std::vector<IntegralResult> integrals;
  std::vector<ExtremeResult> extremes;
  std::vector<ExpectationResult> expectations;
  std::vector<std::string> warnings;
  std::vector<StartResult> starts;  // of this run, the present one the last
  std::int64_t checkpoint_bytes = 0;
  std::string results_path;

  std::size_t n_solves() const { return solves.size() + unlisted_solves; }
};

/// Unknowns times solves over the seconds of the whole run.
double unknowns_per_second(const Report& report);

/// What report.json says of its own form.
constexpr int report_schema = 1;

/// report.json by the contract of docs/report.md.
std::string report_json(const Report& report);
/// One self-contained page with charts: no script or style from elsewhere; every text of the case
/// is escaped.
std::string report_html(const Report& report);
/// The table for the terminal, plain text of at most 100 columns; control characters of names are
/// escaped.
std::string report_table(const Report& report);
/// The inverse of report_json as far as report_html and report_table need; for `trestle report
/// DIR`. Throws Error(66) when it is missing, Error(65) when it is no report.
Report read_report(const std::string& path);

/// Throws as read_report, and Error(65) where the file is not whole: where it lacks a member that
/// every report of this version has, or has something else in its place.
void check_report(const std::string& path);

/// history.csv: a row for each solve.
std::string report_history(const Report& report);

/// steps.csv: a row for each step.
std::string report_steps(const Report& report);

/// Writes report.json, report.html, history.csv and, where there are steps, steps.csv into
/// `directory`, each by a temporary name, fsync and rename. Throws SystemError 73, 74, 77.
void write_report(const Report& report, const std::string& directory);

}  // namespace trestle::io

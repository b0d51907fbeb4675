// Case: everything a case file says, checked, in SI.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/comm.hpp"
#include "core/error.hpp"
#include "gpu/device.hpp"
#include "mesh/generate.hpp"
#include "mesh/mesh.hpp"
#include "physics/problem.hpp"
#include "solver/options.hpp"

namespace trestle::io {

struct MeshOptions {
  std::string file;  // absolute or relative to the working directory; "" when generated
  std::optional<mesh::BoxOptions> box;
  double scale = 1;  // metres per unit of the file
  bool states_scale = false;
  double merge_tolerance = 0;
  int order = 0;  // 0: as the file or the generator has it
  mesh::Partitioner partitioner = mesh::Partitioner::automatic;
  SourcePosition where;  // of the value of `file`, else of the section
};

enum class DeviceChoice { automatic, cpu, gpu, debug };

struct RunOptions {
  DeviceChoice device = DeviceChoice::automatic;
  gpu::Memory memory = gpu::Memory::unified;
  SourcePosition where;  // of `device` in a case
  bool strict = false;   // what is not plausible is a mistake: --strict of the command line
};

/// Whose notices of preemption a run listens to.
enum class SpotChoice { off, automatic, aws, gcp, azure };

struct StopOptions {
  SpotChoice spot = SpotChoice::automatic;
  double wall_time = 0;   // [s] of one incarnation; 0: no limit
  double kill_wait = -1;  // [s] from TERM to the kill; -1: what the launcher is known to grant
};

/// When ranks count as lost.
struct WatchdogOptions {
  double silence = 40;        // [s] without a sign of life of a rank; 0: not watched
  double no_progress = 1800;  // [s] in which no rank gets on; 0: not watched
};

struct Probe {
  std::string name;
  std::array<double, 3> at;  // [m]
  std::string of;            // a result
  SourcePosition where;
  bool plane = false;  // `at` has two places, which stand for a point of a 2D mesh
};

struct Integral {
  std::string name;
  std::string of;        // a result: integrated over cells or facets; reaction: summed over nodes
  physics::GroupRef on;  // "" : the whole body
  SourcePosition where;
};

/// Times of output that differ by this part of the end or less are one.
constexpr double same_output_time = 1e-9;

struct OutputOptions {
  std::string directory;  // "": results/<case name>
  SourcePosition where;   // of `directory`
  std::vector<std::string>
      fields;                 // results by name, default of the physics when the key is missing
  double every = 0;           // [s] of transient analyses; 0: not given
  std::vector<double> times;  // [s] the same, ascending
  std::vector<Probe> probes;
  std::vector<Integral> integrals;
};

/// When the state of a run is saved.
struct CheckpointOptions {
  enum class Rule { automatic, time, steps, never };
  std::string every = "auto";  // as in the case; read by `checkpoint_rule`
  Rule rule = Rule::automatic;
  double seconds = 0;                    // of Rule::time
  std::int64_t steps = 0;                // of Rule::steps
  double mean_time_to_interruption = 0;  // [s] 0: learnt from the run
  int keep = 3;
};

/// `expect: [{probe|integral|minimum|maximum: NAME, component, case, time, mode, value,
/// tolerance}]`, or `{mode: N, value, tolerance}` for a frequency.
struct Expectation {
  std::string kind;       // "probe", "integral", "minimum", "maximum", "mode": its frequency
  std::string name;       // of the probe or integral, or the result
  std::string component;  // "", x y z, xx yy zz xy yz xz
  std::string load_case;  // "" when there is one; "mode N" of modal, "F Hz" of harmonic analyses
  int mode = 0;           // of modal analyses, from 1; 0: not given
  std::optional<double> time;       // [s] of transient analyses; none: the end
  std::optional<double> frequency;  // [Hz] of harmonic analyses
  double value = 0;                 // SI
  double tolerance = 0;             // absolute, in the unit of value
  /// Of an integral: the texts of value and tolerance, whose unit only the mesh can judge.
  struct Text {
    std::string key, text;
    SourcePosition where;
  };
  std::vector<Text> texts;
  SourcePosition where;
};

struct Case {
  std::string file;  // as given
  std::string name;  // of the file, without folder and suffix
  std::string title;
  MeshOptions mesh;
  physics::Problem problem;
  solver::SolverOptions solver;
  SourcePosition petsc_options;   // where they stand
  SourcePosition max_iterations;  // where the case sets those of the solver
  RunOptions run;
  StopOptions stop;
  WatchdogOptions watchdog;
  OutputOptions output;
  CheckpointOptions checkpoint;
  std::vector<Expectation> expect;
  std::optional<physics::Value> exact;  // the known solution of `exact_field`
  std::string exact_field;
  std::string resolved;  // YAML with every default filled in, written beside the results
  std::vector<std::string> warnings;
};

/// Reads and checks `path` with the overrides `key.path=value` of the command line. Rank 0 reads;
/// all ranks get the same bytes. Throws CaseError with every mistake at once, Error(66) for a
/// missing file. Collective.
Case read_case(const Comm& comm, const std::string& path,
               const std::vector<std::string>& overrides = {});

/// As `read_case`, from the bytes of a file: `path` is for messages and relative paths,
/// `working_directory` makes the paths of the resolved copy absolute. Touches no file.
Case parse_case(const std::string& text, const std::string& path,
                const std::vector<std::string>& overrides, const std::string& working_directory);

/// JSON schema of the case file, and the reference page in Markdown, from the same tables as the
/// reader.
std::string case_schema();
std::string case_reference();

}  // namespace trestle::io

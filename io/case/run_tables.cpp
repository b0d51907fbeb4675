// The tables of how a case is run: solver, device, stops, watchdog and checkpoints.
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

using Kind = OptionKind;

/// A number of which -1 stands for "not given".
Option<StopOptions> limit_option(OptionInfo info, double StopOptions::*member) {
  return {std::move(info),
          [member](StopOptions& o, const OptionValue& v) { o.*member = std::get<double>(v); },
          [member](const StopOptions& o) -> OptionValue {
            if (o.*member < 0) return std::monostate{};
            return o.*member;
          }};
}

}  // namespace

const OptionTable<solver::SolverOptions>& solver_table() {
  using solver::Method, solver::Precision, solver::Preconditioner, solver::SolverOptions;
  static const OptionTable<SolverOptions> table{
      word_option(OptionInfo{.name = "method",
                             .help = "`auto` chooses by symmetry and size and says why; `petsc` "
                                     "takes `petsc_options`; `direct` factorises (MUMPS)."},
                  &SolverOptions::method,
                  {{"auto", Method::automatic},
                   {"cg", Method::cg},
                   {"minres", Method::minres},
                   {"gmres", Method::gmres},
                   {"bicgstab", Method::bicgstab},
                   {"petsc", Method::petsc},
                   {"direct", Method::direct}}),
      word_option(OptionInfo{.name = "preconditioner",
                             .help = "Of the methods `cg`, `minres`, `gmres` and `bicgstab`."},
                  &SolverOptions::preconditioner,
                  {{"auto", Preconditioner::automatic},
                   {"none", Preconditioner::none},
                   {"jacobi", Preconditioner::jacobi},
                   {"chebyshev", Preconditioner::chebyshev},
                   {"amg", Preconditioner::amg}}),
      word_option(
          OptionInfo{.name = "precision",
                     .help = "`mixed`: double, with the preconditioner in single; "
                             "`single`: the matrix in single, for a tolerance of 1e-5 or more."},
          &SolverOptions::precision,
          {{"double", Precision::double_},
           {"mixed", Precision::mixed},
           {"single", Precision::single}}),
      option(
          OptionInfo{.name = "tolerance",
                     .kind = Kind::number,
                     .help =
                         "Converged means ||b - A x|| <= tolerance ||b||. With `precision: single` "
                         "the default is 1e-5, and less is refused.",
                     .lower = 0,
                     .upper = 1,
                     .lower_open = true,
                     .upper_open = true},
          &SolverOptions::tolerance),
      int_option(OptionInfo{.name = "max_iterations",
                            .help = "More iterations than this are a failure.",
                            .lower = 1},
                 &SolverOptions::max_iterations),
      int_option(OptionInfo{.name = "restart",
                            .help = "Iterations of GMRES between restarts.",
                            .lower = 1,
                            .upper = 1000},
                 &SolverOptions::restart),
      option(OptionInfo{.name = "petsc_options",
                        .kind = Kind::texts,
                        .help = "Options of PETSc for `method: petsc`, such as `-ksp_type cg "
                                "-pc_type gamg`; a text or a list. Unused ones are errors."},
             &SolverOptions::petsc_options),
  };
  return table;
}

const OptionTable<RunOptions>& run_table() {
  static const OptionTable<RunOptions> table{
      word_option(OptionInfo{.name = "device",
                             .help = "`auto` takes a GPU where there is one; `gpu` fails without; "
                                     "`debug` is the strict stand-in for a GPU."},
                  &RunOptions::device,
                  {{"auto", DeviceChoice::automatic},
                   {"cpu", DeviceChoice::cpu},
                   {"gpu", DeviceChoice::gpu},
                   {"debug", DeviceChoice::debug}}),
      word_option(OptionInfo{.name = "memory",
                             .help = "Memory of a GPU: shared with the host, or its own."},
                  &RunOptions::memory,
                  {{"unified", gpu::Memory::unified}, {"device", gpu::Memory::device}}),
  };
  return table;
}

const OptionTable<StopOptions>& stop_table() {
  static const OptionTable<StopOptions> table{
      option(OptionInfo{.name = "wall_time",
                        .kind = Kind::number,
                        .help = "The run stops in time to have saved after so long, such as `2 h`; "
                                "0 is no limit. Where Slurm has a limit, the earlier one counts.",
                        .unit = "s",
                        .lower = 0},
             &StopOptions::wall_time),
      limit_option(OptionInfo{.name = "kill_wait",
                              .kind = Kind::number,
                              .help = "What a process has after TERM until it is killed; without "
                                      "it what mpirun grants (its odls_base_sigkill_timeout, else "
                                      "1 s), else 10 s.",
                              .unit = "s",
                              .lower = 0},
                   &StopOptions::kill_wait),
      word_option(OptionInfo{.name = "spot",
                             .help = "Whose notices of preemption the run listens to. `auto` asks "
                                     "the cloud that the firmware of the machine names, and is "
                                     "silent elsewhere; a cloud by its name must answer at the "
                                     "start."},
                  &StopOptions::spot,
                  {{"auto", SpotChoice::automatic},
                   {"off", SpotChoice::off},
                   {"aws", SpotChoice::aws},
                   {"gcp", SpotChoice::gcp},
                   {"azure", SpotChoice::azure}}),
  };
  return table;
}

const OptionTable<WatchdogOptions>& watchdog_table() {
  static const OptionTable<WatchdogOptions> table{
      option(OptionInfo{.name = "silence",
                        .kind = Kind::number,
                        .help = "A rank that gives no sign of life for so long is lost (exit code "
                                "84); 0 watches for none.",
                        .unit = "s",
                        .lower = 0},
             &WatchdogOptions::silence),
      option(OptionInfo{.name = "no_progress",
                        .kind = Kind::number,
                        .help = "A rank that neither iterates nor comes to a new phase for so long "
                                "hangs (exit code 84); longer than the longest factorisation; 0 "
                                "watches for none.",
                        .unit = "s",
                        .lower = 0},
             &WatchdogOptions::no_progress),
  };
  return table;
}

const OptionTable<CheckpointOptions>& checkpoint_table() {
  static const OptionTable<CheckpointOptions> table{
      option(OptionInfo{.name = "every",
                        .kind = Kind::text,
                        .help = "`auto`: from the time that a save takes and the time between "
                                "interruptions, 1 to 30 minutes; a time such as `10 min`; a number "
                                "of steps such as `20 steps`, or `{steps: 20}`; or `never`."},
             &CheckpointOptions::every),
      option(OptionInfo{.name = "mean_time_to_interruption",
                        .kind = Kind::number,
                        .help = "How long the machine lets a run work, on average, for `every: "
                                "auto`; 0: learnt from the interruptions of this run.",
                        .unit = "s",
                        .lower = 0},
             &CheckpointOptions::mean_time_to_interruption),
      int_option(OptionInfo{.name = "keep",
                            .help = "How many checkpoints stay: the newest ones, and an older one "
                                    "that was read back.",
                            .lower = 3,
                            .upper = 1000},
                 &CheckpointOptions::keep),
  };
  return table;
}

}  // namespace trestle::io

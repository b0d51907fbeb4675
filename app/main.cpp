// The command line of Trestle: MPI and PETSc come up, one command runs, and every failure ends all
// ranks with its code.
#include <fmt/format.h>
#include <petscsys.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

#include "app/commands/command_words.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/job_commands.hpp"
#include "app/commands/run_command.hpp"
#include "app/console.hpp"
#include "app/failure.hpp"
#include "core/comm.hpp"
#include "core/error.hpp"
#include "core/fault.hpp"
#include "core/lone_rank.hpp"
#include "core/standard_streams.hpp"
#include "jobs/status.hpp"
#include "jobs/stop/signals.hpp"
#include "jobs/watch/whereabouts.hpp"

namespace {

using trestle::Comm;
using trestle::ExitCode;

/// Programs of different MPI libraries see worlds of one rank each: the launcher's number tells.
void check_world(const Comm& comm) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* text = std::getenv(name);
    const int launched = text == nullptr ? comm.size() : std::atoi(text);
    if (launched != comm.size())
      throw trestle::Error(
          ExitCode::usage,
          fmt::format(
              "{} is {}, but MPI sees {} rank(s): the launcher belongs to another MPI than this "
              "program; use the mpirun of OpenMPI, or srun --mpi=pmix",
              name, launched, comm.size()));
  }
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (tasks != nullptr && std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && std::atoi(tasks) > 1 &&
      comm.size() == 1)
    throw trestle::Error(
        ExitCode::usage,
        fmt::format("srun started {} tasks, but each sees one rank; use srun --mpi=pmix", tasks));
}

/// Whether all ranks came here within some seconds: then the failure is everybody's.
bool all_ranks_agree(const Comm& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(comm.handle(), &request) != MPI_SUCCESS) return false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (int done = 0; std::chrono::steady_clock::now() < deadline;) {
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

/// What a run that was asked to stop returns. mpirun takes every code but 0 for a rank that failed,
/// and then waits twice as long as it would before a kill; the wrapper of jobs, which reads
/// status.json, does without the code.
int stopped_code(ExitCode code) {
  const char* given = std::getenv("TRESTLE_STOPPED_CODE");
  return given != nullptr && std::string_view(given) == "0" ? 0 : static_cast<int>(code);
}

/// Ends this rank's part of a failure: together where all ranks failed alike, else by taking all of
/// them down.
int fail(const Comm& comm, ExitCode code, const std::string& message) {
  const std::string text = trestle::app::printable(message);
  if (all_ranks_agree(comm)) {
    if (comm.is_root())
      trestle::write_to(stderr, "{}: {}\n", trestle::jobs::is_stop(code) ? "stopped" : "error",
                        text);
    return trestle::jobs::is_stop(code) ? stopped_code(code) : static_cast<int>(code);
  }
  trestle::write_to(stderr, "error on rank {}: {}\n", comm.rank(), text);
  try {
    if (!trestle::app::active_directory().empty())
      trestle::jobs::note_failure(trestle::app::active_directory(), code, message);
  } catch (const std::exception& e) {
    trestle::write_to(stderr, "and the status could not be written: {}\n", e.what());
  }
  std::fflush(nullptr);
  MPI_Abort(comm.handle(), static_cast<int>(code));
  return static_cast<int>(code);
}

int run_command(const Comm& comm, int argc, char** argv) {
  try {
    check_world(comm);
    trestle::app::require_same_words(comm, argc, argv);
    trestle::read_faults(comm.rank());
    const ExitCode code = trestle::app::command_line(comm, argc, argv);
    const bool printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (code == ExitCode::done && comm.any(!printed))
      throw trestle::SystemError(
          ExitCode::io,
          "the standard output could not be written (a full disk, or a reader that went away)");
    return static_cast<int>(code);
  } catch (...) {
    const trestle::app::Failure failure = trestle::app::current_failure();
    return fail(comm, failure.code, failure.message);
  }
}

}  // namespace

int main(int argc, char** argv) {
  trestle::fill_closed_streams();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::fputs("error: this build of Trestle needs a processor with AVX2 and FMA (x86-64-v3)\n",
               stderr);
    return static_cast<int>(ExitCode::no_device);
  }
  constexpr mode_t nothing_for_others = 027;
  umask(umask(0) | nothing_for_others);
  if (trestle::app::is_job_command(argc, argv)) return trestle::app::job_command_line(argc, argv);
  trestle::jobs::catch_signals();
  trestle::jobs::die_with_launcher();
  setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
  trestle::start_lone_rank_without_daemon();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  PETSC_COMM_WORLD = MPI_COMM_WORLD;
  char name[] = "trestle", quiet[] = "-no_signal_handler";
  char* words[] = {name, quiet, nullptr};
  char** petsc_arguments = words;
  int n_words = 2;
  PetscInitialize(&n_words, &petsc_arguments, nullptr, nullptr);
  trestle::jobs::catch_signals();  // MPI has handlers of its own
  trestle::jobs::catch_crashes();
  int code = 0;
  {
    const Comm comm(MPI_COMM_WORLD);
    trestle::jobs::whereabouts().rank = comm.rank();
    code = run_command(comm, argc, argv);
    trestle::jobs::end_with(code);
    if (trestle::fault_at("end") == trestle::Fault::fail) std::raise(SIGSEGV);
  }
  PetscFinalize();
  MPI_Finalize();
  return code;
}

// Whatever lies in a run directory as status.json and incarnations.json: it is
// read without an end in disorder, and what becomes of the job is one of four things.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "jobs/batch/batch.hpp"
#include "jobs/incarnations.hpp"
#include "jobs/slurm/requeue.hpp"
#include "jobs/status.hpp"

namespace {

/// In memory, one for each process.
std::string make_directory() {
  std::string path = "/dev/shm/trestle-fuzz-" + std::to_string(getpid());
  std::filesystem::create_directory(path);
  std::atexit([] {
    std::error_code ignored;
    const std::string path = "/dev/shm/trestle-fuzz-" + std::to_string(getpid());
    std::filesystem::remove_all(path, ignored);
  });
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trestle;
  static const std::string directory = make_directory();
  const auto put = [&](const std::string& path) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  };
  put(directory + "/status.json");
  put(directory + "/incarnations.json");
  jobs::state_of(directory);
  const jobs::FormerProgress progress = jobs::progress_of(directory);
  if (progress.step < 0) std::abort();
  jobs::state_word(jobs::read_run_state(directory));
  jobs::word(
      jobs::judge_run({.directory = directory, .launcher_code = 1, .seen = "none"}).decision);
  const jobs::Incarnations starts(directory);
  try {
    starts.attempts("000000000001.i0001");
    starts.loop();
    starts.work_s();
  } catch (const Error&) {
  }
  jobs::note_failure(directory, ExitCode::io, "the disk is full");
  if (jobs::state_of(directory) != "failed") std::abort();
  return 0;
}

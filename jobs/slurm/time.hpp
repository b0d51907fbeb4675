// Times and memory as a Slurm user writes them, read by Slurm's own rules and never as YAML
// numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trestle::jobs {

/// A value that was read, or what is wrong with its text.
struct SlurmAmount {
  std::int64_t value = 0;
  std::string fault;
  bool ok() const { return fault.empty(); }
};

/// A time limit in seconds [sbatch(1), --time]: `minutes`, `minutes:seconds`,
/// `hours:minutes:seconds`, `days-hours`, `days-hours:minutes`, `days-hours:minutes:seconds`; or a
/// quantity such as `90 min`. 0 stands for the word UNLIMITED.
SlurmAmount parse_slurm_time(std::string_view text);

/// "12:30:00", "1-00:00:00", "UNLIMITED": one way to write `seconds` that Slurm reads back the
/// same.
std::string format_slurm_time(std::int64_t seconds);

/// Memory in MiB, rounded up: `4000M`, `16G` (powers of 1024, as in Slurm), `16 GiB`, `16 GB`
/// (powers of 1000). A plain number is refused: Slurm would take it for MiB.
SlurmAmount parse_slurm_memory(std::string_view text);

}  // namespace trestle::jobs

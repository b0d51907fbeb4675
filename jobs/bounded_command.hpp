// Another program, asked for a short answer in bounded time.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace trestle::jobs {

/// The standard output of `words` (looked up on PATH), at most 64 KiB; nothing where the program is
/// missing, fails, or has not ended in time, after which it is killed. Throws nothing, and may be
/// called from any thread.
std::optional<std::string> run_bounded(const std::vector<std::string>& words,
                                       std::chrono::milliseconds limit);

}  // namespace trestle::jobs

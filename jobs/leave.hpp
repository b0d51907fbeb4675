// leave: how a thread ends the process, whatever its main thread is in.
#pragma once

#include <functional>

#include "core/error.hpp"

namespace trestle::jobs {

/// Ends this process with `code` after `last_words`, at which the launcher ends the other ranks. The
/// disk that they are written to may be what hangs: they have some seconds.
[[noreturn]] void leave(ExitCode code, std::function<void()> last_words);

}  // namespace trestle::jobs

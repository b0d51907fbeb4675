// Which device a rank works on, and the table that says so.
#pragma once

#include <string>
#include <vector>

#include "core/comm.hpp"
#include "gpu/device.hpp"
#include "io/case/case.hpp"
#include "io/report/report.hpp"

namespace trestle::app {

/// What `--device NAME` asks for. Throws Error(64) for a name that is none.
io::RunOptions device_option(const std::string& name);

/// The device of this rank: local rank modulo the visible devices. `gpu` throws SystemError(69)
/// when there is none; `automatic` takes the cpu then. Collective.
gpu::Device choose_device(const Comm& comm, const io::RunOptions& options);

/// Where each rank runs, on all ranks. Collective.
std::vector<io::RankPlace> gather_places(const Comm& comm, const gpu::Device& device);

/// A line per rank, or one for all where they are alike, and what `auto` took.
std::vector<std::string> place_lines(const std::vector<io::RankPlace>& places,
                                     const io::RunOptions& options);

}  // namespace trestle::app

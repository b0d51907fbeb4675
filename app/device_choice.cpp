#include "app/device_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/error.hpp"
#include "core/host_name.hpp"
#include "gpu/monitor.hpp"

namespace trestle::app {
namespace {

/// Fields of a place in one text, separated by newlines, and back.
std::string packed(const io::RankPlace& place) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", place.rank, place.host, place.device, place.uuid,
                     place.compute_capability, place.device_memory);
}

io::RankPlace unpacked(const std::string& text) {
  std::istringstream in(text);
  io::RankPlace place;
  std::string line;
  std::getline(in, line), place.rank = std::stoi(line);
  std::getline(in, place.host), std::getline(in, place.device), std::getline(in, place.uuid);
  std::getline(in, place.compute_capability);
  std::getline(in, line), place.device_memory = std::stoull(line);
  return place;
}

}  // namespace

io::RunOptions device_option(const std::string& name) {
  if (name == "cpu") return {io::DeviceChoice::cpu};
  if (name == "debug") return {io::DeviceChoice::debug};
  if (name == "gpu") return {io::DeviceChoice::gpu};
  throw Error(ExitCode::usage, fmt::format("--device {}: take cpu, debug or gpu", name));
}

gpu::Device choose_device(const Comm& comm, const io::RunOptions& options) {
  if (options.device == io::DeviceChoice::cpu) return gpu::make_cpu_device();
  if (options.device == io::DeviceChoice::debug) return gpu::make_debug_device(options.memory);
  const int n_devices = comm.min(gpu::cuda_device_count());
  if (n_devices == 0) {
    if (options.device == io::DeviceChoice::automatic) return gpu::make_cpu_device();
    throw SystemError(
        ExitCode::no_device,
        with_place(options.where,
                   "solver.device: gpu was asked for, but no CUDA device can be used on every "
                   "rank's machine (no card, no driver, or a build without CUDA); take cpu, or see "
                   "`trestle info`"));
  }
  gpu::Device device = gpu::make_cpu_device();
  comm.agree(
      [&] { device = gpu::make_cuda_device(comm.local_rank() % n_devices, options.memory); });
  return device;
}

std::vector<io::RankPlace> gather_places(const Comm& comm, const gpu::Device& device) {
  io::RankPlace mine{.rank = comm.rank(), .host = host_name(), .device = device.name()};
  if (const auto card = gpu::Monitor(device).status()) {
    mine.uuid = card->uuid;
    mine.compute_capability = card->compute_capability;
    mine.device_memory = card->bytes_total;
  }
  std::vector<io::RankPlace> places;
  for (const std::string& text : comm.gather(packed(mine))) places.push_back(unpacked(text));
  return places;
}

std::vector<std::string> place_lines(const std::vector<io::RankPlace>& places,
                                     const io::RunOptions& options) {
  std::vector<std::string> lines;
  if (places.empty()) return lines;
  const bool alike = std::all_of(places.begin(), places.end(), [&](const io::RankPlace& p) {
    return p.host == places.front().host && p.device == "cpu";
  });
  if (alike) {
    lines.push_back(fmt::format("{} rank{} on {}, device cpu", places.size(),
                                places.size() == 1 ? "" : "s", places.front().host));
  } else {
    for (const io::RankPlace& p : places)
      lines.push_back(fmt::format(
          "rank {} on {}: {} {} {}", p.rank, p.host, p.device, p.uuid,
          p.device_memory == 0
              ? ""
              : fmt::format("{:.0f} GB, compute capability {}",
                            static_cast<double>(p.device_memory) * 1e-9, p.compute_capability)));
  }
  if (options.device == io::DeviceChoice::automatic)
    lines.push_back(places.front().device == "cpu"
                        ? "device: auto took the CPU: no CUDA device can be used here"
                        : "device: auto took the GPU");
  return lines;
}

}  // namespace trestle::app

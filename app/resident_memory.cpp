#include "app/resident_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace trestle::app {
namespace {

/// The system counts pages in batches: so much a peak may grow where nothing did.
constexpr std::size_t rounding = 4 << 20;

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

/// `name` of the kept items of an account; 0 where there is none.
std::size_t peak_of(const gpu::MemoryAccount& account, const std::string& name) {
  const auto found = account.items().find(name);
  return found == account.items().end() ? 0 : found->second.peak;
}

/// What the arrays of an account can have taken at most at a time, without the test of the
/// bandwidth, which is over before the mesh.
std::size_t most_at_work(const gpu::MemoryAccount& account) {
  std::size_t sum = 0;
  for (const auto& [name, entry] : account.items()) sum += entry.peak;
  return std::min(account.total().peak, sum - peak_of(account, "bandwidth test"));
}

}  // namespace

std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

void ResidentMemory::begin_mesh() { peak_before_mesh_ = peak_resident_bytes(); }

void ResidentMemory::end_mesh(const mesh::Mesh& mesh) {
  peak_with_mesh_ = peak_resident_bytes();
  mesh_arrays_ = bytes_of(mesh.coordinates);
  mesh_rest_ = bytes_of(mesh.node_tags) + mesh.nodes->ids().size_bytes() +
               mesh.nodes->rows().size_bytes() + mesh.nodes->ghost_owners().size_bytes();
  for (const mesh::CellBlock& block : mesh.cells) {
    mesh_arrays_ += bytes_of(block.nodes);
    mesh_rest_ += bytes_of(block.ids) + bytes_of(block.tags) + bytes_of(block.group_set) +
                  bytes_of(block.owned);
  }
  for (const mesh::LocalGroup& group : mesh.groups)
    mesh_rest_ += bytes_of(group.entities) + bytes_of(group.nodes);
}

std::map<std::string, std::size_t> ResidentMemory::items(const gpu::Device& device) const {
  std::map<std::string, std::size_t> items{{"program and libraries", at_start_},
                                           {"mesh, ids and groups", mesh_rest_}};
  const bool on_host = device.kind() == gpu::DeviceKind::cpu;
  if (!on_host) items["mesh"] = mesh_arrays_;
  if (peak_with_mesh_ > peak_before_mesh_ + rounding)
    items["making the mesh"] = peak_with_mesh_ - at_start_;
  // What was freed may stay with the process: the largest of these explains the peak.
  const std::size_t at_work = mesh_rest_ + most_at_work(device.host_account()) +
                              (on_host ? most_at_work(device.account()) : mesh_arrays_);
  const std::size_t known =
      at_start_ +
      std::max({peak_of(device.account(), "bandwidth test"),
                items.count("making the mesh") ? items["making the mesh"] : 0, at_work});
  const std::size_t peak = peak_resident_bytes();
  items["not accounted"] = peak - std::min(peak, known);
  return items;
}

}  // namespace trestle::app

#include "io/checkpoint/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.hpp"

namespace trestle::io {
namespace {

constexpr std::size_t most_open_shards = 16;

}  // namespace

CheckpointReader::CheckpointReader(const Comm& comm, std::string path, CheckpointManifest manifest)
    : comm_(comm), path_(std::move(path)), manifest_(std::move(manifest)) {}

void CheckpointReader::fail(const std::string& what) const {
  throw Error(
      ExitCode::no_checkpoint,
      fmt::format("the checkpoint {} {}: it was written by Trestle {} for another analysis; "
                  "--overwrite begins anew",
                  path_, what, manifest_.head.version));
}

template <class T>
const T& CheckpointReader::value_of(const std::string& name) const {
  const auto found = manifest_.values.find(name);
  if (found == manifest_.values.end()) fail("has no " + name);
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) fail("has another kind of " + name);
  return *value;
}

void CheckpointReader::value(const std::string& name, double& value) {
  value = value_of<double>(name);
}
void CheckpointReader::value(const std::string& name, std::int64_t& value) {
  value = value_of<std::int64_t>(name);
}
void CheckpointReader::value(const std::string& name, std::string& value) {
  value = value_of<std::string>(name);
}

std::size_t CheckpointReader::array_of(const std::string& name, const std::string& rows,
                                       bool is_text) const {
  const auto found = std::find_if(manifest_.arrays.begin(), manifest_.arrays.end(),
                                  [&](const auto& array) { return array.name == name; });
  if (found == manifest_.arrays.end()) fail("has no " + name);
  if (found->rows != rows || found->is_text != is_text) fail("has another kind of " + name);
  return static_cast<std::size_t>(found - manifest_.arrays.begin());
}

ShardReader& CheckpointReader::shard(std::size_t s) {
  if (const auto open = shards_.find(s); open != shards_.end()) return *open->second;
  if (shards_.size() >= most_open_shards) shards_.erase(shards_.begin());
  return *(shards_[s] =
               std::make_unique<ShardReader>(path_ + "/" + shard_name(s), manifest_.shards[s]));
}

std::vector<double> CheckpointReader::read_rows(std::size_t array, Share rows) {
  const CheckpointArray& what = manifest_.arrays[array];
  std::vector<double> values(static_cast<std::size_t>(rows.count() * what.width));
  auto to = std::as_writable_bytes(std::span(values));
  for (std::size_t s = 0; s < manifest_.shards.size() && !to.empty(); ++s) {
    const Share there = manifest_.rows_of(what, s);
    const GlobalIndex first = std::max(rows.first, there.first),
                      last = std::min(rows.last, there.last);
    if (first >= last) continue;
    const auto n = static_cast<std::size_t>((last - first) * what.row_bytes());
    shard(s).read(manifest_.offset_of(array, s) + (first - there.first) * what.row_bytes(),
                  to.first(n));
    to = to.subspan(n);
  }
  return values;
}

std::string CheckpointReader::read_shared(std::size_t array) {
  const CheckpointArray& what = manifest_.arrays[array];
  std::string bytes;
  comm_.agree([&] {
    if (!comm_.is_root()) return;
    bytes.resize(static_cast<std::size_t>(what.n_rows * what.row_bytes()));
    shard(0).read(manifest_.offset_of(array, 0), std::as_writable_bytes(std::span(bytes)));
  });
  return comm_.broadcast(bytes);
}

void CheckpointReader::values(const std::string& name, std::vector<double>& values) {
  const std::string bytes = read_shared(array_of(name, "shared", false));
  values.resize(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
}

void CheckpointReader::values(const std::string& name, std::vector<std::string>& values) {
  const std::string bytes = read_shared(array_of(name, "shared", true));
  values.clear();
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
    values.push_back(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
}

const FromSlices& CheckpointReader::map_of(const solver::StateRows& rows) {
  std::unique_ptr<const FromSlices>& map = maps_[rows.of];
  if (!map) map = std::make_unique<const FromSlices>(comm_, rows.n_global, rows.ids);
  return *map;
}

void CheckpointReader::nodal(const std::string& name, solver::Vector<double>& vector) {
  const solver::StateRows rows = maps_.contains("nodes")
                                     ? solver::StateRows{"nodes", vector.map().n_global(), {}, {}}
                                     : node_rows(vector.map());
  table(name, rows,
        {static_cast<std::size_t>(vector.block()), {}, [&](std::span<const double> values) {
           std::ranges::copy(values, gpu::write(vector.values()).begin());
         }});
}

void CheckpointReader::table(const std::string& name, const solver::StateRows& rows,
                             const Table& table) {
  const std::size_t array = array_of(name, rows.of, false);
  const CheckpointArray& what = manifest_.arrays[array];
  if (what.n_rows != rows.n_global || what.width != static_cast<std::int64_t>(table.width))
    fail(fmt::format("has {} x {} values of {}, not {} x {}", what.n_rows, what.width, name,
                     rows.n_global, table.width));
  const FromSlices& map = map_of(rows);
  std::vector<double> slice;
  comm_.agree([&] { slice = read_rows(array, map.share()); });
  table.put(map.move(slice, table.width));
}

}  // namespace trestle::io

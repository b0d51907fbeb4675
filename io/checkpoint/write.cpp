#include "io/checkpoint/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>

#include "core/stopwatch.hpp"
#include "io/checkpoint/shard.hpp"
#include "io/checkpoint/store.hpp"
#include "io/roots.hpp"

namespace trestle::io {

namespace {

constexpr const char* prepared_name = "MANIFEST.json.prepared";
constexpr const char* temporary_name = "MANIFEST.json.tmp";

/// The bytes of a file that somebody has written to the disk.
void sync_path(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!file) throw file_error("open", path, errno, ExitCode::io);
  sync_file(file.number(), path);
}

/// A manifest under a name that commits nothing.
class NewManifest {
 public:
  NewManifest(std::string path, const CheckpointManifest& manifest)
      : path_(std::move(path)),
        file_(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640)) {
    if (!file_) throw file_error("create", path_, errno, ExitCode::cannot_create);
    const std::string text = manifest_text(manifest);
    write_surely(file_.number(), std::as_bytes(std::span(text)), 0, path_);
    start_writing(file_.number(), 0, static_cast<std::int64_t>(text.size()));
  }
  /// Waits for the disk.
  void finish() {
    sync_file(file_.number(), path_);
    if (file_.close() != 0) throw file_error("write", path_, errno, ExitCode::io);
  }

 private:
  std::string path_;
  FileDescriptor file_;
};

}  // namespace

struct CheckpointWriter::Rows {
  Rows(const Comm& comm, const solver::StateRows& rows)
      : owned(owned_rows(rows)), slices(comm, rows.n_global, owned.ids, "row of " + rows.of) {
    std::vector<GlobalIndex> firsts = comm.all_gather(slices.share().first);
    firsts.push_back(rows.n_global);
    splits = std::move(firsts);
    // Where the owned rows stand first, as those of nodes do, they need not be copied.
    first_are_owned = true;
    for (std::size_t i = 0; i < owned.rows.size(); ++i)
      first_are_owned = first_are_owned && owned.rows[i] == static_cast<Index>(i);
  }

  /// [held row, width] -> [row of the slice, width]. Collective.
  std::vector<double> to_slice(std::span<const double> held, std::size_t width) const {
    if (first_are_owned) return slices.move(held.first(owned.rows.size() * width), width);
    std::vector<double> values(owned.rows.size() * width);
    for (std::size_t i = 0; i < owned.rows.size(); ++i)
      std::copy_n(held.begin() + owned.rows[i] * static_cast<std::ptrdiff_t>(width), width,
                  values.begin() + static_cast<std::ptrdiff_t>(i * width));
    return slices.move(std::span<const double>(values), width);
  }

  OwnedRows owned;
  ToSlices slices;
  std::vector<GlobalIndex> splits;  // of shards
  bool first_are_owned = false;
};

/// Lists what there is (without a shard), or writes it.
class CheckpointWriter::Visitor final : public solver::StateVisitor {
 public:
  Visitor(CheckpointWriter& writer, CheckpointManifest& manifest, ShardWriter* shard)
      : writer_(writer), manifest_(manifest), shard_(shard) {}

  bool loading() const override { return false; }
  void value(const std::string& name, double& value) override { manifest_.values[name] = value; }
  void value(const std::string& name, std::int64_t& value) override {
    manifest_.values[name] = value;
  }
  void value(const std::string& name, std::string& value) override {
    manifest_.values[name] = value;
  }
  void values(const std::string& name, std::vector<double>& values) override {
    add({name, "shared", false, static_cast<GlobalIndex>(values.size()), 1});
    if (writer_.comm_.is_root()) append(std::as_bytes(std::span(values)));
  }
  void values(const std::string& name, std::vector<std::string>& values) override {
    std::string all;
    for (const std::string& text : values) all += text + '\0';
    add({name, "shared", true, static_cast<GlobalIndex>(all.size()), 1});
    if (writer_.comm_.is_root()) append(std::as_bytes(std::span(all)));
  }
  void nodal(const std::string& name, solver::Vector<double>& vector) override {
    const Rows& map =
        known("nodes") ? *writer_.rows_.at("nodes") : writer_.rows_of(node_rows(vector.map()));
    add({name, "nodes", false, map.splits.back(), vector.block()});
    if (writing()) {
      const auto values = gpu::read(vector.values());
      write(name, map, std::as_const(values).span(), static_cast<std::size_t>(vector.block()));
    }
  }
  void table(const std::string& name, const solver::StateRows& rows, const Table& table) override {
    const Rows& map = writer_.rows_of(rows);
    add({name, rows.of, false, rows.n_global, static_cast<std::int64_t>(table.width)});
    if (writing()) write(name, map, table.take(), table.width);
  }

  /// Every exchange is made on all ranks, whatever fails on one; what failed first.
  const std::exception_ptr& failure() const { return failure_; }

 private:
  bool writing() const { return writing_; }
  bool known(const std::string& rows) const { return writer_.rows_.contains(rows); }
  void add(CheckpointArray array) {
    if (writing()) return;
    if (array.rows != "shared") manifest_.splits[array.rows] = writer_.rows_.at(array.rows)->splits;
    manifest_.arrays.push_back(std::move(array));
  }
  void append(std::span<const std::byte> bytes) {
    if (!writing() || failure_) return;
    try {
      shard_->append(bytes);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void write(const std::string& name, const Rows& map, std::span<const double> held,
             std::size_t width) {
    const std::vector<double> slice = map.to_slice(held, width);
    if (!failure_) failure_ = fault_of(name, map, slice, width);
    append(std::as_bytes(std::span(slice)));
  }

  /// Values that are not finite. One look at all of them, without a way out, is the quickest.
  static std::exception_ptr fault_of(const std::string& name, const Rows& map,
                                     std::span<const double> slice, std::size_t width) {
    constexpr double largest = std::numeric_limits<double>::max();
    int n_bad = 0;
    for (const double value : slice) n_bad += std::abs(value) <= largest ? 0 : 1;
    if (n_bad == 0) return nullptr;
    const auto bad =
        std::ranges::find_if(slice, [](double value) { return !std::isfinite(value); });
    const auto row =
        static_cast<GlobalIndex>(static_cast<std::size_t>(bad - slice.begin()) / width);
    return std::make_exception_ptr(
        NumericalError(ExitCode::not_a_number,
                       fmt::format("{} is {} in row {} of {}: a checkpoint does not take it", name,
                                   *bad, map.slices.share().first + row, map.splits.back())));
  }

  CheckpointWriter& writer_;
  CheckpointManifest& manifest_;
  ShardWriter* shard_;
  const bool writing_ = shard_ != nullptr;
  std::exception_ptr failure_;
};

CheckpointWriter::CheckpointWriter(const Comm& comm, std::string folder)
    : comm_(comm), folder_(std::move(folder)) {}

CheckpointWriter::~CheckpointWriter() = default;

const CheckpointWriter::Rows& CheckpointWriter::rows_of(const solver::StateRows& rows) {
  std::unique_ptr<const Rows>& found = rows_[rows.of];
  if (!found) found = std::make_unique<const Rows>(comm_, rows);
  return *found;
}

CheckpointManifest CheckpointWriter::measure(const VisitState& visit) {
  CheckpointManifest manifest;
  manifest.n_ranks = comm_.size();
  Visitor visitor(*this, manifest, nullptr);
  visit(visitor);
  for (int s = 0; s < comm_.size(); ++s) {
    std::int64_t bytes = 0;
    for (const CheckpointArray& array : manifest.arrays)
      bytes += manifest.rows_of(array, static_cast<std::size_t>(s)).count() * array.row_bytes();
    manifest.shards.push_back({bytes, {}});
  }
  return manifest;
}

void CheckpointWriter::make_folder(const std::string& path, std::int64_t bytes) const {
  require_in_roots(path);
  struct stat status {};
  if (lstat(folder_.c_str(), &status) == 0 && S_ISLNK(status.st_mode))
    throw file_error("make", path, ELOOP, ExitCode::permission);
  for (const std::string& one : {folder_, path})
    if (mkdir(one.c_str(), 0750) != 0 && (errno != EEXIST || one == path))
      throw file_error("make", one, errno, ExitCode::cannot_create);
  const std::optional<double> free = free_space(path);
  if (free && *free < 1.1 * static_cast<double>(bytes))
    throw file_error(fmt::format("save {} bytes (there are {:.0f}) in", bytes, *free), path, ENOSPC,
                     ExitCode::io);
}

void CheckpointWriter::write(CheckpointManifest& manifest, ShardWriter& shard,
                             const VisitState& visit) {
  Visitor visitor(*this, manifest, &shard);
  visit(visitor);
  comm_.raise_if_any(visitor.failure());
  std::string blocks;
  const CheckpointShard mine = shard.seal();
  for (const std::string& block : mine.blocks) blocks += block;
  const std::vector<std::string> all = comm_.gather(blocks);
  for (std::size_t s = 0; s < all.size(); ++s)
    for (std::size_t i = 0; i < all[s].size(); i += 32)
      manifest.shards[s].blocks.push_back(all[s].substr(i, 32));
}

SavedCheckpoint CheckpointWriter::save(const CheckpointHead& head, const VisitState& visit,
                                       const std::function<void()>& fence) {
  return make(head, visit, true, [&](const std::string& path) {
    const std::string name = path + "/" + manifest_name;
    if (fence) fence();
    if (rename((path + "/" + temporary_name).c_str(), name.c_str()) != 0)
      throw file_error("create", name, errno, ExitCode::io);
    sync_folder(path);  // the names of the shards too: without them it is no checkpoint
    sync_folder(folder_);
  });
}

SavedCheckpoint CheckpointWriter::prepare(const CheckpointHead& head, const VisitState& visit) {
  return make(head, visit, false, {});
}

SavedCheckpoint CheckpointWriter::make(const CheckpointHead& head, const VisitState& visit,
                                       bool to_disk,
                                       const std::function<void(const std::string&)>& commit) {
  const Stopwatch watch;
  CheckpointManifest manifest = measure(visit);
  manifest.head = head;
  SavedCheckpoint saved{checkpoint_name(head.step, head.incarnation), manifest.bytes()};
  const std::string path = folder_ + "/" + saved.name;
  const auto rank = static_cast<std::size_t>(comm_.rank());
  bool made = false;
  try {
    comm_.agree([&] {
      if (!comm_.is_root()) return;
      make_folder(path, saved.bytes);
      made = true;
    });
    std::optional<ShardWriter> shard;
    comm_.agree([&] { shard.emplace(path + "/" + shard_name(rank), manifest.shards[rank].bytes); });
    write(manifest, *shard, visit);
    comm_.agree([&] {
      if (!comm_.is_root()) return shard->finish(to_disk);
      NewManifest text(path + "/" + (to_disk ? temporary_name : prepared_name), manifest);
      shard->finish(to_disk);
      if (to_disk) text.finish();  // after the shard: one commit of a journal may have both
    });
    comm_.agree([&] {
      if (comm_.is_root() && commit) commit(path);
    });
  } catch (...) {
    if (made) remove_checkpoint(folder_, saved.name);
    throw;
  }
  saved.seconds = comm_.max(watch.seconds());
  return saved;
}

void commit_prepared(const std::string& path) {
  const std::string prepared = path + "/" + prepared_name, name = path + "/" + manifest_name;
  const CheckpointManifest manifest =
      parse_manifest(read_text_file(prepared, manifest_limit), prepared);
  for (std::size_t s = 0; s < manifest.shards.size(); ++s) {
    const std::string shard = path + "/" + shard_name(s);
    ShardReader(shard, manifest.shards[s]).check_blocks(0, manifest.shards[s].blocks.size(), false);
    sync_path(shard);
  }
  sync_path(prepared);
  sync_folder(path);
  if (rename(prepared.c_str(), name.c_str()) != 0)
    throw file_error("create", name, errno, ExitCode::io);
  sync_folder(path);
  sync_folder(folder_of(path));
}

}  // namespace trestle::io

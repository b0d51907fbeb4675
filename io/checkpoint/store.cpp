#include "io/checkpoint/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "io/checkpoint/shard.hpp"
#include "io/files.hpp"

namespace trestle::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* verified_name = "VERIFIED";

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || text[0] == '-')
    return std::nullopt;
  return number;
}

/// Step and incarnation in a name; nothing where it is no checkpoint's.
std::optional<CheckpointEntry> parse_name(const std::string& name) {
  const std::size_t dot = name.find(".i");
  if (dot == std::string::npos || dot < 12) return std::nullopt;
  const auto step = number_in(std::string_view(name).substr(0, dot));
  const auto incarnation = number_in(std::string_view(name).substr(dot + 2));
  if (!step || !incarnation || checkpoint_name(*step, *incarnation) != name) return std::nullopt;
  return CheckpointEntry{name, *step, *incarnation};
}

/// Calls look(name) for all in a folder; where it cannot be read there is nothing.
template <class Look>
void for_each_name(const std::string& folder, const Look& look) {
  std::error_code error;
  for (fs::directory_iterator item(folder, error), end; !error && item != end;
       item.increment(error))
    look(item->path().filename().string());
}

/// What fails is left for the next time.
void remove_folder(const std::string& path) noexcept {
  try {
    std::error_code error;
    fs::remove_all(path, error);
  } catch (const std::exception&) {
  }
}

std::string reason_of(const std::exception_ptr& failure, bool& damaged) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& e) {
    damaged = e.code() == ExitCode::no_checkpoint || e.code() == ExitCode::no_input ||
              e.code() == ExitCode::mesh;
    return e.what();
  }
}

}  // namespace

std::string checkpoint_name(std::int64_t step, std::int64_t incarnation) {
  return fmt::format("{:012}.i{:04}", step, incarnation);
}

std::vector<CheckpointEntry> list_checkpoints(const std::string& folder) {
  std::vector<CheckpointEntry> entries;
  for_each_name(folder, [&](const std::string& name) {
    std::optional<CheckpointEntry> entry = parse_name(name);
    if (!entry) return;
    std::error_code error;
    entry->committed = fs::exists(folder + "/" + name + "/" + manifest_name, error);
    entry->verified = fs::exists(folder + "/" + name + "/" + verified_name, error);
    entries.push_back(*entry);
  });
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.step, a.incarnation) > std::pair(b.step, b.incarnation);
  });
  return entries;
}

std::int64_t last_incarnation(const std::string& folder) {
  std::int64_t last = 0;
  for_each_name(folder, [&](const std::string& name) {
    const std::size_t dot = name.find(".i");
    if (dot == std::string::npos) return;
    const std::string tail = name.substr(dot + 2);
    if (const auto number = number_in(tail.substr(0, tail.find('.'))))
      last = std::max(last, *number);
  });
  return last;
}

bool ever_committed(const std::string& folder) {
  bool any = false;
  for_each_name(folder, [&](const std::string& name) {
    std::error_code error;
    any = any || name.ends_with(".bad") || name == "LATEST" ||
          fs::exists(folder + "/" + name + "/" + manifest_name, error);
  });
  return any;
}

void remove_checkpoint(const std::string& folder, const std::string& name) noexcept {
  try {
    const std::string from = folder + "/" + name, to = from + ".del";
    remove_folder(to);
    if (rename(from.c_str(), to.c_str()) == 0) return remove_folder(to);
    // Without another name: the manifest goes first.
    unlink((from + "/" + manifest_name).c_str());
    remove_folder(from);
  } catch (const std::exception&) {
  }
}

void mark_bad(const std::string& folder, const std::string& name) noexcept {
  try {
    const std::string from = folder + "/" + name;
    for (int n = 0; n < 100; ++n) {
      const std::string to = from + (n == 0 ? ".bad" : fmt::format(".{}.bad", n));
      if (fs::exists(fs::symlink_status(to))) continue;
      if (rename(from.c_str(), to.c_str()) != 0) return;
      return;
    }
  } catch (const std::exception&) {
  }
}

void mark_verified(const std::string& folder, const std::string& name) noexcept {
  try {
    const FileDescriptor file(open((folder + "/" + name + "/" + verified_name).c_str(),
                                   O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0640));
  } catch (const std::exception&) {
  }
}

void remove_leftovers(const std::string& folder) noexcept {
  try {
    std::vector<std::string> names;
    for_each_name(folder, [&](const std::string& name) {
      if (name.ends_with(".del")) names.push_back(name);
    });
    for (const std::string& name : names) remove_folder(folder + "/" + name);
    for (const CheckpointEntry& entry : list_checkpoints(folder))
      if (!entry.committed) remove_checkpoint(folder, entry.name);
  } catch (const std::exception&) {
  }
}

int prune_checkpoints(const std::string& folder, int keep, const std::string& protect) noexcept {
  try {
    std::vector<CheckpointEntry> entries = list_checkpoints(folder);
    std::erase_if(entries, [](const auto& entry) { return !entry.committed; });
    const auto newest = static_cast<std::size_t>(keep - 1);
    if (entries.size() <= newest + 1) return 0;
    const auto older = entries.begin() + static_cast<std::ptrdiff_t>(newest);
    auto anchor = std::find_if(older, entries.end(), [](const auto& e) { return e.verified; });
    if (anchor == entries.end()) anchor = older;
    int removed = 0;
    for (auto entry = older; entry != entries.end(); ++entry) {
      if (entry == anchor || entry->name == protect) continue;
      remove_checkpoint(folder, entry->name);
      ++removed;
    }
    return removed;
  } catch (const std::exception&) {
    return 0;
  }
}

CheckpointCheck check_checkpoint(const Comm& comm, const std::string& path, bool from_disk) {
  CheckpointCheck check;
  std::string text;
  const std::string manifest = path + "/" + manifest_name;
  std::exception_ptr failure;
  try {
    comm.agree([&] {
      if (comm.is_root()) text = read_text_file(manifest, manifest_limit);
    });
    text = comm.broadcast(text);
    check.manifest = parse_manifest(text, manifest);
    comm.agree([&] {
      std::int64_t first = 0;  // block of this shard among all blocks
      std::int64_t n_blocks = 0;
      for (const CheckpointShard& shard : check.manifest.shards)
        n_blocks += static_cast<std::int64_t>(shard.blocks.size());
      const Share mine = share_of(n_blocks, comm.rank(), comm.size());
      for (std::size_t s = 0; s < check.manifest.shards.size(); ++s) {
        const CheckpointShard& shard = check.manifest.shards[s];
        const auto last = first + static_cast<std::int64_t>(shard.blocks.size());
        const std::int64_t from = std::max(first, mine.first), to = std::min(last, mine.last);
        // Empty shards are looked at by all.
        if (from < to || first == last) {
          ShardReader reader(path + "/" + shard_name(s), shard);
          if (from < to)
            reader.check_blocks(static_cast<std::size_t>(from - first),
                                static_cast<std::size_t>(to - first), from_disk);
        }
        first = last;
      }
    });
  } catch (const Error&) {
    failure = std::current_exception();
  }
  if (failure) check.fault = reason_of(failure, check.damaged);
  return check;
}

}  // namespace trestle::io

#include "app/state/restart.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/case/compare.hpp"
#include "io/checkpoint/store.hpp"

namespace trestle::app {
namespace {

namespace fs = std::filesystem;

constexpr int most_attempts = 2;  // to go on from one checkpoint

/// Why a run of this case does not go on from a checkpoint behind its end; "" where it does.
std::string beyond_end(const io::Case& c, const io::CheckpointHead& head) {
  const double end = c.problem.analysis.end;
  if (c.problem.analysis.type != physics::AnalysisType::transient || head.time <= end * (1 + 1e-9))
    return "";
  return fmt::format("its time, {:g} s, lies behind the end of the case, {:g} s", head.time, end);
}

/// The case of a checkpoint as this version reads it, so that keys which an older one did not know
/// have their defaults.
std::string as_read_now(const std::string& text) {
  try {
    return io::parse_case(text, "the case of the checkpoint", {}, "/").resolved;
  } catch (const Error&) {  // its words are others now: the differences show which
    return text;
  }
}

/// Throws where the case has changed in what it may not; a note for what it may.
std::vector<std::string> check_case(const io::Case& c, const io::CheckpointHead& head,
                                    const std::string& name) {
  std::vector<io::CaseDifference> refused, allowed;
  for (const io::CaseDifference& difference :
       io::compare_cases(as_read_now(head.case_text), c.resolved))
    (difference.allowed ? allowed : refused).push_back(difference);
  if (!refused.empty())
    throw Error(ExitCode::no_checkpoint,
                fmt::format("the case is not that of checkpoint {}; it may change its title, end, "
                            "output, expectations, checkpoint, stop, watchdog, and the solver's "
                            "tolerance, max_iterations, precision, device and memory, not "
                            "these:\n{}\nSet them back, take another --output, or begin anew with "
                            "--overwrite",
                            name, io::to_string(refused)));
  if (allowed.empty()) return {};
  return {"the case has changed since the checkpoint:\n" + io::to_string(allowed)};
}

/// Names on all ranks, the newest first. Collective.
std::vector<std::string> committed_names(const Comm& comm, const std::string& folder) {
  std::string all;
  comm.agree([&] {
    if (!comm.is_root()) return;
    for (const io::CheckpointEntry& entry : io::list_checkpoints(folder))
      if (entry.committed) all += entry.name + "\n";
  });
  all = comm.broadcast(all);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < all.size(); begin = all.find('\n', begin) + 1)
    names.push_back(all.substr(begin, all.find('\n', begin) - begin));
  return names;
}

class Choice {
 public:
  Choice(const Comm& comm, const io::Case& c, RunDirectory& directory)
      : comm_(comm), case_(c), directory_(directory) {}

  /// The newest in `folder` that is whole. Collective.
  std::optional<Restart> newest(const std::string& folder, bool count_attempts) {
    std::vector<std::string> names = committed_names(comm_, folder);
    std::vector<std::string> tried_before;
    if (count_attempts)
      for (const std::string& name : names)
        if (n_attempts(name) >= most_attempts) tried_before.push_back(name);
    if (tried_before.size() < names.size())
      for (const std::string& name : tried_before) {
        std::erase(names, name);
        notes_.push_back(
            fmt::format("checkpoint {} is passed over: {} starts from it ended without a newer one",
                        name, n_attempts(name)));
      }
    for (const std::string& name : names)
      if (std::optional<Restart> restart = take(folder, name)) return restart;
    return std::nullopt;
  }

  /// The one called `name`, unless something is wrong with it. Collective.
  std::optional<Restart> take(const std::string& folder, const std::string& name) {
    io::CheckpointCheck check = io::check_checkpoint(comm_, folder + "/" + name);
    if (!check.fault.empty()) {
      if (check.damaged && comm_.is_root()) io::mark_bad(folder, name);
      notes_.push_back(fmt::format("checkpoint {} is skipped{}: {}", name,
                                   check.damaged ? " and renamed to .bad" : "", check.fault));
      return std::nullopt;
    }
    if (const std::string why = beyond_end(case_, check.manifest.head); !why.empty()) {
      notes_.push_back(fmt::format("checkpoint {} is skipped: {}", name, why));
      return std::nullopt;
    }
    for (std::string& note : check_case(case_, check.manifest.head, name))
      notes_.push_back(std::move(note));
    return Restart{name, folder + "/" + name, std::move(check.manifest), std::move(notes_)};
  }

  std::string notes() const {
    std::string all;
    for (const std::string& note : notes_) all += "\n  " + note;
    return all;
  }

 private:
  int n_attempts(const std::string& name) {
    int n = 0;
    if (comm_.is_root()) n = directory_.incarnations().attempts(name);
    return comm_.max(n);
  }

  const Comm& comm_;
  const io::Case& case_;
  RunDirectory& directory_;
  std::vector<std::string> notes_;
};

/// Takes those that are newer than `name` out of the way, all where it is not here: time begins
/// anew at that checkpoint.
void set_newer_aside(const std::string& folder, const std::string& name) {
  for (const io::CheckpointEntry& entry : io::list_checkpoints(folder)) {
    if (entry.name == name) return;
    const std::string from = folder + "/" + entry.name;
    if (rename(from.c_str(), (from + ".aside").c_str()) != 0)
      throw io::file_error("rename", from, errno, ExitCode::cannot_create);
  }
}

std::optional<Restart> choose_named(Choice& choice, const Comm& comm, RunDirectory& directory,
                                    std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  int kind = 0;  // 1: a checkpoint, 2: a run
  comm.agree([&] {
    if (!comm.is_root()) return;
    require_readable_run(path);
    kind = fs::exists(path + "/" + io::manifest_name) ? 1 : fs::exists(path + "/ckpt") ? 2 : 0;
  });
  kind = comm.max(kind);
  std::optional<Restart> restart;
  if (kind == 1)
    restart = choice.take(
        fs::path(path).parent_path().string().empty() ? "." : fs::path(path).parent_path().string(),
        fs::path(path).filename().string());
  if (kind == 2) restart = choice.newest(path + "/ckpt", false);
  if (!restart)
    throw Error(
        ExitCode::no_checkpoint,
        fmt::format("--restart {}: there is no checkpoint to go on from{}", path, choice.notes()));
  comm.agree([&] {
    if (!comm.is_root()) return;
    std::error_code error;
    const bool here =
        fs::equivalent(fs::path(restart->path).parent_path(), directory.checkpoints(), error);
    set_newer_aside(directory.checkpoints(), here ? restart->name : "");
  });
  return restart;
}

}  // namespace

std::optional<Restart> choose_restart(const Comm& comm, const io::Case& c, RunDirectory& directory,
                                      const std::string& path) {
  Choice choice(comm, c, directory);
  if (!path.empty()) return choose_named(choice, comm, directory, path);
  if (!directory.takes_up()) return std::nullopt;
  bool steps_done = false;
  if (comm.is_root())
    steps_done = directory.had_checkpoint() || io::ever_committed(directory.checkpoints());
  std::optional<Restart> restart = choice.newest(directory.checkpoints(), true);
  if (restart || !comm.any(steps_done)) return restart;
  throw Error(
      ExitCode::no_checkpoint,
      fmt::format("{} has no checkpoint to go on from although its run had made some; it is "
                  "not begun again from the start by itself: --overwrite does that{}",
                  directory.path(), choice.notes()));
}

}  // namespace trestle::app

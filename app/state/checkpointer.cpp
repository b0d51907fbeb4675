#include "app/state/checkpointer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/measure.hpp"
#include "io/checkpoint/interval.hpp"
#include "io/checkpoint/read.hpp"
#include "io/checkpoint/store.hpp"
#include "io/mesh/hash.hpp"
#include "io/report/state.hpp"
#include "io/version.hpp"
#include "jobs/utc_time.hpp"

namespace trestle::app {
namespace {

using Rule = io::CheckpointOptions::Rule;
using Level = jobs::StopLevel;

constexpr int most_failures = 5;        // saves in a row that may fail
constexpr double longest_wait = 60;     // after a save that failed [s]
constexpr int verified_every = 10;      // saves
constexpr double most_overhead = 0.02;  // of states that are kept ready, and saves for silence
constexpr double long_silence = 10;     // of a run that may be asked to stop [s]
constexpr double quiet_between = 10;    // lines about checkpoints on the terminal [s]

/// Errors that a later save may not meet again.
bool may_pass(ExitCode code) {
  return code == ExitCode::io || code == ExitCode::cannot_create || code == ExitCode::permission ||
         code == ExitCode::system || code == ExitCode::no_checkpoint;
}

}  // namespace

Checkpointer::Checkpointer(const Parts& parts, std::optional<Restart> restart)
    : parts_(parts),
      restart_(std::move(restart)),
      writer_(parts.comm, parts.directory.checkpoints()) {
  if (!restart_) return;
  protected_ = restart_->name;
  for (const std::string& note : restart_->notes) warn({note}, parts_.console, parts_.report);
}

void Checkpointer::use_mesh(const mesh::Mesh& mesh, std::int64_t n_dofs) {
  n_dofs_ = n_dofs;
  if (!enabled() && !restart_) return;
  mesh_hash_ = io::mesh_hash(mesh);
  if (restart_ && restart_->manifest.head.mesh_hash != mesh_hash_)
    throw Error(ExitCode::no_checkpoint,
                fmt::format("the mesh is not that of checkpoint {} (fingerprint {}, not {}): a run "
                            "goes on with its own mesh only; put the former mesh back, or begin "
                            "anew with --overwrite",
                            restart_->name, mesh_hash_, restart_->manifest.head.mesh_hash));
}

/// Checkpoints are one more than are kept while the newest is written.
void Checkpointer::forecast(const io::VisitState& visit) {
  const double save = enabled() ? static_cast<double>(writer_.bytes_of(with_report(visit))) : 0;
  double there = 0, free = 0;
  parts_.comm.agree([&] {
    if (!parts_.comm.is_root()) return;
    const std::string& folder = parts_.directory.checkpoints();
    there = static_cast<double>(io::list_checkpoints(folder).size());
    free = io::free_space(parts_.directory.path()).value_or(std::numeric_limits<double>::max());
  });
  const double saves = save * std::max(1.0, parts_.c.checkpoint.keep + 1.0 - there);
  if (!parts_.comm.any(parts_.comm.is_root() && results_bytes_ + saves > free)) return;
  warn({fmt::format(
           "the disk of {} has {:.3g} MB left and will not hold what is planned: {:.3g} MB "
           "of results and {:.3g} MB of checkpoints ({:.3g} MB each); free some space, "
           "write elsewhere (--output), or give a longer output.every",
           parts_.directory.path(), 1e-6 * free, 1e-6 * results_bytes_, 1e-6 * saves, 1e-6 * save)},
       parts_.console, parts_.report);
}

bool Checkpointer::begin(const io::VisitState& visit) {
  forecast(visit);
  RunDirectory& directory = parts_.directory;
  parts_.comm.agree([&] {
    if (!parts_.comm.is_root()) return;
    jobs::Incarnation& present = directory.incarnations().present();
    present.entered = true;
    present.setup_s = present.wall_s = work_s();
    if (restart_) {
      present.from = restart_->name;
      present.from_step = present.saved_step = restart_->manifest.head.step;
    }
    directory.incarnations().write();
  });
  last_save_ = Clock::now();
  if (!restart_) return false;
  io::CheckpointReader reader(parts_.comm, restart_->path, restart_->manifest);
  io::visit(reader, parts_.report);
  visit(reader);
  saved_step_ = restart_->manifest.head.step;
  if (parts_.comm.is_root()) io::mark_verified(directory.checkpoints(), restart_->name);
  const io::CheckpointHead& head = restart_->manifest.head;
  parts_.console.line(fmt::format("goes on from checkpoint {}: step {}, {:g}, written on {} rank{}",
                                  restart_->name, head.step, head.time, restart_->manifest.n_ranks,
                                  restart_->manifest.n_ranks == 1 ? "" : "s"));
  restart_->manifest.shards.clear();
  last_save_ = Clock::now();
  return true;
}

double Checkpointer::interval() const {
  const io::CheckpointOptions& options = parts_.c.checkpoint;
  if (options.rule == Rule::time) return options.seconds;
  double mean = options.mean_time_to_interruption;
  if (mean == 0 && parts_.comm.is_root()) {  // which alone asks when to save
    const jobs::Incarnations& all = parts_.directory.incarnations();
    // This one is at work, not interrupted.
    mean = io::learnt_time_to_interruption(all.work_s() + work_s(), all.n_interruptions() - 1);
  }
  const double best = io::checkpoint_interval(io::save_cost(costs_), mean);
  if (silence_ < long_silence) return best;
  return std::min(best, std::max(1.0, io::save_cost(costs_) / most_overhead));
}

bool Checkpointer::is_due(const Progress& progress) const {
  if (wait_ > 0) return seconds_since(last_save_) >= wait_;
  if (parts_.c.checkpoint.rule == Rule::steps)
    return progress.step % parts_.c.checkpoint.steps == 0;
  // What was taken up is saved soon, so that starts that are short come forward too.
  if (n_saves_ == 0 && parts_.directory.incarnation() > 1) return true;
  return seconds_since(last_save_) >= interval();
}

Checkpointer::Why Checkpointer::decide(const Progress& progress,
                                       const jobs::StopRequest& request) const {
  if (!enabled() || saved_step_ == progress.step || progress.step == 0) return Why::not_now;
  if (request.level == Level::terminate && request.remaining_s && *request.remaining_s < cost())
    return Why::not_now;
  if (request.level != Level::none) return Why::asked;
  if (progress.done) return Why::end;
  return is_due(progress) ? Why::due : Why::not_now;
}

void Checkpointer::after_step(const Progress& progress, const jobs::StopRequest& request,
                              const io::VisitState& visit, Timers& timers) {
  const Comm& comm = parts_.comm;
  // The clocks of the ranks differ: rank 0 decides.
  const int decided = comm.max(comm.is_root() ? static_cast<int>(decide(progress, request)) : 0);
  const Why why = static_cast<Why>(decided);
  bool saved = saved_step_ == progress.step;
  if (why != Why::not_now) {
    const auto scope = timers.time("checkpoint");
    saved = save(progress, visit);
    const bool forced = request.level >= Level::stop;
    if (!saved && (forced || n_failures_ >= most_failures)) std::rethrow_exception(failure_);
  }
  // The clocks of the ranks differ here too.
  if (keeps_ready_ &&
      comm.any(why == Why::not_now && comm.is_root() && is_time_to_keep_ready(progress))) {
    const auto scope = timers.time("checkpoint");
    keep_ready(progress, visit);
  }
  if (request.level >= Level::stop && !progress.done) stop(request, progress, saved);
}

std::string Checkpointer::unsaved_end() const { return n_failures_ == 0 ? "" : failure_text_; }

void Checkpointer::stop(const jobs::StopRequest& request, const Progress& progress,
                        bool saved) const {
  const std::string where =
      fmt::format("after step {} at {:g} ({})", progress.step, progress.time, request.reason);
  if (saved)
    throw jobs::Stopped(ExitCode::stopped_saved,
                        where + ", with a checkpoint of it: --restart auto goes on");
  throw jobs::Stopped(ExitCode::stopped_unsaved,
                      where + (!enabled() ? ", not saved: the case says checkpoint: {every: never}"
                               : progress.step == 0 ? ", before there was anything to save"
                                                    : ", without the time to save it"));
}

double Checkpointer::cost() const { return io::save_cost(costs_); }

io::CheckpointHead Checkpointer::head(const Progress& progress) const {
  return {progress.step,
          progress.time,
          parts_.directory.incarnation(),
          restart_ ? restart_->name : "",
          std::string(io::version),
          parts_.c.resolved,
          mesh_hash_,
          parts_.report.precision,
          parts_.report.device,
          n_dofs_};
}

io::VisitState Checkpointer::with_report(const io::VisitState& visit) const {
  return [this, &visit](solver::StateVisitor& visitor) {
    io::visit(visitor, parts_.report);
    visit(visitor);
  };
}

bool Checkpointer::is_time_to_keep_ready(const Progress& progress) const {
  if (!enabled() || progress.done || progress.step == 0) return false;
  return ready_step_ < 0 || seconds_since(made_ready_) >= ready_cost_ / most_overhead;
}

void Checkpointer::keep_ready(const Progress& progress, const io::VisitState& visit) {
  try {
    const io::SavedCheckpoint prepared = writer_.prepare(head(progress), with_report(visit));
    drop_ready();  // not before the new one is there
    ready_ = prepared.name;
    ready_cost_ = prepared.seconds;
  } catch (const Error& e) {
    if (!may_pass(e.code())) throw;
    warn({fmt::format("the state of step {} is not kept ready for a device that fails: {}",
                      progress.step, e.what())},
         parts_.console, parts_.report);
    ready_cost_ = std::numeric_limits<double>::infinity();  // the disk will not take it
  }
  ready_step_ = progress.step;
  made_ready_ = Clock::now();
}

void Checkpointer::drop_ready() noexcept {
  if (!ready_.empty() && parts_.comm.is_root())
    io::remove_checkpoint(parts_.directory.checkpoints(), ready_);
  ready_.clear();
}

std::string Checkpointer::rescue() noexcept {
  if (ready_.empty()) return "";
  const std::string path = parts_.directory.checkpoints() + "/" + ready_;
  try {
    // Of several ranks that fail, one does it.
    if (!std::filesystem::exists(path + "/" + io::manifest_name)) {
      if (parts_.directory.lease() != nullptr) parts_.directory.lease()->require_held();
      io::commit_prepared(path);
    }
    return fmt::format("the state after step {} is saved, --restart auto goes on from it",
                       ready_step_);
  } catch (const std::exception& e) {
    return std::string("its last good state could not be saved: ") + e.what();
  }
}

bool Checkpointer::save(const Progress& progress, const io::VisitState& visit) {
  if (ready_step_ == progress.step) drop_ready();  // it would have the same name
  try {
    const io::SavedCheckpoint saved = writer_.save(
        head(progress), with_report(visit), [&] { parts_.directory.lease()->require_held(); });
    saved_step_ = progress.step;
    drop_ready();
    verify(saved);
    after_save(progress, saved);
    return true;
  } catch (const Error& e) {
    if (!may_pass(e.code())) throw;
    failure_ = std::current_exception();
    saved_step_ = -1;
    last_save_ = Clock::now();
    wait_ = std::min(longest_wait, parts_.c.checkpoint.rule == Rule::steps ? 1.0 : interval() / 4);
    ++n_failures_;
    failure_text_ = fmt::format("no checkpoint of step {}: {}", progress.step, e.what());
    warn({failure_text_ +
          (progress.done ? ""
                         : fmt::format("; the run goes on, and tries again in {:.1f} s", wait_))},
         parts_.console, parts_.report);
    if (parts_.comm.is_root()) ++parts_.directory.incarnations().present().failed_saves;
    return false;
  }
}

void Checkpointer::verify(const io::SavedCheckpoint& saved) {
  if (n_saves_ % verified_every != 0) return;
  const std::string& folder = parts_.directory.checkpoints();
  const io::CheckpointCheck check =
      io::check_checkpoint(parts_.comm, folder + "/" + saved.name, true);
  if (!check.fault.empty()) {
    if (parts_.comm.is_root()) io::mark_bad(folder, saved.name);
    throw SystemError(ExitCode::io, "it was written, and reads back otherwise: " + check.fault);
  }
  if (parts_.comm.is_root()) io::mark_verified(folder, saved.name);
  protected_.clear();
}

void Checkpointer::after_save(const Progress& progress, const io::SavedCheckpoint& saved) {
  ++n_saves_;
  n_failures_ = 0;
  wait_ = 0;
  costs_.push_back(saved.seconds);
  last_save_ = Clock::now();
  tell(progress, saved);
  if (!parts_.comm.is_root()) return;
  RunDirectory& directory = parts_.directory;
  directory.status().saved(
      {directory.checkpoints() + "/" + saved.name, progress.step, progress.time, jobs::utc_now()});
  jobs::Incarnation& present = directory.incarnations().present();
  ++present.n_saves;
  present.save_s += saved.seconds;
  present.bytes = saved.bytes;
  present.saved_step = progress.step;
  present.wall_s = present.saved_wall_s = work_s();
  // Hints and tidying: what fails here costs no state.
  try {
    io::write_text_file(directory.checkpoints() + "/LATEST", saved.name + "\n");
    directory.incarnations().write();
  } catch (const Error&) {
  }
  io::prune_checkpoints(directory.checkpoints(), parts_.c.checkpoint.keep, protected_);
}

void Checkpointer::tell(const Progress& progress, const io::SavedCheckpoint& saved) {
  if (n_saves_ > 1 && !progress.done && seconds_since(told_) < quiet_between) return;
  told_ = Clock::now();
  parts_.console.line(fmt::format("checkpoint {}: {:.3g} MB in {:.2f} s", saved.name,
                                  1e-6 * static_cast<double>(saved.bytes), saved.seconds));
}

}  // namespace trestle::app

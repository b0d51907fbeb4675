// Saving a checkpoint: every rank writes its slice of the state into a plain file, and the
// manifest, last, makes it one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "io/checkpoint/manifest.hpp"
#include "io/checkpoint/rows.hpp"

namespace trestle::io {

/// Visits all of a state.
using VisitState = std::function<void(solver::StateVisitor&)>;

struct SavedCheckpoint {
  std::string name;  // of its folder
  std::int64_t bytes = 0;
  double seconds = 0;  // of the whole save, the same on all ranks
};

class ShardWriter;

class CheckpointWriter {
 public:
  /// `folder` holds the checkpoints of a run.
  CheckpointWriter(const Comm& comm, std::string folder);
  ~CheckpointWriter();

  /// What a save of it takes on the disk. Collective.
  std::int64_t bytes_of(const VisitState& visit) { return measure(visit).bytes(); }

  /// Saves what `visit` visits. `fence` runs on rank 0 just before the commit and may throw. Throws
  /// on all ranks, with nothing left behind but what a full disk refuses to remove: SystemError 73,
  /// 74, 77, NumericalError(81) where the state holds a value that is not finite. Collective.
  SavedCheckpoint save(const CheckpointHead& head, const VisitState& visit,
                       const std::function<void()>& fence = {});

  /// Makes all of a checkpoint but its commit, in the memory of the system: no disk is waited for.
  /// Whichever rank is left can make it one by `commit_prepared`. Throws as `save`. Collective.
  SavedCheckpoint prepare(const CheckpointHead& head, const VisitState& visit);

 private:
  class Visitor;
  struct Rows;  // how the rows of one table go to slices
  const Rows& rows_of(const solver::StateRows& rows);
  CheckpointManifest measure(const VisitState& visit);
  void make_folder(const std::string& path, std::int64_t bytes) const;
  /// All shards, before the disk has them; the manifest is whole on rank 0 then. Collective.
  void write(CheckpointManifest& manifest, ShardWriter& shard, const VisitState& visit);
  /// Makes a folder with all shards and, on rank 0, the manifest under another name; then calls
  /// `commit` there. Collective.
  SavedCheckpoint make(const CheckpointHead& head, const VisitState& visit, bool to_disk,
                       const std::function<void(const std::string&)>& commit);

  Comm comm_;
  std::string folder_;
  std::map<std::string, std::unique_ptr<const Rows>> rows_;  // by name
};

/// Makes a checkpoint of what was prepared in the folder `path`, after its checksums were compared.
/// Throws Error(76) where they are wrong, SystemError(74) for a disk that fails. Local.
void commit_prepared(const std::string& path);

}  // namespace trestle::io

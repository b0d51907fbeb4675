// Loading a checkpoint on any number of ranks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/checkpoint/manifest.hpp"
#include "io/checkpoint/rows.hpp"
#include "io/checkpoint/shard.hpp"

namespace trestle::io {

/// Gives what is visited the values of a checkpoint, whose blocks are checked as they are read.
class CheckpointReader final : public solver::StateVisitor {
 public:
  /// `path` is the folder of the checkpoint; the same arguments on all ranks.
  CheckpointReader(const Comm& comm, std::string path, CheckpointManifest manifest);

  bool loading() const override { return true; }
  bool knows(const std::string& name) const override { return manifest_.values.contains(name); }
  // All throw Error(76) on all ranks where the checkpoint lacks what is asked for, or is damaged.
  void value(const std::string& name, double& value) override;
  void value(const std::string& name, std::int64_t& value) override;
  void value(const std::string& name, std::string& value) override;
  void values(const std::string& name, std::vector<double>& values) override;
  void values(const std::string& name, std::vector<std::string>& values) override;
  void nodal(const std::string& name, solver::Vector<double>& vector) override;
  void table(const std::string& name, const solver::StateRows& rows, const Table& table) override;

 private:
  template <class T>
  const T& value_of(const std::string& name) const;
  std::size_t array_of(const std::string& name, const std::string& rows, bool is_text) const;
  [[noreturn]] void fail(const std::string& what) const;
  /// Rows of this rank's slice of an array, from all shards that have some. Local.
  std::vector<double> read_rows(std::size_t array, Share rows);
  /// All bytes of a shared array, on all ranks. Collective.
  std::string read_shared(std::size_t array);
  const FromSlices& map_of(const solver::StateRows& rows);
  ShardReader& shard(std::size_t s);

  Comm comm_;
  std::string path_;
  CheckpointManifest manifest_;
  std::map<std::size_t, std::unique_ptr<ShardReader>> shards_;
  std::map<std::string, std::unique_ptr<const FromSlices>> maps_;  // by name of rows
};

}  // namespace trestle::io

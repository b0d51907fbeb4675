// The manifest of a checkpoint: what it holds, where, with which checksums; its appearance is what
// makes a checkpoint one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/types.hpp"
#include "io/results/layout.hpp"

namespace trestle::io {

/// Shards are hashed in blocks of this many bytes.
constexpr std::int64_t checkpoint_block = std::int64_t{4} << 20;

/// XXH3-128 as 32 hexadecimal digits.
std::string hash_text(const void* bytes, std::size_t n);

/// A table of the state: rows of `width` doubles, or bytes.
struct CheckpointArray {
  std::string name;
  std::string rows;  // whose splits it has: "nodes", "cells"; "shared": all of it in shard 0
  bool is_text = false;
  GlobalIndex n_rows = 0;
  std::int64_t width = 1;
  std::int64_t row_bytes() const {
    return width * (is_text ? 1 : static_cast<std::int64_t>(sizeof(double)));
  }
};

/// The file of one writer: its rows of every array, one array after another.
struct CheckpointShard {
  std::int64_t bytes = 0;
  std::vector<std::string> blocks;  // hash_text of each block
};

/// What a checkpoint was made of and by.
struct CheckpointHead {
  std::int64_t step = 0;
  double time = 0;  // [s], or the load factor
  std::int64_t incarnation = 0;
  std::string parent;  // the checkpoint that its run went on from, or ""
  std::string version;
  std::string case_text;  // resolved
  std::string mesh_hash;
  std::string precision, device;
  std::int64_t n_dofs = 0;
};

struct CheckpointManifest {
  CheckpointHead head;
  int n_ranks = 1;  // and shards
  std::map<std::string, std::variant<std::int64_t, double, std::string>> values;
  std::vector<CheckpointArray> arrays;                     // in the order of the shards
  std::map<std::string, std::vector<GlobalIndex>> splits;  // shard s has rows [s] .. [s+1]-1
  std::vector<CheckpointShard> shards;

  /// Rows of an array that a shard holds.
  Share rows_of(const CheckpointArray& array, std::size_t shard) const;
  /// Where they begin in its file.
  std::int64_t offset_of(std::size_t array, std::size_t shard) const;
  std::int64_t bytes() const;  // of all shards
};

/// Name of the shard of a writer.
std::string shard_name(std::size_t shard);

/// As JSON, its own hash as the last member.
std::string manifest_text(const CheckpointManifest& manifest);

/// Reads and checks a manifest, which may be damaged or made to harm: its hash first, then depth,
/// sizes, names and that all of it fits together. Throws Error(76) that says what is wrong;
/// `place` names the file.
CheckpointManifest parse_manifest(const std::string& text, const std::string& place);

}  // namespace trestle::io

// What reader and writer of the own mesh file agree on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "io/results/layout.hpp"
#include "mesh/cell_type.hpp"

namespace trestle::io::mesh_layout {

constexpr std::int64_t version = 1;
constexpr const char* counts = "/mesh/counts";  // version, dim, nodes, cells

/// The kinds of blocks: cells, and entities of lower dimension.
constexpr const char* cells = "/mesh/cells/";
constexpr const char* entities = "/mesh/entities/";
/// The list of all blocks, each the folder of its arrays: the kind and the name of the type.
constexpr const char* blocks = "/mesh/blocks";

/// Checksums of the blocks of an array (results_layout.hpp).
inline std::string hashes_of(const std::string& array) { return array + ".xxh3"; }

/// The checksum of a list of texts.
inline std::vector<std::uint64_t> hashes_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + '\0';
  return block_hashes(std::as_bytes(std::span(all)), std::vector<std::size_t>{all.size()});
}

}  // namespace trestle::io::mesh_layout

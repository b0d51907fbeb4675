// Whatever bytes come as the manifest of a checkpoint: a manifest that fits together, or an Error.
// The bytes are tried as they are, and as a body that has its right checksum.
#include "io/checkpoint/manifest.hpp"

#include <cstdint>
#include <cstdlib>

#include "core/error.hpp"

namespace {

void read(const std::string& text) {
  using namespace trestle::io;
  try {
    const CheckpointManifest manifest = parse_manifest(text, "MANIFEST.json");
    // Its sizes are those that were promised: readers count on it.
    std::int64_t bytes = 0;
    for (std::size_t s = 0; s < manifest.shards.size(); ++s)
      bytes += manifest.offset_of(manifest.arrays.size(), s);
    if (bytes != manifest.bytes()) std::abort();
  } catch (const trestle::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  std::string body = text;
  if (const std::size_t hash = body.rfind(",\n\"xxh3_128\""); hash != std::string::npos)
    body.resize(hash);
  read(body + ",\n\"xxh3_128\":\"" + trestle::io::hash_text(body.data(), body.size()) + "\"}\n");
  return 0;
}

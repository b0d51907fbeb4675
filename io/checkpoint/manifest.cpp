#include "io/checkpoint/manifest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace trestle::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 1;
constexpr int deepest = 8;
constexpr std::int64_t most_ranks = 1 << 20;
constexpr std::int64_t most_rows = std::int64_t{1} << 45;
constexpr std::int64_t most_values_in_row = std::int64_t{1} << 20;
constexpr std::size_t most_arrays = 100'000;
constexpr std::size_t hash_digits = 32;
const std::string hash_key = ",\n\"xxh3_128\":\"";
const std::string after_hash = "\"}\n";

std::string double_text(double value) {
  return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(value));
}

/// Reads members of a JSON object that may be anything; a fault names the manifest.
class Members {
 public:
  Members(const Json& object, const std::string& place) : object_(object), place_(place) {
    if (!object.is_object()) fail("an object is missing");
  }

  const Json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) fail(fmt::format("'{}' is missing", key));
    return *found;
  }
  std::int64_t whole(const char* key, std::int64_t least, std::int64_t most) const {
    const Json& value = at(key);
    if (!value.is_number_integer()) fail(fmt::format("'{}' is no whole number", key));
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
      fail(fmt::format("'{}' is too large", key));
    const auto number = value.get<std::int64_t>();
    if (number < least || number > most) fail(fmt::format("'{}' is {}", key, number));
    return number;
  }
  std::string text(const char* key, std::size_t longest) const {
    const Json& value = at(key);
    if (!value.is_string() || value.get_ref<const std::string&>().size() > longest)
      fail(fmt::format("'{}' is no text of at most {} bytes", key, longest));
    return value.get<std::string>();
  }
  double number(const char* key) const {
    const std::string bits = text(key, 16);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), value, 16);
    if (error != std::errc() || end != bits.data() + bits.size() || bits.size() != 16)
      fail(fmt::format("'{}' is not the bits of a number", key));
    return std::bit_cast<double>(value);
  }
  const Json& list(const char* key, std::size_t longest) const {
    const Json& value = at(key);
    if (!value.is_array() || value.size() > longest)
      fail(fmt::format("'{}' is no list of at most {} entries", key, longest));
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitCode::no_checkpoint, fmt::format("{} is not right: {}", place_, what));
  }

 private:
  const Json& object_;
  const std::string& place_;
};

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw Error(ExitCode::no_checkpoint, fmt::format("{} {}", place, what));
}

/// The JSON before the hash, with its closing brace; throws unless the hash is right.
std::string checked_body(const std::string& text, const std::string& place) {
  const std::size_t tail = hash_key.size() + hash_digits + after_hash.size();
  if (text.size() <= tail || !text.ends_with(after_hash) ||
      text.compare(text.size() - tail, hash_key.size(), hash_key) != 0)
    refuse(place, "is cut short or no manifest");
  const std::string body = text.substr(0, text.size() - tail);
  if (text.substr(body.size() + hash_key.size(), hash_digits) !=
      hash_text(body.data(), body.size()))
    refuse(place, "does not have its checksum");
  return body + "}";
}

void refuse_deep(const std::string& text, const std::string& place) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > deepest) refuse(place, fmt::format("is nested deeper than {}", deepest));
  }
}

Json head_json(const CheckpointHead& head) {
  return {{"step", head.step},
          {"time", double_text(head.time)},
          {"incarnation", head.incarnation},
          {"parent", head.parent},
          {"version", head.version},
          {"case", head.case_text},
          {"mesh_hash", head.mesh_hash},
          {"precision", head.precision},
          {"device", head.device},
          {"dofs", head.n_dofs}};
}

CheckpointHead read_head(const Json& json, const std::string& place) {
  const Members members(json, place);
  CheckpointHead head;
  head.step = members.whole("step", 0, INT64_MAX);
  head.time = members.number("time");
  head.incarnation = members.whole("incarnation", 0, INT64_MAX);
  head.parent = members.text("parent", 200);
  head.version = members.text("version", 200);
  head.case_text = members.text("case", std::size_t{16} << 20);
  head.mesh_hash = members.text("mesh_hash", 200);
  head.precision = members.text("precision", 200);
  head.device = members.text("device", 200);
  head.n_dofs = members.whole("dofs", 0, INT64_MAX);
  return head;
}

void read_values(const Members& root, const std::string& place, CheckpointManifest& manifest) {
  for (const Json& item : root.list("values", most_arrays)) {
    const Members value(item, place);
    const std::string name = value.text("name", 200);
    if (item.contains("whole"))
      manifest.values[name] = value.whole("whole", INT64_MIN, INT64_MAX);
    else if (item.contains("double"))
      manifest.values[name] = value.number("double");
    else
      manifest.values[name] = value.text("text", std::size_t{16} << 20);
  }
}

void read_arrays(const Members& root, const std::string& place, CheckpointManifest& manifest) {
  for (const Json& item : root.list("arrays", most_arrays)) {
    const Members members(item, place);
    CheckpointArray array;
    array.name = members.text("name", 200);
    array.rows = members.text("rows", 200);
    const std::string type = members.text("type", 20);
    if (type != "double" && type != "text") members.fail("a type is " + type);
    array.is_text = type == "text";
    array.n_rows = members.whole("n_rows", 0, most_rows);
    array.width = members.whole("width", 1, most_values_in_row);
    manifest.arrays.push_back(std::move(array));
  }
  const Json& splits = root.at("splits");
  if (!splits.is_object() || splits.size() > most_arrays) root.fail("'splits' is no mapping");
  for (const auto& [name, list] : splits.items()) {
    std::vector<GlobalIndex>& ends = manifest.splits[name];
    if (!list.is_array() || list.size() != static_cast<std::size_t>(manifest.n_ranks) + 1)
      root.fail(fmt::format("the splits of {} are not those of {} shards", name, manifest.n_ranks));
    for (const Json& end : list) {
      if (!end.is_number_integer()) root.fail("a split is no whole number");
      ends.push_back(end.get<std::int64_t>());
      if (ends.back() < (ends.size() == 1 ? 0 : ends[ends.size() - 2]) || ends.back() > most_rows)
        root.fail(fmt::format("the splits of {} do not ascend", name));
    }
    if (ends.front() != 0) root.fail(fmt::format("the splits of {} do not begin with 0", name));
  }
}

void read_shards(const Members& root, const std::string& place, CheckpointManifest& manifest) {
  const Json& list = root.list("shards", static_cast<std::size_t>(most_ranks));
  if (list.size() != static_cast<std::size_t>(manifest.n_ranks))
    root.fail(fmt::format("there are {} shards of {} ranks", list.size(), manifest.n_ranks));
  for (const Json& item : list) {
    const Members members(item, place);
    CheckpointShard shard;
    shard.bytes = members.whole("bytes", 0, INT64_MAX / 2);
    for (const Json& block : members.list("xxh3_128", SIZE_MAX)) {
      if (!block.is_string() || block.get_ref<const std::string&>().size() != hash_digits)
        members.fail("a checksum is no checksum");
      shard.blocks.push_back(block.get<std::string>());
    }
    manifest.shards.push_back(std::move(shard));
  }
}

/// Throws unless the arrays fill the shards exactly.
void check_sizes(const CheckpointManifest& manifest, const std::string& place) {
  for (const CheckpointArray& array : manifest.arrays) {
    if (array.rows == "shared") continue;
    const auto splits = manifest.splits.find(array.rows);
    if (splits == manifest.splits.end() || splits->second.back() != array.n_rows)
      refuse(place, fmt::format("has no splits of the rows of {}", array.name));
  }
  for (std::size_t s = 0; s < manifest.shards.size(); ++s) {
    std::int64_t bytes = 0;
    for (const CheckpointArray& array : manifest.arrays) {
      std::int64_t of_array = 0;
      if (__builtin_mul_overflow(manifest.rows_of(array, s).count(), array.row_bytes(),
                                 &of_array) ||
          __builtin_add_overflow(bytes, of_array, &bytes))
        refuse(place, "has sizes beyond 64 bits");
    }
    const CheckpointShard& shard = manifest.shards[s];
    if (bytes != shard.bytes ||
        static_cast<std::int64_t>(shard.blocks.size()) !=
            bytes / checkpoint_block + (bytes % checkpoint_block != 0 ? 1 : 0))
      refuse(place, fmt::format("has arrays that do not fill {}", shard_name(s)));
  }
}

}  // namespace

std::string hash_text(const void* bytes, std::size_t n) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, n);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string shard_name(std::size_t shard) { return fmt::format("s-{:04}.dat", shard); }

Share CheckpointManifest::rows_of(const CheckpointArray& array, std::size_t shard) const {
  if (array.rows == "shared") return {0, shard == 0 ? array.n_rows : 0};
  const std::vector<GlobalIndex>& ends = splits.at(array.rows);
  return {ends[shard], ends[shard + 1]};
}

std::int64_t CheckpointManifest::offset_of(std::size_t array, std::size_t shard) const {
  std::int64_t offset = 0;
  for (std::size_t a = 0; a < array; ++a)
    offset += rows_of(arrays[a], shard).count() * arrays[a].row_bytes();
  return offset;
}

std::int64_t CheckpointManifest::bytes() const {
  std::int64_t sum = 0;
  for (const CheckpointShard& shard : shards) sum += shard.bytes;
  return sum;
}

std::string manifest_text(const CheckpointManifest& manifest) {
  Json values = Json::array(), arrays = Json::array(), shards = Json::array();
  for (const auto& [name, value] : manifest.values) {
    Json item{{"name", name}};
    if (const auto* whole = std::get_if<std::int64_t>(&value)) item["whole"] = *whole;
    if (const auto* number = std::get_if<double>(&value)) item["double"] = double_text(*number);
    if (const auto* text = std::get_if<std::string>(&value)) item["text"] = *text;
    values.push_back(std::move(item));
  }
  for (const CheckpointArray& array : manifest.arrays)
    arrays.push_back({{"name", array.name},
                      {"rows", array.rows},
                      {"type", array.is_text ? "text" : "double"},
                      {"n_rows", array.n_rows},
                      {"width", array.width}});
  for (const CheckpointShard& shard : manifest.shards)
    shards.push_back({{"bytes", shard.bytes}, {"xxh3_128", shard.blocks}});
  const Json json{{"trestle_checkpoint", format},
                  {"endianness", "little"},
                  {"head", head_json(manifest.head)},
                  {"ranks", manifest.n_ranks},
                  {"values", values},
                  {"arrays", arrays},
                  {"splits", Json(manifest.splits)},
                  {"shards", shards}};
  std::string body = json.dump(1, ' ', false, Json::error_handler_t::replace);
  body.pop_back();  // the closing brace
  return body + hash_key + hash_text(body.data(), body.size()) + after_hash;
}

CheckpointManifest parse_manifest(const std::string& text, const std::string& place) {
  const std::string body = checked_body(text, place);
  refuse_deep(body, place);
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) refuse(place, "is no JSON");
  const Members root(json, place);
  const std::int64_t version = root.whole("trestle_checkpoint", 0, INT64_MAX);
  if (version != format)
    refuse(place,
           fmt::format("has format {}; this version of Trestle reads format {}", version, format));
  if (root.text("endianness", 20) != "little") refuse(place, "is from a machine of another kind");
  CheckpointManifest manifest;
  manifest.head = read_head(root.at("head"), place);
  manifest.n_ranks = static_cast<int>(root.whole("ranks", 1, most_ranks));
  read_values(root, place, manifest);
  read_arrays(root, place, manifest);
  read_shards(root, place, manifest);
  check_sizes(manifest, place);
  return manifest;
}

}  // namespace trestle::io

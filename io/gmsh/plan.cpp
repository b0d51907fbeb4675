// Finds the blocks of a binary .msh file of version 4.1 without reading what they hold.
#include "io/gmsh/plan.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "io/gmsh/content.hpp"
#include "io/roots.hpp"

namespace trestle::io {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// The file through a window that moves forward with what is asked for.
class Window {
 public:
  explicit Window(const GmshBytes& file) : file_(file) {}

  std::int64_t size() const { return file_.size(); }

  /// Up to `n` bytes from `begin`, fewer at the end of the file.
  std::string_view view(std::int64_t begin, std::size_t n) {
    n = std::min(n, static_cast<std::size_t>(std::max<std::int64_t>(size() - begin, 0)));
    if (n == 0) return {};
    if (begin < begin_ || begin + static_cast<std::int64_t>(n) > end()) {
      begin_ = begin;
      constexpr std::size_t usual = 1 << 16;
      bytes_.resize(std::min(std::max(n, usual), static_cast<std::size_t>(size() - begin)));
      file_.read(begin, bytes_.size(), bytes_.data());
    }
    return std::string_view(bytes_).substr(static_cast<std::size_t>(begin - begin_), n);
  }

  /// Where `word` stands at or after `from`, with a blank or the end of the file behind it; -1 when
  /// it does not.
  std::int64_t find_word(const std::string& word, std::int64_t from) {
    constexpr std::size_t step = 1 << 16;
    while (from < size()) {
      const std::string_view bytes = view(from, step);
      const bool last = from + static_cast<std::int64_t>(bytes.size()) == size();
      for (std::size_t at = bytes.find(word); at != std::string_view::npos;
           at = bytes.find(word, at + 1)) {
        const std::size_t after = at + word.size();
        if (after < bytes.size() ? blanks.find(bytes[after]) != std::string_view::npos : last)
          return from + static_cast<std::int64_t>(at);
      }
      if (last) return -1;
      from += static_cast<std::int64_t>(step - word.size() - 1);
    }
    return -1;
  }

 private:
  std::int64_t end() const { return begin_ + static_cast<std::int64_t>(bytes_.size()); }

  const GmshBytes& file_;
  std::int64_t begin_ = 0;
  std::string bytes_;
};

[[noreturn]] void fail(const std::string& message) {
  throw MeshError("the mesh file cannot be read in slices: " + message);
}

/// Walks from section to section.
class PlanReader {
 public:
  PlanReader(const std::string& path, const GmshBytes& file) : path_(path), window_(file) {}

  /// False where the file is of another form.
  bool read() {
    if (!read_header()) return false;
    std::int64_t nodes = 0, elements = 0;
    while (next_section()) {
      if (name_ == "Nodes") {
        nodes = at_;
        at_ = read_blocks(plan_.nodes, plan_.node_blocks, true);
      } else if (name_ == "Elements") {
        elements = at_;
        at_ = read_blocks(plan_.elements, plan_.element_blocks, false);
      } else {
        read_other();
      }
      end_section();
    }
    if (nodes == 0 || elements == 0) return false;
    read_groups();
    plan_.file_size = window_.size();
    return true;
  }
  GmshPlan take() { return std::move(plan_); }

 private:
  /// The section $MeshFormat at the very begin of the file.
  bool read_header() {
    constexpr std::size_t longest = 256;
    const std::string start(window_.view(0, longest));
    if (!start.starts_with("$MeshFormat")) return false;
    const std::size_t end = start.find("$EndMeshFormat");
    const std::size_t line_end = start.find('\n', end);
    if (line_end == std::string::npos) return false;
    small_sections_ = start.substr(0, line_end + 1);
    const GmshFile header(path_, small_sections_);
    plan_.swapped = header.swapped();
    at_ = static_cast<std::int64_t>(line_end) + 1;
    return header.version() == 41 && header.binary();
  }

  /// Goes behind the line `$NAME` of the next section; false at the end of the file.
  bool next_section() {
    while (!window_.view(at_, 1).empty() &&
           blanks.find(window_.view(at_, 1)[0]) != std::string_view::npos)
      ++at_;
    constexpr std::size_t longest = 256;
    const std::string_view line = window_.view(at_, longest);
    if (line.empty()) return false;
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    const std::size_t line_end = line.find('\n');
    if (line[0] != '$' || line_end == std::string_view::npos ||
        line.substr(end, line_end - end).find_first_not_of(blanks) != std::string_view::npos)
      fail("no section where one is expected");
    name_ = line.substr(1, end - 1);
    if (name_ == "MeshFormat" || name_.starts_with("End")) fail("sections in another order");
    if (matters() && !seen_.insert(name_).second) fail("a section occurs twice");
    begin_ = at_;
    at_ += static_cast<std::int64_t>(line_end) + 1;
    return true;
  }

  bool matters() const {
    static constexpr std::array<std::string_view, 5> names{
        "PhysicalNames", "Entities", "PartitionedEntities", "Nodes", "Elements"};
    return std::ranges::find(names, name_) != names.end();
  }

  /// Sections of names and entities are kept, others are passed over.
  void read_other() {
    const std::int64_t end = window_.find_word("$End" + name_, at_);
    if (end < 0) fail("a section is not closed");
    if (matters()) {
      const auto n = static_cast<std::size_t>(end - begin_);
      small_sections_ += std::string(window_.view(begin_, n)) + "$End" + name_ + "\n";
    }
    at_ = end;
  }

  /// Goes behind `$EndNAME`.
  void end_section() {
    while (!window_.view(at_, 1).empty() && window_.view(at_, 1).find_first_of("\r\n") == 0) ++at_;
    const std::string word = "$End" + name_;
    const std::string_view found = window_.view(at_, word.size() + 1);
    if (!found.starts_with(word) ||
        (found.size() > word.size() && blanks.find(found.back()) == std::string_view::npos))
      fail("a section does not end behind its blocks");
    at_ += static_cast<std::int64_t>(word.size());
  }

  template <class T>
  T number() {
    const std::string_view bytes = window_.view(at_, sizeof(T));
    if (bytes.size() < sizeof(T)) fail("the end of the file in a header");
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    at_ += static_cast<std::int64_t>(sizeof value);
    if (!plan_.swapped) return value;
    if constexpr (sizeof(T) == 4)
      return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
    else
      return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  }

  /// Hops over the blocks of $Nodes or $Elements; the place behind the last.
  std::int64_t read_blocks(GmshTotals& totals, std::vector<GmshBlock>& blocks, bool nodes) {
    totals.n_blocks = number<std::int64_t>();
    totals.count = number<std::int64_t>();
    totals.lowest = number<std::int64_t>();
    totals.highest = number<std::int64_t>();
    std::int64_t count = 0;
    for (std::int64_t b = 0; b < totals.n_blocks; ++b) {
      GmshBlock block;
      block.dim = number<std::int32_t>();
      const int entity = number<std::int32_t>();
      block.kind = number<std::int32_t>();
      block.count = number<std::int64_t>();
      block.begin = at_;
      if (block.dim < 0 || block.dim > 3) fail("an entity of no dimension");
      const std::int64_t bytes = 8 * (nodes ? node_numbers(block) : element_numbers(block));
      if (block.count < 0 || block.count > (window_.size() - at_) / bytes)
        fail("more records than bytes");
      at_ += block.count * bytes;
      count += block.count;
      blocks.push_back(block);
      if (!nodes) entities_.push_back(entity);
    }
    if (count != totals.count) fail("other counts than those of its blocks");
    return at_;
  }

  static std::int64_t node_numbers(const GmshBlock& block) {
    if (block.kind != 0 && block.kind != 1) fail("neither parametric nor not");
    return 1 + block.n_coordinates();
  }
  /// Makes the block's kind the type of its cells.
  static std::int64_t element_numbers(GmshBlock& block) {
    const mesh::CellTraits* type = supported_type(block.kind);
    if (type == nullptr) fail("elements of a type that is not supported");
    if (type->dim != block.dim) fail("elements of another dimension than their entity");
    block.kind = static_cast<int>(type->type);
    return 1 + type->n_nodes;
  }

  /// Names, entities, and the set of each block of elements.
  void read_groups() {
    const GmshFile file(path_, small_sections_);
    GmshContent content;
    read_physical_names(file, content);
    const EntitySets sets = read_entity_sets(file, content.groups);
    content.groups.move_to(content);
    plan_.groups = std::move(content.group_list);
    plan_.group_sets = std::move(content.group_sets);
    for (std::size_t b = 0; b < entities_.size() && !sets.empty(); ++b) {
      const auto found = sets.find({plan_.element_blocks[b].dim, entities_[b]});
      if (found == sets.end()) fail("a block of an entity that is not listed");
      plan_.element_blocks[b].set = found->second;
    }
  }

  std::string path_;
  Window window_;
  GmshPlan plan_;
  std::int64_t begin_ = 0;  // of the section
  std::int64_t at_ = 0;
  std::string name_;
  std::set<std::string> seen_;
  std::string small_sections_;
  std::vector<int> entities_;  // of the blocks of elements
};

}  // namespace

GmshBytes::GmshBytes(const std::string& path) {
  require_in_roots(path);
  file_ = FileDescriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file_ || fstat(file_.number(), &status) != 0 || !S_ISREG(status.st_mode))
    fail("no regular file that may be read");
  size_ = status.st_size;
}

void GmshBytes::read(std::int64_t begin, std::size_t n, char* to) const {
  while (n > 0) {
    const ssize_t got = pread(file_.number(), to, n, begin);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("bytes are missing");
    begin += got;
    to += got;
    n -= static_cast<std::size_t>(got);
  }
}

std::optional<GmshPlan> read_gmsh_plan(const std::string& path) {
  const GmshBytes file(path);
  PlanReader reader(path, file);
  if (!reader.read()) return {};
  return reader.take();
}

}  // namespace trestle::io

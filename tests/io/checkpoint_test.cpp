// Checkpoints: what is saved on any number of ranks is loaded to the bit on any other, and nothing
// that was damaged is.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>

#include "core/error.hpp"
#include "gpu/vector_ops.hpp"
#include "io/checkpoint/read.hpp"
#include "io/checkpoint/store.hpp"
#include "io/checkpoint/write.hpp"
#include "tests/readers/temporary_folder.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

namespace fs = std::filesystem;
using solver::Vector;
using test::TemporaryFolder;
using test::world;

constexpr GlobalIndex n_nodes = 5000, n_cells = 1700;
constexpr int block = 3;
constexpr std::size_t width = 5;

double value_at(GlobalIndex row, std::size_t component) {
  return std::sin(1.0 + static_cast<double>(row)) * (1.0 + static_cast<double>(component));
}

/// The first `n` ranks of the world.
class FirstRanks {
 public:
  explicit FirstRanks(int n) : in_(world().rank() < n) {
    MPI_Comm_split(world().handle(), in_ ? 0 : 1, world().rank(), &part_);
  }
  ~FirstRanks() { MPI_Comm_free(&part_); }
  bool has_this() const { return in_; }
  Comm comm() const { return Comm(part_); }

 private:
  bool in_;
  MPI_Comm part_ = MPI_COMM_NULL;
};

/// Rows dealt out without any order; each rank has copies of some rows of others.
int owner_of(GlobalIndex row, int n_ranks) { return static_cast<int>((row * 7919 / 13) % n_ranks); }
bool is_copied(GlobalIndex row, int rank) { return (row + rank) % 5 == 0; }

std::shared_ptr<const IndexMap> scattered_map(const Comm& comm) {
  std::vector<GlobalIndex> owned, ghosts;
  std::vector<int> owners;
  for (GlobalIndex i = 0; i < n_nodes; ++i) {
    const int owner = owner_of(i, comm.size());
    if (owner == comm.rank())
      owned.push_back(i);
    else if (is_copied(i, comm.rank())) {
      ghosts.push_back(i);
      owners.push_back(owner);
    }
  }
  std::reverse(owned.begin(), owned.end());
  return std::make_shared<const IndexMap>(comm, owned, ghosts, owners);
}

/// Something with every kind of state.
struct Sample {
  explicit Sample(const Comm& comm)
      : map(scattered_map(comm)),
        u(test::device_named("cpu"), map, block),
        v(test::device_named("cpu"), map, 1) {
    cells.of = "cells";
    cells.n_global = n_cells;
    for (GlobalIndex c = 0; c < n_cells; ++c) {
      const bool owned = owner_of(c + 3, comm.size()) == comm.rank();
      if (!owned && !is_copied(c, comm.rank())) continue;
      cells.ids.push_back(c);
      cells.owned.push_back(owned ? 1 : 0);
    }
    history.assign(cells.ids.size() * width, -1);
    gpu::fill(u.device(), u.view(), -1.0);
    gpu::fill(v.device(), v.view(), -1.0);
  }

  void set() {
    const auto to_u = gpu::write(u.values());
    const auto to_v = gpu::write(v.values());
    for (std::size_t i = 0; i < map->ids().size(); ++i) {
      to_v[static_cast<Offset>(i)] = value_at(map->ids()[i], 9);
      for (std::size_t k = 0; k < block; ++k)
        to_u[static_cast<Offset>(i * block + k)] = value_at(map->ids()[i], k);
    }
    for (std::size_t c = 0; c < cells.ids.size(); ++c)
      for (std::size_t k = 0; k < width; ++k)
        history[c * width + k] = value_at(cells.ids[c], k + 20);
    time = 0.1 + 0.2;
    low = -std::numeric_limits<double>::infinity();
    count = 1234567890123;
    name = "cg";
    lengths = {0.1, 1.0 / 3};
    names = {"", "step 1", "tab\there"};
  }

  void visit(solver::StateVisitor& visitor) {
    visitor.value("time", time);
    visitor.value("low", low);
    visitor.value("count", count);
    visitor.value("name", name);
    visitor.values("lengths", lengths);
    visitor.nodal("u", u);
    visitor.values("names", names);
    solver::StateVisitor::Table table;
    table.width = width;
    table.take = [this] { return history; };
    table.put = [this](std::span<const double> values) {
      history.assign(values.begin(), values.end());
    };
    visitor.table("history", cells, table);
    visitor.nodal("v", v);
  }

  std::shared_ptr<const IndexMap> map;
  Vector<double> u, v;
  solver::StateRows cells;
  std::vector<double> history;
  double time = 0, low = 0;
  std::int64_t count = 0;
  std::string name;
  std::vector<double> lengths;
  std::vector<std::string> names;
};

void expect_same(const Sample& loaded, const Sample& right) {
  EXPECT_EQ(gpu::download(loaded.u.values()), gpu::download(right.u.values()));
  EXPECT_EQ(gpu::download(loaded.v.values()), gpu::download(right.v.values()));
  EXPECT_EQ(loaded.history, right.history);
  EXPECT_EQ(loaded.time, right.time);
  EXPECT_EQ(loaded.low, right.low);
  EXPECT_EQ(loaded.count, right.count);
  EXPECT_EQ(loaded.name, right.name);
  EXPECT_EQ(loaded.lengths, right.lengths);
  EXPECT_EQ(loaded.names, right.names);
}

CheckpointHead head_at(std::int64_t step, std::int64_t incarnation = 1) {
  CheckpointHead head;
  head.step = step;
  head.incarnation = incarnation;
  head.version = "test";
  return head;
}

SavedCheckpoint save_sample(const Comm& comm, const std::string& folder, std::int64_t step) {
  Sample sample(comm);
  sample.set();
  CheckpointWriter writer(comm, folder);
  return writer.save(head_at(step), [&](solver::StateVisitor& v) { sample.visit(v); });
}

void expect_loads(const Comm& comm, const std::string& path) {
  const CheckpointCheck check = check_checkpoint(comm, path);
  ASSERT_EQ(check.fault, "");
  Sample loaded(comm), right(comm);
  right.set();
  CheckpointReader reader(comm, path, check.manifest);
  loaded.visit(reader);
  expect_same(loaded, right);
}

TEST(Checkpoint, LoadsTheSameBitsOnAnyNumberOfRanks) {
  const TemporaryFolder folder(world());
  for (int n = 1; n <= world().size(); ++n) {
    const std::string place = folder.path() + "/" + std::to_string(n);
    const FirstRanks savers(n);
    SavedCheckpoint saved{checkpoint_name(7, 1)};
    if (savers.has_this()) saved = save_sample(savers.comm(), place, 7);
    world().barrier();
    for (int m = 1; m <= world().size(); ++m) {
      const FirstRanks loaders(m);
      if (loaders.has_this()) expect_loads(loaders.comm(), place + "/" + saved.name);
    }
  }
}

/// A table of 2.24 GB a rank, shared out without any order: a shard is more than 2 GiB, and on two
/// ranks the table more than 4. Takes 6.5 GB of memory a rank.
TEST(Checkpoint, HoldsMoreThan2GibibytesOfEachRank) {
  if (std::getenv("TRESTLE_SLOW_TESTS") == nullptr || world().size() > 2)
    GTEST_SKIP() << "TRESTLE_SLOW_TESTS=1, on one rank or two";
  const GlobalIndex n_rows = GlobalIndex{560'000} * world().size();
  constexpr std::size_t row_width = 500;
  const auto value = [](GlobalIndex row, std::size_t k) {
    return static_cast<double>(row) + 1e-3 * static_cast<double>(k);
  };
  solver::StateRows rows{"rows", n_rows, {}, {}};
  for (GlobalIndex row = n_rows; row-- > 0;)
    if (owner_of(row, world().size()) == world().rank()) rows.ids.push_back(row);
  rows.owned.assign(rows.ids.size(), 1);
  solver::StateVisitor::Table table;
  table.width = row_width;
  table.take = [&] {
    std::vector<double> values;
    values.reserve(rows.ids.size() * row_width);
    for (const GlobalIndex row : rows.ids)
      for (std::size_t k = 0; k < row_width; ++k) values.push_back(value(row, k));
    return values;
  };
  std::size_t n_right = 0;
  table.put = [&](std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] == value(rows.ids[i / row_width], i % row_width)) ++n_right;
  };
  const TemporaryFolder folder(world());
  SavedCheckpoint saved;
  {
    CheckpointWriter writer(world(), folder.path());
    saved =
        writer.save(head_at(1), [&](solver::StateVisitor& v) { v.table("values", rows, table); });
  }
  EXPECT_GT(saved.bytes, (std::int64_t{1} << 31) * world().size());
  const std::string path = folder.path() + "/" + saved.name;
  const CheckpointCheck check = check_checkpoint(world(), path);
  ASSERT_EQ(check.fault, "");
  CheckpointReader reader(world(), path, check.manifest);
  reader.table("values", rows, table);
  EXPECT_EQ(n_right, rows.ids.size() * row_width);
}

TEST(Checkpoint, SavesAgainAndAgainWithTheSameRows) {
  const TemporaryFolder folder(world());
  Sample sample(world());
  sample.set();
  CheckpointWriter writer(world(), folder.path());
  for (const std::int64_t step : {1, 2, 3}) {
    sample.count = step;
    const auto saved =
        writer.save(head_at(step), [&](solver::StateVisitor& v) { sample.visit(v); });
    const std::string path = folder.path() + "/" + saved.name;
    Sample loaded(world());
    CheckpointReader reader(world(), path, check_checkpoint(world(), path).manifest);
    loaded.visit(reader);
    expect_same(loaded, sample);
  }
}

TEST(Checkpoint, RefusesValuesThatAreNotFiniteAndLeavesNothing) {
  const TemporaryFolder folder(world());
  Sample sample(world());
  sample.set();
  if (world().rank() == world().size() - 1 && !sample.history.empty())
    for (double& value : sample.history) value = std::nan("");
  CheckpointWriter writer(world(), folder.path());
  try {
    writer.save(head_at(1), [&](solver::StateVisitor& v) { sample.visit(v); });
    FAIL() << "it was saved";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::not_a_number);
    EXPECT_NE(std::string(e.what()).find("history is"), std::string::npos) << e.what();
  }
  world().barrier();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Checkpoint, IsNotCommittedBehindAFence) {
  const TemporaryFolder folder(world());
  Sample sample(world());
  sample.set();
  CheckpointWriter writer(world(), folder.path());
  try {
    writer.save(
        head_at(1), [&](solver::StateVisitor& v) { sample.visit(v); },
        [] { throw Error(ExitCode::busy, "taken over"); });
    FAIL() << "it was saved";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::busy);
  }
  world().barrier();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Checkpoint, OfAnotherKindIsRefusedByName) {
  const TemporaryFolder folder(world());
  const SavedCheckpoint saved = save_sample(world(), folder.path(), 1);
  const std::string path = folder.path() + "/" + saved.name;
  CheckpointReader reader(world(), path, check_checkpoint(world(), path).manifest);
  const auto expect_76 = [&](const std::function<void()>& load, const std::string& what) {
    try {
      load();
      FAIL() << "it was loaded";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::no_checkpoint);
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  double number = 0;
  std::vector<double> numbers;
  Vector<double> other(test::device_named("cpu"), scattered_map(world()), 2);
  expect_76([&] { reader.value("nothing", number); }, "has no nothing");
  expect_76([&] { reader.value("count", number); }, "another kind of count");
  expect_76([&] { reader.values("u", numbers); }, "another kind of u");
  expect_76([&] { reader.nodal("u", other); }, "5000 x 3 values of u, not 5000 x 2");
}

// ---- damage -----------------------------------------------------------------------------------

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// How many damages to try: thousands, more by the environment.
int n_damages() {
  const char* wanted = std::getenv("TRESTLE_CORRUPTIONS");
  return wanted != nullptr ? std::atoi(wanted) : 2000;
}

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (world().size() > 1) GTEST_SKIP() << "one rank is enough to read damaged files";
    save_sample(world(), folder_.path(), 1);
    newest_ = folder_.path() + "/" + save_sample(world(), folder_.path(), 2).name;
    for (const auto& entry : fs::directory_iterator(newest_))
      files_.emplace_back(entry.path().string(), content_of(entry.path().string()));
    std::sort(files_.begin(), files_.end());
  }
  void expect_found(const std::string& how) {
    const CheckpointCheck check = check_checkpoint(world(), newest_);
    EXPECT_NE(check.fault, "") << how;
    EXPECT_TRUE(check.damaged) << how << ": " << check.fault;
  }
  void repair() {
    for (const auto& [path, content] : files_) put(path, content);
    ASSERT_EQ(check_checkpoint(world(), newest_).fault, "");
  }

  TemporaryFolder folder_{world()};
  std::string newest_;
  std::vector<std::pair<std::string, std::string>> files_;
  std::mt19937_64 random_{20240229};
};

TEST_F(Damage, EveryFlippedBitIsFound) {
  for (int n = 0; n < n_damages(); ++n) {
    auto& [path, content] = files_[random_() % files_.size()];
    const std::size_t byte = random_() % content.size();
    const auto bit = static_cast<int>(random_() % 8);
    std::string damaged = content;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
    put(path, damaged);
    expect_found(path + ", byte " + std::to_string(byte) + ", bit " + std::to_string(bit));
    put(path, content);
  }
  repair();
}

TEST_F(Damage, EveryCutAndEveryHoleIsFound) {
  for (int n = 0; n < n_damages() / 4; ++n) {
    auto& [path, content] = files_[random_() % files_.size()];
    const std::size_t at = random_() % content.size();
    std::string damaged = content;
    if (n % 3 == 0) damaged.resize(at);
    if (n % 3 == 1) std::fill(damaged.begin() + static_cast<std::ptrdiff_t>(at), damaged.end(), 0);
    if (n % 3 == 2) damaged.insert(at, "x");
    if (damaged == content) continue;
    put(path, damaged);
    expect_found(path + " from byte " + std::to_string(at));
    put(path, content);
  }
  repair();
}

TEST_F(Damage, AMissingFileAndAnotherOnesFileAreFound) {
  for (const auto& [path, content] : files_) {
    fs::remove(path);
    expect_found("without " + path);
    put(path, "");
    expect_found("empty " + path);
    fs::remove(path);
    fs::create_directory(path);
    expect_found("a folder at " + path);
    fs::remove(path);
    put(path, content);
  }
  // A whole shard, but of another state.
  Sample other(world());
  other.set();
  gpu::fill(other.u.device(), other.u.view(), 3.0);
  CheckpointWriter writer(world(), folder_.path());
  const auto saved = writer.save(head_at(3), [&](solver::StateVisitor& v) { other.visit(v); });
  const std::string shard = newest_ + "/" + shard_name(0);
  fs::copy_file(folder_.path() + "/" + saved.name + "/" + shard_name(0), shard,
                fs::copy_options::overwrite_existing);
  expect_found("the shard of another checkpoint");
  repair();
}

// ---- manifests that are whole, and wrong --------------------------------------------------------

/// `body` (without its closing brace) with the right hash behind it.
std::string with_hash(const std::string& body) {
  return body + ",\n\"xxh3_128\":\"" + hash_text(body.data(), body.size()) + "\"}\n";
}

CheckpointManifest small_manifest() {
  CheckpointManifest manifest;
  manifest.head = head_at(5);
  manifest.values["time"] = 0.5;
  manifest.arrays.push_back({"u", "nodes", false, 10, 3});
  manifest.splits["nodes"] = {0, 10};
  manifest.shards.push_back({240, {std::string(32, '0')}});
  return manifest;
}

TEST(Manifest, ComesBackAsItWas) {
  CheckpointManifest manifest = small_manifest();
  manifest.head.case_text = "title: \"a\\b\"\n";
  manifest.values["text"] = std::string("x\ny");
  const CheckpointManifest read = parse_manifest(manifest_text(manifest), "here");
  EXPECT_EQ(manifest_text(read), manifest_text(manifest));
}

TEST(Manifest, OfHostileContentIsRefusedAndNamed) {
  const std::string right = manifest_text(small_manifest());
  const std::string body = right.substr(0, right.rfind(",\n\"xxh3_128\""));
  const auto expect_refused = [&](const std::string& from, const std::string& to) {
    std::string bad = body;
    const std::size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    try {
      parse_manifest(with_hash(bad), "here");
      ADD_FAILURE() << from << " -> " << to << " was taken";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::no_checkpoint) << e.what();
      EXPECT_TRUE(std::string(e.what()).starts_with("here")) << e.what();
    }
  };
  expect_refused("\"trestle_checkpoint\": 1", "\"trestle_checkpoint\": 2");
  expect_refused("\"little\"", "\"big\"");
  expect_refused("\"ranks\": 1", "\"ranks\": 0");
  expect_refused("\"ranks\": 1", "\"ranks\": 2");
  expect_refused("\"ranks\": 1", "\"ranks\": 18446744073709551615");
  expect_refused("\"ranks\": 1", "\"ranks\": 1e3");
  expect_refused("\"n_rows\": 10", "\"n_rows\": -10");
  expect_refused("\"n_rows\": 10", "\"n_rows\": 11");
  expect_refused("\"n_rows\": 10", "\"n_rows\": 9223372036854775807");
  expect_refused("\"width\": 3", "\"width\": 0");
  expect_refused("\"width\": 3", "\"width\": 9223372036854775807");
  expect_refused("\"bytes\": 240", "\"bytes\": 241");
  expect_refused("\"bytes\": 240", "\"bytes\": -1");
  expect_refused("\"double\"", "\"quadruple\"");
  expect_refused("\"u\"", "7");
  expect_refused("\"step\": 5", "\"step\": -5");
  expect_refused("\"step\": 5", "\"step\": " + std::string(100000, '['));
  expect_refused("{", "[");
}

TEST(Manifest, WithoutItsHashIsRefused) {
  const std::string right = manifest_text(small_manifest());
  for (std::size_t n = 0; n < right.size(); n += 7)
    EXPECT_THROW(parse_manifest(right.substr(0, n), "here"), Error) << n;
  EXPECT_THROW(parse_manifest("", "here"), Error);
}

// ---- the folder ---------------------------------------------------------------------------------

class Store : public ::testing::Test {
 protected:
  void make(std::int64_t step, std::int64_t incarnation = 1, bool committed = true) {
    const std::string path = folder_.path() + "/" + checkpoint_name(step, incarnation);
    fs::create_directories(path);
    put(path + "/" + shard_name(0), "x");
    if (committed) put(path + "/" + manifest_name, "{}");
  }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> all;
    for (const CheckpointEntry& entry : list_checkpoints(folder_.path())) all.push_back(entry.step);
    return all;
  }
  void SetUp() override {
    if (world().size() > 1) GTEST_SKIP() << "rank 0 alone looks after the folder";
  }
  TemporaryFolder folder_{world()};
};

using Steps = std::vector<std::int64_t>;

TEST_F(Store, ListsByStepThenIncarnation) {
  make(9, 3);
  make(10, 1);
  make(9, 12);
  fs::create_directories(folder_.path() + "/000000000011.i0001.bad");
  fs::create_directories(folder_.path() + "/11.i1");
  put(folder_.path() + "/LATEST", "nonsense");
  const auto entries = list_checkpoints(folder_.path());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].name, "000000000010.i0001");
  EXPECT_EQ(entries[1].name, "000000000009.i0012");
  EXPECT_EQ(last_incarnation(folder_.path()), 12);
  EXPECT_TRUE(list_checkpoints(folder_.path() + "/none").empty());
}

TEST_F(Store, KeepsTheNewestAndAVerifiedOne) {
  for (const std::int64_t step : {1, 2, 3, 4, 5, 6}) make(step);
  mark_verified(folder_.path(), checkpoint_name(2, 1));
  EXPECT_EQ(prune_checkpoints(folder_.path(), 3, ""), 3);
  EXPECT_EQ(steps(), (Steps{6, 5, 2}));
}

TEST_F(Store, KeepsTheThirdWhereNoneIsVerified) {
  for (const std::int64_t step : {1, 2, 3, 4}) make(step);
  EXPECT_EQ(prune_checkpoints(folder_.path(), 3, ""), 1);
  EXPECT_EQ(steps(), (Steps{4, 3, 2}));
}

TEST_F(Store, KeepsTheOneThatTheRunGoesOnFrom) {
  for (const std::int64_t step : {1, 2, 3, 4, 5}) make(step);
  mark_verified(folder_.path(), checkpoint_name(3, 1));
  prune_checkpoints(folder_.path(), 3, checkpoint_name(1, 1));
  EXPECT_EQ(steps(), (Steps{5, 4, 3, 1}));
}

TEST_F(Store, CountsOnlyWhatIsCommittedAndRemovesTheRest) {
  for (const std::int64_t step : {1, 2, 3}) make(step);
  make(4, 1, false);
  fs::create_directories(folder_.path() + "/000000000000.i0001.del");
  EXPECT_EQ(prune_checkpoints(folder_.path(), 3, ""), 0);
  remove_leftovers(folder_.path());
  EXPECT_EQ(steps(), (Steps{3, 2, 1}));
  EXPECT_FALSE(fs::exists(folder_.path() + "/000000000000.i0001.del"));
}

TEST_F(Store, ABadOneIsSetAsideAndRemembered) {
  make(1);
  mark_bad(folder_.path(), checkpoint_name(1, 1));
  make(1);
  mark_bad(folder_.path(), checkpoint_name(1, 1));
  EXPECT_TRUE(steps().empty());
  EXPECT_TRUE(fs::exists(folder_.path() + "/000000000001.i0001.bad"));
  EXPECT_TRUE(fs::exists(folder_.path() + "/000000000001.i0001.1.bad"));
  EXPECT_TRUE(ever_committed(folder_.path()));
}

}  // namespace
}  // namespace trestle::io

// How fast checkpoints are saved, beside plain writes and syncs of as many bytes: in turns, so that
// what else the machine does slows both.
#include <fcntl.h>
#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "core/stopwatch.hpp"
#include "gpu/device.hpp"
#include "io/checkpoint/store.hpp"
#include "io/checkpoint/write.hpp"
#include "io/files.hpp"

namespace trestle {
namespace {

constexpr int n_vectors = 3;
constexpr GlobalIndex side = 101;  // of a box of nodes, numbered along x first

/// Half boxes: the ranks have layers of the box, as a partition has, across the order of its rows.
std::shared_ptr<const IndexMap> layers_of_box(const Comm& comm) {
  std::vector<GlobalIndex> owned;
  for (GlobalIndex i = 0; i < side * side * side; ++i)
    if (i % side * comm.size() / side == comm.rank()) owned.push_back(i);
  return std::make_shared<const IndexMap>(comm, owned, std::vector<GlobalIndex>{},
                                          std::vector<int>{});
}

/// As dd bs=1M conv=fsync writes them. [s]
double time_of_plain_write(const std::string& path, std::span<const std::byte> bytes) {
  unlink(path.c_str());
  const Stopwatch watch;
  const io::FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0640));
  constexpr std::size_t part = 1 << 20;
  for (std::size_t i = 0; i < bytes.size(); i += part)
    io::write_fully(file.number(), bytes.subspan(i, std::min(part, bytes.size() - i)),
                    static_cast<std::int64_t>(i), path);
  io::sync_file(file.number(), path);
  return watch.seconds();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const Comm& comm, const std::string& folder, int n_turns) {
  const gpu::Device device = gpu::make_cpu_device();
  const auto map = layers_of_box(comm);
  std::vector<solver::Vector<double>> vectors;
  for (int i = 0; i < n_vectors; ++i) {
    vectors.emplace_back(device, map, 1);
    const auto values = gpu::write(vectors.back().values());
    for (Index k = 0; k < map->n_owned(); ++k) values[k] = std::sin(static_cast<double>(k + i));
  }
  const io::VisitState visit = [&](solver::StateVisitor& visitor) {
    for (int i = 0; i < n_vectors; ++i)
      visitor.nodal(fmt::format("u{}", i), vectors[static_cast<std::size_t>(i)]);
  };
  const std::vector<double> plain(n_vectors * side * side * side, 1.5);
  io::CheckpointWriter writer(comm, folder + "/ckpt");
  std::vector<double> saves, writes;
  for (int turn = 0; turn <= n_turns; ++turn) {
    const double write =
        comm.is_root() ? time_of_plain_write(folder + "/plain", std::as_bytes(std::span(plain)))
                       : 0;
    comm.max(0);
    io::CheckpointHead head;
    head.step = turn + 1;
    const io::SavedCheckpoint saved = writer.save(head, visit);
    if (comm.is_root()) io::remove_checkpoint(folder + "/ckpt", saved.name);
    comm.max(0);
    if (turn == 0) continue;  // which finds out how the rows go to slices
    saves.push_back(saved.seconds);
    writes.push_back(write);
  }
  if (!comm.is_root()) return;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < saves.size(); ++i) ratios.push_back(writes[i] / saves[i]);
  fmt::print(
      "{:.1f} MB on {} ranks: save {:.1f} ms, write and sync {:.1f} ms, {:.0f} % of its speed "
      "(medians of {} turns; quickest {:.1f} and {:.1f} ms)\n",
      8e-6 * static_cast<double>(plain.size()), comm.size(), 1e3 * median(saves),
      1e3 * median(writes), 100 * median(ratios), n_turns,
      1e3 * *std::min_element(saves.begin(), saves.end()),
      1e3 * *std::min_element(writes.begin(), writes.end()));
}

}  // namespace
}  // namespace trestle

/// save_speed FOLDER [TURNS]
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1)
    trestle::measure(trestle::Comm(MPI_COMM_WORLD), argv[1], argc > 2 ? std::atoi(argv[2]) : 40);
  MPI_Finalize();
  return argc > 1 ? 0 : 64;
}

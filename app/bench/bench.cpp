#include "app/bench/bench.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app/bench/results.hpp"
#include "app/console.hpp"
#include "app/device_choice.hpp"
#include "io/files.hpp"
#include "io/roots.hpp"

namespace trestle::app {
namespace {

constexpr int repeats = 5;

/// Finds out before minutes of measuring that the results will have no place.
void check_place(const std::string& path) {
  if (path.empty()) return;
  io::require_in_roots(path);
  std::error_code error;
  if (std::filesystem::is_directory(io::folder_of(path), error)) return;
  throw SystemError(ExitCode::cannot_create,
                    fmt::format("--json {}: the folder {} does not exist; make it first", path,
                                io::folder_of(path)));
}

}  // namespace

ExitCode bench(const Comm& comm, const BenchArguments& arguments) {
  Console console(comm);
  const io::RunOptions options = device_option(arguments.device);
  const gpu::Device device = choose_device(comm, options);
  comm.agree([&] {
    if (comm.is_root()) check_place(arguments.json);
  });
  for (const std::string& line : place_lines(gather_places(comm, device), options))
    console.line(line);
  BenchItems items = stream_items(comm, device);
  for (BenchItem& item : problem_items(comm, device, arguments.size))
    items.push_back(std::move(item));
  if (!arguments.mesh.empty())
    for (BenchItem& item : mesh_file_items(comm, arguments.mesh)) items.push_back(std::move(item));
  console.line(fmt::format("{} items, a warm-up and {} repeats of each", items.size(), repeats));
  const BenchRun run = measure(comm, device, items, repeats);
  for (const std::string& line : bench_table(run)) console.line(line);
  comm.agree([&] {
    if (comm.is_root() && !arguments.json.empty())
      io::write_text_file(arguments.json, bench_json(run));
  });
  return ExitCode::done;
}

}  // namespace trestle::app

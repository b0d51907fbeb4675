#include "app/bench/bench.hpp"

#include <fmt/format.h>

#include "app/bench/results.hpp"
#include "app/console.hpp"
#include "app/device_choice.hpp"
#include "io/files.hpp"

namespace trestle::app {
namespace {

constexpr int repeats = 5;

}  // namespace

ExitCode bench(const Comm& comm, const BenchArguments& arguments) {
  Console console(comm);
  const io::RunOptions options = device_option(arguments.device);
  const gpu::Device device = choose_device(comm, options);
  comm.agree([&] {
    if (comm.is_root()) io::require_place(arguments.json, "--json");
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

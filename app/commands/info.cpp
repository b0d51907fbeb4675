#include "app/commands/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/commands/library_versions.hpp"
#include "app/commands/selftest.hpp"
#include "app/console.hpp"
#include "app/device_choice.hpp"
#include "app/make_mesh.hpp"
#include "core/number.hpp"
#include "core/standard_streams.hpp"
#include "gpu/cuda_build.hpp"
#include "gpu/stream_bandwidth.hpp"
#include "io/mesh/file.hpp"
#include "io/mesh/hdf5.hpp"
#include "io/report/report.hpp"
#include "io/version.hpp"
#include "mesh/quality.hpp"
#include "physics/group_lookup.hpp"

namespace trestle::app {
namespace {

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

}  // namespace

ExitCode show_info(const Comm& comm) {
  Console console(comm);
  console.line(fmt::format("Trestle {}", io::version));
  console.line(fmt::format("libraries: {}, {}", mpi_library(), library_versions()));
  const std::string cards = gpu::cuda_built_for();
  console.line(cards.empty() ? "built without CUDA"
                             : fmt::format("built for cards of compute capability {}", cards));
  const int n_cards = gpu::cuda_device_count();
  if (!cards.empty())
    console.line(fmt::format("CUDA devices on this machine: {}{}", n_cards,
                             n_cards == 0 ? " (no card, or no driver)" : ""));
  const io::RunOptions options;
  const gpu::Device device = choose_device(comm, options);
  for (const std::string& line : place_lines(gather_places(comm, device), options))
    console.line(line);
  console.line(fmt::format("memory bandwidth (triad) of all ranks: {:.1f} GB/s",
                           comm.sum(gpu::measure_stream_bandwidth(device))));
  return ExitCode::done;
}

ExitCode self_test(const Comm& comm, const std::string& name) {
  Console console(comm);
  const gpu::Device device = choose_device(comm, device_option(name));
  bool good = true;
  console.line(fmt::format("selftest of {} against the CPU", device.name()));
  for (const gpu::KernelCheck& check : check_device(comm, device)) {
    const bool ok = comm.all(check.ok);
    good = good && ok;
    console.line(fmt::format("  {:44} difference {:9.2e}, allowed {:7.1e}  {}", check.name,
                             check.max_relative_difference, check.allowed, ok ? "ok" : "WRONG"));
  }
  console.line(good ? "every kernel agrees" : "some kernels differ: do not use this device");
  return good ? ExitCode::done : ExitCode::bug;
}

ExitCode show_mesh(const Comm& comm, const std::string& path, std::optional<double> scale) {
  Console console(comm);
  io::MeshOptions options;
  options.file = path;
  options.scale = scale.value_or(1);
  const auto mesh = make_mesh(comm, options);
  const mesh::MeshSummary summary = mesh::summarise(*mesh, scale.has_value());
  const auto& [low, high] = summary.box;
  console.line(fmt::format("{}: {}D, {}", path, summary.dim, counted(summary.n_nodes, "node")));
  for (const auto& [type, n] : summary.cells_by_type)
    console.line(fmt::format("  {:10} {}", type, n));
  console.line(fmt::format("bounding box: ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g}) m", low[0],
                           low[1], low[2], high[0], high[1], high[2]));
  console.line(fmt::format("{}: {:.9g} {}", summary.dim == 3 ? "volume" : "area", summary.measure,
                           summary.dim == 3 ? "m^3" : "m^2"));
  console.line(fmt::format(
      "smallest scaled Jacobian {:.3g} (cell {}), largest aspect ratio {:.3g}, connected parts {}",
      summary.min_scaled_jacobian, summary.worst_cell_tag, summary.max_aspect_ratio,
      summary.n_components));
  console.line(mesh->groups.empty() ? "no physical groups" : "groups:");
  const std::vector<double> measures = mesh::compute_measures(*mesh);
  for (std::size_t g = 0; g < measures.size(); ++g) {
    const mesh::LocalGroup& group = mesh->groups[g];
    console.line(fmt::format(
        "  {:24} tag {:<6} {:>17} measure {:.9g}", group.group.called(), group.group.tag,
        counted(group.n_global, physics::entity_word(group.group.dim, mesh->dim)), measures[g]));
  }
  for (const mesh::LocalGroup& group : mesh->groups)
    if (group.n_global == 0)
      console.warning(
          fmt::format("group {} is empty: nothing can stand on it", group.group.called()));
  for (const std::string& warning : summary.warnings) console.warning(warning);
  return ExitCode::done;
}

namespace {

/// Throws Error(64) for a name that promises another format than the one that is written.
void refuse_ending(const std::string& to) {
  constexpr std::array others{".bdf", ".cgns", ".exo",  ".geo", ".inp", ".med",  ".msh", ".nas",
                              ".obj", ".ply",  ".pvtu", ".stl", ".stp", ".step", ".unv", ".vtk",
                              ".vtp", ".vtu",  ".xdmf", ".xmf", ".xml", ".yaml"};
  const std::filesystem::path path(to);
  if (std::find(others.begin(), others.end(), path.extension().string()) != others.end())
    throw Error(
        ExitCode::usage,
        fmt::format("mesh convert: {} has the ending of another format, and HDF5 is what is "
                    "written: call it {}",
                    to, std::filesystem::path(path).replace_extension(".h5").string()));
}

}  // namespace

ExitCode convert_mesh(const Comm& comm, const std::string& from, const std::string& to,
                      const io::MeshFileOptions& options) {
  std::vector<std::string> lines;
  comm.agree([&] {
    if (!comm.is_root()) return;
    refuse_ending(to);
    if (std::filesystem::exists(to))
      throw Error(ExitCode::cannot_create, to + " exists; remove it, or choose another name");
    const mesh::RawMesh whole = io::read_mesh_file(Comm(MPI_COMM_SELF), from, options);
    io::write_mesh_hdf5(to, whole);
    lines = whole.warnings;
    lines.push_back(fmt::format("{}: {}D, {}, {}", to, whole.dim, counted(whole.n_nodes, "node"),
                                counted(whole.n_cells, "cell")));
  });
  Console console(comm);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) console.warning(lines[i]);
  if (!lines.empty()) console.line(lines.back());
  return ExitCode::done;
}

ExitCode show_report(const Comm& comm, const std::string& directory) {
  comm.agree([&] {
    if (!comm.is_root()) return;
    const io::Report report = io::read_report(directory + "/report.json");
    write_to(stdout, "{}\n", io::report_table(report));
    io::write_report(report, directory);
  });
  return ExitCode::done;
}

}  // namespace trestle::app

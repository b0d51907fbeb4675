// Writes and reads sample results from the command line: the program that the reader, crash and
// full-disk tests start, kill and starve.
#include <mpi.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "core/lone_rank.hpp"
#include "io/results/tools.hpp"
#include "io/results/xdmf.hpp"
#include "tests/readers/sample_results.hpp"

namespace trestle::test {
namespace {

/// A line that is out even when the next instruction is the last one.
void say(const std::string& text) {
  const std::string line = text + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}

void write_samples(const Comm& comm, const std::string& path, const SampleMesh& mesh, int n_steps) {
  io::ResultsWriter writer(comm, path, mesh, sample_fields(), n_steps);
  for (int step = 0; step < n_steps; ++step) {
    writer.write_step("case " + std::to_string(step), 0.5 * step, sample_values(mesh, step));
    if (comm.is_root()) say("step " + std::to_string(step));
  }
  writer.close();
}

/// Reads everything; says how many steps have the right values and checksums.
void check_samples(const std::string& path) {
  const io::ResultsContent content = io::read_results(path);
  const int n_steps = static_cast<int>(content.step_names.size());
  for (int step = 0; step < n_steps; ++step)
    for (int f = 0; f < 3; ++f) {
      const io::ResultField& field = content.fields.at(static_cast<std::size_t>(f));
      const auto values = io::read_result_values(path, field.name, step);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto width = static_cast<std::size_t>(field.components);
        const auto point = static_cast<GlobalIndex>(i / width);
        const double right = sample_value(f, static_cast<int>(i % width), point,
                                          &content.coordinates[3 * (i / width)], step);
        require(values[i] == right, ExitCode::bug,
                field.name + " is wrong at step " + std::to_string(step));
      }
    }
  say("right " + std::to_string(n_steps));
}

/// Points of one field of 6 numbers each that pass 2^31 bytes by far: 275e6 + 1000 numbers.
constexpr GlobalIndex n_large = (275'000'000 + 1000) / 6;

/// Component c of the large field.
double large_value(GlobalIndex point, int c) { return static_cast<double>(6 * point + c); }

/// A file with one field of 2.2 GB; the ranks hold consecutive points, one rank alone all of them.
void write_large(const Comm& comm, const std::string& path) {
  std::vector<std::vector<double>> values(1);
  SampleMesh mesh;
  mesh.region_names = {"all"};
  mesh.n_points = n_large;
  mesh.n_cells = 1;
  const Share own = share_of(n_large, comm.rank(), comm.size());
  const auto n = static_cast<std::size_t>(own.count());
  values[0].reserve(6 * n);
  for (auto* ids : {&mesh.point_ids, &mesh.node_ids, &mesh.node_tags}) ids->reserve(n);
  mesh.coordinates.reserve(3 * n);
  mesh.point_regions.assign(n, 0);
  for (GlobalIndex i = own.first; i < own.last; ++i) {
    for (auto* ids : {&mesh.point_ids, &mesh.node_ids, &mesh.node_tags}) ids->push_back(i);
    mesh.coordinates.insert(mesh.coordinates.end(), {static_cast<double>(i), 0.0, 0.0});
    for (int c = 0; c < 6; ++c) values[0].push_back(large_value(i, c));
  }
  if (comm.is_root()) {
    mesh.cell_ids = mesh.cell_tags = {0};
    mesh.cell_types = {mesh::CellType::tet4};
    mesh.cell_regions = {0};
    mesh.cell_points = {0, 1, 2, 3};
  }
  io::ResultsWriter writer(comm, path, mesh, {{"stress", 6, "Pa"}}, 1);
  writer.write_step("", 0, values);
  writer.close();
}

/// Reads all of the large field, its checksum verified, and compares every number.
void check_large(const std::string& path) {
  const std::vector<double> values = io::read_result_values(path, "stress", 0);
  require(values.size() == 6 * static_cast<std::size_t>(n_large), ExitCode::bug, "another size");
  for (std::size_t i = 0; i < values.size(); ++i)
    require(values[i] == static_cast<double>(i), ExitCode::bug, "a value is wrong");
  say("last " + std::to_string(values.back()));
}

/// The limit of `ulimit -f`, set after MPI_Init because MPI itself has large files.
void limit_file_size() {
  const char* bytes = getenv("RESULTS_FILE_LIMIT");
  if (bytes == nullptr) return;
  const rlimit limit{std::strtoul(bytes, nullptr, 10), RLIM_INFINITY};
  require(setrlimit(RLIMIT_FSIZE, &limit) == 0, ExitCode::bug, "setrlimit failed");
}

void run(const Comm& comm, int argc, char** argv) {
  const std::string command = argc > 2 ? argv[1] : "", path = argc > 2 ? argv[2] : "";
  limit_file_size();
  const auto number = [&](int i) { return std::atoi(argc > i ? argv[i] : "0"); };
  if (command == "cells")
    write_samples(comm, path, one_cell_of_each_type(comm), std::max(1, number(3)));
  else if (command == "cube")
    write_samples(comm, path, two_regions(comm, number(4)), number(3));
  else if (command == "large")
    write_large(comm, path);
  else if (command == "check_large")
    check_large(path);
  else if (command == "check")
    check_samples(path);
  else if (command == "info")
    say(io::results_info(path));
  else if (command == "export")
    say(io::export_xdmf(path, argv[3]));
  else
    throw Error(ExitCode::usage,
                "usage: results_driver cells PATH [STEPS] | cube PATH STEPS N | check PATH | info "
                "PATH | export PATH DIRECTORY | large PATH | check_large PATH");
}

}  // namespace
}  // namespace trestle::test

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // as the program does: a file-size limit is then an error of write
  trestle::start_lone_rank_without_daemon();
  MPI_Init(&argc, &argv);
  int code = 0;
  {
    const trestle::Comm comm(MPI_COMM_WORLD);
    try {
      trestle::test::run(comm, argc, argv);
    } catch (const trestle::Error& e) {
      if (comm.is_root()) fprintf(stderr, "%s\n", e.what());
      code = static_cast<int>(e.code());
    }
  }
  MPI_Finalize();
  return code;
}

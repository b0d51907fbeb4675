// The writer of results.hdf: what every rank does around rank 0's HDF5 file.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <set>

#include "core/free_memory.hpp"
#include "io/files.hpp"
#include "io/results/file.hpp"
#include "io/results/layout.hpp"
#include "io/results/results.hpp"

namespace trestle::io {

namespace {

// HDF5's own tables that grow with a step, and the pages that alignment leaves free.
constexpr std::int64_t room_for_tables = 256 * 1024;

/// Opens for pwrite the file that rank 0 made; another node may see it a little later.
FileDescriptor open_for_slices(const std::string& path) {
  constexpr int tries = 20;
  for (int i = 0;; ++i) {
    FileDescriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (file) return file;
    if (errno != ENOENT || i == tries) break;
    usleep(100'000);
  }
  if (errno == ENOENT)
    throw SystemError(ExitCode::cannot_create,
                      fmt::format("rank 0 made {}, but another rank's node does not see it: put "
                                  "the output on a file system that all nodes share",
                                  path));
  throw file_error("open", path, errno, ExitCode::cannot_create);
}

void check_fields(const std::vector<ResultField>& fields) {
  std::set<std::string> names{"node_id", "node_tag", "region"};
  for (const ResultField& field : fields) {
    require(names.insert(field.name).second && !field.name.empty() &&
                field.name.find('/') == std::string::npos,
            ExitCode::bug, fmt::format("results: a second field called '{}'", field.name));
    require(field.components == 1 || field.components == 3 || field.components == 6, ExitCode::bug,
            fmt::format("results: {} has {} components", field.name, field.components));
  }
}

std::int64_t bytes_per_step(const ResultsPlan& plan) {
  std::int64_t bytes = room_for_tables;
  for (const ResultField& field : plan.fields)
    bytes += plan.n_points * field.components * static_cast<std::int64_t>(sizeof(double));
  return bytes;
}

/// Rank 0's addresses on all ranks. Collective.
std::vector<ChunkAddresses> broadcast(const Comm& comm, const std::vector<ChunkAddresses>& all) {
  std::vector<std::int64_t> flat, sizes;
  for (const auto& one : all) {
    sizes.push_back(static_cast<std::int64_t>(one.size()));
    flat.insert(flat.end(), one.begin(), one.end());
  }
  sizes = comm.broadcast(std::move(sizes));
  flat = comm.broadcast(std::move(flat));
  std::vector<ChunkAddresses> result;
  auto at = flat.begin();
  for (std::int64_t n : sizes) {
    result.emplace_back(at, at + n);
    at += n;
  }
  return result;
}

/// The checksum of a dataset from the hashes of the ranks' blocks; right on rank 0. Collective.
std::uint64_t combined(const Comm& comm, const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint64_t> all;
  for (const auto& part : comm.gather(std::span<const std::uint64_t>(hashes)))
    all.insert(all.end(), part.begin(), part.end());
  return hash_of_hashes(all);
}

}  // namespace

/// What becomes of the file of an interrupted run.
enum class ResumeWay : int { append, copy, anew };

/// Why a file cannot go on by a plan; "" where it can.
std::string mismatch(const ResultsPlan& plan, const ResultsSummary& summary, int n_kept) {
  if (static_cast<int>(summary.step_names.size()) < n_kept)
    return fmt::format("has {} steps, not {}", summary.step_names.size(), n_kept);
  if (summary.n_points != plan.n_points || summary.n_cells != plan.n_cells ||
      summary.region_names != plan.region_names)
    return "is on another mesh";
  const auto same = [](const ResultField& a, const ResultField& b) {
    return a.name == b.name && a.components == b.components && a.unit == b.unit;
  };
  if (!std::ranges::equal(summary.fields, plan.fields, same)) return "has other fields";
  return "";
}

/// How the file at plan.path goes on; `note` says why it does not. Local.
ResumeWay way_to_resume(const ResultsPlan& plan, int n_kept, std::string& note) {
  struct stat status {};
  if (n_kept == 0 && lstat(plan.path.c_str(), &status) != 0 && errno == ENOENT)
    return ResumeWay::anew;  // nothing was written yet
  try {
    note = mismatch(plan, read_results_summary(plan.path), n_kept);
    if (!note.empty()) return ResumeWay::anew;
    return can_go_on(plan.path, plan) ? ResumeWay::append : ResumeWay::copy;
  } catch (const Error& e) {
    if (e.code() == ExitCode::io || e.code() == ExitCode::permission) throw;
    note = fmt::format("is missing or damaged ({})", e.what());
    return ResumeWay::anew;
  }
}

/// Gives the file at `path` a free name beside it; that name, "" where there is none to give.
std::string set_aside(const std::string& path) {
  const std::string stem = path.substr(0, path.rfind('.'));
  for (int part = 1;; ++part) {
    const std::string name = fmt::format("{}.{}.hdf", stem, part);
    struct stat status {};
    if (lstat(name.c_str(), &status) == 0) continue;
    if (rename(path.c_str(), name.c_str()) == 0) return name;
    if (errno == ENOENT) return "";
    throw file_error("rename", path, errno, ExitCode::cannot_create);
  }
}

struct ResultsWriter::Implementation {
  Implementation(const Comm& communicator, const ResultMesh& mesh, ResultsPlan wanted)
      : comm(communicator),
        plan(std::move(wanted)),
        points(communicator, mesh.n_points, mesh.point_ids, "point"),
        node_tags(make_array(communicator, mesh.node_tags, mesh.point_ids.size())) {}

  /// Runs `work` on rank 0; all ranks throw its error. Collective.
  template <class Work>
  void on_root(Work work) const {
    comm.agree([&] {
      if (comm.is_root()) work();
    });
  }

  void create(const MeshArrays& arrays);
  void resume(ResultMesh mesh, ResultsResume& resume);
  void append_after(int n_kept);
  void copy_steps(const std::string& from, int n_kept);
  void write_mesh(const MeshArrays& arrays);
  void write_rows(const ChunkAddresses& chunks, GlobalIndex first_chunk, Share rows,
                  GlobalIndex rows_per_chunk, std::size_t row_bytes,
                  std::span<const std::byte> values) const;
  void refuse_bad_numbers(const std::string& step,
                          const std::vector<std::vector<double>>& values) const;
  std::vector<std::uint64_t> write_fields(const std::vector<ChunkAddresses>& chunks,
                                          const std::vector<std::vector<double>>& values) const;
  void write_step(const std::string& name, double value,
                  const std::vector<std::vector<double>>& values);

  Comm comm;
  ResultsPlan plan;
  ToSlices points;
  std::vector<std::int64_t> node_tags;  // of the owned points, for messages
  FileDescriptor slices;
  std::unique_ptr<ResultsFile> file;  // rank 0
  bool broken = false;
  GlobalIndex n_written = 0;
};

void ResultsWriter::Implementation::create(const MeshArrays& arrays) {
  on_root([&] { file = std::make_unique<ResultsFile>(plan, arrays.list()); });
  try {
    comm.agree([&] { slices = open_for_slices(plan.path); });
    write_mesh(arrays);
  } catch (...) {
    if (file) file->discard();
    throw;
  }
}

void ResultsWriter::Implementation::write_mesh(const MeshArrays& arrays) {
  const std::vector<MeshArray>& list = arrays.list();
  std::vector<ChunkAddresses> chunks;
  on_root([&] {
    file->reserve(bytes_per_step(plan));
    chunks = file->mesh_addresses(list);
  });
  chunks = broadcast(comm, chunks);
  std::vector<std::uint64_t> hashes;
  std::exception_ptr failure;  // every rank makes every exchange, whatever fails here
  for (std::size_t a = 0; a < list.size(); ++a) {
    give_back_free_memory();  // of the array before
    const ArrayValues values = arrays.take(a);
    try {
      if (!failure)
        write_rows(chunks[a], 0, list[a].rows, plan.rows_per_chunk(list[a]), list[a].row_bytes(),
                   values.bytes);
    } catch (...) {
      failure = std::current_exception();
    }
    hashes.push_back(combined(comm, values.hashes));
  }
  comm.raise_if_any(failure);
  comm.agree([&] { sync_file(slices.number(), plan.path); });
  on_root([&] { file->finish_mesh(list, hashes); });
}

void ResultsWriter::Implementation::write_rows(const ChunkAddresses& chunks,
                                               GlobalIndex first_chunk, Share rows,
                                               GlobalIndex rows_per_chunk, std::size_t row_bytes,
                                               std::span<const std::byte> values) const {
  for (const Piece& piece : pieces_of(rows, rows_per_chunk)) {
    const std::size_t bytes = static_cast<std::size_t>(piece.n_rows) * row_bytes;
    const std::int64_t chunk = chunks[static_cast<std::size_t>(piece.chunk - first_chunk)];
    write_surely(slices.number(), values.first(bytes),
                 chunk + piece.row_in_chunk * static_cast<std::int64_t>(row_bytes), plan.path);
    values = values.subspan(bytes);
  }
}

void ResultsWriter::Implementation::refuse_bad_numbers(
    const std::string& step, const std::vector<std::vector<double>>& values) const {
  require(values.size() == plan.fields.size(), ExitCode::bug,
          fmt::format("results: values of {} fields, not {}", values.size(), plan.fields.size()));
  require(step.size() < step_name_bytes, ExitCode::case_file,
          fmt::format("the name of a step is longer than {} bytes: {}", step_name_bytes - 1, step));
  for (std::size_t f = 0; f < values.size(); ++f) {
    const auto width = static_cast<std::size_t>(plan.fields[f].components);
    require(values[f].size() == node_tags.size() * width, ExitCode::bug,
            fmt::format("results: {} values of {} at {} points", values[f].size(),
                        plan.fields[f].name, node_tags.size()));
    for (std::size_t i = 0; i < values[f].size(); ++i)
      if (!std::isfinite(values[f][i]))
        throw NumericalError(
            ExitCode::not_a_number,
            fmt::format("{} is {} at node {} (component {}) in step {}{}{}; it is not written",
                        plan.fields[f].name, values[f][i], node_tags[i / width], i % width,
                        n_written, step.empty() ? "" : " ", step));
  }
}

std::vector<std::uint64_t> ResultsWriter::Implementation::write_fields(
    const std::vector<ChunkAddresses>& chunks,
    const std::vector<std::vector<double>>& values) const {
  std::vector<std::uint64_t> hashes;
  std::exception_ptr failure;  // every rank makes every exchange, whatever fails here
  for (std::size_t f = 0; f < values.size(); ++f) {
    const auto width = static_cast<std::size_t>(plan.fields[f].components);
    const std::size_t row_bytes = width * sizeof(double);
    const std::vector<double> slice = points.move(std::span<const double>(values[f]), width);
    const auto bytes = std::as_bytes(std::span(slice));
    const GlobalIndex per_chunk = plan.rows_per_chunk(plan.fields[f]);
    const GlobalIndex begin = n_written * plan.n_points;
    try {
      write_rows(chunks[f], begin / per_chunk,
                 {begin + points.share().first, begin + points.share().last}, per_chunk, row_bytes,
                 bytes);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    hashes.push_back(combined(comm, block_hashes(bytes, row_bytes)));
  }
  try {
    sync_file(slices.number(), plan.path);
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  comm.raise_if_any(failure);
  return hashes;
}

void ResultsWriter::Implementation::write_step(const std::string& name, double value,
                                               const std::vector<std::vector<double>>& values) {
  require(!broken, ExitCode::bug, plan.path + ": a step after a failed one");
  require(n_written < plan.n_steps, ExitCode::bug,
          fmt::format("{} was made for {} steps; there is another", plan.path, plan.n_steps));
  comm.agree([&] { refuse_bad_numbers(name, values); });
  broken = true;  // until all is well
  std::vector<ChunkAddresses> chunks;
  on_root([&] {
    file->reserve(bytes_per_step(plan));
    chunks = file->begin_step(name, value);
  });
  const auto hashes = write_fields(broadcast(comm, chunks), values);
  on_root([&] {
    file->finish_step(hashes);
    file->announce_step();
  });
  ++n_written;
  broken = false;
}

ResultsWriter::ResultsWriter(const Comm& comm, const std::string& path, ResultMesh mesh,
                             std::vector<ResultField> fields, int n_steps,
                             std::size_t chunk_bytes) {
  comm.agree([&] { check_fields(fields); });
  ResultsPlan plan{path,    mesh.n_points, mesh.n_cells, std::move(fields), mesh.region_names,
                   n_steps, chunk_bytes};
  implementation_ = std::make_unique<Implementation>(comm, mesh, std::move(plan));
  implementation_->create(MeshArrays(comm, std::move(mesh), implementation_->points));
  give_back_free_memory();  // of the mesh
}

void ResultsWriter::Implementation::append_after(int n_kept) {
  on_root([&] { file = std::make_unique<ResultsFile>(plan, n_kept); });
  comm.agree([&] { slices = open_for_slices(plan.path); });
  n_written = n_kept;
}

void ResultsWriter::Implementation::copy_steps(const std::string& from, int n_kept) {
  on_root([&] {
    const ResultsSummary summary = read_results_summary(from);
    for (int step = 0; step < n_kept; ++step) {
      const auto s = static_cast<std::size_t>(step);
      file->reserve(bytes_per_step(plan));
      const auto chunks = file->begin_step(summary.step_names[s], summary.step_values[s]);
      std::vector<std::uint64_t> hashes;
      for (std::size_t f = 0; f < plan.fields.size(); ++f) {
        const ResultField& field = plan.fields[f];
        const std::size_t row_bytes = static_cast<std::size_t>(field.components) * sizeof(double);
        const std::vector<double> values = read_result_values(from, field.name, step);
        const auto bytes = std::as_bytes(std::span(values));
        const GlobalIndex begin = step * plan.n_points, per_chunk = plan.rows_per_chunk(field);
        write_rows(chunks[f], begin / per_chunk, {begin, begin + plan.n_points}, per_chunk,
                   row_bytes, bytes);
        hashes.push_back(hash_of_hashes(block_hashes(bytes, row_bytes)));
      }
      sync_file(slices.number(), plan.path);
      file->finish_step(hashes);
      file->announce_step();
    }
  });
  n_written = n_kept;
}

void ResultsWriter::Implementation::resume(ResultMesh mesh, ResultsResume& resume) {
  const std::string path = plan.path, copy = path + ".new";
  auto way = ResumeWay::anew;
  std::string aside;
  on_root([&] {
    unlink(copy.c_str());
    way = way_to_resume(plan, resume.n_kept, resume.note);
    if (way == ResumeWay::anew) aside = set_aside(path);
  });
  way = static_cast<ResumeWay>(comm.broadcast(std::vector<int>{static_cast<int>(way)})[0]);
  if (way == ResumeWay::append) return append_after(resume.n_kept);
  if (way == ResumeWay::copy) plan.path = copy;
  create(MeshArrays(comm, std::move(mesh), points));
  if (way == ResumeWay::anew) {
    resume.note = comm.broadcast(resume.note);
    if (resume.note.empty()) return;
    resume.note = comm.broadcast(path + " " + resume.note +
                                 (aside.empty() ? "" : ", and is called " + aside + " now") +
                                 ": a new file begins with the next output");
    return;
  }
  copy_steps(path, resume.n_kept);
  on_root([&] {
    if (rename(copy.c_str(), path.c_str()) != 0)
      throw file_error("rename", copy, errno, ExitCode::cannot_create);
    sync_folder(folder_of(path));
  });
  plan.path = path;
}

ResultsWriter::ResultsWriter(const Comm& comm, const std::string& path, ResultMesh mesh,
                             std::vector<ResultField> fields, int n_steps, ResultsResume& resume) {
  comm.agree([&] { check_fields(fields); });
  ResultsPlan plan{path,    mesh.n_points,       mesh.n_cells, std::move(fields), mesh.region_names,
                   n_steps, std::size_t{1} << 30};
  implementation_ = std::make_unique<Implementation>(comm, mesh, std::move(plan));
  implementation_->resume(std::move(mesh), resume);
  give_back_free_memory();
}

ResultsWriter::~ResultsWriter() = default;

void ResultsWriter::write_step(const std::string& name, double value,
                               const std::vector<std::vector<double>>& values) {
  implementation_->write_step(name, value, values);
}

void ResultsWriter::close() {
  implementation_->on_root([&] {
    if (!implementation_->broken) implementation_->file->close();
  });
  implementation_->comm.agree([&] {
    if (implementation_->slices && implementation_->slices.close() != 0)
      throw file_error("write", implementation_->plan.path, errno, ExitCode::io);
  });
}

}  // namespace trestle::io

#include "jobs/batch/batch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "io/escape.hpp"
#include "io/files.hpp"
#include "jobs/batch/sweep.hpp"
#include "jobs/slurm/requeue.hpp"

namespace trestle::jobs {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* list_name = "batch.json";
constexpr const char* summary_name = "summary.csv";
constexpr std::size_t status_limit = 1 << 20;
constexpr std::size_t list_limit = 32 << 20;

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Reads a job back; false when it is not one that `write_batch` wrote.
bool read_job(const json& entry, const std::string& directory, BatchJob& job) {
  if (!entry.is_object()) return false;
  job.name = text_at(entry, "name");
  job.case_file = text_at(entry, "case");
  job.directory = directory + "/" + job.name;
  const auto ranks = entry.find("ranks");
  if (ranks == entry.end() || !ranks->is_number_integer()) return false;
  const auto n = ranks->get<std::int64_t>();
  const auto set = entry.find("set");
  if (n < 1 || n > 1'000'000 || set == entry.end() || !set->is_array()) return false;
  job.ranks = static_cast<int>(n);
  for (const json& value : *set) {
    if (!value.is_string()) return false;
    job.overrides.push_back(value.get<std::string>());
  }
  if (const auto noted = entry.find("noted"); noted != entry.end()) {
    if (!noted->is_object() || !noted->contains("code") || !(*noted)["code"].is_number_integer())
      return false;
    job.noted =
        RunState{RunState::Kind::failed, (*noted)["code"].get<int>(), text_at(*noted, "message")};
    job.noted_stamp = text_at(*noted, "stamp");
  }
  return !job.case_file.empty() && !job.name.empty() && job.name == folder_name(job.name, 200) &&
         job.name.front() != '.';
}

std::string first_line(const std::string& message) {
  const std::string line = message.substr(0, message.find('\n'));
  return line.size() < message.size() ? line + " ..." : line;
}

std::string code_text(const RunState& state) {
  const bool ended = state.kind != RunState::Kind::missing && state.kind != RunState::Kind::running;
  return ended ? std::to_string(state.code) : "";
}

}  // namespace

std::string state_word(const RunState& state) {
  switch (state.kind) {
    case RunState::Kind::missing:
      return "not started";
    case RunState::Kind::running:
      return "unfinished";
    case RunState::Kind::stopped:
      return "stopped";
    case RunState::Kind::failed:
      return "failed";
    case RunState::Kind::completed:
      break;
  }
  return state.code == 0 ? "ok" : "missed";
}

RunState state_of_job(const BatchJob& job) {
  if (job.noted && status_stamp(job.directory) == job.noted_stamp) return *job.noted;
  return read_run_state(job.directory);
}

RunState read_run_state(const std::string& directory) {
  RunState state;
  json status;
  try {
    status =
        json::parse(io::read_text_file(directory + "/status.json", status_limit), nullptr, false);
  } catch (const Error&) {
    return state;
  }
  if (!status.is_object()) return state;
  const std::string name = text_at(status, "state");
  const auto code = status.find("exit_code");
  if (code != status.end() && code->is_number_integer()) state.code = code->get<int>();
  state.message = text_at(status, "message");
  if (name == "completed")
    state.kind = RunState::Kind::completed;
  else if (name == "failed")
    state.kind = RunState::Kind::failed;
  else if (name == "stopped")
    state.kind = RunState::Kind::stopped;
  else if (!name.empty())
    state.kind = RunState::Kind::running;
  if (state.kind == RunState::Kind::failed && state.code == 0)
    state.code = static_cast<int>(ExitCode::bug);
  return state;
}

bool is_file_of_batch(const std::string& name) {
  return name == list_name || name == summary_name || name == "submit.sbatch" ||
         name.ends_with(".log");
}

void name_jobs(Batch& batch) {
  std::set<std::string> taken;
  for (BatchJob& job : batch.jobs) {
    std::string base = job.name.empty() ? fs::path(job.case_file).stem().string() : job.name;
    base = folder_name(base);
    if (base.empty() || base.front() == '.') base = "job" + base;
    if (is_file_of_batch(base)) base += "-run";
    std::string name = base;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}-{}", base, n);
    job.name = name;
    job.directory = batch.directory + "/" + name;
  }
}

void write_batch(const Batch& batch) {
  json list{{"schema", 1}, {"jobs", json::array()}};
  for (const BatchJob& job : batch.jobs) {
    json entry{
        {"name", job.name}, {"case", job.case_file}, {"set", job.overrides}, {"ranks", job.ranks}};
    if (job.noted)
      entry["noted"] = {
          {"code", job.noted->code}, {"message", job.noted->message}, {"stamp", job.noted_stamp}};
    list["jobs"].push_back(std::move(entry));
  }
  io::write_text_file(batch.directory + "/" + list_name,
                      list.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

Batch read_batch(const std::string& directory) {
  Batch batch{directory, {}};
  while (batch.directory.size() > 1 && batch.directory.back() == '/') batch.directory.pop_back();
  const std::string path = batch.directory + "/" + list_name;
  const json list = json::parse(io::read_text_file(path, list_limit), nullptr, false);
  bool good = list.is_object() && list.contains("jobs") && list["jobs"].is_array();
  std::set<std::string> names;
  if (good)
    for (const json& entry : list["jobs"]) {
      BatchJob job;
      good = good && read_job(entry, batch.directory, job) && names.insert(job.name).second;
      batch.jobs.push_back(std::move(job));
    }
  if (!good || batch.jobs.empty())
    throw Error(ExitCode::mesh, path + " is no list of a batch, or it is damaged");
  return batch;
}

std::string batch_table(const Batch& batch, const std::vector<RunState>& states) {
  std::size_t width = 4, done = 0;
  for (const BatchJob& job : batch.jobs) width = std::max(width, job.name.size());
  std::string text = fmt::format("{:{}}  {:11}  {:>4}  message\n", "job", width, "state", "code");
  for (std::size_t i = 0; i < batch.jobs.size(); ++i) {
    const RunState& state = states[i];
    done += state.ok() ? 1 : 0;
    std::string line =
        fmt::format("{:{}}  {:11}  {:>4}  {}", batch.jobs[i].name, width, state_word(state),
                    code_text(state), io::escape_terminal(first_line(state.message)));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += fmt::format("{} of {} jobs are done", done, batch.jobs.size());
  if (done < batch.jobs.size())
    text += fmt::format("; the others again: trestle batch rerun {}", batch.directory);
  return text;
}

ExitCode batch_code(const std::vector<RunState>& states) {
  for (const RunState& state : states) {
    if (state.ok()) continue;
    const bool ended =
        state.kind != RunState::Kind::missing && state.kind != RunState::Kind::running;
    return ended && state.code != 0 ? static_cast<ExitCode>(state.code) : ExitCode::stopped_unsaved;
  }
  return ExitCode::done;
}

void write_summary(const Batch& batch, const std::vector<RunState>& states) {
  std::string text = "job,state,code,case,directory,message\n";
  for (std::size_t i = 0; i < batch.jobs.size(); ++i)
    text += fmt::format(
        "{},{},{},{},{},{}\n", io::escape_csv(batch.jobs[i].name), state_word(states[i]),
        code_text(states[i]), io::escape_csv(batch.jobs[i].case_file),
        io::escape_csv(batch.jobs[i].directory), io::escape_csv(first_line(states[i].message)));
  io::write_text_file(batch.directory + "/" + summary_name, text);
}

}  // namespace trestle::jobs

#include "app/commands/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/console.hpp"
#include "app/state/run_directory.hpp"
#include "core/number.hpp"
#include "core/standard_streams.hpp"
#include "io/checkpoint/store.hpp"
#include "io/files.hpp"
#include "io/report/report.hpp"
#include "io/results/results.hpp"

namespace trestle::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t status_limit = std::size_t{1} << 20;
constexpr std::size_t text_limit = std::size_t{1} << 30;

/// One thing that was looked at.
struct Finding {
  std::string kind;  // "status", "file", "checkpoint", "results"
  std::string name;
  std::string about;  // what it is
  std::string fault;  // "": it is right
};

/// What is wrong with `work`, or "". Throws Error(77) for what may not be read.
template <class Work>
std::string fault_of(const Work& work) {
  try {
    work();
    return "";
  } catch (const Error& e) {
    if (e.code() == ExitCode::permission) throw;
    return e.what();
  } catch (const std::exception& e) {
    return e.what();
  }
}

Finding check_status(const std::string& directory) {
  Finding finding{"status", "status.json", "", ""};
  finding.fault = fault_of([&] {
    const Json status =
        Json::parse(io::read_text_file(directory + "/status.json", status_limit),
                    [](int depth, Json::parse_event_t, Json&) {
                      require(depth <= 16, ExitCode::no_checkpoint, "it is nested deeper than 16");
                      return true;
                    });
    finding.about = "state " + status.at("state").get<std::string>();
    if (status.contains("step"))
      finding.about += fmt::format(", step {}", status["step"].get<std::int64_t>());
  });
  return finding;
}

/// `completed`: a run that goes on, or was killed, may have begun a step that no reader sees yet.
Finding check_results(const std::string& path, bool completed) {
  Finding finding{"results", fs::path(path).filename().string(), "", ""};
  finding.fault = fault_of([&] {
    const io::ResultsContent content = io::read_results(path);
    finding.about = counted(static_cast<std::int64_t>(content.step_names.size()), "step") + ", " +
                    counted(static_cast<std::int64_t>(content.node_ids.size()), "point");
    if (!content.has_all_checksums)
      finding.about +=
          "; names, units and times are not checked: an older version wrote it, without checksums "
          "of them";
    require(!completed || content.n_unannounced == 0, ExitCode::mesh,
            fmt::format("it announces {} and holds {} more, though the run completed",
                        counted(static_cast<std::int64_t>(content.step_names.size()), "step"),
                        content.n_unannounced));
    for (const io::ResultField& field : content.fields)
      for (std::size_t step = 0; step < content.step_names.size(); ++step)
        io::read_result_values(path, field.name, static_cast<int>(step));
  });
  return finding;
}

/// Throws where a file was cut off: each of ours ends in a line that is whole.
void check_whole(const std::string& path) {
  if (path.ends_with(".json")) return io::check_report(path);
  if (path.ends_with(".hdf")) return;  // check_results reads it
  const std::string text = io::read_text_file(path, text_limit);
  require(text.ends_with(path.ends_with(".html") ? "</html>\n" : "\n"), ExitCode::no_checkpoint,
          fmt::format("{} is cut off after {} bytes", path, text.size()));
}

/// What a run that has ended leaves beside its status and checkpoints: all of it where it
/// completed.
std::vector<Finding> check_files(const std::string& directory, bool completed) {
  std::vector<Finding> findings;
  for (const std::string name :
       {"results.hdf", "report.json", "report.html", "history.csv", "steps.csv", "case.yaml"}) {
    const std::string path = directory + "/" + name;
    if (fs::exists(path))
      findings.push_back({"file", name, "is there", fault_of([&] { check_whole(path); })});
    else if (completed && name != "steps.csv")
      findings.push_back({"file", name, "", "is missing, and the run completed"});
  }
  return findings;
}

/// The checkpoint that the status names, where neither it nor a later one is there, and it was not
/// set aside or found damaged.
std::vector<Finding> check_named_checkpoint(const std::string& directory) {
  const auto saved = jobs::progress_of(directory).checkpoint;
  if (!saved) return {};
  const std::string name = fs::path(saved->path).filename().string();
  const std::string path = directory + "/ckpt/" + name;
  for (const io::CheckpointEntry& entry : io::list_checkpoints(directory + "/ckpt"))
    if (entry.committed && entry.step >= saved->step) return {};
  if (fs::exists(path + ".bad") || fs::exists(path + ".aside")) return {};
  return {{"checkpoint", name, "", "is missing, or has no manifest, and status.json names it"}};
}

/// What is missing or cut off of a run that has ended, by what its status tells; one that was
/// killed may have had no time to tell it rightly.
std::vector<Finding> check_missing(const std::string& directory) {
  if (!check_status(directory).fault.empty()) return {};
  const std::string state = jobs::state_of(directory);
  std::vector<Finding> findings;
  if (state == "running") return findings;
  findings = check_named_checkpoint(directory);
  for (Finding& file : check_files(directory, state == "completed"))
    findings.push_back(std::move(file));
  return findings;
}

/// Collective.
std::vector<Finding> check_checkpoints(const Comm& comm, const std::string& folder) {
  std::string all;
  if (comm.is_root())
    for (const io::CheckpointEntry& entry : io::list_checkpoints(folder))
      if (entry.committed) all += entry.name + "\n";
  all = comm.broadcast(all);
  std::vector<Finding> findings;
  for (std::size_t begin = 0; begin < all.size(); begin = all.find('\n', begin) + 1) {
    const std::string name = all.substr(begin, all.find('\n', begin) - begin);
    io::CheckpointCheck check = io::check_checkpoint(comm, folder + "/" + name, true);
    const io::CheckpointHead& head = check.manifest.head;
    findings.push_back({"checkpoint", name,
                        check.fault.empty()
                            ? fmt::format("step {}, time {:g}, {} bytes of {} rank(s)", head.step,
                                          head.time, check.manifest.bytes(), check.manifest.n_ranks)
                            : "",
                        check.fault});
  }
  return findings;
}

std::vector<std::string> results_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("results.") && name.ends_with(".hdf")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json to_json(const std::vector<Finding>& findings, bool right) {
  Json json{{"schema", 1}, {"right", right}, {"findings", Json::array()}};
  for (const Finding& finding : findings)
    json["findings"].push_back({{"kind", finding.kind},
                                {"name", finding.name},
                                {"about", finding.about},
                                {"right", finding.fault.empty()},
                                {"fault", finding.fault}});
  return json;
}

}  // namespace

ExitCode verify(const Comm& comm, const std::string& directory, bool as_json) {
  comm.agree([&] {
    if (comm.is_root()) require_readable_run(directory);
    if (comm.is_root() && !fs::is_directory(directory))
      throw Error(ExitCode::no_input, directory + " is no directory; give that of a run");
    if (comm.is_root() && !fs::exists(directory + "/status.json") && !holds_run(directory))
      throw Error(ExitCode::no_input, directory + " has no status.json: it is no run directory");
  });
  std::vector<Finding> checkpoints = check_checkpoints(comm, directory + "/ckpt");
  bool right = true;
  comm.agree([&] {
    if (!comm.is_root()) return;
    std::vector<Finding> findings{check_status(directory)};
    for (Finding& finding : check_missing(directory)) findings.push_back(std::move(finding));
    for (const std::string& name : results_in(directory))
      findings.push_back(
          check_results(directory + "/" + name,
                        name == "results.hdf" && jobs::state_of(directory) == "completed"));
    findings.insert(findings.end(), checkpoints.begin(), checkpoints.end());
    right = std::all_of(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.fault.empty(); });
    if (as_json)
      return write_to(stdout, "{}\n",
                      to_json(findings, right).dump(2, ' ', false, Json::error_handler_t::replace));
    for (const Finding& finding : findings)
      write_to(stdout, "{:<7} {:<10} {}  {}\n", finding.fault.empty() ? "right" : "WRONG",
               finding.kind, printable(finding.name),
               printable(finding.fault.empty() ? finding.about : finding.fault));
  });
  return comm.all(right) ? ExitCode::done : ExitCode::no_checkpoint;
}

}  // namespace trestle::app

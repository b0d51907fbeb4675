#include "jobs/slurm/script.hpp"

#include <fmt/format.h>

#include "jobs/shell_quote.hpp"
#include "jobs/slurm/time.hpp"

namespace trestle::jobs {
namespace {

/// A value of a #SBATCH line, where sbatch splits words at blanks as a shell does.
std::string sbatch_quote(const std::string& value) {
  if (value.find_first_of(" \"'\\#") == std::string::npos) return value;
  std::string quoted = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

class Header {
 public:
  void add(const std::string& name, const std::string& value) {
    if (!value.empty()) text_ += fmt::format("#SBATCH --{}={}\n", name, sbatch_quote(value));
  }
  void add(const std::string& name, int value) {
    if (value > 0) add(name, std::to_string(value));
  }
  void memory(const std::string& name, const std::string& value) {
    if (!value.empty()) add(name, fmt::format("{}M", parse_slurm_memory(value).value));
  }
  void flag(const std::string& name) { text_ += "#SBATCH --" + name + "\n"; }
  void line(const std::string& option) { text_ += "#SBATCH " + option + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string gpus(const SlurmProfile& profile) {
  if (profile.gpus_per_task == 0) return "";
  return (profile.gpu_type.empty() ? "" : profile.gpu_type + ":") +
         std::to_string(profile.gpus_per_task);
}

std::string header(const SlurmJob& job) {
  const SlurmProfile& profile = job.profile;
  Header header;
  header.add("job-name", profile.name.empty() ? job.name : profile.name);
  header.add("account", profile.account);
  header.add("partition", profile.partition);
  header.add("qos", profile.qos);
  header.add("constraint", profile.constraint);
  header.add("reservation", profile.reservation);
  header.add("exclude", profile.exclude);
  header.add("nodes", profile.nodes);
  header.add("ntasks", profile.tasks);
  header.add("ntasks-per-node", profile.tasks_per_node);
  header.add("cpus-per-task", profile.cpus_per_task);
  header.add("gpus-per-task", gpus(profile));
  header.memory("mem", profile.memory);
  header.memory("mem-per-cpu", profile.memory_per_cpu);
  header.memory("mem-per-gpu", profile.memory_per_gpu);
  if (!profile.time.empty())
    header.add("time", format_slurm_time(parse_slurm_time(profile.time).value));
  if (profile.signal != "none") header.add("signal", profile.signal);
  header.flag(profile.requeue ? "requeue" : "no-requeue");
  if (profile.exclusive) header.flag("exclusive");
  header.add("open-mode", profile.append ? "append" : "truncate");
  header.add("chdir", job.working_directory);
  header.add("output", profile.log.empty() ? job.log : profile.log);
  if (job.array)
    header.add("array",
               fmt::format("1-{}{}", job.runs.size(),
                           profile.array_limit > 0 ? fmt::format("%{}", profile.array_limit) : ""));
  for (const std::string& option : profile.options) header.line(option);
  return header.text();
}

std::string words(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& word : all) text += (text.empty() ? "" : " ") + shell_quote(word);
  return text;
}

std::string arguments(const BatchJob& run) {
  std::string text = shell_quote(run.case_file) + " " + shell_quote(run.directory);
  for (const std::string& value : run.overrides) text += " --set " + shell_quote(value);
  return text;
}

/// What the wrapper runs: its settings, and the words it would get on a command line.
std::string settings(const SlurmJob& job) {
  const SlurmProfile& profile = job.profile;
  std::string text;
  for (const std::string& module : profile.modules)
    text += "module load " + shell_quote(module) + "\n";
  for (const auto& [name, value] : profile.environment)
    text += fmt::format("export {}={}\n", name, shell_quote(value));
  for (const std::string& line : profile.prologue) text += line + "\n";
  const std::string inside = profile.container.empty() ? job.program : "trestle";
  text += "program=" + shell_quote(profile.program.empty() ? inside : profile.program) + "\n";
  if (!profile.container.empty()) text += "container=" + shell_quote(profile.container) + "\n";
  text += fmt::format("launcher={}\nbinding={}\nlauncher_options=({})\n",
                      profile.launcher == Launcher::srun ? "srun" : "mpirun", profile.binding,
                      words(profile.launcher_options));
  if (!profile.requeue) text += "requeue=no\n";
  if (!job.array) return text + "set -- " + arguments(job.runs.front()) + "\n";
  text += "case $SLURM_ARRAY_TASK_ID in\n";
  for (std::size_t i = 0; i < job.runs.size(); ++i)
    text += fmt::format("{}) set -- {} ;;\n", i + 1, arguments(job.runs[i]));
  return text + "esac\n";
}

/// The wrapper without its own first lines, which are those of a script that is submitted by hand.
std::string wrapper_body() {
  const std::string text = slurm_wrapper;
  const std::string mark = "\n# --- ";
  return text.substr(text.find(mark) + 1);
}

}  // namespace

std::string sbatch_script(const SlurmJob& job) {
  return "#!/bin/bash\n# Written by `trestle submit`.\n" + header(job) + "\n" + settings(job) +
         "\n" + wrapper_body();
}

}  // namespace trestle::jobs

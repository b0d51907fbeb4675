#include "jobs/slurm/profile.hpp"

#include <optional>

#include "core/number.hpp"
#include "io/case/faults.hpp"
#include "io/case/options.hpp"
#include "io/case/overrides.hpp"
#include "io/case/yaml.hpp"
#include "jobs/slurm/time.hpp"

namespace trestle::jobs {
namespace {

using Kind = OptionKind;
using Profile = SlurmProfile;

constexpr std::size_t longest_line = 4096;

Option<Profile> text(std::string name, std::string Profile::*member, std::string help) {
  return option(OptionInfo{.name = std::move(name), .kind = Kind::text, .help = std::move(help)},
                member);
}

Option<Profile> path(std::string name, std::string Profile::*member, std::string help) {
  return option(OptionInfo{.name = std::move(name), .kind = Kind::path, .help = std::move(help)},
                member);
}

Option<Profile> texts(std::string name, std::vector<std::string> Profile::*member,
                      std::string help) {
  return option(OptionInfo{.name = std::move(name), .kind = Kind::texts, .help = std::move(help)},
                member);
}

Option<Profile> count(std::string name, int Profile::*member, std::string help, double lower = 1) {
  return int_option(
      OptionInfo{.name = std::move(name), .help = std::move(help), .lower = lower, .upper = 1e6},
      member, 0);
}

Option<Profile> flag(std::string name, bool Profile::*member, std::string help) {
  return option(OptionInfo{.name = std::move(name), .kind = Kind::boolean, .help = std::move(help)},
                member);
}

/// How long before the end the signal `B:USR1@120` comes [s]; none where the text has no such
/// number.
std::optional<std::int64_t> lead_of(const std::string& signal) {
  const std::size_t at = signal.find('@');
  if (at == std::string::npos) return std::nullopt;
  const ParsedInteger seconds = parse_integer(std::string_view(signal).substr(at + 1));
  return seconds.ok() ? std::optional<std::int64_t>(seconds.value) : std::nullopt;
}

/// What is wrong with `B:USR1@120`; "" when nothing is.
std::string signal_fault(const std::string& value) {
  if (value == "none") return "";
  std::string_view rest = value;
  if (rest.starts_with("B:")) rest.remove_prefix(2);
  const bool named = rest.starts_with("USR1@");
  if (named) rest.remove_prefix(5);
  const ParsedInteger seconds = parse_integer(rest);
  if (named && seconds.ok() && seconds.value >= 10 && seconds.value <= 65535) return "";
  return in_quotes(value) +
         " is no signal of a run: write B:USR1@SECONDS (to the script, which passes it on) or "
         "USR1@SECONDS (to the ranks), with 10 to 65535 seconds, or none";
}

std::string line_fault(const std::string& value) {
  if (value.size() > longest_line) return "longer than 4096 bytes";
  for (char c : value)
    if (static_cast<unsigned char>(c) < 0x20) return "a line break or control character in it";
  return "";
}

/// A word that stands in a line of #SBATCH: what sbatch would cut or expand is refused.
std::string word_fault(const std::string& value) {
  if (const std::string fault = line_fault(value); !fault.empty()) return fault;
  if (value.find_first_of(" \"'\\#;$`") != std::string::npos)
    return in_quotes(value) + " has a blank or one of \"'\\#;$` in it";
  return "";
}

bool is_variable(const std::string& name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  return true;
}

void read_environment(const io::YamlNode& node, Profile& profile, io::Faults& faults) {
  if (!node.is_mapping())
    return faults.add(node.where(),
                      "environment: expected a mapping from names to texts, got " + describe(node));
  for (const io::YamlEntry& entry : node.entries) {
    const std::string place = "environment." + entry.key;
    if (!is_variable(entry.key))
      faults.add(entry.where(), place + ": a variable has letters, digits and _ only");
    if (!entry.value.is_scalar())
      faults.add(entry.value.where(), place + ": expected a text, got " + describe(entry.value));
    else if (const std::string fault = line_fault(entry.value.text); !fault.empty())
      faults.add(entry.value.where(), place + ": " + fault);
    profile.environment.emplace_back(entry.key, entry.value.text);
  }
}

/// Checks what the table cannot say.
class TextChecks {
 public:
  TextChecks(const io::YamlNode& root, io::Faults& faults) : root_(root), faults_(faults) {}

  void scalar(const std::string& key, std::string (*fault)(const std::string&)) const {
    const io::YamlNode* node = root_.find(key);
    if (node == nullptr || !node->is_scalar()) return;
    if (const std::string what = fault(node->text); !what.empty())
      faults_.add(node->where(), key + ": " + what);
  }
  void list(const std::string& key, std::string (*fault)(const std::string&)) const {
    const io::YamlNode* node = root_.find(key);
    if (node == nullptr) return;
    if (node->is_scalar()) return scalar(key, fault);
    for (const io::YamlNode& item : node->items)
      if (const std::string what = fault(item.text); !what.empty())
        faults_.add(item.where(), key + ": " + what);
  }
  void not_both(const std::string& first, const std::string& second) const {
    const io::YamlNode* other = root_.find(second);
    if (root_.find(first) != nullptr && other != nullptr)
      faults_.add(other->where(),
                  second + ": stands beside " + first + "; Slurm takes one of them");
  }
  void needs(const std::string& key, const std::string& other) const {
    const io::YamlNode* node = root_.find(key);
    if (node != nullptr && root_.find(other) == nullptr)
      faults_.add(node->where(), key + ": means nothing without " + other);
  }

 private:
  const io::YamlNode& root_;
  io::Faults& faults_;
};

/// A job whose signal comes as it begins would save nothing, and be requeued for ever.
void check_time_before_signal(const io::YamlNode& root, const Profile& profile,
                              io::Faults& faults) {
  constexpr std::int64_t earlier = 60;  // Slurm may send it so many seconds before [sbatch(1)]
  const io::YamlNode* time = root.find("time");
  const SlurmAmount limit = parse_slurm_time(profile.time);
  const std::optional<std::int64_t> lead = lead_of(profile.signal);
  if (time == nullptr || !limit.ok() || limit.value == 0 || !lead) return;
  if (limit.value > *lead + earlier) return;
  faults.add(time->where(),
             "time: " + in_quotes(profile.time) + " is " + std::to_string(limit.value) +
                 " s, and the signal " + in_quotes(profile.signal) + " comes " +
                 std::to_string(*lead) + " to " + std::to_string(*lead + earlier) +
                 " s before the end: nothing is left to compute in; write more than " +
                 std::to_string(*lead + earlier) +
                 " s (a number without a unit is minutes, 1:30 minutes:seconds), a shorter signal, "
                 "or signal: none");
}

void check_texts(const io::YamlNode& root, const Profile& profile, io::Faults& faults) {
  const TextChecks checks(root, faults);
  for (const char* key :
       {"name", "account", "partition", "qos", "constraint", "reservation", "exclude", "gpu_type"})
    checks.scalar(key, word_fault);
  checks.scalar("time", [](const std::string& value) { return parse_slurm_time(value).fault; });
  for (const char* key : {"memory", "memory_per_cpu", "memory_per_gpu"})
    checks.scalar(key, [](const std::string& value) { return parse_slurm_memory(value).fault; });
  checks.scalar("signal", signal_fault);
  for (const char* key : {"log", "program", "container"}) checks.scalar(key, line_fault);
  for (const char* key : {"modules", "prologue", "launcher_options"}) checks.list(key, line_fault);
  checks.list("options", [](const std::string& value) {
    const std::string fault = line_fault(value);
    return !fault.empty() || value.starts_with("-")
               ? fault
               : in_quotes(value) + " is no option of sbatch: write --name=value";
  });
  checks.not_both("memory", "memory_per_cpu");
  checks.not_both("memory", "memory_per_gpu");
  checks.not_both("memory_per_cpu", "memory_per_gpu");
  checks.needs("gpu_type", "gpus_per_task");
  checks.needs("memory_per_gpu", "gpus_per_task");
  if (profile.nodes > profile.tasks)
    faults.add(root.find("nodes")->where(), "nodes: more nodes than tasks (" +
                                                std::to_string(profile.tasks) +
                                                "), of which each needs one");
  if (profile.tasks_per_node > 0 && profile.nodes > 0 &&
      std::int64_t{profile.tasks_per_node} * profile.nodes < profile.tasks)
    faults.add(root.find("tasks_per_node")->where(),
               "tasks_per_node: nodes x tasks_per_node holds fewer than the " +
                   std::to_string(profile.tasks) + " tasks");
}

}  // namespace

const OptionTable<SlurmProfile>& slurm_profile_table() {
  static const OptionTable<Profile> table{
      text("name", &Profile::name, "Name of the job; without it the name of the case."),
      text("account", &Profile::account, "Who pays."),
      text("partition", &Profile::partition, "Where it runs; a list with commas is one text."),
      text("qos", &Profile::qos, "Quality of service."),
      text("constraint", &Profile::constraint, "Features that nodes must have."),
      text("reservation", &Profile::reservation, "Reservation to use."),
      text("exclude", &Profile::exclude, "Nodes that are not taken."),
      count("nodes", &Profile::nodes, "Number of nodes."),
      count("tasks", &Profile::tasks, "Number of ranks: one per core or GPU."),
      count("tasks_per_node", &Profile::tasks_per_node, "Most ranks on a node."),
      count("cpus_per_task", &Profile::cpus_per_task,
            "Cores of a rank; it computes on one, the rest bring memory."),
      count("gpus_per_task", &Profile::gpus_per_task, "GPUs of a rank; it uses one."),
      text("gpu_type", &Profile::gpu_type, "Type of the GPUs, as the site calls it: a100."),
      text("memory", &Profile::memory,
           "Of each node, with its unit: 16G, 16 GiB (powers of 1024), 16 GB (powers of 1000)."),
      text("memory_per_cpu", &Profile::memory_per_cpu, "As `memory`, of each core."),
      text("memory_per_gpu", &Profile::memory_per_gpu, "As `memory`, of each GPU."),
      text("time", &Profile::time,
           "Time limit by Slurm's rules, read as text: 90 is minutes, 1:30 minutes:seconds, "
           "12:30:00 hours:minutes:seconds, 1-12 days-hours, 1-00:00:00; or 90 min, 12 h; or "
           "UNLIMITED. Without it the limit of the partition."),
      text("signal", &Profile::signal,
           "Which signal asks the run to save and stop, and how many seconds before the end; B: "
           "sends it to the script, which passes it on. Slurm may send it 60 s earlier: `time` is "
           "longer than both. none: no signal."),
      flag("requeue", &Profile::requeue,
           "Whether a job that stopped early goes back to the queue."),
      flag("exclusive", &Profile::exclusive, "No other jobs on the nodes."),
      flag("append", &Profile::append, "Each start appends to the log of the job."),
      count("array_limit", &Profile::array_limit, "Of a sweep: most jobs at a time."),
      path("log", &Profile::log,
           "File of the standard output, with sbatch's %j and so on; without it beside the run "
           "directory."),
      texts("options", &Profile::options, "More options of sbatch, as they are: --mail-type=END."),
      word_option(OptionInfo{.name = "launcher", .help = "What starts the ranks."},
                  &Profile::launcher, {{"mpirun", Launcher::mpirun}, {"srun", Launcher::srun}}),
      texts("launcher_options", &Profile::launcher_options, "More options of the launcher."),
      option(OptionInfo{.name = "binding",
                        .kind = Kind::word,
                        .help = "What a rank is bound to.",
                        .words = {"core", "socket", "numa", "none"}},
             &Profile::binding),
      texts("modules", &Profile::modules, "Modules that are loaded, in this order."),
      texts("prologue", &Profile::prologue, "Lines of bash before the run."),
      path("program", &Profile::program,
           "The program; without it the one that submits, or in a container `trestle`."),
      path("container", &Profile::container,
           "An Apptainer image that each rank runs in (jobs/container)."),
  };
  return table;
}

OptionInfo slurm_profile_info() {
  OptionInfo root{.kind = Kind::mapping};
  root.entries = slurm_profile_table().infos();
  root.entries.push_back({.name = "environment",
                          .kind = Kind::anything,
                          .help = "Variables that are set, a mapping from names to texts."});
  return root;
}

SlurmProfile parse_slurm_profile(const std::string& text, const std::string& file,
                                 const std::vector<std::string>& overrides) {
  io::Faults faults;
  const std::vector<OptionInfo> known = slurm_profile_info().entries;
  io::YamlNode root = io::parse_yaml_of("profile", known, text, file, faults);
  if (root.is_mapping()) io::apply_overrides(root, overrides, "--with");
  check_options(root, slurm_profile_info(), faults);
  SlurmProfile profile;
  if (root.is_mapping()) {
    io::fill_options(root, slurm_profile_table(), profile);
    if (const io::YamlNode* environment = root.find("environment"))
      read_environment(*environment, profile, faults);
    check_texts(root, profile, faults);
    check_time_before_signal(root, profile, faults);
  }
  faults.raise();
  return profile;
}

std::string slurm_profile_reference() {
  std::string page = "| key | default | meaning |\n|---|---|---|\n";
  for (const OptionInfo& info : slurm_profile_info().entries) {
    std::string words;
    for (const std::string& word : info.words) words += (words.empty() ? "" : ", ") + word;
    page += "| `" + info.name + "` | " +
            (info.default_text.empty() ? "" : "`" + info.default_text + "`") + " | " + info.help +
            (words.empty() ? "" : " One of " + words + ".") + " |\n";
  }
  return page;
}

}  // namespace trestle::jobs

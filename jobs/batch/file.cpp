// The batch file: a list of cases with what each changes, read as strictly as a case.
#include <filesystem>
#include <set>

#include "core/number.hpp"
#include "core/option_table.hpp"
#include "io/case/faults.hpp"
#include "io/case/options.hpp"
#include "io/case/yaml.hpp"
#include "jobs/batch/batch.hpp"
#include "jobs/batch/sweep.hpp"

namespace trestle::jobs {
namespace {

struct Entry {
  std::string case_file;
  std::string name;
  std::vector<std::string> set;
  std::vector<std::string> sweep;
  int ranks = 1;
};

const OptionTable<Entry>& entry_table() {
  static const OptionTable<Entry> table{
      option(OptionInfo{.name = "case",
                        .kind = OptionKind::path,
                        .help = "The case file, beside the batch file.",
                        .required = true},
             &Entry::case_file),
      option(OptionInfo{.name = "name",
                        .kind = OptionKind::text,
                        .help = "Name of the job and of its folder."},
             &Entry::name),
      option(
          OptionInfo{
              .name = "set", .kind = OptionKind::texts, .help = "Overrides, key.path=value."},
          &Entry::set),
      option(OptionInfo{.name = "sweep",
                        .kind = OptionKind::texts,
                        .help = "key.path=value,value...: a job for each combination."},
             &Entry::sweep),
      int_option(OptionInfo{.name = "ranks", .help = "Ranks of the run.", .lower = 1, .upper = 1e6},
                 &Entry::ranks),
  };
  return table;
}

OptionInfo batch_info() {
  OptionInfo root{.kind = OptionKind::mapping};
  root.entries.push_back({.name = "jobs",
                          .kind = OptionKind::list,
                          .help = "A list of {case: FILE, ...}.",
                          .required = true,
                          .entries = entry_table().infos()});
  return root;
}

void add_jobs(const Entry& entry, const std::string& file, Batch& batch) {
  BatchJob job;
  job.case_file =
      (std::filesystem::absolute(file).parent_path() / entry.case_file).lexically_normal().string();
  job.name = entry.name;
  job.overrides = entry.set;
  job.ranks = entry.ranks;
  if (entry.sweep.empty()) return batch.jobs.push_back(job);
  const std::string base =
      entry.name.empty() ? std::filesystem::path(entry.case_file).stem().string() : entry.name;
  for (const SweepPoint& point : make_sweep(entry.sweep)) {
    BatchJob one = job;
    one.name = base + "-" + point.name;
    one.overrides.insert(one.overrides.end(), point.overrides.begin(), point.overrides.end());
    batch.jobs.push_back(one);
  }
}

/// A name that is given stands for one folder: it comes once, and is fit for that.
void check_name(const io::YamlNode& item, std::set<std::string>& names, io::Faults& faults) {
  const io::YamlNode* name = item.find("name");
  if (name == nullptr || !name->is_scalar()) return;
  if (name->text != folder_name(name->text) || name->text.starts_with('.'))
    faults.add(name->where(), "name: " + in_quotes(name->text) +
                                  " is no name of a folder: letters, digits and _-+.=, only, at "
                                  "most 80, no point first");
  else if (is_file_of_batch(name->text))
    faults.add(name->where(), "name: " + in_quotes(name->text) +
                                  " is taken: a batch has files batch.json, summary.csv, "
                                  "submit.sbatch and NAME.log of its own");
  else if (!names.insert(name->text).second)
    faults.add(name->where(), "name: " + in_quotes(name->text) + " is taken by a job before");
}

}  // namespace

bool is_batch_file(const std::string& text) {
  io::Faults faults;
  try {
    const io::YamlNode root = io::parse_yaml(text, "", faults);
    return root.is_mapping() && root.find("jobs") != nullptr;
  } catch (const CaseError&) {
    return false;
  }
}

Batch parse_batch(const std::string& text, const std::string& file, const std::string& directory) {
  io::Faults faults;
  const io::YamlNode root = io::parse_yaml(text, file, faults);
  check_options(root, batch_info(), faults);
  Batch batch{directory, {}};
  std::set<std::string> names;
  const io::YamlNode* jobs = root.is_mapping() ? root.find("jobs") : nullptr;
  if (jobs != nullptr && jobs->is_list())
    for (const io::YamlNode& item : jobs->items) {
      if (!item.is_mapping()) continue;
      check_name(item, names, faults);
      Entry entry;
      io::fill_options(item, entry_table(), entry);
      try {
        add_jobs(entry, file, batch);
      } catch (const Error& error) {
        faults.add(item.where(), error.what());
      }
    }
  if (jobs != nullptr && jobs->is_list() && jobs->items.empty())
    faults.add(jobs->where(), "jobs: the list is empty");
  faults.raise();
  name_jobs(batch);
  return batch;
}

}  // namespace trestle::jobs

#include "jobs/incarnations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "jobs/status.hpp"

namespace trestle::jobs {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* file_name = "/incarnations.json";
constexpr std::size_t largest_file = std::size_t{16} << 20;
constexpr int most_fruitless = 3;   // starts that began with steps
constexpr int most_stillborn = 10;  // starts at all

/// Visits every member by its key.
template <class Member, class One>
void for_each_member(One& one, const Member& member) {
  member("incarnation", one.number);
  member("started", one.started);
  member("host", one.host);
  member("ranks", one.ranks);
  member("from", one.from);
  member("from_step", one.from_step);
  member("entered", one.entered);
  member("saved_step", one.saved_step);
  member("saves", one.n_saves);
  member("save_s", one.save_s);
  member("bytes", one.bytes);
  member("failed_saves", one.failed_saves);
  member("wall_s", one.wall_s);
  member("saved_wall_s", one.saved_wall_s);
  member("setup_s", one.setup_s);
  member("end", one.end);
}

Incarnation read_one(const Json& json) {
  Incarnation one;
  for_each_member(one, [&](const char* key, auto& value) {
    if (const auto found = json.find(key); found != json.end()) found->get_to(value);
  });
  return one;
}

/// The step of the newest checkpoint that a start has committed in `folder`; -1 without one.
std::int64_t newest_step(const std::string& folder, std::int64_t incarnation) {
  std::int64_t newest = -1;
  const std::string suffix = fmt::format(".i{:04}", incarnation);
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::int64_t step = 0;
    const char* last = name.data() + name.size();
    const auto [rest, fault] = std::from_chars(name.data(), last, step);
    std::error_code ignored;
    if (fault == std::errc() && std::string_view(rest, last) == suffix &&
        std::filesystem::exists(it->path() / "MANIFEST.json", ignored))
      newest = std::max(newest, step);
  }
  return newest;
}

}  // namespace

bool is_refusal(ExitCode code) {
  switch (code) {
    case ExitCode::usage:
    case ExitCode::mesh:
    case ExitCode::no_input:
    case ExitCode::cannot_create:
    case ExitCode::no_checkpoint:
    case ExitCode::permission:
    case ExitCode::case_file:
      return true;
    default:
      return false;
  }
}

Incarnations::Incarnations(std::string directory) : directory_(std::move(directory)) {
  try {
    const std::string text = io::read_text_file(directory_ + file_name, largest_file);
    const Json json = Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
      if (depth > 4) throw Error(ExitCode::mesh, "nested deeper than 4");
      return true;
    });
    for (const Json& one : json.at("incarnations")) list_.push_back(read_one(one));
    complete_last();
  } catch (const std::exception&) {  // what it tells is not needed to go on rightly
    list_.clear();
  }
}

void Incarnations::begin(Incarnation incarnation) { list_.push_back(std::move(incarnation)); }

void Incarnations::write() const noexcept {
  try {
    Json all = Json::array();
    for (const Incarnation& one : list_) {
      Json json;
      for_each_member(one, [&](const char* key, const auto& value) { json[key] = value; });
      all.push_back(std::move(json));
    }
    const Json file{{"schema", 1}, {"incarnations", std::move(all)}};
    io::write_text_file(directory_ + file_name,
                        file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  } catch (const std::exception&) {
  }
}

bool Incarnations::ever_saved() const {
  return std::any_of(list_.begin(), list_.end(),
                     [](const Incarnation& one) { return one.n_saves > 0; });
}

int Incarnations::attempts(const std::string& from) const {
  int n = 0;
  for (auto one = list_.rbegin(); one != list_.rend() && one->n_saves == 0; ++one)
    if (one->entered && one->from == from && one->end.empty()) ++n;
  return n;
}

std::string Incarnations::loop() const {
  int fruitless = 0, stillborn = 0;
  for (auto one = list_.rbegin(); one != list_.rend() && one->n_saves == 0; ++one) {
    if (one->end == "completed") break;
    if (one->end == "refused") continue;
    ++stillborn;
    if (one->entered) ++fruitless;
  }
  if (fruitless < most_fruitless && stillborn < most_stillborn) return "";
  return fmt::format(
      "the last {} starts of this run ended without a new checkpoint: it is not begun again by "
      "itself. See its output for what goes wrong; --restart CHECKPOINT takes another one, "
      "--overwrite begins anew",
      std::max(fruitless, stillborn));
}

/// A checkpoint that was made as the run ended has no entry yet, nor has the time since.
void Incarnations::complete_last() {
  if (list_.empty()) return;
  Incarnation& last = list_.back();
  const std::int64_t newest = newest_step(directory_ + "/ckpt", last.number);
  if (last.n_saves == 0 && newest >= 0) {
    last.n_saves = 1;
    last.saved_step = newest;
  }
  const FormerProgress former = progress_of(directory_);
  if (last.end.empty() && former.incarnation == last.number)
    last.wall_s = std::max(last.wall_s, former.running_s);
}

int Incarnations::n_interruptions() const {
  return static_cast<int>(std::count_if(list_.begin(), list_.end(), [](const Incarnation& one) {
    return one.end.empty() || one.end == "stopped";
  }));
}

double Incarnations::work_s() const {
  double sum = 0;
  for (const Incarnation& one : list_) sum += one.wall_s;
  return sum;
}

}  // namespace trestle::jobs

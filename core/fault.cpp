#include "core/fault.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/number.hpp"

namespace trestle {
namespace {

enum class Action { fail, throw_, hang, stop, slow };
constexpr std::array<std::pair<const char*, Action>, 5> actions{{{"fail", Action::fail},
                                                                 {"throw", Action::throw_},
                                                                 {"hang", Action::hang},
                                                                 {"stop", Action::stop},
                                                                 {"slow", Action::slow}}};
// Long beside what a test waits for, short beside what a person does.
constexpr std::chrono::milliseconds slowness{50};
constexpr std::array points{"device:allocate", "device:synchronize", "solve:iteration", "step",
                            "end"};

struct Planned {
  std::string point;
  std::int64_t left;  // how often the point is still passed
  Action action;
};

std::vector<Planned>& planned() {
  static std::vector<Planned> all;
  return all;
}

[[noreturn]] void refuse(const std::string& entry) {
  std::string known;
  for (const char* point : points) known += std::string(known.empty() ? "" : ", ") + point;
  throw Error(ExitCode::usage, "TRESTLE_FAULT: " + in_quotes(entry) +
                                   " is not POINT:N:ACTION[@RANK] with a point of " + known +
                                   " and an action of fail, throw, hang, stop, slow");
}

std::int64_t whole(const std::string& text, const std::string& entry) {
  const ParsedInteger number = parse_integer(text);
  if (!number.ok() || number.value < 0) refuse(entry);
  return number.value;
}

/// "step:3:hang@1"; nothing is added where it is for another rank.
void add(const std::string& entry, int rank) {
  std::string text = entry;
  std::int64_t on = rank;
  if (const std::size_t at = text.find('@'); at != std::string::npos) {
    on = whole(text.substr(at + 1), entry);
    text.resize(at);
  }
  const std::size_t last = text.rfind(':');
  const std::size_t middle =
      last == std::string::npos || last == 0 ? std::string::npos : text.rfind(':', last - 1);
  if (middle == std::string::npos) refuse(entry);
  const std::string point = text.substr(0, middle), word = text.substr(last + 1);
  const std::int64_t n = whole(text.substr(middle + 1, last - middle - 1), entry);
  const auto known = std::find(points.begin(), points.end(), point);
  const auto action = std::find_if(actions.begin(), actions.end(),
                                   [&](const auto& one) { return word == one.first; });
  if (known == points.end() || action == actions.end() || n < 1) refuse(entry);
  if (on == rank) planned().push_back({point, n, action->second});
}

}  // namespace

void read_faults(int rank) {
  planned().clear();
  const char* text = std::getenv("TRESTLE_FAULT");
  if (text == nullptr || *text == 0) return;
  const char* allowed = std::getenv("TRESTLE_ALLOW_FAULTS");
  if (allowed == nullptr || std::strcmp(allowed, "1") != 0)
    throw Error(ExitCode::usage,
                "TRESTLE_FAULT is set, which makes runs fail on purpose; unset it, or set "
                "TRESTLE_ALLOW_FAULTS=1 beside it for a test");
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ',');) add(entry, rank);
}

Fault fault_at(const char* point) {
  for (Planned& one : planned()) {
    if (one.left == 0 || one.point != point || --one.left > 0) continue;
    switch (one.action) {
      case Action::fail:
        return Fault::fail;
      case Action::throw_:
        throw std::runtime_error(std::string("a fault on purpose at ") + point);
      case Action::stop:
        raise(SIGSTOP);
        break;
      case Action::hang:
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
      case Action::slow:
        one.left = 1;
        std::this_thread::sleep_for(slowness);
    }
  }
  return Fault::none;
}

}  // namespace trestle

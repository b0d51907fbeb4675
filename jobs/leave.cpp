#include "jobs/leave.hpp"

#include <unistd.h>

#include <chrono>
#include <future>
#include <memory>

#include "jobs/periodic.hpp"

namespace trestle::jobs {
namespace {

constexpr std::chrono::seconds patience{5};

}  // namespace

void leave(ExitCode code, std::function<void()> last_words) {
  const auto told = std::make_shared<std::promise<void>>();
  quiet_thread([told, last_words = std::move(last_words)] {
    last_words();
    told->set_value();
  }).detach();
  told->get_future().wait_for(patience);
  _exit(static_cast<int>(code));
}

}  // namespace trestle::jobs

#include "jobs/watch/stack_dump.hpp"

#include <execinfo.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "core/standard_streams.hpp"

namespace trestle::jobs {
namespace {

constexpr int most_frames = 48;
pthread_t main_thread;
std::atomic<bool> prepared{false}, answered{false};

int request_signal() { return SIGRTMIN + 4; }

extern "C" void write_stack(int) {
  void* frames[most_frames];
  backtrace_symbols_fd(frames, backtrace(frames, most_frames), STDERR_FILENO);
  answered = true;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

void prepare_stack_dump() {
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads what it needs, which a handler must not
  main_thread = pthread_self();
  struct sigaction action {};
  action.sa_handler = write_stack;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(request_signal(), &action, nullptr);
  prepared = true;
}

void dump_main_stack() {
  if (!prepared) return;
  answered = false;
  pthread_kill(main_thread, request_signal());
  for (int wait = 0; wait < 100 && !answered; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (answered) return;
  const std::string process = fmt::format("/proc/self/task/{}/", getpid());
  write_to(stderr, "the main thread does not answer: it waits in the kernel, in {} ({})\n",
           first_line(process + "wchan"), first_line(process + "syscall"));
}

}  // namespace trestle::jobs

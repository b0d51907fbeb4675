#include "jobs/periodic.hpp"

#include <csignal>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.hpp"

namespace trestle::jobs {

std::thread quiet_thread(std::function<void()> work) {
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);  // the new thread inherits it
  std::thread thread;
  std::string fault;
  try {
    thread = std::thread(std::move(work));
  } catch (const std::system_error& e) {
    fault = e.code().message();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!fault.empty())
    throw SystemError(ExitCode::system,
                      "cannot make a thread: " + fault +
                          "; raise the limit of processes and threads (ulimit -u) or of address "
                          "space (ulimit -v)");
  return thread;
}

Periodic::Periodic(std::chrono::milliseconds period, std::function<void()> work)
    : period_(period), work_(std::move(work)), thread_(quiet_thread([this] { run(); })) {}

Periodic::~Periodic() {
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Periodic::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    lock.unlock();
    work_();
    lock.lock();
    wake_.wait_for(lock, period_, [this] { return ends_; });
  }
}

}  // namespace trestle::jobs

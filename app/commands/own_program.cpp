#include "app/commands/own_program.hpp"

#include <filesystem>
#include <system_error>

namespace trestle::app {

std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "trestle" : path.string();
}

}  // namespace trestle::app

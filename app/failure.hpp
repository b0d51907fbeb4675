// What the exception in flight means to the outside: an exit code and a message.
#pragma once

#include <string>

#include "core/error.hpp"

namespace trestle::app {

struct Failure {
  ExitCode code;
  std::string message;
};

/// Of the exception that is being handled; to be called within a catch block.
Failure current_failure();

}  // namespace trestle::app

#include "core/host_name.hpp"

#include <unistd.h>

namespace trestle {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

}  // namespace trestle

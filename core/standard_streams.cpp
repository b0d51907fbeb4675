#include "core/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace trestle {

void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest that is free
}

}  // namespace trestle

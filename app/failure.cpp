#include "app/failure.hpp"

#include <fmt/format.h>

#include <new>

namespace trestle::app {

Failure current_failure() {
  try {
    throw;
  } catch (const Error& e) {
    return {e.code(), e.what()};
  } catch (const std::bad_alloc&) {
    return {ExitCode::system, "out of memory: use more ranks or nodes, or a smaller mesh"};
  } catch (const std::exception& e) {
    return {ExitCode::bug,
            fmt::format("{} (this is a bug of Trestle; please report it with the case)", e.what())};
  }
}

}  // namespace trestle::app

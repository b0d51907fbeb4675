#include "app/failure.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <new>

#include "io/files.hpp"

namespace trestle::app {

Failure current_failure() {
  try {
    throw;
  } catch (const Error& e) {
    return {e.code(), e.what()};
  } catch (const std::bad_alloc&) {
    return {ExitCode::system, "out of memory: use more ranks or nodes, or a smaller mesh"};
  } catch (const std::filesystem::filesystem_error& e) {
    const SystemError error =
        io::file_error("look at", e.path1().string(), e.code().value(), ExitCode::system);
    return {error.code(), error.what()};
  } catch (const std::exception& e) {
    return {ExitCode::bug,
            fmt::format("{} (this is a bug of Trestle; please report it with the case)", e.what())};
  }
}

}  // namespace trestle::app

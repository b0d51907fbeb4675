// Whatever bytes come as a .msh file: a checked mesh, or an Error.
#include "io/gmsh/gmsh.hpp"

#include "core/error.hpp"
#include "file_in_memory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const trestle::fuzz::FileInMemory file(data, size);
  try {
    trestle::io::make_checked_mesh(file.path(), trestle::io::read_gmsh_content(file.path()), {});
  } catch (const trestle::Error&) {
  }
  return 0;
}

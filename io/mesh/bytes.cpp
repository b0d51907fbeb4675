// The bytes of a mesh file, and what they look like.
#include "io/mesh/bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "io/roots.hpp"

namespace trestle::io {
namespace {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(const char* path) : number_(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_to_open(const std::string& path, int error) {
  const std::string reason = std::strerror(error);
  if (error == EACCES || error == EPERM)
    throw Error(ExitCode::permission, path + ": the mesh file may not be read: " + reason);
  if (error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG)
    throw Error(ExitCode::no_input, path + ": there is no such mesh file: " + reason);
  if (error == ENXIO)
    throw MeshError(path + ": this is a socket or a device without driver, not a mesh file");
  throw SystemError(ExitCode::io, path + ": the mesh file cannot be opened: " + reason);
}

}  // namespace

std::string read_mesh_bytes(const std::string& path) {
  require_in_roots(path);
  const Descriptor file(path.c_str());
  if (file.number() < 0) fail_to_open(path, errno);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) fail_to_open(path, errno);
  if (S_ISDIR(status.st_mode)) throw MeshError(path + ": this is a directory, not a mesh file");
  if (!S_ISREG(status.st_mode))
    throw MeshError(path +
                    ": this is not a regular file (a pipe, socket or device): a mesh must be");
  if (status.st_size == 0) throw MeshError(path + ": the mesh file is empty (0 bytes)");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = read(file.number(), bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw SystemError(ExitCode::io, fmt::format("{}: reading fails after {} bytes: {}", path, got,
                                                  std::strerror(errno)));
    if (n == 0)
      throw MeshError(fmt::format("{}: the file got shorter while it was read: {} of {} bytes",
                                  path, got, bytes.size()));
    got += static_cast<std::size_t>(n);
  }
  return bytes;
}

std::string_view format_of(std::string_view bytes) {
  using Signature = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Signature, 22> signatures{{
      {"\x89PNG", "a PNG image"},
      {"\x89HDF", "an HDF5 file"},
      {"CDF", "a NetCDF file"},
      {"<?xml", "an XML file (VTU, XDMF?)"},
      {"<VTKFile", "a VTK file: convert it to .msh"},
      {"# vtk", "a VTK file: open it in gmsh and save it as .msh"},
      {"//", "a Gmsh geometry (.geo): mesh it with gmsh first"},
      {"/*", "a Gmsh geometry (.geo): mesh it with gmsh first"},
      {"Point", "a Gmsh geometry (.geo): mesh it with gmsh first"},
      {"SetFactory", "a Gmsh geometry (.geo): mesh it with gmsh first"},
      {"ISO-10303", "a STEP geometry: mesh it with gmsh first"},
      {"solid", "an STL surface: mesh its inside with gmsh first"},
      {"ply", "a PLY surface: mesh its inside with gmsh first"},
      {"*", "an Abaqus or CalculiX deck"},
      {"MeshVersionFormatted", "a Medit mesh: open it in gmsh and save it as .msh"},
      {"-1\n", "an I-DEAS universal file (.unv): open it in gmsh and save it as .msh"},
      {"-1\r\n", "an I-DEAS universal file (.unv): open it in gmsh and save it as .msh"},
      {"NDIME=", "an SU2 mesh: open it in gmsh and save it as .msh"},
      {"\xff\xfe", "UTF-16: save it as plain text"},
      {"\xfe\xff", "UTF-16: save it as plain text"},
      {"\x1f\x8b", "a gzip archive: unpack it first"},
      {"PK\x03\x04", "a zip archive: unpack it first"},
  }};
  for (const auto& [start, name] : signatures)
    if (bytes.starts_with(start)) return name;
  static constexpr std::array<Signature, 4> lines{{
      {"BEGIN BULK", "a Nastran deck (.bdf): open it in gmsh and save it as .msh"},
      {"GRID", "a Nastran deck (.bdf): open it in gmsh and save it as .msh"},
      {"physics:", "a case of Trestle, which names its mesh at mesh.file"},
      {"materials:", "a case of Trestle, which names its mesh at mesh.file"},
  }};
  const std::string_view head = bytes.substr(0, 1 << 16);
  for (std::size_t at = 0; at < head.size(); at = std::min(head.find('\n', at), head.size()) + 1)
    for (const auto& [start, name] : lines)
      if (head.substr(at).starts_with(start)) return name;
  return "";
}

bool is_plain_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0x20 || lead == 0x7f || (lead >= 0x80 && lead < 0xc2) || lead > 0xf4) return false;
    if (i + n > text.size()) return false;
    std::uint32_t code = n == 1 ? lead : lead & (0x7fU >> n);
    for (std::size_t k = 1; k < n; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      code = code << 6 | (next & 0x3fU);
    }
    const bool overlong = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
    if (overlong || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return false;
    i += n;
  }
  return true;
}

std::string quoted(std::string_view token) {
  constexpr std::size_t longest = 24;
  std::string text = "'";
  for (const char letter : token.substr(0, longest)) {
    if (letter >= ' ' && letter <= '~')
      text += letter;
    else
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
  }
  return text + (token.size() > longest ? "...'" : "'");
}

}  // namespace trestle::io

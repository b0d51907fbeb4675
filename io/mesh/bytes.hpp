// The bytes of a mesh file, and what messages may say of them.
#pragma once

#include <string>
#include <string_view>

namespace trestle::io {

/// The whole content of the mesh file `path`. Throws Error(66) when there is no such file,
/// Error(77) when it may not be read or lies outside TRESTLE_ROOTS, SystemError(74) where reading
/// fails, MeshError when it is no regular file or empty. Never waits for a FIFO.
std::string read_mesh_bytes(const std::string& path);

/// What a file that starts with `bytes` is, such as "a PNG image"; "" where it is not known.
std::string_view format_of(std::string_view bytes);

/// Whether `text` is valid UTF-8 [RFC 3629] without control characters.
bool is_plain_utf8(std::string_view text);

/// At most 24 characters of `token` in quotes, everything but printable ASCII escaped.
std::string quoted(std::string_view token);

}  // namespace trestle::io

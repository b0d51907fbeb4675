// TRESTLE_ROOTS: the folders that an operator lets runs read from and write to.
#pragma once

#include <string>

namespace trestle::io {

/// Throws Error(77) when the environment variable TRESTLE_ROOTS is set (folders, with colons
/// between them) and `path`, its symbolic links resolved, lies in none of them. The path need not
/// exist. Set without a folder it allows nothing. A guard against mistakes of the people who use a service, not a sandbox: whoever may
/// change links while a run starts can pass it.
void require_in_roots(const std::string& path);

}  // namespace trestle::io

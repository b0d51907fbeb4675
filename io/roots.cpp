#include "io/roots.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace trestle::io {
namespace {

namespace fs = std::filesystem;

/// The folders of `text`, between its colons.
std::vector<fs::path> folders_of(std::string_view text) {
  std::vector<fs::path> all;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) all.push_back(fs::weakly_canonical(fs::absolute(rest.substr(0, end))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

/// Where `path` leads. A link to what does not exist is followed too: a write could create it.
fs::path resolved(const fs::path& path) {
  fs::path place = fs::absolute(path);
  constexpr int most_links = 40;  // as many as Linux follows
  for (int n = 0; n < most_links && fs::is_symlink(fs::symlink_status(place)); ++n)
    place = place.parent_path() / fs::read_symlink(place);
  return fs::weakly_canonical(place);
}

/// Whether `inner` is `root` or lies below it; both without links and dots.
bool lies_in(const fs::path& inner, const fs::path& root) {
  const fs::path folder = root.has_filename() ? root : root.parent_path();  // "/a/" is "/a"
  return std::mismatch(folder.begin(), folder.end(), inner.begin(), inner.end()).first ==
         folder.end();
}

}  // namespace

void require_in_roots(const std::string& path) {
  const char* text = std::getenv("TRESTLE_ROOTS");
  if (text == nullptr) return;
  const std::vector<fs::path> all = folders_of(text);
  if (all.empty())
    throw Error(ExitCode::permission,
                path + ": the environment variable TRESTLE_ROOTS is set to \"" + text +
                    "\" and names no folder, so that nothing may be read or written: unset it, or "
                    "name folders with colons between them, such as /data:/scratch");
  fs::path place;
  try {
    place = resolved(path);
  } catch (const fs::filesystem_error& e) {
    throw Error(ExitCode::permission, path + ": cannot be resolved (" + e.code().message() +
                                          "), and TRESTLE_ROOTS allows only what lies in " + text);
  }
  if (std::any_of(all.begin(), all.end(), [&](const auto& root) { return lies_in(place, root); }))
    return;
  throw Error(ExitCode::permission,
              path + (place == fs::path(path) ? "" : " (" + place.string() + ")") +
                  ": lies outside the folders that TRESTLE_ROOTS allows (" + text +
                  "); move it there, or ask who set the variable");
}

}  // namespace trestle::io

// The frame of the pages that Trestle writes: one file with its style inside, and nothing that
// runs.
#pragma once

#include <string>

namespace trestle::io {

/// A page around `content`, which is HTML; `title` is plain text. Classes of the style: section,
/// wide, soft, good, bad, legend, and c0 .. c7 and s0 .. s7 of charts.
std::string html_page(const std::string& title, const std::string& content);

}  // namespace trestle::io

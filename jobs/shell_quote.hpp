// Text that a shell reads back as one word.
#pragma once

#include <string>
#include <string_view>

namespace trestle::jobs {

/// `text` as one word of bash: as it is where it is plain, else in single quotes.
std::string shell_quote(std::string_view text);

}  // namespace trestle::jobs

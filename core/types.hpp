// The integer types of the whole program, and the one way to narrow.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace trestle {

using Index = std::int32_t;        // local: nodes, cells, columns of one rank
using GlobalIndex = std::int64_t;  // canonical ids and counts over all ranks
using Offset = std::int64_t;       // positions in arrays that may pass 2^31 entries

/// `value` as a `To`; throws std::range_error where it does not fit.
template <class To, class From>
constexpr To narrow(From value) {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
  if (!std::in_range<To>(value))
    throw std::range_error("integer " + std::to_string(value) + " does not fit its type (largest " +
                           std::to_string(std::numeric_limits<To>::max()) + ")");
  return static_cast<To>(value);
}

}  // namespace trestle

// Templates of core/comm.hpp.
#pragma once

#include <algorithm>
#include <cstring>

namespace trestle {

template <class T>
MPI_Datatype Comm::datatype() {
  if constexpr (std::is_same_v<T, double>)
    return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, float>)
    return MPI_FLOAT;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4 && std::is_signed_v<T>)
    return MPI_INT32_T;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8 && std::is_signed_v<T>)
    return MPI_INT64_T;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return MPI_UINT64_T;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return MPI_UINT32_T;
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 1 && std::is_unsigned_v<T>)
    return MPI_UINT8_T;
  else
    static_assert(sizeof(T) == 0, "no MPI type for this T");
}

namespace detail {
template <Sendable T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
  return std::as_bytes(values);
}

template <Sendable T>
std::vector<T> from_bytes(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
  return values;
}
}  // namespace detail

template <Sendable T>
std::vector<T> Comm::broadcast(std::vector<T> values) const {
  const auto bytes = detail::bytes_of(std::span<const T>(values));
  return detail::from_bytes<T>(broadcast_bytes({bytes.begin(), bytes.end()}));
}

template <Sendable T>
std::vector<T> Comm::all_gather(std::span<const T> values) const {
  return detail::from_bytes<T>(all_gather_bytes(detail::bytes_of(values)));
}

template <Sendable T>
std::vector<std::vector<T>> Comm::gather(std::span<const T> values) const {
  std::vector<std::vector<T>> all;
  for (const auto& bytes : gather_bytes(detail::bytes_of(values)))
    all.push_back(detail::from_bytes<T>(bytes));
  return all;
}

template <Sendable T>
std::vector<std::vector<T>> Comm::exchange(std::vector<std::vector<T>> to) const {
  const std::size_t n = to.size(), here = static_cast<std::size_t>(rank_);
  std::vector<std::size_t> sizes;
  for (const auto& part : to) sizes.push_back(part.size() * sizeof(T));
  const std::vector<std::size_t> came = exchange_sizes(sizes);
  std::vector<std::vector<T>> from(n);
  std::vector<std::span<const std::byte>> outgoing;
  std::vector<std::span<std::byte>> incoming;
  for (std::size_t r = 0; r < n; ++r) {
    if (r != here) from[r].resize(came[r] / sizeof(T));
    outgoing.push_back(std::as_bytes(std::span(to[r])));
    incoming.push_back(std::as_writable_bytes(std::span(from[r])));
  }
  exchange_bytes(outgoing, incoming);
  from[here] = std::move(to[here]);
  return from;
}

}  // namespace trestle

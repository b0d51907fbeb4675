// Asking the processor for memory that is needed a little later.
#pragma once

#include "core/types.hpp"
#include "gpu/macros.hpp"

/// TRESTLE_FETCH(address): the processor may bring that line into its cache. Harmless where nothing
/// is there; nothing on a card.
#ifdef __CUDA_ARCH__
#define TRESTLE_FETCH(address) static_cast<void>(address)
#else
#define TRESTLE_FETCH(address) __builtin_prefetch(address)
#endif

namespace trestle::gpu {

/// Asks for what stands `ahead` bytes behind entries [begin, end) of an array, maybe beyond its
/// last: for arrays that are read about in their order, faster than the processor guesses.
template <int ahead, class T>
TRESTLE_KERNEL void fetch_behind(const T* array, Offset begin, Offset end) {
  constexpr Offset line = 64 / sizeof(T);
  for (Offset at = begin; at < end; at += line)
    TRESTLE_FETCH(array + at + ahead / Offset{sizeof(T)});
}

}  // namespace trestle::gpu

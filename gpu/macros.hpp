// Marks of code that runs on the host and on a device.
#pragma once

/// Before a function of both.
#ifdef __CUDACC__
#define TRESTLE_KERNEL __host__ __device__
#else
#define TRESTLE_KERNEL
#endif

/// TRESTLE_FETCH(address): the processor may bring that line into its cache. Harmless where nothing
/// is there; nothing on a card.
#ifdef __CUDA_ARCH__
#define TRESTLE_FETCH(address) static_cast<void>(address)
#else
#define TRESTLE_FETCH(address) __builtin_prefetch(address)
#endif

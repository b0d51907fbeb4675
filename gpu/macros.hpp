// TRESTLE_KERNEL marks what runs on the host and on a device.
#pragma once

#ifdef __CUDACC__
#define TRESTLE_KERNEL __host__ __device__
#else
#define TRESTLE_KERNEL
#endif

// The stack of the main thread, asked for by another one.
#pragma once

namespace trestle::jobs {

/// To be called by the main thread before anybody asks.
void prepare_stack_dump();

/// Writes where the main thread is to the standard error; where it does not answer within a second,
/// what the kernel says of it. From another thread.
void dump_main_stack();

}  // namespace trestle::jobs

// Gives memory that a phase has freed back to the system, so that the next one does not add to it.
#pragma once

namespace trestle {

/// What was freed in pieces stays with the process otherwise: after a solve that is twice the
/// memory in use. Takes milliseconds.
void give_back_free_memory();

}  // namespace trestle

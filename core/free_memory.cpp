#include "core/free_memory.hpp"

#include <malloc.h>

namespace trestle {

void give_back_free_memory() { malloc_trim(0); }

}  // namespace trestle

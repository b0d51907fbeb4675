#include "core/lone_rank.hpp"

#include <cstdlib>
#include <initializer_list>

namespace trestle {

void start_lone_rank_without_daemon() {
  for (const char* of_launcher : {"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMI_SIZE"})
    if (std::getenv(of_launcher) != nullptr) return;
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
}

}  // namespace trestle

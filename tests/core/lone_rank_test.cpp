#include "core/lone_rank.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

namespace trestle {
namespace {

/// The variable of the environment without a value, until the end of the scope.
class Unset {
 public:
  explicit Unset(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) former_ = value;
    unsetenv(name);
  }
  Unset(const Unset&) = delete;
  Unset& operator=(const Unset&) = delete;
  ~Unset() {
    if (former_)
      setenv(name_, former_->c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> former_;
};

TEST(LoneRank, HasNoDaemonWhereNothingLaunchedItAndIsLeftAloneElsewhere) {
  const Unset daemon("OMPI_MCA_ess_singleton_isolated");
  const Unset folder("OMPI_MCA_orte_create_session_dirs");
  constexpr std::array launchers{"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMI_SIZE"};
  const Unset a(launchers[0]), b(launchers[1]), c(launchers[2]);
  for (const char* launcher : launchers) {
    setenv(launcher, "2", 1);
    start_lone_rank_without_daemon();
    unsetenv(launcher);
    EXPECT_EQ(std::getenv("OMPI_MCA_ess_singleton_isolated"), nullptr) << launcher;
    EXPECT_EQ(std::getenv("OMPI_MCA_orte_create_session_dirs"), nullptr) << launcher;
  }
  start_lone_rank_without_daemon();
  EXPECT_STREQ(std::getenv("OMPI_MCA_ess_singleton_isolated"), "1");
  EXPECT_STREQ(std::getenv("OMPI_MCA_orte_create_session_dirs"), "0");
}

}  // namespace
}  // namespace trestle

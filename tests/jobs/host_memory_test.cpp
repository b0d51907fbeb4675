#include "jobs/host_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/jobs/folder.hpp"

namespace trestle::jobs {
namespace {

/// A machine of files.
class HostMemoryTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  MemoryGrant grant() const { return memory_of_machine(folder_.path()); }
  test::Folder folder_;
};

TEST_F(HostMemoryTest, of_a_machine_without_groups_is_what_it_has) {
  write("/proc/meminfo", "MemTotal: 2000 kB\nMemAvailable:    1000 kB\n");
  write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(grant().bytes, 1000 * 1024);
  EXPECT_EQ(grant().by, "the memory of the machine");
}

TEST_F(HostMemoryTest, of_a_group_of_version_2_is_the_least_up_to_the_root) {
  write("/proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("/proc/self/cgroup", "0::/job/step\n");
  write("/sys/fs/cgroup/job/step/memory.max", "max\n");
  write("/sys/fs/cgroup/job/step/memory.current", "10\n");
  write("/sys/fs/cgroup/job/memory.max", "1000\n");
  write("/sys/fs/cgroup/job/memory.current", "700\n");
  write("/sys/fs/cgroup/job/memory.stat", "anon 100\ninactive_file 600\n");
  EXPECT_EQ(grant().bytes, 900);
}

TEST_F(HostMemoryTest, of_a_group_of_version_1) {
  write("/proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("/proc/self/cgroup", "5:cpu:/other\n3:memory:/job\n");
  write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000\n");
  write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "400\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "400\n");
  EXPECT_EQ(grant().bytes, 600);
}

TEST_F(HostMemoryTest, that_a_group_has_used_up_is_none) {
  write("/proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("/proc/self/cgroup", "0::/job\n");
  write("/sys/fs/cgroup/job/memory.max", "1000\n");
  write("/sys/fs/cgroup/job/memory.current", "1400\n");
  EXPECT_EQ(grant().bytes, 0);
}

TEST_F(HostMemoryTest, that_is_told_nowhere_has_no_bound) { EXPECT_GT(grant().bytes, 1e300); }

}  // namespace
}  // namespace trestle::jobs

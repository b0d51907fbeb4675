// TRESTLE_ROOTS holds reads and writes inside its folders, whatever links lead out of them.
#include "io/roots.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "core/error.hpp"
#include "io/files.hpp"
#include "tests/readers/temporary_folder.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

namespace fs = std::filesystem;

/// Sets the variable for the life of a test.
class Roots {
 public:
  explicit Roots(const std::string& value) { setenv("TRESTLE_ROOTS", value.c_str(), 1); }
  Roots(const Roots&) = delete;
  Roots& operator=(const Roots&) = delete;
  ~Roots() { unsetenv("TRESTLE_ROOTS"); }
};

/// The message with which `path` is refused; "" when it is not.
std::string refusal(const std::string& path) {
  try {
    require_in_roots(path);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::permission);
    return e.what();
  }
  return "";
}

class RootsTest : public testing::Test {
 protected:
  RootsTest() : folder_(test::world()) {
    if (!test::world().is_root()) return;
    for (const char* name : {"in", "in/deep", "inner", "out"}) fs::create_directory(folder_ / name);
    fs::create_symlink(folder_ / "out", folder_ / "in/away");
    fs::create_symlink(folder_ / "out/new", folder_ / "in/dangling");
    fs::create_symlink(folder_ / "in", folder_ / "out/home");
  }
  test::TemporaryFolder folder_;
};

TEST_F(RootsTest, WithoutTheVariableEverythingIsAllowed) {
  if (!test::world().is_root()) return;
  EXPECT_EQ(refusal("/etc/passwd"), "");
}

TEST_F(RootsTest, ResolveLinksAndDots) {
  if (!test::world().is_root()) return;
  const Roots roots((folder_ / "in") + "/:" + (folder_ / "none"));
  for (const char* inside :
       {"in", "in/a", "in/deep/../a", "in/deep/new/new", "out/home/a", "none/a"})
    EXPECT_EQ(refusal(folder_ / inside), "") << inside;
  for (const char* outside :
       {"out", "inner/a", "in/../out/a", "in/away", "in/away/a", "in/dangling"})
    EXPECT_NE(refusal(folder_ / outside), "") << outside;
}

TEST_F(RootsTest, AllowNothingWhereTheyAreSetWithoutAFolder) {
  if (!test::world().is_root()) return;
  for (const char* empty : {"", ":", "::"}) {
    const Roots roots(empty);
    EXPECT_NE(refusal(folder_ / "in/a").find("names no folder"), std::string::npos) << empty;
  }
  EXPECT_EQ(refusal(folder_ / "in/a"), "");
}

TEST_F(RootsTest, AreNamedWithThePathThatIsRefused) {
  if (!test::world().is_root()) return;
  const Roots roots(folder_ / "in");
  const std::string message = refusal(folder_ / "in/away/a");
  EXPECT_NE(message.find(folder_ / "in/away/a"), std::string::npos) << message;
  EXPECT_NE(message.find(folder_ / "out/a"), std::string::npos) << message;
  EXPECT_NE(message.find("TRESTLE_ROOTS allows (" + (folder_ / "in") + ")"), std::string::npos)
      << message;
}

TEST_F(RootsTest, HoldForFilesThatAreReadAndWritten) {
  if (!test::world().is_root()) return;
  write_text_file(folder_ / "out/mine", "text");
  const Roots roots(folder_ / "in");
  EXPECT_THROW(read_text_file(folder_ / "out/mine", 10), Error);
  EXPECT_THROW(write_text_file(folder_ / "in/away/new", "text"), Error);
  EXPECT_FALSE(fs::exists(folder_ / "out/new"));
  write_text_file(folder_ / "in/new", "text");
  EXPECT_EQ(read_text_file(folder_ / "in/new", 10), "text");
}

}  // namespace
}  // namespace trestle::io

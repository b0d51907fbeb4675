// Texts and files that are no case: each is refused at once with its place, and nothing hangs.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/number.hpp"
#include "io/yaml.hpp"
#include "tests/io/case_support.hpp"
#include "tests/support/devices.hpp"

namespace trestle::io {
namespace {

using test::expect_mistake;
using test::heat_case;

std::string repeated(const std::string& piece, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += piece;
  return text;
}

TEST(YamlText, OfAnyEditorIsRead) {
  EXPECT_EQ(test::parsed("\xEF\xBB\xBF" + heat_case).problem.physics, "heat");
  std::string windows;
  for (char c : heat_case) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(test::parsed(windows + "title: \"a\"\r\n").title, "a");
  EXPECT_EQ(test::parsed("%YAML 1.2\n---\n" + heat_case + "...\n").problem.physics, "heat");
  EXPECT_EQ(test::parsed(heat_case + "title: W\u00E4rme # \u00A0 in a comment\n").title,
            "W\u00E4rme");
}

TEST(YamlText, ThatIsNoneIsRefusedWithItsPlace) {
  const std::pair<std::string, const char*> wrong[] = {
      {"", "case.yaml: the file is empty"},
      {"# only\n# comments\n", "case.yaml: the file is empty"},
      {"---\n", "expected a mapping"},
      {"- a\n- b\n", "case.yaml:1:1: expected a mapping"},
      {"text\n", "case.yaml:1:1: expected a mapping"},
      {"solver:\n\ttype: cg\n", "case.yaml:2:1: a tab in the indentation"},
      {"solver:\n  \ttype: cg\n", "case.yaml:2:3: a tab in the indentation"},
      {"a: 1\tb\n", "case.yaml:1:5: a tab within a value"},
      {std::string("\xFF\xFEs\0o\0", 6), "UTF-16"},
      {std::string("s\0o\0", 4), "case.yaml:1:2: a NUL byte"},
      {std::string("a: 1\n\0", 6), "case.yaml:2:1: a NUL byte"},
      {"name: W\xE4rme\n", "case.yaml:1:8: this byte is not valid UTF-8"},
      {"a: \xC0\xAF\n", "case.yaml:1:4: this byte is not valid UTF-8"},
      {"a: \xED\xA0\x80\n", "not valid UTF-8"},
      {"a: \xF5\x80\x80\x80\n", "not valid UTF-8"},
      {"a: \xE2\x82", "not valid UTF-8"},
      {"a: \x1b[0m\n", "case.yaml:1:4: a control character"},
      {"a: 1\rb: 2\r", "carriage return"},
      {"solver:\n\u00A0 type: cg\n", "case.yaml:2:1: a no-break"},
      {"a: 1\u00A0m\n", "case.yaml:1:5: a no-break"},
      {"a: 1\n---\na: 2\n", "case.yaml:2:1: a second document"},
      {"a: 1\n... trailing\n", "case.yaml:2:5"},
      {"solver:\n  type: cg\n tolerance: 1\n", "case.yaml:3:2"},
      {"bc: [1, 2\nmesh: a\n", "case.yaml:2:5"},
      {"a: 'b\n", "case.yaml:"},
      {"a: b: c\n", "case.yaml:1:5"},
      {"a: 1\nfoo\n", "case.yaml:"},
      {"a: &x 1\n", "case.yaml:1:4: anchors"},
      {"a: &x [*x]\n", "case.yaml:1:4: anchors"},
      {"a: *x\n", "case.yaml:1:4: aliases"},
      {"a: !!python/object:os.system 1\n", "case.yaml:1:4: tags"},
      {"a: !include other.yaml\n", "case.yaml:1:4: tags"},
      {"[1, 2]: 3\n", "a key must be a word"},
      {": 3\n", "case.yaml:1:1: did not find expected key"},
      {"~: 3\n", "a key must be a word"},
      {"a: 1 }\n", "unknown key"},
  };
  for (const auto& [text, part] : wrong) {
    const std::string all = test::joined(test::mistakes(text));
    EXPECT_NE(all.find(part), std::string::npos) << in_quotes(text) << "\n -> " << all;
  }
}

TEST(YamlText, ThatMakesOtherParsersHangIsRefused) {
  for (const std::string& text : std::vector<std::string>{
           "[[:",      "{# ke\ny{:", "{,",      "? ? ?",   "[a: ", "- - - [",   "!",
           "&",        "*",          "|",       ">",       "%",    "@",         "`",
           "a: \"\\x", "a: '",       "{a: b, ", "- {a: [", "?\n",  "%TAG ! :\n"})
    EXPECT_FALSE(test::mistakes(text).empty()) << text;
}

TEST(YamlText, ThatIsDeepOrLongIsRefused) {
  for (const char* piece : {"[", "{a: ", "- ", "? ", "[a: "}) {
    const std::string all = test::joined(test::mistakes(repeated(piece, 100'000)));
    EXPECT_NE(all.find("deeper than 64"), std::string::npos) << piece << " -> " << all;
  }
  EXPECT_FALSE(test::mistakes(repeated("{a:", 100'000)).empty());
  EXPECT_FALSE(test::mistakes(repeated("!", 1'000'000)).empty());
  EXPECT_FALSE(test::mistakes("a: " + repeated("[]", 500'000)).empty());
  EXPECT_FALSE(test::mistakes(repeated("a: \n", 250'000)).empty());
  expect_mistake("a: [" + repeated("1,", 250'000) + "1]\n", "more than 200000 values");
  expect_mistake("a: " + repeated("x", 1 << 20) + "\n", "larger than 1 MiB");
  std::string bomb = "a: &a [1, 2, 3]\n";
  for (char c = 'b'; c < 'k'; ++c)
    bomb += std::string(1, c) + ": &" + c + " [" +
            repeated(std::string("*") + static_cast<char>(c - 1) + ",", 8) + "1]\n";
  expect_mistake(bomb, "anchors");
}

// Nothing in the reader is quadratic in what a megabyte can hold.
TEST(YamlText, WithVeryManyNamesIsReadInReasonableTime) {
  std::string groups;
  for (int i = 0; i < 90'000; ++i) groups += "g" + std::to_string(i) + ",";
  const Case c =
      test::parsed("physics: heat\nmesh: {file: m.msh}\nmaterials:\n  a: {conductivity: 1, on: [" +
                   groups + "]}\n");
  EXPECT_EQ(c.problem.materials[0].on.size(), 90'000u);
}

TEST(YamlTree, KnowsThePlaceOfKeysAndValues) {
  Faults faults;
  const YamlNode root = parse_yaml("a:\n  - {b: 1, \u00E4: \"2\"}\n  - c\n", "f", faults);
  const YamlNode& item = root.find("a")->items[0];
  EXPECT_EQ(to_string(root.entries[0].where()), "f:1:1");
  EXPECT_EQ(to_string(item.entries[1].where()), "f:2:12");
  EXPECT_EQ(to_string(item.entries[1].value.where()), "f:2:15");
  EXPECT_TRUE(item.entries[1].value.quoted);
  EXPECT_EQ(to_string(root.find("a")->items[1].where()), "f:3:5");
  EXPECT_TRUE(faults.empty());
}

class CaseFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "trestle_case_file_test";
    if (comm().is_root()) {
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directories(folder_);
    }
    comm().barrier();
  }
  void TearDown() override {
    comm().barrier();
    if (comm().is_root()) std::filesystem::remove_all(folder_);
    comm().barrier();
  }
  const Comm& comm() const { return test::world(); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  /// The code with which every rank refuses `file`.
  ExitCode code(const std::string& file, const char* part) const {
    try {
      read_case(comm(), file);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      return error.code();
    }
    return ExitCode::done;
  }

  std::filesystem::path folder_;
};

TEST_F(CaseFileTest, ThatIsMissingIs66) {
  EXPECT_EQ(code(path("missing.yaml"), "missing.yaml"), ExitCode::no_input);
  EXPECT_EQ(code(path("missing/case.yaml"), "No such file"), ExitCode::no_input);
  EXPECT_EQ(code("", "No such file"), ExitCode::no_input);
}

TEST_F(CaseFileTest, ThatIsNoRegularFileIs78AndNeverBlocks) {
  if (comm().is_root()) {
    EXPECT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  }
  comm().barrier();
  EXPECT_EQ(code(path("pipe"), "is a pipe"), ExitCode::case_file);
  EXPECT_EQ(code(folder_.string(), "is a folder"), ExitCode::case_file);
  EXPECT_EQ(code("/dev/zero", "is a device"), ExitCode::case_file);
}

TEST_F(CaseFileTest, ThatMayNotBeReadIs77) {
  if (comm().is_root()) {
    std::ofstream(path("secret.yaml")) << heat_case;
    std::filesystem::permissions(path("secret.yaml"), std::filesystem::perms::none);
    std::filesystem::create_symlink(path("loop"), path("loop"));
  }
  comm().barrier();
  EXPECT_EQ(code(path("loop"), "loop"), ExitCode::permission);
  const bool root = geteuid() == 0;
  if (root) {
    EXPECT_EQ(seteuid(65534), 0);
  }  // root may read everything
  EXPECT_EQ(code(path("secret.yaml"), "Permission denied"), ExitCode::permission);
  if (root) {
    EXPECT_EQ(seteuid(0), 0);
  }
}

TEST_F(CaseFileTest, ThatIsTooLargeIs78) {
  if (comm().is_root()) {
    std::ofstream(path("large.yaml")) << heat_case;
    std::filesystem::resize_file(path("large.yaml"), std::uintmax_t{1} << 40);  // sparse
  }
  comm().barrier();
  EXPECT_EQ(code(path("large.yaml"), "larger than 1 MiB"), ExitCode::case_file);
}

TEST_F(CaseFileTest, MayBeASymbolicLinkWithBlanksInItsName) {
  if (comm().is_root()) {
    std::ofstream(path("case.yaml")) << heat_case;
    std::filesystem::create_symlink(path("case.yaml"), path("a link.yaml"));
  }
  comm().barrier();
  const Case c = read_case(comm(), path("a link.yaml"));
  EXPECT_EQ(c.name, "a link");
  EXPECT_EQ(c.mesh.file, path("plate.msh"));
}

}  // namespace
}  // namespace trestle::io

// Texts and files that are no case: each is refused at once with its place, and nothing hangs.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/number.hpp"
#include "io/case/yaml.hpp"
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

/// What the parser says of a text; where it takes it, what the case says.
std::vector<std::string> mistakes_of(const std::string& text) {
  Faults faults;
  try {
    parse_yaml(text, "case.yaml", faults);
  } catch (const CaseError& error) {
    return error.messages();
  }
  return test::mistakes(text);
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
      {"- a\n- b\n", "case.yaml:1:1: not a case file: expected a mapping"},
      {"text\n", "case.yaml:1:1: not a case file: expected a mapping"},
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
      {"bc: [1, 2\nmesh: a\n", "case.yaml:1:5: the [ that opens here is not closed"},
      {"a: 'b\n", "case.yaml:"},
      {"a: b: c\n", "case.yaml:1:5"},
      {"a: 1\nfoo\n", "case.yaml:"},
      {"a: &x 1\n", "case.yaml:1:4: anchors"},
      {"a: &x [*x]\n", "case.yaml:1:4: anchors"},
      {"a: *x\n", "case.yaml:1:4: aliases"},
      {"a: !!python/object:os.system 1\n", "case.yaml:1:4: tags"},
      {"a: !include other.yaml\n", "case.yaml:1:4: tags"},
      {"[1, 2]: 3\n", "a key must be a word"},
      {": 3\n", "case.yaml:1:1: a key is missing before this colon"},
      {"~: 3\n", "a key must be a word"},
      {"a: 1 }\n", "case.yaml:1:1: not a case file"},
  };
  for (const auto& [text, part] : wrong) {
    const std::string all = test::joined(mistakes_of(text));
    EXPECT_NE(all.find(part), std::string::npos) << in_quotes(text) << "\n -> " << all;
  }
}

// What the YAML parser says is for its authors; each mistake is told in plain words, at the place
// where it was made, with what to do.
TEST(YamlText, ThatIsNoneIsExplained) {
  const std::pair<const char*, const char*> wrong[] = {
      {"mesh: {file: a}\nphysics:heat\ntitle: a\n",
       "case.yaml:2:1: a blank is missing behind the colon: write \"physics: heat\""},
      {"physics:heat\nmesh: {file: a}\n",
       "case.yaml:1:1: a blank is missing behind the colon: write \"physics: heat\""},
      {"physics:heat\n", "write \"physics: heat\", with a blank"},
      {"mesh:\n  file: a\n  order:2\nphysics: heat\n",
       "case.yaml:3:3: a blank is missing behind the colon: write \"order: 2\""},
      {"a: 1\nconductivity 1\nb: 1\n", "case.yaml:2:1: a colon is missing in \"conductivity 1\""},
      {"conductivity 1\nb: 1\n", "case.yaml:1:1: a colon is missing in \"conductivity 1\""},
      {"a: 1\nk = 1\nb: 1\n", "case.yaml:2:1: write \"key: value\", with a colon"},
      {"mesh:\n  file: a\n order: 2\n",
       "case.yaml:3:2: the indentation fits nothing above: this line begins at column 2, line 2 at "
       "column 3, the block from line 1 at column 1"},
      {"mesh:\n  file: a\n   order: 2\n",
       "case.yaml:3:4: this line is indented as a part of the value above (line 2)"},
      {"title: a\n  mesh: b\n", "case.yaml:2:3: this line is indented as a part of the value"},
      {"  a: 1\nb: 2\n", "case.yaml:2:1: the indentation fits nothing above"},
      {"b:\n  - on: x\n   y: 1\n", "case.yaml:3:4: the indentation fits nothing above"},
      {"b:\n  - {on: x}\n - {on: z}\n", "case.yaml:3:2: a list entry (\"- ...\") where a key"},
      {"b:\n  - {on: x}\n  {on: z}\n", "case.yaml:3:3: a key is expected here"},
      {"- a\nb: 1\n", "case.yaml:2:1: every entry of the list that begins at line 1 starts with"},
      {"title: a: b\n", "case.yaml:1:9: a second key in this line: put a text that holds a colon"},
      {"a: 1, b: 2\n", "case.yaml:1:8: a second key in this line"},
      {"b: - on: x\n", "case.yaml:1:4: a list in this form begins on a line of its own"},
      {"young: \"2*x\" mm\nb: 1\n", "case.yaml:1:14: a value in quotes ends at its closing quote"},
      {"m: {young: \"2*x\" mm}\n", "case.yaml:1:18: a value in quotes ends at its closing quote"},
      {"a: 'it's'\n", "case.yaml:1:8: a value in quotes ends at its closing quote"},
      {"a: 'b\nc: d\n", "case.yaml:1:4: the quote that opens here is not closed"},
      {"a: [1, 2\n", "case.yaml:1:4: the [ that opens here is not closed: a ] is missing"},
      {"a: {b: 1\nc: 2\n", "case.yaml:1:4: the { that opens here is not closed: a } is missing"},
      {"a: {b: [1, 2}\n", "case.yaml:1:13: this } comes before the [ of column 8 is closed"},
      {"a: [1, 2]]\n", "case.yaml:1:10: this ] closes nothing"},
      {"a: ]\n", "case.yaml:1:4: this ] closes nothing"},
      {"a: [1,,2]\n", "case.yaml:1:7: a value is missing before this comma"},
      {"a: {b: 1} c\n", "case.yaml:1:11: the value ends before this"},
      {"a: @foo\n", "case.yaml:1:4: a value cannot begin with \"@\": put the text in quotes"},
      {"a: \"C:\\path\"\n", "case.yaml:1:7: within double quotes a backslash begins an escape"},
      {"a: > bad\n  text\n", "case.yaml:1:6: nothing may follow | or >"},
      {"%FOO\na: 1\n", "case.yaml:1:1: a line that begins with %"},
      {"a:\n  b: 1\n\tc: 2\n", "case.yaml:3:1: a tab in the indentation: YAML allows spaces only"},
      {"\u00E4\u00F6: [1, \"x\" y]\n", "case.yaml:1:13: a value in quotes ends"},
  };
  for (const auto& [text, part] : wrong) {
    const std::string all = test::joined(mistakes_of(text));
    EXPECT_NE(all.find(part), std::string::npos) << in_quotes(text) << "\n -> " << all;
    for (const char* jargon : {"did not find", "while parsing", "block mapping", "scalar"})
      EXPECT_EQ(all.find(jargon), std::string::npos) << in_quotes(text) << "\n -> " << all;
  }
}

// It may be any file, such as one of passwords that somebody took for a case.
TEST(YamlText, OfAnotherFileIsNotShown) {
  for (const char* text : {"secret\n", "secret: 1\n", "- secret\n", "'secret\n", "{secret: [1}\n",
                           "a: b: secret\n", "secret:x:0:0\n", "*secret\n"}) {
    const std::string all = test::joined(test::mistakes(text));
    EXPECT_NE(all.find("case.yaml:1:1: not a case file"), std::string::npos) << all;
    EXPECT_EQ(all.find("secret"), std::string::npos) << all;
  }
  expect_mistake("mesh: {file: a}\nsecret 1\n", "a colon is missing in \"secret 1\"");
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
    const std::string all = test::joined(mistakes_of(repeated(piece, 100'000)));
    EXPECT_NE(all.find("deeper than 64"), std::string::npos) << piece << " -> " << all;
  }
  EXPECT_FALSE(test::mistakes(repeated("{a:", 100'000)).empty());
  EXPECT_FALSE(test::mistakes(repeated("!", 1'000'000)).empty());
  EXPECT_FALSE(test::mistakes("a: " + repeated("[]", 500'000)).empty());
  EXPECT_FALSE(test::mistakes(repeated("a: \n", 250'000)).empty());
  expect_mistake("mesh: [" + repeated("1,", 250'000) + "1]\n", "more than 200000 values");
  expect_mistake("a: " + repeated("x", 1 << 20) + "\n", "larger than 1 MiB");
  std::string bomb = "mesh: &a [1, 2, 3]\n";
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

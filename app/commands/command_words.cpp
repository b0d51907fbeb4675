#include "app/commands/command_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/number.hpp"
#include "io/case/faults.hpp"
#include "io/version.hpp"
#include "jobs/shell_quote.hpp"

namespace trestle::app {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// What is wrong with the command line: the first word of it that is not known, with the nearest
/// known one, else `what`.
std::string usage_fault(const CLI::App& app, const std::vector<std::string>& words,
                        const std::string& what) {
  const CLI::App* command = &app;
  std::string called = "trestle";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_option = word.starts_with("--") && word.size() > 2;
    if (is_option) {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = command->get_option_no_throw(name);
      if (option == nullptr)
        return fmt::format("{}: unknown option {}{}", called, in_quotes(name),
                           io::suggestion(name, option_names(*command)));
      if (option->get_items_expected_max() > 0 && name == word) ++i;
    } else if (const auto commands = commands_of(*command); !commands.empty()) {
      std::vector<std::string> names;
      const CLI::App* next = nullptr;
      for (const CLI::App* known : commands) {
        names.push_back(known->get_name());
        if (known->get_name() == word) next = known;
      }
      if (next == nullptr)
        return fmt::format("{}: unknown command {}{}", called, in_quotes(word),
                           io::suggestion(word, names));
      command = next;
      called += " " + word;
    }
  }
  return fmt::format("{}: {}; see {} --help", called, what, called);
}

/// The words of the command line. `help WORDS` are `WORDS --help`; a number such as -.5 gets its
/// zero, so that it is not taken for an option.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  for (std::string& word : words)
    if (word.size() > 2 && word.starts_with("-.") && word[2] >= '0' && word[2] <= '9')
      word.insert(1, "0");
  return words;
}

}  // namespace

std::optional<std::string> parse_words(CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words = words_of(argc, argv);
  try {
    app.name("trestle");
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::CallForVersion&) {
    return fmt::format("trestle {}\n", io::version);
  } catch (const CLI::ParseError& e) {
    throw Error(ExitCode::usage, usage_fault(app, words, e.what()));
  }
  return std::nullopt;
}

void require_same_words(const Comm& comm, int argc, char** argv) {
  std::string mine = "trestle";
  for (int i = 1; i < argc; ++i) mine += " " + jobs::shell_quote(argv[i]);
  mine += fmt::format(" (version {})", io::version);
  const std::string of_root = comm.broadcast(mine);
  comm.agree([&] {
    if (mine != of_root)
      throw Error(
          ExitCode::usage,
          fmt::format("rank {} was started as {}, but rank 0 as {}: all ranks of one mpirun "
                      "or srun need the same words",
                      comm.rank(), mine, of_root));
  });
}

}  // namespace trestle::app

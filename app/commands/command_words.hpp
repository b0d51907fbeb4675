// The words of a command line: parsing them, and saying well what is wrong with them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/comm.hpp"

namespace trestle::app {

constexpr const char* about = "Trestle, a distributed batch finite-element engine";

/// Parses the command line; the text to print instead of running anything where it asks for help or
/// the version. Throws Error(64) that names the first word that is not known, with the nearest one.
std::optional<std::string> parse_words(CLI::App& app, int argc, char** argv);

/// Throws Error(64) with both command lines where a rank was started with other words, or as
/// another version, than rank 0: such ranks would wait for each other, or share one run that none
/// of them was asked for. Collective.
void require_same_words(const Comm& comm, int argc, char** argv);

}  // namespace trestle::app

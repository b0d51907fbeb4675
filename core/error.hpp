// The errors of Trestle: each says what, where, which value and what to do, and carries its exit
// code.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace trestle {

/// Exit codes of the program (docs/exit_codes.md).
enum class ExitCode : int {
  done = 0,
  usage = 64,
  mesh = 65,
  no_input = 66,
  no_device = 69,
  bug = 70,
  system = 71,
  cannot_create = 73,
  io = 74,
  stopped_saved = 75,
  no_checkpoint = 76,
  permission = 77,
  case_file = 78,
  expectation = 79,
  diverged = 80,
  not_a_number = 81,
  gpu_fault = 82,
  gpu_memory = 83,
  peer_lost = 84,
  stopped_unsaved = 85,
  busy = 86,
  no_progress = 87,
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// A place in a text file; line and column start at 1, 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", without the parts that are unknown.
std::string to_string(const SourcePosition& where);
/// "place: message", or the message alone where no file is named. The place of an override is
/// "--set KEY", and a message that begins with the same key need not name it again.
std::string with_place(const SourcePosition& where, const std::string& message);

/// One or more mistakes of a case file, a message each; what() joins them by lines.
class CaseError : public Error {
 public:
  explicit CaseError(std::vector<std::string> messages);
  CaseError(const SourcePosition& where, const std::string& message);
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

/// A fault of a mesh file or of a mesh; `message` names file, line or entity.
class MeshError : public Error {
 public:
  explicit MeshError(const std::string& message) : Error(ExitCode::mesh, message) {}
};

/// A fault of the numbers: not a number (81) or divergence (80).
class NumericalError : public Error {
 public:
  using Error::Error;
};

/// A fault of CUDA, MPI, the operating system or a file.
class SystemError : public Error {
 public:
  using Error::Error;
};

/// Throws Error(code, message) unless `condition`; always on, at borders.
inline void require(bool condition, ExitCode code, const std::string& message) {
  if (!condition) throw Error(code, message);
}

/// The nearest of `candidates` to `word` by edits, case or parts of a compound; "" if none is near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace trestle

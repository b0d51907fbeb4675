// StateVisitor: one description of what a calculation needs to go on from where it is, for saving
// and for loading.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solver/matrix/vector.hpp"

namespace trestle::solver {

/// The rows of a table that is shared out among ranks: those that this rank holds, by canonical id;
/// each row is owned by one rank, others may hold copies.
struct StateRows {
  std::string of;                   // "nodes", "cells": tables of one name have the same rows
  GlobalIndex n_global = 0;         // rows of all ranks, ids 0 .. n_global - 1
  std::vector<GlobalIndex> ids;     // [held row]
  std::vector<std::uint8_t> owned;  // [held row]: 1 where this rank owns it
};

/// Visits every number that decides how a calculation goes on. A class with such numbers has one
/// function `visit(StateVisitor&)`, which names them one after another: the names and their order
/// are the same when saving and when loading, whatever ranks, device and precision. Loading gives
/// back the same bits. All functions are collective, and every rank makes the same calls.
class StateVisitor {
 public:
  StateVisitor() = default;
  StateVisitor(const StateVisitor&) = delete;
  StateVisitor& operator=(const StateVisitor&) = delete;
  virtual ~StateVisitor() = default;

  /// Whether what is visited is being replaced by what was saved.
  virtual bool loading() const = 0;
  /// Whether there is a value of this name: not when loading what an older version has saved
  /// without it. The same on all ranks.
  virtual bool knows(const std::string&) const { return true; }

  /// The same on all ranks.
  virtual void value(const std::string& name, double& value) = 0;
  virtual void value(const std::string& name, std::int64_t& value) = 0;
  virtual void value(const std::string& name, std::string& value) = 0;
  /// The same on all ranks; as many as there are when loading too.
  virtual void values(const std::string& name, std::vector<double>& values) = 0;
  virtual void values(const std::string& name, std::vector<std::string>& values) = 0;

  /// Owned entries; after loading the ghosts are up to date.
  virtual void nodal(const std::string& name, Vector<double>& vector) = 0;

  /// What a table of rows holds, in and out of memory [held row, width]. `take` is called when
  /// saving, `put` when loading, with copies of rows up to date.
  struct Table {
    std::size_t width = 1;
    std::function<std::vector<double>()> take;
    std::function<void(std::span<const double>)> put;
  };
  virtual void table(const std::string& name, const StateRows& rows, const Table& table) = 0;

  /// Any other whole number, such as a count or a flag.
  template <class Whole>
  void number(const std::string& name, Whole& whole) {
    auto wide = static_cast<std::int64_t>(whole);
    value(name, wide);
    whole = static_cast<Whole>(wide);
  }
};

}  // namespace trestle::solver

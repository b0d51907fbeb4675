// A StateVisitor that keeps a state in memory, on one rank's side: what is saved is loaded again.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "solver/state_visitor.hpp"

namespace trestle::test {

/// First saves what it visits, and after `load()` gives it back.
class MemoryState final : public solver::StateVisitor {
 public:
  void load() { loading_ = true; }
  bool loading() const override { return loading_; }
  void value(const std::string& name, double& value) override { pass(name, value); }
  void value(const std::string& name, std::int64_t& value) override { pass(name, value); }
  void value(const std::string& name, std::string& value) override { pass(name, value); }
  void values(const std::string& name, std::vector<double>& values) override {
    pass(name, values);
  }
  void values(const std::string& name, std::vector<std::string>& values) override {
    pass(name, values);
  }
  void nodal(const std::string& name, solver::Vector<double>& vector) override {
    std::vector<double> values = gpu::download(vector.values());
    pass(name, values);
    if (loading_) std::ranges::copy(values, gpu::write(vector.values()).begin());
  }
  void table(const std::string& name, const solver::StateRows&, const Table& table) override {
    std::vector<double> values;
    if (!loading_) values = table.take();
    pass(name, values);
    if (loading_) table.put(values);
  }

 private:
  template <class Value>
  void pass(const std::string& name, Value& value) {
    if (loading_)
      value = std::get<Value>(state_.at(name));
    else
      require(state_.emplace(name, value).second, ExitCode::bug, "two states called " + name);
  }

  bool loading_ = false;
  std::map<std::string, std::variant<double, std::int64_t, std::string, std::vector<double>,
                                     std::vector<std::string>>>
      state_;
};

}  // namespace trestle::test

// Output: what is written and evaluated of each state of a run.
#pragma once

#include <limits>
#include <string>

#include "app/console.hpp"
#include "app/evaluate.hpp"
#include "io/case/case.hpp"
#include "io/report/report.hpp"
#include "io/results/results.hpp"
#include "physics/results/derived.hpp"

namespace trestle::app {

struct Restart;

/// What results.hdf holds already of the run that goes on.
struct WrittenStates {
  int n = 0;               // of its steps, from the first on
  double time = 0;         // of the checkpoint [s], or its part of the load
  bool unwritten = false;  // the state of the checkpoint itself is yet to be written
};
/// Nothing where `restart` is null.
WrittenStates written_states(const Restart* restart);

/// Takes the states of a run as they come.
class StateSink {
 public:
  StateSink() = default;
  StateSink(const StateSink&) = delete;
  StateSink& operator=(const StateSink&) = delete;
  virtual ~StateSink() = default;
  /// `value` is a time or the number of a load case. Collective.
  virtual void add(const physics::State& state, double value) = 0;
  /// At most so many are taken in all, those of former starts among them.
  virtual int most_states() const { return std::numeric_limits<int>::max(); }
};

/// Opens results.hdf in a run directory and takes one state after another: its fields, probes,
/// integrals and extremes. All arguments outlive it.
class Output : public StateSink {
 public:
  /// For at most `n_states` in all. Behind the states that were written before the checkpoint of
  /// `restart`, where it is not null. Throws as io::ResultsWriter. Collective.
  Output(const io::Case& c, const physics::Analysis& analysis, const std::string& directory,
         int n_states, const Restart* restart, Console& console, io::Report& report);

  void add(const physics::State& state, double value) override;
  int most_states() const override { return most_states_; }
  /// What `n_states` more add to the file, about.
  double bytes_of(double n_states) const;
  /// Collective.
  void close();

 private:
  const io::Case& case_;
  const physics::Analysis& analysis_;
  io::Report& report_;
  std::string path_;
  physics::ResultPoints points_;
  physics::PointAverages averages_;
  Evaluation evaluation_;
  std::unique_ptr<io::ResultsWriter> writer_;
  int most_states_ = 0;
};

}  // namespace trestle::app

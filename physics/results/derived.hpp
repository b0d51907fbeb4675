// Results at points: the primary field, averaged fluxes, and what follows from them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "physics/results/result_points.hpp"
#include "physics/state.hpp"

namespace trestle::physics {

/// Averages over the cells at each point. What they need is made for the first one.
class PointAverages {
 public:
  PointAverages(const Analysis& analysis, const ResultPoints& points)
      : analysis_(analysis), points_(points) {
    if (analysis.heat() != nullptr)
      heat_ = std::make_unique<PointAverages>(*analysis.heat(), points);
  }
  const Analysis& analysis() const { return analysis_; }
  const ResultPoints& points() const { return points_; }
  /// [local point, width of the quantity]; ghosts are not filled.
  std::vector<double> compute(fem::CellQuantity quantity, const State& state);
  /// Those of the temperature; null where it is no field of the analysis.
  PointAverages* heat() { return heat_.get(); }

 private:
  const Analysis& analysis_;
  const ResultPoints& points_;
  std::optional<PointSlots> slots_;
  std::unique_ptr<PointAverages> heat_;
};

/// Results of one state. Values are [local point, components], ghosts up to date; each is computed
/// once.
class Derived {
 public:
  Derived(PointAverages& averages, const State& state)
      : analysis_(averages.analysis()),
        points_(averages.points()),
        averages_(averages),
        state_(state) {
    if (state.heat) heat_ = std::make_unique<Derived>(*averages.heat(), *state.heat);
  }

  /// `name` is a result of the physics (ResultInfo::name). Collective.
  const std::vector<double>& values(const std::string& name);

 private:
  std::vector<double> nodal(const solver::Vector<double>& field) const;
  std::vector<double> compute(const std::string& name);
  /// Amplitudes and phases of a harmonic response.
  std::vector<double> response(const std::string& name);
  std::vector<double> liquid_fraction() const;
  std::vector<double> hydraulic_head() const;

  const Analysis& analysis_;
  const ResultPoints& points_;
  PointAverages& averages_;
  const State& state_;
  std::map<std::string, std::vector<double>> known_;
  std::unique_ptr<Derived> heat_;
};

/// Whether a result is one of the temperature of thermoelasticity, whose State and Analysis are
/// `heat`.
bool is_of_heat(const Analysis& analysis, const std::string& name);

/// The result of the physics called `name`; throws Error(70) when there is none.
const ResultInfo& result_info(const Description& description, const std::string& name);
/// Names of the components of a result with 1, 3 or 6: {""}, {x y z}, {xx yy zz xy yz xz};
/// principal stresses {1 2 3}.
std::vector<std::string> component_names(const ResultInfo& info);

/// Smallest and largest value of each component of a result over all points, with place; the lowest
/// point id wins. Collective.
struct Extreme {
  double value = 0;
  GlobalIndex point = 0;
  fem::Vec3 at{};  // [m]
  std::int64_t node_tag = 0;
};
struct Range {
  Extreme minimum, maximum;
};
std::vector<Range> ranges(const mesh::Mesh& mesh, const ResultPoints& points,
                          const std::vector<double>& values, int n_components);

}  // namespace trestle::physics

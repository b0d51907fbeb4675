// Free vibrations: the modes of a model, and how rigid motions of its supports excite them.
#pragma once

#include <string>
#include <vector>

#include "fem/operators/mass.hpp"
#include "physics/state.hpp"
#include "solver/eigen/eigen.hpp"

namespace trestle::physics {

/// What a mode means to an engineer. Shapes are M-orthonormal: x'Mx = 1 kg m^2 for x in metres.
struct Vibration {
  std::string name;       // of a rigid mode: "translation x", "rotation x", "mechanism"; else ""
  double eigenvalue = 0;  // (2 pi frequency)^2 [1/s^2], as computed
  bool rigid = false;     // a motion without strain: its frequency is 0
  double frequency = 0;   // [Hz]
  double residual = 0;    // solver::Mode::residual
  double largest = 0;     // length of the largest displacement of the shape [m]
  std::vector<double> participation;   // of each motion, x'Mr [sqrt(kg), sqrt(kg) m]
  std::vector<double> effective_mass;  // of each motion, its square [kg, kg m^2]
};

struct Vibrations {
  /// "x", "y", "z" translations, "rx", "ry", "rz" rotations about axes through the centre of mass;
  /// those that the model has.
  std::vector<std::string> motions;
  std::vector<double> inertia;  // of the whole model for each motion, r'Mr [kg, kg m^2]
  fem::Vec3 centre{};           // of mass [m]
  std::vector<Vibration> modes;
};

/// Stiffness and mass of a modal analysis, with constraints; supports are held at 0.
class ModalProblem {
 public:
  /// The analysis outlives it. Throws CaseError where a material has no density, NumericalError
  /// (81) where it is not above 0. Collective.
  ModalProblem(const Analysis& analysis, MassKind mass);

  /// Modes by the options of the case. Modes without strain are turned among themselves so that
  /// they are translations and rotations of the whole model as far as it can move in this way.
  /// `observer` as in solver::EigenOptions. Collective.
  solver::EigenResult solve(const AnalysisOptions& options, double tolerance,
                            const solver::IterationObserver& observer = {}) const;
  /// Collective.
  Vibrations describe(const solver::EigenResult& found) const;
  /// The state of mode `k`, called "mode K+1", with the forces of the supports where asked for.
  State state(const solver::EigenResult& found, std::size_t k, bool with_reactions) const;

 private:
  using Vector = solver::Vector<double>;
  Vector make_vector() const;
  /// sum += factor * M a, without constraints; the ghosts of a are up to date.
  void add_inertia(const Vector& a, double factor, Vector& sum) const;
  /// x = C v.
  Vector shape(const solver::Mode& mode) const;
  /// value(place) at all local nodes [m].
  template <class Value>
  Vector nodal(const Value& value) const;
  Vector rigid_motion(int motion) const;
  /// M a.
  Vector inertia_of(const Vector& a) const;
  fem::Vec3 centre_of_mass() const;
  void turn_rigid_modes(solver::EigenResult& found) const;

  const Analysis& analysis_;
  Capacity density_;
  std::unique_ptr<const Vector> lumped_;  // masses of nodes; null: consistent
  std::shared_ptr<const solver::BlockMatrix<double>> K_, M_;
  fem::Vec3 centre_{};
};

}  // namespace trestle::physics

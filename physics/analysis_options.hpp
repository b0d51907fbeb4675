// What a case says about the course of an analysis: its kind, its time, its iterations.
#pragma once

#include <optional>
#include <vector>

#include "solver/steps/newton_options.hpp"

namespace trestle::physics {

enum class AnalysisType { static_, transient, modal, harmonic };

/// `automatic`: bdf2 for first order in time, generalized_alpha for second.
enum class TimeScheme {
  automatic,
  backward_euler,
  crank_nicolson,
  bdf2,
  newmark,
  generalized_alpha,
  central_difference
};

/// `automatic`: lumped where a material melts and for central_difference, else consistent.
enum class MassKind { automatic, consistent, lumped };

/// `automatic`: shift_invert where its factors fit into the memory, else lobpcg.
enum class Eigensolver { automatic, shift_invert, lobpcg };

/// Of thermoelasticity: heat acts on the deformation, or both act on each other.
enum class Coupling { one_way, two_way };

struct AnalysisOptions {
  AnalysisType type = AnalysisType::static_;
  MassKind mass = MassKind::automatic;

  // transient
  double end = 0;   // [s]
  double step = 0;  // [s] of every step, or of the first one where a tolerance is given; 0: as
                    // long as central_difference takes it
  TimeScheme scheme = TimeScheme::automatic;
  double tolerance = 0;      // error of a step relative to the largest value; 0: fixed steps
  double smallest_step = 0;  // [s] 0: step / 1e6
  double largest_step = 0;   // [s] 0: no bound

  Coupling coupling = Coupling::one_way;  // of thermoelasticity

  double spectral_radius = 0.8;  // of generalized_alpha, at high frequencies
  struct Damping {
    double mass = 0;         // [1/s]
    double stiffness = 0;    // [s]
    double loss_factor = 0;  // of harmonic analyses: K (1 + i loss_factor)
  } damping;                 // Rayleigh: D = mass M + stiffness K

  // modal, and harmonic where `points` are given
  int modes = 0;  // at most as many, the lowest; 0: all up to max_frequency, else 10
  std::optional<double> min_frequency;   // [Hz]
  std::optional<double> max_frequency;   // [Hz]
  std::optional<double> near_frequency;  // [Hz] the nearest ones instead of the lowest
  Eigensolver eigensolver = Eigensolver::automatic;
  bool may_factor = true;  // whether lobpcg may count modes by factors: they fit into the memory

  // harmonic
  std::vector<double> frequencies;  // [Hz] ascending
  int points = 0;  // evenly from min_frequency to max_frequency; 0: a list is given

  // static and non-linear
  int load_steps = 1;

  solver::NewtonOptions newton;
};

/// Whether modes are asked for by their number alone, from the lowest on, as lobpcg finds them.
inline bool finds_lowest_modes(const AnalysisOptions& options) {
  return !options.min_frequency && !options.near_frequency &&
         (options.modes > 0 || !options.max_frequency);
}

}  // namespace trestle::physics

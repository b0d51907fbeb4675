// How long to go on between two checkpoints.
#pragma once

#include <vector>

namespace trestle::io {

/// The interval that loses least time to saving and to repeating what an interruption takes: tau =
/// sqrt(2 C M) for a save that costs C and a mean time M between interruptions [Young 1974; Daly
/// 2006], at least 1 minute and so that saving takes 2 % at most, else at most 30 minutes. All in
/// s.
double checkpoint_interval(double cost, double mean_time_to_interruption);

/// The mean time between interruptions that `n_interruptions` in `time` tell [s]: with none yet, 6
/// hours, as on busy spot markets; else the mean with that prior counted as one.
double learnt_time_to_interruption(double time, int n_interruptions);

/// What a save costs: the 95th percentile of the last 20 of `seconds`, 0 where there are none.
double save_cost(const std::vector<double>& seconds);

}  // namespace trestle::io

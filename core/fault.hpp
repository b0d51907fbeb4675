// Faults on purpose: places of the program where an operator may have something go wrong, for
// tests.
#pragma once

namespace trestle {

/// What TRESTLE_FAULT asks for at a place, now.
enum class Fault {
  none,
  fail,  // as the place itself fails: no memory, a device that is lost
};

/// Plans what TRESTLE_FAULT says, and nothing else: a list of POINT:N:ACTION[@RANK] with commas
/// between: the N-th time that a rank (each, without one) comes to the point, the action happens:
/// fail, throw (an exception that nobody expects), hang, stop (SIGSTOP to itself), or slow (it
/// waits 50 ms, then and every time after that). Throws Error(64) where it is not of that form, or
/// where TRESTLE_ALLOW_FAULTS=1 does not stand beside it.
void read_faults(int rank);

/// What happens at `point`, a literal. Throws and hangs by itself. Costs nothing without faults.
Fault fault_at(const char* point);

}  // namespace trestle

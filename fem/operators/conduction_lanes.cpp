// CellLanes for heat conduction.
#include "fem/materials/conduction.hpp"
#include "fem/operators/cell_lanes_of.hpp"

namespace trestle::fem {

template struct CellLanes<Conduction, 3>;
template struct CellLanes<Conduction, 4>;
template struct CellLanes<Conduction, 5>;
template struct CellLanes<Conduction, 6>;
template struct CellLanes<Conduction, 8>;
template struct CellLanes<Conduction, 9>;
template struct CellLanes<Conduction, 10>;
template struct CellLanes<Conduction, 13>;
template struct CellLanes<Conduction, 14>;
template struct CellLanes<Conduction, 15>;
template struct CellLanes<Conduction, 18>;
template struct CellLanes<Conduction, 20>;
template struct CellLanes<Conduction, 27>;

}  // namespace trestle::fem

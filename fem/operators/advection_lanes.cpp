// CellLanes for advection, diffusion and reaction.
#include "fem/materials/advection.hpp"
#include "fem/operators/cell_lanes_of.hpp"

namespace trestle::fem {

template struct CellLanes<Advection, 3>;
template struct CellLanes<Advection, 4>;
template struct CellLanes<Advection, 5>;
template struct CellLanes<Advection, 6>;
template struct CellLanes<Advection, 8>;
template struct CellLanes<Advection, 9>;
template struct CellLanes<Advection, 10>;
template struct CellLanes<Advection, 13>;
template struct CellLanes<Advection, 14>;
template struct CellLanes<Advection, 15>;
template struct CellLanes<Advection, 18>;
template struct CellLanes<Advection, 20>;
template struct CellLanes<Advection, 27>;

}  // namespace trestle::fem

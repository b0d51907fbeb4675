// CellLanes for flow through porous media.
#include "fem/materials/porous_flow.hpp"
#include "fem/operators/cell_lanes_of.hpp"

namespace trestle::fem {

template struct CellLanes<PorousFlow, 3>;
template struct CellLanes<PorousFlow, 4>;
template struct CellLanes<PorousFlow, 5>;
template struct CellLanes<PorousFlow, 6>;
template struct CellLanes<PorousFlow, 8>;
template struct CellLanes<PorousFlow, 9>;
template struct CellLanes<PorousFlow, 10>;
template struct CellLanes<PorousFlow, 13>;
template struct CellLanes<PorousFlow, 14>;
template struct CellLanes<PorousFlow, 15>;
template struct CellLanes<PorousFlow, 18>;
template struct CellLanes<PorousFlow, 20>;
template struct CellLanes<PorousFlow, 27>;

}  // namespace trestle::fem

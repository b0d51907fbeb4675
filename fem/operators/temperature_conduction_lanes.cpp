// CellLanes for heat conduction by temperature.
#include "fem/materials/temperature_conduction.hpp"
#include "fem/operators/cell_lanes_of.hpp"

namespace trestle::fem {

template struct CellLanes<TemperatureConduction, 3>;
template struct CellLanes<TemperatureConduction, 4>;
template struct CellLanes<TemperatureConduction, 5>;
template struct CellLanes<TemperatureConduction, 6>;
template struct CellLanes<TemperatureConduction, 8>;
template struct CellLanes<TemperatureConduction, 9>;
template struct CellLanes<TemperatureConduction, 10>;
template struct CellLanes<TemperatureConduction, 13>;
template struct CellLanes<TemperatureConduction, 14>;
template struct CellLanes<TemperatureConduction, 15>;
template struct CellLanes<TemperatureConduction, 18>;
template struct CellLanes<TemperatureConduction, 20>;
template struct CellLanes<TemperatureConduction, 27>;

}  // namespace trestle::fem

// CellLanes for elasticity.
#include "fem/materials/isotropic_elastic.hpp"
#include "fem/operators/cell_lanes_of.hpp"

namespace trestle::fem {

template struct CellLanes<IsotropicElastic<2>, 3>;
template struct CellLanes<IsotropicElastic<2>, 4>;
template struct CellLanes<IsotropicElastic<2>, 6>;
template struct CellLanes<IsotropicElastic<2>, 8>;
template struct CellLanes<IsotropicElastic<2>, 9>;
template struct CellLanes<IsotropicElastic<3>, 4>;
template struct CellLanes<IsotropicElastic<3>, 5>;
template struct CellLanes<IsotropicElastic<3>, 6>;
template struct CellLanes<IsotropicElastic<3>, 8>;
template struct CellLanes<IsotropicElastic<3>, 10>;
template struct CellLanes<IsotropicElastic<3>, 13>;
template struct CellLanes<IsotropicElastic<3>, 14>;
template struct CellLanes<IsotropicElastic<3>, 15>;
template struct CellLanes<IsotropicElastic<3>, 18>;
template struct CellLanes<IsotropicElastic<3>, 20>;
template struct CellLanes<IsotropicElastic<3>, 27>;

}  // namespace trestle::fem

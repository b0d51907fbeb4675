// How the change of volume of a solid's cell is computed.
#pragma once

namespace trestle::fem {

/// `standard`: at every point. `mean_dilatation`: projected onto few modes per cell, so that cells
/// of nearly incompressible solids do not lock.
enum class Formulation { standard, mean_dilatation };

}  // namespace trestle::fem

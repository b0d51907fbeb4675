#include "physics/models/description.hpp"

#include "physics/models/darcy.hpp"
#include "physics/models/elasticity.hpp"
#include "physics/models/heat.hpp"
#include "physics/models/thermoelasticity.hpp"
#include "physics/models/transport.hpp"

namespace trestle::physics {

const std::vector<Description>& descriptions() {
  static const std::vector<Description> all{heat(), elasticity(), thermoelasticity(), transport(),
                                            darcy()};
  return all;
}

const Description* find_description(std::string_view name) {
  for (const Description& description : descriptions())
    if (description.name == name) return &description;
  return nullptr;
}

}  // namespace trestle::physics

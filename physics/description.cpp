#include "physics/description.hpp"

#include "physics/darcy.hpp"
#include "physics/elasticity.hpp"
#include "physics/heat.hpp"
#include "physics/thermoelasticity.hpp"
#include "physics/transport.hpp"

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

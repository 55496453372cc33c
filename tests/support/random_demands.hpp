#pragma once

#include "engine/base/random.hpp"
#include "engine/executors/pivots/hub_levels.hpp"

#include <cstdint>

namespace warpnet::testing {

/// What the members of each class want of each hub: of every third one to nine tokens.
inline Rows<HubDemand> random_demands(CounterRandom& random, std::uint32_t hubs, std::uint32_t classes) {
    Rows<HubDemand> demands;
    for (std::uint32_t number = 0; number < classes; ++number) {
        for (std::uint32_t hub = 0; hub < hubs; ++hub) {
            if (random.below(3) == 0) demands.append({hub, static_cast<std::int32_t>(1 + random.below(9))});
        }
        demands.close_row();
    }
    return demands;
}

}  // namespace warpnet::testing

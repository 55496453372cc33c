#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>

namespace warpnet {

/// What a weighting of places must do under every transition.
enum class WeightedSum : std::uint8_t {
    stays,       ///< y C = 0: the net is conservative
    never_grows  ///< y C <= 0: the net is structurally bounded
};

/// Whether some weights y >= 1 of all places do so; C is the incidence matrix. Weights 1 are tried first,
/// then a linear program is solved. Its answer is verified in whole numbers: weights prove yes, and firing
/// counts whose effect is nowhere negative and somewhere positive prove no (Stiemke's lemma). Nothing if
/// neither is found.
std::optional<bool> has_weighting(const Net& net, WeightedSum sum);

}  // namespace warpnet

#pragma once

#include "analysis/states/properties/property_answer.hpp"
#include "engine/formula/formula.hpp"
#include "engine/formula/property.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace warpnet {

/// A formula about paths, and whether it holds in the initial marking.
struct PathQuestion {
    std::size_t property;  ///< that it was made of
    Formula formula;
    std::optional<std::uint32_t> transition = {};  ///< whether it is live
    std::optional<bool> holds = {};
};

/// What is open of formulas (`formulas`: as they are posed, one a property) and of live transitions.
std::vector<PathQuestion> open_paths(const std::vector<Property>& properties,
                                     const std::vector<PropertyAnswer>& answers,
                                     const std::function<const Formula&(std::size_t)>& formula);
/// Enters the answers.
void answer_paths(const std::vector<PathQuestion>& questions, std::vector<PropertyAnswer>& answers);

}  // namespace warpnet

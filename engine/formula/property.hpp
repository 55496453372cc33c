#pragma once

#include "engine/formula/formula.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet {

/// A question about the reachable markings of a net.
struct Property {
    enum class Kind : std::uint8_t {
        formula,     ///< does `formula` hold in the initial marking?
        maximum,     ///< the largest value of `sum` in a reachable marking
        minimum,     ///< the smallest
        stable,      ///< is there a place whose tokens never change?
        quasi_live,  ///< can each of `transitions` fire in some reachable marking?
        live,        ///< can each of `transitions` fire again from every reachable marking?
        bounded,     ///< is the number of tokens of every place bounded?
    };
    std::string id;
    Kind kind = Kind::formula;
    Formula formula = {};
    LinearSum sum = {};
    std::vector<std::uint32_t> transitions = {};
};

}  // namespace warpnet

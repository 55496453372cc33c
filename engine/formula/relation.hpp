#pragma once

#include "engine/formula/formula.hpp"

namespace warpnet {

/// Large enough for every LinearSum.
__extension__ using WideSum = __int128;

/// Whether a value compared with 0 satisfies the relation.
constexpr bool compares(WideSum value, Relation relation) noexcept {
    switch (relation) {
        case Relation::equal:
            return value == 0;
        case Relation::not_equal:
            return value != 0;
        case Relation::less:
            return value < 0;
        case Relation::less_equal:
            return value <= 0;
        case Relation::greater:
            return value > 0;
        case Relation::greater_equal:
            return value >= 0;
    }
    return false;
}

}  // namespace warpnet

#pragma once

#include "engine/compile/compiled_net.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The demand of each member of a class on one hub.
struct HubDemand {
    std::uint32_t hub;
    std::int32_t weight;
    auto operator<=>(const HubDemand&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// The classes that each hub can serve, by its number of tokens. With more tokens a hub serves more classes.
/// The different weights that classes demand from it divide its token counts into *levels*, and each level
/// has one bit per class that the hub serves there. The classes that all hubs serve are then a conjunction of
/// words, one word per hub.
class HubLevels {
  public:
    /// Up to this many levels, which suffice for most hubs, are compared without a loop.
    static constexpr std::size_t usual = 3;

    /// The levels of one hub. `first` and then `others` list the largest token count of each level,
    /// ascending.
    struct Levels {
        std::array<std::int32_t, usual> first;
        std::span<const std::int32_t> others;
        const std::uint64_t* served;  ///< one row of words per level

        /// The level of a token count. Linear in the number of levels. It has no branches, because token
        /// counts are unpredictable and branches would be mispredicted.
        std::size_t at(Tokens tokens) const noexcept {
            std::size_t level =
                (tokens > first[0] ? 1U : 0U) + (tokens > first[1] ? 1U : 0U) + (tokens > first[2] ? 1U : 0U);
            for (const std::int32_t too_few : others) level += tokens > too_few ? 1U : 0U;
            return level;
        }
    };

    /// `demands`: per class, on distinct hubs.
    HubLevels(std::uint32_t hubs, const Rows<HubDemand>& demands);
    HubLevels() = default;

    /// The number of words that hold one bit per class.
    std::size_t words() const noexcept { return words_; }
    /// Valid until this object moves.
    Levels of(std::uint32_t hub) const noexcept {
        const auto too_few = too_few_[hub];
        return {{too_few[0], too_few[1], too_few[2]},
                too_few.subspan(usual),
                served_.data() + first_served_[hub]};
    }
    /// The hubs on which the classes of a word have demands.
    std::span<const std::uint32_t> hubs_of(std::size_t word) const noexcept { return hubs_of_[word]; }

  private:
    std::size_t words_ = 0;
    Rows<std::int32_t> too_few_;             // per hub: `usual` or more
    std::vector<std::size_t> first_served_;  // per hub
    std::vector<std::uint64_t> served_;
    Rows<std::uint32_t> hubs_of_;  // per word
};

}  // namespace warpnet

#pragma once

#include "engine/compile/compiled_net.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// What a member of a class of transitions takes from a hub.
struct HubDemand {
    std::uint32_t hub;
    std::int32_t weight;
    auto operator<=>(const HubDemand&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
};

/// Whom hubs serve. With more and more tokens a hub serves more and more classes: the different weights that
/// classes want of it part its numbers of tokens into *levels*, each with a bit for every class that the hub
/// serves there. So the classes that all hubs serve are a conjunction of words, one a hub.
class HubLevels {
  public:
    /// So many levels, which most hubs have, are told apart without a loop.
    static constexpr std::size_t usual = 3;

    /// Those of one hub. With as many tokens as `first` and then `others` say, ascending, it is not yet on
    /// the next level.
    struct Levels {
        std::array<std::int32_t, usual> first;
        std::span<const std::int32_t> others;
        const std::uint64_t* served;  ///< level by level

        /// The level with so many tokens. Linear in the number of levels, without branches, which would be
        /// guessed wrong.
        std::size_t at(Tokens tokens) const noexcept {
            std::size_t level =
                (tokens > first[0] ? 1U : 0U) + (tokens > first[1] ? 1U : 0U) + (tokens > first[2] ? 1U : 0U);
            for (const std::int32_t too_few : others) level += tokens > too_few ? 1U : 0U;
            return level;
        }
    };

    /// `demands`: per class, of distinct hubs.
    HubLevels(std::uint32_t hubs, const Rows<HubDemand>& demands);
    HubLevels() = default;

    /// How many words have a bit for each class.
    std::size_t words() const noexcept { return words_; }
    /// Valid as long as these levels are where they are.
    Levels of(std::uint32_t hub) const noexcept {
        const auto too_few = too_few_[hub];
        return {{too_few[0], too_few[1], too_few[2]},
                too_few.subspan(usual),
                served_.data() + first_served_[hub]};
    }
    /// The hubs that the classes of a word want something of.
    std::span<const std::uint32_t> hubs_of(std::size_t word) const noexcept { return hubs_of_[word]; }

  private:
    std::size_t words_ = 0;
    Rows<std::int32_t> too_few_;             // per hub: `usual` or more
    std::vector<std::size_t> first_served_;  // per hub
    std::vector<std::uint64_t> served_;
    Rows<std::uint32_t> hubs_of_;  // per word
};

}  // namespace warpnet

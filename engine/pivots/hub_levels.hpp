#pragma once

#include "engine/compile/compiled_net.hpp"

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
/// classes want of it part its numbers of tokens into *levels*, one after another in memory. So the classes
/// that all hubs serve are a conjunction of words, one a hub.
class HubLevels {
  public:
    /// The fewest and the most tokens with which a hub is on a level, then the words that have a bit for each
    /// class that it serves there.
    using Level = const std::int64_t*;
    static_assert(std::is_same_v<Tokens, std::int64_t>);

    /// `demands`: per class, of distinct hubs.
    HubLevels(std::uint32_t hubs, const Rows<HubDemand>& demands);
    HubLevels() = default;

    static Tokens least(Level level) noexcept { return level[0]; }
    static Tokens most(Level level) noexcept { return level[1]; }
    /// The classes that are served, a bit each.
    static std::uint64_t served(Level level, std::size_t word) noexcept {
        return static_cast<std::uint64_t>(level[2 + word]);
    }

    /// How many words have a bit for each class.
    std::size_t words() const noexcept { return words_; }
    /// The level of a hub with so many tokens.
    Level level_of(std::uint32_t hub, Tokens tokens) const noexcept {
        return raised(levels_.data() + first_[hub], tokens);
    }
    /// As level_of(), for a hub that was on this level and has got tokens, or lost some.
    Level raised(Level level, Tokens tokens) const noexcept {
        while (tokens > most(level)) level += stride_;
        return level;
    }
    Level lowered(Level level, Tokens tokens) const noexcept {
        while (tokens < least(level)) level -= stride_;
        return level;
    }
    /// The hubs that the classes of a word want something of.
    std::span<const std::uint32_t> hubs_of(std::size_t word) const noexcept { return hubs_of_[word]; }

  private:
    std::size_t words_ = 0;
    std::ptrdiff_t stride_ = 0;
    std::vector<std::size_t> first_;    // per hub: where its levels begin
    std::vector<std::int64_t> levels_;  // hub by hub, ascending
    Rows<std::uint32_t> hubs_of_;       // per word
};

}  // namespace warpnet

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
/// classes want of it part its numbers of tokens into *levels*. Each level is a row, those of a hub ascending
/// one after another, with a bit for each class that the hub serves there. So the classes that all hubs serve
/// are a conjunction of words, one a hub.
class HubLevels {
  public:
    /// `demands`: per class, of distinct hubs.
    HubLevels(std::uint32_t hubs, const Rows<HubDemand>& demands);
    HubLevels() = default;

    /// How many words have a bit for each class.
    std::size_t words() const noexcept { return words_; }
    /// The row of a hub with so many tokens.
    std::uint32_t row_of(std::uint32_t hub, Tokens tokens) const noexcept {
        return raised(first_row_[hub], tokens);
    }
    /// As row_of(), for a hub that had this row and has got tokens, or lost some.
    std::uint32_t raised(std::uint32_t row, Tokens tokens) const noexcept {
        while (tokens > below_[row + 1]) ++row;
        return row;
    }
    std::uint32_t lowered(std::uint32_t row, Tokens tokens) const noexcept {
        while (tokens <= below_[row]) --row;
        return row;
    }
    /// The fewest and the most tokens with which a hub has a row.
    Tokens least(std::uint32_t row) const noexcept { return below_[row] + 1; }
    Tokens most(std::uint32_t row) const noexcept { return below_[row + 1]; }
    /// The classes that are served, a bit each.
    const std::uint64_t* served(std::uint32_t row) const noexcept { return served_.data() + row * words_; }
    /// The hubs that the classes of a word want something of.
    std::span<const std::uint32_t> hubs_of(std::size_t word) const noexcept { return hubs_of_[word]; }

  private:
    std::size_t words_ = 0;
    std::vector<std::uint32_t> first_row_;  // per hub
    // Per row: as many tokens are too few. Behind the rows of a hub: as many as can be.
    std::vector<Tokens> below_;
    std::vector<std::uint64_t> served_;  // per row
    Rows<std::uint32_t> hubs_of_;        // per word
};

}  // namespace warpnet

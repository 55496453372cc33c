#pragma once

#include "engine/base/bits.hpp"
#include "engine/executors/pivots/net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The hubs of a run: their tokens, the classes that all hubs serve, and the refills whose hubs are below
/// their caps. A hub that loses tokens removes the classes that it no longer serves at once. The classes that
/// a hub serves again after a gain are computed on demand. The token count of a hub is unpredictable, so this
/// code avoids branches that would be mispredicted.
class Hubs {
  public:
    /// A change of a hub that has not been passed on to the conditions on it yet.
    struct Change {
        std::uint32_t hub;
        Tokens before;
    };

    Hubs(const PivotNet& pivots, const Marking& initial)
        : levels_(&pivots.levels), refills_(pivots.refills), words_(levels_->words()), served_(words_, 0) {
        for (std::uint32_t hub = 0; hub < pivots.hubs.size(); ++hub) {
            const std::uint32_t place = pivots.hubs[hub];
            Hub& one = hubs_.emplace_back(Hub{initial[place], levels_->of(hub)});
            one.watched = (pivots.places[place].kind & PivotNet::watched) != 0;
            update_level(one);
        }
        for (std::size_t i = 0; i < refills_.size(); ++i) {
            Hub& hub = hubs_[refills_[i].hub];
            hub.cap = refills_[i].cap;
            hub.refills |= std::uint64_t{1} << i;
            low_ |= hub.refills & mask_of(hub.tokens < hub.cap);
        }
    }

    Tokens tokens(std::uint32_t hub) const noexcept { return hubs_[hub].tokens; }
    /// REQUIRES: no condition and no demand distinguishes the two token counts.
    void shift(std::uint32_t hub, Tokens change) noexcept { hubs_[hub].tokens += change; }

    void take(std::span<const HubDemand> demands) {
        if (demands.empty()) return;
        std::uint64_t first_word = served_.front();
        for (const auto [hub, weight] : demands) {
            Hub& one = hubs_[hub];
            if (one.watched) note(hub);
            one.tokens -= weight;
            low_ |= one.refills & mask_of(one.tokens < one.cap);
            update_level(one);
            first_word &= one.served[0];
            for (std::size_t word = 1; word < words_; ++word) served_[word] &= one.served[word];
        }
        served_.front() = first_word;
    }
    /// Returns false on overflow.
    bool give(std::uint32_t hub, Tokens weight) {
        Hub& one = hubs_[hub];
        if (one.watched) note(hub);
        if (__builtin_add_overflow(one.tokens, weight, &one.tokens)) return false;
        on_gain(one);
        return true;
    }
    /// The refills whose hubs are below their caps, one bit each.
    std::uint64_t low() const noexcept { return low_; }
    /// Fires some of these refills.
    void refill(std::uint64_t refills) {
        for_each_bit(refills, [&](std::uint32_t i) {
            Hub& one = hubs_[refills_[i].hub];
            if (one.watched) note(refills_[i].hub);
            one.tokens += refills_[i].gives;
            on_gain(one);
        });
    }

    /// The classes of a word that all hubs serve. If a hub has gained tokens since the last call, it costs
    /// one step per hub on which these classes have demands.
    std::uint64_t served(std::size_t word) noexcept {
        if ((stale_ >> word & 1) == 0) return served_[word];
        stale_ &= ~(std::uint64_t{1} << word);
        std::uint64_t served = ~std::uint64_t{0};
        for (const std::uint32_t hub : levels_->hubs_of(word)) served &= hubs_[hub].served[word];
        return served_[word] = served;
    }
    /// REQUIRES: served() was called for the word of this class since a hub last gained tokens.
    bool serve(std::uint32_t number) const noexcept { return (served_[number / 64] >> number % 64 & 1) != 0; }
    /// Whether the hubs hold enough tokens for this many members of a class.
    bool serve_all(std::span<const HubDemand> demands, Tokens members) const noexcept {
        return std::all_of(demands.begin(), demands.end(), [&](const HubDemand& one) {
            return hubs_[one.hub].tokens >= one.weight * members;
        });
    }

    /// The watched hubs that have changed since forget_changes().
    std::span<const Change> changes() const noexcept { return changes_; }
    void forget_changes() noexcept {
        for (const Change& change : changes_) hubs_[change.hub].changed = false;
        changes_.clear();
    }

  private:
    struct alignas(64) Hub {
        Tokens tokens;
        HubLevels::Levels levels;
        const std::uint64_t* served = nullptr;  // at its current level: a word per 64 classes
        std::uint64_t refills = 0;
        std::int32_t cap = 0;  // of all its refills; 0 if it has none
        bool watched = false;  // a condition depends on it
        bool changed = false;  // since changes were forgotten
    };

    /// All bits set, or none.
    static std::uint64_t mask_of(bool holds) noexcept { return std::uint64_t{0} - std::uint64_t{holds}; }
    void update_level(Hub& hub) noexcept {
        hub.served = hub.levels.served + hub.levels.at(hub.tokens) * words_;
    }
    /// Updates the levels after a hub has gained tokens.
    void on_gain(Hub& hub) noexcept {
        low_ &= ~(hub.refills & mask_of(hub.tokens >= hub.cap));
        update_level(hub);
        stale_ = ~std::uint64_t{0};
    }
    void note(std::uint32_t hub) {
        if (hubs_[hub].changed) return;
        hubs_[hub].changed = true;
        changes_.push_back({hub, hubs_[hub].tokens});
    }

    const HubLevels* levels_;
    std::span<const HubRefill> refills_;
    std::vector<Hub> hubs_;
    std::size_t words_;
    std::vector<std::uint64_t> served_;        // a stale word may lack some classes
    std::uint64_t stale_ = ~std::uint64_t{0};  // a bit per word; there are at most 64 words
    std::uint64_t low_ = 0;
    std::vector<Change> changes_;
};

}  // namespace warpnet

#pragma once

#include "engine/base/bits.hpp"
#include "engine/executors/pivots/net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The hubs of a run: their tokens, the classes that all of them serve, and the refills that find theirs
/// below their caps. A hub that loses tokens takes its classes out at once; what those serve that have got
/// some is found out where somebody asks. How many tokens a hub has is as good as random: little here depends
/// on branches, which would be guessed wrong.
class Hubs {
  public:
    /// A hub had so many tokens before others could be told of a change.
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
    /// Needs: nobody can tell the difference.
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
    /// False on overflow.
    bool give(std::uint32_t hub, Tokens weight) {
        Hub& one = hubs_[hub];
        if (one.watched) note(hub);
        if (__builtin_add_overflow(one.tokens, weight, &one.tokens)) return false;
        on_gain(one);
        return true;
    }
    /// The refills that find their hubs below their caps, a bit each.
    std::uint64_t low() const noexcept { return low_; }
    /// Some of these give.
    void refill(std::uint64_t refills) {
        for_each_bit(refills, [&](std::uint32_t i) {
            Hub& one = hubs_[refills_[i].hub];
            if (one.watched) note(refills_[i].hub);
            one.tokens += refills_[i].gives;
            on_gain(one);
        });
    }

    /// The classes of a word that all hubs serve. Cost: the hubs that they want something of, if any has got
    /// tokens since.
    std::uint64_t served(std::size_t word) noexcept {
        if ((stale_ >> word & 1) == 0) return served_[word];
        stale_ &= ~(std::uint64_t{1} << word);
        std::uint64_t served = ~std::uint64_t{0};
        for (const std::uint32_t hub : levels_->hubs_of(word)) served &= hubs_[hub].served[word];
        return served_[word] = served;
    }
    /// Needs: its word has been asked for since a hub got tokens.
    bool serve(std::uint32_t number) const noexcept { return (served_[number / 64] >> number % 64 & 1) != 0; }
    /// Whether there are the tokens for so many members of a class.
    bool serve_all(std::span<const HubDemand> demands, Tokens members) const noexcept {
        return std::all_of(demands.begin(), demands.end(), [&](const HubDemand& one) {
            return hubs_[one.hub].tokens >= one.weight * members;
        });
    }

    /// The watched hubs that have changed since they were forgotten.
    std::span<const Change> changes() const noexcept { return changes_; }
    void forget_changes() noexcept {
        for (const Change& change : changes_) hubs_[change.hub].changed = false;
        changes_.clear();
    }

  private:
    struct alignas(64) Hub {
        Tokens tokens;
        HubLevels::Levels levels;
        const std::uint64_t* served = nullptr;  // on its level, a word for 64 classes
        std::uint64_t refills = 0;
        std::int32_t cap = 0;  // of all its refills; 0: it has none
        bool watched = false;  // somebody has a condition on it
        bool changed = false;  // since changes were forgotten
    };

    /// All bits or none.
    static std::uint64_t mask_of(bool holds) noexcept { return std::uint64_t{0} - std::uint64_t{holds}; }
    void update_level(Hub& hub) noexcept {
        hub.served = hub.levels.served + hub.levels.at(hub.tokens) * words_;
    }
    /// A hub has got tokens.
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
    std::vector<std::uint64_t> served_;        // of a stale word: perhaps not all
    std::uint64_t stale_ = ~std::uint64_t{0};  // a bit per word, of which there are 64 at most
    std::uint64_t low_ = 0;
    std::vector<Change> changes_;
};

}  // namespace warpnet

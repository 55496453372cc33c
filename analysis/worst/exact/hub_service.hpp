#pragma once

#include "analysis/worst/exact/multiset_net.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Modules that wait in equal states.
struct WaitingGroup {
    LocalCode code;
    std::uint32_t demand_class;
    std::uint32_t count;
};

/// Whom the hubs can serve in a step: every maximal set of waiting modules, as a number for each group of
/// equal ones. Hub loops compete too. Keeps memory between calls: one for each thread.
class HubService {
  public:
    HubService(const MultisetNet& net, bool probabilities) : net_(net), probabilities_(probabilities) {}

    /// Finds the services of a step from the counters before it; valid until the next call. Only the first
    /// ones where there are more than `most`: there can be exponentially many. Says whether these are all.
    bool find(std::span<const Tokens> counters, std::span<const WaitingGroup> groups,
              std::size_t most = ~std::size_t{0});
    /// Whether one look tells that there is one service only.
    bool is_certain(std::span<const Tokens> counters, std::span<const WaitingGroup> groups);

    std::size_t size() const noexcept { return blocked_.size(); }
    /// Served of each group.
    std::span<const std::uint32_t> served(std::size_t service) const noexcept {
        return std::span(served_).subspan(service * groups_.size(), groups_.size());
    }
    /// Whether somebody is left out for whom there is room but for the loops that fire.
    bool blocked(std::size_t service) const noexcept { return blocked_[service] != 0; }
    /// With probabilities: under a uniformly random order of all that are enabled.
    double probability(std::size_t service) const noexcept { return probability_[service]; }

    /// Whether a loop could fire, nobody else doing so.
    bool loop_enabled(std::span<const Tokens> counters) const;

  private:
    struct Item {
        std::span<const PlaceWeight> demands;
        std::uint32_t count;
        std::uint32_t group;  ///< or the number of groups for a loop
    };

    bool is_enabled(const MultisetNet::Loop& loop, std::size_t number,
                    std::span<const Tokens> counters) const;
    bool fits(const Item& item) const;
    void take(const Item& item, Tokens times);
    void divide(std::span<const Tokens> counters);
    bool all_want_the_same() const;
    void enumerate(std::size_t item, double ways);
    void draw();
    void emit(double probability);

    const MultisetNet& net_;
    bool probabilities_;
    std::span<const WaitingGroup> groups_;
    std::vector<Tokens> room_, wanted_;
    std::vector<Item> items_;             // that compete
    std::vector<std::uint32_t> chosen_;   // per item
    std::vector<std::uint32_t> certain_;  // per group: served without a conflict
    std::vector<std::uint32_t> served_;
    std::vector<std::uint8_t> blocked_;
    std::vector<double> probability_;
    bool loops_compete_ = false;
    std::size_t most_ = 0;
    bool too_many_ = false;
};

}  // namespace warpnet

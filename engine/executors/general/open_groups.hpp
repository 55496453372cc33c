#pragma once

#include "engine/executors/general/candidate_sets.hpp"
#include "engine/executors/general/residual_tokens.hpp"
#include "engine/executors/loop/conflict_order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The conflict groups with candidates that may still be served in a step, and the choice of the next one.
class OpenGroups {
  public:
    OpenGroups(const CompiledNet& net, const CandidateSets& sets, ConflictOrder& order)
        : net_(net), sets_(sets), order_(order) {}

    void clear() noexcept {
        groups_.clear();
        candidates_ = 0;
    }
    void add(std::uint32_t group) {
        groups_.push_back(group);
        candidates_ += sets_.count(group);
    }
    /// Opens the groups, of those given, that have candidates and whose demands on hubs fit.
    void open(std::span<const std::uint32_t> groups, const ResidualTokens& residual) {
        groups_.assign(groups.begin(), groups.end());
        close_blocked(residual);
    }
    /// Removes the groups without candidates and those whose demands no longer fit.
    void close_blocked(const ResidualTokens& residual);

    std::span<const std::uint32_t> groups() const noexcept { return groups_; }
    /// The total number of candidates in open groups.
    std::uint32_t candidates() const noexcept { return candidates_; }
    /// The candidate with this rank among those of all open groups. REQUIRES: rank < candidates().
    GroupSlot candidate(std::uint32_t rank) const;
    /// The candidate that the policy serves next. REQUIRES: candidates() > 0.
    GroupSlot next();

  private:
    const CompiledNet& net_;
    const CandidateSets& sets_;
    ConflictOrder& order_;
    std::vector<std::uint32_t> groups_;
    std::uint32_t candidates_ = 0;
};

}  // namespace warpnet

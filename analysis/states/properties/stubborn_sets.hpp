#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/formula/formula.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Chooses transitions that suffice in a marking under interleaving: firing the others first changes neither
/// whether the chosen ones can fire nor where they lead.
class StubbornSets {
  public:
    /// The net must outlive it; REQUIRES is_timed().
    explicit StubbornSets(const CompiledNet& net);

    /// Enabled transitions, none only in a dead marking, such that every dead marking that can be reached can
    /// be reached through them. `enabled` are all enabled ones. O(arcs) for each set that is tried.
    std::vector<std::uint32_t> for_deadlocks(std::span<const Tokens> marking,
                                             std::span<const std::uint32_t> enabled);

    /// Enabled transitions such that every marking with the condition that can be reached can be reached
    /// through them. REQUIRES: the condition is simplified(), without transitions, and does not hold here.
    std::vector<std::uint32_t> for_condition(std::span<const Tokens> marking, const Formula& condition);

  private:
    void start();
    void add(std::uint32_t transition);
    void add_all(std::span<const std::uint32_t> transitions);
    void close(std::span<const Tokens> marking);
    void close_enabled(std::uint32_t transition);
    void close_disabled(std::span<const Tokens> marking, std::uint32_t transition);
    /// The transitions one of which must fire before a condition holds.
    void add_helpful(std::span<const Tokens> marking, const Formula& condition);
    void add_changing(const LinearSum& sum, bool upwards);

    const CompiledNet& net_;
    Rows<std::uint32_t> raise_, lower_, need_, inhibited_;  // per place: transitions
    std::vector<std::uint8_t> in_;                          // per transition
    std::vector<std::uint32_t> set_;
    std::vector<std::uint32_t> chosen_;  // the enabled ones of the set
};

}  // namespace warpnet

#pragma once

#include "analysis/states/explore/explore.hpp"
#include "engine/compile/compiled_net.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet {

/// The reachable markings and the steps between them as a graph of indices: markings are numbered densely
/// from 0, the initial one anywhere among them.
class StepGraph {
  public:
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(timed_.size()); }
    std::uint32_t initial() const noexcept { return initial_; }
    /// In the order in which the steps are enumerated; a marking is listed once per step to it.
    std::span<const std::uint32_t> targets(std::uint32_t state) const noexcept {
        return std::span(targets_).subspan(first_[state], first_[state + 1] - first_[state]);
    }
    std::uint64_t edges() const noexcept { return targets_.size(); }
    /// Whether the steps of a marking take time: either all do or none does (immediate transitions go first).
    bool timed(std::uint32_t state) const noexcept { return timed_[state] != 0; }
    StateId id(std::uint32_t state) const noexcept;
    std::uint32_t number(StateId state) const noexcept {
        return offsets_[StateSpace::shard_of(state)] + StateSpace::number_of(state);
    }

    /// Bytes of the graph of an exploration, and those that algorithms on it need in addition.
    static std::uint64_t bytes(const Exploration& explored) noexcept;

  private:
    friend std::optional<StepGraph> step_graph(const CompiledNet& net, const ExploreOptions& options,
                                               const Exploration& explored);

    std::array<std::uint32_t, StateSpace::shard_count + 1> offsets_ = {};
    std::uint32_t initial_ = 0;
    std::vector<std::uint64_t> first_;
    std::vector<std::uint32_t> targets_;
    std::vector<std::uint8_t> timed_;
};

/// The graph of a complete exploration, by enumerating all steps again; on the threads of the caller's arena.
/// Under the options' symmetry it is the graph of the classes of markings.
/// Nothing if the options' deadline or interrupt comes first.
std::optional<StepGraph> step_graph(const CompiledNet& net, const ExploreOptions& options,
                                    const Exploration& explored);

}  // namespace warpnet

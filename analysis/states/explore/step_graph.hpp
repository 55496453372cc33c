#pragma once

#include "analysis/states/explore/explore.hpp"
#include "engine/compile/compiled_net.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet::states {

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
    /// Whether the graph lacks the marking after some step of this one. Only in a graph of an exploration
    /// that is incomplete.
    bool open(std::uint32_t state) const noexcept { return partial() && open_[state] != 0; }
    /// Whether it is the graph of an incomplete exploration.
    bool partial() const noexcept { return !open_.empty(); }
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
    void leave_out_unknown_targets();

    std::array<std::uint32_t, StateSpace::shard_count + 1> offsets_ = {};
    std::uint32_t initial_ = 0;
    std::vector<std::uint64_t> first_;
    std::vector<std::uint32_t> targets_;
    std::vector<std::uint8_t> timed_;
    std::vector<std::uint8_t> open_;  // empty: none
};

/// The graph of an exploration, by enumerating all steps again; on the threads of the caller's arena. Steps
/// to markings that an incomplete exploration does not have are left out. Under the options' symmetry it is
/// the graph of the classes of markings. Nothing if the options' deadline or interrupt comes first.
std::optional<StepGraph> step_graph(const CompiledNet& net, const ExploreOptions& options,
                                    const Exploration& explored);

/// The strongly connected components of a graph.
struct Components {
    /// Per state. Numbered so that every edge leads to an equal or a smaller number.
    std::vector<std::uint32_t> of;
    std::uint32_t count = 0;
    /// Per component: whether no edge leaves it.
    std::vector<std::uint8_t> bottom;
};

/// Tarjan's algorithm [Tarjan72] with its own stack: O(states + edges) time, 12 to 28 bytes per state.
Components components(const StepGraph& graph);

/// The properties that follow from the components of the state graph.
struct Liveness {
    /// Per transition: it can be made to fire again from every reachable marking (Murata's L4). All other
    /// transitions fire at some point or, according to Exploration::fired, never.
    std::vector<std::uint8_t> live;
    /// Markings that can be reached from every reachable marking.
    std::uint64_t home_states = 0;
    bool reversible = false;  ///< the initial marking is one of them
    std::uint32_t components = 0;
    std::uint32_t bottom_components = 0;  ///< those that no step leaves
};

/// A transition is live exactly if it fires within every bottom component. Home states are those of the only
/// bottom component, if there is only one. Enumerates the steps of bottom components again.
Liveness liveness(const CompiledNet& net, Semantics semantics, const Exploration& explored,
                  const StepGraph& graph);

}  // namespace warpnet::states

#pragma once

#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "engine/formula/formula.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet::states {

/// Per state of a StepGraph 1 or 0.
using StateSet = std::vector<std::uint8_t>;

/// Whether one path can prove that a formula holds in a state, or that it does not.
bool may_show_path(const Formula& formula, bool holds);

/// Decides CTL formulas in all markings of a graph at once, by fixpoints over the steps backwards [Clarke86],
/// under the semantics of the graph.
///
/// If the graph is a part of the whole, some markings are open: they have steps that lead out of it. Then a
/// formula holds *surely*, for any targets of these steps, or *possibly*, for some [Bruns99]. In a complete
/// graph both are the same.
///
/// O(edges) for each path operator, O(states x comparisons) for the rest. Takes another 4 bytes per edge and
/// 8 bytes per state in addition to the graph.
class ModelChecker {
  public:
    /// The arguments must outlive it.
    ModelChecker(const Net& net, const StateSpace& space, const StepGraph& graph);

    static std::uint64_t bytes(std::uint64_t states, std::uint64_t edges) noexcept;

    enum class Certainty : std::uint8_t { sure, possible };

    /// The states in which a formula without firings holds.
    StateSet states_of(const Formula& formula, Certainty certainty);

    /// Whether it holds in the initial marking; nothing: unknown.
    std::optional<bool> holds_initially(const Formula& formula);

    /// States from the initial one on that prove that a formula holds there or that it does not, if one path
    /// can prove it. An endless path ends in a dead marking or in the state whose number is in
    /// `repeats_from`, from which it repeats.
    struct Path {
        std::vector<std::uint32_t> states;
        std::optional<std::uint32_t> repeats_from = {};
    };
    std::optional<Path> path_for(const Formula& formula);

  private:
    std::span<const std::uint32_t> sources(std::uint32_t state) const noexcept {
        return std::span(sources_).subspan(first_source_[state],
                                           first_source_[state + 1] - first_source_[state]);
    }
    StateSet state_formula(const Formula& formula) const;
    StateSet temporal(const Formula& formula, Certainty certainty);
    StateSet some_next(const StateSet& operand, Certainty certainty) const;
    StateSet some_until(const StateSet& hold, StateSet reached, Certainty certainty) const;
    StateSet some_globally(StateSet hold, Certainty certainty) const;
    std::optional<Path> shortest(const StateSet& through, const StateSet& to) const;
    Path endless(const StateSet& within) const;

    const Net& net_;
    const StateSpace& space_;
    const StepGraph& graph_;
    std::vector<std::uint64_t> first_source_;
    std::vector<std::uint32_t> sources_;
};

}  // namespace warpnet::states

#pragma once

#include "engine/compile/compiled_net.hpp"
#include "engine/formula/formula.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpnet::states {

/// Simplifies formulas about the paths of one net, by rules that hold in all its markings. Interleaving, no
/// priorities or immediate transitions: REQUIRES is_timed(). The net must outlive it.
class PathRules {
  public:
    explicit PathRules(const CompiledNet& net) : net_(net) {}

    /// An equivalent formula, simplified(). O(size of the formula) and a linear program for each set of
    /// transitions that a formula speaks of, at most one with all transitions. Only a fixed effort ends
    /// these programs, because all ranks have to pose the same questions.
    Formula simplify(const Formula& formula);

  private:
    /// Transitions of which one can fire wherever the formula holds; nothing: none are known.
    std::optional<std::vector<std::uint32_t>> needed_for(const Formula& formula);
    /// Whether some paths leave the markings with the formula, wherever they start.
    bool always_ends(const Formula& formula);
    /// Whether no run of these transitions alone is endless.
    bool runs_end(std::span<const std::uint32_t> transitions);
    bool all_runs_end();
    Formula of_terminating(Formula formula);

    const CompiledNet& net_;
    std::optional<bool> all_runs_end_ = {};
};

}  // namespace warpnet::states

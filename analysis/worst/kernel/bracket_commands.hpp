#pragma once

#include "analysis/worst/kernel/segment_abstraction.hpp"
#include "analysis/worst/kernel/segment_bound.hpp"
#include "analysis/worst/search/objective.hpp"
#include "engine/base/work_limits.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warpnet {

class Collectives;

/// Bounds of the first state by some abstractions: of one by all ranks together, of several each by another
/// rank.
struct BoundsCommand {
    std::vector<SegmentScheme> schemes;  ///< at most one for each rank
    int expected = 0;                    ///< a bound that is known, as in SegmentBound
};

/// The whole table of an abstraction, which every rank is to have.
struct GuideCommand {
    SegmentScheme scheme;
    int expected = 0;
    bool together = false;  ///< otherwise each computes it alone
};

/// A search for a run of so many cycles by all ranks, guided by the table that they made last.
struct LayeredCommand {
    int target = 0;
};

/// What rank 0 has other ranks do for a bracket.
using BracketCommand = std::variant<BoundsCommand, GuideCommand, LayeredCommand>;

/// With the time and the effort that are left. It goes to other ranks of the same program: not checked when
/// it is read.
std::string write_bracket_command(const BracketCommand& command, const WorkLimits& limits);
/// Sets the deadline of the limits to that of rank 0, about, and the effort.
BracketCommand read_bracket_command(std::string_view text, WorkLimits& limits);

/// On all ranks: the bounds of a command, absent where a limit was hit. Alone without `ranks`.
std::vector<std::optional<int>> bounds_of(const BoundsCommand& command, const KernelInstance& instance,
                                          Objective objective, const WorkLimits& limits, Collectives* ranks);

/// On all ranks: the table of a command.
std::optional<SegmentBound> guide_of(const GuideCommand& command, const KernelInstance& instance,
                                     Objective objective, const WorkLimits& limits, Collectives* ranks);

}  // namespace warpnet

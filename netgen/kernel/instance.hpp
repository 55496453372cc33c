#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

/// W identical warps that each run one instruction string in order, every instruction one cycle on a unit of
/// its type ([Berezovskyi13] sections II and III). In every cycle a maximal set of ready warps
/// executes, at most `capacity[type]` of each type and, where given, at most `schedulers` in all; a warp
/// executes at most one instruction a cycle. The number of cycles until all warps have finished is the
/// makespan.
struct KernelInstance {
    int warps = 1;                   ///< W, at least 1
    std::vector<std::uint8_t> type;  ///< of each instruction: index into `capacity`
    std::vector<int> capacity;       ///< per type: instructions a cycle, at least 1
    std::optional<int> schedulers =
        {};  ///< sigma: instructions a cycle over all types; absent: no such limit
    /// Per instruction its fairness level ([Raravi10]: the sub-block), or empty: none. A ready instruction of
    /// a lower level goes before one of a higher level within the cycle.
    std::vector<int> level = {};
    /// The type of the cycles in which a warp waits for what it issued, written out in `type` behind the
    /// instruction: nothing limits them, neither units (its capacity is W or more) nor schedulers, so that a
    /// warp always takes the next one. A warp has finished once its last wait is over. Absent: nobody waits.
    std::optional<std::uint8_t> waiting = {};

    /// Whether a warp at this position of the string waits, not executes.
    bool waits_at(std::size_t position) const noexcept { return waiting && type[position] == *waiting; }
    /// Instructions of a warp: the positions of the string at which it does not wait.
    std::size_t instructions() const noexcept {
        std::size_t count = 0;
        for (std::size_t i = 0; i < type.size(); ++i)
            if (!waits_at(i)) ++count;
        return count;
    }

    bool operator==(const KernelInstance&) const = default;
};

}  // namespace warpnet

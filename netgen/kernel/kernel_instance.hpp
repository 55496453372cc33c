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

    bool operator==(const KernelInstance&) const = default;
};

}  // namespace warpnet

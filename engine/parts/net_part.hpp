#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// Some transitions of a net and the places that they depend on. Within the part both are numbered by their
/// positions here.
struct NetPart {
    std::vector<std::uint32_t> transitions;  ///< ascending
    std::vector<std::uint32_t> places;       ///< ascending
};

/// What a run of the whole means for part number `number`: the part draws from seed hash_bits(seed, number),
/// unless the draws are `keyed`, which are those of the whole. Refers to `part`.
RunOptions options_of_part(const RunOptions& options, std::uint64_t number, const NetPart& part);

/// Cuts parts out of a net without immediate transitions and priorities.
class PartCutter {
  public:
    explicit PartCutter(const CompiledNet& net);

    /// The arcs of a part; output arcs to places that it does not have are left out. All places that its
    /// transitions take from or test must be in it. O(part).
    NetArcs cut(const NetPart& part);

  private:
    const CompiledNet& net_;
    std::vector<std::uint32_t> local_;  // per place: its number in the part at hand, or none
};

}  // namespace warpnet

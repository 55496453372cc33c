#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// How nets are divided, so that one run uses all cores.
struct PartOptions {
    /// In nets with so many transitions, parts that nothing connects are looked for.
    std::uint32_t large_net = 500;
    /// Such parts with fewer transitions are bundled.
    std::uint32_t small_part = 32;
    /// Nets of one piece with so many transitions are divided.
    std::uint32_t huge_net = 20'000;
    /// Unless more than so many of all effects, in per cent, would be on places of other parts.
    std::uint32_t most_sent = 30;
    /// Parts that are started again and again are looked for.
    bool restarted = true;
};

/// Runs are made in one piece.
inline constexpr PartOptions in_one_piece = {
    .large_net = UINT32_MAX, .huge_net = UINT32_MAX, .restarted = false};

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

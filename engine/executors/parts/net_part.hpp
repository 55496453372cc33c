#pragma once

#include "engine/run/run.hpp"

#include <cstdint>
#include <vector>

namespace warpnet {

/// How nets are divided, so that one run uses all cores.
struct PartOptions {
    /// Unconnected parts are searched in nets with at least this many transitions.
    std::uint32_t large_net = 500;
    /// Smaller unconnected parts are bundled, in transitions.
    std::uint32_t small_part = 32;
    /// Connected nets with at least this many transitions are divided.
    std::uint32_t huge_net = 20'000;
    /// A net is not divided if more than this share of all effects, in per cent, would cross borders.
    std::uint32_t most_sent = 30;
    /// Whether parts that a dispatcher restarts are searched.
    bool restarted = true;
};

/// No net is divided.
inline constexpr PartOptions in_one_piece = {
    .large_net = UINT32_MAX, .huge_net = UINT32_MAX, .restarted = false};

/// Some transitions of a net and the places that they depend on. Their numbers within the part are their
/// positions in these lists.
struct NetPart {
    std::vector<std::uint32_t> transitions;  ///< ascending
    std::vector<std::uint32_t> places;       ///< ascending
};

/// The options of the run of part number `number`. The part draws from seed hash_bits(seed, number), unless
/// the draws are `keyed`; those are the draws of the whole net. The result refers to `part`.
RunOptions options_of_part(const RunOptions& options, std::uint64_t number, const NetPart& part);

/// Extracts parts of a net without immediate transitions and priorities.
class PartCutter {
  public:
    explicit PartCutter(const CompiledNet& net);

    /// The arcs of a part. Output arcs to places outside the part are left out. REQUIRES: the part contains
    /// all places that its transitions take from or test. O(part).
    NetArcs cut(const NetPart& part);

  private:
    const CompiledNet& net_;
    std::vector<std::uint32_t> local_;  // per place: its number in the current part, or no_index
};

}  // namespace warpnet

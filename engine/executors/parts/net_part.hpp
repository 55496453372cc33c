#pragma once

#include "engine/base/random.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/run/run.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpnet {

/// The options for dividing nets, so that one run uses all cores.
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

/// A cache of objects made from parts of a net, keyed by the arcs of the part: equal parts share one object.
template <class Made>
class KnownParts {
  public:
    /// The object for these arcs. Calls make(arcs), which returns a shared pointer, if there is none yet.
    template <class Make>
    std::shared_ptr<const Made> find_or_make(NetArcs arcs, Make&& make) {
        const std::uint64_t hash = hash_of(arcs);
        const auto [begin, end] = known_.equal_range(hash);
        for (auto at = begin; at != end; ++at) {
            if (at->second.first == arcs) return at->second.second;
        }
        std::shared_ptr<const Made> made = make(arcs);
        known_.emplace(hash, std::pair(std::move(arcs), made));
        return made;
    }

    std::size_t size() const { return known_.size(); }

  private:
    static std::uint64_t hash_of(const NetArcs& arcs) {
        std::uint64_t hash = hash_bits(arcs.place_count(), arcs.transition_count());
        for (const Tokens tokens : arcs.initial) hash = hash_bits(hash, static_cast<std::uint64_t>(tokens));
        for (const auto& rows :
             {arcs.inputs.all(), arcs.outputs.all(), arcs.inhibitors.all(), arcs.reads.all()}) {
            for (const auto [place, weight] : rows)
                hash = hash_bits(hash, place + (static_cast<std::uint64_t>(weight) << 32));
        }
        return hash;
    }

    std::unordered_multimap<std::uint64_t, std::pair<NetArcs, std::shared_ptr<const Made>>> known_;
};

}  // namespace warpnet

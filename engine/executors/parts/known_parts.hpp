#pragma once

#include "engine/base/random.hpp"
#include "engine/compile/compiled_net.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace warpnet {

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

// Cuts a part out of a compiled net. Places get the numbers of their positions in the part, and output arcs
// to other places are left out. Inputs are sorted by place, so equal parts have equal arcs and share one
// compiled object (KnownParts). One array maps places of the net to the part and is reset after each cut, so
// the cost is O(part) and not O(net).

#include "engine/executors/parts/net_part.hpp"

#include "engine/base/no_index.hpp"
#include "engine/base/random.hpp"

#include <algorithm>

namespace warpnet {

RunOptions options_of_part(const RunOptions& options, std::uint64_t number, const NetPart& part) {
    RunOptions result = options;
    if (options.keyed) {
        result.keys = part.transitions;
    } else {
        result.seed = hash_bits(options.seed, number);
    }
    return result;
}

PartCutter::PartCutter(const CompiledNet& net) : net_(net), local_(net.place_count(), no_index) {}

NetArcs PartCutter::cut(const NetPart& part) {
    NetArcs arcs;
    arcs.initial.reserve(part.places.size());
    for (std::uint32_t i = 0; i < part.places.size(); ++i) {
        local_[part.places[i]] = i;
        arcs.initial.push_back(net_.initial[part.places[i]]);
    }
    const auto reserve = [&](const Rows<PlaceWeight>& from, Rows<PlaceWeight>& rows) {
        std::size_t items = 0;
        for (const std::uint32_t t : part.transitions) items += from[t].size();
        rows.reserve(part.transitions.size(), items);
    };
    reserve(net_.inputs, arcs.inputs);
    reserve(net_.outputs, arcs.outputs);
    reserve(net_.inhibitors, arcs.inhibitors);
    reserve(net_.reads, arcs.reads);
    const auto copy = [&](std::span<const PlaceWeight> row, Rows<PlaceWeight>& rows) {
        for (const auto [place, weight] : row) {
            if (local_[place] != no_index) rows.append({local_[place], weight});
        }
        rows.close_row();
    };
    for (const std::uint32_t t : part.transitions) {
        copy(net_.inputs[t], arcs.inputs);
        const std::span<PlaceWeight> inputs = arcs.inputs.row(arcs.inputs.size() - 1);
        std::sort(inputs.begin(), inputs.end(),
                  [](PlaceWeight a, PlaceWeight b) { return a.place < b.place; });
        copy(net_.outputs[t], arcs.outputs);
        copy(net_.inhibitors[t], arcs.inhibitors);
        copy(net_.reads[t], arcs.reads);
    }
    arcs.urgency.resize(part.transitions.size());
    for (const std::uint32_t place : part.places) local_[place] = no_index;
    return arcs;
}

}  // namespace warpnet

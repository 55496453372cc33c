// The unconnected parts of a net are the components of its places and transitions. Parts with few transitions
// are bundled up to 1,024 transitions, since each part has a cost per meeting. Equal parts, compared by their
// arcs, share one plan (KnownParts).

#include "engine/executors/parts/separate_parts.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/base/no_index.hpp"
#include "engine/executors/parts/known_parts.hpp"

#include <utility>

namespace warpnet {

namespace {
constexpr std::size_t bundle_size = 1024;  // transitions

/// Joins nodes that are connected by an arc. Places are numbered first, then transitions.
DisjointSets connect(const CompiledNet& net) {
    const auto places = static_cast<std::uint32_t>(net.place_count());
    DisjointSets forest(net.place_count() + net.transition_count());
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        for (const auto& row : {net.inputs[t], net.outputs[t], net.inhibitors[t], net.reads[t]}) {
            for (const auto [place, weight] : row) forest.join(place, places + t);
        }
    }
    return forest;
}

std::vector<NetPart> parts_of(const CompiledNet& net, std::size_t small_part) {
    DisjointSets forest = connect(net);
    const auto places = static_cast<std::uint32_t>(net.place_count());
    const auto transitions = static_cast<std::uint32_t>(net.transition_count());
    std::vector<std::uint32_t> size(places + transitions, 0);  // of roots, in transitions
    for (std::uint32_t t = 0; t < transitions; ++t) ++size[forest.root(places + t)];

    std::vector<NetPart> parts;
    std::vector<std::uint32_t> part_of(places + transitions, no_index);  // of roots
    std::uint32_t bundle = no_index;
    std::size_t room = 0;  // left in the current bundle
    const auto choose_part = [&](std::size_t wanted) {
        const bool small = wanted < small_part;
        if (small && wanted <= room) {
            room -= wanted;
            return bundle;
        }
        parts.emplace_back();
        const auto part = static_cast<std::uint32_t>(parts.size() - 1);
        if (small) {
            bundle = part;
            room = bundle_size - wanted;
        }
        return part;
    };
    for (std::uint32_t t = 0; t < transitions; ++t) {
        const std::uint32_t root = forest.root(places + t);
        if (part_of[root] == no_index) part_of[root] = choose_part(size[root]);
        parts[part_of[root]].transitions.push_back(t);
    }
    for (std::uint32_t place = 0; place < places; ++place) {
        const std::uint32_t part = part_of[forest.root(place)];
        if (part != no_index) parts[part].places.push_back(place);
    }
    return parts;
}

}  // namespace

std::shared_ptr<const SeparateParts> find_separate_parts(const CompiledNet& net, const PartOptions& options,
                                                         const PlanPart& plan_part) {
    if (!is_timed(net)) return nullptr;
    std::vector<NetPart> parts = parts_of(net, options.small_part);
    if (parts.size() < 2) return nullptr;
    auto result = std::make_shared<SeparateParts>();
    PartCutter cutter(net);
    KnownParts<Executor> known;
    for (NetPart& part : parts) {
        NetArcs arcs = cutter.cut(part);
        result->parts.push_back({std::move(part), known.find_or_make(std::move(arcs), plan_part)});
    }
    result->kinds = known.size();
    return result;
}

}  // namespace warpnet

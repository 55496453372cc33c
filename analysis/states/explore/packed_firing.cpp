#include "analysis/states/explore/packed_firing.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace warpnet {

namespace {

/// The least and (from inhibitor arcs) the first forbidden number of tokens in a place.
struct Range {
    Word least = 0;
    std::optional<Word> limit;
};

std::map<std::uint32_t, Range> ranges_of(const CompiledNet& net, std::uint32_t transition) {
    std::map<std::uint32_t, Range> ranges;
    for (const auto& needs : {net.inputs[transition], net.reads[transition]}) {
        for (const auto [place, weight] : needs) {
            Range& range = ranges[place];
            range.least = std::max(range.least, static_cast<Word>(weight));
        }
    }
    for (const auto [place, weight] : net.inhibitors[transition])
        ranges[place].limit = static_cast<Word>(weight);
    return ranges;
}

void demand(PackedCheck& check, const PackedField& field, Word tokens, bool expected) {
    if (field.bits == 1) {
        check.mask |= field.low();
        if (expected) check.expected |= field.low();
        return;
    }
    check.guards |= field.guard();
    check.demand |= tokens << field.shift;
    check.mask |= field.guard();
    if (expected) check.expected |= field.guard();
}

}  // namespace

PackedFiring::PackedFiring(const CompiledNet& net, const PackedLayout& layout) {
    for (const Stratum& stratum : net.strata) {
        std::vector<std::uint32_t> members;
        for (const std::uint32_t group : stratum.groups) {
            const auto& in_group = net.groups[group].members;
            members.insert(members.end(), in_group.begin(), in_group.end());
        }
        std::sort(members.begin(), members.end());
        for (const std::uint32_t transition : members) add(net, layout, transition);
        stratum_ends_.push_back(transitions_.size());
    }
}

void PackedFiring::add(const CompiledNet& net, const PackedLayout& layout, std::uint32_t transition) {
    // A place with both a least and a forbidden number takes part in two subtractions.
    std::map<std::pair<std::uint32_t, bool>, PackedCheck> checks;
    for (const auto& [place, range] : ranges_of(net, transition)) {
        const PackedField& field = layout[place];
        if (range.least > field.capacity() || (range.limit && *range.limit <= range.least)) return;
        if (range.least > 0) demand(checks[{field.word, false}], field, range.least, true);
        if (range.limit && *range.limit <= field.capacity())
            demand(checks[{field.word, range.least > 0}], field, *range.limit, false);
    }
    PackedCheck first;
    if (!checks.empty()) {
        first = checks.begin()->second;
        first.word = checks.begin()->first.first;
        first.more = static_cast<std::uint32_t>(more_checks_.size());
        first.more_count = static_cast<std::uint32_t>(checks.size() - 1);
        for (auto rest = std::next(checks.begin()); rest != checks.end(); ++rest) {
            more_checks_.push_back(rest->second);
            more_checks_.back().word = rest->first.first;
        }
    }
    first_checks_.push_back(first);
    transitions_.push_back(transition);

    std::map<std::uint32_t, PackedEffect> effects;
    for (const Effect& effect : net.effects[transition]) {
        const PackedField& field = layout[effect.place];
        PackedEffect& change = effects[field.word];
        change.word = field.word;
        change.delta += static_cast<Word>(Tokens{effect.delta}) << field.shift;
        if (effect.delta < 0) continue;
        if (field.bits == 1) change.full |= field.low();
        change.guards |= field.guard();
    }
    for (const auto& [word, effect] : effects) effects_.push_back(effect);
    first_effect_.push_back(static_cast<std::uint32_t>(effects_.size()));
}

}  // namespace warpnet

// A condition is one comparison per word. `((word | guards) - demand) & mask == expected` looks at all places
// of a word at once: the guard bit of a field survives the subtraction exactly if there are enough tokens.
// Firing adds one number to a word; a carry that a field cannot hold shows in its guard bit. Fields of one
// bit have no guard. Maximal and multiset steps come from analysis/states/steps/possible_steps.cpp, on
// unpacked markings.

#include "analysis/states/explore/successors.hpp"

#include "analysis/states/steps/possible_steps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warpnet::states {

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
    for (const PriorityLevel& level : net.priority_levels) {
        std::vector<std::uint32_t> members;
        for (const std::uint32_t group : level.groups) {
            const auto& in_group = net.groups[group].members;
            members.insert(members.end(), in_group.begin(), in_group.end());
        }
        std::sort(members.begin(), members.end());
        for (const std::uint32_t transition : members) add(net, layout, transition);
        level_ends_.push_back(transitions_.size());
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

OrbitForm::OrbitForm(const NetSymmetry& symmetry, const PackedLayout& layout) : symmetry_(symmetry) {
    std::vector<Word> moved(layout.words(), 0);
    for (const std::uint32_t place : symmetry.places()) {
        fields_.push_back(layout[place]);
        moved[layout[place].word] |= layout[place].mask();
    }
    for (std::uint32_t word = 0; word < moved.size(); ++word)
        if (moved[word] != 0) cleared_.push_back({word, ~moved[word]});
}

std::span<Tokens> OrbitForm::gathered(const Word* packed) const {
    thread_local std::vector<Tokens> tokens;
    tokens.resize(fields_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const PackedField& field = fields_[i];
        tokens[i] = static_cast<Tokens>((packed[field.word] >> field.shift) & field.capacity());
    }
    return tokens;
}

void OrbitForm::make_canonical(Word* packed) const {
    const std::span<Tokens> tokens = gathered(packed);
    symmetry_.make_canonical(tokens);
    for (const Cleared& cleared : cleared_) packed[cleared.word] &= cleared.kept;
    for (std::size_t i = 0; i < fields_.size(); ++i)
        packed[fields_[i].word] |= static_cast<Word>(tokens[i]) << fields_[i].shift;
}

std::uint64_t OrbitForm::orbit_size(const Word* canonical) const {
    return symmetry_.orbit_size(gathered(canonical));
}

void OrbitForm::equalise(const NetSymmetry& symmetry, std::span<std::uint8_t> bits) {
    const std::span<const std::uint32_t> orbits = symmetry.place_orbits();
    std::vector<std::uint8_t> widest(bits.size(), 0);
    for (std::size_t p = 0; p < bits.size(); ++p) widest[orbits[p]] = std::max(widest[orbits[p]], bits[p]);
    for (std::size_t p = 0; p < bits.size(); ++p) bits[p] = widest[orbits[p]];
}

Successors::Successors(const CompiledNet& net, Semantics semantics, const PackedLayout& layout,
                       const PackedFiring& firing, std::function<bool()> must_end)
    : net_(net),
      semantics_(semantics),
      layout_(layout),
      firing_(firing),
      must_end_(std::move(must_end)),
      next_(layout.words()),
      wanted_bits_(layout.bits().begin(), layout.bits().end()) {}

void Successors::for_each_step(const Word* packed, const StepVisit& visit) {
    Marking before(layout_.places());
    layout_.unpack(packed, before);
    Marking after;
    const auto take_step = [&](const ScheduledStep& step) {
        after = before;
        if (!fire_step(net_, step, after)) {
            overflow_ = true;
            return false;
        }
        if (layout_.pack(after, next_.data())) return visit(next_.data(), step.transitions);
        note_misfit(after);
        return true;
    };
    for_each_possible_step(net_, before, semantics_, take_step, must_end_);
}

void Successors::note_misfit(const Word* packed, std::uint32_t transition) {
    Marking after(layout_.places());
    layout_.unpack(packed, after);
    if (!fire_step(net_, {false, {transition}}, after)) {
        overflow_ = true;
    } else {
        note_misfit(after);
    }
}

void Successors::note_misfit(const Marking& marking) {
    misfit_ = true;
    for (std::size_t place = 0; place < marking.size(); ++place)
        wanted_bits_[place] = std::max(wanted_bits_[place], field_bits(marking[place]));
}

}  // namespace warpnet::states

#include "analysis/states/reductions/rules.hpp"

#include <algorithm>
#include <map>

namespace warpnet {

namespace {

constexpr std::size_t most_alike = 32;  // that a transition is compared with

using PlaceChanges = std::vector<std::pair<std::uint32_t, Tokens>>;

PlaceChanges place_changes(const PlaceUses& uses) {
    PlaceChanges changes;
    for (const PlaceUse& use : uses)
        if (use.change != 0) changes.emplace_back(use.place, use.change);
    return changes;
}

/// Whether a transition is enabled whenever `other` is.
bool enabled_with(const ReducedNet& net, std::uint32_t transition, std::uint32_t other) {
    return std::ranges::all_of(net.uses(transition), [&](const PlaceUse& use) {
        if (!use.tests()) return true;
        const PlaceUse theirs = net.use(other, use.place);
        return use.needs <= theirs.needs && use.below >= theirs.below;
    });
}

void remove_covered(ReducedNet& net, std::vector<std::uint32_t> alike) {
    for (std::size_t i = 0; i < alike.size(); ++i) {
        const std::size_t first = i < most_alike / 2 ? 0 : i - most_alike / 2;
        for (std::size_t j = first; j < std::min(alike.size(), first + most_alike); ++j) {
            if (i == j || !enabled_with(net, alike[j], alike[i])) continue;
            net.remove_transition(alike[i]);
            alike.erase(alike.begin() + static_cast<std::ptrdiff_t>(i--));
            break;
        }
    }
}

/// A transition that changes nothing keeps a marking from being dead, unless another one does so anyway.
bool another_is_enabled(const ReducedNet& net, std::uint32_t transition) {
    for (const PlaceUse& use : net.uses(transition)) {
        std::size_t compared = 0;
        for (const std::uint32_t t : net.users(use.place)) {
            if (t == transition) continue;
            if (enabled_with(net, t, transition)) return true;
            if (++compared == most_alike) break;
        }
    }
    return false;
}

}  // namespace

void remove_covered_transitions(ReducedNet& net, Kept kept) {
    std::map<PlaceChanges, std::vector<std::uint32_t>> alike;
    for (std::uint32_t t = 0; t < net.transition_numbers(); ++t)
        if (net.has_transition(t)) alike[place_changes(net.uses(t))].push_back(t);
    for (auto& [changes, transitions] : alike) remove_covered(net, std::move(transitions));
    for (std::uint32_t t = 0; t < net.transition_numbers(); ++t) {
        if (!net.has_transition(t) || !place_changes(net.uses(t)).empty()) continue;
        if (kept == Kept::reachability || another_is_enabled(net, t)) net.remove_transition(t);
    }
}

void keep_endless_transition(ReducedNet& net) {
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p)
        if (net.visible(p)) return;
    const auto endless = [&](std::uint32_t t) {
        return net.has_transition(t) &&
               std::ranges::none_of(net.uses(t), [](const PlaceUse& use) { return use.tests(); });
    };
    std::uint32_t kept = 0;
    while (kept < net.transition_numbers() && !endless(kept)) ++kept;
    if (kept == net.transition_numbers()) return;
    for (std::uint32_t t = 0; t < net.transition_numbers(); ++t)
        if (t != kept && net.has_transition(t)) net.remove_transition(t);
}

/// What a visible place or a test of a transition that matters depends on: of a place that must hold enough
/// what adds to it, of one that must hold little what takes from it.
void remove_irrelevant_transitions(ReducedNet& net) {
    std::vector<std::uint8_t> matters(net.transition_numbers(), 0);
    std::vector<std::uint8_t> more(net.place_numbers(), 0), fewer(net.place_numbers(), 0);
    std::vector<std::uint32_t> open;
    const auto need = [&](std::vector<std::uint8_t>& needed, std::uint32_t place, int sign) {
        if (needed[place] != 0) return;
        needed[place] = 1;
        for (const std::uint32_t t : net.users(place)) {
            const Tokens change = net.use(t, place).change;
            if ((sign > 0 ? change <= 0 : change >= 0) || matters[t] != 0) continue;
            matters[t] = 1;
            open.push_back(t);
        }
    };
    for (std::uint32_t p = 0; p < net.place_numbers(); ++p) {
        if (!net.visible(p)) continue;
        need(more, p, 1);
        need(fewer, p, -1);
    }
    while (!open.empty()) {
        const std::uint32_t transition = open.back();
        open.pop_back();
        for (const PlaceUse& use : net.uses(transition)) {
            if (use.needs > 0) need(more, use.place, 1);
            if (use.below != PlaceUse::any_number) need(fewer, use.place, -1);
        }
    }
    for (std::uint32_t t = 0; t < matters.size(); ++t)
        if (net.has_transition(t) && matters[t] == 0) net.remove_transition(t);
}

}  // namespace warpnet

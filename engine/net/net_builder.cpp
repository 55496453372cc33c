// Builds nets with millions of nodes. Ids are checked at once in a hash table that stores no strings
// (IdTable). Arcs are appended in any order and grouped by transition at the end, by counting; files that
// list arcs transition by transition are not copied at all. Within a transition the arcs are then sorted, and
// repeated arcs are merged.

#include "engine/net/net_builder.hpp"

#include "engine/base/large_pages.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace warpnet {

namespace {

/// Empty if the sum is out of range.
std::optional<Tokens> merged_weight(ArcKind kind, Tokens a, Tokens b) {
    switch (kind) {
        case ArcKind::inhibitor:
            return std::min(a, b);
        case ArcKind::read:
            return std::max(a, b);
        default:
            break;
    }
    if (a > max_tokens - b) return std::nullopt;
    return a + b;
}

std::uint32_t number_of(std::size_t index, std::uint32_t kind) {
    constexpr std::size_t most = 0x7FFFFFFE;
    if (index > most) throw InputError("more than " + std::to_string(most) + " nodes of one kind");
    return 2 * static_cast<std::uint32_t>(index) + kind;
}

/// Stable: the arcs of each transition keep their order. first[t] is the position of the first arc of
/// transition t. Arcs that are already grouped are not copied.
std::vector<Arc> grouped_by_transition(std::vector<Arc>&& arcs, const std::vector<std::size_t>& first) {
    const auto before = [](const Arc& a, const Arc& b) { return a.transition < b.transition; };
    if (std::is_sorted(arcs.begin(), arcs.end(), before)) return std::move(arcs);
    std::vector<Arc> grouped(arcs.size());
    std::vector<std::size_t> next = first;
    for (const Arc& arc : arcs) grouped[next[index(arc.transition)]++] = arc;
    return grouped;
}

}  // namespace

NetBuilder::NetBuilder(std::string id, std::string name) {
    net_.id_ = std::move(id);
    net_.name_ = std::move(name);
}

void NetBuilder::reserve(std::size_t places, std::size_t transitions, std::size_t arcs) {
    net_.places_.reserve(places);
    net_.transitions_.reserve(transitions);
    net_.arcs_.reserve(arcs);
    advise_large_pages(net_.places_);
    advise_large_pages(net_.transitions_);
    advise_large_pages(net_.arcs_);
    ids_.reserve(places + transitions);
}

std::string_view NetBuilder::id_of(std::uint32_t number) const {
    return number % 2 == 0 ? net_.places_[number / 2].id : net_.transitions_[number / 2].id;
}

void NetBuilder::claim(const std::string& id, const char* what, std::uint32_t number) {
    if (id.empty()) throw InputError(std::string(what) + " without an id");
    if (ids_.insert(id, number, [this](std::uint32_t other) { return id_of(other); })) {
        throw InputError("id '" + id + "' is used twice");
    }
}

std::optional<NetBuilder::Node> NetBuilder::find(std::string_view id, std::uint32_t hash) const {
    const auto number = ids_.find(id, hash, [this](std::uint32_t other) { return id_of(other); });
    if (!number) return std::nullopt;
    return Node{*number % 2 == 0, *number / 2};
}

PlaceId NetBuilder::add_place(std::string id, Tokens initial, std::string name) {
    if (initial < 0) {
        throw InputError("place '" + id + "' starts with " + std::to_string(initial) +
                         " tokens, expected 0 or more");
    }
    claim(id, "a place", number_of(net_.places_.size(), 0));
    net_.places_.push_back({std::move(id), std::move(name), initial});
    return PlaceId(net_.places_.size() - 1);
}

TransitionId NetBuilder::add_transition(std::string id, std::string name) {
    claim(id, "a transition", number_of(net_.transitions_.size(), 1));
    net_.transitions_.push_back({std::move(id), std::move(name)});
    return TransitionId(net_.transitions_.size() - 1);
}

Place& NetBuilder::at(PlaceId place) {
    if (index(place) >= net_.places_.size())
        throw InputError("no place has the index " + std::to_string(index(place)));
    return net_.places_[index(place)];
}

Transition& NetBuilder::at(TransitionId transition) {
    if (index(transition) >= net_.transitions_.size()) {
        throw InputError("no transition has the index " + std::to_string(index(transition)));
    }
    return net_.transitions_[index(transition)];
}

void NetBuilder::set_immediate(TransitionId transition) { at(transition).immediate = true; }
void NetBuilder::set_priority(TransitionId transition, std::int32_t priority) {
    at(transition).priority = priority;
}
void NetBuilder::set_position(PlaceId place, Position position) { at(place).position = position; }
void NetBuilder::set_position(TransitionId transition, Position position) {
    at(transition).position = position;
}

void NetBuilder::add_arc(ArcKind kind, PlaceId place, TransitionId transition, Tokens weight) {
    if (weight < 1) {
        throw InputError(std::string("the ") + std::string(to_string(kind)) + " arc between place '" +
                         at(place).id + "' and transition '" + at(transition).id + "' has weight " +
                         std::to_string(weight) + ", expected 1 or more");
    }
    at(place);
    at(transition);
    net_.arcs_.push_back({transition, kind, place, weight});
}

void NetBuilder::add_input(PlaceId from, TransitionId to, Tokens weight) {
    add_arc(ArcKind::input, from, to, weight);
}
void NetBuilder::add_output(TransitionId from, PlaceId to, Tokens weight) {
    add_arc(ArcKind::output, to, from, weight);
}
void NetBuilder::add_inhibitor(PlaceId place, TransitionId transition, Tokens weight) {
    add_arc(ArcKind::inhibitor, place, transition, weight);
}
void NetBuilder::add_read(PlaceId place, TransitionId transition, Tokens weight) {
    add_arc(ArcKind::read, place, transition, weight);
}

Net NetBuilder::build() {
    ids_.clear();
    std::vector<std::size_t> first(net_.transitions_.size() + 1, 0);
    for (const Arc& arc : net_.arcs_) ++first[index(arc.transition) + 1];
    for (std::size_t t = 0; t < net_.transitions_.size(); ++t) first[t + 1] += first[t];
    net_.arcs_ = grouped_by_transition(std::move(net_.arcs_), first);

    std::vector<Arc>& arcs = net_.arcs_;
    std::size_t kept = 0;
    for (std::size_t t = 0; t < net_.transitions_.size(); ++t) {
        const auto begin = arcs.begin() + static_cast<std::ptrdiff_t>(first[t]);
        const auto end = arcs.begin() + static_cast<std::ptrdiff_t>(first[t + 1]);
        std::sort(begin, end);
        first[t] = kept;
        for (auto arc = begin; arc != end; ++arc) {
            if (kept > first[t] && arcs[kept - 1].kind == arc->kind && arcs[kept - 1].place == arc->place) {
                const auto weight = merged_weight(arc->kind, arcs[kept - 1].weight, arc->weight);
                if (!weight) {
                    throw InputError(std::string("the ") + std::string(to_string(arc->kind)) +
                                     " arcs between place '" + at(arc->place).id + "' and transition '" +
                                     at(arc->transition).id + "' have weights that add up to more than " +
                                     std::to_string(max_tokens));
                }
                arcs[kept - 1].weight = *weight;
            } else {
                arcs[kept++] = *arc;
            }
        }
    }
    first.back() = kept;
    arcs.resize(kept);
    net_.first_arc_ = std::move(first);

    return std::exchange(net_, Net{});
}

}  // namespace warpnet

// Finds parts without knowledge of the family of a net. Two nodes look alike if their surroundings are equal
// up to a distance of four arcs. A place with several consumers (or producers) that look alike is a candidate
// for a hub, because parts of one kind meet there. The parts are then the connected components without hubs
// and dispatchers. A candidate that only one part touches is no hub, and removing it from the hubs can join
// parts. So both steps are repeated until no such candidate remains.

#include "engine/run/served_parts.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/random.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace warpnet {

namespace {
constexpr std::size_t most_places = 16;  // places that a transition of a part takes from or gives to

/// Whether a transition starts or ends parts and belongs to none.
bool is_dispatcher(const CompiledNet& net, std::uint32_t t) {
    return net.inputs[t].size() + net.outputs[t].size() > most_places;
}

/// Up to a distance of four arcs, without dispatchers.
NodeLooks looks_of(const CompiledNet& net) {
    return looks_of(net, 2, [&](std::uint32_t t) -> std::optional<std::uint64_t> {
        if (is_dispatcher(net, t)) return {};
        return net.priority_level(t);
    });
}

/// Of transitions that change the marking: per place those that take from it (or give to it).
Rows<std::uint32_t> neighbours(const CompiledNet& net, const Rows<PlaceWeight>& arcs) {
    return Rows<std::uint32_t>::sorted(net.place_count(), [&](auto put) {
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            if (net.effects[t].empty()) continue;
            for (const PlaceWeight arc : arcs[t]) put(arc.place, t);
        }
    });
}

/// A net during the search for its parts.
class PartFinder {
  public:
    explicit PartFinder(const CompiledNet& net)
        : net_(net),
          looks_(looks_of(net)),
          takers_(neighbours(net, net.inputs)),
          givers_(neighbours(net, net.outputs)),
          hub_(net.place_count(), 0) {}

    std::optional<ServedParts> find() {
        find_candidates();
        do {
            find_parts();
        } while (drop_those_of_one_part());
        ServedParts result = served_parts(part_, meetings());
        if (result.meetings == 0) return {};
        return result;
    }

  private:
    /// Finds the candidates for hubs: places with two consumers or two producers that look alike.
    void find_candidates() {
        const auto have_likes = [&](std::span<const std::uint32_t> transitions) {
            looks_met_.clear();
            for (const std::uint32_t t : transitions) looks_met_.push_back(looks_.transitions[t]);
            std::sort(looks_met_.begin(), looks_met_.end());
            return std::adjacent_find(looks_met_.begin(), looks_met_.end()) != looks_met_.end();
        };
        for (std::uint32_t place = 0; place < net_.place_count(); ++place)
            hub_[place] = have_likes(takers_[place]) || have_likes(givers_[place]) ? 1 : 0;
    }

    /// Calls visit(place) for the places whose part contains a transition. Hubs are excluded, and so are
    /// several similar places, such as those of the warps that a dispatcher starts. If these places differ,
    /// the transition has many places.
    template <class Visit>
    void for_each_own_place(std::uint32_t t, Visit&& visit) {
        if (is_dispatcher(net_, t)) return;
        for (const auto& row : {net_.inputs[t], net_.outputs[t]}) {
            looks_met_.clear();
            for (const PlaceWeight arc : row) looks_met_.push_back(looks_.places[arc.place]);
            std::sort(looks_met_.begin(), looks_met_.end());
            for (const PlaceWeight arc : row) {
                const auto [first, end] =
                    std::equal_range(looks_met_.begin(), looks_met_.end(), looks_.places[arc.place]);
                if (hub_[arc.place] == 0 && end - first == 1) visit(arc.place);
            }
        }
    }

    /// Joins the own places of each transition, and numbers the components in the order of the net.
    void find_parts() {
        DisjointSets forest(net_.place_count());
        const auto transitions = static_cast<std::uint32_t>(net_.transition_count());
        std::vector<std::uint32_t> a_place(transitions, no_index);  // per transition: one of its places
        for (std::uint32_t t = 0; t < transitions; ++t) {
            for_each_own_place(t, [&](std::uint32_t place) {
                if (a_place[t] == no_index) a_place[t] = place;
                forest.join(a_place[t], place);
            });
        }
        std::vector<std::uint32_t> number(net_.place_count(), no_index);  // of roots
        std::uint32_t parts = 0;
        part_.resize(transitions);
        for (std::uint32_t t = 0; t < transitions; ++t) {
            std::uint32_t& known = a_place[t] == no_index ? part_[t] : number[forest.root(a_place[t])];
            if (a_place[t] == no_index || known == no_index) known = parts++;
            part_[t] = known;
        }
    }

    /// Removes the hubs that only one part touches. Returns whether there were any.
    bool drop_those_of_one_part() {
        bool dropped = false;
        for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
            if (hub_[place] == 0) continue;
            const auto takers = takers_[place], givers = givers_[place];
            const std::uint32_t part = part_[takers.empty() ? givers.front() : takers.front()];
            const auto in_part = [&](std::uint32_t t) { return part_[t] == part; };
            if (!std::all_of(takers.begin(), takers.end(), in_part) ||
                !std::all_of(givers.begin(), givers.end(), in_part))
                continue;
            hub_[place] = 0;
            dropped = true;
        }
        return dropped;
    }

    /// Whether several parts take from a hub, so that they wait for each other.
    bool serves_several(std::uint32_t place) const {
        const auto all = takers_[place];
        return hub_[place] != 0 && std::any_of(all.begin(), all.end(), [&](std::uint32_t t) {
                   return part_[t] != part_[all.front()];
               });
    }

    /// Chooses the meeting of each transition that changes the marking: the input hub with the most
    /// consumers.
    std::vector<std::uint32_t> meetings() const {
        std::vector<std::uint32_t> number(net_.place_count(), no_index);
        std::uint32_t known = 0;
        for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
            if (serves_several(place)) number[place] = known++;
        }
        std::vector<std::uint32_t> meeting(net_.transition_count(), no_index);
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            if (net_.effects[t].empty()) continue;
            std::pair<std::size_t, std::uint32_t> best{
                0, 0};  // (consumers, place); of equal numbers the first place wins
            for (const PlaceWeight input : net_.inputs[t]) {
                if (number[input.place] != no_index)
                    best = std::max(best, std::pair(takers_[input.place].size(), ~input.place));
            }
            if (best.first > 0) meeting[t] = number[~best.second];
        }
        return meeting;
    }

    const CompiledNet& net_;
    NodeLooks looks_;
    Rows<std::uint32_t> takers_, givers_;  // per place
    std::vector<std::uint8_t> hub_;
    std::vector<std::uint32_t> part_;  // per transition
    std::vector<std::uint64_t> looks_met_;
};

}  // namespace

NodeLooks looks_of(const CompiledNet& net, int rounds,
                   const std::function<std::optional<std::uint64_t>(std::uint32_t)>& label_of) {
    NodeLooks looks{std::vector<std::uint64_t>(net.place_count(), 0),
                    std::vector<std::uint64_t>(net.transition_count(), 0)};
    std::vector<std::uint64_t> next;
    for (int round = 0; round < rounds; ++round) {
        next.assign(net.place_count(), 0);
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            const std::optional<std::uint64_t> label = label_of(t);
            if (!label) continue;
            const auto rows = {net.inputs[t], net.outputs[t], net.reads[t], net.inhibitors[t]};
            std::uint64_t look = 0, kind = 0;
            for (const auto& row : rows) {
                ++kind;
                for (const auto [place, weight] : row)
                    look += hash_bits(looks.places[place] + kind, static_cast<std::uint64_t>(weight));
            }
            looks.transitions[t] = hash_bits(look, *label);
            kind = 0;
            for (const auto& row : rows) {
                ++kind;
                for (const auto [place, weight] : row)
                    next[place] += hash_bits(looks.transitions[t] + kind, static_cast<std::uint64_t>(weight));
            }
        }
        looks.places.swap(next);
    }
    return looks;
}

ServedParts served_parts(std::vector<std::uint32_t> part, std::vector<std::uint32_t> meeting) {
    ServedParts result;
    result.part = std::move(part);
    result.meeting = std::move(meeting);
    result.slot.assign(result.part.size(), no_index);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> slots;
    for (std::size_t t = 0; t < result.part.size(); ++t) {
        result.parts = std::max(result.parts, result.part[t] + 1);
        if (result.meeting[t] == no_index) continue;
        result.meetings = std::max(result.meetings, result.meeting[t] + 1);
        const auto [at, added] = slots.try_emplace({result.part[t], result.meeting[t]}, result.slots);
        if (added) ++result.slots;
        result.slot[t] = at->second;
    }
    return result;
}

std::optional<ServedParts> served_parts_if_any(const CompiledNet& net) { return PartFinder(net).find(); }

ServedParts find_served_parts(const CompiledNet& net) {
    if (std::optional<ServedParts> served = served_parts_if_any(net)) return *std::move(served);
    throw InputError(
        "no place of this net serves parts that are alike, so none of them can be the oldest or the next: "
        "the "
        "policies gto and lrr do not apply to it");
}

}  // namespace warpnet

// Prepares a net for the pivot executor. Each transition gets its pivot, the input place with the fewest
// consumers, hubs excluded, which tends to be a program counter. Sequences replace pivots wherever a process
// has a program counter (sequences.cpp). Transitions are grouped into demand classes, and classes into
// clusters that may compete with each other.
//
// A net with more than 1,024 classes is rejected, because each step visits one bit per class.

#include "engine/executors/pivots/net.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <utility>

namespace warpnet {

namespace {
/// A step looks at one bit per class, so this bounds the cost of a step.
constexpr std::size_t most_classes = 1024;
constexpr std::size_t most_hubs = 0xffff;

class PivotFinder {
  public:
    PivotFinder(const CompiledNet& net, std::uint32_t hub_consumers)
        : net_(net), consumers_(net.place_count(), 0) {
        const std::vector<std::uint8_t> crowded = crowded_places(net, hub_consumers);
        hub_.assign(crowded.begin(), crowded.end());
        for (const DelayGadget& gadget : net.gadgets) hub_[gadget.wait] = hub_[gadget.timer] = 0;
        for (const PlaceWeight input : net.inputs.all()) ++consumers_[input.place];
    }

    std::shared_ptr<const PivotNet> find() {
        number_hubs();
        choose_pivots();
        found_.sequences = find_sequences(net_, pivots_, hub_);
        place_sequences();
        find_activated();
        group();
        if (keys_.size() > most_classes || found_.hubs.size() > most_hubs) return nullptr;
        number_classes();
        fill_rows();
        mark_kinds();
        return std::make_shared<const PivotNet>(std::move(found_));
    }

  private:
    /// The common properties of the members of a class. The priority level of refills is one past the last
    /// level.
    struct Key {
        std::uint32_t priority_level;
        bool contested, alternatives;
        std::vector<HubDemand> demands;
        auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): false alarm
    };

    std::uint32_t size() const { return static_cast<std::uint32_t>(net_.transition_count()); }
    bool is_operation(std::uint32_t t) const { return found_.sequences.is_operation(t); }
    /// Whether the place is no hub and transitions that can be enabled together may compete for it. A place
    /// owned by a sequence is contested only by operations of one station, and these compete for the station
    /// anyway.
    bool is_contested(std::uint32_t place) const {
        return hub_[place] == 0 && consumers_[place] > 1 &&
               (found_.places[place].kind & PivotNet::owned) == 0;
    }
    bool is_station(std::uint32_t place) const {
        return (found_.places[place].kind & PivotNet::station) != 0;
    }

    void watch(std::uint32_t place, std::int32_t threshold) {
        found_.places[place].kind |= PivotNet::watched;
        if (threshold != 1 && threshold != -1) found_.places[place].kind |= PivotNet::graded;
    }
    bool is_refill(std::uint32_t t);
    void number_hubs();
    void choose_pivots();
    void place_sequences();
    void find_activated();
    void group();
    DisjointSets competing() const;
    void number_classes();
    void fill_rows();
    void mark_kinds();

    const CompiledNet& net_;
    std::vector<std::uint32_t> hub_;
    std::vector<std::uint32_t> consumers_;
    std::map<std::uint32_t, std::int32_t> caps_;  // of places that are refilled
    std::map<Key, std::uint32_t> keys_;
    std::vector<std::uint32_t> key_of_;  // per transition
    std::vector<std::uint32_t> pivots_;  // per transition
    PivotNet found_;
};

/// Numbers the hubs. From here on hub_ of a place is 0 or its number + 1.
void PivotFinder::number_hubs() {
    for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
        if (hub_[place] == 0) continue;
        found_.hubs.push_back(place);
        hub_[place] = static_cast<std::uint32_t>(found_.hubs.size());
    }
}

/// Whether a transition is a HubRefill with the same cap as the refills of that hub found before.
bool PivotFinder::is_refill(std::uint32_t t) {
    if (!net_.inputs[t].empty() || net_.outputs[t].size() != 1 || net_.immediate(t)) return false;
    const std::uint32_t place = net_.outputs[t].front().place;
    const auto inhibitors = net_.inhibitors[t];
    const auto capped = std::find_if(inhibitors.begin(), inhibitors.end(),
                                     [&](PlaceWeight one) { return one.place == place; });
    if (hub_[place] == 0 || capped == inhibitors.end()) return false;
    return caps_.try_emplace(place, capped->weight).first->second == capped->weight;
}

void PivotFinder::group() {
    Key key;
    std::size_t refills = 0;
    for (std::uint32_t t = 0; t < size(); ++t) {
        const bool refill = is_refill(t) && refills++ < PivotNet::most_refills;
        key = {refill ? static_cast<std::uint32_t>(net_.priority_levels.size()) : net_.priority_level(t),
               false,
               false,
               {}};
        for (const auto [place, weight] : net_.inputs[t]) {
            if (hub_[place] != 0) key.demands.push_back({hub_[place] - 1, weight});
            if (is_contested(place)) (is_station(place) ? key.alternatives : key.contested) = true;
        }
        std::sort(key.demands.begin(), key.demands.end());
        key_of_.push_back(keys_.try_emplace(key, static_cast<std::uint32_t>(keys_.size())).first->second);
    }
}

/// Joins the keys of a priority level whose members may compete for a hub or for another place.
DisjointSets PivotFinder::competing() const {
    DisjointSets together(keys_.size());
    std::vector<std::uint32_t> last(net_.place_count(), no_index);  // a key of its consumers
    for (const PriorityLevel& priority_level : net_.priority_levels) {
        std::vector<std::uint32_t> seen;
        for (const std::uint32_t group : priority_level.groups) {
            for (const std::uint32_t t : net_.groups[group].members) {
                for (const PlaceWeight input : net_.inputs[t]) {
                    if (hub_[input.place] == 0 && !is_contested(input.place)) continue;
                    std::uint32_t& other = last[input.place];
                    if (other == no_index) {
                        seen.push_back(input.place);
                    } else {
                        together.join(other, key_of_[t]);
                    }
                    other = key_of_[t];
                }
            }
        }
        for (const std::uint32_t place : seen) last[place] = no_index;
    }
    return together;
}

void PivotFinder::number_classes() {
    DisjointSets together = competing();
    std::vector<std::pair<const Key*, std::uint32_t>> sorted;
    for (const auto& [key, number] : keys_) sorted.emplace_back(&key, number);
    std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
        return std::pair(a.first->priority_level, together.root(a.second)) <
               std::pair(b.first->priority_level, together.root(b.second));
    });
    std::vector<std::uint32_t> members(keys_.size(), 0), class_of(keys_.size());
    for (const std::uint32_t key : key_of_) ++members[key];
    std::uint32_t first_member = 0;
    for (const auto& [key, number] : sorted) {
        class_of[number] = static_cast<std::uint32_t>(found_.classes.size());
        found_.classes.push_back({.priority_level = key->priority_level,
                                  .first_member = first_member,
                                  .contested = key->contested,
                                  .alternatives = key->alternatives,
                                  .free = key->demands.empty() && !key->contested && !key->alternatives});
        found_.demands.append_row(key->demands);
        first_member += members[number];
    }
    for (std::size_t i = sorted.size(); i-- > 0;) {
        const bool last = i + 1 == sorted.size() ||
                          found_.classes[i].priority_level != found_.classes[i + 1].priority_level ||
                          together.root(sorted[i].second) != together.root(sorted[i + 1].second);
        found_.classes[i].end_of_cluster =
            last ? static_cast<std::uint32_t>(i + 1) : found_.classes[i + 1].end_of_cluster;
    }
    found_.levels = HubLevels(static_cast<std::uint32_t>(found_.hubs.size()), found_.demands);
    for (std::uint32_t t = 0; t < size(); ++t) {
        found_.transitions.push_back({class_of[key_of_[t]], 0, 0, 0, 0});
    }
    found_.class_of_refills = static_cast<std::uint32_t>(found_.classes.size());
    found_.immediate_classes.assign((found_.classes.size() + 63) / 64, 0);
    found_.timed_classes = found_.immediate_classes;
    for (std::uint32_t number = 0; number < found_.classes.size(); ++number) {
        const std::uint32_t priority_level = found_.classes[number].priority_level;
        if (priority_level == net_.priority_levels.size()) {
            found_.class_of_refills = number;
            break;
        }
        auto& classes =
            net_.priority_levels[priority_level].immediate ? found_.immediate_classes : found_.timed_classes;
        classes[number / 64] |= std::uint64_t{1} << number % 64;
    }
}

void PivotFinder::choose_pivots() {
    pivots_.assign(size(), no_index);
    for (std::uint32_t t = 0; t < size(); ++t) {
        for (const PlaceWeight input : net_.inputs[t]) {
            if (hub_[input.place] != 0) continue;
            if (pivots_[t] == no_index || consumers_[input.place] < consumers_[pivots_[t]])
                pivots_[t] = input.place;
        }
    }
    // The transitions of a gadget must stay inactive while the gadget is skipped.
    for (const DelayGadget& gadget : net_.gadgets) pivots_[gadget.tick] = pivots_[gadget.done] = gadget.wait;
}

/// Assigns stations and owned places to sequences. All other places keep their tokens.
void PivotFinder::place_sequences() {
    for (const Tokens tokens : net_.initial) found_.places.push_back({.tokens = tokens});
    const Sequences& sequences = found_.sequences;
    for (std::uint32_t i = 0; i < sequences.stations.size(); ++i)
        found_.places[sequences.stations[i].place] = {.first_link = i, .kind = PivotNet::station};
    for (const auto& [place, sequence, bit] : sequences.owned)
        found_.places[place] = {.first_link = sequence, .kind = PivotNet::owned, .number = bit};
}

/// Finds the transitions that each place activates.
void PivotFinder::find_activated() {
    found_.activates = Rows<std::uint32_t>::sorted(net_.place_count(), [&](auto put) {
        for (std::uint32_t t = 0; t < size(); ++t) {
            if (pivots_[t] != no_index && !is_operation(t)) put(pivots_[t], t);
        }
    });
}

void PivotFinder::fill_rows() {
    const auto count = [](const auto& items) { return static_cast<std::uint32_t>(items.size()); };
    Sequences& sequences = found_.sequences;
    const std::vector<std::uint32_t>& sequence_of = sequences.sequence_of;
    found_.transitions.emplace_back();
    for (std::uint32_t t = 0; t <= size(); ++t) {
        PivotTransition& row = found_.transitions[t];
        row.first_take = count(found_.takes);
        row.first_contested = count(found_.contested);
        row.first_give = count(found_.gives);
        row.first_condition = count(found_.conditions);
        if (t == size()) break;
        if (pivots_[t] == no_index) found_.always.push_back(t);
        const bool operation = is_operation(t);
        const auto is_settled_by_sequence = [&](std::uint32_t place) {
            const Sequences::Operation& one = sequences.operations[sequences.operation_of[t]];
            const auto starts = sequences.starts_of(one);
            return sequence_of[place] == one.sequence ||
                   std::any_of(starts.begin(), starts.end(),
                               [&](std::uint32_t gadget) { return net_.gadgets[gadget].wait == place; });
        };
        for (const PlaceWeight input : net_.inputs[t]) {
            if (hub_[input.place] != 0 || sequence_of[input.place] != no_index) continue;
            found_.takes.push_back(input);
            if (is_contested(input.place)) found_.contested.push_back(input);
            if (!operation && (input.place != pivots_[t] || input.weight > 1))
                found_.conditions.push_back({input.place, input.weight, t});
        }
        for (const PlaceWeight output : net_.outputs[t]) {
            if (!operation || !is_settled_by_sequence(output.place)) found_.gives.push_back(output);
        }
        if (operation) {
            Sequences::Operation& one = sequences.operations[sequences.operation_of[t]];
            one.number = row.number;
            one.apart = row.first_take == found_.takes.size() && row.first_give == found_.gives.size();
            continue;
        }
        for (const auto [place, weight] : net_.reads[t]) found_.conditions.push_back({place, weight, t});
        const bool refill = row.number == found_.class_of_refills;
        for (const auto [place, weight] : net_.inhibitors[t]) {
            if (refill && place == net_.outputs[t].front().place) {
                found_.refills.push_back({t, hub_[place] - 1, net_.outputs[t].front().weight, weight});
            } else {
                found_.conditions.push_back({place, -weight, t});
            }
        }
    }
}

void PivotFinder::mark_kinds() {
    for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
        if (!found_.activates[place].empty()) found_.places[place].kind |= PivotNet::pivot;
        for (const Sequences::ExternalCondition& external : found_.sequences.external[place])
            watch(place, external.threshold);
    }
    for (const PivotCondition& condition : found_.conditions) watch(condition.place, condition.threshold);
    for (const DelayGadget& gadget : net_.gadgets) found_.places[gadget.wait].kind |= PivotNet::wait;
    for (std::uint32_t hub = 0; hub < found_.hubs.size(); ++hub) {
        PivotPlace& place = found_.places[found_.hubs[hub]];
        place.kind |= PivotNet::hub;
        place.number = static_cast<std::uint16_t>(hub);
    }
    for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
        if (net_.initial[place] > 0 &&
            (found_.places[place].kind & (PivotNet::pivot | PivotNet::wait)) == PivotNet::pivot)
            found_.marked.push_back(place);
    }
}

}  // namespace

std::shared_ptr<const PivotNet> find_pivots(const CompiledNet& net, std::uint32_t hub_consumers) {
    if (is_timed(net)) return nullptr;
    return PivotFinder(net, hub_consumers).find();
}

// Computes the levels of each hub from the different weights that classes demand, sorted. Level i of a hub
// has a bit for each class whose weight is at most the tokens of this level, and for each class without a
// demand on the hub.

HubLevels::HubLevels(std::uint32_t hubs, const Rows<HubDemand>& demands)
    : words_((demands.size() + 63) / 64) {
    struct ClassDemand {
        std::int32_t weight;
        std::uint32_t number;
    };
    const auto by_hub = Rows<ClassDemand>::sorted(hubs, [&](auto put) {
        for (std::uint32_t number = 0; number < demands.size(); ++number) {
            for (const HubDemand& demand : demands[number])
                put(demand.hub, ClassDemand{demand.weight, number});
        }
    });
    for (std::uint32_t hub = 0; hub < hubs; ++hub) {
        std::vector<ClassDemand> wanted(by_hub[hub].begin(), by_hub[hub].end());
        std::sort(wanted.begin(), wanted.end(),
                  [](const ClassDemand& a, const ClassDemand& b) { return a.weight < b.weight; });
        std::vector<std::uint64_t> served(words_, ~std::uint64_t{0});
        for (const ClassDemand& one : wanted)
            served[one.number / 64] &= ~(std::uint64_t{1} << one.number % 64);
        first_served_.push_back(served_.size());
        std::int32_t least = 0;
        for (auto one = wanted.begin();; least = one->weight) {
            for (; one != wanted.end() && one->weight <= least; ++one)
                served[one->number / 64] |= std::uint64_t{1} << one->number % 64;
            served_.insert(served_.end(), served.begin(), served.end());
            if (one == wanted.end()) break;
            too_few_.append(one->weight - 1);
        }
        // Fill up with levels above the highest, which serve the same classes.
        while (too_few_.open_row().size() < usual) {
            too_few_.append(std::numeric_limits<std::int32_t>::max());
            served_.insert(served_.end(), served.begin(), served.end());
        }
        too_few_.close_row();
    }
    for (std::size_t word = 0; word < words_; ++word) {
        std::vector<std::uint32_t> found;
        for (std::size_t number = word * 64; number < std::min(demands.size(), word * 64 + 64); ++number) {
            for (const HubDemand& demand : demands[number]) found.push_back(demand.hub);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        for (const std::uint32_t hub : found) hubs_of_.append(hub);
        hubs_of_.close_row();
    }
}

}  // namespace warpnet

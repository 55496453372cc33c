#include "engine/executors/general/cells.hpp"

#include "engine/base/disjoint_sets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace warpnet {

namespace {

constexpr std::uint32_t none = 0xffffffff;
/// A place that is no flip and has more takers than this cannot stand in a cell: every sum of what some of
/// them want would be a condition.
constexpr std::size_t most_takers = 4;

class CellFinder {
  public:
    CellFinder(const CompiledNet& net, const std::vector<std::uint8_t>& flipping, std::uint32_t most_places)
        : net_(net),
          most_places_(most_places),
          far_transitions_(net.transition_count(), 0),
          far_places_(net.hub),
          flipping_(flipping),
          place_in_delay_(net.place_count(), 0),
          delay_(net.transition_count(), none),
          slot_(net.place_count(), none),
          number_(net.transition_count(), none),
          slot_elsewhere_(net.transition_count(), none) {
        for (std::uint32_t i = 0; i < net.gadgets.size(); ++i) {
            const DelayGadget& gadget = net.gadgets[i];
            place_in_delay_[gadget.wait] = place_in_delay_[gadget.timer] = 1;
            delay_[gadget.tick] = delay_[gadget.done] = i;
        }
    }

    Cells find() {
        cells_.seats.assign(net_.transition_count(), Cells::no_seat);
        find_far_nodes();
        const Rows<std::uint32_t> connected = connected_transitions();
        for (std::size_t i = 0; i < connected.size(); ++i) {
            transitions_ = connected[i];
            if (transitions_.size() < 2 || transitions_.size() > Cells::most) continue;
            number_nodes();
            if (looks_at_own_places_only()) add_cell();
            forget_numbers();
        }
        // No more memory than needed: these rows are not appended to.
        cells_.shape.shrink_to_fit();
        cells_.transitions = Rows<std::uint32_t>::sorted(cells_.size(), [&](auto put) {
            for (std::uint32_t t = 0; t < cells_.seats.size(); ++t) {
                if (cells_.seats[t] != Cells::no_seat) put(cells_.seats[t] / Cells::most, t);
            }
        });
        cells_.slots = Rows<std::uint32_t>::sorted(cells_.size(), [&](auto put) {
            for (const auto& [cell, node] : slots_of_cells_) put(cell, node);
        });
        return std::move(cells_);
    }

  private:
    /// What connects nothing: hubs, transitions with many places and the places that these take from.
    void find_far_nodes() {
        for (std::uint32_t t = 0; t < far_transitions_.size(); ++t) {
            const auto inputs = net_.inputs[t];
            if (inputs.size() + net_.outputs[t].size() <= most_places_) continue;
            far_transitions_[t] = 1;
            for (const PlaceWeight in : inputs) far_places_[in.place] = 1;
        }
    }

    /// Transitions that change the same place belong together. Rows and transitions in a row ascend.
    Rows<std::uint32_t> connected_transitions() const {
        const auto transitions = static_cast<std::uint32_t>(net_.transition_count());
        DisjointSets forest(transitions);
        std::vector<std::uint32_t> changer(net_.place_count(), none);
        for (std::uint32_t t = 0; t < transitions; ++t) {
            if (far_transitions_[t] != 0) continue;
            for (const auto& row : {net_.inputs[t], net_.outputs[t]}) {
                for (const auto [place, weight] : row) {
                    if (far_places_[place] != 0) continue;
                    if (changer[place] == none) changer[place] = t;
                    forest.join(t, changer[place]);
                }
            }
        }
        std::vector<std::uint32_t> numbers(transitions, none);
        std::uint32_t parts = 0;
        for (std::uint32_t t = 0; t < transitions; ++t) {
            const std::uint32_t root = forest.root(t);  // the root comes first
            numbers[t] = root == t ? parts++ : numbers[root];
        }
        return Rows<std::uint32_t>::sorted(parts, [&](auto put) {
            for (std::uint32_t t = 0; t < transitions; ++t) put(numbers[t], t);
        });
    }

    bool is_own(std::uint32_t place) const { return slot_[place] < places_; }

    /// Numbers transitions_ and fills slots_.
    void number_nodes() {
        slots_.clear();
        for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
            number_[transitions_[i]] = i;
            for (const auto& row : {net_.inputs[transitions_[i]], net_.outputs[transitions_[i]]}) {
                for (const auto [place, weight] : row) {
                    if (far_places_[place] == 0) slots_.push_back(place);
                }
            }
        }
        std::sort(slots_.begin(), slots_.end());
        slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
        for (std::uint32_t i = 0; i < slots_.size(); ++i) slot_[slots_[i]] = i;
        places_ = static_cast<std::uint32_t>(slots_.size());
        const auto add = [&](std::uint32_t& slot, std::uint32_t node) {
            if (slot != none) return;
            slot = static_cast<std::uint32_t>(slots_.size());
            slots_.push_back(node);
        };
        for (const std::uint32_t t : transitions_) {
            for (const Effect effect : net_.effects[t]) add(slot_[effect.place], effect.place);
        }
        changed_end_ = static_cast<std::uint32_t>(slots_.size());
        for (std::uint32_t i = 0; i < places_; ++i) {
            for (const Watch watch : net_.watches[slots_[i]]) {
                if (number_[watch.transition] == none)
                    add(slot_elsewhere_[watch.transition], watch.transition);
            }
        }
    }

    void forget_numbers() {
        for (std::uint32_t i = 0; i < changed_end_; ++i) slot_[slots_[i]] = none;
        for (std::uint32_t i = changed_end_; i < slots_.size(); ++i) slot_elsewhere_[slots_[i]] = none;
        for (const std::uint32_t t : transitions_) number_[t] = none;
    }

    bool looks_at_own_places_only() const {
        const auto own = [&](PlaceWeight arc) { return is_own(arc.place); };
        return std::all_of(transitions_.begin(), transitions_.end(), [&](std::uint32_t t) {
            const auto inputs = net_.inputs[t], reads = net_.reads[t], inhibitors = net_.inhibitors[t];
            return std::all_of(inputs.begin(), inputs.end(),
                               [&](PlaceWeight arc) { return net_.hub[arc.place] != 0 || own(arc); }) &&
                   std::all_of(reads.begin(), reads.end(), own) &&
                   std::all_of(inhibitors.begin(), inhibitors.end(), own);
        });
    }

    void add_cell() {
        const auto [at, added] = known_.try_emplace(description(), none);
        if (added) {
            if (auto shape = make_shape()) {
                at->second = static_cast<std::uint32_t>(cells_.shapes.size());
                cells_.shapes.push_back(std::move(*shape));
            }
        }
        if (at->second == none) return;
        const auto cell = static_cast<std::uint32_t>(cells_.shape.size());
        cells_.shape.push_back(at->second);
        for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
            cells_.seats[transitions_[i]] = cell * Cells::most + i;
            cells_.all_effective &= !net_.effects[transitions_[i]].empty();
        }
        for (const std::uint32_t node : slots_) slots_of_cells_.emplace_back(cell, node);
    }

    /// All that the shape is made of, as numbers.
    std::vector<std::int32_t> description() const {
        std::vector<std::int32_t> text;
        const auto put = [&](auto number) { text.push_back(static_cast<std::int32_t>(number)); };
        put(places_);
        put(changed_end_);
        for (std::uint32_t i = 0; i < places_; ++i) {
            put(flipping_[slots_[i]] * 2 + place_in_delay_[slots_[i]]);
            for (const Watch watch : net_.watches[slots_[i]]) {
                const std::uint32_t number = number_[watch.transition];
                put(number != none ? number : slot_elsewhere_[watch.transition] + Cells::most);
                put(watch.threshold);
            }
            put(-1);
        }
        for (const std::uint32_t t : transitions_) {
            put((net_.immediate(t) ? 4 : 0) + (delay_[t] != none ? 2 : 0) + (demands_of_hubs(t) ? 1 : 0));
            for (const auto [place, weight] : net_.shared_inputs(t)) put(slot_[place]), put(weight);
            put(-1);
            for (const auto [place, delta] : net_.effects[t]) put(slot_[place]), put(delta);
            put(-1);
        }
        return text;
    }

    bool demands_of_hubs(std::uint32_t t) const { return !net_.groups[net_.seats[t].group].demands.empty(); }

    /// Nothing where there would be too many conditions, or nothing would be gained.
    std::optional<CellShape> make_shape() const {
        CellShape shape;
        shape.needs.assign(transitions_.size(), 0);
        shape.places.resize(places_);
        shape.shared = shared_places();
        bool any_flips = false;
        for (std::uint32_t i = 0; i < places_; ++i) {
            shape.places[i].flips = flipping_[slots_[i]] != 0 && place_in_delay_[slots_[i]] == 0;
            shape.places[i].in_delay = place_in_delay_[slots_[i]] != 0;
            if (!add_conditions(shape, i)) return std::nullopt;
            // A flip without conditions is a place whose tokens matter to nobody.
            shape.places[i].flips = shape.places[i].flips && shape.places[i].conditions != 0;
            any_flips |= shape.places[i].flips;
            for (const Watch watch : net_.watches[slots_[i]]) {
                if (number_[watch.transition] == none)
                    shape.watches_elsewhere.append({slot_elsewhere_[watch.transition], watch.threshold});
            }
            shape.watches_elsewhere.close_row();
        }
        if (!any_flips) return std::nullopt;
        for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
            if (demands_of_hubs(transitions_[i])) shape.demanding |= std::uint64_t{1} << i;
            if (net_.immediate(transitions_[i])) shape.immediate |= std::uint64_t{1} << i;
            if (const std::uint32_t delay = delay_[transitions_[i]]; delay != none) {
                const DelayGadget& gadget = net_.gadgets[delay];
                shape.in_delays |= std::uint64_t{1} << i;
                if (gadget.done == transitions_[i])
                    shape.delays.push_back({i, slot_[gadget.wait], slot_[gadget.timer]});
            }
            for (const auto [place, delta] : net_.effects[transitions_[i]])
                shape.effects.append({slot_[place], delta});
            shape.effects.close_row();
        }
        return shape;
    }

    Rows<PlaceWeight> shared_places() const {
        Rows<PlaceWeight> takers = Rows<PlaceWeight>::sorted(places_, [&](auto put) {
            for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
                for (const auto [place, weight] : net_.inputs[transitions_[i]]) {
                    if (is_own(place)) put(slot_[place], PlaceWeight{i, weight});
                }
            }
        });
        Rows<PlaceWeight> shared;
        for (std::uint32_t i = 0; i < places_; ++i) {
            for (const PlaceWeight taker : takers[i]) {
                if (takers[i].size() > 1) shared.append(taker);
            }
            shared.close_row();
        }
        return shared;
    }

    /// Of a place; false where there are too many.
    bool add_conditions(CellShape& shape, std::uint32_t slot) const {
        const auto number_of = [&](std::int32_t threshold) {
            const CellCondition condition{slot, threshold};
            const auto at = std::find(shape.conditions.begin(), shape.conditions.end(), condition);
            const auto number = static_cast<std::size_t>(at - shape.conditions.begin());
            if (at == shape.conditions.end()) shape.conditions.push_back(condition);
            return number;
        };
        CellShape::Slot& place = shape.places[slot];
        const auto add = [&](std::int32_t threshold) {
            const std::size_t number = number_of(threshold);
            if (number >= Cells::most) return std::uint64_t{0};
            const std::uint64_t bit = std::uint64_t{1} << number;
            place.conditions |= bit;
            if (threshold > 0) place.held_by_token |= bit;
            return bit;
        };
        for (const Watch watch : net_.watches[slots_[slot]]) {
            if (number_[watch.transition] != none)
                shape.needs[number_[watch.transition]] |= add(watch.threshold);
        }
        const auto takers = shape.shared[slot];
        if (!place.flips && takers.size() > most_takers) return false;
        for (std::uint32_t some = 1; !place.flips && some < 1U << takers.size(); ++some) {
            std::int64_t wanted = 0;
            for (std::size_t i = 0; i < takers.size(); ++i)
                wanted += (some >> i & 1) != 0 ? takers[i].weight : 0;
            if (wanted > std::numeric_limits<std::int32_t>::max()) return false;
            if (std::popcount(some) > 1) add(static_cast<std::int32_t>(wanted));
        }
        return shape.conditions.size() <= Cells::most;
    }

    const CompiledNet& net_;
    std::uint32_t most_places_;
    std::vector<std::uint8_t> far_transitions_, far_places_;
    std::vector<std::uint8_t> flipping_, place_in_delay_;  // per place
    std::vector<std::uint32_t> delay_;                     // per transition: its gadget
    Cells cells_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> slots_of_cells_;
    std::map<std::vector<std::int32_t>, std::uint32_t> known_;  // shapes, or none where it is no cell

    // Of the transitions that are looked at.
    std::span<const std::uint32_t> transitions_;
    std::vector<std::uint32_t> slots_;
    std::uint32_t places_ = 0, changed_end_ = 0;  // in slots_
    std::vector<std::uint32_t> slot_;             // per place
    std::vector<std::uint32_t> number_;           // per transition of the cell
    std::vector<std::uint32_t> slot_elsewhere_;   // per transition
};

}  // namespace

Cells find_cells(const CompiledNet& net, const std::vector<std::uint8_t>& flipping,
                 std::uint32_t most_places) {
    return CellFinder(net, flipping, most_places).find();
}

}  // namespace warpnet

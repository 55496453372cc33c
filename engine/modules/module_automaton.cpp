#include "engine/modules/module_automaton.hpp"

#include "engine/base/bits.hpp"
#include "engine/base/random.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace warpnet {

namespace {

constexpr std::size_t max_nodes = 50'000;
constexpr std::size_t max_parts = 500'000;
constexpr std::size_t max_competitors = 5;
constexpr std::size_t max_targets = 4096;
constexpr std::uint32_t no_segment = 0xffffffff;

/// Asks once for the memory of an automaton as most are: that of a warp has 30 nodes and 18 places.
void reserve_usual(ModuleAutomaton& automaton) {
    constexpr std::size_t usual = 64, places = 32;
    automaton.nodes.reserve(usual);
    automaton.markings.reserve(usual, usual * places);
    automaton.orders.reserve(usual);
    automaton.segments.reserve(usual);
    automaton.effects.reserve(2 * usual);
    automaton.uses.reserve(usual);
    automaton.targets.reserve(2 * usual);
    automaton.parts.reserve(4 * usual);
    automaton.fired.reserve(4 * usual);
}

/// Explores the markings of one shape; see add_automaton().
class AutomatonBuilder {
  public:
    AutomatonBuilder(const ModuleShape& shape, std::uint32_t hubs, ModuleAutomaton& automaton)
        : shape_(shape),
          hubs_(hubs),
          automaton_(automaton),
          first_node_(automaton.nodes.size()),
          number_slots_(64, no_node),
          demand_(shape.place_count(), 0) {
        watches_ = Rows<Watch>::sorted(shape.place_count(), [&](auto put) {
            for (std::uint32_t t = 0; t < shape.transition_count(); ++t) {
                for (const auto [place, weight] : shape.inputs[t]) put(place, Watch{t, weight});
                for (const auto [place, weight] : shape.reads[t]) put(place, Watch{t, weight});
                for (const auto [place, weight] : shape.inhibitors[t]) put(place, Watch{t, -weight});
            }
        });
        moves_.reserve(shape.transition_count(), shape.inputs.all().size() + shape.outputs.all().size());
        for (std::uint32_t t = 0; t < shape.transition_count(); ++t) {
            for (const Move& move : moves_of({&t, 1})) moves_.append(move);
            moves_.close_row();
        }
        supply_number_.reserve(shape.place_count());
        for (std::uint32_t place = 0; place < shape.place_count(); ++place) {
            supply_number_.push_back(no_supply);
            if (shape.capacity[place] == 0) continue;
            supply_number_.back() = static_cast<std::uint32_t>(supply_place_.size());
            supply_place_.push_back(place);
        }
    }

    std::uint32_t node_of(std::span<const Tokens> marking) {
        const std::size_t slot = slot_of(marking);
        if (number_slots_[slot] != no_node) return number_slots_[slot];
        const auto number = static_cast<std::uint32_t>(automaton_.nodes.size());
        number_slots_[slot] = number;
        automaton_.nodes.push_back({});
        automaton_.markings.append_row(marking);
        if (2 * (automaton_.nodes.size() - first_node_) > number_slots_.size()) grow_slots();
        return number;
    }

    /// Completes all nodes from number `first` on, and those that are found on the way.
    std::optional<std::string> explore(std::size_t first) {
        for (std::size_t node = first; node < automaton_.nodes.size() && !reason_; ++node) {
            complete(static_cast<std::uint32_t>(node));
            if (automaton_.nodes.size() > max_nodes || automaton_.parts.size() > max_parts)
                reason_ = "a component has too many states";
        }
        for (std::size_t node = first; node < automaton_.nodes.size() && !reason_; ++node)
            draw_ahead(automaton_, static_cast<std::uint32_t>(node));
        return reason_;
    }

  private:
    static constexpr std::uint32_t no_supply = 0xffffffff, no_node = 0xffffffff;

    /// Where a marking stands in number_slots_, or may be put.
    std::size_t slot_of(std::span<const Tokens> marking) const {
        std::uint64_t hash = 0;
        for (const Tokens tokens : marking)
            hash = (hash ^ static_cast<std::uint64_t>(tokens)) * golden_ratio_64;
        const std::size_t mask = number_slots_.size() - 1;
        std::size_t slot = mix_bits(hash) & mask;
        for (; number_slots_[slot] != no_node; slot = (slot + 1) & mask) {
            const auto known = automaton_.markings[number_slots_[slot]];
            if (std::equal(marking.begin(), marking.end(), known.begin(), known.end())) break;
        }
        return slot;
    }

    void grow_slots() {
        number_slots_.assign(4 * number_slots_.size(), no_node);
        for (std::size_t node = first_node_; node < automaton_.nodes.size(); ++node)
            number_slots_[slot_of(automaton_.markings[node])] = static_cast<std::uint32_t>(node);
    }

    /// A marking of the module and what follows from it.
    struct State {
        std::vector<Tokens> marking;
        std::vector<std::uint32_t> unmet;    // per transition: conditions that do not hold
        std::vector<std::uint32_t> enabled;  // transitions, hubs left out, ascending
    };

    /// What a step does to a place.
    struct Move {
        std::uint32_t place;
        Tokens delta;
        Tokens demand;  // what it takes out before it puts anything in
    };

    /// What transitions do when they fire together, by ascending places; until the next call.
    std::span<const Move> moves_of(std::span<const std::uint32_t> fired) {
        joined_.clear();
        for (const std::uint32_t t : fired) {
            for (const auto [place, weight] : shape_.inputs[t]) joined_.push_back({place, -weight, weight});
            for (const auto [place, weight] : shape_.outputs[t]) joined_.push_back({place, weight, 0});
        }
        std::sort(joined_.begin(), joined_.end(),
                  [](const Move& a, const Move& b) { return a.place < b.place; });
        std::size_t last = 0;
        for (std::size_t i = 1; i < joined_.size(); ++i) {
            if (joined_[i].place != joined_[last].place) {
                joined_[++last] = joined_[i];
            } else {
                joined_[last].delta += joined_[i].delta;
                joined_[last].demand += joined_[i].demand;
            }
        }
        if (!joined_.empty()) joined_.resize(last + 1);
        return joined_;
    }

    /// Finds what follows from a marking.
    void look_at(State& state) const {
        state.unmet.assign(shape_.transition_count(), 0);
        for (std::size_t place = 0; place < state.marking.size(); ++place) {
            for (const Watch watch : watches_[place])
                state.unmet[watch.transition] += meets(state.marking[place], watch.threshold) ? 0U : 1U;
        }
        state.enabled.clear();
        for (std::uint32_t t = 0; t < state.unmet.size(); ++t) {
            if (state.unmet[t] == 0) state.enabled.push_back(t);
        }
    }

    /// Puts tokens into a place, or takes them out.
    void change(State& state, std::uint32_t place, Tokens delta) const {
        const Tokens before = state.marking[place], after = state.marking[place] += delta;
        for (const auto [t, threshold] : watches_[place]) {
            const bool met = meets(after, threshold);
            if (meets(before, threshold) == met) continue;
            std::vector<std::uint32_t>& enabled = state.enabled;
            if (!met) {
                if (state.unmet[t]++ == 0) enabled.erase(std::find(enabled.begin(), enabled.end(), t));
            } else if (--state.unmet[t] == 0) {
                enabled.insert(std::lower_bound(enabled.begin(), enabled.end(), t), t);
            }
        }
    }

    /// Whether a segment must end in a state; competitors_ are then those who compete in it.
    bool is_node(const State& state) {
        const std::vector<Tokens>& marking = state.marking;
        const std::vector<std::uint32_t>& enabled = state.enabled;
        competitors_.clear();
        if (enabled.empty()) return true;
        if (std::any_of(enabled.begin(), enabled.end(),
                        [&](std::uint32_t t) { return !shape_.hub_inputs[t].empty(); })) {
            if (enabled.size() > 1)
                reason_ = "a component that waits for a hub can do something else meanwhile";
            return true;
        }
        if (enabled.size() == 1) return false;
        for (const std::uint32_t t : enabled) {
            for (const auto [place, weight] : shape_.inputs[t]) demand_[place] += weight;
        }
        for (const std::uint32_t t : enabled) {
            const auto in = shape_.inputs[t];
            if (std::any_of(in.begin(), in.end(),
                            [&](PlaceWeight arc) { return demand_[arc.place] > marking[arc.place]; }))
                competitors_.push_back(t);
        }
        for (const std::uint32_t t : enabled) {
            for (const auto [place, weight] : shape_.inputs[t]) demand_[place] = 0;
        }
        if (competitors_.size() > max_competitors) reason_ = "too many transitions compete in a component";
        return !competitors_.empty();
    }

    void complete(std::uint32_t number) {
        const auto row = automaton_.markings[number];
        start_.marking.assign(row.begin(), row.end());
        look_at(start_);
        const bool decides = is_node(start_);
        if (reason_) return;
        ModuleNode node{};
        node.first_order = static_cast<std::uint32_t>(automaton_.orders.size());
        if (start_.enabled.empty()) {
            node.kind = ModuleNode::Kind::over;
        } else if (!decides || competitors_.empty()) {
            node.kind = decides ? ModuleNode::Kind::waiting : ModuleNode::Kind::choosing;
            if (decides) {
                node.wanted = start_.enabled.front();
                node.demand_class = demand_class(shape_.hub_inputs[node.wanted]);
            }
            fired_ = start_.enabled;
            automaton_.orders.push_back(add_segment(number, false));
        } else {
            node.kind = ModuleNode::Kind::choosing;
            node.first_competitor = static_cast<std::uint32_t>(automaton_.competitors.size());
            node.competitors = static_cast<std::uint32_t>(competitors_.size());
            automaton_.competitors.insert(automaton_.competitors.end(), competitors_.begin(),
                                          competitors_.end());
            add_choices(number);
        }
        node.orders = static_cast<std::uint32_t>(automaton_.orders.size()) - node.first_order;
        automaton_.nodes[number] = node;
    }

    /// A segment for every order in which the competitors may be served in the state start_.
    void add_choices(std::uint32_t number) {
        std::array<std::uint32_t, max_competitors> order{};  // numbers of competitors
        const std::vector<std::uint32_t> competitors = competitors_;
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(competitors.size());
        std::iota(order.begin(), end, 0U);
        std::vector<std::uint32_t> always;
        std::set_difference(start_.enabled.begin(), start_.enabled.end(), competitors.begin(),
                            competitors.end(), std::back_inserter(always));
        std::array<std::uint32_t, 1U << max_competitors> known{};  // per set of winners: a segment
        known.fill(no_segment);
        do {
            residual_ = start_.marking;
            std::uint32_t winners = 0;
            std::for_each(order.begin(), end, [&](std::uint32_t i) {
                const auto in = shape_.inputs[competitors[i]];
                if (std::any_of(in.begin(), in.end(),
                                [&](PlaceWeight arc) { return residual_[arc.place] < arc.weight; }))
                    return;
                for (const auto [place, weight] : in) residual_[place] -= weight;
                winners |= 1U << i;
            });
            if (known[winners] == no_segment) {
                fired_ = always;
                for_each_bit(winners, [&](std::uint32_t i) { fired_.push_back(competitors[i]); });
                std::sort(fired_.begin(), fired_.end());
                known[winners] = add_segment(number, true);
            }
            if (reason_) return;
            automaton_.orders.push_back(known[winners]);
        } while (std::next_permutation(order.begin(), end));
    }

    std::uint32_t demand_class(std::span<const PlaceWeight> demands) {
        auto& classes = automaton_.demand_classes;
        const auto same = [&](const std::vector<PlaceWeight>& known) {
            return std::equal(
                known.begin(), known.end(), demands.begin(), demands.end(),
                [](PlaceWeight a, PlaceWeight b) { return a.place == b.place && a.weight == b.weight; });
        };
        const auto at = std::find_if(classes.begin(), classes.end(), same);
        const auto number = static_cast<std::uint32_t>(at - classes.begin());
        if (at == classes.end()) classes.emplace_back(demands.begin(), demands.end());
        return number;
    }

    /// Begins with the state start_ and a step of fired_. `chosen`: that was one of several possible, so it
    /// must not be repeated.
    std::uint32_t add_segment(std::uint32_t origin, bool chosen) {
        here_ = start_;
        Segment segment{};
        segment.origin = origin;
        segment.first_effect = static_cast<std::uint32_t>(automaton_.effects.size());
        segment.first_use = static_cast<std::uint32_t>(automaton_.uses.size());
        segment.first_part = static_cast<std::uint32_t>(automaton_.parts.size());
        for (;;) {
            const bool open = add_part(segment, chosen && segment.steps == 0);
            if (reason_ || open || segment.steps >= max_segment_steps) break;
            if (is_node(here_)) break;
            fired_ = here_.enabled;
        }
        count_effects(automaton_, segment);
        segment.uses = static_cast<std::uint32_t>(automaton_.uses.size()) - segment.first_use;
        segment.parts = static_cast<std::uint32_t>(automaton_.parts.size()) - segment.first_part;
        if (!reason_) add_targets(segment, here_.marking);
        automaton_.segments.push_back(segment);
        return static_cast<std::uint32_t>(automaton_.segments.size() - 1);
    }

    /// Fires fired_ in the state here_ as often as nothing else becomes enabled or contested. Says whether a
    /// supply was used of which there may be more than its marking says.
    bool add_part(Segment& segment, bool once) {
        const std::span<const Move> moves = fired_.size() == 1 ? moves_[fired_.front()] : moves_of(fired_);
        bool open = false, gives_to_hub = false, changes = false;
        for (const Move& move : moves) {
            if (move.delta == 0) continue;
            changes = true;
            const Tokens capacity = shape_.capacity[move.place];
            open |= capacity > 0 && here_.marking[move.place] == capacity;
        }
        if (!changes) reason_ = "a step of a component can leave it as it is";
        for (const std::uint32_t t : fired_) {
            gives_to_hub |= !shape_.hub_outputs[t].empty() || !shape_.hub_inputs[t].empty();
            for (const auto [hub, weight] : shape_.hub_outputs[t]) add_effect(segment.steps, hub, weight);
        }
        const std::uint32_t repeats = once || open || gives_to_hub || !changes
                                          ? 1
                                          : repeats_of_step(moves, max_segment_steps - segment.steps);
        const auto fired = static_cast<std::uint32_t>(fired_.size());
        automaton_.parts.push_back({static_cast<std::uint32_t>(automaton_.fired.size()), fired, repeats});
        automaton_.fired.insert(automaton_.fired.end(), fired_.begin(), fired_.end());
        segment.steps += repeats;
        segment.firings += fired * repeats;
        for (const Move& move : moves) {
            if (move.delta == 0) continue;
            const Tokens before = here_.marking[move.place];
            const Tokens delta = move.delta * repeats;
            change(here_, move.place, delta);
            if (supply_number_[move.place] != no_supply)
                use_supply(segment, move.place, -delta, before == shape_.capacity[move.place]);
            for (const Watch& watch : shape_.loop_watches[move.place])
                watch_changed(segment.steps - 1, watch, before, before + delta);
        }
        return open;
    }

    /// How often a step from here_ is followed by itself, at most `most` times.
    std::uint32_t repeats_of_step(std::span<const Move> moves, Tokens most) const {
        for (const auto [place, delta, demand] : moves) {
            if (delta == 0) continue;
            // The thresholds next to the tokens: where something changes.
            const Tokens tokens = here_.marking[place];
            Tokens above = max_tokens, below = demand;
            for (const auto& watches : {watches_[place], shape_.loop_watches[place]}) {
                for (const Watch watch : watches) {
                    const Tokens threshold = std::abs(Tokens{watch.threshold});
                    if (threshold > tokens) {
                        above = std::min(above, threshold);
                    } else {
                        below = std::max(below, threshold);
                    }
                }
            }
            if (delta < 0) {
                most = std::min(most, (tokens - below) / -delta + 1);
            } else if (above != max_tokens) {
                most = std::min(most, (above - tokens + delta - 1) / delta);
            }
        }
        return static_cast<std::uint32_t>(std::max<Tokens>(most, 1));
    }

    void add_effect(std::uint32_t offset, std::uint32_t counter, std::int32_t delta) {
        automaton_.effects.push_back({offset, counter, delta});
    }

    void watch_changed(std::uint32_t offset, const Watch& watch, Tokens before, Tokens after) {
        const bool met = meets(after, watch.threshold);
        if (meets(before, watch.threshold) != met) add_effect(offset, hubs_ + watch.transition, met ? -1 : 1);
    }

    void use_supply(const Segment& segment, std::uint32_t place, Tokens weight, bool open) {
        const std::uint32_t supply = supply_number_[place];
        auto at = automaton_.uses.begin() + segment.first_use;
        at = std::find_if(at, automaton_.uses.end(),
                          [&](const SupplyUse& use) { return use.supply == supply; });
        if (at == automaton_.uses.end())
            at = automaton_.uses.insert(at, SupplyUse{supply, 0, 0, shape_.capacity[place]});
        at->weight += weight;
        if (open) at->stride = 1;
    }

    /// A target for everything that may be left in the supplies that were used.
    void add_targets(Segment& segment, const std::vector<Tokens>& marking) {
        const std::span<SupplyUse> uses = std::span(automaton_.uses).subspan(segment.first_use, segment.uses);
        std::size_t targets = 1;
        for (SupplyUse& use : uses) {
            if (use.stride == 0) continue;
            use.stride = static_cast<std::uint32_t>(targets);
            targets *= static_cast<std::size_t>(use.weight + 1);
            if (targets > max_targets) {
                reason_ = "a component uses too many tokens of its supplies at once";
                return;
            }
        }
        segment.first_target = static_cast<std::uint32_t>(automaton_.targets.size());
        residual_ = marking;
        for (std::size_t i = 0; i < targets; ++i) {
            for (const SupplyUse& use : uses) {
                if (use.stride == 0) continue;
                const auto missing = static_cast<Tokens>(i / use.stride) % (use.weight + 1);
                residual_[supply_place_[use.supply]] = use.capacity - missing;
            }
            automaton_.targets.push_back(node_of(residual_));
        }
    }

    const ModuleShape& shape_;
    std::uint32_t hubs_;
    ModuleAutomaton& automaton_;
    Rows<Watch> watches_;                       // per place: conditions of the module's transitions
    Rows<Move> moves_;                          // per transition that fires alone, see moves_of()
    std::vector<std::uint32_t> supply_number_;  // per place
    std::vector<std::uint32_t> supply_place_;   // per supply
    std::size_t first_node_;                    // of this shape
    std::vector<std::uint32_t> number_slots_;   // nodes, open addressing by the hash of the marking
    std::optional<std::string> reason_;
    // Kept from use to use, so that no memory is asked for: the state with which a segment begins and that on
    // the way, what fires next, who competes and for how much of each place, another marking.
    State start_, here_;
    std::vector<std::uint32_t> fired_, competitors_;
    std::vector<Tokens> demand_, residual_;
    std::vector<Move> joined_;
};

}  // namespace

std::uint32_t ModuleAutomaton::rank_of_order(std::vector<std::uint32_t>& order) {
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto smaller = std::count_if(order.begin() + static_cast<std::ptrdiff_t>(i), order.end(),
                                           [&](std::uint32_t later) { return later < order[i]; });
        rank = rank * static_cast<std::uint32_t>(order.size() - i) + static_cast<std::uint32_t>(smaller);
    }
    return rank;
}

std::optional<std::string> add_automaton(const ModuleShape& shape, std::uint32_t hubs,
                                         const Rows<Tokens>& starts, ModuleAutomaton& automaton,
                                         std::vector<std::uint32_t>& start_nodes) {
    if (automaton.nodes.empty()) reserve_usual(automaton);
    AutomatonBuilder builder(shape, hubs, automaton);
    const std::size_t first = automaton.nodes.size();
    for (std::size_t i = 0; i < starts.size(); ++i) start_nodes.push_back(builder.node_of(starts[i]));
    return builder.explore(first);
}

}  // namespace warpnet

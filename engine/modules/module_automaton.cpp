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

/// Explores the markings of one shape; see add_automaton().
class AutomatonBuilder {
  public:
    AutomatonBuilder(const ModuleShape& shape, std::uint32_t hubs, ModuleAutomaton& automaton)
        : shape_(shape),
          hubs_(hubs),
          automaton_(automaton),
          first_node_(automaton.nodes.size()),
          number_slots_(64, no_node),
          delta_(shape.place_count(), 0),
          demand_(shape.place_count(), 0) {
        conditions_.reserve(shape.transition_count(), shape.inputs.all().size() + shape.reads.all().size() +
                                                          shape.inhibitors.all().size());
        for (std::uint32_t t = 0; t < shape.transition_count(); ++t) {
            for (const auto& row : {shape.inputs[t], shape.reads[t]}) {
                for (const PlaceWeight arc : row) conditions_.append(arc);
            }
            for (const auto [place, weight] : shape.inhibitors[t]) conditions_.append({place, -weight});
            conditions_.close_row();
        }
        thresholds_ = Rows<Tokens>::sorted(shape.place_count(), [&](auto put) {
            for (const auto [place, threshold] : conditions_.all()) put(place, std::abs(Tokens{threshold}));
            for (std::uint32_t place = 0; place < shape.place_count(); ++place) {
                for (const Watch& watch : shape.loop_watches[place])
                    put(place, std::abs(Tokens{watch.threshold}));
            }
        });
        for (std::uint32_t place = 0; place < shape.place_count(); ++place) {
            const std::span<Tokens> row = thresholds_.row(place);
            std::sort(row.begin(), row.end());
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
        for (const Tokens tokens : marking) automaton_.markings.append(tokens);
        automaton_.markings.close_row();
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

    /// Whether a row of conditions_ holds.
    static bool holds(std::span<const PlaceWeight> conditions, const Tokens* marking) {
        for (const auto [place, threshold] : conditions) {
            if (!meets(marking[place], threshold)) return false;
        }
        return true;
    }

    /// Fills enabled_ and competitors_; says whether a segment must end here.
    bool is_node(const std::vector<Tokens>& marking) {
        enabled_.clear();
        competitors_.clear();
        bool wants_hub = false;
        const std::span<const std::uint32_t> firsts = conditions_.firsts();
        const std::span<const PlaceWeight> conditions = conditions_.all();
        for (std::uint32_t t = 0; t + 1 < firsts.size(); ++t) {
            if (!holds(conditions.subspan(firsts[t], firsts[t + 1] - firsts[t]), marking.data())) continue;
            enabled_.push_back(t);
            wants_hub |= !shape_.hub_inputs[t].empty();
        }
        if (enabled_.empty()) return true;
        if (wants_hub) {
            if (enabled_.size() > 1)
                reason_ = "a component that waits for a hub can do something else meanwhile";
            return true;
        }
        for (const std::uint32_t t : enabled_) {
            for (const auto [place, weight] : shape_.inputs[t]) demand_[place] += weight;
        }
        for (const std::uint32_t t : enabled_) {
            const auto in = shape_.inputs[t];
            if (std::any_of(in.begin(), in.end(),
                            [&](PlaceWeight arc) { return demand_[arc.place] > marking[arc.place]; }))
                competitors_.push_back(t);
        }
        for (const std::uint32_t t : enabled_) {
            for (const auto [place, weight] : shape_.inputs[t]) demand_[place] = 0;
        }
        if (competitors_.size() > max_competitors) reason_ = "too many transitions compete in a component";
        return !competitors_.empty();
    }

    void complete(std::uint32_t number) {
        const auto row = automaton_.markings[number];
        start_.assign(row.begin(), row.end());
        const bool decides = is_node(start_);
        if (reason_) return;
        ModuleNode node{};
        node.first_order = static_cast<std::uint32_t>(automaton_.orders.size());
        if (enabled_.empty()) {
            node.kind = ModuleNode::Kind::over;
        } else if (!decides || competitors_.empty()) {
            node.kind = decides ? ModuleNode::Kind::waiting : ModuleNode::Kind::choosing;
            if (decides) {
                node.wanted = enabled_.front();
                node.demand_class = demand_class(shape_.hub_inputs[node.wanted]);
            }
            fired_ = enabled_;
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

    /// A segment for every order in which the competitors may be served in the marking start_.
    void add_choices(std::uint32_t number) {
        std::array<std::uint32_t, max_competitors> order{};  // numbers of competitors
        const std::vector<std::uint32_t> competitors = competitors_;
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(competitors.size());
        std::iota(order.begin(), end, 0U);
        std::vector<std::uint32_t> always;
        std::set_difference(enabled_.begin(), enabled_.end(), competitors.begin(), competitors.end(),
                            std::back_inserter(always));
        std::array<std::uint32_t, 1U << max_competitors> known{};  // per set of winners: a segment
        known.fill(no_segment);
        do {
            residual_ = start_;
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

    /// Begins with the marking start_ and a step of fired_. `chosen`: that was one of several possible, so it
    /// must not be repeated.
    std::uint32_t add_segment(std::uint32_t origin, bool chosen) {
        marking_ = start_;
        Segment segment{};
        segment.origin = origin;
        segment.first_effect = static_cast<std::uint32_t>(automaton_.effects.size());
        segment.first_use = static_cast<std::uint32_t>(automaton_.uses.size());
        segment.first_part = static_cast<std::uint32_t>(automaton_.parts.size());
        for (;;) {
            const bool open = add_part(segment, marking_, fired_, chosen && segment.steps == 0);
            if (reason_ || open || segment.steps >= max_segment_steps) break;
            if (is_node(marking_)) break;
            std::swap(fired_, enabled_);
        }
        count_effects(automaton_, segment);
        segment.uses = static_cast<std::uint32_t>(automaton_.uses.size()) - segment.first_use;
        segment.parts = static_cast<std::uint32_t>(automaton_.parts.size()) - segment.first_part;
        if (!reason_) add_targets(segment, marking_);
        automaton_.segments.push_back(segment);
        return static_cast<std::uint32_t>(automaton_.segments.size() - 1);
    }

    /// Fires the transitions as often as nothing else becomes enabled or contested. Says whether a supply was
    /// used of which there may be more than its marking says.
    bool add_part(Segment& segment, std::vector<Tokens>& marking, const std::vector<std::uint32_t>& fired,
                  bool once) {
        bool open = false, gives_to_hub = false, changes = false;
        touched_.clear();
        for (const std::uint32_t t : fired) {
            for (const auto [place, weight] : shape_.inputs[t]) {
                delta_[place] -= weight;
                demand_[place] += weight;
                touched_.push_back(place);
            }
            for (const auto [place, weight] : shape_.outputs[t]) {
                delta_[place] += weight;
                touched_.push_back(place);
            }
            gives_to_hub |= !shape_.hub_outputs[t].empty() || !shape_.hub_inputs[t].empty();
        }
        std::sort(touched_.begin(), touched_.end());
        touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
        for (const std::uint32_t place : touched_) {
            if (delta_[place] == 0) continue;
            changes = true;
            open |= shape_.capacity[place] > 0 && marking[place] == shape_.capacity[place];
        }
        if (!changes) reason_ = "a step of a component can leave it as it is";
        const Tokens repeats = once || open || gives_to_hub || !changes
                                   ? 1
                                   : repeats_of_step(marking, max_segment_steps - segment.steps);
        const auto first = static_cast<std::uint32_t>(automaton_.fired.size());
        automaton_.fired.insert(automaton_.fired.end(), fired.begin(), fired.end());
        automaton_.parts.push_back(
            {first, static_cast<std::uint32_t>(fired.size()), static_cast<std::uint32_t>(repeats)});
        for (const std::uint32_t t : fired) {
            for (const auto [hub, weight] : shape_.hub_outputs[t]) add_effect(segment.steps, hub, weight);
        }
        segment.steps += static_cast<std::uint32_t>(repeats);
        segment.firings += static_cast<std::uint32_t>(fired.size()) * static_cast<std::uint32_t>(repeats);
        for (const std::uint32_t place : touched_) {
            const Tokens before = marking[place];
            const Tokens change = delta_[place] * repeats;
            delta_[place] = demand_[place] = 0;
            if (change == 0) continue;
            marking[place] += change;
            if (supply_number_[place] != no_supply) {
                use_supply(segment, place, -change, before == shape_.capacity[place]);
            }
            for (const Watch& watch : shape_.loop_watches[place])
                watch_changed(segment.steps - 1, watch, before, marking[place]);
        }
        return open;
    }

    /// How often a step with the effects delta_ and the demands demand_ on touched_ is followed by itself.
    Tokens repeats_of_step(const std::vector<Tokens>& marking, Tokens most) const {
        for (const std::uint32_t place : touched_) {
            const Tokens delta = delta_[place], tokens = marking[place];
            if (delta == 0) continue;
            const auto thresholds = thresholds_[place];
            const auto above = std::upper_bound(thresholds.begin(), thresholds.end(), tokens);
            if (delta > 0) {
                if (above != thresholds.end()) most = std::min(most, (*above - tokens + delta - 1) / delta);
            } else {
                const Tokens level =
                    std::max(demand_[place], above == thresholds.begin() ? 0 : *std::prev(above));
                most = std::min(most, (tokens - level) / -delta + 1);
            }
        }
        return std::max<Tokens>(most, 1);
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
        struct Open {
            std::uint32_t place;
            Tokens options;
        };
        std::vector<Open> open;
        std::size_t targets = 1;
        for (std::uint32_t i = 0; i < segment.uses; ++i) {
            SupplyUse& use = automaton_.uses[segment.first_use + i];
            if (use.stride == 0) continue;
            use.stride = static_cast<std::uint32_t>(targets);
            open.push_back({supply_place_[use.supply], use.weight + 1});
            targets *= static_cast<std::size_t>(use.weight + 1);
            if (targets > max_targets) {
                reason_ = "a component uses too many tokens of its supplies at once";
                return;
            }
        }
        segment.first_target = static_cast<std::uint32_t>(automaton_.targets.size());
        residual_ = marking;
        for (std::size_t i = 0; i < targets; ++i) {
            std::size_t rest = i;
            for (const auto [place, options] : open) {
                const auto missing = static_cast<Tokens>(rest % static_cast<std::size_t>(options));
                residual_[place] = shape_.capacity[place] - missing;
                rest /= static_cast<std::size_t>(options);
            }
            automaton_.targets.push_back(node_of(residual_));
        }
    }

    const ModuleShape& shape_;
    std::uint32_t hubs_;
    ModuleAutomaton& automaton_;
    Rows<PlaceWeight> conditions_;              // per transition: thresholds as Watch has them
    Rows<Tokens> thresholds_;                   // per place, ascending: where something changes
    std::vector<std::uint32_t> supply_number_;  // per place
    std::vector<std::uint32_t> supply_place_;   // per supply
    std::size_t first_node_;                    // of this shape
    std::vector<std::uint32_t> number_slots_;   // nodes, open addressing by the hash of the marking
    std::optional<std::string> reason_;
    std::vector<std::uint32_t> enabled_, competitors_;
    std::vector<Tokens> delta_, demand_;
    // Kept from use to use, so that no memory is asked for: the marking and the transitions with which a
    // segment begins, the marking on the way, another one, places that a step changes.
    std::vector<Tokens> start_, marking_, residual_;
    std::vector<std::uint32_t> fired_, touched_;
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
    AutomatonBuilder builder(shape, hubs, automaton);
    const std::size_t first = automaton.nodes.size();
    for (std::size_t i = 0; i < starts.size(); ++i) start_nodes.push_back(builder.node_of(starts[i]));
    return builder.explore(first);
}

}  // namespace warpnet

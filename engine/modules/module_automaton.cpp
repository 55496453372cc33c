#include "engine/modules/module_automaton.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace warpnet {

namespace {

constexpr std::size_t max_nodes = 50'000;
constexpr std::size_t max_parts = 500'000;
constexpr std::size_t max_competitors = 5;
constexpr std::size_t max_targets = 4096;

/// Explores the markings of one shape; see add_automaton().
class AutomatonBuilder {
  public:
    AutomatonBuilder(const ModuleShape& shape, std::uint32_t hubs, ModuleAutomaton& automaton)
        : shape_(shape), hubs_(hubs), automaton_(automaton), thresholds_(shape.place_count()) {
        for (std::uint32_t t = 0; t < shape.transition_count(); ++t) {
            for (const auto& row : {shape.inputs[t], shape.reads[t], shape.inhibitors[t]}) {
                for (const auto [place, weight] : row) thresholds_[place].push_back(weight);
            }
        }
        for (std::uint32_t place = 0; place < shape.place_count(); ++place) {
            for (const Watch& watch : shape.loop_watches[place])
                thresholds_[place].push_back(watch.threshold > 0 ? watch.threshold
                                                                 : -Tokens{watch.threshold});
            std::sort(thresholds_[place].begin(), thresholds_[place].end());
            supply_number_.push_back(shape.capacity[place] > 0 ? supplies_++ : no_supply);
        }
        delta_.assign(shape.place_count(), 0);
        demand_.assign(shape.place_count(), 0);
    }

    std::uint32_t node_of(const std::vector<Tokens>& marking) {
        const auto next = static_cast<std::uint32_t>(automaton_.nodes.size());
        const auto [at, added] = numbers_.try_emplace(marking, next);
        if (added) {
            automaton_.nodes.push_back({});
            for (const Tokens tokens : marking) automaton_.markings.append(tokens);
            automaton_.markings.close_row();
        }
        return at->second;
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
    static constexpr std::uint32_t no_supply = 0xffffffff;

    bool is_enabled(const std::vector<Tokens>& marking, std::uint32_t t) const {
        const auto holds = [&](PlaceWeight arc) { return marking[arc.place] >= arc.weight; };
        const auto in = shape_.inputs[t], reads = shape_.reads[t], inhibitors = shape_.inhibitors[t];
        return std::all_of(in.begin(), in.end(), holds) && std::all_of(reads.begin(), reads.end(), holds) &&
               std::none_of(inhibitors.begin(), inhibitors.end(), holds);
    }

    /// Fills enabled_ and competitors_; says whether a segment must end here.
    bool is_node(const std::vector<Tokens>& marking) {
        enabled_.clear();
        competitors_.clear();
        bool wants_hub = false;
        for (std::uint32_t t = 0; t < shape_.transition_count(); ++t) {
            if (!is_enabled(marking, t)) continue;
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
        const std::vector<Tokens> marking(row.begin(), row.end());
        const bool decides = is_node(marking);
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
            const std::vector<std::uint32_t> fired = enabled_;
            add_order(number, marking, fired);
        } else {
            node.kind = ModuleNode::Kind::choosing;
            node.first_competitor = static_cast<std::uint32_t>(automaton_.competitors.size());
            node.competitors = static_cast<std::uint32_t>(competitors_.size());
            automaton_.competitors.insert(automaton_.competitors.end(), competitors_.begin(),
                                          competitors_.end());
            add_choices(number, marking);
        }
        node.orders = static_cast<std::uint32_t>(automaton_.orders.size()) - node.first_order;
        automaton_.nodes[number] = node;
    }

    /// A segment for every order in which the competitors may be served.
    void add_choices(std::uint32_t number, const std::vector<Tokens>& marking) {
        std::vector<std::uint32_t> order = competitors_;
        std::vector<std::uint32_t> always;
        std::set_difference(enabled_.begin(), enabled_.end(), order.begin(), order.end(),
                            std::back_inserter(always));
        std::map<std::vector<std::uint32_t>, std::uint32_t> known;
        do {
            std::vector<Tokens> residual = marking;
            std::vector<std::uint32_t> fired = always;
            for (const std::uint32_t t : order) {
                const auto in = shape_.inputs[t];
                if (std::any_of(in.begin(), in.end(),
                                [&](PlaceWeight arc) { return residual[arc.place] < arc.weight; }))
                    continue;
                for (const auto [place, weight] : in) residual[place] -= weight;
                fired.push_back(t);
            }
            std::sort(fired.begin(), fired.end());
            const auto [at, added] = known.try_emplace(fired, 0);
            if (added) at->second = add_segment(number, marking, fired, true);
            if (reason_) return;
            automaton_.orders.push_back(at->second);
        } while (std::next_permutation(order.begin(), order.end()));
    }

    void add_order(std::uint32_t number, const std::vector<Tokens>& marking,
                   const std::vector<std::uint32_t>& fired) {
        const std::uint32_t segment = add_segment(number, marking, fired, false);
        automaton_.orders.push_back(segment);
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

    /// `chosen`: the first step was one of several possible, so it must not be repeated.
    std::uint32_t add_segment(std::uint32_t origin, std::vector<Tokens> marking,
                              std::vector<std::uint32_t> fired, bool chosen) {
        Segment segment{};
        segment.origin = origin;
        segment.first_effect = static_cast<std::uint32_t>(automaton_.effects.size());
        segment.first_use = static_cast<std::uint32_t>(automaton_.uses.size());
        segment.first_part = static_cast<std::uint32_t>(automaton_.parts.size());
        for (;;) {
            const bool open = add_part(segment, marking, fired, chosen && segment.steps == 0);
            if (reason_ || open || segment.steps >= max_segment_steps) break;
            if (is_node(marking)) break;
            fired = enabled_;
        }
        count_effects(automaton_, segment);
        segment.uses = static_cast<std::uint32_t>(automaton_.uses.size()) - segment.first_use;
        segment.parts = static_cast<std::uint32_t>(automaton_.parts.size()) - segment.first_part;
        if (!reason_) add_targets(segment, marking);
        automaton_.segments.push_back(segment);
        return static_cast<std::uint32_t>(automaton_.segments.size() - 1);
    }

    /// Fires the transitions as often as nothing else becomes enabled or contested. Says whether a supply was
    /// used of which there may be more than its marking says.
    bool add_part(Segment& segment, std::vector<Tokens>& marking, const std::vector<std::uint32_t>& fired,
                  bool once) {
        bool open = false, gives_to_hub = false, changes = false;
        for (const std::uint32_t t : fired) {
            for (const auto [place, weight] : shape_.inputs[t]) {
                delta_[place] -= weight;
                demand_[place] += weight;
            }
            for (const auto [place, weight] : shape_.outputs[t]) delta_[place] += weight;
            gives_to_hub |= !shape_.hub_outputs[t].empty() || !shape_.hub_inputs[t].empty();
        }
        for (std::uint32_t place = 0; place < marking.size(); ++place) {
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
        for (std::uint32_t place = 0; place < marking.size(); ++place) {
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

    /// How often a step with the effects delta_ and the demands demand_ is followed by itself.
    Tokens repeats_of_step(const std::vector<Tokens>& marking, Tokens most) const {
        for (std::uint32_t place = 0; place < marking.size(); ++place) {
            const Tokens delta = delta_[place], tokens = marking[place];
            if (delta == 0) continue;
            const auto& thresholds = thresholds_[place];
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
            const auto at = std::find(supply_number_.begin(), supply_number_.end(), use.supply);
            use.stride = static_cast<std::uint32_t>(targets);
            open.push_back({static_cast<std::uint32_t>(at - supply_number_.begin()), use.weight + 1});
            targets *= static_cast<std::size_t>(use.weight + 1);
            if (targets > max_targets) {
                reason_ = "a component uses too many tokens of its supplies at once";
                return;
            }
        }
        segment.first_target = static_cast<std::uint32_t>(automaton_.targets.size());
        std::vector<Tokens> reached = marking;
        for (std::size_t i = 0; i < targets; ++i) {
            std::size_t rest = i;
            for (const auto [place, options] : open) {
                const auto missing = static_cast<Tokens>(rest % static_cast<std::size_t>(options));
                reached[place] = shape_.capacity[place] - missing;
                rest /= static_cast<std::size_t>(options);
            }
            automaton_.targets.push_back(node_of(reached));
        }
    }

    const ModuleShape& shape_;
    std::uint32_t hubs_;
    ModuleAutomaton& automaton_;
    std::vector<std::vector<Tokens>> thresholds_;  // per place, ascending: where something changes
    std::vector<std::uint32_t> supply_number_;
    std::uint32_t supplies_ = 0;
    std::map<std::vector<Tokens>, std::uint32_t> numbers_;
    std::optional<std::string> reason_;
    std::vector<std::uint32_t> enabled_, competitors_;
    std::vector<Tokens> delta_, demand_;
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
                                         const std::vector<std::vector<Tokens>>& starts,
                                         ModuleAutomaton& automaton,
                                         std::vector<std::uint32_t>& start_nodes) {
    AutomatonBuilder builder(shape, hubs, automaton);
    const std::size_t first = automaton.nodes.size();
    for (const std::vector<Tokens>& start : starts) start_nodes.push_back(builder.node_of(start));
    return builder.explore(first);
}

}  // namespace warpnet

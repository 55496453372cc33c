// Builds the automaton of a module. The idea: without its hubs, a `warps` net falls apart into warps. A warp
// that has its scheduler runs, waits for memory, selects its next instruction and returns to the queue
// without any further dependency. So a module moves along fixed segments between nodes, which are the
// markings in which something is decided.
//
// Markings differ mostly in their supplies, which are places that are never refilled (`arith_left`). A node
// therefore stores only min(tokens, the most that any step could need) of a supply. So the automaton of a
// warp has 30 nodes, whatever its counts. The beginning of a segment, until supplies matter, depends only on
// the other places, the *stage*. It is explored once per stage and shared by all nodes of the stage: 10
// beginnings instead of 24 for a warp. Repeated ticks of a delay are one path part, so neither time nor
// memory depends on latencies.
//
// The automaton is built completely by plan(), and not on demand during a run, so that all threads can share
// it without locks. A module with too many markings is left to another executor.
//
// A node with k competitors has k! orders of service, but at most one segment for each of the 2^k sets of
// winners. max_competitors limits k. Exploring a segment takes time in its steps and the conditions on the
// places that they change. Time and memory are linear in the parts of all segments, which max_parts limits.
// Each node also stores a marking of the module, which max_numbers limits.

#include "engine/executors/modules/automaton.hpp"

#include "engine/base/bits.hpp"
#include "engine/base/no_index.hpp"
#include "engine/base/random.hpp"
#include "engine/base/round_up.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace warpnet {

namespace {

constexpr std::size_t max_nodes = 50'000;
constexpr std::size_t max_parts = 500'000;
constexpr std::size_t max_numbers = 100'000'000;  // of the markings of all nodes: 800 MB
constexpr std::size_t max_competitors = 5;
constexpr std::size_t max_targets = 4096;

/// The sizes of a usual automaton, reserved beforehand: that of a warp has 30 nodes, 13 stages and 18 places.
constexpr std::size_t usual_nodes = 32, usual_stages = 16, usual_places = 20;

/// The automaton of a warp has 61 segments, 73 orders, 154 effects, 45 uses, 52 targets and 267 parts.
void reserve_usual(ModuleAutomaton& automaton) {
    constexpr std::size_t usual = usual_nodes;
    automaton.nodes.reserve(usual);
    automaton.markings.reserve(usual, usual * usual_places);
    automaton.orders.reserve(3 * usual);
    automaton.segments.reserve(2 * usual);
    automaton.effects.reserve(5 * usual);
    automaton.uses.reserve(2 * usual);
    automaton.targets.reserve(2 * usual);
    automaton.parts.reserve(9 * usual);
    automaton.fired.reserve(2 * usual);
}

/// Numbers distinct rows of tokens in order of first occurrence. A hash table with open addressing.
class RowNumbers {
  public:
    RowNumbers(std::size_t usual_rows, std::size_t length) { rows_.reserve(usual_rows, usual_rows * length); }

    /// The number of a row, which is added if it is new.
    std::uint32_t number_of(std::span<const Tokens> row) {
        std::size_t slot = slot_of(row);
        if (slots_[slot] != no_index) return slots_[slot];
        const auto number = static_cast<std::uint32_t>(rows_.size());
        slots_[slot] = number;
        rows_.append_row(row);
        if (2 * rows_.size() > slots_.size()) grow();
        return number;
    }
    std::span<const Tokens> operator[](std::size_t number) const { return rows_[number]; }

  private:
    /// The slot that contains the number of a row, or the free slot for it.
    std::size_t slot_of(std::span<const Tokens> row) const {
        std::uint64_t hash = 0;
        for (const Tokens tokens : row) hash = (hash ^ static_cast<std::uint64_t>(tokens)) * golden_ratio_64;
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = mix_bits(hash) & mask;
        for (; slots_[slot] != no_index; slot = (slot + 1) & mask) {
            const auto known = rows_[slots_[slot]];
            if (std::equal(row.begin(), row.end(), known.begin(), known.end())) break;
        }
        return slot;
    }

    void grow() {
        slots_.assign(4 * slots_.size(), no_index);
        for (std::uint32_t number = 0; number < rows_.size(); ++number)
            slots_[slot_of(rows_[number])] = number;
    }

    Rows<Tokens> rows_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, no_index);
};

/// Explores the markings of one shape; see add_automaton().
class AutomatonBuilder {
  public:
    AutomatonBuilder(const ModuleShape& shape, std::uint32_t hubs, ModuleAutomaton& automaton)
        : shape_(shape),
          hubs_(hubs),
          automaton_(automaton),
          first_node_(automaton.nodes.size()),
          supply_place_(supplies_of(shape)),
          supply_number_(shape.place_count(), no_index),
          node_keys_(usual_nodes, 1 + supply_place_.size()),
          stage_markings_(usual_stages, shape.place_count()),
          demand_(shape.place_count(), 0) {
        for (std::uint32_t i = 0; i < supply_place_.size(); ++i) supply_number_[supply_place_[i]] = i;
        stages_.reserve(usual_stages);
        stage_unmet_.reserve(usual_stages, usual_stages * shape.transition_count());
        stage_ready_.reserve(usual_stages, usual_stages);
        for (auto* few : {&enabled_, &competitors_, &fired_, &always_}) few->reserve(max_competitors);
        joined_.reserve(2 * max_competitors);
        watches_ = Rows<Watch>::sorted(shape.place_count(), [&](auto put) {
            for (std::uint32_t t = 0; t < shape.transition_count(); ++t) {
                for_each_condition(t, [&](std::uint32_t place, std::int32_t threshold) {
                    if (!is_supply(place)) put(place, Watch{t, threshold});
                });
            }
        });
        needs_.reserve(shape.transition_count(), 2 * supply_place_.size());
        moves_.reserve(shape.transition_count(), shape.inputs.all().size() + shape.outputs.all().size());
        for (std::uint32_t t = 0; t < shape.transition_count(); ++t) {
            moves_.append_row(moves_of({&t, 1}));
            for_each_condition(t, [&](std::uint32_t place, std::int32_t threshold) {
                if (is_supply(place)) needs_.append({place, threshold});
            });
            needs_.close_row();
        }
    }

    /// The node for the initial marking of a module.
    std::uint32_t start_node(std::span<const Tokens> marking) {
        here_.marking.assign(marking.begin(), marking.end());
        evaluate(here_);
        return node_of(stage_of(here_), marking);
    }

    /// Completes all nodes from number `first` on, including those found on the way.
    std::optional<std::string> explore(std::size_t first) {
        for (std::size_t node = first; node < automaton_.nodes.size() && !reason_; ++node) {
            complete(static_cast<std::uint32_t>(node));
            if (automaton_.nodes.size() > max_nodes || automaton_.parts.size() > max_parts ||
                automaton_.nodes.size() * shape_.place_count() > max_numbers)
                reason_ = "a module has too many states";
        }
        for (std::size_t node = first; node < automaton_.nodes.size() && !reason_; ++node)
            draw_ahead(automaton_, static_cast<std::uint32_t>(node));
        return reason_;
    }

  private:
    /// A marking of the module and the facts derived from it, without conditions on supplies. Until a ready
    /// transition has such a condition, the supplies have no influence on the module.
    struct State {
        std::vector<Tokens> marking;
        std::vector<std::uint32_t> unmet;  // per transition: the number of unmet conditions
        std::vector<std::uint32_t> ready;  // transitions without unmet conditions, hubs excluded, ascending
        std::uint32_t stage = no_index;    // if known
    };

    /// Markings that differ only in their supplies, and their common beginning: the path until supplies
    /// matter or a node is reached.
    struct Stage {
        bool asks_supplies;  // whether the next step depends on supplies
        Segment beginning;   // 0 steps: not known yet
        std::uint32_t end;   // the stage at its end
    };

    static std::vector<std::uint32_t> supplies_of(const ModuleShape& shape) {
        std::vector<std::uint32_t> places;
        for (std::uint32_t place = 0; place < shape.place_count(); ++place) {
            if (shape.capacity[place] > 0) places.push_back(place);
        }
        return places;
    }

    bool is_supply(std::uint32_t place) const { return shape_.capacity[place] > 0; }

    /// Calls visit(place, threshold) for the conditions of a transition, in the form of Watch.
    template <class Visit>
    void for_each_condition(std::uint32_t t, Visit&& visit) const {
        for (const auto [place, weight] : shape_.inputs[t]) visit(place, weight);
        for (const auto [place, weight] : shape_.reads[t]) visit(place, weight);
        for (const auto [place, weight] : shape_.inhibitors[t]) visit(place, -weight);
    }

    std::uint32_t stage_of(State& state) {
        if (state.stage != no_index) return state.stage;
        key_ = state.marking;
        for (const std::uint32_t place : supply_place_) key_[place] = 0;
        state.stage = stage_markings_.number_of(key_);
        if (state.stage == stages_.size()) {
            stages_.push_back({asks_supplies(state), {}, no_index});
            stage_unmet_.append_row(state.unmet);
            stage_ready_.append_row(state.ready);
        }
        return state.stage;
    }

    /// Sets here_ to the state of a stage with the supplies of a node.
    void set_here(std::uint32_t stage, std::uint32_t node) {
        const auto marking = stage_markings_[stage], supplied = automaton_.markings[node];
        here_.marking.assign(marking.begin(), marking.end());
        for (const std::uint32_t place : supply_place_) here_.marking[place] = supplied[place];
        const auto unmet = stage_unmet_[stage], ready = stage_ready_[stage];
        here_.unmet.assign(unmet.begin(), unmet.end());
        here_.ready.assign(ready.begin(), ready.end());
        here_.stage = stage;
    }

    /// The node of a marking with this stage.
    std::uint32_t node_of(std::uint32_t stage, std::span<const Tokens> marking) {
        key_.resize(1 + supply_place_.size());
        key_.front() = stage;
        for (std::size_t i = 0; i < supply_place_.size(); ++i) key_[i + 1] = marking[supply_place_[i]];
        const auto node = static_cast<std::uint32_t>(first_node_ + node_keys_.number_of(key_));
        if (node == automaton_.nodes.size()) {
            automaton_.nodes.push_back({});
            automaton_.markings.append_row(marking);
        }
        return node;
    }

    std::uint32_t stage_of_node(std::uint32_t node) const {
        return static_cast<std::uint32_t>(node_keys_[node - first_node_].front());
    }

    /// The change of a place by a step.
    struct Move {
        std::uint32_t place;
        Tokens delta;
        Tokens demand;  // tokens taken before any are given
    };

    /// The combined changes of transitions that fire together, by ascending place. Valid until the next call.
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
        std::erase_if(joined_, [](const Move& move) { return move.delta == 0; });
        return joined_;
    }

    /// Computes the facts derived from a marking.
    void evaluate(State& state) const {
        state.unmet.assign(shape_.transition_count(), 0);
        for (std::size_t place = 0; place < state.marking.size(); ++place) {
            for (const Watch watch : watches_[place])
                state.unmet[watch.transition] += meets(state.marking[place], watch.threshold) ? 0U : 1U;
        }
        state.ready.clear();
        for (std::uint32_t t = 0; t < state.unmet.size(); ++t) {
            if (state.unmet[t] == 0) state.ready.push_back(t);
        }
        state.stage = no_index;
    }

    /// Changes the tokens of a place and updates the derived facts.
    void change(State& state, std::uint32_t place, Tokens delta) const {
        const Tokens before = state.marking[place], after = state.marking[place] += delta;
        for (const auto [t, threshold] : watches_[place]) {
            const bool met = meets(after, threshold);
            if (meets(before, threshold) == met) continue;
            std::vector<std::uint32_t>& ready = state.ready;
            if (!met) {
                if (state.unmet[t]++ == 0) ready.erase(std::find(ready.begin(), ready.end(), t));
            } else if (--state.unmet[t] == 0) {
                ready.insert(std::lower_bound(ready.begin(), ready.end(), t), t);
            }
        }
    }

    /// Whether a ready transition has a condition on a supply.
    bool asks_supplies(const State& state) const {
        return std::any_of(state.ready.begin(), state.ready.end(),
                           [&](std::uint32_t t) { return !needs_[t].empty(); });
    }

    /// Whether a segment must end in a marking with these ready transitions. Sets enabled_ to the transitions
    /// that can fire in it, and competitors_ to those of them that compete.
    bool is_node(std::span<const Tokens> marking, std::span<const std::uint32_t> ready) {
        enabled_.clear();
        for (const std::uint32_t t : ready) {
            const auto needs = needs_[t];
            if (std::all_of(needs.begin(), needs.end(),
                            [&](PlaceWeight need) { return meets(marking[need.place], need.weight); }))
                enabled_.push_back(t);
        }
        competitors_.clear();
        if (enabled_.empty()) return true;
        if (std::any_of(enabled_.begin(), enabled_.end(),
                        [&](std::uint32_t t) { return !shape_.hub_inputs[t].empty(); })) {
            if (enabled_.size() > 1)
                reason_ = "a module that waits for a shared place can do something else meanwhile";
            return true;
        }
        if (enabled_.size() == 1) return false;
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
        if (competitors_.size() > max_competitors) reason_ = "too many transitions compete in a module";
        return !competitors_.empty();
    }

    /// Adds the segments that begin at a node. A node without enabled transitions is over. A node with one
    /// possible step gets one segment, and a node with competitors gets one per distinct set of winners.
    void complete(std::uint32_t number) {
        const std::uint32_t stage = stage_of_node(number);
        const bool decides = is_node(automaton_.markings[number], stage_ready_[stage]);
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

    /// Adds one segment per order of service of the competitors at a node.
    void add_choices(std::uint32_t number) {
        std::array<std::uint32_t, max_competitors> order{};  // positions in competitors_
        std::array<std::uint32_t, max_competitors> kept{};
        std::copy(competitors_.begin(), competitors_.end(), kept.begin());
        const std::span competitors = std::span(kept).first(competitors_.size());
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(competitors.size());
        std::iota(order.begin(), end, 0U);
        always_.clear();
        std::set_difference(enabled_.begin(), enabled_.end(), competitors.begin(), competitors.end(),
                            std::back_inserter(always_));
        std::array<std::uint32_t, 1U << max_competitors> known{};  // per set of winners: its segment
        known.fill(no_index);
        do {
            const auto marking = automaton_.markings[number];
            residual_.assign(marking.begin(), marking.end());
            std::uint32_t winners = 0;
            std::for_each(order.begin(), end, [&](std::uint32_t i) {
                const auto in = shape_.inputs[competitors[i]];
                if (std::any_of(in.begin(), in.end(),
                                [&](PlaceWeight arc) { return residual_[arc.place] < arc.weight; }))
                    return;
                for (const auto [place, weight] : in) residual_[place] -= weight;
                winners |= 1U << i;
            });
            if (known[winners] == no_index) {
                fired_ = always_;
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

    /// Adds a segment that begins at a node with a step of fired_. `chosen`: the step was one of several
    /// possible ones, so it must not be repeated.
    std::uint32_t add_segment(std::uint32_t origin, bool chosen) {
        Segment segment{};
        segment.origin = origin;
        segment.first_effect = static_cast<std::uint32_t>(automaton_.effects.size());
        segment.first_use = static_cast<std::uint32_t>(automaton_.uses.size());
        segment.first_part = static_cast<std::uint32_t>(automaton_.parts.size());
        const std::uint32_t stage = stage_of_node(origin);
        bool open = false;
        if (chosen || stages_[stage].asks_supplies) {
            set_here(stage, origin);
            open = add_part(segment, chosen);
        } else {
            begin(stage, segment);
        }
        while (!reason_ && !open && segment.steps < max_segment_steps &&
               !is_node(here_.marking, here_.ready)) {
            fired_ = enabled_;
            open = add_part(segment, false);
        }
        count_effects(automaton_, segment);
        segment.uses = static_cast<std::uint32_t>(automaton_.uses.size()) - segment.first_use;
        segment.parts = static_cast<std::uint32_t>(automaton_.parts.size()) - segment.first_part;
        if (!reason_) add_targets(segment);
        automaton_.segments.push_back(segment);
        return static_cast<std::uint32_t>(automaton_.segments.size() - 1);
    }

    /// Sets the beginning of a segment to that of its stage, which is explored if it is not known yet.
    void begin(std::uint32_t stage, Segment& segment) {
        const Segment known = stages_[stage].beginning;
        if (known.steps > 0) {
            append_again(automaton_.effects, known.first_effect, known.at_once + known.later);
            append_again(automaton_.parts, known.first_part, known.parts);
            segment.steps = known.steps;
            segment.firings = known.firings;
            set_here(stages_[stage].end, segment.origin);
            return;
        }
        set_here(stage, segment.origin);
        do {
            fired_ = here_.ready;
            add_part(segment, false);
        } while (!reason_ && segment.steps < max_segment_steps && !asks_supplies(here_) &&
                 !is_node(here_.marking, here_.ready));
        count_effects(automaton_, segment);
        segment.parts = static_cast<std::uint32_t>(automaton_.parts.size()) - segment.first_part;
        const std::uint32_t end = stage_of(here_);
        stages_[stage].beginning = segment;
        stages_[stage].end = end;
    }

    /// Fires fired_ in the state here_. Repeats the step while no other transition becomes enabled or
    /// contested and while it needs no supplies, unless `once` is set. Returns whether it used a supply that
    /// may hold more tokens than its marking states.
    bool add_part(Segment& segment, bool once) {
        const std::span<const Move> moves = fired_.size() == 1 ? moves_[fired_.front()] : moves_of(fired_);
        bool open = false, takes_supply = false, gives_to_hub = false;
        for (const Move& move : moves) {
            if (!is_supply(move.place)) continue;
            takes_supply = true;
            open |= here_.marking[move.place] == shape_.capacity[move.place];
        }
        if (moves.empty()) reason_ = "a step of a module can leave it as it is";
        for (const std::uint32_t t : fired_) {
            gives_to_hub |= !shape_.hub_outputs[t].empty() || !shape_.hub_inputs[t].empty();
            for (const auto [hub, weight] : shape_.hub_outputs[t]) add_effect(segment.steps, hub, weight);
        }
        const std::uint32_t repeats = once || takes_supply || gives_to_hub || moves.empty()
                                          ? 1
                                          : repeats_of_step(moves, max_segment_steps - segment.steps);
        const auto fired = static_cast<std::uint32_t>(fired_.size());
        automaton_.parts.push_back({static_cast<std::uint32_t>(automaton_.fired.size()), fired, repeats});
        automaton_.fired.insert(automaton_.fired.end(), fired_.begin(), fired_.end());
        segment.steps += repeats;
        segment.firings += fired * repeats;
        here_.stage = no_index;
        for (const Move& move : moves) {
            const Tokens before = here_.marking[move.place];
            const Tokens delta = move.delta * repeats;
            change(here_, move.place, delta);
            if (is_supply(move.place))
                use_supply(segment, move.place, -delta, before == shape_.capacity[move.place]);
            for (const Watch& watch : shape_.loop_watches[move.place])
                watch_changed(segment.steps - 1, watch, before, before + delta);
        }
        return open;
    }

    /// The number of times that the step from here_ repeats itself, at most `most`.
    std::uint32_t repeats_of_step(std::span<const Move> moves, Tokens most) const {
        for (const auto [place, delta, demand] : moves) {
            // The thresholds closest to the token count, at which a condition changes.
            const Tokens tokens = here_.marking[place];
            Tokens above = max_tokens, below = demand;
            const auto look = [&](std::span<const Watch> watches) {
                for (const Watch watch : watches) {
                    const Tokens threshold = std::abs(Tokens{watch.threshold});
                    if (threshold > tokens) {
                        above = std::min(above, threshold);
                    } else {
                        below = std::max(below, threshold);
                    }
                }
            };
            look(watches_[place]);
            look(shape_.loop_watches[place]);
            if (delta < 0) {
                most = std::min(most, (tokens - below) / -delta + 1);
            } else if (above != max_tokens) {
                most = std::min(most, divided_up(above - tokens, delta));
            }
        }
        return static_cast<std::uint32_t>(std::max<Tokens>(most, 1));
    }

    /// Adds a change of a hub or of the unmet conditions of a loop.
    void add_effect(std::uint32_t offset, std::uint32_t counter, std::int32_t delta) {
        automaton_.effects.push_back({offset, counter, delta});
    }

    /// Adds the effect on a hub loop if its condition on this place becomes true or false.
    void watch_changed(std::uint32_t offset, const Watch& watch, Tokens before, Tokens after) {
        const bool met = meets(after, watch.threshold);
        if (meets(before, watch.threshold) != met) add_effect(offset, hubs_ + watch.transition, met ? -1 : 1);
    }

    /// Adds tokens to the use of a supply within the segment. `open`: the supply may hold more tokens than
    /// its marking states, so its remainder selects the target.
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

    /// Adds one target per possible remainder of the supplies that were used.
    void add_targets(Segment& segment) {
        const std::span<SupplyUse> uses = std::span(automaton_.uses).subspan(segment.first_use, segment.uses);
        std::size_t targets = 1;
        for (SupplyUse& use : uses) {
            if (use.stride == 0) continue;
            use.stride = static_cast<std::uint32_t>(targets);
            targets *= static_cast<std::size_t>(use.weight + 1);
            if (targets > max_targets) {
                reason_ = "a module uses too many tokens of its supplies at once";
                return;
            }
        }
        segment.first_target = static_cast<std::uint32_t>(automaton_.targets.size());
        const std::uint32_t stage = stage_of(here_);
        residual_ = here_.marking;
        for (std::size_t i = 0; i < targets; ++i) {
            for (const SupplyUse& use : uses) {
                if (use.stride == 0) continue;
                const auto missing = static_cast<Tokens>(i / use.stride) % (use.weight + 1);
                residual_[supply_place_[use.supply]] = use.capacity - missing;
            }
            automaton_.targets.push_back(node_of(stage, residual_));
        }
    }

    const ModuleShape& shape_;
    std::uint32_t hubs_;
    ModuleAutomaton& automaton_;
    std::size_t first_node_;                    // of this shape
    std::vector<std::uint32_t> supply_place_;   // per supply
    std::vector<std::uint32_t> supply_number_;  // per place
    Rows<Watch> watches_;        // per place that is no supply: conditions of the module's transitions
    Rows<PlaceWeight> needs_;    // per transition: conditions on supplies (weight: as Watch::threshold)
    Rows<Move> moves_;           // per transition that fires alone, see moves_of()
    RowNumbers node_keys_;       // of this shape's nodes: the stage and the supplies
    RowNumbers stage_markings_;  // with empty supplies
    std::vector<Stage> stages_;
    Rows<std::uint32_t> stage_unmet_, stage_ready_;  // per stage, as in State
    std::optional<std::string> reason_;
    // Buffers that are kept between uses to avoid allocations: the current state of a segment, the
    // transitions that can fire in it, those that compete and those that do not, the next firings, the
    // contested amount per place, another marking, and a search key.
    State here_;
    std::vector<std::uint32_t> enabled_, competitors_, always_, fired_;
    std::vector<Tokens> demand_, residual_, key_;
    std::vector<Move> joined_;
};

}  // namespace

/// Counts, for each position, the later competitors that are smaller (Lehmer code), which gives the
/// lexicographical rank.
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
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const bool again = i > 0 && std::equal(starts[i].begin(), starts[i].end(), starts[i - 1].begin());
        start_nodes.push_back(again ? start_nodes.back() : builder.start_node(starts[i]));
    }
    return builder.explore(first);
}

}  // namespace warpnet

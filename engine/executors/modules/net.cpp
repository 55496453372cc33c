// Finds the modules of a net. The places with more than `hub_consumers` consumers are hubs, and the modules
// are the connected components of the rest. In small nets, places without an equivalent place are hubs, too.
// Modules that are equal in file order, except for their tokens, share one automaton. A transition that
// touches only hubs and does not change them (`idle`) is a hub loop. It may test any place, and the run
// counts its unmet conditions.
//
// The modules are rejected, with a reason, if they could not run independently between hubs. A module is
// rejected if it tests a hub, can make a step without a change, or has too many markings. It is also rejected
// if it waits for a hub while another transition in it is enabled (`issue` against `terminate` in the
// published `warps` net). A net is rejected if a transition moves tokens between hubs, or if there are more
// than 16 hubs and hub loops.

#include "engine/executors/modules/net.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/base/no_index.hpp"
#include "engine/run/served_parts.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

namespace warpnet {

namespace {
constexpr std::size_t max_counters = 16;
constexpr Tokens max_capacity = 64;
/// The usual length of the description of a module: that of a warp has 90 numbers.
constexpr std::size_t usual_text = 128;
/// Hubs with few consumers are searched only in nets with at most this many arcs.
constexpr std::size_t max_arcs_for_likes = 20'000;

/// Splits a net along given hubs.
class Splitter {
  public:
    Splitter(const CompiledNet& net, const std::vector<std::uint32_t>& hubs)
        : net_(net),
          hub_number_(net.place_count(), no_index),
          module_of_(net.place_count(), no_index),
          local_(net.place_count(), no_index) {
        result_->hubs = hubs;
        for (std::uint32_t i = 0; i < hubs.size(); ++i) {
            hub_number_[hubs[i]] = i;
            local_[hubs[i]] = no_index - 1 - i;
        }
    }

    /// Splits the net and builds the automata, or returns the reason against it.
    ModuleAnalysis split() {
        number_modules();
        if (reason_.empty()) find_kinds();
        if (reason_.empty()) build_automata();
        if (!reason_.empty()) return {nullptr, reason_};
        return {std::move(result_), ""};
    }

  private:
    bool is_hub(std::uint32_t place) const { return hub_number_[place] != no_index; }

    /// Finds the modules: the connected components of the net without its hubs.
    void number_modules() {
        DisjointSets forest(net_.place_count());
        const auto transitions = static_cast<std::uint32_t>(net_.transition_count());
        std::vector<std::uint32_t> a_place(transitions,
                                           no_index);  // per transition: one of its places that is no hub
        const auto touches = [&](std::uint32_t t, PlaceWeight arc) {
            if (is_hub(arc.place)) return;
            if (a_place[t] == no_index) {
                a_place[t] = arc.place;
            } else {
                forest.join(a_place[t], arc.place);
            }
        };
        net_.inputs.for_each(touches);
        net_.outputs.for_each(touches);
        for (std::uint32_t t = 0; t < transitions; ++t) {
            if (a_place[t] == no_index) add_loop(t);
        }
        const auto tests = [&](std::uint32_t t, PlaceWeight arc) {
            if (a_place[t] == no_index) return;  // a hub loop may test any place
            touches(t, arc);
            if (is_hub(arc.place)) reason_ = "a module tests a shared place";
        };
        net_.reads.for_each(tests);
        net_.inhibitors.for_each(tests);
        if (result_->counters() > max_counters) reason_ = "too many places are shared";
        if (!reason_.empty()) return;

        std::uint32_t modules = 0;
        for (std::uint32_t place = 0; place < net_.place_count(); ++place) {
            if (is_hub(place)) continue;
            std::uint32_t& number = module_of_[forest.root(place)];  // the root is visited first
            if (number == no_index) number = modules++;
            module_of_[place] = number;
        }
        result_->places = Rows<std::uint32_t>::sorted(modules, [&](auto put) {
            for (std::uint32_t place = 0; place < module_of_.size(); ++place) {
                if (module_of_[place] != no_index) put(module_of_[place], place);
            }
        });
        for (std::uint32_t c = 0; c < modules; ++c) {
            std::uint32_t number = 0;
            for (const std::uint32_t place : result_->places[c]) local_[place] = number++;
        }
        std::vector<std::uint32_t>& owner = result_->owner;
        owner.resize(transitions);
        for (std::uint32_t t = 0; t < transitions; ++t) {
            if (a_place[t] != no_index) owner[t] = module_of_[a_place[t]];
        }
        for (std::uint32_t i = 0; i < result_->loops.size(); ++i)
            owner[result_->loops[i].transition] = modules + i;
        result_->transitions = Rows<std::uint32_t>::sorted(modules, [&](auto put) {
            for (std::uint32_t t = 0; t < transitions; ++t) {
                if (owner[t] < modules) put(owner[t], t);
            }
        });
        if (modules == 0) reason_ = "nothing is left without the shared places";
    }

    void add_loop(std::uint32_t t) {
        if (!net_.effects[t].empty()) {
            reason_ = "a transition moves tokens between shared places";
            return;
        }
        HubLoop loop{t, {}, {}};
        for (const auto [place, weight] : net_.inputs[t]) loop.takes.push_back({hub_number_[place], weight});
        for (const auto [place, weight] : net_.reads[t]) {
            if (is_hub(place)) loop.hub_tests.push_back({hub_number_[place], weight});
        }
        for (const auto [place, weight] : net_.inhibitors[t]) {
            if (is_hub(place)) loop.hub_tests.push_back({hub_number_[place], -weight});
        }
        result_->loops.push_back(std::move(loop));
    }

    /// Finds the kinds of modules. Modules of one kind have equal descriptions.
    void find_kinds() {
        find_loop_watches();
        kind_.reserve(result_->places.size());
        std::map<std::vector<std::uint64_t>, std::uint32_t> known;
        std::vector<std::uint64_t> text;
        text.reserve(usual_text);
        auto latest = known.end();
        for (std::uint32_t c = 0; c < result_->places.size(); ++c) {
            if (latest == known.end() || !is_described_by(c, latest->first)) {
                text.clear();
                describe(c, [&](std::uint64_t number) { text.push_back(number); });
                const auto next = static_cast<std::uint32_t>(shapes_.size());
                const auto [at, added] = known.try_emplace(text, next);
                latest = at;
                if (added) shapes_.push_back(shape_of(c));
            }
            kind_.push_back(latest->second);
        }
        of_kind_ = Rows<std::uint32_t>::sorted(shapes_.size(), [&](auto put) {
            for (std::uint32_t c = 0; c < kind_.size(); ++c) put(kind_[c], c);
        });
        result_->kinds = shapes_.size();
    }

    /// Calls visit() for the numbers that describe the places and transitions of a module.
    template <class Visit>
    void describe(std::uint32_t c, Visit&& visit) const {
        const auto put = [&](std::size_t high, std::uint32_t low) { visit(std::uint64_t{high} << 32 | low); };
        const auto put_row = [&](std::span<const PlaceWeight> row) {
            for (const auto [place, weight] : row) put(local_[place], static_cast<std::uint32_t>(weight));
        };
        visit(result_->places[c].size());
        for (const std::uint32_t t : result_->transitions[c]) {
            const auto in = net_.inputs[t], out = net_.outputs[t];
            const auto reads = net_.reads[t], inhibitors = net_.inhibitors[t];
            put(in.size(), static_cast<std::uint32_t>(out.size()));
            put(reads.size(), static_cast<std::uint32_t>(inhibitors.size()));
            put_row(in);
            put_row(out);
            put_row(reads);
            put_row(inhibitors);
        }
        for (const std::uint32_t place : result_->places[c]) {
            for (const Watch& watch : loop_watches_[place]) {
                put(local_[place], watch.transition);
                visit(static_cast<std::uint32_t>(watch.threshold));
            }
        }
    }

    bool is_described_by(std::uint32_t c, const std::vector<std::uint64_t>& text) const {
        auto at = text.begin();
        bool equal = true;
        describe(c, [&](std::uint64_t number) { equal = equal && at != text.end() && *at++ == number; });
        return equal && at == text.end();
    }

    void find_loop_watches() {
        loop_watches_ = Rows<Watch>::sorted(net_.place_count(), [&](auto put) {
            for (std::uint32_t i = 0; i < result_->loops.size(); ++i) {
                const std::uint32_t t = result_->loops[i].transition;
                for (const auto [place, weight] : net_.reads[t]) put(place, Watch{i, weight});
                for (const auto [place, weight] : net_.inhibitors[t]) put(place, Watch{i, -weight});
            }
        });
    }

    ModuleShape shape_of(std::uint32_t c) const {
        ModuleShape shape;
        const std::size_t transitions = result_->transitions[c].size();
        for (Rows<PlaceWeight>* rows : {&shape.inputs, &shape.outputs, &shape.hub_inputs, &shape.hub_outputs})
            rows->reserve(transitions, 2 * transitions);
        for (Rows<PlaceWeight>* rows : {&shape.reads, &shape.inhibitors}) rows->reserve(transitions, 0);
        shape.loop_watches.reserve(result_->places[c].size(), 0);
        shape.capacity.reserve(result_->places[c].size());
        const auto divide = [&](std::span<const PlaceWeight> row, Rows<PlaceWeight>& own,
                                Rows<PlaceWeight>* hubs) {
            for (const auto [place, weight] : row) {
                if (is_hub(place)) {
                    hubs->append({hub_number_[place], weight});
                } else {
                    own.append({local_[place], weight});
                }
            }
            own.close_row();
            if (hubs != nullptr) hubs->close_row();
        };
        std::vector<Tokens> levels(result_->places[c].size(), 0), taken(result_->places[c].size(), 0);
        std::vector<std::uint8_t> refilled(result_->places[c].size(), 0);
        const auto level = [&](std::uint32_t place, Tokens weight) {
            levels[place] = std::max(levels[place], weight);
        };
        for (const std::uint32_t t : result_->transitions[c]) {
            divide(net_.inputs[t], shape.inputs, &shape.hub_inputs);
            divide(net_.outputs[t], shape.outputs, &shape.hub_outputs);
            divide(net_.reads[t], shape.reads, nullptr);
            divide(net_.inhibitors[t], shape.inhibitors, nullptr);
            const std::size_t row = shape.inputs.size() - 1;
            for (const auto [place, weight] : shape.inputs[row]) taken[place] += weight;
            for (const auto [place, weight] : shape.outputs[row]) refilled[place] = 1;
            for (const auto& tests : {shape.reads[row], shape.inhibitors[row]}) {
                for (const auto [place, weight] : tests) level(place, weight);
            }
        }
        for (const std::uint32_t place : result_->places[c]) {
            shape.loop_watches.append_row(loop_watches_[place]);
        }
        for (std::size_t place = 0; place < levels.size(); ++place) {
            const Tokens capacity = std::max(levels[place], taken[place]);
            // The effect of a segment on hub loops must not depend on the remainder of a supply.
            const bool may_be_supply = refilled[place] == 0 && taken[place] > 0 && capacity <= max_capacity &&
                                       shape.loop_watches[place].empty();
            shape.capacity.push_back(may_be_supply ? capacity : 0);
        }
        return shape;
    }

    /// Builds one automaton for all kinds of modules. A supply gets a capacity only if some module starts
    /// with more tokens than its capacity; otherwise its exact count is part of the marking.
    void build_automata() {
        result_->start.resize(kind_.size());
        for (std::size_t kind = 0; kind < shapes_.size() && reason_.empty(); ++kind) {
            ModuleShape& shape = shapes_[kind];
            for (std::size_t place = 0; place < shape.place_count(); ++place) {
                // If no module of the kind has more tokens than have an influence, the marking contains them
                // all.
                Tokens& capacity = shape.capacity[place];
                const auto has_plenty = [&](std::uint32_t c) {
                    return net_.initial[result_->places[c][place]] > capacity;
                };
                if (capacity > 0 && std::none_of(of_kind_[kind].begin(), of_kind_[kind].end(), has_plenty))
                    capacity = 0;
            }
            Rows<Tokens> starts;
            starts.reserve(of_kind_[kind].size(), of_kind_[kind].size() * shape.place_count());
            for (const std::uint32_t c : of_kind_[kind]) {
                const auto places = result_->places[c];
                for (std::size_t place = 0; place < places.size(); ++place) {
                    const Tokens tokens = net_.initial[places[place]], capacity = shape.capacity[place];
                    starts.append(capacity > 0 ? std::min(tokens, capacity) : tokens);
                }
                starts.close_row();
            }
            std::vector<std::uint32_t> start_nodes;
            if (auto reason = add_automaton(shape, static_cast<std::uint32_t>(result_->hubs.size()), starts,
                                            result_->automaton, start_nodes))
                reason_ = std::move(*reason);
            for (std::size_t i = 0; i < start_nodes.size(); ++i)
                result_->start[of_kind_[kind][i]] = start_nodes[i];
        }
        if (!reason_.empty()) return;
        for (std::uint32_t c = 0; c < kind_.size(); ++c) {
            const auto places = result_->places[c];
            const std::vector<Tokens>& capacity = shapes_[kind_[c]].capacity;
            for (std::size_t place = 0; place < places.size(); ++place) {
                if (capacity[place] > 0) result_->supplies.append(places[place]);
            }
            result_->supplies.close_row();
            result_->most_supplies = std::max(result_->most_supplies, result_->supplies[c].size());
        }
        find_start();
        for (const Segment& segment : result_->automaton.segments)
            result_->longest_segment = std::max(result_->longest_segment, segment.steps);
        check_weights();
        const auto no_counter = static_cast<std::uint32_t>(result_->counters());
        pair_effects(result_->automaton, no_counter);
        result_->routes = ModuleRoutes(result_->automaton, no_counter);
        if (result_->automaton.demand_classes.size() > 64)
            reason_ = "too many different demands on shared places";
    }

    /// Sets the initial supplies of the modules and the initial counters of hubs and loops.
    void find_start() {
        for (std::uint32_t c = 0; c < kind_.size(); ++c) {
            for (const std::uint32_t place : result_->supplies[c])
                result_->start_supplies.push_back(net_.initial[place]);
            result_->start_supplies.resize((c + 1) * result_->most_supplies, 0);
        }
        for (const std::uint32_t hub : result_->hubs) result_->start_counters.push_back(net_.initial[hub]);
        for (const HubLoop& loop : result_->loops) {
            Tokens unmet = 0;
            for (const auto [place, weight] : net_.reads[loop.transition])
                unmet += !is_hub(place) && net_.initial[place] < weight ? 1 : 0;
            for (const auto [place, weight] : net_.inhibitors[loop.transition])
                unmet += !is_hub(place) && net_.initial[place] >= weight ? 1 : 0;
            result_->start_counters.push_back(unmet);
        }
    }

    /// A run by modules does not check for overflow. A hub that starts with at most 2^62 tokens and wins at
    /// most 2^16 per step needs at least 2^46 steps with changes to overflow, which takes days.
    void check_weights() {
        constexpr Tokens most_gain = Tokens{1} << 16;
        Tokens largest = 0;
        for (const TimedEffect& effect : result_->automaton.effects)
            largest = std::max<Tokens>(largest, effect.delta < 0 ? -Tokens{effect.delta} : effect.delta);
        const auto modules = static_cast<Tokens>(kind_.size());
        if (largest > most_gain / modules ||
            std::any_of(result_->hubs.begin(), result_->hubs.end(),
                        [&](std::uint32_t hub) { return net_.initial[hub] > Tokens{1} << 62; }))
            reason_ = "a shared place could overflow";
    }

    const CompiledNet& net_;
    std::shared_ptr<ModuleNet> result_ = std::make_shared<ModuleNet>();
    std::string reason_;
    std::vector<std::uint32_t> hub_number_, module_of_;  // per place
    std::vector<std::uint32_t> local_;  // per place: its number in the module; hubs have the highest numbers
    Rows<Watch> loop_watches_;          // per place: conditions of hub loops (Watch::transition: the loop)
    std::vector<ModuleShape> shapes_;
    std::vector<std::uint32_t> kind_;  // per module
    Rows<std::uint32_t> of_kind_;      // modules
};

/// The places whose surroundings, up to a distance of six arcs, differ from those of all other places.
std::vector<std::uint32_t> places_without_like(const CompiledNet& net) {
    const std::vector<std::uint64_t> places =
        looks_of(net, 3, [](std::uint32_t) { return std::uint64_t{0}; }).places;
    std::vector<std::uint64_t> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint32_t> result;
    for (std::uint32_t place = 0; place < places.size(); ++place) {
        const auto [begin, end] = std::equal_range(sorted.begin(), sorted.end(), places[place]);
        if (end - begin == 1) result.push_back(place);
    }
    return result;
}

/// The places from which some transition takes tokens only to give them back at once.
std::vector<std::uint32_t> borrowed_places(const CompiledNet& net) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
        if (!net.effects[t].empty()) continue;
        for (const PlaceWeight input : net.inputs[t]) result.push_back(input.place);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

}  // namespace

/// Tries several sets of hubs, from the plainest to the most speculative: places with many consumers, then
/// places without an equivalent in small nets, then borrowed places if requested.
ModuleAnalysis find_modules(const CompiledNet& net, std::uint32_t hub_consumers, bool borrowed_hubs) {
    if (!is_timed(net)) return {nullptr, "it has immediate transitions or priorities"};
    std::vector<std::uint32_t> hubs, consumers(net.place_count(), 0);
    for (const PlaceWeight input : net.inputs.all()) ++consumers[input.place];
    for (std::uint32_t place = 0; place < net.place_count(); ++place) {
        if (consumers[place] > hub_consumers) hubs.push_back(place);
    }
    ModuleAnalysis analysis{nullptr, "no place has many consumers"};
    if (!hubs.empty()) analysis = Splitter(net, hubs).split();
    const auto try_hubs = [&](const std::vector<std::uint32_t>& others) {
        if (others.empty() || others.size() == net.place_count() || others == hubs) return;
        if (ModuleAnalysis next = Splitter(net, others).split(); next.net || hubs.empty())
            analysis = std::move(next);
    };
    if (!analysis.net && net.inputs.all().size() + net.outputs.all().size() <= max_arcs_for_likes)
        try_hubs(places_without_like(net));
    if (!analysis.net && borrowed_hubs) try_hubs(borrowed_places(net));
    return analysis;
}

ModuleRoutes::ModuleRoutes(const ModuleAutomaton& automaton, std::uint32_t counters)
    : nodes_(automaton.nodes.size()), routes_(automaton.orders.size()) {
    targets_.reserve(automaton.targets.size());
    for (const std::uint32_t target : automaton.targets) targets_.push_back(&nodes_[target]);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const ModuleNode& node = automaton.nodes[i];
        const bool waits = node.kind == ModuleNode::Kind::waiting;
        nodes_[i] = {routes_.data() + node.first_order, node.orders, waits ? node.demand_class : no_index,
                     static_cast<std::uint32_t>(i), node.kind};
    }
    for (std::size_t i = 0; i < routes_.size(); ++i) {
        const Segment& segment = automaton.segments[automaton.orders[i]];
        Route& route = routes_[i];
        route.targets = targets_.data() + segment.first_target;
        route.pair_offset = segment.steps - 1;
        route.counter = static_cast<std::uint8_t>(counters);
        if (segment.at_once > 0) {
            const TimedEffect& effect = automaton.effects[segment.first_effect];
            route.counter = static_cast<std::uint8_t>(effect.counter);
            route.delta = effect.delta;
        }
        if (segment.pairs > 0) {
            const EffectPair& pair = automaton.pairs[segment.first_pair];
            route.deltas = pair.deltas;
            route.pair_offset = pair.offset;
            route.pair = static_cast<std::uint8_t>(pair.pair);
        }
        if (segment.uses > 0) {
            const SupplyUse& use = automaton.uses[segment.first_use];
            route.supply = use.supply;
            route.stride = use.stride;
            route.weight = static_cast<std::int32_t>(use.weight);
            route.capacity = static_cast<std::int32_t>(use.capacity);
        }
        route.steps = segment.steps;
        route.firings = segment.firings;
        route.segment = automaton.orders[i];
        route.more = segment.at_once > 1 || segment.pairs > 1 || segment.uses > 1;
        for (std::uint32_t k = 0; k < segment.at_once; ++k) {
            const TimedEffect& effect = automaton.effects[segment.first_effect + k];
            if (effect.counter == automaton.timed[0]) route.at_once += effect.delta;
            if (effect.counter == automaton.timed[1]) route.at_once += std::int64_t{effect.delta} << 32;
            if (!automaton.is_in_first_pair(effect.counter)) route.more = true;
        }
    }
}

// The hubs of a small net have few consumers, so several thresholds are tried until the net consists of
// modules.

namespace {

/// Per place: whether a transition that changes the marking gives it tokens.
std::vector<std::uint8_t> given_back(const CompiledNet& net) {
    std::vector<std::uint8_t> given(net.place_count(), 0);
    for (std::size_t t = 0; t < net.transition_count(); ++t) {
        if (net.effects[t].empty()) continue;
        for (const PlaceWeight& output : net.outputs[t]) given[output.place] = 1;
    }
    return given;
}

constexpr std::uint32_t few_consumers = 4;  // like the schedulers of SMs with few warps

}  // namespace

std::vector<std::uint32_t> shared_places(const CompiledNet& net) {
    for (const std::uint32_t consumers : {CompileOptions{}.hub_consumers, few_consumers}) {
        const ModuleAnalysis modules = find_modules(net, consumers);
        if (!modules.net) continue;
        std::vector<std::uint32_t> shared = modules.net->hubs;
        const std::vector<std::uint8_t> given = given_back(net);
        std::erase_if(shared, [&](std::uint32_t hub) { return net.initial[hub] == 0 || given[hub] == 0; });
        return shared;
    }
    return {};
}

}  // namespace warpnet

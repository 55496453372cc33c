// Finds parts that a dispatcher restarts, such as SMs that get one block after the other. A dispatcher takes
// a token from a stock that no transition fills, takes all tokens of a counter, and restores the initial
// marking of its part. Each block run of a part is then a run of modules of its own, with its own random
// stream. Block runs are independent of each other except for their order, so a grid of 10⁵ transitions costs
// one SM.
//
// The required properties are proven on the automaton of the modules: each module ends with the transition
// that counts it and with no other. The hubs then hold the tokens that the dispatcher expects, and no
// transition of the part can fire.

#include "engine/executors/parts/restarted_parts.hpp"

#include "engine/base/disjoint_sets.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/executors/parts/net_part.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warpnet {

namespace {

/// A transition that starts block runs, and the transitions that count for it.
struct Dispatcher {
    std::uint32_t transition, stock, counter;
    std::vector<std::uint32_t> counting;  ///< the transitions that give a token to the counter
};

/// Finds the dispatchers of a net by their structure.
class DispatcherFinder {
  public:
    explicit DispatcherFinder(const CompiledNet& net) : net_(net), uses_(net.place_count()) {
        for (const PlaceWeight arc : net.inputs.all()) ++uses_[arc.place].takers;
        for (const PlaceWeight arc : net.outputs.all()) ++uses_[arc.place].givers;
        for (const auto* rows : {&net.inhibitors, &net.reads}) {
            for (const PlaceWeight arc : rows->all()) uses_[arc.place].is_tested = true;
        }
    }

    /// Empty if there are none, or if they do not share a single stock.
    std::vector<Dispatcher> find() {
        std::vector<Dispatcher> found;
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            const auto inputs = net_.inputs[t];
            if (inputs.size() != 2 || !net_.inhibitors[t].empty() || !net_.reads[t].empty()) continue;
            for (const std::size_t stock : {0U, 1U}) {
                if (is_stock(inputs[stock]) && is_counter(inputs[1 - stock]))
                    found.push_back({t, inputs[stock].place, inputs[1 - stock].place, {}});
            }
        }
        const auto shares = [&](const Dispatcher& d) { return d.stock == found.front().stock; };
        if (found.empty() || uses_[found.front().stock].takers != found.size() ||
            !std::all_of(found.begin(), found.end(), shares) || !find_counting(found))
            return {};
        return found;
    }

  private:
    struct Uses {
        std::uint32_t takers = 0, givers = 0;
        bool is_tested = false;
    };

    bool is_stock(PlaceWeight input) const {
        const Uses& uses = uses_[input.place];
        return input.weight == 1 && uses.givers == 0 && !uses.is_tested;
    }
    bool is_counter(PlaceWeight input) const {
        const Uses& uses = uses_[input.place];
        return uses.takers == 1 && !uses.is_tested && Tokens{uses.givers} == Tokens{input.weight} &&
               net_.initial[input.place] == 0;
    }
    /// Returns false if a transition gives more than one token to a counter.
    bool find_counting(std::vector<Dispatcher>& dispatchers) const {
        std::map<std::uint32_t, Dispatcher*> by_counter;
        for (Dispatcher& dispatcher : dispatchers) by_counter.emplace(dispatcher.counter, &dispatcher);
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            for (const auto [place, weight] : net_.outputs[t]) {
                const auto at = by_counter.find(place);
                if (at == by_counter.end()) continue;
                if (weight != 1) return false;
                at->second->counting.push_back(t);
            }
        }
        return true;
    }

    const CompiledNet& net_;
    std::vector<Uses> uses_;  // per place
};

/// Explores everything that a module can do in a block run.
class ModuleInBlockRun {
  public:
    /// `last`: the transition of the module that counts its end.
    ModuleInBlockRun(const BlockRun& block_run, std::uint32_t module, std::uint32_t last)
        : modules_(*block_run.modules),
          automaton_(modules_.automaton),
          end_(block_run.end),
          module_(module),
          last_(last) {}

    /// The change of the hubs by a block run, if every path ends with the last transition, in the end marking
    /// and with the same change.
    std::optional<std::vector<Tokens>> change_of_hubs() {
        const std::uint32_t start = modules_.start[module_];
        if (is_over(start)) return std::nullopt;
        at_[start].resize(modules_.hubs.size());
        std::vector<std::uint32_t> open = {start};
        while (!open.empty()) {
            const std::uint32_t node = open.back();
            open.pop_back();
            if (!follow(node, open)) return std::nullopt;
        }
        return change_;
    }

  private:
    bool is_over(std::uint32_t node) const { return automaton_.nodes[node].kind == ModuleNode::Kind::over; }

    /// Follows all segments from a node. Returns false if a block run lacks a required property.
    bool follow(std::uint32_t node, std::vector<std::uint32_t>& open) {
        const ModuleNode& from = automaton_.nodes[node];
        for (std::uint32_t i = 0; i < from.orders; ++i) {
            const Segment& segment = automaton_.segments[automaton_.orders[from.first_order + i]];
            std::vector<Tokens> after = at_.at(node);
            if (from.kind == ModuleNode::Kind::waiting) {
                for (const auto [hub, weight] : automaton_.demand_classes[from.demand_class])
                    after[hub] -= weight;
            }
            for (std::uint32_t e = 0; e < segment.at_once + segment.later; ++e) {
                const TimedEffect& effect = automaton_.effects[segment.first_effect + e];
                if (effect.counter < after.size()) after[effect.counter] += effect.delta;
            }
            const std::optional<bool> ends = fires_last_at_end(segment);
            if (!ends) return false;
            std::size_t targets = 1;
            for (std::uint32_t u = 0; u < segment.uses; ++u) {
                const SupplyUse& use = automaton_.uses[segment.first_use + u];
                targets += use.stride * static_cast<std::size_t>(use.capacity);
            }
            for (std::size_t t = 0; t < targets; ++t) {
                if (!arrive(automaton_.targets[segment.first_target + t], *ends, after, open)) return false;
            }
        }
        return true;
    }

    bool arrive(std::uint32_t node, bool ends, const std::vector<Tokens>& change,
                std::vector<std::uint32_t>& open) {
        if (is_over(node) != ends) return false;
        const auto [known, is_new] = at_.try_emplace(node, change);
        if (known->second != change) return false;
        if (!ends) {
            if (is_new) open.push_back(node);
            return true;
        }
        if (change_ && *change_ != change) return false;
        change_ = change;
        return is_end(node);
    }

    /// Whether the last transition fires in the last step of a segment. Empty if it fires earlier.
    std::optional<bool> fires_last_at_end(const Segment& segment) const {
        bool ends = false;
        for (std::uint32_t i = 0; i < segment.parts; ++i) {
            const PathPart& part = automaton_.parts[segment.first_part + i];
            const auto fired = automaton_.fired.begin() + part.first_fired;
            if (std::find(fired, fired + part.fired, last_) == fired + part.fired) continue;
            if (i + 1 != segment.parts || part.repeats != 1) return std::nullopt;
            ends = true;
        }
        return ends;
    }

    /// Whether a node has the end marking. A node contains whether supplies are empty.
    bool is_end(std::uint32_t node) const {
        const auto marking = automaton_.markings[node];
        const auto places = modules_.places[module_];
        for (std::size_t p = 0; p < places.size(); ++p) {
            const auto supplies = modules_.supplies[module_];
            const bool is_supply = std::find(supplies.begin(), supplies.end(), places[p]) != supplies.end();
            if (marking[p] != end_[places[p]] || (is_supply && marking[p] != 0)) return false;
        }
        return true;
    }

    const ModuleNet& modules_;
    const ModuleAutomaton& automaton_;
    const Marking& end_;
    std::uint32_t module_, last_;
    std::map<std::uint32_t, std::vector<Tokens>> at_;  // per visited node: the change of the hubs so far
    std::optional<std::vector<Tokens>> change_;
};

/// Whether the part is dead in the end marking, and whether the modules end only there, each with one of the
/// last transitions.
bool ends_as_it_should(const BlockRun& block_run) {
    const ModuleNet& modules = *block_run.modules;
    if (block_run.last.size() != modules.size()) return false;
    std::vector<std::uint32_t> last_of(modules.size(), 0);
    std::vector<std::uint8_t> known(modules.size(), 0);
    for (const std::uint32_t t : block_run.last) {
        const std::uint32_t module = modules.owner[t];
        if (module >= modules.size() || known[module] != 0) return false;
        known[module] = 1;
        const auto transitions = modules.transitions[module];
        last_of[module] = static_cast<std::uint32_t>(
            std::lower_bound(transitions.begin(), transitions.end(), t) - transitions.begin());
    }
    std::vector<Tokens> hubs;
    for (const std::uint32_t hub : modules.hubs) hubs.push_back(block_run.net.initial[hub]);
    for (std::uint32_t module = 0; module < modules.size(); ++module) {
        const auto change = ModuleInBlockRun(block_run, module, last_of[module]).change_of_hubs();
        if (!change) return false;
        for (std::size_t i = 0; i < hubs.size(); ++i) hubs[i] += (*change)[i];
    }
    for (std::size_t i = 0; i < hubs.size(); ++i) {
        if (hubs[i] != block_run.end[modules.hubs[i]]) return false;
    }
    for (std::uint32_t t = 0; t < block_run.net.transition_count(); ++t) {
        if (enabled(block_run.net, block_run.end, t)) return false;
    }
    return true;
}

/// Finds the parts of a net with known dispatchers.
class PartFinder {
  public:
    PartFinder(const CompiledNet& net, const CompileOptions& arrays,
               const std::vector<Dispatcher>& dispatchers)
        : net_(net),
          arrays_(arrays),
          dispatchers_(dispatchers),
          places_(static_cast<std::uint32_t>(net.place_count())),
          forest_(net.place_count() + net.transition_count()),
          is_apart_(net.place_count() + net.transition_count(), 0) {}

    std::shared_ptr<const RestartedParts> find() {
        connect();
        auto result = std::make_shared<RestartedParts>();
        result->stock = dispatchers_.front().stock;
        std::map<std::uint32_t, std::size_t> number_of;  // of roots
        for (const Dispatcher& dispatcher : dispatchers_) {
            const std::uint32_t root = forest_.root(places_ + dispatcher.counting.front());
            if (!number_of.emplace(root, result->parts.size()).second) return nullptr;
            result->parts.push_back({{}, dispatcher.transition, dispatcher.counter, nullptr});
        }
        for (std::uint32_t node = 0; node < is_apart_.size(); ++node) {
            if (is_apart_[node] != 0) continue;
            const auto at = number_of.find(forest_.root(node));
            if (at == number_of.end()) {
                if (node >= places_) return nullptr;
                continue;  // a place without arcs
            }
            NetPart& nodes = result->parts[at->second].nodes;
            if (node < places_) {
                nodes.places.push_back(node);
            } else {
                nodes.transitions.push_back(node - places_);
            }
        }
        PartCutter cutter(net_);
        for (std::size_t i = 0; i < result->parts.size(); ++i) {
            RestartedPart& part = result->parts[i];
            part.block_run = block_run_of(part, dispatchers_[i].counting, cutter);
            if (part.block_run == nullptr) return nullptr;
        }
        result->kinds = known_.size();
        return result;
    }

  private:
    /// Joins nodes that arcs connect, except through dispatchers, counters and the stock.
    void connect() {
        for (const Dispatcher& dispatcher : dispatchers_) {
            is_apart_[places_ + dispatcher.transition] = 1;
            is_apart_[dispatcher.stock] = is_apart_[dispatcher.counter] = 1;
        }
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            if (is_apart_[places_ + t] != 0) continue;
            for (const auto& row : {net_.inputs[t], net_.outputs[t], net_.inhibitors[t], net_.reads[t]}) {
                for (const PlaceWeight arc : row) {
                    if (is_apart_[arc.place] == 0) forest_.join(arc.place, places_ + t);
                }
            }
        }
    }

    /// Null if the part cannot be restarted.
    std::shared_ptr<const BlockRun> block_run_of(const RestartedPart& part,
                                                 const std::vector<std::uint32_t>& counting,
                                                 PartCutter& cutter) {
        const auto number_in = [](const std::vector<std::uint32_t>& nodes, std::uint32_t node) {
            const auto at = std::lower_bound(nodes.begin(), nodes.end(), node);
            return at == nodes.end() || *at != node
                       ? std::nullopt
                       : std::optional(static_cast<std::uint32_t>(at - nodes.begin()));
        };
        NetArcs arcs = cutter.cut(part.nodes);
        Marking end = arcs.initial;
        for (const auto [place, weight] : net_.outputs[part.dispatcher]) {
            const auto number = number_in(part.nodes.places, place);
            if (!number || end[*number] < weight) return nullptr;
            end[*number] -= weight;
        }
        std::vector<std::uint32_t> last;
        for (const std::uint32_t transition : counting) {
            const auto number = number_in(part.nodes.transitions, transition);
            if (!number) return nullptr;
            last.push_back(*number);
        }
        const auto make = [&](const NetArcs& of) -> std::shared_ptr<const BlockRun> {
            auto block_run = std::make_shared<BlockRun>();
            block_run->net = compile(of, arrays_);
            block_run->modules = find_modules(block_run->net, arrays_.hub_consumers).net;
            block_run->end = end;
            block_run->last = last;
            return block_run->modules != nullptr && ends_as_it_should(*block_run) ? block_run : nullptr;
        };
        auto block_run = known_.find_or_make(std::move(arcs), make);
        // Equal parts may still be started and counted in different ways.
        return block_run != nullptr && block_run->end == end && block_run->last == last ? block_run : nullptr;
    }

    const CompiledNet& net_;
    const CompileOptions& arrays_;
    const std::vector<Dispatcher>& dispatchers_;
    std::uint32_t places_;
    DisjointSets forest_;                 // places, then transitions
    std::vector<std::uint8_t> is_apart_;  // likewise
    KnownParts<BlockRun> known_;
};

}  // namespace

std::shared_ptr<const RestartedParts> find_restarted_parts(const CompiledNet& net,
                                                           const CompileOptions& arrays) {
    if (!is_timed(net)) return nullptr;
    const std::vector<Dispatcher> dispatchers = DispatcherFinder(net).find();
    return dispatchers.empty() ? nullptr : PartFinder(net, arrays, dispatchers).find();
}

}  // namespace warpnet

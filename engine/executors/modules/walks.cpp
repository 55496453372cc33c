// Reconstructs firings and markings in the middle of segments. The executor itself only moves modules from
// node to node. When an observer, a count or the end of a run needs the state at a step, the path parts of
// the current segment are replayed up to this step. The cost is proportional to the path parts and not to the
// steps, because a path part covers consecutive equal steps.

#include "engine/executors/modules/walks.hpp"

#include <algorithm>

namespace warpnet {

ModuleWalks::ModuleWalks(const CompiledNet& net, const ModuleNet& modules)
    : net_(net), modules_(modules), walks_(modules_.size()), supplies_(modules_.start_supplies) {
    for (std::uint32_t c = 0; c < modules_.size(); ++c) {
        walks_[c].node = modules_.routes.node(modules_.start[c]);
        walks_[c].supplies = supplies_.data() + c * modules_.most_supplies;
    }
}

/// The number of steps that a walk has made up to a step. REQUIRES: the step is not before its beginning.
std::uint64_t ModuleWalks::steps_until(const Walk& walk, std::uint64_t step) const {
    if (walk.route == nullptr) return 0;
    return std::min<std::uint64_t>(walk.route->steps, step + 1 - walk.begun);
}

/// Calls visit(transitions of the module, number of consecutive steps) for `steps` steps of a walk, beginning
/// `skip` steps after its start.
template <class Visit>
void ModuleWalks::for_each_part(const Walk& walk, std::uint64_t skip, std::uint64_t steps,
                                Visit&& visit) const {
    const ModuleAutomaton& automaton = modules_.automaton;
    const Segment& segment = automaton.segments[walk.route->segment];
    for (std::uint32_t i = 0; i < segment.parts && steps > 0; ++i) {
        const PathPart& part = automaton.parts[segment.first_part + i];
        const std::uint64_t skipped = std::min<std::uint64_t>(skip, part.repeats);
        const std::uint64_t repeats = std::min(part.repeats - skipped, steps);
        skip -= skipped;
        steps -= repeats;
        if (repeats > 0) visit(std::span(automaton.fired).subspan(part.first_fired, part.fired), repeats);
    }
}

void ModuleWalks::count(std::uint32_t c, std::uint64_t step, std::vector<std::uint64_t>& counts) const {
    const std::uint64_t steps = steps_until(walks_[c], step);
    if (steps == 0) return;
    for_each_part(walks_[c], 0, steps, [&](std::span<const std::uint32_t> fired, std::uint64_t repeats) {
        for (const std::uint32_t t : fired) counts[modules_.transitions[c][t]] += repeats;
    });
}

void ModuleWalks::fired_in(std::uint64_t step, std::vector<Firing>& firings) const {
    for (std::uint32_t c = 0; c < walks_.size(); ++c) {
        const Walk& walk = walks_[c];
        if (steps_until(walk, step) != step + 1 - walk.begun) continue;
        for_each_part(walk, step - walk.begun, 1, [&](std::span<const std::uint32_t> fired, std::uint64_t) {
            for (const std::uint32_t t : fired) firings.push_back({modules_.transitions[c][t], 1});
        });
    }
}

std::uint64_t ModuleWalks::firings_after(std::uint64_t step) const {
    std::uint64_t firings = 0;
    for (const Walk& walk : walks_) {
        const std::uint64_t done = steps_until(walk, step);
        if (done == 0) continue;
        const std::uint64_t left = walk.route->steps - done;
        for_each_part(walk, done, left, [&](std::span<const std::uint32_t> fired, std::uint64_t repeats) {
            firings += fired.size() * repeats;
        });
    }
    return firings;
}

void ModuleWalks::settle(std::uint64_t step, Marking& marking) const {
    const ModuleAutomaton& automaton = modules_.automaton;
    for (std::uint32_t c = 0; c < walks_.size(); ++c) {
        const Walk& walk = walks_[c];
        const std::uint64_t done = steps_until(walk, step);
        const bool arrived = walk.route == nullptr || done == walk.route->steps;
        const auto row =
            automaton.markings[arrived ? walk.node.number : automaton.segments[walk.route->segment].origin];
        for (std::size_t i = 0; i < row.size(); ++i) marking[modules_.places[c][i]] = row[i];
        const auto supplies = modules_.supplies[c];
        for (std::size_t i = 0; i < supplies.size(); ++i) marking[supplies[i]] = walk.supplies[i];
        if (arrived) continue;
        const Segment& segment = automaton.segments[walk.route->segment];
        for (std::uint32_t i = 0; i < segment.uses; ++i) {
            const SupplyUse& use = automaton.uses[segment.first_use + i];
            marking[supplies[use.supply]] += use.weight;
        }
        for_each_part(walk, 0, done, [&](std::span<const std::uint32_t> fired, std::uint64_t repeats) {
            for (const std::uint32_t t : fired) {
                for (const Effect& effect : net_.effects[modules_.transitions[c][t]]) {
                    if (!modules_.is_hub(effect.place))
                        marking[effect.place] += effect.delta * static_cast<Tokens>(repeats);
                }
            }
        });
    }
}

}  // namespace warpnet

// Chooses the engine for the figures of a state space. Most nets have few states. So the first 200,000 states
// are explored one by one (or 20,000 orbits under a symmetry, which cost more each). Only a net with more
// states is worth a diagram, which gets little effort: if it has not finished by then, the exploration starts
// again without a limit. So an attempt costs at most a few seconds. The figures of a diagram are used if the
// graph has too many edges for the exploration to study. Then they lack only the depth. A symmetry allows
// more edges. If the exploration ends at its limit of memory, a diagram gets more effort, because nothing
// else is left. Tried and rejected: a diagram first. It is slower on small nets, because their variable order
// costs more than the whole exploration.

#include "analysis/states/properties/figures.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/state_space.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/base/work_limits.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace warpnet::states {

namespace {

constexpr std::uint64_t few_edges = 2'000'000;  // up to here liveness is computed without a request
constexpr std::uint64_t first_states = 200'000, first_orbits = 20'000;
constexpr std::uint64_t quick_effort = 16'000'000;  // visits of nodes
constexpr std::uint64_t most_saved = 20;            // by a symmetry, which allows this many times more edges
constexpr std::uint64_t last_effort = 100'000'000;
constexpr std::uint64_t deadlock_effort = 2'000'000;  // visits of nodes for a path to a deadlock

/// Explored markings are counted up to 2^64 - 1.
std::optional<MarkingCount> explored_count(std::uint64_t count) {
    if (count == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
    return MarkingCount(count);
}

StateFigures figures_of(const Exploration& explored) {
    StateFigures figures;
    figures.stop = explored.stop;
    figures.markings = explored_count(explored.markings);
    figures.edges = explored_count(explored.edges);
    figures.deadlocks = explored_count(explored.deadlocks);
    figures.depth = explored.depth;
    figures.bounds = explored.bounds;
    if (explored.most_tokens <= static_cast<std::uint64_t>(max_tokens))
        figures.most_tokens = explored.most_tokens;
    figures.fired = explored.fired;
    figures.packed_bytes = explored.space.layout().words() * sizeof(Word);
    return figures;
}

StateFigures figures_of(const CompiledNet& net, MarkingDiagram& diagram) {
    StateFigures figures;
    figures.markings = diagram.count(diagram.reachable());
    figures.deadlocks = diagram.count(diagram.dead(diagram.reachable()));
    figures.edges = 0;
    for (const MarkingCount& enabled : diagram.count_enabled()) {
        *figures.edges += enabled;
        figures.fired.push_back(enabled > 0 ? 1 : 0);
    }
    figures.bounds = diagram.bounds().most;
    LinearSum all;
    for (std::uint32_t p = 0; p < net.place_count(); ++p) all.tokens.push_back({p, 1});
    const WideSum most = diagram.maximum(all).value;
    if (most <= max_tokens) figures.most_tokens = static_cast<std::uint64_t>(most);
    figures.diagram_nodes = diagram.reachable_nodes();
    return figures;
}

class FigureSearch {
  public:
    FigureSearch(const Net& net, const FigureOptions& options)
        : net_(net), compiled_(compile(net)), options_(options), ranks_(options.explore.ranks) {}

    StateFigures run() {
        if (options_.engine == ExploreEngine::diagrams) {
            if (!has_diagram(compiled_))
                throw InputError(
                    "engine 'dd': expected a net without immediate transitions and priorities, of at "
                    "most 10,000 places");
            return by_diagram(0, 0);
        }
        if (options_.symmetric) symmetry_ = find_symmetry(net_);
        if (!may_try_diagram()) return one_by_one(options_.explore);
        ExploreOptions quick = options_.explore;
        quick.max_states = symmetry_.trivial() ? first_states : first_orbits;
        StateFigures first = one_by_one(quick);
        if (first.stop != WorkEnd::state_limit) return first;
        StateFigures all;
        if (leads()) all = by_diagram(quick_effort, few_edges * std::min(symmetry_.order(), most_saved));
        if (ranks::value_of_first(ranks_, [&] { return all.complete(); })) return all;
        const WorkEnd end = options_.explore.limits.asked_to_end();
        first.stop = end;
        if (ranks::value_of_first(ranks_, [&] { return end != WorkEnd::complete; })) return first;
        StateFigures rest = all_one_by_one();
        // If it ends early, the first exploration may have seen more.
        if (rest.complete() || !rest.markings || *rest.markings >= *first.markings) return rest;
        first.stop = rest.stop;
        return first;
    }

  private:
    bool leads() const { return warpnet::ranks::leads(ranks_); }

    bool wants_graph() const { return options_.liveness || options_.use_graph; }

    bool may_try_diagram() const {
        const ExploreOptions& given = options_.explore;
        return options_.engine == ExploreEngine::automatic && given.semantics == Semantics::interleaving &&
               has_diagram(compiled_) && !wants_graph() && options_.dead_markings == 0 &&
               given.scratch.empty() && given.max_states == ExploreOptions().max_states;
    }

    /// The exploration, and a diagram if its states need too much memory.
    StateFigures all_one_by_one() const {
        StateFigures found = one_by_one(options_.explore);
        if (found.stop != WorkEnd::memory_limit || ranks_ != nullptr) return found;
        StateFigures all = by_diagram(last_effort, 0);
        return all.complete() ? std::move(all) : std::move(found);
    }

    /// The figures of a diagram with at least this many edges. Not `known`: it was not finished, or has
    /// fewer.
    StateFigures by_diagram(std::uint64_t effort, std::uint64_t least_edges) const {
        StateFigures none;
        none.known = false;
        WorkLimits limits = options_.explore.limits;
        limits.effort = effort;
        try {
            const DiagramResult result = diagram_of(compiled_, limits);
            none.stop = result.diagram ? WorkEnd::not_applicable : result.stop;
            if (!result.diagram) return none;
            result.diagram->allow(options_.explore.limits);
            StateFigures figures = figures_of(compiled_, *result.diagram);
            if (*figures.edges < least_edges) return none;
            find_deadlock(*result.diagram, figures);
            return figures;
        } catch (const LimitReached& limit) {
            none.stop = limit.why();
            return none;
        }
    }

    void find_deadlock(MarkingDiagram& diagram, StateFigures& figures) const {
        const DiagramNode dead = diagram.dead(diagram.reachable());
        if (dead == DiagramNodes::none) return;
        figures.dead_marking = diagram.some(dead);
        WorkLimits limits = options_.explore.limits;
        limits.effort = deadlock_effort;
        diagram.allow(limits);
        try {
            figures.to_deadlock = diagram.shortest_way(dead);
        } catch (const LimitReached&) {
            return;  // it is far from the initial marking
        }
        figures.dead_marking = end_of(*figures.to_deadlock, true);
    }

    /// The last marking of a path, which is replayed.
    Marking end_of(const Schedule& path, bool dead) const {
        const RunResult run = replay(compiled_, net_, path, options_.explore.semantics);
        if (dead && run.reason != StopReason::dead)
            throw std::logic_error("the path to a deadlock does not end in one");
        return run.marking;
    }

    StateFigures one_by_one(const ExploreOptions& options) const {
        if (options.ranks != nullptr) return divided(options);
        if (!symmetry_.trivial()) return by_symmetry(options);
        ExploreOptions with = options;
        DeadMarkings dead(compiled_, options_.dead_markings);
        if (options_.dead_markings > 0) with.watch = &dead;
        const Exploration all = explore(compiled_, with);
        StateFigures figures = figures_of(all);
        for (Marking& marking : dead.nearest()) {
            const std::optional<StateId> state = find_state(all.space, marking, nullptr);
            if (!state) continue;  // the first marking beyond a limit
            Schedule path = path_to(compiled_, options.semantics, all.space, *state);
            if (end_of(path, false) != marking)
                throw std::logic_error("the path to a deadlock is not a run of the net");
            figures.dead_markings.push_back({std::move(path), std::move(marking)});
        }
        study_graph(all, options, figures);
        find_deadlock(all, nullptr, nullptr, figures);
        return figures;
    }

    void add_orbits(const Exploration& explored, StateFigures& figures) const {
        figures.orbits = {explored.space_markings, explored_count(symmetry_.order()),
                          symmetry_.description()};
    }

    /// Equivalent markings explored as one. The graph of all steps has every marking as a state of its own,
    /// because equivalent markings do not reach the same markings.
    StateFigures by_symmetry(const ExploreOptions& options) const {
        ExploreOptions with = options;
        with.symmetry = &symmetry_;
        const Exploration explored = explore(compiled_, with);
        std::optional<WorkEnd> graph_stop;
        if (explored.complete() && (wants_graph() || explored.edges <= few_edges)) {
            ExploreOptions rest = options;  // `explored` still uses its memory
            rest.limits.memory -= std::min(rest.limits.memory, explored.space.bytes());
            const Exploration all = explore(compiled_, rest);
            if (all.complete()) {
                StateFigures figures = figures_of(all);
                add_orbits(explored, figures);
                study_graph(all, rest, figures);
                find_deadlock(all, nullptr, nullptr, figures);
                return figures;
            }
            if (wants_graph()) graph_stop = all.stop;
        }
        StateFigures figures = figures_of(explored);
        add_orbits(explored, figures);
        figures.graph_stop = graph_stop;
        find_deadlock(explored, &symmetry_, nullptr, figures);
        return figures;
    }

    /// The states divided among ranks. If there are few, rank 0 has enough memory for them and their graph.
    StateFigures divided(const ExploreOptions& options) const {
        ExploreOptions with = options;
        const NetSymmetry* const kept_by = symmetry_.trivial() ? nullptr : &symmetry_;
        with.symmetry = kept_by;
        const Exploration explored = explore(compiled_, with);
        if (explored.complete() && explored.edges <= few_edges) {
            if (!leads()) return figures_of(explored);
            with = options;
            with.ranks = nullptr;
            return one_by_one(with);
        }
        StateFigures figures = figures_of(explored);
        if (kept_by != nullptr) add_orbits(explored, figures);
        find_deadlock(explored, kept_by, options.ranks, figures);
        return figures;
    }

    void find_deadlock(const Exploration& explored, const NetSymmetry* symmetry, ranks::Collectives* ranks,
                       StateFigures& figures) const {
        if (!explored.deadlock) return;
        figures.to_deadlock = path_to(compiled_, options_.explore.semantics, explored.space,
                                      *explored.deadlock, symmetry, ranks);
        const Marking found = marking_of(explored.space, *explored.deadlock, ranks);
        if (!leads()) return;
        figures.dead_marking = end_of(*figures.to_deadlock, true);
        Marking kept = *figures.dead_marking;
        if (symmetry != nullptr) symmetry->make_canonical(kept);
        if (kept != found) throw std::logic_error("the path to a deadlock is not a run of the net");
    }

    void study_graph(const Exploration& explored, const ExploreOptions& options,
                     StateFigures& figures) const {
        const bool asked = wants_graph();
        if (!explored.complete() || (!asked && explored.edges > few_edges)) return;
        WorkEnd left = WorkEnd::memory_limit;
        if (explored.space.bytes() + StepGraph::bytes(explored) <= options.limits.memory) {
            std::optional<StepGraph> graph = step_graph(compiled_, options, explored);
            left = graph                          ? WorkEnd::complete
                   : options.limits.interrupted() ? WorkEnd::interrupted
                                                  : WorkEnd::time_limit;
            if (graph) {
                figures.liveness = liveness(compiled_, options.semantics, explored, *graph);
                figures.lengths = run_lengths(*graph);
                if (options_.use_graph)
                    left = options_.use_graph(explored, std::move(*graph), options.limits.memory);
            }
        }
        if (asked && left != WorkEnd::complete) figures.graph_stop = left;
    }

    const Net& net_;
    const CompiledNet compiled_;
    const FigureOptions& options_;
    ranks::Collectives* const ranks_;
    NetSymmetry symmetry_;
};

}  // namespace

Tokens most_in_a_place(const StateFigures& figures) {
    return figures.bounds.empty() ? 0 : *std::max_element(figures.bounds.begin(), figures.bounds.end());
}

StateFigures explore(const Net& net, const FigureOptions& options) {
    StateFigures figures = FigureSearch(net, options).run();
    figures.semantics = options.explore.semantics;
    return figures;
}

}  // namespace warpnet::states

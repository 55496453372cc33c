#include "analysis/states/properties/solve.hpp"

#include "analysis/ranks/bytes.hpp"
#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/liveness.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "analysis/states/properties/decision_diagrams.hpp"
#include "analysis/states/properties/goals.hpp"
#include "analysis/states/properties/guided_search.hpp"
#include "analysis/states/properties/model_checker.hpp"
#include "analysis/states/properties/random_runs.hpp"
#include "analysis/states/properties/reduced_search.hpp"
#include "analysis/states/properties/simplify.hpp"
#include "analysis/states/properties/state_equation.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpnet {

namespace {

constexpr std::size_t most_places_to_search = 50;    // that seem stable
constexpr std::size_t most_climbs = 16;              // searches for more, for one sum
constexpr std::uint64_t small_diagrams = 4'000'000;  // looks at nodes before there is any search

std::int64_t clamped(WideSum value) {
    constexpr WideSum least = std::numeric_limits<std::int64_t>::min();
    constexpr WideSum most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::clamp(value, least, most));
}

LinearSum negative(LinearSum sum) {
    for (LinearSum::Term& term : sum.tokens) term.coefficient = -term.coefficient;
    sum.constant = -sum.constant;
    return sum;
}

class Solver {
  public:
    Solver(const Net& net, const CompiledNet& compiled, const std::vector<Property>& properties,
           const SolveOptions& options)
        : net_(net), compiled_(compiled), properties_(properties), options_(options) {
        summary_.answers.resize(properties.size());
        for (std::size_t i = 0; i < properties.size(); ++i) pose(i);
    }

    /// The permutations that change the answer to nothing that is asked about a single marking.
    NetSymmetry symmetry_of_questions() const {
        SymmetryLimits limits;
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            const Property& property = properties_[i];
            add_conditions(posed_[i].formula, limits.conditions);
            if (property.kind == Property::Kind::maximum || property.kind == Property::Kind::minimum)
                limits.sums.push_back(property.sum);
            limits.transitions.insert(limits.transitions.end(), property.transitions.begin(),
                                      property.transitions.end());
        }
        return find_symmetry(net_, limits);
    }

    SolveSummary run() && {
        judge(AnswerPart::initial_marking);
        const std::uint64_t first = std::min(options_.first_states, options_.explore.max_states);
        if (!all_known() && options_.symmetry) symmetry_ = symmetry_of_questions();
        if (all_known() || explore_part(AnswerPart::first_exploration, first)) return std::move(summary_);
        if (options_.random_runs) try_runs();
        if (!all_known()) try_diagrams(small_diagrams);
        if (!all_known() && options_.state_equation) try_equation();
        if (!all_known() && options_.guided_search) {
            search();
            if (!all_known()) climb();
        }
        if (!all_known() && options_.reductions && can_search()) reduce();
        if (!all_known()) try_diagrams(options_.diagram_effort);
        if (!all_known() && first < options_.explore.max_states && !explored_reduced())
            explore_part(AnswerPart::exploration, options_.explore.max_states);
        last_ = true;
        if (!all_known() && options_.witnesses) try_diagrams(options_.diagram_effort);
        return std::move(summary_);
    }

  private:
    Collectives* ranks() const { return options_.explore.ranks; }
    bool leads() const { return ranks() == nullptr || ranks()->rank() == 0; }

    /// Among ranks all go the same way, and rank 0 alone does what is not divided: what the goals then know
    /// goes to all before anything is decided by it.
    void share_goals() {
        if (ranks() == nullptr) return;
        ByteWriter writer;
        write_known(goals_, writer);
        writer.put_list(stable_);
        writer.put(summary_.states);
        writer.put(summary_.orbits);
        writer.put(summary_.stop);
        const std::string text = ranks()->broadcast(0, writer.bytes());
        if (leads()) return;
        ByteReader reader(text);
        read_known(reader, goals_);
        stable_ = reader.get_list<std::uint32_t>();
        summary_.states = reader.get<std::uint64_t>();
        summary_.orbits = reader.get<std::uint64_t>();
        summary_.stop = reader.get<std::optional<WorkEnd>>();
    }

    void try_runs() {
        RandomRunsOptions runs;
        runs.semantics = options_.explore.semantics;
        runs.seed = options_.seed;
        runs.schedules = options_.witnesses;
        runs.limits = options_.explore.limits;
        if (leads()) try_random_runs(net_, compiled_, runs, goals_);
        settle(AnswerPart::random_runs);
    }

    void try_equation() {
        if (leads()) try_state_equation(net_, {.limits = options_.explore.limits}, goals_);
        settle(AnswerPart::state_equation);
    }

    /// What speaks of paths. Where witnesses are wanted the graph of all steps is asked before, which has
    /// them.
    std::vector<PathQuestion> paths_for_diagram() const {
        if (ranks() != nullptr || (options_.witnesses && !last_)) return {};
        return open_paths(properties_, summary_.answers,
                          [&](std::size_t i) -> const Formula& { return posed_[i].formula; });
    }

    /// Whether a diagram of all markings can answer what is open.
    bool has_open_goals() const {
        const auto open_goal = [](const ReachGoal& goal) { return !goal.reachable; };
        const auto open_maximum = [](const MaximumGoal& goal) { return !goal.exact; };
        return std::any_of(goals_.reach.begin(), goals_.reach.end(), open_goal) ||
               std::any_of(goals_.maxima.begin(), goals_.maxima.end(), open_maximum) ||
               (!goals_.changes.empty() && !goals_.changes_complete) || !paths_for_diagram().empty();
    }

    void try_diagrams(std::uint64_t effort) {
        if (!options_.decision_diagrams || !has_open_goals() ||
            options_.explore.semantics != Semantics::interleaving)
            return;
        if (leads()) ask_diagram(effort);
        settle(AnswerPart::decision_diagrams);
    }

    void ask_diagram(std::uint64_t effort) {
        DecisionDiagramOptions diagrams;
        diagrams.schedules = options_.witnesses;
        diagrams.limits = options_.explore.limits;
        diagrams.limits.effort = effort;
        std::vector<PathQuestion> paths = paths_for_diagram();
        const DecisionDiagramOutcome outcome = try_decision_diagrams(compiled_, diagrams, goals_, paths);
        answer_paths(paths, summary_.answers);
        if (outcome.markings > 0) {
            summary_.states = outcome.markings;
            summary_.orbits = 0;
            summary_.stop = WorkEnd::complete;
        }
        if (options_.witnesses && options_.guided_search && can_search()) find_ways();
    }

    /// Steps to markings that are known to be reachable, by the guided search.
    void find_ways() {
        for (ReachGoal& goal : goals_.reach) {
            if (goal.reachable != true || goal.schedule) continue;
            Goals next;
            next.reach.push_back({goal.condition});
            try_guided_search(net_, compiled_, guided_options(), next);
            ReachGoal& found = next.reach.front();
            if (!found.schedule) continue;
            goal.marking = std::move(found.marking);
            goal.schedule = std::move(found.schedule);
        }
    }

    bool can_search() const {
        return options_.explore.semantics == Semantics::interleaving && is_timed(compiled_);
    }

    GuidedSearchOptions guided_options() const {
        GuidedSearchOptions guided;
        guided.max_states = std::min(guided.max_states, options_.explore.max_states);
        guided.stubborn_sets = options_.stubborn_sets;
        guided.schedules = options_.witnesses;
        guided.limits = options_.explore.limits;
        return guided;
    }

    void search() {
        if (!can_search()) return;
        if (leads()) try_guided_search(net_, compiled_, guided_options(), goals_);
        settle(AnswerPart::guided_search);
    }

    /// Searches for larger values of sums, each time for one more than the best, until none is found; and for
    /// changes of places that seem stable.
    void climb() {
        if (!can_search()) return;
        if (leads()) search_more();
        settle(AnswerPart::guided_search);
    }

    void search_more() {
        for (MaximumGoal& goal : goals_.maxima) {
            for (std::size_t i = 0; i < most_climbs && !goal.exact; ++i) {
                LinearSum more = goal.sum;
                const std::int64_t least = clamped(goal.best - goal.sum.constant + 1);
                if (__builtin_sub_overflow(0, least, &more.constant)) break;
                Goals next;
                next.reach.push_back({comparison(std::move(more), Relation::greater_equal)});
                try_guided_search(net_, compiled_, guided_options(), next);
                ReachGoal& found = next.reach.front();
                if (!found.reachable) break;
                if (!*found.reachable) {
                    goal.exact = true;
                    break;
                }
                goal.marking = std::move(*found.marking);
                goal.schedule = std::move(found.schedule);
                goal.best = value_of(goal.sum, [&](std::uint32_t place) { return goal.marking[place]; });
                goal.exact = goal.at_most && goal.best >= *goal.at_most;
            }
        }
        search_changes();
    }

    /// This portfolio, for reduced nets.
    AskReduced ask_reduced(Collectives* ranks_to_ask) const {
        return [this, ranks_to_ask](const Net& net, const std::vector<Property>& properties,
                                    std::uint64_t max_states) {
            SolveOptions options = options_;
            options.reductions = false;
            options.explore.max_states = max_states;
            options.explore.ranks = ranks_to_ask;
            SolveSummary summary = solve(net, compile(net), properties, options);
            ReducedAnswers result{{}, summary.stop.value_or(WorkEnd::complete)};
            for (PropertyAnswer& answer : summary.answers)
                result.of.push_back({answer.holds, answer.value, answer.exact, std::move(answer.witness)});
            return result;
        };
    }
    ReducedSearchOptions reduced_options() const {
        return {options_.reduced_states, options_.explore.max_states, options_.witnesses,
                options_.explore.limits};
    }

    void reduce() {
        if (options_.reduced_states == 0) return;
        if (leads()) try_reductions(net_, compiled_, ask_reduced(nullptr), reduced_options(), goals_);
        settle(AnswerPart::reductions);
    }

    /// Whether exploring a reduced net told all that exploring the net could.
    bool explored_reduced() {
        if (!options_.reductions || !can_search() || !speaks_of_goals_alone()) return false;
        const std::optional<WorkEnd> end =
            explore_reduced(net_, compiled_, ask_reduced(ranks()), reduced_options(), goals_);
        if (!end) return false;
        settle(AnswerPart::reductions);
        if (all_known()) return true;
        summary_.stop = end;
        return *end != WorkEnd::complete;
    }

    bool speaks_of_goals_alone() const {
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            if (summary_.answers[i].known()) continue;
            const Property::Kind kind = properties_[i].kind;
            if (kind == Property::Kind::stable || kind == Property::Kind::live) return false;
            if (kind == Property::Kind::formula && !asks_about_markings(posed_[i].formula)) return false;
        }
        return true;
    }

    void search_changes() {
        std::vector<std::uint32_t> open;
        for (std::uint32_t p = 0; p < goals_.changes.size(); ++p)
            if (goals_.changes[p] == 0) open.push_back(p);
        if (open.size() > most_places_to_search) return;
        for (const std::uint32_t place : open) {
            Goals next;
            next.reach.push_back(
                {comparison({{{place, 1}}, {}, -net_.places()[place].initial}, Relation::not_equal)});
            if (options_.state_equation) try_state_equation(net_, {}, next);
            if (!next.reach.front().reachable) try_guided_search(net_, compiled_, guided_options(), next);
            if (next.reach.front().reachable == true) goals_.changes[place] = 1;
            if (next.reach.front().reachable == false) stable_.push_back(place);
        }
    }

    /// What a property asks of the goals.
    struct Posed {
        Formula formula = {};
        std::size_t goal = 0;                 // of a maximum; of a dead marking
        std::vector<std::size_t> goals = {};  // per transition
    };

    void pose(std::size_t number) {
        const Property& property = properties_[number];
        Posed posed;
        switch (property.kind) {
            case Property::Kind::formula:
                posed.formula = simplified(property.formula);
                break;
            case Property::Kind::maximum:
            case Property::Kind::minimum:
                posed.goal = goals_.maxima.size();
                goals_.maxima.push_back(
                    {property.kind == Property::Kind::maximum ? property.sum : negative(property.sum)});
                break;
            case Property::Kind::stable:
                goals_.changes.assign(net_.places().size(), 0);
                break;
            case Property::Kind::live:
                posed.goal = goal_of(dead_marking());
                [[fallthrough]];
            case Property::Kind::quasi_live:
                if (!is_timed(compiled_)) break;  // what is enabled need not fire
                for (const std::uint32_t transition : property.transitions)
                    posed.goals.push_back(goal_of(enabled_one_of({transition})));
                break;
        }
        posed_.push_back(std::move(posed));
    }

    std::size_t goal_of(const Formula& condition) {
        for (std::size_t i = 0; i < goals_.reach.size(); ++i)
            if (goals_.reach[i].condition == condition) return i;
        goals_.reach.push_back({condition});
        return goals_.reach.size() - 1;
    }

    /// Answers what the goals answer.
    void judge(AnswerPart by) {
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            PropertyAnswer& answer = summary_.answers[i];
            if (answer.known()) continue;
            judge(properties_[i], posed_[i], answer);
            if (answer.known()) answer.by = by;
        }
    }

    void judge(const Property& property, const Posed& posed, PropertyAnswer& answer) {
        switch (property.kind) {
            case Property::Kind::formula:
                answer.holds = holds_in(
                    posed.formula, net_, net_.initial_marking(),
                    [&](const Formula& condition) { return goals_.reach[goal_of(condition)].reachable; });
                break;
            case Property::Kind::maximum:
            case Property::Kind::minimum: {
                const MaximumGoal& goal = goals_.maxima[posed.goal];
                if (goal.marking.empty() && !net_.places().empty()) break;
                answer.value = clamped(property.kind == Property::Kind::maximum ? goal.best : -goal.best);
                answer.exact = goal.exact;
                break;
            }
            case Property::Kind::stable:
                if (std::find(goals_.changes.begin(), goals_.changes.end(), 0) == goals_.changes.end())
                    answer.holds = false;
                if (goals_.changes_complete) {
                    stable_.clear();
                    for (std::uint32_t p = 0; p < goals_.changes.size(); ++p)
                        if (goals_.changes[p] == 0) stable_.push_back(p);
                }
                if (!stable_.empty()) {
                    answer.holds = true;
                    answer.nodes = stable_;
                }
                break;
            case Property::Kind::live:
                if (!property.transitions.empty() && goals_.reach[posed.goal].reachable == true)
                    answer.holds = false;
                [[fallthrough]];
            case Property::Kind::quasi_live:
                judge_transitions(property, posed, answer);
                break;
        }
    }

    void judge_transitions(const Property& property, const Posed& posed, PropertyAnswer& answer) const {
        bool all = !posed.goals.empty() || property.transitions.empty();
        for (const std::size_t goal : posed.goals) {
            if (goals_.reach[goal].reachable == false) answer.holds = false;
            all = all && goals_.reach[goal].reachable == true;
        }
        if (all && property.kind == Property::Kind::quasi_live) answer.holds = true;
    }

    /// Answers what a part has found out, with witnesses.
    void settle(AnswerPart part) {
        share_goals();
        judge(part);
        if (options_.witnesses) add_witnesses(part);
    }

    bool all_known() const {
        return std::all_of(summary_.answers.begin(), summary_.answers.end(),
                           [](const PropertyAnswer& answer) { return answer.known(); });
    }

    /// False where something is open that another part might find.
    bool explore_part(AnswerPart part, std::uint64_t max_states) {
        ExploreOptions explore_options = options_.explore;
        explore_options.max_states = max_states;
        GoalWatch watch(net_, goals_, [&] {
            judge(part);
            return all_known();
        });
        explore_options.watch = &watch;
        explore_options.symmetry = symmetry();
        const Exploration explored = explore(compiled_, explore_options);
        watch.finish(explored.complete());
        summary_.states = explored.markings;
        if (!symmetry_.trivial()) summary_.orbits = explored.space_markings;
        spread_changes();
        summary_.stop = explored.stop;
        find_schedules(explored);
        settle(part);
        if (!explored.complete()) {
            return explored.stop != WorkEnd::state_limit && explored.stop != WorkEnd::memory_limit &&
                   explored.stop != WorkEnd::overflow;
        }
        finish_complete(explored);
        if (!all_known()) ask_graph(explored);
        return true;
    }

    /// If one place changes, so does every place that it can be moved to.
    void spread_changes() {
        if (symmetry_.trivial()) return;
        const auto orbits = symmetry_.place_orbits();
        for (std::size_t p = 0; p < goals_.changes.size(); ++p)
            goals_.changes[orbits[p]] |= goals_.changes[p];
        for (std::size_t p = 0; p < goals_.changes.size(); ++p) goals_.changes[p] = goals_.changes[orbits[p]];
    }

    const NetSymmetry* symmetry() const { return symmetry_.trivial() ? nullptr : &symmetry_; }

    void find_schedules(const Exploration& explored) {
        if (!options_.witnesses) return;
        const auto schedule_to = [&](Marking marking) -> std::optional<Schedule> {
            symmetry_.make_canonical(marking);
            const auto state = find_state(explored.space, marking, ranks());
            if (!state) return std::nullopt;
            return path_to(compiled_, options_.explore.semantics, explored.space, *state, symmetry(),
                           ranks());
        };
        for (ReachGoal& goal : goals_.reach)
            if (goal.marking && !goal.schedule) goal.schedule = schedule_to(*goal.marking);
        for (MaximumGoal& goal : goals_.maxima)
            if (goal.exact && !goal.schedule) goal.schedule = schedule_to(goal.marking);
    }

    /// The steps to a marking that shows an answer: why EF holds, or AG does not.
    void add_witnesses(AnswerPart part) {
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            PropertyAnswer& answer = summary_.answers[i];
            if (!answer.known() || answer.by != part || answer.witness) continue;
            const ReachGoal* goal = nullptr;
            switch (properties_[i].kind) {
                case Property::Kind::maximum:
                case Property::Kind::minimum:
                    answer.witness = goals_.maxima[posed_[i].goal].schedule;
                    break;
                case Property::Kind::formula:
                    goal = goal_shown(posed_[i].formula, *answer.holds);
                    break;
                case Property::Kind::live:
                    if (goals_.reach[posed_[i].goal].reachable == true) goal = &goals_.reach[posed_[i].goal];
                    break;
                default:
                    break;
            }
            if (goal != nullptr) answer.witness = goal->schedule;
            answer.shortest =
                answer.witness && goal != nullptr &&
                (goal->shortest || part <= AnswerPart::first_exploration || part == AnswerPart::exploration);
        }
    }

    const ReachGoal* goal_shown(const Formula& formula, bool holds) {
        const bool shown = formula.kind == Formula::Kind::finally    ? holds && !formula.on_all_paths
                           : formula.kind == Formula::Kind::globally ? !holds && formula.on_all_paths
                                                                     : false;
        if (!shown || !is_state_formula(formula.operands.front())) return nullptr;
        return &goals_.reach[goal_of(formula.kind == Formula::Kind::finally
                                         ? formula.operands.front()
                                         : simplified(negation(formula.operands.front())))];
    }

    /// What a complete exploration says beside the goals.
    void finish_complete(const Exploration& explored) {
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            PropertyAnswer& answer = summary_.answers[i];
            const Property& property = properties_[i];
            if (property.kind == Property::Kind::quasi_live || property.kind == Property::Kind::live) {
                answer.nodes.clear();
                for (const std::uint32_t transition : property.transitions)
                    if (explored.fired[transition] == 0) answer.nodes.push_back(transition);
                if (answer.known()) continue;
                if (!answer.nodes.empty()) answer.holds = false;
                if (answer.nodes.empty() && property.kind == Property::Kind::quasi_live) answer.holds = true;
            } else if (property.kind == Property::Kind::stable) {
                answer.nodes.clear();
                for (std::uint32_t p = 0; p < goals_.changes.size(); ++p)
                    if (goals_.changes[p] == 0) answer.nodes.push_back(p);
                answer.holds = !answer.nodes.empty();
            } else {
                continue;
            }
            if (answer.known()) answer.by = AnswerPart::exploration;
        }
    }

    /// Needs all markings in one place.
    void ask_graph(const Exploration& explored) {
        if (ranks() != nullptr) return;
        const std::uint64_t needed = explored.space.bytes() + StepGraph::bytes(explored) +
                                     ModelChecker::bytes(explored.space.size(), explored.space_edges);
        if (needed > options_.explore.limits.memory) {
            summary_.stop = WorkEnd::memory_limit;
            return;
        }
        ExploreOptions graph_options = options_.explore;
        graph_options.symmetry = symmetry();
        const std::optional<StepGraph> graph = step_graph(compiled_, graph_options, explored);
        if (!graph) {
            summary_.stop = WorkEnd::time_limit;
            return;
        }
        ModelChecker checker(net_, explored.space, *graph);
        std::optional<Liveness> live;
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            PropertyAnswer& answer = summary_.answers[i];
            if (answer.known()) continue;
            answer.by = AnswerPart::state_graph;
            if (properties_[i].kind == Property::Kind::formula) {
                answer.holds = checker.states_of(posed_[i].formula)[graph->initial()] != 0;
                if (options_.witnesses) show_path(explored, *graph, checker, posed_[i].formula, answer);
            } else {
                if (!live) live = liveness(compiled_, options_.explore.semantics, explored, *graph);
                for (const std::uint32_t transition : properties_[i].transitions)
                    if (live->live[transition] == 0) answer.nodes.push_back(transition);
                answer.holds = answer.nodes.empty();
            }
        }
    }

    void show_path(const Exploration& explored, const StepGraph& graph, ModelChecker& checker,
                   const Formula& formula, PropertyAnswer& answer) const {
        const auto path = checker.path_for(formula);
        if (!path) return;
        if (symmetry() != nullptr) {
            auto lifted = lifted_path(compiled_, options_.explore.semantics, explored.space, graph,
                                      path->states, path->repeats_from, symmetry_);
            if (!lifted) return;
            answer.witness = std::move(lifted->schedule);
            answer.repeats_from = lifted->repeats_from;
            return;
        }
        answer.witness =
            path_through(compiled_, options_.explore.semantics, explored.space, graph, path->states);
        if (path->repeats_from) answer.repeats_from = *path->repeats_from;
    }

    const Net& net_;
    const CompiledNet& compiled_;
    const std::vector<Property>& properties_;
    const SolveOptions& options_;
    Goals goals_;
    std::vector<std::uint32_t> stable_;  // places that were proved not to change
    std::vector<Posed> posed_;
    NetSymmetry symmetry_;
    bool last_ = false;  // all other parts have been asked
    SolveSummary summary_;
};

}  // namespace

SolveSummary solve(const Net& net, const CompiledNet& compiled, const std::vector<Property>& properties,
                   const SolveOptions& options) {
    return Solver(net, compiled, properties, options).run();
}

}  // namespace warpnet

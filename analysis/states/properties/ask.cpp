// A portfolio of parts, each of which answers some questions. They run one after the other, cheap ones first,
// until all questions are answered. Portfolio::parts is the table of them. All findings about single markings
// go into the goals, which all parts share; PosedQuestions turns properties into goals and goals into
// answers.
//
// Budgets are counted in steps, iterations, visits of nodes and markings, not by the clock: the same question
// has the same answer, by the same part, on any machine. The nearest 10,000 markings come first because they
// answer most questions of small nets in milliseconds, with a shortest witness. Decision diagrams come twice,
// with little work before the searches and with more after them, because a good variable order is fast and a
// bad one is not. Each other part can be switched off. In nets of more than 500 nodes fewer markings come
// first, because each of them costs more.
//
// Among ranks ([../explore](../explore/README.md#divided-among-ranks)) the explorations are divided and rank
// 0 runs all other parts. All ranks take the same path through the table: the state of the goals is sent to
// all ranks before any decision that depends on it. The state graph needs all markings in one place, so
// questions about paths stay open. Tried and rejected: rank 0 answers them if the states fit into its memory.
// One process without ranks does the same, and ranks are for large nets, for which this would fail.

#include "analysis/states/properties/ask.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/explore/step_graph.hpp"
#include "analysis/states/properties/model_checker.hpp"
#include "analysis/states/properties/parts.hpp"
#include "analysis/states/properties/path_rules.hpp"
#include "analysis/states/properties/posed_questions.hpp"
#include "analysis/states/properties/steps_on_demand.hpp"
#include "analysis/states/symmetry/net_symmetry.hpp"
#include "engine/compile/compiled_net.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpnet::states {

namespace {

constexpr std::size_t most_places_to_search = 50;    // places that seem stable
constexpr std::size_t most_climbs = 16;              // searches for larger values, for one sum
constexpr std::uint64_t small_diagrams = 4'000'000;  // visits of nodes before there is any search
constexpr std::uint64_t some_states = 1'000'000;     // for open formulas about paths
constexpr std::uint64_t first_work = 5'000'000;      // nodes of the net x markings explored first
constexpr std::uint64_t least_first_states = 2'000;
constexpr std::uint64_t deep_states = 20'000;
constexpr std::uint64_t some_relaxed_effort = 50'000'000, relaxed_effort = 500'000'000;
constexpr std::uint64_t first_local_effort = 10'000'000, some_local_effort = 120'000'000,
                        local_effort = 1'500'000'000;
constexpr std::uint64_t many_elements = 200;  // of a listed group
constexpr std::uint64_t orbits_to_try = 300;
constexpr std::uint64_t elements_of_a_step = 20;   // that take as long as the rest of a step
constexpr std::uint64_t most_path_programs = 200;  // linear programs for one condition in such a formula
constexpr std::uint64_t most_path_work = 5'000'000;

class Portfolio {
  public:
    Portfolio(const Net& net, const CompiledNet& compiled, const std::vector<Property>& properties,
              const AskOptions& options)
        : net_(net),
          compiled_(compiled),
          properties_(properties),
          options_(options),
          rules_(compiled),
          posed_(net, compiled, properties, options.path_rules && can_search() ? &rules_ : nullptr,
                 answers_) {}

    Answers run() && {
        answer_bounded();
        posed_.judge(AnswerPart::initial_marking);
        for (const Part& part : parts) {
            if (posed_.all_known() || ended_) break;
            if (!(this->*part.applies)()) continue;
            if (part.divided || leads()) (this->*part.run)();
            settle(part.name);
        }
        return std::move(answers_);
    }

  private:
    /// `divided`: runs on all ranks, else on rank 0.
    struct Part {
        AnswerPart name;
        bool divided;
        bool (Portfolio::*applies)() const;
        void (Portfolio::*run)();
    };
    static const std::array<Part, 23> parts;

    ranks::Collectives* ranks() const { return options_.explore.ranks; }
    bool leads() const { return warpnet::ranks::leads(ranks()); }
    std::uint64_t first_states() const {
        const std::uint64_t nodes = net_.places().size() + net_.transitions().size() + 1;
        return std::min({options_.first_states, options_.explore.max_states,
                         std::max(least_first_states, first_work / nodes)});
    }

    /// Shares the findings of a part and enters them into the goals.
    void settle(AnswerPart part) {
        posed_.share(ranks());
        posed_.judge(part);
        if (options_.witnesses) posed_.add_witnesses(part);
    }

    void answer_bounded() {
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            if (properties_[i].kind != Property::Kind::bounded || ranks() != nullptr) continue;
            BoundednessAnswer found = decide_boundedness(net_, compiled_, options_.explore);
            PropertyAnswer& answer = answers_.of[i];
            answer.holds = found.bounded;
            answer.by = found.by;
            answers_.states = found.states;
            answers_.stop = found.stop;
            if (found.bounded == false) set_pump(answer, found.pump);
        }
    }

    bool always() const { return true; }
    bool can_run() const { return options_.random_runs; }
    bool can_solve_equation() const { return options_.state_equation; }
    bool can_search() const {
        return options_.explore.semantics == Semantics::interleaving && is_timed(compiled_);
    }
    bool can_be_guided() const { return options_.guided_search && can_search(); }
    bool can_reduce() const { return options_.reductions && can_search() && options_.reduced_states > 0; }
    bool can_reduce_paths() const {
        return can_reduce() && ranks() == nullptr && !reduced_end_ && posed_.has_open_paths();
    }
    bool can_reduce_path_alone() const { return can_reduce_paths() && posed_.open_questions().size() == 1; }
    bool may_explore_more() const { return first_states() < options_.explore.max_states; }
    bool can_explore_some() const {
        return options_.partial_graph && ranks() == nullptr && first_states() < some_states &&
               some_states < options_.explore.max_states && !reduced_end_ && posed_.has_open_paths();
    }
    bool can_explore_reduced() const {
        return options_.reductions && can_search() && may_explore_more() && posed_.speaks_of_goals_alone();
    }
    /// Not if a reduced net had too many states: then the net has more.
    bool can_explore() const {
        return may_explore_more() && reduced_end_.value_or(WorkEnd::complete) == WorkEnd::complete;
    }
    bool can_use_diagrams() const {
        return options_.decision_diagrams && options_.explore.semantics == Semantics::interleaving &&
               (posed_.has_open_goals() || !paths_for_diagram().empty());
    }
    bool can_use_small_diagram() const { return !used_small_diagram_ && can_use_diagrams(); }
    bool can_use_diagram_for_paths() const { return can_use_small_diagram() && posed_.has_open_paths(); }
    bool can_use_last_diagram() const { return options_.witnesses && can_use_diagrams(); }

    std::vector<PathQuestion> paths_for_diagram() const {
        return ranks() == nullptr ? posed_.open_paths() : std::vector<PathQuestion>();
    }

    void run_at_random() {
        try_random_runs(net_, compiled_, random_options(options_.witnesses), posed_.goals);
    }
    RandomRunsOptions random_options(bool schedules) const {
        RandomRunsOptions runs;
        runs.semantics = options_.explore.semantics;
        runs.seed = options_.seed;
        runs.schedules = schedules;
        runs.limits = options_.explore.limits;
        return runs;
    }

    void solve_equation() { try_state_equation(net_, {.limits = options_.explore.limits}, posed_.goals); }

    bool can_simplify_conditions() const { return can_solve_equation() && posed_.has_open_paths(); }
    /// Conditions in formulas about paths that no marking has. Reduced nets refute many of them at once.
    void simplify_conditions() {
        Goals conditions = posed_.conditions_on_paths();
        try_random_runs(net_, compiled_, random_options(false), conditions);
        if (can_reduce()) reduce_early(conditions);
        try_state_equation(net_,
                           {.max_programs = most_path_programs,
                            .max_work = most_path_work,
                            .limits = options_.explore.limits},
                           conditions);
        posed_.simplify_paths(conditions);
    }

    void use_small_diagram() {
        used_small_diagram_ = true;
        use_diagram(small_diagrams, false);
    }
    void use_large_diagram() { use_diagram(options_.diagram_effort, false); }
    void use_last_diagram() { use_diagram(options_.diagram_effort, true); }

    void use_diagram(std::uint64_t effort, bool last) {
        DecisionDiagramOptions diagrams;
        diagrams.schedules = options_.witnesses;
        diagrams.limits = options_.explore.limits;
        diagrams.limits.effort = effort;
        std::vector<PathQuestion> paths = paths_for_diagram();
        const DecisionDiagramOutcome outcome =
            try_decision_diagrams(compiled_, diagrams, posed_.goals, paths);
        // The graph of all steps has the paths that show an answer, if it is small enough.
        for (PathQuestion& path : paths)
            if (options_.witnesses && !last && path.holds && may_show_path(path.formula, *path.holds))
                path.holds.reset();
        posed_.judge_paths(paths, AnswerPart::decision_diagrams);
        if (outcome.markings > 0) {
            answers_.states = outcome.markings;
            answers_.orbits = 0;
            answers_.stop = WorkEnd::complete;
        }
        if (options_.witnesses && options_.guided_search && can_search()) find_ways();
    }

    /// Steps to markings that are known to be reachable, by guided search.
    void find_ways() {
        for (ReachGoal& goal : posed_.goals.reach) {
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

    GuidedSearchOptions guided_options() const {
        GuidedSearchOptions guided;
        guided.max_states = std::min(guided.max_states, options_.explore.max_states);
        guided.stubborn_sets = options_.stubborn_sets;
        guided.schedules = options_.witnesses;
        guided.limits = options_.explore.limits;
        return guided;
    }

    bool has_unlimited_sums() const {
        return std::ranges::any_of(posed_.goals.maxima,
                                   [](const MaximumGoal& goal) { return !goal.exact && !goal.at_most; });
    }
    /// Only sums that the state equation does not limit can grow forever.
    void pump_sums() {
        for (MaximumGoal& goal : posed_.goals.maxima) {
            if (goal.exact || goal.at_most) continue;
            goal.pump = find_pump(compiled_, options_.explore, goal.sum);
            goal.exact = goal.pump.has_value();
        }
    }

    /// Finds a goal that is easily reached in a net that is too large for the methods of all markings.
    void search_some() {
        GuidedSearchOptions guided = guided_options();
        guided.max_states = 0;
        guided.relaxed_effort = some_relaxed_effort;
        try_guided_search(net_, compiled_, guided, posed_.goals);
    }
    void search() {
        GuidedSearchOptions guided = guided_options();
        guided.relaxed_effort = relaxed_effort;
        try_guided_search(net_, compiled_, guided, posed_.goals);
    }

    /// Searches for larger values of sums, each time for one more than the best, until none is found; and for
    /// changes of places that seem stable.
    void climb() {
        for (MaximumGoal& goal : posed_.goals.maxima) {
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

    void search_changes() {
        std::vector<std::uint32_t> open;
        for (std::uint32_t p = 0; p < posed_.goals.changes.size(); ++p)
            if (posed_.goals.changes[p] == 0) open.push_back(p);
        if (open.size() > most_places_to_search) return;
        for (const std::uint32_t place : open) {
            if (options_.explore.limits.must_end()) return;
            Goals next;
            next.reach.push_back(
                {comparison({{{place, 1}}, {}, -net_.places()[place].initial}, Relation::not_equal)});
            if (options_.state_equation) try_state_equation(net_, {.limits = options_.explore.limits}, next);
            if (!next.reach.front().reachable) try_guided_search(net_, compiled_, guided_options(), next);
            if (next.reach.front().reachable == true) posed_.goals.changes[place] = 1;
            if (next.reach.front().reachable == false) posed_.add_stable(place);
        }
    }

    /// This portfolio, for reduced nets.
    AskReduced ask_reduced(ranks::Collectives* ranks_to_ask, std::uint64_t diagram_effort) const {
        return [this, ranks_to_ask, diagram_effort](const Net& net, const std::vector<Property>& properties,
                                                    std::uint64_t max_states) {
            AskOptions options = options_;
            options.reductions = false;
            options.diagram_effort = diagram_effort;
            options.explore.max_states = max_states;
            options.explore.ranks = ranks_to_ask;
            return Portfolio(net, compile(net), properties, options).run();
        };
    }
    ReducedSearchOptions reduced_options() const {
        return {.max_states = options_.reduced_states,
                .most_of_one = options_.explore.max_states,
                .witnesses = options_.witnesses,
                .limits = options_.explore.limits};
    }

    void reduce() {
        try_reductions(net_, compiled_, ask_reduced(nullptr, options_.diagram_effort), reduced_options(),
                       posed_.goals);
    }

    /// Nets that lose half of their nodes, each with little work, before any part that takes long in a large
    /// net.
    void reduce_early() { reduce_early(posed_.goals); }
    void reduce_early(Goals& goals) {
        ReducedSearchOptions early = reduced_options();
        early.max_states = 0;
        early.halved = true;
        try_reductions(net_, compiled_, ask_reduced(nullptr, small_diagrams), early, goals);
    }

    /// A formula that is the only open question is answered in its reduced net if it can be answered at all.
    /// Several would each need an exploration of their own, so they get a part of the markings.
    void reduce_paths() {
        const std::vector<std::size_t> open = posed_.open_questions();
        const bool alone = open.size() == 1;
        const std::uint64_t most =
            alone ? options_.explore.max_states
                  : std::min(options_.explore.max_states,
                             std::max(deep_states, options_.reduced_states / open.size()));
        for (const std::size_t i : open) {
            if (!posed_.is_open_path(i) || options_.explore.limits.must_end()) continue;
            auto found = ask_reduced_path(
                net_, compiled_, ask_reduced(nullptr, alone ? options_.diagram_effort : small_diagrams),
                reduced_options(), posed_.formula(i), most);
            if (!found) continue;
            answers_.states = std::max(answers_.states, found->states);
            if (alone) answers_.stop = found->stop;
            PropertyAnswer& answer = found->of.front();
            if (answer.known()) {
                answers_.of[i] = std::move(answer);
                answers_.of[i].by = AnswerPart::reductions;
            } else if (alone) {
                reduced_end_ = found->stop;
            }
        }
    }

    /// Explores a reduced net if that answers everything that exploring the net would.
    void explore_a_reduced_net() {
        reduced_end_ = explore_reduced(net_, compiled_, ask_reduced(ranks(), options_.diagram_effort),
                                       reduced_options(), posed_.goals);
        settle(AnswerPart::reductions);
        if (reduced_end_ && !posed_.all_known()) answers_.stop = reduced_end_;
    }

    void explore_first() {
        if (options_.symmetry) symmetry_ = posed_.symmetry();
        if (!pays(symmetry_)) symmetry_ = {};
        const WorkEnd end = explore_part(AnswerPart::first_exploration, first_states());
        ended_ = end != WorkEnd::state_limit && end != WorkEnd::memory_limit && end != WorkEnd::overflow;
    }
    /// Every step tries all elements of a listed group. With few markings per orbit that takes longer than
    /// exploring all of them.
    bool pays(const NetSymmetry& symmetry) const {
        const std::uint64_t elements = symmetry.listed_elements();
        if (elements < many_elements) return true;
        ExploreOptions few = options_.explore;
        few.max_states = std::min(orbits_to_try, few.max_states);
        few.symmetry = &symmetry;
        const Exploration tried = explore(compiled_, few);
        return tried.markings >= tried.space_markings * (elements / elements_of_a_step);
    }

    bool can_go_deep() const {
        return options_.partial_graph && ranks() == nullptr && can_search() && posed_.has_open_paths();
    }
    /// A cycle or a marking far from the initial one may decide a formula about paths.
    void go_deep() {
        const std::uint64_t states = std::min(deep_states, first_states());
        ask_graph(explore_depth_first(compiled_, states, options_.explore.limits), nullptr);
    }
    bool can_evaluate() const {
        return options_.local_evaluation && can_search() && posed_.has_open_paths() && ranks() == nullptr;
    }
    void evaluate_first() { evaluate(first_local_effort); }
    void evaluate_some() { evaluate(some_local_effort); }
    void evaluate_more() { evaluate(local_effort); }
    void evaluate(std::uint64_t effort) {
        std::vector<PathQuestion> parts = posed_.open_parts();
        WorkLimits limits = options_.explore.limits;
        limits.effort = effort / parts.size() + 1;
        try_local_evaluation(
            net_, compiled_, limits, parts,
            [&](const PathQuestion& part, const StepsOnDemand& steps) { show_path(part, steps); });
        posed_.judge_parts(parts, AnswerPart::local_evaluation);
    }
    void explore_some() { explore_part(AnswerPart::exploration, some_states); }
    void explore_all() { explore_part(AnswerPart::exploration, options_.explore.max_states); }

    WorkEnd explore_part(AnswerPart part, std::uint64_t max_states) {
        ExploreOptions explore_options = options_.explore;
        explore_options.max_states = max_states;
        GoalWatch watch(net_, posed_.goals, [&] {
            posed_.judge(part);
            return posed_.all_known();
        });
        explore_options.watch = &watch;
        explore_options.symmetry = symmetry();
        const Exploration explored = explore(compiled_, explore_options);
        watch.finish(explored.complete());
        answers_.states = explored.markings;
        if (!symmetry_.trivial()) answers_.orbits = explored.space_markings;
        spread_changes();
        answers_.stop = explored.stop;
        find_schedules(explored);
        settle(part);
        if (explored.complete()) posed_.judge_complete(explored);
        const bool decides = explored.complete() || (options_.partial_graph && posed_.has_open_paths());
        if (decides && !posed_.all_known()) ask_graph(explored, symmetry());
        return explored.stop;
    }

    /// If a place changes, every place to which it can be moved changes too.
    void spread_changes() {
        if (symmetry_.trivial()) return;
        const auto orbits = symmetry_.place_orbits();
        for (std::size_t p = 0; p < posed_.goals.changes.size(); ++p)
            posed_.goals.changes[orbits[p]] |= posed_.goals.changes[p];
        for (std::size_t p = 0; p < posed_.goals.changes.size(); ++p)
            posed_.goals.changes[p] = posed_.goals.changes[orbits[p]];
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
        for (ReachGoal& goal : posed_.goals.reach)
            if (goal.marking && !goal.schedule) goal.schedule = schedule_to(*goal.marking);
        for (MaximumGoal& goal : posed_.goals.maxima)
            if (goal.exact && !goal.schedule) goal.schedule = schedule_to(goal.marking);
    }

    /// The graph into the memory.
    bool graph_fits(const Exploration& explored) const {
        std::uint64_t needed =
            StepGraph::bytes(explored) + ModelChecker::bytes(explored.space.size(), explored.space_edges);
        if (!explored.complete()) needed *= 2;  // the steps of its last markings have not been counted
        return explored.space.bytes() + needed <= options_.explore.limits.memory;
    }

    /// Needs all markings in one place.
    void ask_graph(const Exploration& explored, const NetSymmetry* symmetry) {
        if (ranks() != nullptr) return;
        if (!graph_fits(explored)) {
            if (explored.complete()) answers_.stop = WorkEnd::memory_limit;
            return;
        }
        ExploreOptions graph_options = options_.explore;
        graph_options.symmetry = symmetry;
        const std::optional<StepGraph> graph = step_graph(compiled_, graph_options, explored);
        if (!graph) {
            if (explored.complete()) answers_.stop = WorkEnd::time_limit;
            return;
        }
        ModelChecker checker(net_, explored.space, *graph);
        std::optional<Liveness> live;
        for (std::size_t i = 0; i < properties_.size(); ++i) {
            PropertyAnswer& answer = answers_.of[i];
            if (answer.known()) continue;
            if (properties_[i].kind == Property::Kind::formula) {
                answer.holds = checker.holds_initially(posed_.formula(i));
                if (!answer.known()) continue;
                answer.by = explored.complete() ? AnswerPart::state_graph : AnswerPart::partial_graph;
                if (options_.witnesses)
                    show_path(explored, *graph, symmetry, checker, posed_.formula(i), answer);
            } else if (properties_[i].kind == Property::Kind::live && explored.complete()) {
                answer.by = AnswerPart::state_graph;
                if (!live) live = liveness(compiled_, options_.explore.semantics, explored, *graph);
                for (const std::uint32_t transition : properties_[i].transitions)
                    if (live->live[transition] == 0) answer.nodes.push_back(transition);
                answer.holds = answer.nodes.empty();
            }
        }
    }

    /// The markings that decided a formula contain the path that shows it, except what a search with stubborn
    /// sets has found.
    void show_path(const PathQuestion& decided, const StepsOnDemand& steps) {
        if (!options_.witnesses || decided.formula != posed_.formula(decided.property) ||
            !may_show_path(decided.formula, *decided.holds))
            return;
        const Exploration met = steps.explored(WorkEnd::state_limit);
        if (!graph_fits(met)) return;
        const std::optional<StepGraph> graph = step_graph(compiled_, options_.explore, met);
        if (!graph) return;
        ModelChecker checker(net_, met.space, *graph);
        show_path(met, *graph, nullptr, checker, decided.formula, answers_.of[decided.property]);
    }

    void show_path(const Exploration& explored, const StepGraph& graph, const NetSymmetry* symmetry,
                   ModelChecker& checker, const Formula& formula, PropertyAnswer& answer) const {
        const auto path = checker.path_for(formula);
        if (!path) return;
        if (symmetry != nullptr) {
            auto lifted = lifted_path(compiled_, options_.explore.semantics, explored.space, graph,
                                      path->states, path->repeats_from, *symmetry);
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
    const AskOptions& options_;
    Answers answers_;
    PathRules rules_;
    PosedQuestions posed_;
    NetSymmetry symmetry_;
    bool used_small_diagram_ = false;
    std::optional<WorkEnd> reduced_end_;  // of the exploration of a reduced net
    bool ended_ = false;                  // no part can find more, or the work must end
};

const std::array<Portfolio::Part, 23> Portfolio::parts = {{
    {AnswerPart::first_exploration, true, &Portfolio::always, &Portfolio::explore_first},
    {AnswerPart::local_evaluation, false, &Portfolio::can_evaluate, &Portfolio::evaluate_first},
    {AnswerPart::decision_diagrams, false, &Portfolio::can_use_diagram_for_paths,
     &Portfolio::use_small_diagram},
    {AnswerPart::local_evaluation, false, &Portfolio::can_evaluate, &Portfolio::evaluate_some},
    {AnswerPart::partial_graph, false, &Portfolio::can_go_deep, &Portfolio::go_deep},
    {AnswerPart::state_equation, false, &Portfolio::can_simplify_conditions, &Portfolio::simplify_conditions},
    {AnswerPart::reductions, false, &Portfolio::can_reduce_path_alone, &Portfolio::reduce_paths},
    {AnswerPart::reductions, false, &Portfolio::can_reduce, &Portfolio::reduce_early},
    {AnswerPart::random_runs, false, &Portfolio::can_run, &Portfolio::run_at_random},
    {AnswerPart::guided_search, false, &Portfolio::can_be_guided, &Portfolio::search_some},
    {AnswerPart::decision_diagrams, false, &Portfolio::can_use_small_diagram, &Portfolio::use_small_diagram},
    {AnswerPart::state_equation, false, &Portfolio::can_solve_equation, &Portfolio::solve_equation},
    {AnswerPart::pumping, false, &Portfolio::has_unlimited_sums, &Portfolio::pump_sums},
    {AnswerPart::guided_search, false, &Portfolio::can_be_guided, &Portfolio::search},
    {AnswerPart::guided_search, false, &Portfolio::can_be_guided, &Portfolio::climb},
    {AnswerPart::reductions, false, &Portfolio::can_reduce, &Portfolio::reduce},
    {AnswerPart::reductions, false, &Portfolio::can_reduce_paths, &Portfolio::reduce_paths},
    {AnswerPart::local_evaluation, false, &Portfolio::can_evaluate, &Portfolio::evaluate_more},
    {AnswerPart::exploration, true, &Portfolio::can_explore_some, &Portfolio::explore_some},
    {AnswerPart::decision_diagrams, false, &Portfolio::can_use_diagrams, &Portfolio::use_large_diagram},
    {AnswerPart::reductions, true, &Portfolio::can_explore_reduced, &Portfolio::explore_a_reduced_net},
    {AnswerPart::exploration, true, &Portfolio::can_explore, &Portfolio::explore_all},
    {AnswerPart::decision_diagrams, false, &Portfolio::can_use_last_diagram, &Portfolio::use_last_diagram},
}};

/// The parts that the choice of an engine permits.
AskOptions by_engine(AskOptions options) {
    if (options.engine == ExploreEngine::one_by_one) options.decision_diagrams = false;
    if (options.engine != ExploreEngine::diagrams) return options;
    options.random_runs = options.state_equation = options.guided_search = options.reductions =
        options.path_rules = options.partial_graph = options.local_evaluation = false;
    options.diagram_effort = 0;
    options.explore.max_states = options.first_states;
    return options;
}

}  // namespace

std::string_view to_string(AnswerPart part) {
    switch (part) {
        case AnswerPart::initial_marking:
            return "initial marking";
        case AnswerPart::path_rules:
            return "path rules";
        case AnswerPart::first_exploration:
        case AnswerPart::exploration:
            return "exploration";
        case AnswerPart::random_runs:
            return "random runs";
        case AnswerPart::decision_diagrams:
            return "decision diagrams";
        case AnswerPart::state_equation:
            return "state equation";
        case AnswerPart::guided_search:
            return "guided search";
        case AnswerPart::reductions:
            return "reductions";
        case AnswerPart::state_graph:
            return "state graph";
        case AnswerPart::local_evaluation:
            return "local evaluation";
        case AnswerPart::partial_graph:
            return "part of the state graph";
        case AnswerPart::invariants:
            return "invariants";
        case AnswerPart::pumping:
            return "pumping";
    }
    return "";
}

Answers ask(const Net& net, const std::vector<Property>& properties, const AskOptions& options) {
    const CompiledNet compiled = compile(net);
    Answers answers = Portfolio(net, compiled, properties, by_engine(options)).run();
    // A limit that ended a part is none of the answer if another part found it.
    if (answers.stop && *answers.stop != WorkEnd::complete &&
        std::ranges::all_of(answers.of, &PropertyAnswer::known))
        answers.stop = WorkEnd::answered;
    const bool first = leads(options.explore.ranks);
    for (const PropertyAnswer& answer : answers.of)
        if (first && answer.witness) replay(compiled, net, *answer.witness, options.explore.semantics);
    return answers;
}

}  // namespace warpnet::states

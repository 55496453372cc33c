// Each open question about single markings is answered in a reduced net, which lacks everything that the
// question does not depend on ([../reductions](../reductions/README.md)). The reduced net is searched by the
// same methods and an exploration, with a total of two million markings for all questions. A step of a
// reduced net represents a sequence of steps of the net, so witnesses are expanded. A path to a dead marking
// is extended until nothing can fire. If nothing else is open, the net reduced for all open questions
// together is explored instead of the net itself.
//
// A formula about paths is asked in a net that keeps paths, before any exploration in depth (Kept::paths;
// Kept::steps if it has `next` or `dead`). The reduced net never has more markings, and a chain of places
// that the formula does not mention becomes one step.

#include "analysis/states/properties/conditions.hpp"
#include "analysis/states/properties/parts.hpp"
#include "analysis/states/reductions/reduce.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::states {

namespace {

constexpr std::uint64_t least_reduced_states = 20'000;  // of one goal
constexpr std::size_t longest_schedule = 1'000'000;     // steps in the original net
constexpr std::uint64_t most_arcs = 50'000'000;         // of the reduced nets, one per goal
constexpr std::size_t least_share = 10;  // for a formula about paths, at least one node in this many must go

void add_places(const LinearSum& sum, std::vector<std::uint32_t>& places) {
    for (const LinearSum::Term& term : sum.tokens) places.push_back(term.node);
}

void add_places(const Formula& formula, std::vector<std::uint32_t>& places) {
    add_places(formula.sum, places);
    for (const Formula& operand : formula.operands) add_places(operand, places);
}

bool has_kind(const Formula& formula, Formula::Kind kind) {
    return formula.kind == kind || std::ranges::any_of(formula.operands, [&](const Formula& operand) {
               return has_kind(operand, kind);
           });
}

/// The formula in terms of places, paths and dead markings alone.
Formula on_places(Formula formula, const Net& net) {
    if (formula.kind == Formula::Kind::enabled) return without_transitions(formula, net);
    for (Formula& operand : formula.operands) operand = on_places(std::move(operand), net);
    return formula;
}

std::size_t nodes(const Net& net) { return net.places().size() + net.transitions().size(); }

LinearSum with_places(LinearSum sum, const std::vector<std::uint32_t>& place_of) {
    for (LinearSum::Term& term : sum.tokens) term.node = place_of[term.node];
    return sum;
}

Formula with_places(Formula formula, const std::vector<std::uint32_t>& place_of) {
    formula.sum = with_places(std::move(formula.sum), place_of);
    for (Formula& operand : formula.operands) operand = with_places(std::move(operand), place_of);
    return formula;
}

/// The questions about a reduced net, and the goals they belong to.
struct Questions {
    std::vector<std::size_t> reach, maxima;
    std::vector<Formula> conditions;  // of `reach`: on places alone, or dead
    std::vector<std::uint32_t> visible;
    Kept kept = Kept::reachability;
    bool empty() const { return reach.empty() && maxima.empty(); }
};

class ReducedSearch {
  public:
    ReducedSearch(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                  const ReducedSearchOptions& options, Goals& goals)
        : net_(net), compiled_(compiled), ask_(ask), options_(options), goals_(goals) {}

    void add_reach(std::size_t goal, Questions& questions) const {
        const Formula& asked = goals_.reach[goal].condition;
        questions.reach.push_back(goal);
        if (asked.kind == Formula::Kind::dead) {
            questions.kept = Kept::deadlocks;
            questions.conditions.push_back(asked);
            return;
        }
        questions.conditions.push_back(simplified(without_transitions(asked, net_)));
        add_places(questions.conditions.back(), questions.visible);
    }
    void add_maximum(std::size_t goal, Questions& questions) const {
        questions.maxima.push_back(goal);
        add_places(goals_.maxima[goal].sum, questions.visible);
    }

    /// How the questions ended; nothing if the net could not be reduced.
    std::optional<WorkEnd> ask(const Questions& questions, std::uint64_t max_states) {
        const ReducedNet reduced = reduce(net_, questions.visible, questions.kept);
        if (reduced.changes() == 0) return std::nullopt;
        std::vector<std::uint32_t> place_of, transitions;
        const Net small = reduced.net(place_of, transitions);
        if (options_.halved && 2 * nodes(small) > nodes(net_)) return std::nullopt;
        std::vector<Property> properties;
        for (const Formula& condition : questions.conditions) {
            Property& property = properties.emplace_back();
            property.formula = temporal(Formula::Kind::finally, false, {with_places(condition, place_of)});
        }
        for (const std::size_t goal : questions.maxima) {
            Property& property = properties.emplace_back();
            property.kind = Property::Kind::maximum;
            property.sum = with_places(goals_.maxima[goal].sum, place_of);
        }
        const Answers answers = ask_(small, properties, max_states);
        const auto schedule_of = [&](const PropertyAnswer& answer, bool dead) {
            return answer.witness ? in_whole_net(reduced, transitions, *answer.witness, dead) : std::nullopt;
        };
        for (std::size_t i = 0; i < questions.reach.size(); ++i) {
            const PropertyAnswer& answer = answers.of[i];
            if (!answer.holds) continue;
            ReachGoal& goal = goals_.reach[questions.reach[i]];
            goal.reachable = answer.holds;
            auto run = schedule_of(answer, goal.condition.kind == Formula::Kind::dead);
            if (!run) continue;
            goal.schedule = std::move(run->schedule);
            goal.marking = std::move(run->marking);
        }
        for (std::size_t i = 0; i < questions.maxima.size(); ++i) {
            const PropertyAnswer& answer = answers.of[questions.reach.size() + i];
            raise(goals_.maxima[questions.maxima[i]], answer, schedule_of(answer, false));
        }
        return answers.stop.value_or(WorkEnd::complete);
    }

    std::optional<Answers> ask_path(const Formula& formula, std::uint64_t max_states) {
        Property property;
        property.formula = simplified(on_places(formula, net_));
        std::vector<std::uint32_t> visible;
        add_places(property.formula, visible);
        const ReducedNet reduced = reduce(net_, visible, kept_for(property.formula));
        std::vector<std::uint32_t> place_of, transitions;
        const Net small = reduced.net(place_of, transitions);
        if (nodes(small) > nodes(net_) - nodes(net_) / least_share) return std::nullopt;
        property.formula = with_places(std::move(property.formula), place_of);
        Answers answers = ask_(small, {property}, max_states);
        PropertyAnswer& answer = answers.of.front();
        answer.shortest = false;
        if (answer.witness) show_path(reduced, transitions, small, answer);
        return answers;
    }

  private:
    struct Run {
        Schedule schedule;
        Marking marking;
    };

    /// Larger values of sums, if they have a witness or need none; and the steps to the largest.
    void raise(MaximumGoal& goal, const PropertyAnswer& answer, std::optional<Run> run) const {
        if (!answer.value || *answer.value < goal.best) return;
        if (*answer.value > goal.best && options_.witnesses && !run) return;
        if (*answer.value > goal.best) goal.schedule.reset();
        goal.best = *answer.value;
        goal.exact = goal.exact || answer.exact;
        if (!run || goal.schedule) return;
        goal.marking = std::move(run->marking);
        goal.schedule = std::move(run->schedule);
    }

    /// The steps of the original net that steps of a reduced one represent. For a dead marking, postponed
    /// firings are made at the end: a marking may be dead in the reduced net although a transition that
    /// enables nothing could still fire. Nothing if that takes too long.
    std::optional<Run> in_whole_net(const ReducedNet& reduced, const std::vector<std::uint32_t>& transitions,
                                    const Schedule& schedule, bool dead) const {
        std::vector<std::uint32_t> fired;
        for (const ScheduledStep& step : schedule)
            for (const std::uint32_t t : step.transitions) fired.push_back(transitions[t]);
        const auto all = reduced.expanded(fired, longest_schedule);
        if (!all) return std::nullopt;
        Run run{{}, compiled_.initial};
        for (const std::uint32_t t : *all)
            if (!fire(t, run)) return std::nullopt;
        if (dead && !finish(run)) return std::nullopt;
        return run;
    }

    /// Replaces a path of the reduced net by one of the net; removes it if it is too long.
    void show_path(const ReducedNet& reduced, const std::vector<std::uint32_t>& transitions, const Net& small,
                   PropertyAnswer& answer) const {
        Schedule first = *answer.witness;
        const RunResult end = replay(compile(small), small, first, Semantics::interleaving);
        const bool ends = !answer.repeats_from && end.reason == StopReason::dead;
        auto all = in_whole_net(reduced, transitions, *answer.witness, ends);
        if (all && answer.repeats_from) {
            first.resize(*answer.repeats_from);
            const auto before = in_whole_net(reduced, transitions, first, false);
            if (before) answer.repeats_from = before->schedule.size();
            if (!before) all.reset();
        }
        answer.witness.reset();
        if (all) answer.witness = std::move(all->schedule);
        if (!all) answer.repeats_from.reset();
    }

    bool fire(std::uint32_t transition, Run& run) const {
        if (!enabled(compiled_, run.marking, transition)) return false;
        take(compiled_, run.marking, transition);
        run.schedule.push_back({false, {transition}});
        return give(compiled_, run.marking, transition);
    }

    bool finish(Run& run) const {
        const auto count = static_cast<std::uint32_t>(compiled_.transition_count());
        std::uint32_t next = 0, disabled = 0;
        while (disabled < count) {
            if (run.schedule.size() >= longest_schedule) return false;
            if (fire(next, run)) {
                disabled = 0;
            } else {
                ++disabled;
                next = next + 1 == count ? 0 : next + 1;
            }
        }
        return true;
    }

    const Net& net_;
    const CompiledNet& compiled_;
    const AskReduced& ask_;
    const ReducedSearchOptions& options_;
    Goals& goals_;
};

}  // namespace

Kept kept_for(const Formula& formula) {
    return has_kind(formula, Formula::Kind::next) || has_kind(formula, Formula::Kind::dead) ? Kept::steps
                                                                                            : Kept::paths;
}

NetForQuestion reduced_for(const Net& net, const Formula& formula) {
    if (has_kind(formula, Formula::Kind::enabled))
        throw InputError("the question of a reduced net: expected conditions on places, found enabled(...)");
    const Formula question = simplified(formula);
    NetForQuestion result{{}, kept_for(question)};
    // The places of the formula as it is asked: it is asked again of the reduced net.
    std::vector<std::uint32_t> visible, place_of, transitions;
    add_places(formula, visible);
    if (asks_about_markings(question)) {
        std::vector<Formula> conditions;
        add_conditions(question, conditions);
        const auto is_dead = [](const Formula& condition) {
            const bool negated = condition.kind == Formula::Kind::negation;
            return (negated ? condition.operands.front() : condition).kind == Formula::Kind::dead;
        };
        // A dead marking with a further condition need not be kept by a reduction that keeps dead markings.
        const bool joined = std::ranges::any_of(conditions, [&](const Formula& condition) {
            return !is_dead(condition) && has_kind(condition, Formula::Kind::dead);
        });
        if (!joined)
            result.kept = std::ranges::any_of(conditions, is_dead) ? Kept::deadlocks : Kept::reachability;
    }
    result.net = reduce(net, visible, result.kept).net(place_of, transitions, &net);
    return result;
}

void try_reductions(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                    const ReducedSearchOptions& options, Goals& goals) {
    ReducedSearch search(net, compiled, ask, options, goals);
    std::vector<Questions> open;
    for (std::size_t i = 0; i < goals.reach.size(); ++i)
        if (!goals.reach[i].reachable) search.add_reach(i, open.emplace_back());
    for (std::size_t i = 0; i < goals.maxima.size(); ++i)
        if (!goals.maxima[i].exact) search.add_maximum(i, open.emplace_back());
    if (open.empty() || open.size() * net.arcs().size() > most_arcs) return;
    const std::uint64_t states =
        std::min(options.most_of_one, std::max(least_reduced_states, options.max_states / open.size()));
    for (const Questions& questions : open) {
        if (options.limits.must_end()) return;
        search.ask(questions, states);
    }
}

std::optional<Answers> ask_reduced_path(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                                        const ReducedSearchOptions& options, const Formula& formula,
                                        std::uint64_t max_states) {
    if (net.arcs().size() > most_arcs) return std::nullopt;
    Goals none;
    return ReducedSearch(net, compiled, ask, options, none).ask_path(formula, max_states);
}

std::optional<WorkEnd> explore_reduced(const Net& net, const CompiledNet& compiled, const AskReduced& ask,
                                       const ReducedSearchOptions& options, Goals& goals) {
    ReducedSearch search(net, compiled, ask, options, goals);
    Questions all;
    for (std::size_t i = 0; i < goals.reach.size(); ++i)
        if (!goals.reach[i].reachable) search.add_reach(i, all);
    for (std::size_t i = 0; i < goals.maxima.size(); ++i)
        if (!goals.maxima[i].exact) search.add_maximum(i, all);
    if (all.empty()) return std::nullopt;
    return search.ask(all, options.most_of_one);
}

}  // namespace warpnet::states

// Turns questions into goals, and goals into answers. A goal is a condition on one marking, a sum to be made
// large, or tokens that change. Equal conditions of several questions are one goal, so each part of the
// portfolio looks for it once. A formula is a combination of such goals, or is about paths. The answer to a
// combination follows from its goals. Formulas about paths are listed for the parts that decide them. Ranks
// exchange only the state of the goals.

#include "analysis/states/properties/posed_questions.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/properties/conditions.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace warpnet::states {

namespace {

constexpr std::uint64_t symmetry_effort = std::uint64_t{1} << 26;  // a tenth of a second, about

LinearSum negative(LinearSum sum) {
    for (LinearSum::Term& term : sum.tokens) term.coefficient = -term.coefficient;
    sum.constant = -sum.constant;
    return sum;
}

bool joins(const Formula& formula) {
    return formula.kind == Formula::Kind::conjunction || formula.kind == Formula::Kind::disjunction;
}

}  // namespace

std::int64_t clamped(WideSum value) {
    constexpr WideSum least = std::numeric_limits<std::int64_t>::min();
    constexpr WideSum most = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::clamp(value, least, most));
}

void set_pump(PropertyAnswer& answer, const Pump& pump) {
    answer.witness = pump.first;
    answer.witness->insert(answer.witness->end(), pump.repeated.begin(), pump.repeated.end());
    answer.repeats_from = pump.first.size();
    answer.nodes = pump.growing;
}

PosedQuestions::PosedQuestions(const Net& net, const CompiledNet& compiled,
                               const std::vector<Property>& properties, PathRules* rules, Answers& answers)
    : net_(net), timed_(is_timed(compiled)), properties_(properties), rules_(rules), answers_(answers) {
    answers.of.resize(properties.size());
    for (std::size_t i = 0; i < properties.size(); ++i) pose(i);
}

bool PosedQuestions::all_known() const {
    for (std::size_t i = 0; i < properties_.size(); ++i)
        if (!answers_.of[i].known() && properties_[i].kind != Property::Kind::bounded) return false;
    return true;
}

bool PosedQuestions::has_open_goals() const {
    const auto open_goal = [](const ReachGoal& goal) { return !goal.reachable; };
    const auto open_maximum = [](const MaximumGoal& goal) { return !goal.exact; };
    return std::any_of(goals.reach.begin(), goals.reach.end(), open_goal) ||
           std::any_of(goals.maxima.begin(), goals.maxima.end(), open_maximum) ||
           (!goals.changes.empty() && !goals.changes_complete);
}

bool PosedQuestions::speaks_of_goals_alone() const {
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        if (answers_.of[i].known()) continue;
        const Property::Kind kind = properties_[i].kind;
        if (kind == Property::Kind::stable || kind == Property::Kind::live) return false;
        if (kind == Property::Kind::formula && !asks_about_markings(asked_[i].formula)) return false;
    }
    return true;
}

NetSymmetry PosedQuestions::symmetry() const {
    SymmetryLimits limits;
    limits.effort = symmetry_effort;
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        const Property& property = properties_[i];
        add_conditions(asked_[i].formula, limits.conditions);
        if (property.kind == Property::Kind::maximum || property.kind == Property::Kind::minimum)
            limits.sums.push_back(property.sum);
        limits.transitions.insert(limits.transitions.end(), property.transitions.begin(),
                                  property.transitions.end());
    }
    return find_symmetry(net_, limits);
}

void PosedQuestions::share(ranks::Collectives* ranks) {
    if (ranks == nullptr) return;
    ranks::ByteWriter writer;
    write_known(goals, writer);
    writer.put_list(stable_);
    writer.put(answers_.states);
    writer.put(answers_.orbits);
    writer.put(answers_.stop);
    const std::string text = ranks->broadcast(0, writer.bytes());
    if (ranks->rank() == 0) return;
    ranks::ByteReader reader(text);
    read_known(reader, goals);
    stable_ = reader.get_list<std::uint32_t>();
    answers_.states = reader.get<std::uint64_t>();
    answers_.orbits = reader.get<std::uint64_t>();
    answers_.stop = reader.get<std::optional<WorkEnd>>();
}

void PosedQuestions::judge(AnswerPart by) {
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        PropertyAnswer& answer = answers_.of[i];
        if (answer.known()) continue;
        judge(properties_[i], asked_[i], answer);
        if (answer.known()) answer.by = by;
    }
}

void PosedQuestions::judge_complete(const Exploration& explored) {
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        PropertyAnswer& answer = answers_.of[i];
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
            for (std::uint32_t p = 0; p < goals.changes.size(); ++p)
                if (goals.changes[p] == 0) answer.nodes.push_back(p);
            answer.holds = !answer.nodes.empty();
        } else {
            continue;
        }
        if (answer.known()) answer.by = AnswerPart::exploration;
    }
}

void PosedQuestions::add_witnesses(AnswerPart part) {
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        PropertyAnswer& answer = answers_.of[i];
        if (!answer.known() || answer.by != part || answer.witness) continue;
        const ReachGoal* goal = nullptr;
        switch (properties_[i].kind) {
            case Property::Kind::maximum:
            case Property::Kind::minimum:
                answer.witness = goals.maxima[asked_[i].goal].schedule;
                break;
            case Property::Kind::formula:
                goal = goal_shown(asked_[i].formula, *answer.holds);
                break;
            case Property::Kind::live:
                if (goals.reach[asked_[i].goal].reachable == true) goal = &goals.reach[asked_[i].goal];
                break;
            default:
                break;
        }
        if (goal != nullptr) answer.witness = goal->schedule;
        answer.shortest =
            answer.witness && goal != nullptr && !asked_[i].replaced &&
            (goal->shortest || part <= AnswerPart::first_exploration || part == AnswerPart::exploration);
    }
}

std::vector<PathQuestion> PosedQuestions::open_paths() const {
    std::vector<PathQuestion> paths;
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        if (answers_.of[i].known()) continue;
        if (properties_[i].kind == Property::Kind::formula) paths.push_back({i, asked_[i].formula});
        if (properties_[i].kind != Property::Kind::live) continue;
        for (const std::uint32_t t : properties_[i].transitions) {
            Formula again = temporal(Formula::Kind::finally, false, {enabled_one_of({t})});
            paths.push_back({i, temporal(Formula::Kind::globally, true, {std::move(again)}), t});
        }
    }
    return paths;
}

std::vector<std::size_t> PosedQuestions::open_questions() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < properties_.size(); ++i)
        if (!answers_.of[i].known()) open.push_back(i);
    return open;
}

bool PosedQuestions::has_open_paths() const {
    for (std::size_t i = 0; i < properties_.size(); ++i)
        if (is_open_path(i)) return true;
    return false;
}

bool PosedQuestions::is_open_path(std::size_t property) const {
    return !answers_.of[property].known() && properties_[property].kind == Property::Kind::formula &&
           !asks_about_markings(asked_[property].formula);
}

Goals PosedQuestions::conditions_on_paths() const {
    std::vector<Formula> conditions;
    for (std::size_t i = 0; i < properties_.size(); ++i)
        if (is_open_path(i)) add_conditions(asked_[i].formula, conditions);
    const std::size_t count = conditions.size();
    for (std::size_t i = 0; i < count; ++i) conditions.push_back(simplified(negation(conditions[i])));
    const Marking initial = net_.initial_marking();
    Goals result;
    for (Formula& condition : conditions) {
        const auto same = [&](const ReachGoal& goal) { return goal.condition == condition; };
        if (Condition(condition, net_).holds([&](std::uint32_t place) { return initial[place]; }) ||
            std::any_of(result.reach.begin(), result.reach.end(), same))
            continue;
        result.reach.push_back({std::move(condition)});
    }
    return result;
}

void PosedQuestions::simplify_paths(const Goals& conditions) {
    const auto value = [&](const Formula& condition) {
        for (const ReachGoal& goal : conditions.reach) {
            if (goal.reachable != false) continue;
            if (goal.condition == condition) return constant(false);
            if (goal.condition == simplified(negation(condition))) return constant(true);
        }
        return condition;
    };
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        if (!is_open_path(i)) continue;
        Formula formula = with_conditions(asked_[i].formula, value);
        if (formula == asked_[i].formula) continue;
        asked_[i].formula = simplified_by_rules(formula);
        asked_[i].replaced = true;
    }
}

std::vector<PathQuestion> PosedQuestions::open_parts() const {
    std::vector<PathQuestion> parts;
    const std::function<void(std::size_t, const Formula&)> add = [&](std::size_t property,
                                                                     const Formula& formula) {
        if (!joins(formula)) return parts.push_back({property, formula});
        for (const Formula& operand : formula.operands) add(property, operand);
    };
    for (std::size_t i = 0; i < properties_.size(); ++i)
        if (is_open_path(i)) add(i, asked_[i].formula);
    return parts;
}

void PosedQuestions::judge_parts(const std::vector<PathQuestion>& parts, AnswerPart by) {
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        if (!is_open_path(i)) continue;
        const std::function<Formula(const Formula&)> with_values = [&](const Formula& formula) {
            for (const PathQuestion& part : parts)
                if (part.property == i && part.holds && part.formula == formula) return constant(*part.holds);
            Formula result = formula;
            if (joins(formula))
                for (Formula& operand : result.operands) operand = with_values(operand);
            return result;
        };
        Formula formula = simplified(with_values(asked_[i].formula));
        if (formula == asked_[i].formula) continue;
        if (formula.kind == Formula::Kind::constant) {
            answers_.of[i].holds = formula.value;
            answers_.of[i].by = by;
            continue;
        }
        asked_[i].formula = std::move(formula);
        asked_[i].replaced = true;
    }
}

void PosedQuestions::judge_paths(const std::vector<PathQuestion>& paths, AnswerPart by) {
    for (std::size_t first = 0, last = 0; first < paths.size(); first = last) {
        PropertyAnswer& answer = answers_.of[paths[first].property];
        bool all = true, decided = true;
        std::vector<std::uint32_t> not_live;
        for (; last < paths.size() && paths[last].property == paths[first].property; ++last) {
            decided = decided && paths[last].holds.has_value();
            if (paths[last].holds != false) continue;
            all = false;
            if (paths[last].transition) not_live.push_back(*paths[last].transition);
        }
        if (answer.known() || !decided) continue;
        answer.holds = all;
        answer.nodes = std::move(not_live);
        answer.by = by;
    }
}

void PosedQuestions::pose(std::size_t number) {
    const Property& property = properties_[number];
    Asked asked;
    switch (property.kind) {
        case Property::Kind::formula:
            asked.formula = simplified_by_rules(property.formula);
            asked.replaced = asked.formula != simplified(property.formula);
            if (!asked.replaced || asked.formula.kind != Formula::Kind::constant) break;
            answers_.of[number].holds = asked.formula.value;
            answers_.of[number].by = AnswerPart::path_rules;
            break;
        case Property::Kind::maximum:
        case Property::Kind::minimum:
            asked.goal = goals.maxima.size();
            goals.maxima.push_back(
                {property.kind == Property::Kind::maximum ? property.sum : negative(property.sum)});
            break;
        case Property::Kind::stable:
            goals.changes.assign(net_.places().size(), 0);
            break;
        case Property::Kind::bounded:
            break;
        case Property::Kind::live:
            asked.goal = goal_of(dead_marking());
            [[fallthrough]];
        case Property::Kind::quasi_live:
            if (!timed_) break;  // enabled transitions need not fire
            for (const std::uint32_t transition : property.transitions)
                asked.goals.push_back(goal_of(enabled_one_of({transition})));
            break;
    }
    asked_.push_back(std::move(asked));
}

Formula PosedQuestions::simplified_by_rules(const Formula& formula) {
    return rules_ != nullptr ? rules_->simplify(formula) : simplified(formula);
}

std::size_t PosedQuestions::goal_of(const Formula& condition) {
    for (std::size_t i = 0; i < goals.reach.size(); ++i)
        if (goals.reach[i].condition == condition) return i;
    goals.reach.push_back({condition});
    return goals.reach.size() - 1;
}

void PosedQuestions::judge(const Property& property, const Asked& asked, PropertyAnswer& answer) {
    switch (property.kind) {
        case Property::Kind::formula:
            answer.holds =
                holds_in(asked.formula, net_, net_.initial_marking(),
                         [&](const Formula& condition) { return goals.reach[goal_of(condition)].reachable; });
            break;
        case Property::Kind::maximum:
        case Property::Kind::minimum: {
            const MaximumGoal& goal = goals.maxima[asked.goal];
            if (goal.pump) {
                answer.value.reset();
                answer.unbounded = true;
                set_pump(answer, *goal.pump);
                break;
            }
            if (goal.marking.empty() && !net_.places().empty()) break;
            answer.value = clamped(property.kind == Property::Kind::maximum ? goal.best : -goal.best);
            answer.exact = goal.exact;
            break;
        }
        case Property::Kind::stable:
            if (std::find(goals.changes.begin(), goals.changes.end(), 0) == goals.changes.end())
                answer.holds = false;
            if (goals.changes_complete) {
                stable_.clear();
                for (std::uint32_t p = 0; p < goals.changes.size(); ++p)
                    if (goals.changes[p] == 0) stable_.push_back(p);
            }
            if (!stable_.empty()) {
                answer.holds = true;
                answer.nodes = stable_;
            }
            break;
        case Property::Kind::bounded:
            break;
        case Property::Kind::live:
            if (!property.transitions.empty() && goals.reach[asked.goal].reachable == true)
                answer.holds = false;
            [[fallthrough]];
        case Property::Kind::quasi_live:
            judge_transitions(property, asked, answer);
            break;
    }
}

void PosedQuestions::judge_transitions(const Property& property, const Asked& asked,
                                       PropertyAnswer& answer) const {
    bool all = !asked.goals.empty() || property.transitions.empty();
    for (const std::size_t goal : asked.goals) {
        if (goals.reach[goal].reachable == false) answer.holds = false;
        all = all && goals.reach[goal].reachable == true;
    }
    if (all && property.kind == Property::Kind::quasi_live) answer.holds = true;
}

const ReachGoal* PosedQuestions::goal_shown(const Formula& formula, bool holds) {
    const bool shown = formula.kind == Formula::Kind::finally    ? holds && !formula.on_all_paths
                       : formula.kind == Formula::Kind::globally ? !holds && formula.on_all_paths
                                                                 : false;
    if (!shown || !is_state_formula(formula.operands.front())) return nullptr;
    return &goals.reach[goal_of(formula.kind == Formula::Kind::finally
                                    ? formula.operands.front()
                                    : simplified(negation(formula.operands.front())))];
}

}  // namespace warpnet::states

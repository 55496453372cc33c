// Evaluates CTL from the initial marking on, and visits only the markings that an operator asks about
// [Vergauwen93]. `EU` looks for a marking that has the second operand, `EG` for a cycle or a dead marking,
// `EX` looks at the successors; the other operators are complements of these three. So few markings decide
// "EF EG p" in a net of any size, while a part of the graph must contain all markings that matter.
//
// Each `EU` and `EG` keeps its values, the links back from a marking to those that led to it, and the
// markings that it has not followed yet. A value is sent back along the links, and a question about another
// marking continues from the state of the last search. So an operator follows each marking once, however many
// outer operators ask. If nothing is left to follow, no open marking has `EU`. That is the dependency graph
// with certain zeros of [Dalsgaard18], one operator at a time.
//
// Work is divided into slices, which double. An operator within another one gets a quarter of the remaining
// slice. A value that it does not find stays unknown in this slice, and the outer search continues elsewhere.
// Slices take the orders of the searches for `EU` in turn, because each succeeds on formulas that the other
// two miss: depth-first, the marking nearest to the second operand first, and breadth-first. If `EF` of a
// condition is asked, a guided search with stubborn sets (guided_search.cpp) first gets half of the work: it
// leaves out most steps, but no other search can use its markings. O(transitions) per marking, and one value
// and the links per marking and operator.
//
// Rejected: a new search for each question, without links. Nested operators repeat it for every marking of
// the outer one.

#include "analysis/states/explore/repack.hpp"
#include "analysis/states/properties/conditions.hpp"
#include "analysis/states/properties/parts.hpp"
#include "analysis/states/properties/steps_on_demand.hpp"
#include "engine/base/no_index.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace warpnet::states {

namespace {

constexpr std::uint64_t slices = 32;  // the first one is this part of the effort
constexpr std::uint64_t share_within = 4;
constexpr std::uint64_t share_of_search = 2;
constexpr std::uint64_t least_within = 64;
constexpr std::uint64_t places_read_a_unit = 2;  // of a condition
constexpr std::uint64_t bytes_a_link = 8, bytes_a_node = 32;

class LocalEvaluation {
  public:
    LocalEvaluation(const Net& net, const CompiledNet& compiled, const PackedLayout& layout,
                    const Formula& formula, const WorkLimits& limits)
        : net_(net),
          compiled_(compiled),
          limits_(limits),
          steps_(compiled, layout),
          reach_(reach_search(compiled, limits)),
          root_(add(formula)) {}

    std::optional<bool> run() {
        for (std::uint64_t slice = limits_.effort / slices + 1; !must_end();
             slice = std::min(2 * slice, limits_.effort)) {
            for (const Order order : {Order::depth_first, Order::nearest_first, Order::breadth_first}) {
                if (order == Order::nearest_first && !has_aims_) continue;
                order_ = order;
                for (Operator& op : operators_) retry(op);
                if (must_end()) return std::nullopt;
                const std::uint64_t end = spent() + std::min(slice, limits_.effort - spent());
                if (const auto holds = evaluate(root_, 0, end)) return holds;
            }
        }
        return std::nullopt;
    }
    /// The markings that were asked about.
    const StepsOnDemand& steps() const { return steps_; }

  private:
    enum class Kind : std::uint8_t { condition, negation, conjunction, next, until, globally };
    enum class Value : std::uint8_t { open, no, yes, given_up };
    /// In which a search for `EU` follows markings.
    enum class Order : std::uint8_t { depth_first, nearest_first, breadth_first };

    /// A marking that an operator has met.
    struct Node {
        Value value = Value::open;
        bool met = false;
        bool waiting = false;            // until a search for `EU` follows it
        bool on_path = false;            // of the search for a cycle
        bool finished = false;           // of that search; for `EU`: the first operand holds
        bool not_reached = false;        // for `EU`: the second operand does not hold
        bool blocked = false;            // of an operand nothing is known in this slice
        bool searched = false;           // by the guided search, in this slice
        bool ranked = false;             // in Operator::by_distance
        std::uint32_t links = no_index;  // back to the markings before it: a list in Operator::links
        std::uint32_t next = 0;          // successor that the search looks at
        std::uint32_t linked = 0;        // successors with links to it, of the search for a cycle
        std::uint32_t not_refuted = 0;   // successors that may have the operator
    };
    struct Link {
        std::uint32_t before, next;
    };

    struct Operator {
        Kind kind;
        std::vector<std::size_t> operands = {};
        std::optional<Condition> condition = {};
        std::vector<Node> nodes = {};
        std::vector<Link> links = {};
        Formula aim = {};                         // a condition that its second operand is likely to need
        bool finds_aim = false;                   // `EF` of it
        std::deque<std::uint32_t> frontier = {};  // markings that may be waiting
        std::map<WideSum, std::vector<std::uint32_t>> by_distance = {};  // the same, by distance from the aim
        std::vector<std::uint32_t> blocked = {};
    };

    std::size_t add(Kind kind, std::vector<std::size_t> operands) {
        operators_.push_back({kind, std::move(operands)});
        return operators_.size() - 1;
    }
    std::size_t no(std::size_t operand) { return add(Kind::negation, {operand}); }
    /// `reached`: the formula of the second operand.
    std::size_t until(std::size_t first, std::size_t second, const Formula& reached) {
        const std::size_t number = add(Kind::until, {first, second});
        operators_[number].aim = simplified(without_transitions(aim_of(reached), net_));
        has_aims_ = has_aims_ || has_aim(operators_[number]);
        return number;
    }
    std::size_t finally(std::size_t operand, const Formula& reached) {
        const std::size_t number = until(condition(constant(true)), operand, reached);
        operators_[number].finds_aim = is_state_formula(reached) && has_aim(operators_[number]);
        return number;
    }
    static bool has_aim(const Operator& op) { return op.aim.kind != Formula::Kind::constant; }

    /// The conditions that a path has to bring about for a simplified formula.
    static Formula aim_of(const Formula& formula) {
        if (is_state_formula(formula)) return formula;
        if (formula.kind == Formula::Kind::negation) return constant(true);
        if (formula.kind >= Formula::Kind::next) return aim_of(formula.operands.back());
        Formula result = formula;
        for (Formula& operand : result.operands) operand = aim_of(operand);
        return result;
    }

    /// Operands that cost little come first: without searches, then with few of them within each other.
    std::size_t all_of(std::vector<std::size_t> operands) {
        std::ranges::stable_sort(operands, {}, [&](std::size_t operand) { return depth(operand); });
        return add(Kind::conjunction, std::move(operands));
    }
    std::uint32_t depth(std::size_t number) const {
        constexpr std::uint32_t of_a_search = 100;
        const Operator& op = operators_[number];
        std::uint32_t within = 0;
        for (const std::size_t operand : op.operands) within = std::max(within, depth(operand));
        return within + (op.kind == Kind::next                                 ? 1
                         : op.kind == Kind::until || op.kind == Kind::globally ? of_a_search
                                                                               : 0);
    }
    std::size_t condition(const Formula& formula) {
        const std::size_t number = add(Kind::condition, {});
        operators_[number].condition.emplace(formula, net_);
        return number;
    }

    std::size_t add(const Formula& formula) {
        if (is_state_formula(formula)) return condition(formula);
        std::vector<std::size_t> parts;
        for (const Formula& operand : formula.operands) parts.push_back(add(operand));
        const bool all = formula.on_all_paths;
        const auto opposite = [&](std::size_t operand) {
            return simplified(negation(formula.operands[operand]));
        };
        switch (formula.kind) {
            case Formula::Kind::negation:
                return no(parts.front());
            case Formula::Kind::conjunction:
                return all_of(std::move(parts));
            case Formula::Kind::disjunction:
                for (std::size_t& part : parts) part = no(part);
                return no(all_of(std::move(parts)));
            case Formula::Kind::next:
                return all ? no(add(Kind::next, {no(parts[0])})) : add(Kind::next, parts);
            case Formula::Kind::finally:
                return all ? no(add(Kind::globally, {no(parts[0])})) : finally(parts[0], formula.operands[0]);
            case Formula::Kind::globally:
                return all ? no(finally(no(parts[0]), opposite(0))) : add(Kind::globally, parts);
            default:
                break;
        }
        if (!all) return until(parts[0], parts[1], formula.operands[1]);
        // Not: never the second, or neither before the second.
        const std::size_t first = no(parts[0]), second = no(parts[1]);
        const std::size_t neither = until(second, all_of({first, second}), opposite(0));
        return add(Kind::conjunction, {no(neither), no(add(Kind::globally, {second}))});
    }

    auto tokens_in(std::uint32_t state) const {
        return [&layout = markings().layout(), packed = markings().packed(state)](std::uint32_t place) {
            return layout.tokens(packed, place);
        };
    }

    /// Values that were unknown in a slice are tried again in the next one.
    void retry(Operator& op) {
        for (Node& node : op.nodes) {
            if (node.value == Value::given_up) node.value = Value::open;
            node.searched = false;
            if (op.kind != Kind::globally || node.value != Value::open) continue;
            node.finished = false;
            node.next = 0;
        }
        for (const std::uint32_t state : std::exchange(op.blocked, {})) {
            node(op, state).blocked = false;
            wait(op, state, true);
        }
    }

    Node& node(Operator& op, std::uint32_t state) {
        if (op.nodes.size() <= state) {
            bytes_ += (markings().size() - op.nodes.size()) * bytes_a_node;
            op.nodes.resize(markings().size());
        }
        return op.nodes[state];
    }

    /// Nothing: not before `end`, a value of spent().
    std::optional<bool> evaluate(std::size_t number, std::uint32_t state, std::uint64_t end) {
        Operator& op = operators_[number];
        if (op.kind == Kind::negation) {
            const auto holds = evaluate(op.operands[0], state, end);
            return holds ? std::optional(!*holds) : std::nullopt;
        }
        spend(1);
        if (const Value value = node(op, state).value; value != Value::open)
            return value == Value::given_up ? std::nullopt : std::optional(value == Value::yes);
        if (op.kind != Kind::condition && is_spent(end)) return std::nullopt;
        std::optional<bool> holds;
        switch (op.kind) {
            case Kind::condition: {
                spend(1 + op.condition->places().size() / places_read_a_unit);
                holds = op.condition->holds(tokens_in(state));
                break;
            }
            case Kind::conjunction:
                holds = all_hold(op, state, end);
                break;
            case Kind::next:
                holds = some_next(op, state, end);
                break;
            case Kind::until:
                return some_until(op, state, end);
            default:
                return some_globally(op, state, end);
        }
        node(op, state).value = !holds ? Value::given_up : *holds ? Value::yes : Value::no;
        return holds;
    }

    std::optional<bool> all_hold(Operator& op, std::uint32_t state, std::uint64_t end) {
        bool unknown = false;
        for (std::size_t i = 0; i < op.operands.size(); ++i) {
            const auto holds = evaluate(op.operands[i], state, share(op.operands.size() - i, end));
            if (holds == false) return false;
            unknown = unknown || !holds;
        }
        return unknown ? std::nullopt : std::optional(true);
    }

    std::optional<bool> some_next(Operator& op, std::uint32_t state, std::uint64_t end) {
        bool unknown = false;
        for (std::uint32_t i = 0; i < steps_.count(state); ++i) {
            if (is_spent(end)) return std::nullopt;
            const auto holds =
                evaluate(op.operands[0], steps_.after(state, i), share(steps_.count(state) - i, end));
            if (holds == true) return true;
            unknown = unknown || !holds;
        }
        return unknown ? std::nullopt : std::optional(false);
    }

    /// The end of the work of one of several operands or markings that are left.
    std::uint64_t share(std::uint64_t left, std::uint64_t end) const {
        return end > spent() ? spent() + (end - spent()) / std::min(left, share_within) : end;
    }

    /// The work that an operand may spend.
    std::uint64_t within(std::uint64_t end) const {
        return spent() + std::max(least_within, end > spent() ? (end - spent()) / share_within : 0);
    }

    void link(Operator& op, std::uint32_t before, std::uint32_t after) {
        Node& to = node(op, after);
        op.links.push_back({before, to.links});
        to.links = static_cast<std::uint32_t>(op.links.size() - 1);
        bytes_ += bytes_a_link;
    }

    /// The markings before it also have the operator, since they have its first operand.
    void set_yes(Operator& op, std::uint32_t state) {
        std::vector<std::uint32_t> open = {state};
        while (!open.empty()) {
            Node& one = node(op, open.back());
            open.pop_back();
            if (one.value == Value::yes) continue;
            one.value = Value::yes;
            for (std::uint32_t l = one.links; l != no_index; l = op.links[l].next, spend(1))
                open.push_back(op.links[l].before);
        }
    }

    /// If this was the last successor that might have `EG`, a marking before it no longer has it.
    void set_no(Operator& op, std::uint32_t state) {
        std::vector<std::uint32_t> open = {state};
        while (!open.empty()) {
            Node& one = node(op, open.back());
            open.pop_back();
            if (one.value != Value::open) continue;
            one.value = Value::no;
            for (std::uint32_t l = one.links; l != no_index; l = op.links[l].next, spend(1))
                if (--node(op, op.links[l].before).not_refuted == 0) open.push_back(op.links[l].before);
        }
    }

    void meet(Operator& op, std::uint32_t state, bool is_next) {
        if (!std::exchange(node(op, state).met, true)) wait(op, state, is_next);
    }

    /// `is_next`: followed before all that wait, in this order of search.
    void wait(Operator& op, std::uint32_t state, bool is_next) {
        node(op, state).waiting = true;
        if (order_ == Order::depth_first || !is_next) {
            op.frontier.push_back(state);
        } else {
            op.frontier.push_front(state);
        }
        bytes_ += sizeof state;
        if (!has_aim(op) || std::exchange(node(op, state).ranked, true)) return;
        bytes_ += sizeof state;
        spend(op.aim.operands.size() + 1);
        op.by_distance[distance(op.aim, tokens_in(state))].push_back(state);
    }

    /// The marking to follow next; nothing if none is waiting.
    std::optional<std::uint32_t> take_waiting(Operator& op) {
        while (!op.frontier.empty()) {
            std::uint32_t state = 0;
            const bool nearest_first = order_ == Order::nearest_first && !op.by_distance.empty();
            if (nearest_first) {
                const auto nearest = op.by_distance.begin();
                state = nearest->second.back();
                nearest->second.pop_back();
                if (nearest->second.empty()) op.by_distance.erase(nearest);
            } else if (order_ == Order::depth_first) {
                state = op.frontier.back();
                op.frontier.pop_back();
            } else {
                state = op.frontier.front();
                op.frontier.pop_front();
            }
            Node& one = node(op, state);
            one.ranked = one.ranked && !nearest_first;
            bytes_ -= sizeof state;
            if (std::exchange(one.waiting, false) && one.value == Value::open) return state;
        }
        return std::nullopt;
    }

    std::optional<bool> some_until(Operator& op, std::uint32_t first, std::uint64_t end) {
        meet(op, first, true);
        if (op.finds_aim) search(op, first, end);
        while (node(op, first).value == Value::open) {
            if (is_spent(end)) return std::nullopt;
            const auto state = take_waiting(op);
            if (!state) break;
            follow(op, *state, end);
        }
        if (const Value value = node(op, first).value; value != Value::open) return value == Value::yes;
        if (!op.blocked.empty()) return std::nullopt;
        for (Node& one : op.nodes)
            if (one.met && one.value == Value::open) one.value = Value::no;
        return false;
    }

    void search(Operator& op, std::uint32_t state, std::uint64_t end) {
        if (std::exchange(node(op, state).searched, true) || spent() >= end) return;
        const std::uint64_t of_a_state = 1 + compiled_.place_count() + compiled_.transition_count();
        std::uint64_t states = 1 + (end - spent()) / share_of_search / of_a_state;
        const auto found = reach_(op.aim, markings()[state], states);
        spend(states * of_a_state);
        if (found == true) set_yes(op, state);
        if (found == false) node(op, state).value = Value::no;
    }

    void follow(Operator& op, std::uint32_t state, std::uint64_t end) {
        if (!node(op, state).not_reached || !node(op, state).finished) {
            const auto reached = evaluate(op.operands[1], state, within(end));
            if (reached == true) return set_yes(op, state);
            const auto holds = evaluate(op.operands[0], state, within(end));
            Node& one = node(op, state);
            one.not_reached = reached == false;
            one.finished = holds == true;
            if (holds == false && one.not_reached) {
                one.value = Value::no;
                return;
            }
            if ((!reached || !holds) && !std::exchange(one.blocked, true)) op.blocked.push_back(state);
            if (!one.finished) return;
        }
        // Depth-first, the other steps wait until the first one has been followed.
        const std::uint32_t count = steps_.count(state), first = node(op, state).next;
        const std::uint32_t last = order_ == Order::depth_first ? std::min(first + 1, count) : count;
        node(op, state).next = last;
        if (last < count) wait(op, state, true);
        for (std::uint32_t i = first; i < last; ++i) {
            spend(1);
            const std::uint32_t next = steps_.after(state, i);
            const Value value = node(op, next).value;
            if (value == Value::yes) return set_yes(op, state);
            if (value == Value::no) continue;
            link(op, state, next);
            meet(op, next, order_ == Order::depth_first);
        }
    }

    std::optional<bool> some_globally(Operator& op, std::uint32_t first, std::uint64_t end) {
        std::vector<std::uint32_t> path;
        enter(op, first, path, end);
        while (node(op, first).value == Value::open && !path.empty()) {
            if (is_spent(end)) break;
            const std::uint32_t last = path.back();
            if (Node& one = node(op, last); one.value == Value::open && one.next < steps_.count(last)) {
                look_at_next(op, last, path, end);
                continue;
            }
            Node& one = node(op, last);
            one.on_path = false;
            one.finished = true;
            path.pop_back();
        }
        // A later search enters the next marking of the path again.
        for (std::size_t i = 0; i < path.size(); ++i) {
            Node& one = node(op, path[i]);
            one.on_path = false;
            if (i + 1 < path.size()) --one.next;
        }
        const Value value = node(op, first).value;
        return value == Value::open ? std::nullopt : std::optional(value == Value::yes);
    }

    /// Continues with a marking. A marking on the path, a dead one and one that has the operator end an
    /// endless path.
    void enter(Operator& op, std::uint32_t state, std::vector<std::uint32_t>& path, std::uint64_t end) {
        spend(1);
        if (const Node& one = node(op, state); one.value != Value::open || one.finished) return;
        if (node(op, state).on_path) return set_yes(op, state);
        if (!std::exchange(node(op, state).met, true) || node(op, state).not_refuted == 0) {
            const auto holds = evaluate(op.operands[0], state, within(end));
            if (holds == false) return set_no(op, state);
            if (!holds) {
                node(op, state).finished = true;  // in this slice
                return;
            }
            const std::uint32_t count = steps_.count(state);
            if (count == 0) return set_yes(op, state);
            node(op, state).not_refuted = count;
        }
        node(op, state).on_path = true;
        path.push_back(state);
    }

    void look_at_next(Operator& op, std::uint32_t state, std::vector<std::uint32_t>& path,
                      std::uint64_t end) {
        const std::uint32_t number = node(op, state).next++;
        const std::uint32_t next = steps_.after(state, number);
        const Value value = node(op, next).value;
        if (number == node(op, state).linked) {
            ++node(op, state).linked;
            if (value == Value::yes) return set_yes(op, state);
            if (value != Value::no) {
                link(op, state, next);
            } else if (--node(op, state).not_refuted == 0) {
                return set_no(op, state);
            }
        }
        enter(op, next, path, end);
    }

    void spend(std::uint64_t units) { of_values_ += units; }
    std::uint64_t spent() const { return of_values_ + steps_.work(); }
    const MarkingStore& markings() const { return steps_.markings(); }

    bool must_end() {
        too_large_ = too_large_ || steps_.bytes() + bytes_ > limits_.memory || limits_.must_end();
        return too_large_ || spent() >= limits_.effort;
    }

    /// Checks memory and time now and then.
    bool is_spent(std::uint64_t end) {
        if (++looks_ % 1024 == 0) must_end();
        return too_large_ || spent() >= std::min(end, limits_.effort);
    }

    const Net& net_;
    const CompiledNet& compiled_;
    const WorkLimits& limits_;
    StepsOnDemand steps_;
    ReachFrom reach_;
    std::vector<Operator> operators_;
    bool has_aims_ = false;
    std::size_t root_;
    Order order_ = Order::depth_first;
    bool too_large_ = false;
    std::uint64_t of_values_ = 0;  // work without that of the steps
    std::uint64_t looks_ = 0, bytes_ = 0;
};

}  // namespace

void try_local_evaluation(const Net& net, const CompiledNet& compiled, const WorkLimits& limits,
                          std::vector<PathQuestion>& paths, const LocallyDecided& decided) {
    const PackedLayout layout = first_layout(compiled, Semantics::interleaving, nullptr, limits);
    for (PathQuestion& path : paths) {
        if (limits.must_end()) return;
        try {
            LocalEvaluation evaluation(net, compiled, layout, path.formula, limits);
            path.holds = evaluation.run();
            if (path.holds && decided) decided(path, evaluation.steps());
        } catch (const LimitReached& limit) {
            if (limit.why() != WorkEnd::overflow) throw;
        }
    }
}

}  // namespace warpnet::states

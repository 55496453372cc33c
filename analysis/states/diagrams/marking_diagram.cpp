// CTL on all reachable markings at once [Clarke86], by fixpoints backwards over firings. `all paths` is the
// complement of `some path` of the opposite, as in properties/model_checker.cpp. `next` and `until` are
// firings backwards (firing.hpp). `globally` is a greatest fixpoint. Its rounds are firings that close a
// cycle (linear/feedback_transitions.hpp) and not all firings: in each round, `until` leads to the next of
// them. Step by step, a loop of a thousand firings takes a thousand rounds. Paths have no witnesses.
//
// Counts, deadlocks and bounds take one pass over the nodes. Deadlocks are the rest after removing from each
// node, lowest level first, the markings that enable a transition that reaches no higher. A shortest path to
// a set is searched breadth-first, one set of markings per step. That can take far longer than the diagram
// did, so it is given up after some work, and guided search (properties/guided_search.cpp) finds a path
// instead.
//
// A pass over the nodes is O(edges of the diagram), and count_enabled() makes one partial pass per
// transition, over the levels that the transition touches. Counts of markings are integers of any size. A
// comparison takes O(nodes x values of partial sums), because only sums that leave the answer open are split
// further. Orders of levels take turns with effort_factor times as much work in each round. So the effort for
// orders that fail is at most a constant factor of that of the first order that finishes.
//
// Sets that need not be exact were tried for `globally` and removed. They decided none of the formulas for
// which they were made (docs/internals/performance.md).

#include "analysis/states/diagrams/marking_diagram.hpp"

#include "analysis/states/diagrams/firing.hpp"
#include "analysis/states/diagrams/levels.hpp"
#include "analysis/states/diagrams/nodes.hpp"
#include "analysis/states/linear/feedback_transitions.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/formula/formula.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpnet::states {

namespace {

/// The contribution of the states of each level to a sum.
class StateValues {
  public:
    StateValues(const LinearSum& sum, const DiagramLevels& levels);

    WideSum operator()(std::size_t level, std::uint32_t state) const {
        WideSum value = 0;
        for (const auto& [position, coefficient] : terms_[level])
            value += WideSum{coefficient} * levels_.tokens(level, state, position);
        return value;
    }
    /// The number of lowest levels that occur in no term.
    std::size_t levels_below() const noexcept { return lowest_; }

  private:
    const DiagramLevels& levels_;
    std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>>
        terms_;  // per level: position, coefficient
    std::size_t lowest_;
};

/// Selects from a set of markings those in which the comparison of a sum with 0 holds. O(nodes x different
/// values of partial sums that leave the answer open).
class ComparisonFilter {
  public:
    ComparisonFilter(const LinearSum& sum, Relation relation, const DiagramLevels& levels,
                     DiagramNodes& nodes);

    DiagramNode operator()(DiagramNode markings) { return pick(markings, levels_.size(), constant_); }

  private:
    struct Range {
        WideSum least, most;
    };
    DiagramNode pick(DiagramNode node, std::size_t levels, WideSum sum);
    Range range_of(DiagramNode node, std::size_t levels);
    std::optional<bool> decided(Range range) const;

    const DiagramLevels& levels_;
    DiagramNodes& nodes_;
    StateValues values_;
    Relation relation_;
    WideSum constant_;
    std::map<std::pair<DiagramNode, WideSum>, DiagramNode> picked_;
    std::map<DiagramNode, Range> ranges_;
};

}  // namespace

StateValues::StateValues(const LinearSum& sum, const DiagramLevels& levels)
    : levels_(levels), terms_(levels.size()), lowest_(levels.size()) {
    for (const auto [place, coefficient] : sum.tokens) {
        const std::size_t level = levels.level_of(place);
        terms_[level].emplace_back(levels.position_of(place), coefficient);
        lowest_ = std::min(lowest_, level);
    }
}

ComparisonFilter::ComparisonFilter(const LinearSum& sum, Relation relation, const DiagramLevels& levels,
                                   DiagramNodes& nodes)
    : levels_(levels), nodes_(nodes), values_(sum, levels), relation_(relation), constant_(sum.constant) {}

/// The least and the largest contribution of the levels below.
ComparisonFilter::Range ComparisonFilter::range_of(DiagramNode node, std::size_t levels) {
    if (levels <= values_.levels_below()) return {0, 0};
    if (const auto known = ranges_.find(node); known != ranges_.end()) return known->second;
    nodes_.spend(nodes_.edges(node).size());
    std::optional<Range> range;
    for (const auto edge : nodes_.edges(node)) {
        const Range below = range_of(edge.child, levels - 1);
        const WideSum here = values_(levels - 1, edge.state);
        range = range ? Range{std::min(range->least, below.least + here),
                              std::max(range->most, below.most + here)}
                      : Range{below.least + here, below.most + here};
    }
    return ranges_[node] = *range;
}

std::optional<bool> ComparisonFilter::decided(Range range) const {
    const auto same = [&](Relation relation) {
        return compares(range.least, relation) == compares(range.most, relation);
    };
    switch (relation_) {
        case Relation::equal:
        case Relation::not_equal:
            if (range.least <= 0 && range.most >= 0 && range.least != range.most) return std::nullopt;
            break;
        default:
            if (!same(relation_)) return std::nullopt;
    }
    return compares(range.least, relation_);
}

DiagramNode ComparisonFilter::pick(DiagramNode node, std::size_t levels, WideSum sum) {
    if (node == DiagramNodes::none) return node;
    const Range below = range_of(node, levels);
    if (const auto known = decided({sum + below.least, sum + below.most}))
        return *known ? node : DiagramNodes::none;
    const auto key = std::pair(node, sum);
    if (const auto known = picked_.find(key); known != picked_.end()) return known->second;
    nodes_.spend(nodes_.edges(node).size());
    std::vector<DiagramNodes::Edge> left;
    const std::size_t count = nodes_.edges(node).size();
    for (std::size_t i = 0; i < count; ++i) {
        auto edge = nodes_.edges(node)[i];
        edge.child = pick(edge.child, levels - 1, sum + values_(levels - 1, edge.state));
        if (edge.child != DiagramNodes::none) left.push_back(edge);
    }
    return picked_[key] = nodes_.make(left);
}

namespace {

constexpr std::size_t most_places = 10'000;  // limits the depth of recursions
constexpr std::uint64_t first_effort = 200'000;
constexpr std::uint64_t effort_factor = 4;

}  // namespace

MarkingDiagram::MarkingDiagram(const CompiledNet& net, const LevelOrder& order, const WorkLimits& limits)
    : net_(net), levels_(net, order), nodes_(limits), firing_(levels_, nodes_) {
    for (std::uint32_t t = 0; t < net.transition_count(); ++t)
        stays_ = stays_ || levels_.tail_of(t) == DiagramLevels::no_tail;
    DiagramNodes nodes(limits);
    const DiagramNode reachable = DiagramFiring(levels_, nodes).reachable_from(net.initial);
    reachable_ = nodes_.copy(nodes, reachable);
    reachable_nodes_ = nodes_.size() - 2;
    made_nodes_ = nodes.size() - 2;
}

std::vector<std::vector<DiagramNode>> MarkingDiagram::nodes_by_level(DiagramNode root) const {
    std::vector<std::vector<DiagramNode>> nodes(levels_.size());
    if (nodes.empty() || root == DiagramNodes::none) return nodes;
    nodes.back() = {root};
    for (std::size_t level = levels_.size() - 1; level > 0; --level) {
        for (const DiagramNode node : nodes[level])
            for (const auto edge : nodes_.edges(node)) nodes[level - 1].push_back(edge.child);
        auto& below = nodes[level - 1];
        std::sort(below.begin(), below.end());
        below.erase(std::unique(below.begin(), below.end()), below.end());
    }
    return nodes;
}

MarkingCount MarkingDiagram::count(DiagramNode markings) const {
    if (levels_.size() == 0) return markings;
    std::vector<MarkingCount> counts(nodes_.size());
    counts[DiagramNodes::all] = 1;
    for (const auto& nodes : nodes_by_level(markings))
        for (const DiagramNode node : nodes)
            for (const auto edge : nodes_.edges(node)) counts[node] += counts[edge.child];
    return counts[markings];
}

/// For each transition: the number of paths from the root to a node of its highest level, times those from
/// there on which it is enabled.
std::vector<MarkingCount> MarkingDiagram::count_enabled() {
    const auto by_level = nodes_by_level(reachable_);
    std::vector<MarkingCount> to(nodes_.size()), from(nodes_.size()), enabled(nodes_.size());
    to[reachable_] = 1;
    from[DiagramNodes::all] = 1;
    for (std::size_t level = levels_.size(); level-- > 0;)
        for (const DiagramNode node : by_level[level])
            for (const auto edge : nodes_.edges(node)) to[edge.child] += to[node];
    for (const auto& nodes : by_level)
        for (const DiagramNode node : nodes)
            for (const auto edge : nodes_.edges(node)) from[node] += from[edge.child];
    std::vector<MarkingCount> counts(net_.transition_count());
    for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
        std::vector<DiagramLevels::Move> moves;  // highest level first
        for (std::uint32_t tail = levels_.tail_of(t); tail != DiagramLevels::no_tail;
             tail = levels_.tail(tail).rest)
            moves.push_back(levels_.tail(tail).move);
        if (moves.empty()) {
            counts[t] = from[reachable_];
            continue;
        }
        std::size_t move = moves.size();
        const std::vector<MarkingCount>* below = &from;
        for (std::size_t level = moves.back().level; level <= moves.front().level; ++level) {
            const bool moves_here = moves[move - 1].level == level;
            if (moves_here) --move;
            for (const DiagramNode node : by_level[level]) {
                nodes_.spend(nodes_.edges(node).size());
                enabled[node] = 0;
                for (const auto edge : nodes_.edges(node))
                    if (!moves_here || levels_.enabled(moves[move], edge.state))
                        enabled[node] += (*below)[edge.child];
            }
            below = &enabled;
        }
        for (const DiagramNode node : by_level[moves.front().level]) counts[t] += to[node] * enabled[node];
    }
    return counts;
}

bool MarkingDiagram::contains(DiagramNode markings, const Marking& marking) {
    DiagramNode node = markings;
    for (std::size_t level = levels_.size(); level-- > 0 && node != DiagramNodes::none;)
        node = nodes_.child(node, levels_.state_in(level, marking));
    return node != DiagramNodes::none;
}

Marking MarkingDiagram::some(DiagramNode markings) const {
    Marking marking(net_.place_count());
    DiagramNode node = markings;
    for (std::size_t level = levels_.size(); level-- > 0;) {
        const auto edge = nodes_.edges(node).front();
        levels_.put(level, edge.state, marking);
        node = edge.child;
    }
    return marking;
}

class MarkingDiagram::Disabler {
  public:
    Disabler(MarkingDiagram& diagram, const std::vector<std::uint32_t>& transitions)
        : levels_(diagram.levels_),
          nodes_(diagram.nodes_),
          tails_(levels_.tails_by_level(transitions)),
          always_enabled_(std::any_of(transitions.begin(), transitions.end(), [&](std::uint32_t t) {
              return levels_.tail_of(t) == DiagramLevels::no_tail;
          })) {}

    DiagramNode operator()(DiagramNode markings) {
        return always_enabled_ ? DiagramNodes::none : disable_all(markings, levels_.size());
    }

  private:
    DiagramNode disable_all(DiagramNode node, std::size_t levels) {
        if (node == DiagramNodes::none || levels == 0) return node;
        if (const auto known = disabled_.find(node); known != disabled_.end()) return known->second;
        nodes_.spend(nodes_.edges(node).size());
        DiagramNode left =
            with_children(node, [&](auto edge) { return disable_all(edge.child, levels - 1); });
        for (const std::uint32_t tail : tails_[levels - 1]) left = disable(left, tail, levels);
        return disabled_[node] = left;
    }

    DiagramNode disable(DiagramNode node, std::uint32_t tail, std::size_t levels) {
        if (node == DiagramNodes::none || tail == DiagramLevels::no_tail) return DiagramNodes::none;
        if (const DiagramNode known = without_.find(tail, node); known != DiagramCache::unknown) return known;
        nodes_.spend(nodes_.edges(node).size());
        const DiagramLevels::Tail effect = levels_.tail(tail);
        const bool moves_here = effect.move.level == levels - 1;
        const DiagramNode left = with_children(node, [&](auto edge) {
            if (moves_here && !levels_.enabled(effect.move, edge.state)) return edge.child;
            return disable(edge.child, moves_here ? effect.rest : tail, levels - 1);
        });
        without_.put(tail, node, left, nodes_.cache_bytes());
        return left;
    }

    /// The node in which each edge has a new child.
    template <class Child>
    DiagramNode with_children(DiagramNode node, Child&& child) {
        std::vector<DiagramNodes::Edge> row;
        const std::size_t count = nodes_.edges(node).size();
        for (std::size_t i = 0; i < count; ++i) {
            auto edge = nodes_.edges(node)[i];
            edge.child = child(edge);
            if (edge.child != DiagramNodes::none) row.push_back(edge);
        }
        return nodes_.make(row);
    }

    DiagramLevels& levels_;
    DiagramNodes& nodes_;
    std::vector<std::vector<std::uint32_t>> tails_;  // per level those that reach no higher
    bool always_enabled_;
    std::unordered_map<DiagramNode, DiagramNode> disabled_;
    DiagramCache without_;
};

DiagramNode MarkingDiagram::without_enabled(DiagramNode markings,
                                            const std::vector<std::uint32_t>& transitions) {
    return Disabler(*this, transitions)(markings);
}

DiagramNode MarkingDiagram::dead(DiagramNode markings) {
    std::vector<std::uint32_t> all(net_.transition_count());
    std::iota(all.begin(), all.end(), 0U);
    return without_enabled(markings, all);
}

DiagramNode MarkingDiagram::select(DiagramNode markings, const Formula& condition) {
    switch (condition.kind) {
        case Formula::Kind::constant:
            return condition.value ? markings : DiagramNodes::none;
        case Formula::Kind::comparison:
            return ComparisonFilter(condition.sum, condition.relation, levels_, nodes_)(markings);
        case Formula::Kind::enabled:
            return nodes_.subtract(markings, without_enabled(markings, condition.transitions));
        case Formula::Kind::dead:
            return dead(markings);
        case Formula::Kind::negation:
            return nodes_.subtract(markings, select(markings, condition.operands.front()));
        case Formula::Kind::conjunction:
            for (const Formula& operand : condition.operands) markings = select(markings, operand);
            return markings;
        case Formula::Kind::disjunction: {
            DiagramNode some = DiagramNodes::none;
            for (const Formula& operand : condition.operands)
                some = nodes_.unite(some, select(markings, operand));
            return some;
        }
        default:
            return nodes_.intersect(markings, temporal(condition));
    }
}

MarkingDiagram::Bounds MarkingDiagram::bounds() const {
    Bounds bounds{std::vector<Tokens>(net_.place_count(), max_tokens),
                  std::vector<Tokens>(net_.place_count(), 0)};
    const auto by_level = nodes_by_level(reachable_);
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        std::vector<std::uint8_t> met(levels_.state_count(level), 0);
        for (const DiagramNode node : by_level[level])
            for (const auto edge : nodes_.edges(node)) met[edge.state] = 1;
        for (const std::uint32_t place : levels_.places(level)) {
            for (std::uint32_t state = 0; state < met.size(); ++state) {
                if (met[state] == 0) continue;
                const Tokens tokens = levels_.tokens(level, state, levels_.position_of(place));
                bounds.least[place] = std::min(bounds.least[place], tokens);
                bounds.most[place] = std::max(bounds.most[place], tokens);
            }
        }
    }
    return bounds;
}

MarkingDiagram::Maximum MarkingDiagram::maximum(const LinearSum& sum) const {
    const StateValues values(sum, levels_);
    const auto by_level = nodes_by_level(reachable_);
    std::vector<WideSum> best(nodes_.size(), 0);
    std::vector<std::uint32_t> choice(best.size(), 0);  // an edge with the best value
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        for (const DiagramNode node : by_level[level]) {
            const auto row = nodes_.edges(node);
            for (std::uint32_t i = 0; i < row.size(); ++i) {
                const WideSum value = best[row[i].child] + values(level, row[i].state);
                if (i > 0 && value <= best[node]) continue;
                best[node] = value;
                choice[node] = i;
            }
        }
    }
    Maximum result{best[reachable_] + sum.constant, Marking(net_.place_count())};
    DiagramNode node = reachable_;
    for (std::size_t level = levels_.size(); level-- > 0;) {
        const auto edge = nodes_.edges(node)[choice[node]];
        levels_.put(level, edge.state, result.marking);
        node = edge.child;
    }
    return result;
}

Schedule MarkingDiagram::shortest_way(DiagramNode markings) {
    DiagramNode initial = DiagramNodes::all;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        const DiagramNodes::Edge edge{levels_.state_in(level, net_.initial), initial};
        initial = nodes_.make({&edge, 1});
    }
    std::vector<DiagramNode> layers = {initial};
    DiagramNode seen = initial;
    while (nodes_.intersect(layers.back(), markings) == DiagramNodes::none) {
        layers.push_back(nodes_.subtract(firing_.after_one_firing(layers.back()), seen));
        seen = nodes_.unite(seen, layers.back());
    }
    Marking marking = some(nodes_.intersect(layers.back(), markings));
    Schedule schedule(layers.size() - 1);
    for (std::size_t step = layers.size() - 1; step-- > 0;) {
        for (std::uint32_t t = 0; t < net_.transition_count(); ++t) {
            Marking before = marking;
            for (const auto [place, weight] : net_.outputs[t]) before[place] -= weight;
            if (std::any_of(before.begin(), before.end(), [](Tokens tokens) { return tokens < 0; })) continue;
            for (const auto [place, weight] : net_.inputs[t]) before[place] += weight;
            if (!enabled(net_, before, t) || !contains(layers[step], before)) continue;
            schedule[step].transitions = {t};
            marking = std::move(before);
            break;
        }
    }
    return schedule;
}

bool has_diagram(const CompiledNet& net) { return is_timed(net) && net.place_count() <= most_places; }

DiagramResult diagram_of(const CompiledNet& net, const WorkLimits& limits) {
    if (!has_diagram(net)) return {nullptr, WorkEnd::not_applicable};
    const std::vector<LevelOrder> orders = level_orders(net);
    std::uint64_t spent = 0;
    for (std::uint64_t effort = first_effort;; effort *= effort_factor) {
        WorkEnd why = WorkEnd::effort_limit;
        bool more_may_help = false;
        for (const LevelOrder& order : orders) {
            WorkLimits now = limits;
            now.effort = limits.effort == 0 ? effort : std::min(effort, limits.effort - spent);
            try {
                auto diagram = std::make_unique<MarkingDiagram>(net, order, now);
                diagram->allow(limits);
                return {std::move(diagram), WorkEnd::complete};
            } catch (const LimitReached& limit) {
                why = limit.why();
                spent += now.effort;
            }
            if (why == WorkEnd::interrupted || why == WorkEnd::time_limit) return {nullptr, why};
            if (limits.effort != 0 && spent >= limits.effort) return {nullptr, WorkEnd::effort_limit};
            more_may_help = more_may_help || why == WorkEnd::effort_limit;
        }
        if (!more_may_help) return {nullptr, why};
    }
}

DiagramNode MarkingDiagram::temporal(const Formula& formula) {
    const bool all = formula.on_all_paths;
    const DiagramNode last = select(reachable_, formula.operands.back());
    switch (formula.kind) {
        case Formula::Kind::next:
            return all ? complement(some_next(complement(last))) : some_next(last);
        case Formula::Kind::finally:
            return all ? complement(some_globally(complement(last))) : before().any(reachable_, last);
        case Formula::Kind::globally:
            return all ? complement(before().any(reachable_, complement(last))) : some_globally(last);
        default: {
            const DiagramNode first = select(reachable_, formula.operands.front());
            if (!all) return before().any(first, last);
            // Not: never the second, or neither before the second.
            const DiagramNode without = complement(last);
            const DiagramNode neither = nodes_.subtract(without, first);
            return complement(nodes_.unite(before().any(without, neither), some_globally(without)));
        }
    }
}

BackwardFiring& MarkingDiagram::before() {
    if (!before_) before_.emplace(levels_, nodes_, levels_.tails_by_level());
    return *before_;
}

/// The reachable markings from which one firing leads into a set.
DiagramNode MarkingDiagram::some_next(DiagramNode targets) {
    return nodes_.unite(before().one(reachable_, targets), stays_ ? targets : DiagramNodes::none);
}

/// A path that stays in the set forever fires feedback transitions again and again. The set shrinks to the
/// markings from which one more of these firings is possible within it, until it no longer shrinks.
DiagramNode MarkingDiagram::some_globally(DiagramNode hold) {
    if (stays_) return hold;
    if (!before_feedback_) find_feedback();
    const DiagramNode ends = dead(hold);
    for (;;) {
        const DiagramNode next = nodes_.unite(ends, before_feedback_->one(hold, hold));
        const DiagramNode left = before_others_->any(hold, next);
        if (left == hold) return hold;
        hold = left;
    }
}

void MarkingDiagram::find_feedback() {
    constexpr std::uint64_t most_effort = 20'000'000;  // of the linear programs, about a second
    WorkLimits limits = nodes_.limits();
    limits.effort = most_effort;
    const std::vector<bool> is_feedback = feedback_transitions(net_, limits);
    std::vector<std::uint32_t> feedback;
    for (std::uint32_t t = 0; t < net_.transition_count(); ++t)
        if (is_feedback[t]) feedback.push_back(t);
    const auto tails = levels_.tails_by_level(feedback);
    auto others = levels_.tails_by_level();
    for (std::size_t level = 0; level < others.size(); ++level)
        std::erase_if(others[level], [&](std::uint32_t tail) {
            return std::ranges::find(tails[level], tail) != tails[level].end();
        });
    before_feedback_.emplace(levels_, nodes_, tails);
    before_others_.emplace(levels_, nodes_, std::move(others));
}

}  // namespace warpnet::states

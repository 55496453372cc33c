// A condition is an expression tree in one vector, operands before operators, so copying and joining
// conditions needs no pointers. Sums are evaluated in 128 bits. Coefficients have at most 31 bits and tokens
// 63, so no overflow is possible. Executors ask for the places and transitions that a condition mentions,
// because they must not skip steps that change them.

#include "engine/run/stop_condition.hpp"

#include "engine/formula/relation.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace warpnet {

namespace {

/// The value of a sum.
WideSum value_of(const LinearSum& sum, std::span<const Tokens> marking,
                 std::span<const std::uint64_t> firings) {
    WideSum value = sum.constant;
    for (const auto [place, coefficient] : sum.tokens) value += WideSum{coefficient} * marking[place];
    for (const auto [transition, coefficient] : sum.firings)
        value += WideSum{coefficient} * firings[transition];
    return value;
}

/// The distinct nodes of the terms, ascending.
std::vector<std::uint32_t> nodes_of(const std::vector<LinearSum::Term>& terms) {
    std::vector<std::uint32_t> nodes;
    nodes.reserve(terms.size());
    for (const auto& term : terms) nodes.push_back(term.node);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

std::vector<std::uint32_t> merged(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::vector<std::uint32_t> all;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
}

/// Combines the operands of a conjunction or disjunction pairwise.
StopCondition joined(const Formula& formula) {
    StopCondition all = stop_condition(formula.operands.front());
    for (std::size_t i = 1; i < formula.operands.size(); ++i) {
        const StopCondition next = stop_condition(formula.operands[i]);
        all = formula.kind == Formula::Kind::conjunction ? StopCondition::both(std::move(all), next)
                                                         : StopCondition::either(std::move(all), next);
    }
    return all;
}

}  // namespace

StopCondition StopCondition::compare(LinearSum sum, Relation relation) {
    StopCondition condition;
    condition.places_ = nodes_of(sum.tokens);
    condition.transitions_ = nodes_of(sum.firings);
    condition.sums_.push_back(std::move(sum));
    condition.nodes_.push_back({Kind::comparison, relation});
    return condition;
}

/// Appends b to a with shifted indices, and joins both in a new node.
StopCondition StopCondition::join(StopCondition a, const StopCondition& b, Kind kind) {
    const auto nodes = static_cast<std::uint32_t>(a.nodes_.size());
    const auto sums = static_cast<std::uint32_t>(a.sums_.size());
    for (Node node : b.nodes_) {
        node.left += node.kind == Kind::comparison ? sums : nodes;
        node.right += nodes;
        a.nodes_.push_back(node);
    }
    a.sums_.insert(a.sums_.end(), b.sums_.begin(), b.sums_.end());
    const auto last = static_cast<std::uint32_t>(a.nodes_.size()) - 1;
    a.nodes_.push_back({kind, Relation::equal, nodes - 1, last});
    a.places_ = merged(a.places_, b.places_);
    a.transitions_ = merged(a.transitions_, b.transitions_);
    return a;
}

StopCondition StopCondition::both(StopCondition a, const StopCondition& b) {
    return join(std::move(a), b, Kind::both);
}

StopCondition StopCondition::either(StopCondition a, const StopCondition& b) {
    return join(std::move(a), b, Kind::either);
}

StopCondition StopCondition::negation(StopCondition a) {
    const auto last = static_cast<std::uint32_t>(a.nodes_.size()) - 1;
    a.nodes_.push_back({Kind::negation, Relation::equal, last, 0});
    return a;
}

bool StopCondition::node_holds(const Node& node, std::span<const Tokens> marking,
                               std::span<const std::uint64_t> firings) const {
    switch (node.kind) {
        case Kind::comparison:
            return compares(value_of(sums_[node.left], marking, firings), node.relation);
        case Kind::both:
            return node_holds(nodes_[node.left], marking, firings) &&
                   node_holds(nodes_[node.right], marking, firings);
        case Kind::either:
            return node_holds(nodes_[node.left], marking, firings) ||
                   node_holds(nodes_[node.right], marking, firings);
        case Kind::negation:
            return !node_holds(nodes_[node.left], marking, firings);
    }
    return false;
}

bool StopCondition::holds(std::span<const Tokens> marking, std::span<const std::uint64_t> firings) const {
    return node_holds(nodes_.back(), marking, firings);
}

StopCondition stop_condition(const Formula& formula) {
    switch (formula.kind) {
        case Formula::Kind::constant:
            return StopCondition::compare({}, formula.value ? Relation::equal : Relation::not_equal);
        case Formula::Kind::comparison:
            return StopCondition::compare(formula.sum, formula.relation);
        case Formula::Kind::negation:
            return StopCondition::negation(stop_condition(formula.operands.front()));
        case Formula::Kind::conjunction:
        case Formula::Kind::disjunction:
            return joined(formula);
        default:
            throw std::logic_error("a run does not end by what may happen later");
    }
}

}  // namespace warpnet

// Shares of branches. Each branch with a share is an independent choice. A block is reached under a condition
// over these choices, and its share is the probability of the condition. `Conditions` is a small package of
// reduced ordered binary decision diagrams [Bryant86]: one variable per choice, in the order of the text,
// unique nodes, and remembered conjunctions and disjunctions. Probabilities are one pass over the nodes. For
// nested branches a diagram is as large as the nesting is deep; a limit of a million nodes bounds the worst
// case. Adding the shares of the edges into a block is not enough. A branch without a share leads to both
// sides, so that the conditions of these edges overlap.

#include "netgen/code/ptx/shares.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

/// Conditions over independent choices, with one variable per choice, numbered in the order of the choices.
class Conditions {
  public:
    using Id = std::uint32_t;
    static constexpr Id never = 0, always = 1;

    explicit Conditions(const std::string& where) : where_(where) {}

    /// The condition that this choice goes one way.
    Id choice(std::uint32_t variable, bool taken) {
        return taken ? node(variable, never, always) : node(variable, always, never);
    }
    Id either(Id a, Id b) { return apply(false, a, b); }
    Id both(Id a, Id b) { return apply(true, a, b); }

    /// `taken[variable]`: the probability that the choice goes this way.
    std::vector<double> probabilities(const std::vector<double>& taken) const {
        std::vector<double> result = {0, 1};
        for (Id id = 2; id < nodes_.size(); ++id) {  // the children of a node have smaller numbers
            const double share = taken[nodes_[id].variable];
            result.push_back(share * result[nodes_[id].high] + (1 - share) * result[nodes_[id].low]);
        }
        return result;
    }

  private:
    struct Node {
        std::uint32_t variable;
        Id low, high;
        bool operator==(const Node&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Node& n) const {
            return (((n.variable * std::size_t{0x9E3779B97F4A7C15}) ^ n.low) * 0xC2B2AE3D27D4EB4F) ^ n.high;
        }
    };
    static constexpr std::uint32_t no_variable = 0xFFFFFFFF;
    static constexpr std::size_t most_nodes = 1'000'000;

    Id node(std::uint32_t variable, Id low, Id high) {
        if (low == high) return low;
        const Node wanted{variable, low, high};
        const auto [found, is_new] = number_.emplace(wanted, static_cast<Id>(nodes_.size()));
        if (is_new) {
            if (nodes_.size() == most_nodes)
                throw InputError(where_ + ": too many branches with shares depend on one another");
            nodes_.push_back(wanted);
        }
        return found->second;
    }

    Id apply(bool conjunction, Id a, Id b) {
        const Id absorbs = conjunction ? never : always;
        const Id neutral = conjunction ? always : never;
        if (a == absorbs || b == absorbs) return absorbs;
        if (a == neutral || a == b) return b;
        if (b == neutral) return a;
        if (a > b) std::swap(a, b);
        const std::uint64_t key =
            (std::uint64_t{a} << 32U) | (std::uint64_t{b} << 1U) | (conjunction ? 1U : 0U);
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
        const std::uint32_t variable = std::min(nodes_[a].variable, nodes_[b].variable);
        const auto side = [&](Id id, bool high) {
            if (nodes_[id].variable != variable) return id;
            return high ? nodes_[id].high : nodes_[id].low;
        };
        const Id low = apply(conjunction, side(a, false), side(b, false));
        const Id high = apply(conjunction, side(a, true), side(b, true));
        const Id result = node(variable, low, high);
        known_.emplace(key, result);
        return result;
    }

    const std::string& where_;
    std::vector<Node> nodes_ = {{no_variable, 0, 0}, {no_variable, 1, 1}};
    std::unordered_map<Node, Id, Hash> number_;
    std::unordered_map<std::uint64_t, Id> known_;
};

const PtxInstruction* branch_of(const PtxFunction& function, const PtxBlock& block) {
    if (block.first == block.last) return nullptr;
    const PtxInstruction& last = function.instructions[block.last - 1];
    const bool decides = last.ptx_class == PtxClass::branch && last.guard && last.target_count == 1 &&
                         block.successors.size() == 2;
    return decides ? &last : nullptr;
}

/// "$L__BB0_3", "L__BB0_3", "BB0_3"; or each with the line of the branch: "BB0_3@17".
std::vector<std::string> keys_of(const PtxFunction& function, const PtxInstruction& branch, bool with_line) {
    const std::string name(function.labels[function.targets_of(branch)[0]].name);
    std::vector<std::string> keys;
    for (const std::string_view front : {"", "$", "$L__"})
        if (name.starts_with(front))
            keys.push_back(name.substr(front.size()) + (with_line ? "@" + std::to_string(branch.line) : ""));
    return keys;
}

}  // namespace

std::vector<double> reach_shares(const std::vector<PtxFork>& graph, const std::string& where) {
    Conditions conditions(where);
    std::vector<Conditions::Id> reached(graph.size(), Conditions::never);
    if (!graph.empty()) reached[0] = Conditions::always;
    std::vector<double> taken(graph.size(), 1);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const PtxFork& fork = graph[i];
        if (!fork.taken) {
            for (const std::size_t to : fork.next) reached[to] = conditions.either(reached[to], reached[i]);
            continue;
        }
        taken[i] = *fork.taken;
        for (const bool first : {true, false}) {
            const std::size_t to = fork.next[first ? 0 : 1];
            const auto choice = conditions.choice(static_cast<std::uint32_t>(i), first);
            reached[to] = conditions.either(reached[to], conditions.both(reached[i], choice));
        }
    }
    const std::vector<double> probability = conditions.probabilities(taken);
    std::vector<double> shares;
    shares.reserve(graph.size());
    for (const Conditions::Id id : reached) shares.push_back(probability[id]);
    return shares;
}

bool takes_ptx_share(const PtxFunction& function, const PtxFlow& flow, std::uint32_t block) {
    if (branch_of(function, flow.blocks[block]) == nullptr) return false;
    const auto loop = flow.loop_of[block];
    return !loop || std::none_of(flow.blocks[block].successors.begin(), flow.blocks[block].successors.end(),
                                 [&](std::uint32_t to) {
                                     return to == flow.loops[*loop].header || !flow.is_inside(to, *loop);
                                 });
}

std::optional<double> given_ptx_share(const PtxOptions& options, const PtxFunction& function,
                                      const PtxFlow& flow, std::uint32_t block) {
    if (options.taken.empty() || !takes_ptx_share(function, flow, block)) return std::nullopt;
    auto given = options.taken.end();
    for (const bool with_line : {true, false}) {
        for (const std::string& key :
             keys_of(function, *branch_of(function, flow.blocks[block]), with_line)) {
            const auto found = options.taken.find(key);
            if (found == options.taken.end()) continue;
            if (given != options.taken.end())
                throw InputError(fmt::format("a branch has two shares: '{}' and '{}' are the same branch",
                                             given->first, key));
            given = found;
        }
        if (given != options.taken.end()) return given->second;
    }
    return std::nullopt;
}

void check_ptx_shares(const PtxModule& module, const PtxOptions& options) {
    if (options.taken.empty()) return;
    if (options.paths == PtxPaths::longest)
        throw InputError(
            "shares of branches decide which sides count; they cannot be combined with the longest path");
    std::map<std::string, double> unused = options.taken;
    std::map<std::string, std::string> replaced;  // labels, by the more precise shares with a line
    std::set<std::string> there;
    std::set<std::string> of_loops;
    for (const PtxFunction& function : module.functions) {
        if (!function.has_body) continue;
        const PtxFlow flow = ptx_flow(module, function);
        for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
            const PtxInstruction* branch = branch_of(function, flow.blocks[b]);
            if (branch == nullptr) continue;
            const bool takes = takes_ptx_share(function, flow, b);
            std::string of_line;
            for (const bool with_line : {true, false}) {
                for (const std::string& key : keys_of(function, *branch, with_line)) {
                    if (with_line && options.taken.contains(key)) of_line = key;
                    if (takes && (with_line || of_line.empty())) unused.erase(key);
                    if (takes && !with_line && !of_line.empty()) replaced.emplace(key, of_line);
                    if (!takes) of_loops.insert(key);
                }
            }
            if (takes) there.insert(std::string(function.labels[function.targets_of(*branch)[0]].name));
        }
    }
    if (unused.empty()) return;
    const std::string& label = unused.begin()->first;
    if (const auto line = replaced.find(label); line != replaced.end())
        throw InputError(
            fmt::format("a branch has two shares: '{}' and '{}' are the same branch", line->second, label));
    if (of_loops.contains(label)) {
        throw InputError(module.source + ": the branch to '" + label +
                         "' decides how often a loop runs: give --trips instead of a share");
    }
    std::string names;
    for (const std::string& name : there) names += (names.empty() ? "" : ", ") + name;
    throw InputError(module.source + ": no branch with a condition leads to '" + label + "'; " +
                     (names.empty() ? "there are none" : "there are those to " + names));
}

}  // namespace warpnet::netgen

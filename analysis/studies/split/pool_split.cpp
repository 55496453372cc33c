// The least WCET with pooled units, by branch and bound over the simulation.
//
// Whether a branch finds a free unit depends on everything that runs in parallel, so no table t(b, u) exists.
// Two facts help. A set of splits is possible within u units exactly if no branch of it is refused a unit.
// And while one part runs alone, all units are its own. So f(b), the optimum of the tree of b alone with all
// u units, is computed for inner branches first:
//
// - a branch that does not split takes e(b) and the f of everything in its sides;
// - a branch that splits is searched by branch and bound over the simulation (UnitPool): at each instant at
// which a branch could take a unit, it does or does not. As soon as one part runs alone again, the rest is a
// sum of f. A state is pruned if the longest path of f through the rest, or the remaining work divided by u,
// reaches the best value found. With u = 2 there is no choice: the search is the optimum in O(blocks *
// depth).
//
// Each branch may use an equal share of half of the remaining evaluations. If that is not enough, f is a
// bracket, and a local search improves the best set for each unsolved tree of the top level: it adds or drops
// one branch, or exchanges one for another, and keeps the change if the simulation is not longer. It starts
// at the best of the sets found here, the static optimum, and all branches (greedy).
//
// Rejected: the search over whole sets in program order. It visits many sets with refused units, which
// simulate to the same run.

#include "analysis/studies/split/pool_split.hpp"

#include "analysis/studies/split/baselines.hpp"
#include "analysis/studies/split/split.hpp"
#include "engine/base/random.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace warpnet::studies {

namespace {

// f(b) of a tree, with the plan that attains `best`.
struct Tree {
    std::int64_t work = 0;  // all block times
    std::int64_t best = 0;
    std::int64_t low = 0;
    std::vector<netgen::BlockId> splits = {};  // of the plan, while more than one part runs
    std::vector<netgen::BlockId> alone = {};   // trees that then run alone: by their own plans
};

class PoolSearch {
  public:
    PoolSearch(const netgen::StructuredCfg& cfg, netgen::Units units, const PoolSplitOptions& options)
        : cfg_(cfg),
          units_(units),
          limits_(options.limits),
          trees_(cfg.size()),
          places_(netgen::places_of(cfg)),
          rest_low_(cfg.size(), 0),
          rest_best_(cfg.size(), 0),
          mode_(cfg.size(), Mode::open) {}

    // f of every tree, inner ones first.
    void solve(std::uint64_t evaluations) {
        const auto order = cfg_.program_order();
        std::uint64_t branches = cfg_.branches().size();
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            Tree& tree = trees_[index(*at)];
            const netgen::CfgBlock& block = cfg_[*at];
            tree.work = tree.best = tree.low = block.time;
            if (!block.is_branch()) continue;
            const std::uint64_t left = evaluations - std::min(evaluations, used_);
            solve_branch(*at, used_ + left / branches);
            --branches;
        }
    }

    const Tree& tree(netgen::BlockId at) const { return trees_[index(at)]; }
    std::uint64_t used() const { return used_; }
    WorkEnd end() const { return end_; }

    // The plan of a tree, including everything nested in it.
    void add_plan(netgen::BlockId at, netgen::SplitSet& splits) const {
        std::vector<netgen::BlockId> open = {at};
        while (!open.empty()) {
            const Tree& tree = trees_[index(open.back())];
            open.pop_back();
            for (const netgen::BlockId split : tree.splits) splits[index(split)] = true;
            open.insert(open.end(), tree.alone.begin(), tree.alone.end());
        }
    }

  private:
    // How a branch in a searched tree runs.
    enum class Mode : std::uint8_t { open, serial, both_run, one_runs };

    // A running part of the graph: in a block until its own time has passed.
    struct Part {
        netgen::BlockId at;
        std::int64_t until;
        bool decides = false;  // at the end of a branch, after all ends of the instant
    };
    struct State {
        std::vector<Part> parts;
        netgen::Units free = 0;
        std::int64_t begun = 0;  // sum of the times of the blocks that have begun
    };
    struct Open {  // a choice with an unsearched other half: no split
        State state;
        std::size_t part;
        std::size_t trail;
    };

    // Sums over a side with solved trees, and after each of its blocks.
    Tree sum_of(std::span<const netgen::BlockId> side) {
        Tree sum;
        for (auto at = side.rbegin(); at != side.rend(); ++at) {
            rest_low_[index(*at)] = sum.low;
            rest_best_[index(*at)] = sum.best;
            const Tree& tree = trees_[index(*at)];
            sum.work += tree.work;
            sum.best += tree.best;
            sum.low += tree.low;
        }
        return sum;
    }

    bool ended() const { return end_ != WorkEnd::complete; }
    std::int64_t spread(std::int64_t work) const { return work / units_ + (work % units_ != 0 ? 1 : 0); }

    void solve_branch(netgen::BlockId at, std::uint64_t until) {
        const netgen::CfgBlock& block = cfg_[at];
        Tree& tree = trees_[index(at)];
        const Tree left = sum_of(block.true_side), right = sum_of(block.false_side);
        tree.work += left.work + right.work;
        tree.best += left.best + right.best;
        tree.alone = block.true_side;
        tree.alone.insert(tree.alone.end(), block.false_side.begin(), block.false_side.end());
        const std::int64_t serial_low = block.time + left.low + right.low;
        const std::int64_t split_low =
            block.time + std::max({left.low, right.low, spread(left.work + right.work)});
        tree.low = std::min(serial_low, split_low);
        const bool can_split = units_ > 1 && left.work > 0 && right.work > 0;
        if (!can_split) tree.low = serial_low;
        if (!can_split || tree.low == tree.best) return;
        if (const auto proved = search(at, until))
            tree.low = std::max(tree.low, std::min(serial_low, *proved));
    }

    // Branch and bound over the ways in which `root` splits; improves its plan. Returns a lower bound of
    // these ways, if the search was finished.
    std::optional<std::int64_t> search(netgen::BlockId root, std::uint64_t until) {
        root_ = root;
        trail_.clear();
        open_.clear();
        const Tree& tree = trees_[index(root)];
        std::int64_t proved = std::numeric_limits<std::int64_t>::max();
        State state{{{root, cfg_[root].time}}, units_ - 1, cfg_[root].time};
        fork(state, 0);
        bool finished = true;
        while (true) {
            if (used_ % 64 == 0 && !ended()) end_ = limits_.asked_to_end();
            finished = used_ < until && !ended();
            if (!finished) break;
            ++used_;
            const auto choice = advance(state);
            const std::int64_t low = lower_bound(state);
            if (state.parts.size() == 1) {
                leaf(state);
            } else if (low < tree.best) {
                open_.push_back({state, *choice, trail_.size()});
                fork(state, *choice);
                continue;
            }
            proved = std::min(proved, low);
            if (open_.empty() || tree.best <= tree.low) break;
            state = std::move(open_.back().state);
            const std::size_t part = open_.back().part;
            undo(open_.back().trail);
            open_.pop_back();
            run_serially(state, part);
        }
        undo(0);
        return finished ? std::optional(proved) : std::nullopt;
    }

    void undo(std::size_t length) {
        while (trail_.size() > length) {
            mode_[index(trail_.back().first)] = trail_.back().second;
            trail_.pop_back();
        }
    }

    void set_mode(netgen::BlockId branch, Mode mode) {
        trail_.emplace_back(branch, mode_[index(branch)]);
        mode_[index(branch)] = mode;
    }

    void move_to(State& state, Part& part, netgen::BlockId block, std::int64_t now) {
        part = {block, now + cfg_[block].time};
        state.begun += cfg_[block].time;
    }

    // The part at the end of its branch continues as the two sides.
    void fork(State& state, std::size_t part) {
        const netgen::BlockId branch = state.parts[part].at;
        const std::int64_t now = state.parts[part].until;
        set_mode(branch, Mode::both_run);
        --state.free;
        move_to(state, state.parts[part], cfg_[branch].true_side.front(), now);
        state.parts.push_back({});
        move_to(state, state.parts.back(), cfg_[branch].false_side.front(), now);
    }

    void run_serially(State& state, std::size_t part) {
        const netgen::CfgBlock& block = cfg_[state.parts[part].at];
        const std::int64_t now = state.parts[part].until;
        set_mode(state.parts[part].at, Mode::serial);
        move_to(state, state.parts[part],
                block.true_side.empty() ? block.false_side.front() : block.true_side.front(), now);
    }

    // To the next choice of a part, or until a single part is left. Like UnitPool, but branches without a
    // gain by a split do not split.
    std::optional<std::size_t> advance(State& state) {
        while (state.parts.size() > 1) {
            std::size_t first = 0;
            const auto key = [&](std::size_t i) {
                const Part& part = state.parts[i];
                return std::tuple(part.until, part.decides, places_[index(part.at)].position);
            };
            for (std::size_t i = 1; i < state.parts.size(); ++i)
                if (key(i) < key(first)) first = i;
            Part& part = state.parts[first];
            const netgen::CfgBlock& block = cfg_[part.at];
            if (!block.is_branch()) {
                finish(state, first);
            } else if (!part.decides) {
                part.decides = true;
            } else if (state.free > 0 && can_gain(block)) {
                return first;
            } else {
                run_serially(state, first);
            }
        }
        return {};
    }

    bool can_gain(const netgen::CfgBlock& block) const {
        const auto works = [&](netgen::BlockId at) { return trees_[index(at)].work > 0; };
        return std::any_of(block.true_side.begin(), block.true_side.end(), works) &&
               std::any_of(block.false_side.begin(), block.false_side.end(), works);
    }

    // The block of a part has ended. Branches around it may end at the same instant.
    void finish(State& state, std::size_t at) {
        Part& part = state.parts[at];
        const std::int64_t now = part.until;
        netgen::BlockId block = part.at;
        while (true) {
            const netgen::CfgPlace& place = places_[index(block)];
            if (place.next) return move_to(state, part, *place.next, now);
            const netgen::CfgSide side = *place.inside;
            const auto& second = cfg_[side.branch].false_side;
            if (mode_[index(side.branch)] == Mode::both_run) {
                set_mode(side.branch, Mode::one_runs);
                ++state.free;
                state.parts.erase(state.parts.begin() + static_cast<std::ptrdiff_t>(at));
                return;
            }
            if (mode_[index(side.branch)] == Mode::serial && side.true_side && !second.empty())
                return move_to(state, part, second.front(), now);
            block = side.branch;
        }
    }

    // The rest after the tree of a block until the end of the searched tree, if it runs alone.
    template <class Rest, class OfTree>
    std::int64_t behind(netgen::BlockId block, const Rest& rest, const OfTree& of_tree) const {
        std::int64_t sum = 0;
        while (block != root_) {
            sum += rest[index(block)];
            const netgen::CfgSide side = *places_[index(block)].inside;
            if (mode_[index(side.branch)] == Mode::serial && side.true_side) {
                const auto& second = cfg_[side.branch].false_side;
                if (!second.empty()) sum += of_tree(second.front()) + rest[index(second.front())];
            }
            block = side.branch;
        }
        return sum;
    }

    std::int64_t lower_bound(const State& state) const {
        std::int64_t longest = 0, left = trees_[index(root_)].work - state.begun;
        std::int64_t now = std::numeric_limits<std::int64_t>::max();
        for (const Part& part : state.parts) now = std::min(now, part.until);
        for (const Part& part : state.parts) {
            left += part.until - now;
            const std::int64_t path =
                part.until + trees_[index(part.at)].low - cfg_[part.at].time +
                behind(part.at, rest_low_, [&](netgen::BlockId block) { return trees_[index(block)].low; });
            longest = std::max(longest, path);
        }
        return std::max(longest, now + spread(left));
    }

    // One part is left: the rest follows the plans of its trees.
    void leaf(const State& state) {
        Tree& tree = trees_[index(root_)];
        const Part& part = state.parts.front();
        const std::int64_t wcet =
            part.until + trees_[index(part.at)].best - cfg_[part.at].time +
            behind(part.at, rest_best_, [&](netgen::BlockId block) { return trees_[index(block)].best; });
        if (wcet >= tree.best) return;
        tree.best = wcet;
        tree.splits.clear();
        tree.alone.clear();
        for (const auto& [branch, before] : trail_)
            if (before == Mode::open && mode_[index(branch)] != Mode::serial) tree.splits.push_back(branch);
        netgen::BlockId block = part.at;
        tree.alone.push_back(block);
        while (block != root_) {
            for (auto next = places_[index(block)].next; next; next = places_[index(*next)].next)
                tree.alone.push_back(*next);
            const netgen::CfgSide side = *places_[index(block)].inside;
            const auto& second = cfg_[side.branch].false_side;
            if (mode_[index(side.branch)] == Mode::serial && side.true_side)
                tree.alone.insert(tree.alone.end(), second.begin(), second.end());
            block = side.branch;
        }
    }

    const netgen::StructuredCfg& cfg_;
    const netgen::Units units_;
    const WorkLimits limits_;
    std::vector<Tree> trees_;
    std::vector<netgen::CfgPlace> places_;
    std::vector<std::int64_t> rest_low_, rest_best_;  // of the siblings after a block
    std::uint64_t used_ = 0;
    WorkEnd end_ = WorkEnd::complete;

    // Of the search of one branch.
    netgen::BlockId root_{};
    std::vector<Mode> mode_;
    std::vector<std::pair<netgen::BlockId, Mode>> trail_;  // previous modes of changed branches
    std::vector<Open> open_;
};

// Improves the best known set for one tree of the top level.
class LocalSearch {
  public:
    LocalSearch(const netgen::StructuredCfg& cfg, netgen::Units units, const PoolSplitOptions& options)
        : units_(units), limits_(options.limits), pool_(cfg), random_(options.seed, 0) {}

    std::int64_t time(netgen::BlockId tree, const netgen::SplitSet& splits) {
        return pool_.run(tree, splits, units_).wcet;
    }
    const netgen::PoolRun& run(const netgen::SplitSet& splits) { return pool_.run(splits, units_); }

    // Improves `splits`, of length `best`, and returns the new length. Ends if that is `low`.
    std::int64_t improve(netgen::BlockId tree, std::span<const netgen::BlockId> branches,
                         netgen::SplitSet& splits, std::int64_t best, std::int64_t low,
                         std::uint64_t evaluations) {
        const auto toggle = [&] {
            const std::size_t at =
                index(branches[random_.below(static_cast<std::uint32_t>(branches.size()))]);
            splits[at] = !splits[at];
            return at;
        };
        netgen::SplitSet best_splits = splits;
        std::int64_t current = best;
        for (std::uint64_t i = 0; i < evaluations && best > low; ++i) {
            if (limits_.must_end()) break;
            const std::size_t first = toggle();
            std::size_t second = first;
            if (random_.below(2) == 0) {
                second = toggle();
                while (second == first && branches.size() > 1) second = toggle();
            }
            const std::int64_t now = time(tree, splits);
            if (now > current) {
                splits[first] = !splits[first];
                if (second != first) splits[second] = !splits[second];
                continue;
            }
            current = now;
            if (now >= best) continue;
            best = now;
            best_splits = splits;
        }
        splits = std::move(best_splits);
        return best;
    }

  private:
    const netgen::Units units_;
    const WorkLimits limits_;
    netgen::UnitPool pool_;
    CounterRandom random_;
};

// The branches within a tree.
std::vector<netgen::BlockId> branches_of(const netgen::StructuredCfg& cfg, netgen::BlockId tree) {
    std::vector<netgen::BlockId> open = {tree}, branches;
    while (!open.empty()) {
        const netgen::BlockId at = open.back();
        open.pop_back();
        const netgen::CfgBlock& block = cfg[at];
        if (block.is_branch()) branches.push_back(at);
        open.insert(open.end(), block.true_side.begin(), block.true_side.end());
        open.insert(open.end(), block.false_side.begin(), block.false_side.end());
    }
    return branches;
}

}  // namespace

PoolSplitResult best_pool_split(const netgen::StructuredCfg& cfg, netgen::Units units,
                                const PoolSplitOptions& options) {
    if (units < 1) throw InputError("got " + std::to_string(units) + " units, expected 1 or more");
    PoolSearch search(cfg, units, options);
    search.solve(options.evaluations / 2);
    PoolSplitResult result;
    result.end = search.end();
    result.evaluations = search.used();
    netgen::SplitSet splits(cfg.size(), false);
    std::vector<netgen::BlockId> unsolved;
    for (const netgen::BlockId tree : cfg.root()) {
        search.add_plan(tree, splits);
        result.unsplit += search.tree(tree).work;
        result.lower += search.tree(tree).low;
        if (search.tree(tree).low < search.tree(tree).best) unsolved.push_back(tree);
    }
    LocalSearch local(cfg, units, options);
    const netgen::SplitSet allotted =
        unsolved.empty() ? netgen::SplitSet() : best_split(cfg, units, UnitRule::reuse).annotation.splits();
    for (std::size_t i = 0; i < unsolved.size(); ++i) {
        const std::vector<netgen::BlockId> branches = branches_of(cfg, unsolved[i]);
        const auto chosen = [&](const auto& in) {
            netgen::SplitSet set(cfg.size(), false);
            for (const netgen::BlockId branch : branches) set[index(branch)] = in(index(branch));
            return set;
        };
        netgen::SplitSet best = chosen([&](std::size_t at) { return splits[at]; });
        std::int64_t time = local.time(unsolved[i], best);
        for (const netgen::SplitSet& start : {chosen([&](std::size_t at) { return allotted[at]; }),
                                              chosen([](std::size_t) { return true; })}) {
            const std::int64_t other = local.time(unsolved[i], start);
            if (other < time) best = start;
            time = std::min(time, other);
        }
        const std::uint64_t share =
            (options.evaluations - std::min(options.evaluations, result.evaluations)) / (unsolved.size() - i);
        local.improve(unsolved[i], branches, best, time, search.tree(unsolved[i]).low, share);
        result.evaluations += share;
        for (const netgen::BlockId branch : branches) splits[index(branch)] = best[index(branch)];
    }
    result.run = local.run(splits);
    result.wcet = result.run.wcet;
    if (result.end == WorkEnd::complete) result.end = options.limits.asked_to_end();
    if (result.exact()) result.end = WorkEnd::complete;
    if (!result.exact() && result.end == WorkEnd::complete) result.end = WorkEnd::effort_limit;
    return result;
}

}  // namespace warpnet::studies

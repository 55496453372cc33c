// A layered sweep (layered_sweep.hpp) in which the table keeps, per state, the best number of steps to it and
// a parent. With a target, states are dropped if steps so far + bound (RemainingSteps) does not meet it. With
// a width, only the best states of a layer by that sum are expanded: a beam. Finished layers keep only the
// states that lead back to the start, and the moves of the best run are found by following parents and
// enumerating successors again.

#include "analysis/worst/exact/multiset_sweep.hpp"

#include "analysis/worst/exact/layered_sweep.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::worst {

namespace {

/// Packed states, each with its best value and the state from which it was reached.
class StateTable {
  public:
    explicit StateTable(std::size_t words) : states_(words) {}

    std::size_t size() const noexcept { return states_.size(); }
    const std::uint64_t* state(std::size_t number) const noexcept { return states_.state(number); }
    std::uint64_t value(std::size_t number) const noexcept { return values_[number]; }
    SweepStateId parent(std::size_t number) const noexcept { return parents_[number]; }
    std::uint64_t bytes() const noexcept {
        return states_.bytes() + values_.capacity() * 4 + parents_.capacity() * 8;
    }

    /// Adds a state, or gives a known one the better value and its parent.
    void put(const std::uint64_t* state, const FoundState& found, Objective objective) {
        const std::uint32_t number = states_.put(state, found.hash);
        if (number == values_.size()) {
            values_.push_back(found.steps);
            parents_.push_back(found.from);
        } else if (better(objective, found.steps, values_[number])) {
            values_[number] = found.steps;
            parents_[number] = found.from;
        }
    }

    /// Keeps only the path back to the beginning.
    void close() {
        states_.freeze();
        values_ = std::vector<std::uint32_t>();
        parents_.shrink_to_fit();
    }

  private:
    PackedStates states_;
    std::vector<std::uint32_t> values_;
    std::vector<SweepStateId> parents_;
};

struct RunEnd {
    std::uint64_t steps = 0;
    SweepStateId parent;
};
using BestEnd = std::optional<RunEnd>;

/// The best value per state, and a parent that gives it.
class BestRun : public LayeredSweep<BestRun, StateTable, FoundState, BestEnd> {
  public:
    BestRun(const MultisetNet& net, const RemainingSteps& remaining, const MultisetSweepOptions& options)
        : LayeredSweep(net, remaining, false,
                       {.limits = options.limits,
                        // A bound compares modules with each other.
                        .units_per_successor = 1 + net.start.size() * net.start.size() / 64,
                        .states_of_round = options.states_of_round,
                        .ranks = options.ranks}),
          net_(net),
          remaining_(remaining),
          options_(options),
          objective_(options.objective),
          longest_(options.objective == Objective::longest) {}

    MultisetSweep search() {
        MultisetSweep result;
        MultisetSteps steps(net_, false);
        std::vector<LocalMove> moves;
        const MultisetSteps::Successor first = steps.first(&moves);
        if (first.ending != Ending::open) {
            if (first.ending == Ending::endless && longest_) result.stop = WorkEnd::endless;
            if (first.ending != Ending::dead || !meets(static_cast<std::int64_t>(first.steps))) return result;
            result.steps = first.steps;
            result.moves = std::move(moves);
            return result;
        }
        if (!may_meet(first.state, first.steps, worker().scratch)) return result;
        run(first, {.steps = static_cast<std::uint32_t>(first.steps)});
        result.stop = stop();
        result.cut = cut_;
        result.states = states();
        result.effort = effort();
        result.bytes = bytes();
        if (stop() != WorkEnd::endless && best_) {
            result.steps = best_->steps;
            result.moves = find_moves(std::move(moves), first.steps);
        }
        return result;
    }

    WorkEnd end(const MultisetSteps::Successor& to, SweepStateId from, BestEnd& best) const {
        // The shortest run that ends is not an endless one.
        if (to.ending != Ending::dead) return longest_ ? WorkEnd::endless : WorkEnd::complete;
        const std::uint64_t steps = steps_to(from) + to.steps;
        if (meets(static_cast<std::int64_t>(steps)) && (!best || better(objective_, steps, best->steps)))
            best = {steps, from};
        return WorkEnd::complete;
    }

    std::optional<FoundState> follow(const MultisetSteps::Successor& to, SweepStateId from,
                                     Worker& worker) const {
        const std::uint64_t steps = steps_to(from) + to.steps;
        if (!may_meet(to.state, steps, worker.scratch)) return std::nullopt;
        return FoundState{.from = from, .steps = static_cast<std::uint32_t>(steps)};
    }

    void take(const BestEnd& end) {
        if (end && (!best_ || better(objective_, end->steps, best_->steps))) best_ = end;
    }

    void put(StateTable& table, const std::uint64_t* state, const FoundState& found) const {
        table.put(state, found, objective_);
    }

    /// The best by steps so far and bound.
    bool select(std::vector<SweepStateId>& ids) {
        if (options_.width == 0 || ids.size() <= options_.width) return false;
        cut_ = true;
        std::vector<std::pair<double, std::size_t>> scores(ids.size());
        tbb::parallel_for(std::size_t{0}, ids.size(), [&](std::size_t i) {
            Worker& mine = worker();
            packing().unpack(table(ids[i]).state(ids[i].number()), mine.state);
            const double left = longest_ ? -remaining_.most_exactly(mine.state, mine.scratch)
                                         : static_cast<double>(remaining_.least(mine.state));
            const auto steps = static_cast<double>(steps_to(ids[i]));
            scores[i] = {longest_ ? left - steps : left + steps, i};
        });
        std::nth_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(options_.width),
                         scores.end());
        scores.resize(options_.width);
        std::vector<SweepStateId> best;
        best.reserve(scores.size());
        for (const auto& [score, i] : scores) best.push_back(ids[i]);
        std::sort(best.begin(), best.end());
        ids = std::move(best);
        return true;
    }

  private:
    std::uint64_t steps_to(SweepStateId id) const noexcept { return table(id).value(id.number()); }

    bool meets(std::int64_t steps) const {
        if (!options_.target) return true;
        const auto target = static_cast<std::int64_t>(*options_.target);
        return longest_ ? steps >= target : steps <= target;
    }

    /// Whether a run through a state may meet the target.
    bool may_meet(const MultisetState& state, std::uint64_t steps, RemainingSteps::Scratch& scratch) const {
        if (!options_.target || (longest_ && !remaining_.always_ends())) return true;
        const auto so_far = static_cast<std::int64_t>(steps);
        return meets(so_far + (longest_ ? remaining_.most(state, scratch) : remaining_.least(state)));
    }

    /// A state, packed, and its parent. The rank that keeps it sends it to all.
    std::pair<std::vector<std::uint64_t>, SweepStateId> state_and_parent(SweepStateId id) const {
        std::vector<std::uint64_t> words;
        SweepStateId parent;
        if (owner(id) == rank()) {
            const std::uint64_t* const state = table(id).state(id.number());
            words.assign(state, state + packing().words());
            parent = table(id).parent(id.number());
        }
        if (options_.ranks == nullptr) return {words, parent};
        ranks::ByteWriter writer;
        writer.put(parent);
        writer.put_list(words);
        const std::string text = options_.ranks->broadcast(owner(id), writer.bytes());
        ranks::ByteReader reader(text);
        parent = reader.get<SweepStateId>();
        return {reader.get_list<std::uint64_t>(), parent};
    }

    /// The moves of the first steps, and those between the states on the way to the best end. On rank 0.
    std::vector<LocalMove> find_moves(std::vector<LocalMove> all, std::uint64_t now) const {
        std::vector<std::vector<std::uint64_t>> path;
        for (SweepStateId id = best_->parent; id.is_state();) {
            auto [words, parent] = state_and_parent(id);
            path.push_back(std::move(words));
            id = parent;
        }
        if (rank() > 0) return {};
        std::reverse(path.begin(), path.end());
        MultisetSteps steps(net_, false);
        std::vector<LocalMove> moves, best_moves;
        std::vector<std::uint64_t> packed(packing().words());
        MultisetState state;
        for (std::size_t i = 0; i < path.size(); ++i) {
            packing().unpack(path[i].data(), state);
            const std::uint64_t* const next = i + 1 < path.size() ? path[i + 1].data() : nullptr;
            std::optional<std::uint64_t> best;
            steps.for_each_successor(
                state,
                [&](const MultisetSteps::Successor& to) {
                    if (next == nullptr ? to.ending != Ending::dead : to.ending != Ending::open) return true;
                    if (next != nullptr) {
                        packing().pack(to.state, packed.data());
                        if (!std::equal(packed.begin(), packed.end(), next)) return true;
                    }
                    if (best && !better(objective_, to.steps, *best)) return true;
                    best = to.steps;
                    best_moves = moves;
                    return true;
                },
                &moves);
            for (LocalMove& move : best_moves) move.after += now;
            all.insert(all.end(), best_moves.begin(), best_moves.end());
            now += best.value();
        }
        return all;
    }

    const MultisetNet& net_;
    const RemainingSteps& remaining_;
    const MultisetSweepOptions& options_;
    Objective objective_;
    bool longest_;
    bool cut_ = false;
    BestEnd best_;
};

}  // namespace

MultisetSweep multiset_sweep(const MultisetNet& net, const RemainingSteps& remaining,
                             const MultisetSweepOptions& options) {
    static_assert(MultisetSweepOptions::max_ranks == BestRun::shards);
    return BestRun(net, remaining, options).search();
}

}  // namespace warpnet::worst

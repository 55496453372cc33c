// Decides boundedness, of a net and of sums of tokens, after Karp and Miller [Karp69], on the tree of first
// paths. Every infinite branch has two markings of which the later one has at least the tokens of the earlier
// one, and more in some place. Invariants are tried first, because they are fast and hold under every
// semantics. An exploration decides at the end if it completes. Each new marking is compared with its
// ancestors, O(depth x places).

#include "analysis/states/explore/coverability_graph.hpp"
#include "analysis/states/explore/marking_store.hpp"
#include "analysis/states/explore/path_to.hpp"
#include "analysis/states/linear/invariants.hpp"
#include "analysis/states/properties/parts.hpp"
#include "analysis/states/steps/possible_steps.hpp"
#include "analysis/states/structure/net_class.hpp"

#include <algorithm>
#include <utility>

namespace warpnet::states {

namespace {

/// Searches for a marking that grows on the first paths to all markings, breadth-first.
class PumpSearch {
  public:
    /// `sum`: only what makes it larger counts.
    PumpSearch(const CompiledNet& net, const ExploreOptions& options, std::uint64_t max_states,
               const LinearSum* sum = nullptr)
        : net_(net), options_(options), max_states_(max_states), sum_(sum), store_(net.initial) {
        const bool repeats_with_more = options.semantics == Semantics::interleaving && is_timed(net);
        may_grow_.assign(net.place_count(), 1);
        for (std::size_t t = 0; t < net.transition_count(); ++t) {
            for (const PlaceWeight& arc : net.inhibitors[t]) may_grow_[arc.place] = 0;
            if (repeats_with_more) continue;
            for (const PlaceWeight& arc : net.inputs[t]) may_grow_[arc.place] = 0;
            for (const PlaceWeight& arc : net.reads[t]) may_grow_[arc.place] = 0;
        }
    }

    /// True if there is a pump, or if all markings have been seen and there is none.
    bool run(BoundednessAnswer& answer) {
        for (std::uint32_t state = 0; state < store_.size(); ++state) {
            if (store_.size() > max_states_ || store_.bytes() > options_.limits.memory || stopped(state))
                return false;
            bool found = false, in_range = true;
            const Marking marking = store_[state];
            Marking after;
            const auto take_step = [&](const ScheduledStep& step) {
                after = marking;
                in_range = fire_step(net_, step, after);
                if (!in_range) return false;
                const auto number = store_.insert(after, state);
                if (number) steps_.push_back(step);
                found = number && grows(*number, after, answer);
                return !found && store_.size() <= max_states_;
            };
            const bool completed = for_each_possible_step(net_, marking, options_.semantics, take_step,
                                                          [&] { return options_.limits.must_end(); });
            if (found) return true;
            if (!in_range || !completed) return false;
        }
        answer.bounded = true;
        answer.by = AnswerPart::exploration;
        answer.states = store_.size();
        return true;
    }

  private:
    bool stopped(std::uint32_t state) const {
        return (state % 256 == 0 || net_.place_count() > 256) && options_.limits.must_end();
    }

    /// REQUIRES: the marking is new, so that it differs from those on its path.
    bool grows(std::uint32_t state, const Marking& marking, BoundednessAnswer& answer) const {
        std::uint32_t ancestor = state;
        while (ancestor != 0) {
            ancestor = store_.parent(ancestor);
            const Marking before = store_[ancestor];
            if (!can_repeat(before, marking, may_grow_) || !sum_grows(before, marking)) continue;
            answer.bounded = false;
            answer.by = AnswerPart::pumping;
            answer.pump.first = steps_between(0, ancestor);
            answer.pump.repeated = steps_between(ancestor, state);
            for (std::uint32_t p = 0; p < marking.size(); ++p)
                if (marking[p] > before[p]) answer.pump.growing.push_back(p);
            answer.states = store_.size();
            return true;
        }
        return false;
    }

    bool sum_grows(const Marking& before, const Marking& after) const {
        const auto value_in = [&](const Marking& marking) {
            return value_of(*sum_, [&](std::uint32_t place) { return marking[place]; });
        };
        return sum_ == nullptr || value_in(after) > value_in(before);
    }

    Schedule steps_between(std::uint32_t from, std::uint32_t to) const {
        Schedule schedule;
        for (; to != from; to = store_.parent(to)) schedule.push_back(steps_[to - 1]);
        std::reverse(schedule.begin(), schedule.end());
        return schedule;
    }

    const CompiledNet& net_;
    const ExploreOptions& options_;
    std::uint64_t max_states_;
    const LinearSum* sum_;
    MarkingStore store_;
    Schedule steps_;  // that first led to marking 1, 2, ...
    std::vector<std::uint8_t>
        may_grow_;  // per place: more tokens there change nothing that could happen before
};

}  // namespace

BoundednessAnswer decide_boundedness(const Net& net, const CompiledNet& compiled,
                                     const ExploreOptions& options, std::uint64_t search_states) {
    BoundednessAnswer answer;
    constexpr InvariantOptions some = {.max_rows = 5'000, .max_work = 50'000'000};  // under a second
    if (boundedness(net, p_invariants(net, some), some, options.limits).structurally_bounded == true) {
        answer.bounded = true;
        answer.by = AnswerPart::invariants;
        return answer;
    }
    if (PumpSearch(compiled, options, std::min(search_states, options.max_states)).run(answer)) return answer;
    const Exploration explored = explore(compiled, options);
    answer.states = explored.space.size();
    answer.stop = explored.stop;
    if (explored.complete()) {
        answer.bounded = true;
        answer.by = AnswerPart::exploration;
    }
    return answer;
}

std::optional<Pump> find_pump(const CompiledNet& compiled, const ExploreOptions& options,
                              const LinearSum& sum, std::uint64_t search_states) {
    BoundednessAnswer answer;
    PumpSearch(compiled, options, std::min(search_states, options.max_states), &sum).run(answer);
    if (answer.bounded != false) return std::nullopt;
    return std::move(answer.pump);
}

}  // namespace warpnet::states

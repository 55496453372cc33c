// The pivot executor makes runs of nets with immediate transitions or priorities, such as those of the
// families `sm`, `blocks` and `cfg`. These nets consist of processes that fork, join and compete for many
// hubs at once. A warp of an `sm` net is a sequence of some hundred operations, all of which need `w1_ready`.
// Counting the unmet conditions of every transition, as the general executor does, would touch all operations
// whenever the warp becomes ready, although only one can be next. This executor examines only transitions
// whose pivot is marked (state.hpp), and of a sequence only the operations of its current station
// (sequences.hpp). So a firing costs its arcs, and not the number of transitions that share its places.
//
// Conflicts over hubs are resolved per demand class. A step draws uniformly among the open members of the
// classes that the hubs can serve, until no member is open. Tokens only shrink within a step, so a class that
// the hubs cannot serve stays closed for the step. Clusters of classes that cannot compete with each other
// are drawn separately, and classes without competition fire without a draw.
//
// Each draw waits for the hubs that the previous winner changed. Their token counts are unpredictable.
// Therefore the levels of hubs and the rank of a winner are computed without branches, and a firing changes
// its hubs before anything else. Deterministic runs skip repeated periods (recurrence.hpp).

#include "engine/executors/loop/conflict_order.hpp"
#include "engine/executors/loop/run_loop.hpp"
#include "engine/executors/pivots/net.hpp"
#include "engine/executors/pivots/recurrence.hpp"
#include "engine/executors/pivots/state.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// One run of the pivot executor.
class PivotRun final : public RunLoop<PivotRun> {
  public:
    PivotRun(const CompiledNet& net, const PivotNet& pivots, const RunOptions& options, Observer* observer)
        : RunLoop(net, options, observer),
          net_(net),
          pivots_(pivots),
          order_(options_, net.transition_count()),
          draws_(order_.random()),
          undrawn_(draws_),
          uniform_(options.policy == Policy::random && !options.keyed),
          state_(net, pivots, options.count_firings ? &progress_.counts : nullptr),
          members_(state_.members()),
          recurrence_(net, pivots),
          room_(pivots.classes.size()),
          ends_(1 + pivots.classes.size() + ends_block, 0),
          display_(net, observer) {
        if (options.count_firings) progress_.counts.assign(net.transition_count(), 0);
    }

    std::uint64_t now() const { return state_.now() + skipped_; }

    bool find(bool immediate) {
        open_ = state_.find_open(immediate ? pivots_.immediate_classes : pivots_.timed_classes, room_.data());
        refills_ = immediate ? 0 : state_.refills();
        return !open_.empty() || refills_ != 0;
    }

    std::uint64_t next_due() { return state_.next_due(); }

    /// Takes the tokens of the members of open classes that fire.
    bool choose(bool immediate) {
        undrawn_ = draws_;
        state_.begin_step(immediate);
        choose_winners();
        return true;
    }

    bool repeats(std::uint64_t due) const { return due != state_.now() + 1 && forced_ && nothing_changes(); }

    /// Repeats until just before the next delay ends, or forever. An observed run repeats once per call.
    bool repeat(std::uint64_t due) {
        draws_ = undrawn_;  // the run is the same wherever it is cut into pieces
        if (recurrence_.is_measuring()) measure(true);
        state_.give();
        state_.undo_step(winners_);
        const std::uint64_t until =
            observer_ != nullptr ? state_.now() + 1 : std::min(due - 1, options_.max_steps - skipped_);
        const std::uint64_t steps = until - state_.now();
        state_.advance_to(until);
        count(steps);
        order_.repeat_step({}, steps);
        if (observer_ != nullptr) {
            list_firings(false);
            display_.show(until);
        }
        return true;
    }

    bool fire(bool immediate, std::uint64_t due) {
        if (!immediate) {
            order_.begin_timed_steps();
            state_.advance_to(state_.now() + 1);
        }
        if (!make_step(immediate, due)) return false;
        if (chosen_) {
            chosen_ = false;
            recurrence_.forget();
        } else if (!immediate && observer_ == nullptr) {
            skip_periods();
        }
        return true;
    }

    void collect(RunResult& result) {
        result.marking = state_.marking();
        result.firings = progress_.firings + state_.delays().firings();
        result.counts = std::move(progress_.counts);
    }

  private:
    static constexpr std::size_t ends_block = 8;

    /// Skips periods that are equal to the last one.
    void skip_periods() {
        progress_.rounds = order_.round();
        progress_.gadget_firings = state_.delays().firings();
        std::uint64_t times =
            recurrence_.periods(state_, progress_, options_.max_steps - std::min(options_.max_steps, now()));
        if (times == 0) return;
        const Recurrence::Progress& begin = recurrence_.begin();
        const std::uint64_t before = progress_.firings + progress_.gadget_firings;
        const std::uint64_t firings = before - begin.firings - begin.gadget_firings;
        // The counters must not overflow.
        times = std::min(times, (~std::uint64_t{0} - before) / std::max<std::uint64_t>(1, firings));
        state_.drift(recurrence_.drifts(), times);
        skipped_ += times * recurrence_.steps();
        order_.go_to_round(progress_.rounds + times * (progress_.rounds - begin.rounds));
        progress_.firings += times * firings;
        for (std::size_t t = 0; t < progress_.counts.size(); ++t)
            progress_.counts[t] += times * (progress_.counts[t] - begin.counts[t]);
    }

    void choose_winners() {
        winners_.clear();
        forced_ = true;
        for (auto first = open_.begin(); first != open_.end();) {
            const PivotClass& one = pivots_.classes[*first];
            auto last = open_.end();
            while (last[-1] >= one.end_of_cluster) --last;
            if (one.free) {
                for (std::uint32_t left = members_.open(*first); left-- > 0;)
                    win(*first, members_.member(*first, left));
            } else if (uniform_) {
                draw(std::span(first, last));
            } else {
                serve_in_order(std::span(first, last));
            }
            first = last;
        }
    }

    /// Draws the firings among classes that may compete with each other.
    void draw(std::span<std::uint32_t> open) {
        // Firings of higher priority have taken tokens from hubs, and may have been alternatives of these
        // members.
        if (pivots_.classes[open.front()].priority_level != pivots_.classes[open_.front()].priority_level)
            leave_out_closed(open);
        if (open.size() == 1 && !pivots_.classes[open.front()].contested) {
            draw_of_class(open.front());
        } else if (!open.empty()) {
            draw_among(open);
        }
    }

    /// Removes the classes without open members.
    void leave_out_closed(std::span<std::uint32_t>& open) {
        const auto kept = std::remove_if(open.begin(), open.end(), [&](std::uint32_t number) {
            if (members_.open(number) == 0) return true;
            if (state_.hubs_serve(number)) return false;
            forced_ = false;
            return true;
        });
        open = open.first(static_cast<std::size_t>(kept - open.begin()));
    }

    /// Fires as many members of a class as the hubs can serve, each member with the same probability.
    void draw_of_class(std::uint32_t number) {
        const std::uint32_t size = members_.open(number);
        if (size == 1 || (!pivots_.classes[number].alternatives && state_.hubs_serve_all(number, size))) {
            for (std::uint32_t left = size; left-- > 0;) win(number, members_.member(number, left));
            return;
        }
        chosen_ = true;
        do {
            win(number, members_.member(number, draws_.below(members_.open(number))));
        } while (members_.open(number) > 0 && state_.hubs_serve(number));
        if (members_.open(number) > 0) forced_ = false;
    }

    /// Repeatedly draws one of all open members uniformly, until no member is open.
    void draw_among(std::span<const std::uint32_t> open) {
        std::fill_n(ends_.begin() + 1 + static_cast<std::ptrdiff_t>(open.size()), ends_block,
                    ~std::uint32_t{0});
        std::uint32_t total = add_up(open);
        chosen_ |= total > 1;
        for (; total > 1; total = add_up(open)) draw_of(open, draws_.below(total));
        if (total == 1) draw_of(open, 0);
        if (std::any_of(open.begin(), open.end(),
                        [&](std::uint32_t number) { return members_.open(number) > 0; }))
            forced_ = false;
    }

    /// Fires the open member with this rank.
    void draw_of(std::span<const std::uint32_t> open, std::uint32_t rank) {
        const std::size_t position = open.size() > 1 ? position_of(rank, open.size()) : 0;
        const std::uint32_t its_class = open[position];
        const std::uint32_t transition = members_.member(its_class, rank - ends_[position]);
        if (pivots_.classes[its_class].contested && !state_.finds_tokens(transition)) {
            members_.close(its_class, transition);
            forced_ = false;
        } else {
            win(its_class, transition);
        }
    }

    /// Computes the running sums of open members: ends_[i] is the sum over the first i classes. Returns the
    /// total.
    std::uint32_t add_up(std::span<const std::uint32_t> open) {
        std::uint32_t total = 0;
        std::uint32_t* end = ends_.data();
        for (const std::uint32_t number : open)
            *++end = total += members_.open(number) * std::uint32_t{state_.hubs_serve(number)};
        return total;
    }

    /// The number of sums that the rank reaches. It has no branches, because they would be mispredicted.
    std::size_t position_of(std::uint32_t rank, std::size_t size) const {
        std::size_t position = 0;
        for (std::size_t block = 1; block <= size; block += ends_block) {
            std::uint32_t below = 0;
            for (std::size_t i = 0; i < ends_block; ++i) below += ends_[block + i] <= rank ? 1U : 0U;
            position += below;
        }
        return position;
    }

    void serve_in_order(std::span<const std::uint32_t> open) {
        competitors_.clear();
        for (const std::uint32_t number : open) {
            const auto members = members_.open_members(number);
            competitors_.insert(competitors_.end(), members.begin(), members.end());
        }
        chosen_ |= competitors_.size() > 1;
        std::sort(competitors_.begin(), competitors_.end());
        order_.arrange(competitors_);
        for (const std::uint32_t t : competitors_) {
            const std::uint32_t its_class = pivots_.transitions[t].number;
            if (state_.hubs_serve(its_class) && state_.finds_tokens(t)) {
                win(its_class, t);
            } else {
                forced_ = false;
            }
        }
    }

    void win(std::uint32_t its_class, std::uint32_t transition) {
        winners_.push_back(transition);
        if (state_.take(its_class, transition)) forced_ = false;
    }

    bool nothing_changes() const {
        return refills_ == 0 && std::all_of(winners_.begin(), winners_.end(),
                                            [&](std::uint32_t t) { return net_.effects[t].empty(); });
    }

    bool make_step(bool immediate, std::uint64_t due) {
        if (observer_ != nullptr) list_firings(immediate);
        if (!immediate && due == state_.now() && !state_.end_delays()) return false;
        count(1);
        if (recurrence_.is_measuring()) measure(immediate);
        if (!state_.give()) return false;
        state_.refill(refills_);
        state_.settle_step();
        order_.next_round();
        if (observer_ != nullptr) display_.show(state_.now(), immediate);
        return true;
    }

    /// Records the firings of the current step for a period.
    void measure(bool immediate) {
        for (const std::uint32_t t : winners_) recurrence_.note(t);
        for_each_refill([&](std::uint32_t t) { recurrence_.note(t); });
        if (immediate) return;
        for (const std::uint32_t g : state_.delays().ended()) recurrence_.note(net_.gadgets[g].done);
    }

    /// Lists the firings of the current step for the observer, including those in running gadgets.
    void list_firings(bool immediate) {
        for (const std::uint32_t t : winners_) display_.firings().push_back({t, 1});
        for_each_refill([&](std::uint32_t t) { display_.firings().push_back({t, 1}); });
        if (immediate) return;
        RunningDelays& delays = state_.delays();
        for (std::uint32_t g = 0; g < delays.size(); ++g) {
            if (!delays.is_running(g) || delays.age(g, state_.now()) == 0) continue;
            const DelayGadget& gadget = net_.gadgets[g];
            const auto ticks = static_cast<std::uint64_t>(state_.tokens(gadget.timer));
            const bool ends = delays.age(g, state_.now()) > ticks;
            display_.firings().push_back({ends ? gadget.done : gadget.tick, 1});
        }
    }

    template <class Visit>
    void for_each_refill(Visit&& visit) const {
        for_each_bit(refills_, [&](std::uint32_t i) { visit(pivots_.refills[i].transition); });
    }

    void count(std::uint64_t steps) {
        progress_.firings += (winners_.size() + count_bits(refills_)) * steps;
        std::vector<std::uint64_t>& counts = progress_.counts;
        if (counts.empty()) return;
        for_each_refill([&](std::uint32_t t) { counts[t] += steps; });
        for (const std::uint32_t t : winners_) counts[t] += steps;
    }

    const CompiledNet& net_;
    const PivotNet& pivots_;
    ConflictOrder order_;
    HalfDraws draws_;
    HalfDraws undrawn_;  // as before the next step
    bool uniform_;
    Recurrence::Progress progress_;
    PivotState state_;
    ClassMembers& members_;  // of state_
    Recurrence recurrence_;
    std::uint64_t skipped_ = 0;        // steps
    std::uint64_t refills_ = 0;        // that fire in the current step
    bool forced_ = true;               // the step was the only possible one
    bool chosen_ = false;              // a choice was made since the last timed step
    std::vector<std::uint32_t> room_;  // storage for open_
    std::span<std::uint32_t> open_;    // classes with members that may still fire in the current step
    std::vector<std::uint32_t> ends_;  // see add_up(); followed by ends_block numbers that no rank reaches
    std::vector<std::uint32_t> winners_, competitors_;
    StepDisplay display_;
};

}  // namespace

std::unique_ptr<RunInProgress> begin_pivot_run(const CompiledNet& net, const PivotNet& pivots,
                                               const RunOptions& options, Observer* observer) {
    return std::make_unique<PivotRun>(net, pivots, options, observer);
}

}  // namespace warpnet

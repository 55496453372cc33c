#include "engine/pivots/pivot_run.hpp"

#include "engine/pivots/pivot_state.hpp"
#include "engine/pivots/recurrence.hpp"
#include "engine/run/conflict_order.hpp"
#include "engine/run/step_display.hpp"
#include "engine/run/stop_check.hpp"

#include <algorithm>

namespace warpnet {

namespace {

/// One run.
class PivotRun final : public StartedRun {
  public:
    PivotRun(const CompiledNet& net, const PivotNet& pivots, const RunOptions& options, Observer* observer)
        : net_(net),
          pivots_(pivots),
          options_(options),
          observer_(observer),
          order_(options_, net.transition_count()),
          draws_(order_.random()),
          uniform_(options.policy == Policy::random && !options.keyed),
          state_(net, pivots, options.count_firings ? &progress_.counts : nullptr),
          members_(state_.members()),
          recurrence_(net, pivots),
          stop_(options_),
          display_(net, observer) {
        result_.run = options.run;
        if (options.count_firings) progress_.counts.assign(net.transition_count(), 0);
    }

    StopReason advance(std::uint64_t max_steps) override {
        options_.max_steps = max_steps;
        return result_.reason = run_until_stopped();
    }

    bool endless() const override { return result_.endless; }
    std::uint64_t steps() const override { return state_.now() + skipped_; }

    RunResult finish() override {
        result_.steps = steps();
        result_.marking = state_.marking();
        result_.firings = progress_.firings + state_.delays().firings();
        result_.counts = std::move(progress_.counts);
        return std::move(result_);
    }

  private:
    StopReason run_until_stopped() {
        for (;;) {
            refills_ = 0;
            const bool immediate = state_.find_open(pivots_.immediate_classes, open_);
            const bool fires = immediate || find_timed();
            immediate_rounds_ = immediate ? immediate_rounds_ + 1 : 0;
            const std::uint64_t due = immediate ? RunningDelays::nothing_due : state_.next_due();
            if (!fires && due == RunningDelays::nothing_due) return StopReason::dead;
            if (immediate || stop_.is_near(steps())) {
                if (const auto reason = stop_.reached(steps(), immediate, immediate_rounds_)) return *reason;
            }
            const HalfDraws undrawn = draws_;
            state_.begin_step(immediate);
            choose();
            if (!immediate) {
                const bool repeats = due != state_.now() + 1 && forced_ && nothing_changes();
                result_.endless = repeats && due == RunningDelays::nothing_due;
                if (repeats) {
                    draws_ = undrawn;  // the run is the same wherever it is cut
                    pass_time(due);
                    continue;
                }
                order_.begin_timed_steps();
                state_.advance_to(state_.now() + 1);
            }
            if (!fire(immediate, due)) return StopReason::overflow;
            if (chosen_) {
                chosen_ = false;
                recurrence_.forget();
            } else if (!immediate && observer_ == nullptr) {
                skip_periods();
            }
        }
    }

    /// Skips what is like the last period of a run that repeats itself.
    void skip_periods() {
        progress_.rounds = order_.round();
        progress_.gadget_firings = state_.delays().firings();
        std::uint64_t times = recurrence_.periods(state_, progress_,
                                                  options_.max_steps - std::min(options_.max_steps, steps()));
        if (times == 0) return;
        const Recurrence::Progress& begin = recurrence_.begin();
        const std::uint64_t before = progress_.firings + progress_.gadget_firings;
        const std::uint64_t firings = before - begin.firings - begin.gadget_firings;
        // As many as can be counted.
        times = std::min(times, (~std::uint64_t{0} - before) / std::max<std::uint64_t>(1, firings));
        state_.drift(recurrence_.drifts(), times);
        skipped_ += times * recurrence_.steps();
        order_.go_to_round(progress_.rounds + times * (progress_.rounds - begin.rounds));
        progress_.firings += times * firings;
        for (std::size_t t = 0; t < progress_.counts.size(); ++t)
            progress_.counts[t] += times * (progress_.counts[t] - begin.counts[t]);
    }

    /// Finds what fires in a timed step. Whether there is anything.
    bool find_timed() {
        const bool opens = state_.find_open(pivots_.timed_classes, open_);
        refills_ = state_.refills();
        return opens || refills_ != 0;
    }

    /// Who of the open classes fires; takes their tokens.
    void choose() {
        winners_.clear();
        forced_ = true;
        for (auto first = open_.begin(); first != open_.end();) {
            const PivotClass& one = pivots_.classes[*first];
            auto last = open_.end();
            while (last[-1] >= one.end_of_component) --last;
            if (one.free) {
                for (std::uint32_t left = members_.open(*first); left-- > 0;)
                    win(members_.member(*first, left));
            } else if (uniform_) {
                draw(std::span(first, last));
            } else {
                serve_in_order(std::span(first, last));
            }
            first = last;
        }
    }

    /// Draws who of classes that may compete with each other fires.
    void draw(std::span<std::uint32_t> open) {
        // Those of higher priority have taken from the hubs.
        if (pivots_.classes[open.front()].stratum != pivots_.classes[open_.front()].stratum)
            close_short(open);
        if (open.size() == 1 && !pivots_.classes[open.front()].contested) {
            draw_of_class(open.front());
        } else if (!open.empty()) {
            draw_among(open);
        }
    }

    /// As many members of a class as the hubs can serve, each as likely as the others.
    void draw_of_class(std::uint32_t number) {
        const std::uint32_t size = members_.open(number);
        if (size == 1 || (!pivots_.classes[number].alternatives && state_.hubs_serve_all(number, size))) {
            for (std::uint32_t left = size; left-- > 0;) win(members_.member(number, left));
            return;
        }
        chosen_ = true;
        do {
            win(members_.member(number, draws_.below(members_.open(number))));
        } while (members_.open(number) > 0 && state_.hubs_serve(number));
        if (members_.open(number) > 0) forced_ = false;
    }

    /// Again and again one of all that may still fire, each as likely as the others, until nobody is left.
    void draw_among(std::span<std::uint32_t> open) {
        std::uint32_t total = 0;
        for (const std::uint32_t number : open) total += members_.open(number);
        chosen_ |= total > 1;
        while (total > 0) {
            std::uint32_t rank = total > 1 ? draws_.below(total) : 0;
            const std::uint32_t* drawn = open.data();
            for (; rank >= members_.open(*drawn); ++drawn) rank -= members_.open(*drawn);
            const std::uint32_t its_class = *drawn, transition = members_.member(its_class, rank);
            --total;
            if (pivots_.classes[its_class].contested && !state_.finds_tokens(transition)) {
                members_.close(its_class, transition);
                forced_ = false;
                continue;
            }
            if (win(transition) && total > 0) total = close_short(open);
        }
    }

    /// Closes the classes that the hubs cannot serve any more. How many may still fire.
    std::uint32_t close_short(std::span<std::uint32_t>& open) {
        std::uint32_t total = 0, closed = 0;
        std::size_t kept = 0;
        for (const std::uint32_t number : open) {
            // Without branches, which would be guessed wrong.
            const std::uint32_t size = members_.open(number);
            const std::uint32_t served = size * std::uint32_t{state_.hubs_serve(number)};
            open[kept] = number;
            kept += served != 0 ? 1 : 0;
            total += served;
            closed += size - served;
        }
        if (closed > 0) forced_ = false;
        open = open.first(kept);
        return total;
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
            if (state_.hubs_serve(pivots_.transitions[t].number) && state_.finds_tokens(t)) {
                win(t);
            } else {
                forced_ = false;
            }
        }
    }

    /// Whether others may not be able to fire any more.
    bool win(std::uint32_t transition) {
        winners_.push_back(transition);
        const auto [hubs, alternatives] = state_.take(transition);
        if (alternatives) forced_ = false;
        return hubs || alternatives;
    }

    bool nothing_changes() const {
        return refills_ == 0 && std::all_of(winners_.begin(), winners_.end(),
                                            [&](std::uint32_t t) { return net_.effects[t].empty(); });
    }

    /// Repeats a step that changes nothing until just before the next delay ends, or for ever; once, where
    /// somebody observes.
    void pass_time(std::uint64_t due) {
        if (recurrence_.is_measuring()) measure(true);
        state_.give();
        state_.undo_step(winners_);
        const std::uint64_t until =
            observer_ != nullptr ? state_.now() + 1 : std::min(due - 1, options_.max_steps - skipped_);
        const std::uint64_t steps = until - state_.now();
        state_.advance_to(until);
        count(steps);
        order_.repeat_step({}, steps);
        if (observer_ == nullptr) return;
        list_firings(false);
        display_.show(until);
    }

    bool fire(bool immediate, std::uint64_t due) {
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

    /// What fires in the step at hand, for a period.
    void measure(bool immediate) {
        for (const std::uint32_t t : winners_) recurrence_.note(t);
        for_each_refill([&](std::uint32_t t) { recurrence_.note(t); });
        if (immediate) return;
        for (const std::uint32_t g : state_.delays().ended()) recurrence_.note(net_.gadgets[g].done);
    }

    /// What fires in the step at hand, in running gadgets too, for the observer.
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
    RunOptions options_;
    Observer* observer_;
    ConflictOrder order_;
    HalfDraws draws_;
    bool uniform_;
    Recurrence::Progress progress_;
    PivotState state_;
    ClassMembers& members_;  // of the state
    Recurrence recurrence_;
    std::uint64_t skipped_ = 0;  // steps
    StopCheck stop_;
    std::uint64_t immediate_rounds_ = 0;  // in a row
    std::uint64_t refills_ = 0;           // that fire in the step at hand
    bool forced_ = true;                  // the step was the only one possible
    bool chosen_ = false;                 // since the last timed step: who is served, or in which order
    std::vector<std::uint32_t> open_;     // classes some of whose members may still fire in the step at hand
    std::vector<std::uint32_t> winners_, competitors_;
    RunResult result_;
    StepDisplay display_;
};

}  // namespace

std::unique_ptr<StartedRun> begin_pivot_run(const CompiledNet& net, const PivotNet& pivots,
                                            const RunOptions& options, Observer* observer) {
    return std::make_unique<PivotRun>(net, pivots, options, observer);
}

}  // namespace warpnet

#include "engine/executors/general/run.hpp"

#include "engine/executors/general/run_state.hpp"
#include "engine/executors/general/simple_steps.hpp"
#include "engine/executors/general/step_choice.hpp"
#include "engine/executors/loop/firing_tally.hpp"
#include "engine/run/stop_check.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

namespace {

/// One run of the general executor.
class GeneralRun final : public RunInProgress {
  public:
    GeneralRun(const CompiledNet& net, std::shared_ptr<const GeneralNet> general, const RunOptions& options,
               Observer* observer)
        : general_(std::move(general)),
          options_(options),
          observer_(observer),
          order_(options_, net.transition_count()),
          state_(net, *general_, order_,
                 {.delays = options.semantics == Semantics::maximal && observer == nullptr &&
                            !notes_delays(net) && !asks_about_delays(net),
                  .cells = options.semantics == Semantics::maximal,
                  .marking = observer != nullptr || options.until != nullptr}),
          choice_(net, *general_, state_, order_, options.semantics,
                  observer != nullptr || options.count_firings || options.until != nullptr ||
                      order_.notes_firings()),
          simple_(net, *general_, state_, order_),
          makes_simple_steps_(simple_.usable() && observer == nullptr && options.until == nullptr &&
                              !options.count_firings && options.semantics == Semantics::maximal &&
                              options.policy == Policy::random && !options.keyed),
          stop_(options_),
          has_immediate_(!net.strata.empty() && net.strata.front().immediate) {
        choice_.obey(options_.limits);
        result_.run = options.run;
        if (options.count_firings || (options.until != nullptr && !options.until->transitions().empty())) {
            tally_.counts.assign(net.transition_count(), 0);
            state_.delays().count_in(&tally_.counts);
        }
    }

    StopReason advance(std::uint64_t max_steps) override {
        options_.max_steps = max_steps;
        return result_.reason = run_until_stopped();
    }

    bool endless() const override { return result_.endless; }
    std::uint64_t steps() const override { return state_.now(); }

    RunResult finish() override {
        result_.steps = state_.now();
        state_.settle();
        result_.firings = tally_.firings + simple_.firings() + state_.delays().firings();
        if (options_.count_firings) result_.counts = std::move(tally_.counts);
        result_.marking.assign(state_.marking().begin(), state_.marking().end());
        return std::move(result_);
    }

  private:
    static constexpr std::uint64_t steps_between_looks = 1024;  // at the clock, where steps are simple

    /// A policy that remembers the firings inside delays needs them made one by one.
    bool notes_delays(const CompiledNet& net) const {
        const auto notes = [&](std::uint32_t t) { return order_.orders(t) || order_.serves(t); };
        return std::any_of(net.gadgets.begin(), net.gadgets.end(), [&](const DelayGadget& gadget) {
            return notes(gadget.tick) || notes(gadget.done);
        });
    }

    /// A condition on the inside of a delay needs it made step by step.
    bool asks_about_delays(const CompiledNet& net) const {
        if (options_.until == nullptr) return false;
        const auto mentions = [](std::span<const std::uint32_t> nodes, std::uint32_t node) {
            return std::binary_search(nodes.begin(), nodes.end(), node);
        };
        const auto places = options_.until->places();
        const auto transitions = options_.until->transitions();
        return std::any_of(net.gadgets.begin(), net.gadgets.end(), [&](const DelayGadget& gadget) {
            return mentions(places, gadget.wait) || mentions(places, gadget.timer) ||
                   mentions(transitions, gadget.tick) || mentions(transitions, gadget.done);
        });
    }

    bool condition_holds() const {
        return options_.until != nullptr && options_.until->holds(state_.marking(), tally_.counts);
    }

    StopReason run_until_stopped() {
        for (;;) {
            if (makes_simple_steps_) {
                const std::uint64_t last = state_.now() + steps_between_looks;
                if (!simple_.make(std::min(last, options_.max_steps))) return StopReason::overflow;
                if (state_.now() == last) {
                    if (const auto reason = stop_.asked_to()) return *reason;
                }
            }
            if (condition_holds()) return StopReason::condition;
            const CounterRandom undrawn = order_.random();
            std::span<const Firing> firings;
            if (has_immediate_) firings = choice_.choose(true);
            const bool immediate = has_immediate_ && !choice_.chose_nothing();
            immediate_rounds_ = immediate ? immediate_rounds_ + 1 : 0;
            if (!immediate) firings = choice_.choose(false);
            if (choice_.left_unfinished()) return *stop_.asked_to();

            const std::uint64_t due = immediate ? RunningDelays::nothing_due : state_.next_due();
            if (choice_.chose_nothing() && due == RunningDelays::nothing_due) return StopReason::dead;
            if (immediate || stop_.is_near(state_.now())) {
                if (const auto reason = stop_.reached(state_.now(), immediate, immediate_rounds_)) {
                    order_.random() = undrawn;  // for the same step, should the run go on
                    return *reason;
                }
            }
            if (!immediate) {
                const bool repeats = due != state_.now() + 1 && nothing_changes(firings);
                result_.endless = repeats && due == RunningDelays::nothing_due;
                if (repeats && observer_ == nullptr) {
                    pass_time(firings, due);
                    continue;
                }
                order_.begin_timed_steps();
                state_.advance_to(state_.now() + 1);
            }
            if (!fire(firings, immediate, due)) return StopReason::overflow;
        }
    }

    bool fire(std::span<const Firing> firings, bool immediate, std::uint64_t due) {
        if (due == state_.now() && !immediate && !state_.end_delays()) return false;
        count(firings, 1);
        if (order_.notes_firings()) {
            for (const auto [transition, times] : firings) order_.note_fired(transition, times);
        }
        if (!state_.fire(firings)) return false;
        order_.next_round();
        if (observer_ != nullptr) {
            sorted_.assign(firings.begin(), firings.end());
            std::sort(sorted_.begin(), sorted_.end(),
                      [](const Firing& a, const Firing& b) { return a.transition < b.transition; });
            observer_->step(state_.now(), immediate, sorted_, state_.marking());
        }
        return true;
    }

    /// Whether the step leaves everything as it is, so that the next one is the same again.
    bool nothing_changes(std::span<const Firing> firings) const {
        return choice_.changes_nothing() &&
               std::none_of(firings.begin(), firings.end(),
                            [&](const Firing& f) { return is_counted(f.transition); });
    }

    /// Whether the condition looks at the firings of a transition: then each of them is a change.
    bool is_counted(std::uint32_t transition) const {
        if (options_.until == nullptr) return false;
        const auto transitions = options_.until->transitions();
        return std::binary_search(transitions.begin(), transitions.end(), transition);
    }

    /// Repeats a step that changes nothing until just before the next delay ends, or for ever.
    void pass_time(std::span<const Firing> firings, std::uint64_t due) {
        const std::uint64_t until = std::min(due - 1, options_.max_steps);
        const std::uint64_t steps = until - state_.now();
        count(firings, steps);
        order_.repeat_step(firings, steps);
        state_.advance_to(until);
    }

    void count(std::span<const Firing> firings, std::uint64_t steps) {
        tally_.add(firings, choice_.unlisted(), steps, options_.semantics != Semantics::multiset);
    }

    std::shared_ptr<const GeneralNet> general_;
    RunOptions options_;
    Observer* observer_;
    ConflictOrder order_;
    RunState state_;
    StepChoice choice_;
    SimpleSteps simple_;
    bool makes_simple_steps_;
    StopCheck stop_;
    bool has_immediate_;
    std::uint64_t immediate_rounds_ = 0;  // in a row
    RunResult result_;
    FiringTally tally_;
    std::vector<Firing> sorted_;
};

}  // namespace

std::unique_ptr<RunInProgress> begin_general_run(const CompiledNet& net,
                                                 std::shared_ptr<const GeneralNet> general,
                                                 const RunOptions& options, Observer* observer) {
    if (general == nullptr) general = std::make_shared<const GeneralNet>(prepare_general(net));
    return std::make_unique<GeneralRun>(net, std::move(general), options, observer);
}

}  // namespace warpnet

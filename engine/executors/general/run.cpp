// The general executor: RunState keeps the facts about the marking, StepChoice chooses a step, and this file
// makes the step or skips it. A step that changes nothing is repeated by counting until the next delay ends.
// The tokens of skipped delays are moved only if a stop condition, a policy or the end of the run needs them.
//
// A step takes time in its candidates and firings (step_choice.cpp). Steps that repeat cost one step
// together. If the run stops before a step that has been chosen, the random numbers of its draws are
// returned. So a run that continues makes the step that an uninterrupted run makes.

#include "engine/executors/general/net.hpp"
#include "engine/executors/general/run_state.hpp"
#include "engine/executors/general/step_choice.hpp"
#include "engine/executors/loop/run_loop.hpp"

#include <algorithm>
#include <utility>

namespace warpnet {

namespace {

/// One run of the general executor.
class GeneralRun final : public RunLoop<GeneralRun> {
  public:
    GeneralRun(const CompiledNet& net, std::shared_ptr<const GeneralNet> general, const RunOptions& options,
               Observer* observer)
        : RunLoop(net, options, observer),
          general_(std::move(general)),
          order_(options_, net.transition_count()),
          state_(net, *general_, order_,
                 options.semantics == Semantics::maximal && observer == nullptr && !notes_delays(net) &&
                     !asks_about_delays(net)),
          choice_(net, *general_, state_, order_, options.semantics) {
        choice_.obey(options_.limits);
        if (options.count_firings || (options.until != nullptr && !options.until->transitions().empty())) {
            tally_.counts.assign(net.transition_count(), 0);
            state_.delays().count_in(&tally_.counts);
        }
    }

    std::uint64_t now() const { return state_.now(); }

    std::optional<StopReason> stop_before_step() {
        if (options_.until != nullptr && options_.until->holds(state_.marking(), tally_.counts))
            return StopReason::condition;
        undrawn_ = order_.random();
        return std::nullopt;
    }

    bool find(bool immediate) {
        firings_ = choice_.choose(immediate);
        return !choice_.chose_nothing();
    }

    std::uint64_t next_due() { return state_.next_due(); }

    StopReason stopped(StopReason reason) {
        order_.random() = undrawn_;  // the run may continue with the same step
        return reason;
    }

    bool choose(bool /*immediate*/) const { return !choice_.left_unfinished(); }

    bool repeats(std::uint64_t due) const { return due != state_.now() + 1 && nothing_changes(); }

    /// Repeats until just before the next delay ends, or forever. An observed run repeats once per call.
    bool repeat(std::uint64_t due) {
        if (observer_ != nullptr) return fire(false, due);
        const std::uint64_t until = std::min(due - 1, options_.max_steps);
        const std::uint64_t steps = until - state_.now();
        count(steps);
        order_.repeat_step(firings_, steps);
        state_.advance_to(until);
        return true;
    }

    bool fire(bool immediate, std::uint64_t due) {
        if (!immediate) {
            order_.begin_timed_steps();
            state_.advance_to(state_.now() + 1);
            if (due == state_.now() && !state_.end_delays()) return false;
        }
        count(1);
        if (order_.notes_firings()) {
            for (const auto [transition, times] : firings_) order_.note_fired(transition, times);
        }
        if (!state_.fire(firings_)) return false;
        order_.next_round();
        if (observer_ != nullptr) {
            sorted_.assign(firings_.begin(), firings_.end());
            std::sort(sorted_.begin(), sorted_.end(),
                      [](const Firing& a, const Firing& b) { return a.transition < b.transition; });
            observer_->step(state_.now(), immediate, sorted_, state_.marking());
        }
        return true;
    }

    void collect(RunResult& result) {
        state_.settle();
        result.firings = tally_.firings + state_.delays().firings();
        if (options_.count_firings) result.counts = std::move(tally_.counts);
        result.marking.assign(state_.marking().begin(), state_.marking().end());
    }

  private:
    /// Whether the policy depends on the firings inside delays, which must then be made one by one.
    bool notes_delays(const CompiledNet& net) const {
        const auto notes = [&](std::uint32_t t) { return order_.orders(t) || order_.serves(t); };
        return std::any_of(net.gadgets.begin(), net.gadgets.end(), [&](const DelayGadget& gadget) {
            return notes(gadget.tick) || notes(gadget.done);
        });
    }

    /// Whether the stop condition depends on the inside of a delay, which must then be executed step by step.
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

    /// Whether the step changes nothing, so that the next step is the same.
    bool nothing_changes() const {
        return choice_.changes_nothing() &&
               std::none_of(firings_.begin(), firings_.end(),
                            [&](const Firing& f) { return is_counted(f.transition); });
    }

    /// Whether the stop condition counts the firings of a transition, so that each firing is a change.
    bool is_counted(std::uint32_t transition) const {
        if (options_.until == nullptr) return false;
        const auto transitions = options_.until->transitions();
        return std::binary_search(transitions.begin(), transitions.end(), transition);
    }

    void count(std::uint64_t steps) {
        tally_.add(firings_, steps, options_.semantics != Semantics::multiset);
    }

    std::shared_ptr<const GeneralNet> general_;
    ConflictOrder order_;
    RunState state_;
    StepChoice choice_;
    CounterRandom undrawn_ = order_.random();  // as before the next step
    std::span<const Firing> firings_;
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

// Runs a divided net on all cores, with one meeting of all threads per step. Each part chooses and fires its
// step as the general executor does, and writes the tokens for other parts into outboxes. The receiving parts
// apply these messages after the step. A part in which nothing changes sleeps until a delay ends or a message
// arrives.

#include "engine/executors/general/run_state.hpp"
#include "engine/executors/general/step_choice.hpp"
#include "engine/executors/loop/run_loop.hpp"
#include "engine/executors/parts/divided_net.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <tbb/parallel_for.h>

namespace warpnet {

namespace {

constexpr std::uint64_t never = RunningDelays::nothing_due;
/// After a step with fewer firings than this, one thread makes the next step.
constexpr std::uint64_t worth_sharing = 128;

/// Tokens on the way to a place of another part.
struct Message {
    std::uint32_t place;
    std::int32_t delta;
};

/// One part of a run.
class PartRun {
  public:
    PartRun(const BorderedPart& part, const RunOptions& options, bool observed)
        : part_(part),
          options_(options),
          order_(options_, part.net.transition_count()),
          state_(part.net, part.general, order_, !observed),
          choice_(part.net, part.general, state_, order_, Semantics::maximal),
          outboxes_(part.neighbours.size()) {
        if (options.count_firings) {
            tally_.counts.assign(part.net.transition_count(), 0);
            state_.delays().count_in(&tally_.counts);
        }
    }

    /// The next step in which a delay of this part ends or its firings change.
    std::uint64_t next_change() const noexcept { return next_change_; }
    void expect_messages(const std::vector<Message>& messages, std::uint64_t step) {
        arriving_.push_back(&messages);
        next_change_ = step + 1;
    }
    /// Whether a transition fires in every step until the next change.
    bool repeats() const noexcept { return !choice_.chose_nothing(); }
    /// The step in which a place exceeded its range, or never.
    std::uint64_t overflow_step() const noexcept { return overflow_step_; }
    /// The firings of the last step made here.
    std::span<const Firing> firings() const noexcept { return firings_; }
    std::uint64_t fired() const noexcept { return firings_.size(); }
    /// Calls visit(part, its messages) for the messages of the last step.
    template <class Visit>
    void for_each_sent(Visit&& visit) const {
        for (std::size_t i = 0; i < outboxes_.size(); ++i) {
            if (!outboxes_[i][parity_].empty()) visit(part_.neighbours[i], outboxes_[i][parity_]);
        }
    }

    /// Advances to a step up to which the chosen step repeats, and then applies messages.
    void advance_to(std::uint64_t step) {
        if (step > state_.now()) pass_time(step);
        // Gains are applied before losses, so that no place lacks tokens that it gets in the same step.
        for (const bool giving : {true, false}) {
            for (const std::vector<Message>* messages : arriving_) {
                for (const Message& message : *messages) {
                    if ((message.delta > 0) == giving && !state_.arrive(message.place, message.delta))
                        overflow_step_ = step;
                }
            }
        }
        arriving_.clear();
    }

    /// Chooses the step after now. Returns whether any transition can fire.
    bool choose() {
        undrawn_ = order_.random();
        firings_ = choice_.choose(false);
        return !choice_.chose_nothing() || state_.next_due() != never;
    }
    /// Undoes choose().
    void forget_choice() { order_.random() = undrawn_; }

    /// Makes the chosen step. If it changes nothing, it repeats until a delay ends or a message arrives.
    void fire() {
        const std::uint64_t due = state_.next_due(), step = state_.now() + 1;
        if (due != step && nothing_changes()) {
            next_change_ = due;
            return;
        }
        next_change_ = step + 1;
        parity_ = step % 2;
        for (auto& outbox : outboxes_) outbox[parity_].clear();
        order_.begin_timed_steps();
        state_.advance_to(step);
        if (due == step) end_delays();
        tally_.add(firings_, 1, true);
        for (const auto [transition, times] : firings_) {
            order_.note_fired(transition);
            send(transition);
        }
        if (!state_.fire(firings_)) overflow_step_ = step;
        order_.next_round();
    }

    /// Does all of this for the step with this number.
    void make_step(std::uint64_t step) {
        advance_to(step - 1);
        if (overflow_step_ != never) return;
        choose();
        fire();
    }

    /// Whether the step was made here and changed something.
    bool changed_in(std::uint64_t step) const noexcept {
        return state_.now() == step && next_change_ == step + 1;
    }

    void finish(RunResult& result) {
        state_.settle();
        result.firings += tally_.firings + state_.delays().firings();
        const NetPart& part = part_.nodes;
        for (std::size_t p = 0; p < part.places.size(); ++p)
            result.marking[part.places[p]] = state_.marking()[p];
        for (std::size_t t = 0; t < tally_.counts.size(); ++t)
            result.counts[part.transitions[t]] = tally_.counts[t];
    }

  private:
    void end_delays() {
        if (!state_.end_delays()) overflow_step_ = state_.now();
        for (const std::uint32_t gadget : state_.delays().ended()) send(part_.net.gadgets[gadget].done);
    }

    void send(std::uint32_t transition) {
        for (const SentEffect& given : part_.sent[transition])
            outboxes_[given.neighbour][parity_].push_back({given.place, given.delta});
    }

    bool nothing_changes() const {
        return choice_.changes_nothing() &&
               std::all_of(firings_.begin(), firings_.end(),
                           [&](const Firing& firing) { return part_.sent[firing.transition].empty(); });
    }

    void pass_time(std::uint64_t until) {
        const std::uint64_t steps = until - state_.now();
        tally_.add(firings_, steps, true);
        order_.repeat_step(firings_, steps);
        state_.advance_to(until);
    }

    const BorderedPart& part_;
    RunOptions options_;
    ConflictOrder order_;
    RunState state_;
    StepChoice choice_;
    CounterRandom undrawn_ = order_.random();
    std::span<const Firing> firings_;
    std::uint64_t next_change_ = 1;
    std::uint64_t overflow_step_ = never;
    FiringTally tally_;  // without the firings in delays, except in its counts
    std::vector<const std::vector<Message>*> arriving_;
    /// Per neighbour the messages of the last two steps: one list is read while the other is written.
    std::vector<std::array<std::vector<Message>, 2>> outboxes_;
    std::size_t parity_ = 0;
};

class DividedRun final : public RunLoop<DividedRun> {
  public:
    DividedRun(const DividedNet& divided, const CompiledNet* whole, const RunOptions& options,
               Observer* observer)
        : RunLoop(divided.parts.front().net, options, observer), net_(divided), divided_(divided.parts) {
        if (observer != nullptr) display_.emplace(*whole, observer);
        begin();
    }

    std::uint64_t now() const { return now_; }

    /// Whether a step changes something, or something fires in every step.
    bool find(bool /*immediate*/) {
        change_ = never;
        for (const auto& part : parts_) change_ = std::min(change_, part->next_change());
        return change_ != never ||
               std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->repeats(); });
    }

    std::uint64_t next_due() const { return change_; }

    /// At the step limit it is not yet known whether any transition can fire.
    StopReason stopped(StopReason reason) {
        return reason == StopReason::step_limit ? limit_or_dead() : reason;
    }

    bool repeats(std::uint64_t due) const { return due > now_ + 1; }

    bool repeat(std::uint64_t due) {
        pass_time(std::min(due - 1, options_.max_steps));
        return true;
    }

    bool fire(bool /*immediate*/, std::uint64_t /*due*/) { return make_step(); }

    void collect(RunResult& result) {
        result.marking.resize(net_.places);
        if (options_.count_firings) result.counts.assign(net_.transitions, 0);
        for (auto& part : parts_) {
            part->advance_to(now_);
            part->finish(result);
        }
    }

  private:
    void begin() {
        parts_.clear();
        for (std::uint32_t d = 0; d < divided_.size(); ++d) {
            const RunOptions options = options_of_part(options_, d, divided_[d].nodes);
            parts_.push_back(std::make_unique<PartRun>(divided_[d], options, observer_ != nullptr));
        }
    }

    /// Advances the time without changes.
    void pass_time(std::uint64_t until) {
        if (observer_ == nullptr) {
            now_ = until;
            return;
        }
        while (now_ < until) {
            ++now_;
            collect_firings();
            display_->show(now_);
        }
    }

    /// At the step limit the last step must show whether any transition can still fire. The parts choose a
    /// step for this purpose and then forget it, so that the run can continue.
    StopReason limit_or_dead() {
        bool alive = false;
        for (auto& part : parts_) {
            if (part->next_change() == now_ + 1) {
                part->advance_to(now_);
                if (part->overflow_step() == now_) return StopReason::overflow;
                alive |= part->choose();
                part->forget_choice();
            } else {
                alive |= part->repeats() || part->next_change() != never;
            }
        }
        return alive ? StopReason::step_limit : StopReason::dead;
    }

    /// Makes the next step in the parts that may change. now_ stays the same if none of them changes
    /// anything. Returns false on overflow.
    bool make_step() {
        const std::uint64_t step = now_ + 1;
        acting_.clear();
        for (const auto& part : parts_) {
            if (part->next_change() == step) acting_.push_back(part.get());
        }
        const auto act = [&](std::size_t i) { acting_[i]->make_step(step); };
        if (fired_ >= worth_sharing) {
            tbb::parallel_for(std::size_t{0}, acting_.size(), act);
        } else {
            for (std::size_t i = 0; i < acting_.size(); ++i) act(i);
        }
        fired_ = 0;
        std::uint64_t overflow = never;
        for (const PartRun* part : acting_) {
            overflow = std::min(overflow, part->overflow_step());
            if (!part->changed_in(step)) continue;
            now_ = step;
            fired_ += part->fired();
            part->for_each_sent([&](std::uint32_t to, const std::vector<Message>& messages) {
                parts_[to]->expect_messages(messages, step);
            });
        }
        if (overflow == step - 1 && now_ == step) replay_to_step_before();
        if (overflow != never) return false;
        return observer_ == nullptr || now_ < step || deliver_and_show();
    }

    /// Messages caused an overflow, so the run ends with the step before. Repeats the run up to that step.
    void replay_to_step_before() {
        observer_ = nullptr;
        const std::uint64_t last = now_ - 1;
        now_ = fired_ = 0;
        begin();
        advance(last);  // ends with the same overflow
    }

    /// An observer needs the marking after each step, so messages are delivered at once instead of at the
    /// next step of the receiving part.
    bool deliver_and_show() {
        collect_firings();
        for (auto& part : parts_) {
            part->advance_to(now_);
            if (part->overflow_step() != never) return false;
        }
        display_->show(now_);
        return true;
    }

    void collect_firings() {
        for (std::size_t d = 0; d < divided_.size(); ++d) {
            for (const auto [transition, times] : parts_[d]->firings())
                display_->firings().push_back({divided_[d].nodes.transitions[transition], times});
        }
    }

    const DividedNet& net_;
    const std::vector<BorderedPart>& divided_;
    std::vector<std::unique_ptr<PartRun>> parts_;
    std::vector<PartRun*> acting_;
    std::uint64_t change_ = never;  // the next step in which a part changes
    std::uint64_t now_ = 0;
    std::uint64_t fired_ = 0;             // in the last step with a change
    std::optional<StepDisplay> display_;  // of an observed run
};

}  // namespace

std::unique_ptr<RunInProgress> begin_divided_run(const DividedNet& divided, const CompiledNet* whole,
                                                 const RunOptions& options, Observer* observer) {
    return std::make_unique<DividedRun>(divided, whole, options, observer);
}

}  // namespace warpnet

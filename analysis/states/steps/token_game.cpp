// A game keeps its marking and its steps. Going back applies the effects of a step with the opposite sign, so
// no markings are stored. A step is checked by replay() before it is made, which also gives the reason for a
// rejection.

#include "analysis/states/steps/token_game.hpp"

#include "analysis/states/steps/possible_steps.hpp"
#include "engine/compile/firing_rule.hpp"
#include "engine/executors/loop/conflict_order.hpp"
#include "engine/executors/plain/run.hpp"
#include "engine/net/error.hpp"
#include "engine/run/executor.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace warpnet::states {

TokenGame::TokenGame(const Net& net, Semantics semantics, std::uint64_t seed)
    : net_(net), compiled_(compile(net)), semantics_(semantics), marking_(net.initial_marking()) {
    require_bounded_steps(compiled_, semantics);
    options_.semantics = semantics;
    options_.seed = seed;
    order_ = std::make_unique<ConflictOrder>(options_, compiled_.transition_count());
}

TokenGame::~TokenGame() = default;
TokenGame::TokenGame(TokenGame&&) noexcept = default;

std::vector<std::uint32_t> TokenGame::enabled() const {
    std::vector<std::uint32_t> immediate, timed;
    for (std::uint32_t t = 0; t < compiled_.transition_count(); ++t) {
        if (warpnet::enabled(compiled_, marking_, t))
            (compiled_.immediate(t) ? immediate : timed).push_back(t);
    }
    return immediate.empty() ? timed : immediate;
}

PossibleSteps TokenGame::possible_steps(std::size_t most, std::span<const std::uint32_t> members) const {
    std::vector<std::uint32_t> wanted(members.begin(), members.end());
    std::sort(wanted.begin(), wanted.end());
    PossibleSteps possible;
    std::size_t looked_at = 0, looks = 0;
    const auto take_step = [&](const ScheduledStep& step) {
        possible.complete = ++looked_at <= 100'000;
        if (!possible.complete) return false;
        if (!std::includes(step.transitions.begin(), step.transitions.end(), wanted.begin(), wanted.end()))
            return true;
        possible.complete = possible.steps.size() < most;
        if (possible.complete) possible.steps.push_back(step);
        return possible.complete;
    };
    constexpr std::size_t most_looks = 100'000'000 / work_between_looks;
    if (!for_each_possible_step(compiled_, marking_, semantics_, take_step,
                                [&] { return ++looks > most_looks; }))
        possible.complete = false;
    return possible;
}

void TokenGame::make(const ScheduledStep& step) {
    compiled_.initial = marking_;
    try {
        replay(compiled_, net_, {step}, semantics_);
    } catch (const ReplayError& error) {
        const std::string_view what = error.what(), number = "step 1 of the schedule ";
        throw InputError("that step " +
                         std::string(what.substr(what.starts_with(number) ? number.size() : 0)));
    }
    schedule_.resize(position_);
    schedule_.push_back(step);
    apply(step, false);
}

bool TokenGame::make_random() {
    ScheduledStep step = plain_step(compiled_, marking_, semantics_, *order_);
    if (step.transitions.empty()) return false;
    order_->next_round();
    make(step);
    return true;
}

void TokenGame::go_to(std::size_t position) {
    while (position_ < position) apply(schedule_[position_], false);
    while (position_ > position) apply(schedule_[position_ - 1], true);
}

void TokenGame::apply(const ScheduledStep& step, bool backwards) {
    for (const std::uint32_t t : step.transitions) {
        for (const Effect& effect : compiled_.effects[t])
            marking_[effect.place] += backwards ? -Tokens{effect.delta} : Tokens{effect.delta};
    }
    position_ = backwards ? position_ - 1 : position_ + 1;
    if (!step.immediate) timed_steps_ = backwards ? timed_steps_ - 1 : timed_steps_ + 1;
}

}  // namespace warpnet::states

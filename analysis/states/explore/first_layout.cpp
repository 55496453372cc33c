#include "analysis/states/explore/first_layout.hpp"

#include "analysis/states/explore/orbit_form.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace warpnet {

namespace {

/// Sees the most tokens that each place holds in a run, and ends it after some steps.
class PilotObserver : public Observer {
  public:
    PilotObserver(const CompiledNet& net, const WorkLimits& limits, Marking& most)
        : net_(net), limits_(limits), most_(most) {}
    const std::atomic<bool>& enough() const noexcept { return enough_; }

    void step(std::uint64_t /*number*/, bool /*immediate*/, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        for (const Firing& firing : firings)
            for (const Effect& effect : net_.effects[firing.transition])
                most_[effect.place] = std::max(most_[effect.place], marking[effect.place]);
        const auto many = [&](const Firing& firing) { return firing.times > most_firings; };
        if (++steps_ == most_steps || limits_.must_end() || std::any_of(firings.begin(), firings.end(), many))
            enough_.store(true);
    }

    static constexpr std::uint64_t most_steps = 2000;
    static constexpr Tokens most_firings = 10'000;  // of a transition in a multiset step

  private:
    const CompiledNet& net_;
    const WorkLimits& limits_;
    Marking& most_;
    std::uint64_t steps_ = 0;
    std::atomic<bool> enough_ = false;
};

}  // namespace

PackedLayout first_layout(const CompiledNet& net, Semantics semantics, const NetSymmetry* symmetry,
                          const WorkLimits& limits) {
    Marking most = net.initial;
    const Plan planned = plan(net, {.semantics = semantics});
    for (std::uint64_t pilot = 0; pilot < 4 && !limits.must_end(); ++pilot) {
        PilotObserver observer(net, limits, most);
        RunOptions run_options;
        run_options.semantics = semantics;
        run_options.run = pilot;
        run_options.max_steps = PilotObserver::most_steps;
        run_options.limits.interrupt = &observer.enough();
        run_options.limits.deadline = limits.deadline;
        run(planned, run_options, &observer);
    }
    std::vector<std::uint8_t> bits;
    for (const Tokens tokens : most) bits.push_back(field_bits(tokens));
    // A carry is noticed if what is added fits into the field.
    for (std::size_t t = 0; t < net.transition_count(); ++t) {
        for (const Effect& effect : net.effects[t]) {
            if (effect.delta > 0) bits[effect.place] = std::max(bits[effect.place], field_bits(effect.delta));
        }
    }
    if (symmetry != nullptr) OrbitForm::equalise(*symmetry, bits);
    return PackedLayout(std::move(bits));
}

}  // namespace warpnet

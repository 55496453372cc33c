// An observer sees every step of a run: how many of two units are in use, step by step?
#include <iostream>
#include <span>
#include <string>

#include <warpnet/net.hpp>
#include <warpnet/run.hpp>

using namespace warpnet;

/// Adds up the tokens that a place lacks after each timed step.
class UnitsInUse : public Observer {
  public:
    UnitsInUse(const Net& net, PlaceId units) : units_(index(units)), most_(net[units].initial) {}

    void step(std::uint64_t, bool immediate, std::span<const Firing>,
              std::span<const Tokens> marking) override {
        if (immediate) return;
        ++steps_;
        used_ += most_ - marking[units_];
    }

    double share() const { return static_cast<double>(used_) / static_cast<double>(most_ * steps_); }

  private:
    std::size_t units_;
    Tokens most_;
    Tokens steps_ = 0;
    Tokens used_ = 0;
};

int main() {
    NetBuilder builder("units");
    const PlaceId units = builder.add_place("units", 2);
    for (const char* job : {"a", "b", "c"}) {
        const std::string name = job;
        const PlaceId waiting = builder.add_place(name + "_waiting", 4);
        const PlaceId working = builder.add_place(name + "_working");
        const TransitionId begin = builder.add_transition(name + "_begin");
        const TransitionId end = builder.add_transition(name + "_end");
        builder.add_input(waiting, begin);
        builder.add_input(units, begin);
        builder.add_output(begin, working);
        builder.add_input(working, end);
        builder.add_output(end, units);
    }
    const Net net = builder.build();

    UnitsInUse observer(net, units);
    const RunResult result = run(compile(net), {}, &observer);
    std::cout << result.steps << " steps; the units are in use for " << 100 * observer.share()
              << " % of them\n";
    return result.reason == StopReason::dead && observer.share() == 0.5 ? 0 : 1;
}

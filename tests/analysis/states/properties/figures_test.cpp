#include "analysis/states/properties/figures.hpp"

#include "analysis/states/explore/state_space.hpp"
#include "engine/net/net_builder.hpp"

#include <atomic>

#include <catch2/catch.hpp>

using namespace warpnet;

namespace {

/// Independent tokens that walk along `length` places: length^tokens markings.
Net walks(int tokens, int length) {
    NetBuilder net("walks");
    for (int token = 0; token < tokens; ++token) {
        const std::string name = "t" + std::to_string(token) + "_";
        PlaceId at = net.add_place(name + "0", 1);
        for (int i = 1; i < length; ++i) {
            const TransitionId go = net.add_transition(name + "go" + std::to_string(i));
            net.add_input(at, go);
            at = net.add_place(name + std::to_string(i));
            net.add_output(go, at);
        }
    }
    return net.build();
}

/// Interrupts after so many markings of all explorations together.
class InterruptAfter : public states::MarkingWatch {
  public:
    explicit InterruptAfter(std::uint64_t markings) : left_(markings) {}
    void see(std::uint32_t, const states::PackedLayout&, const states::Word*) override {
        if (left_.fetch_sub(1) == 1) interrupt_ = true;
    }
    bool satisfied() override { return false; }
    const std::atomic<bool>& flag() const { return interrupt_; }

  private:
    std::atomic<std::uint64_t> left_;
    std::atomic<bool> interrupt_ = false;
};

}  // namespace

TEST_CASE("figures: an interrupt soon after a restart keeps the figures of the first exploration") {
    // 262,144 markings with fewer than two million edges: the first 200,000 markings, a diagram, and then all
    // markings again.
    const Net net = walks(6, 8);
    states::FigureOptions options;
    options.symmetric = false;
    CHECK(states::explore(net, options).markings == states::MarkingCount(262'144));
    InterruptAfter watch(230'000);
    options.explore.watch = &watch;
    options.explore.limits.interrupt = &watch.flag();
    const states::StateFigures figures = states::explore(net, options);
    CHECK(figures.stop == WorkEnd::interrupted);
    CHECK(figures.markings >= states::MarkingCount(199'000));
    CHECK(figures.markings < states::MarkingCount(262'144));
}

#include "analysis/states/steps/only_run.hpp"

#include "engine/compile/firing_rule.hpp"
#include "engine/plan.hpp"
#include "engine/run/served_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace warpnet {

namespace {

/// Records a run until a part has a choice.
class ChoiceWatch final : public Observer {
  public:
    ChoiceWatch(const CompiledNet& net, const ServedParts& served) : net_(net) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> takers;
        for (std::uint32_t t = 0; t < net.transition_count(); ++t) {
            for (const PlaceWeight input : net.inputs[t]) takers[{input.place, served.part[t]}].push_back(t);
        }
        for (auto& [place_and_part, transitions] : takers) {
            if (transitions.size() > 1) rivals_.emplace_back(place_and_part.first, std::move(transitions));
        }
        look_at(net.initial);
    }

    void step(std::uint64_t number, bool immediate, std::span<const Firing> firings,
              std::span<const Tokens> marking) override {
        if (choice_) return;
        recorder_.step(number, immediate, firings, marking);
        look_at(marking);
    }

    bool choice() const noexcept { return choice_; }
    const Schedule& schedule() const { return recorder_.schedule(); }

  private:
    /// Transitions of one part compete where the tokens of a place do not suffice for those that could fire.
    void look_at(std::span<const Tokens> marking) {
        choice_ = choice_ || std::any_of(rivals_.begin(), rivals_.end(), [&](const auto& rivals) {
                      Tokens left = marking[rivals.first];
                      return std::any_of(rivals.second.begin(), rivals.second.end(), [&](std::uint32_t t) {
                          if (!enabled(net_, marking, t)) return false;
                          for (const PlaceWeight input : net_.inputs[t])
                              left -= input.place == rivals.first ? input.weight : 0;
                          return left < 0;
                      });
                  });
    }

    const CompiledNet& net_;
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> rivals_;  // a place, takers of one part
    ScheduleRecorder recorder_;
    bool choice_ = false;
};

}  // namespace

std::optional<CompleteRun> only_run(const CompiledNet& net, const RunOptions& options) {
    ChoiceWatch watch(net, *options.served);
    if (watch.choice()) return {};
    const RunResult result = run(net, options, &watch);
    if (watch.choice() || result.reason != StopReason::dead) return {};
    return CompleteRun{result.steps, watch.schedule()};
}

}  // namespace warpnet

#pragma once

#include "engine/run/run.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpnet {

/// Shows an observer the steps of an executor that keeps no marking of the whole net while it runs.
class StepDisplay {
  public:
    /// The observer may be null; show() must not be called then.
    StepDisplay(const CompiledNet& net, Observer* observer) : net_(net), observer_(observer) {
        if (observer != nullptr) marking_ = net.initial;
    }

    /// The firings of the next step to be shown, in any order. show() clears them.
    std::vector<Firing>& firings() noexcept { return firings_; }

    void show(std::uint64_t step, bool immediate = false) {
        std::sort(firings_.begin(), firings_.end(),
                  [](const Firing& a, const Firing& b) { return a.transition < b.transition; });
        for (const Firing& firing : firings_) {
            for (const Effect& effect : net_.effects[firing.transition])
                marking_[effect.place] += effect.delta;
        }
        observer_->step(step, immediate, firings_, marking_);
        firings_.clear();
    }

  private:
    const CompiledNet& net_;
    Observer* observer_;
    Marking marking_;
    std::vector<Firing> firings_;
};

}  // namespace warpnet

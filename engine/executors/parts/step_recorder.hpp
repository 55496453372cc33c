#pragma once

#include "engine/run/run.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// Keeps which transitions a run fires, step by step, for those who show them together with other runs'.
class StepRecorder final : public Observer {
  public:
    void step(std::uint64_t number, bool /*immediate*/, std::span<const Firing> firings,
              std::span<const Tokens> /*marking*/) override {
        if (ends_.empty()) first_step_ = number;
        firings_.insert(firings_.end(), firings.begin(), firings.end());
        ends_.push_back(firings_.size());
    }

    /// Nothing for a step that is not kept.
    std::span<const Firing> firings_of(std::uint64_t step) const {
        if (step < first_step_ || step - first_step_ >= ends_.size()) return {};
        const std::size_t i = step - first_step_;
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return std::span(firings_).subspan(begin, ends_[i] - begin);
    }

    /// Forgets all steps so far; the next one may have any number.
    void clear() {
        firings_.clear();
        ends_.clear();
    }

  private:
    std::uint64_t first_step_ = 0;
    std::vector<Firing> firings_;
    std::vector<std::size_t> ends_;  // per step: in firings_
};

}  // namespace warpnet

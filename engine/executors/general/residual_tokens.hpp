#pragma once

#include "engine/compile/compiled_net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// The tokens that a step under construction has left in the places that may run short. All other places have
/// enough tokens for their candidates.
class ResidualTokens {
  public:
    explicit ResidualTokens(std::size_t places) : questioned_in_(places, 0), tokens_(places, 0) {}

    void begin_step() noexcept { ++step_; }
    /// Notes that a place may run short in this step.
    void question(std::uint32_t place, Tokens tokens) noexcept {
        questioned_in_[place] = step_;
        tokens_[place] = tokens;
    }
    bool fit(std::span<const PlaceWeight> demands) const noexcept {
        return std::all_of(demands.begin(), demands.end(), [&](PlaceWeight demand) {
            return !is_questioned(demand.place) || tokens_[demand.place] >= demand.weight;
        });
    }
    /// The number of transitions with the same demands that can be served, at most `most`.
    std::uint32_t how_many_fit(std::span<const PlaceWeight> demands, std::uint32_t most) const noexcept {
        for (const auto [place, weight] : demands) {
            if (!is_questioned(place)) continue;
            const Tokens times = weight == 1 ? tokens_[place] : tokens_[place] / weight;
            most = static_cast<std::uint32_t>(std::min(Tokens{most}, times));
        }
        return most;
    }
    void take(std::span<const PlaceWeight> demands) noexcept {
        for (const auto [place, weight] : demands) tokens_[place] -= weight;
    }

  private:
    bool is_questioned(std::uint32_t place) const noexcept { return questioned_in_[place] == step_; }

    std::uint64_t step_ = 0;
    std::vector<std::uint64_t> questioned_in_;  // per place: the last step in which it could run short
    std::vector<Tokens> tokens_;                // of these places
};

}  // namespace warpnet

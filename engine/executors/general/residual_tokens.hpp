#pragma once

#include "engine/compile/compiled_net.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpnet {

/// What a step that is being chosen has left of the tokens of the places that may run short in it. Of all
/// others there is enough.
class ResidualTokens {
  public:
    explicit ResidualTokens(std::size_t places) : questioned_in_(places, 0), tokens_(places, 0) {}

    void begin_step() noexcept { ++step_; }
    /// A place may run short in this step.
    void question(std::uint32_t place, Tokens tokens) noexcept {
        questioned_in_[place] = step_;
        tokens_[place] = tokens;
    }
    bool fit(std::span<const PlaceWeight> demands) const noexcept {
        return std::all_of(demands.begin(), demands.end(), [&](PlaceWeight demand) {
            return !is_questioned(demand.place) || tokens_[demand.place] >= demand.weight;
        });
    }
    /// How many of `most` who demand the same can be served.
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
    std::vector<Tokens> tokens_;                // of those
};

}  // namespace warpnet

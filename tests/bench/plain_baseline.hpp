#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace warpnet::bench {

/// What a careful programmer writes after reading the paper: flat arrays, and in every step look at all
/// transitions, shuffle the enabled ones, take their tokens greedily, then give. The yardstick of every claim
/// of speed here; it knows no immediate transitions and no priorities.
class PlainBaseline {
  public:
    explicit PlainBaseline(const Net& net);

    /// Timed steps to the dead marking.
    std::uint64_t run(std::uint64_t seed);

  private:
    struct Arc {
        std::uint32_t place;
        std::int32_t weight;
    };
    struct Row {
        std::uint32_t inputs, tests, outputs, end;  // positions in arcs_
    };

    bool enabled(const Row& row) const;

    std::vector<Row> rows_;
    std::vector<Arc> arcs_;
    std::vector<std::int32_t> initial_;
    std::vector<std::int32_t> marking_;
    std::vector<std::uint32_t> enabled_;
    std::vector<std::uint32_t> fired_;
};

}  // namespace warpnet::bench

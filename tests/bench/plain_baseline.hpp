#pragma once

#include "engine/net/net.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace warpnet::bench {

/// The program that a careful programmer writes after reading the paper. It has flat arrays, and in every
/// step checks all transitions, shuffles the enabled ones, takes their tokens greedily, then gives. All
/// claims of speed here refer to it. It has no immediate transitions and no priorities.
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

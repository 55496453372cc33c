#pragma once

#include "engine/base/random.hpp"
#include "netgen/sm/sm.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpnet::testing {

/// An operation of any kind that takes up to `most` credits of some rates.
inline netgen::SmOp random_op(CounterRandom& random, std::uint32_t most) {
    netgen::SmOp op;
    op.kind = random.below(3) == 0 ? netgen::SmOpKind::load : netgen::SmOpKind::alu;
    op.delay = 1 + random.below(3);
    if (op.kind == netgen::SmOpKind::load) op.slot = 1 + random.below(6);
    op.credits[0] = 1 + random.below(most);
    for (std::size_t c = 1; c < netgen::sm_credit_count; ++c)
        if (random.below(3) == 0) op.credits[c] = random.below(most + 1);
    return op;
}

/// Small numbers, so that few markings are reachable; rates are often short.
inline netgen::SmNet random_sm(CounterRandom& random) {
    netgen::SmNet sm;
    netgen::SmProgram& program = sm.program;
    const std::uint32_t refill = 1 + random.below(3);
    program.warps_per_block = 1 + random.below(3);
    program.schedulers = 1 + random.below(2);
    program.load_slots = 1 + random.below(2);
    const auto resident = static_cast<std::int64_t>(1 + random.below(3));
    const std::uint32_t barriers = random.below(3) == 0 ? 1 + random.below(2) : 0;
    for (std::int64_t w = 0; w < resident * program.warps_per_block; ++w) {
        std::vector<netgen::SmOp>& body = program.bodies.emplace_back();
        for (std::uint32_t b = 0; b <= barriers; ++b) {
            for (std::uint32_t i = 0, n = 1 + random.below(2); i < n; ++i)
                body.push_back(random_op(random, 2 * refill));
            if (b == barriers) continue;
            body.push_back(random_op(random, 2 * refill));
            body.back().kind = netgen::SmOpKind::barrier;
            body.back().slot = 0;
        }
    }
    for (std::size_t c = 0; c < netgen::sm_credit_count; ++c) {
        program.refill[c] = refill;
        if (c >= 6 && random.below(2) == 0) program.last_refill[c] = random.below(3);
        program.cap[c] = std::max<std::int64_t>(2 * (refill + program.last_refill[c]), 4 * refill);
        if (c >= 6) program.cap[c] += random.below(5);
    }
    program.last_blocks = 1 + random.below(2);
    if (random.below(2) == 0) {
        program.launch_cost = 1 + random.below(4);
        program.launch_refill = 1;
        program.launch_cap = program.launch_cost + 1;
    }
    sm.blocks = resident + random.below(4);
    sm.trips = 1 + random.below(2);
    return sm;
}

}  // namespace warpnet::testing

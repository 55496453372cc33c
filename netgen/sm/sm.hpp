#pragma once

#include "engine/net/net.hpp"
#include "netgen/sm/program.hpp"

#include <cstdint>
#include <optional>

namespace warpnet::netgen {

/// The net of `blocks` blocks of a program on one SM (docs/reference/family-sm.md): a maximal step is
/// program.step_cycles cycles.
///
/// Places: credit places (`issue_1` …, `l2`, `dram`, only those that an operation uses), `launch`,
/// `blocks_left`, `alive`; per resident block `b1_free`; per warp its program counter `w1_pc_0` …,
/// `w1_ready`, `w1_load_1` …, delay gadgets, and the counter `w1_trips_left` if trips > 1. Throws InputError
/// if a number is out of range. O(places and arcs).
Net sm_net(const SmProgram& program, std::int64_t blocks, std::int64_t trips);

/// The arguments of sm_net().
struct SmNet {
    SmProgram program;  ///< step_cycles is not in the net
    std::int64_t blocks = 1;
    std::int64_t trips = 1;
};

/// The arguments of sm_net() that give a net with the same structure as this one. Nothing for other nets.
/// O(places and arcs).
std::optional<SmNet> recognise_sm(const Net& net);

}  // namespace warpnet::netgen

#pragma once

#include "netgen/sm/device.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// The rates that instructions share, each a credit place of the net. The first four have one place per
/// scheduler, the remaining rates one per SM. One unit is 1/1024 of the device's capacity per step.
enum class SmCredit : std::uint8_t {
    issue,  ///< instructions of a scheduler
    alu,    ///< ALU slots of a scheduler
    fp64,   ///< of a scheduler; conversions from and to 64-bit types too
    sfu,    ///< special functions and conversions of a scheduler
    lsu,    ///< load/store lanes: transactions of shared memory, requests to global memory
    tex,    ///< transactions of the global-load path
    l2,     ///< sectors
    dram,   ///< sectors
};
inline constexpr std::size_t sm_credit_count = 8;
inline constexpr std::int64_t sm_credit_units = 1024;  ///< per step
std::string_view to_string(SmCredit credit);
constexpr bool per_scheduler(SmCredit credit) { return credit <= SmCredit::sfu; }

/// The action of a warp in one transition.
enum class SmOpKind : std::uint8_t {
    alu,
    fp64,
    sfu,
    branch,
    barrier,
    shuffle,
    shared_load,
    shared_store,
    local,  ///< a load from local memory
    load,
    store,
    local_store,
};
inline constexpr std::size_t sm_op_kind_count = 12;
std::string_view to_string(SmOpKind kind);

/// A macro-operation of a warp. It takes its credits, and the warp continues `delay` steps later. A load also
/// holds one of its warp's load slots for `slot` steps.
struct SmOp {
    SmOpKind kind = SmOpKind::alu;
    std::int64_t delay = 1;
    std::int64_t slot = 0;
    std::array<std::int64_t, sm_credit_count> credits = {};
    bool operator==(const SmOp&) const = default;
};

/// A kernel as the net executes it: each warp repeats its body `trips` times.
struct SmProgram {
    std::int64_t step_cycles = 8;           ///< q
    std::int64_t trips = 1;                 ///< of the whole kernel
    std::vector<std::vector<SmOp>> bodies;  ///< of each resident warp, blocks one after the other
    std::int64_t warps_per_block = 1;
    std::int64_t load_slots = 2;  ///< of a warp
    std::int64_t schedulers = 4;
    std::array<std::int64_t, sm_credit_count> refill = {};  ///< per step
    std::array<std::int64_t, sm_credit_count> cap = {};     ///< a refill happens below this level
    /// The additional refill per step if at most last_blocks blocks of the SM are left: in the last wave the
    /// remaining SMs have no more requests.
    std::array<std::int64_t, sm_credit_count> last_refill = {};
    std::int64_t last_blocks = 1;
    std::int64_t launch_refill = 0, launch_cost = 0, launch_cap = 0;

    std::int64_t resident_blocks() const {
        return static_cast<std::int64_t>(bodies.size()) / warps_per_block;
    }
};

struct SmProgramOptions {
    std::int64_t step_cycles = 8;  ///< q: 4, 8 and 16 agree, 32 is too coarse
    std::int64_t max_body = 200;   ///< approximate limit of the macro-operations in a body
};

/// The macro-operations of a kernel on a device. Classes are interleaved evenly. One operation has up to q
/// ALU slots, and every other instruction is its own operation. If a class has no whole number per warp, the
/// warps of a block share the next whole number of operations. Each is worth a little less, so that each
/// block demands exactly the amount of the kernel. Amounts are rounded up and rates down, so that no rounding
/// makes a kernel faster. Throws InputError if the kernel is invalid or does not fit.
SmProgram sm_program(const SmDevice& device, const KernelProfile& kernel,
                     const SmProgramOptions& options = {});

}  // namespace warpnet::netgen

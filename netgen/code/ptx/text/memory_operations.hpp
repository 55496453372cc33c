#pragma once

#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpnet::netgen {

/// The data that one execution of a memory instruction moves.
struct MemoryOperation {
    /// The counter of the traffic. Absent if the operation moves nothing that the model counts: local,
    /// constant, parameter and tensor memory, copies between shared memories, prefetches, queries. Atomics
    /// and reductions of global memory count as stores, those of shared memory as loads.
    std::optional<AccessKind> kind = {};
    /// Bytes per executor: per thread, or in total for `one_thread`; for `warp`, per thread on average. 0 if
    /// unknown.
    std::int64_t bytes = 0;
    MemoryExecutor executor = MemoryExecutor::thread;
    bool asynchronous = false;  ///< the warp does not wait for it
    /// The operand in brackets that is the counted address; absent if the address does not matter or if there
    /// is only one.
    std::optional<std::uint16_t> address = {};
    /// The operand that holds the bytes, if a register holds them.
    std::optional<std::uint16_t> size_operand = {};
    /// Threads that give the address of a row of 16 bytes in ldmatrix and stmatrix; 0: each thread has its
    /// own address.
    std::uint32_t rows = 0;

    /// Whether the moved data depends on the addresses of its threads or on the warps that execute it.
    bool follows_addresses() const {
        return kind && (executor == MemoryExecutor::thread || rows > 0 || size_operand ||
                        (executor == MemoryExecutor::one_thread && bytes > 0));
    }
};

/// The operation of a memory instruction; absent for all other instructions. Source: PTX ISA 9.0, data
/// movement, parallel synchronization, texture, surface, tensorcore 5th generation. O(length of the opcode).
std::optional<MemoryOperation> memory_operation(const PtxFunction& function,
                                                const PtxInstruction& instruction);

/// The share of one thread in the bytes that one thread moves for the 32 threads of a warp, rounded up.
std::int64_t bytes_per_thread(const MemoryOperation& operation);

/// Gives accesses through generic addresses (`ld.f32`, frequent in unoptimised PTX) the class of their state
/// space. The space follows from the possible sources of the address: `cvta.shared`, `cvta.local`,
/// `cvta.global`, or a 64-bit kernel parameter, which points to global memory. Registers are followed through
/// moves and arithmetic on all paths. An address that may come from two spaces, from memory or from a caller
/// stays global and is marked `unresolved_space`. Linear for the output of compilers.
void resolve_ptx_spaces(PtxFunction& function);

}  // namespace warpnet::netgen

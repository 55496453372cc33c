#pragma once

#include <cstdint>
#include <string_view>

namespace warpnet {

/// The threads of a warp that carry out a memory operation.
enum class MemoryExecutor : std::uint8_t {
    thread,      ///< each active thread, at its own address
    warp,        ///< all 32 threads together, at addresses that the opcode arranges
    one_thread,  ///< one thread for the warp
};

/// The data that the model counts.
enum class MemoryTraffic : std::uint8_t {
    by_class,  ///< load, store or atomic in the space that the class of the instruction names
    copy,      ///< the global side of a copy between global and shared memory, if there is one
    global_load,
    global_store,
    none,
};

/// What gives the bytes.
enum class MemoryWidth : std::uint8_t {
    type,      ///< element type times vector
    texel,     ///< a word: the format of a texture is not part of the program
    operand2,  ///< the third operand, of the whole copy
    operand1,  ///< the second operand, of the whole copy
    matrices,  ///< number of 8x8 or 16x16 matrices
    fragment,  ///< shape of the tile
    box,       ///< the box of a tensor map, which the host makes
    nothing,
};

/// A family of opcodes in the table of memory operations.
struct MemoryRow {
    std::string_view family;  ///< a prefix of the opcode, whole dotted parts
    MemoryTraffic traffic;
    MemoryWidth width;
    MemoryExecutor executor;
    bool asynchronous;
};

/// The row of the most specific family that the opcode belongs to; null if it is no memory operation of PTX
/// ISA 9.0. O(rows).
const MemoryRow* find_memory_row(std::string_view opcode);

}  // namespace warpnet

#include "netgen/code/ptx/memory_operations.hpp"

#include "netgen/code/ptx/opcodes.hpp"

#include <algorithm>
#include <array>

namespace warpnet {

namespace {

using enum MemoryExecutor;

std::optional<std::size_t> kind_of_class(PtxClass c) {
    if (c == PtxClass::global_atomic) return access_kind(PtxClass::global_store);
    if (c == PtxClass::shared_atomic) return access_kind(PtxClass::shared_load);
    return access_kind(c);
}

// Of a copy: [destination], [source]. The first space of the opcode is the destination's.
void set_copy(std::string_view opcode, MemoryOperation& operation) {
    const bool shared = opcode.find(".shared") != std::string_view::npos;
    const bool global = has_ptx_part(opcode, "global") || ptx_base(opcode) == "multimem";
    if (!shared) {  // st.async and red.async through .global or a generic address
        operation.kind = access_kind(PtxClass::global_store);
    } else if (global && opcode.find(".shared") < opcode.find(".global")) {
        operation.kind = access_kind(PtxClass::global_load);
        operation.address = 1;
    } else if (global) {
        operation.kind = access_kind(PtxClass::global_store);
        operation.address = 0;
    }
}

// Bytes of a thread's share of an MxNxK tile: A is MxK, B is KxN, C and D are MxN.
std::int64_t fragment_bytes(std::string_view opcode) {
    std::array<std::int64_t, 3> size = {};  // m, n, k
    const std::size_t shape = opcode.find(".m");
    if (shape == std::string_view::npos) return 0;
    constexpr std::string_view letters = "mnk";
    std::size_t at = shape + 1;
    for (std::size_t axis = 0; axis < size.size(); ++axis) {
        if (at >= opcode.size() || opcode[at] != letters[axis]) return 0;
        for (++at; at < opcode.size() && opcode[at] >= '0' && opcode[at] <= '9' && size[axis] < 1000; ++at)
            size[axis] = 10 * size[axis] + (opcode[at] - '0');
    }
    const auto [m, n, k] = size;
    const std::int64_t elements = has_ptx_part(opcode, "a")   ? m * k
                                  : has_ptx_part(opcode, "b") ? k * n
                                                              : m * n;
    const std::string_view type = ptx_type(opcode);
    const std::int64_t bits = type == "b1"                   ? 1
                              : type == "s4" || type == "u4" ? 4
                              : type == "tf32"               ? 32
                                                             : 8 * ptx_access_bytes(opcode);
    return elements * bits / 8 / 32;
}

// The value of an operand without brackets that is an integer.
std::optional<std::int64_t> immediate(const PtxFunction& function, const PtxInstruction& instruction,
                                      std::uint16_t position) {
    for (const PtxOperand& operand : function.operands_of(instruction))
        if (operand.position == position && !operand.in_address && operand.kind == PtxOperand::Kind::integer)
            return operand.value;
    return std::nullopt;
}

void set_matrices(std::string_view opcode, MemoryOperation& operation) {
    const std::uint32_t count = has_ptx_part(opcode, "x4") ? 4 : has_ptx_part(opcode, "x2") ? 2 : 1;
    operation.rows = count * (has_ptx_part(opcode, "m16n16") || has_ptx_part(opcode, "m16n8") ? 16 : 8);
    operation.rows = std::min<std::uint32_t>(operation.rows, 32);
    operation.bytes = operation.rows / 2;  // a row of 16 bytes, over 32 threads
}

}  // namespace

std::optional<MemoryOperation> memory_operation(const PtxFunction& function,
                                                const PtxInstruction& instruction) {
    const std::string_view opcode = instruction.opcode;
    // Waits for copies, and opcodes without a class, are no operations.
    if (instruction.ptx_class == PtxClass::fence || instruction.ptx_class == PtxClass::unknown) return {};
    const MemoryRow* row = find_memory_row(opcode);
    if (row == nullptr) return {};
    MemoryOperation operation;
    operation.executor = row->executor;
    operation.asynchronous = row->asynchronous;
    switch (row->traffic) {
        case MemoryTraffic::by_class:
            operation.kind = kind_of_class(instruction.ptx_class);
            break;
        case MemoryTraffic::copy:
            set_copy(opcode, operation);
            break;
        case MemoryTraffic::global_load:
            operation.kind = access_kind(PtxClass::global_load);
            break;
        case MemoryTraffic::global_store:
            operation.kind = access_kind(PtxClass::global_store);
            break;
        case MemoryTraffic::none:
            break;
    }
    switch (row->width) {
        case MemoryWidth::type:
            operation.bytes = ptx_access_bytes(opcode);
            break;
        case MemoryWidth::texel:
            operation.bytes = 4;
            break;
        case MemoryWidth::operand1:
        case MemoryWidth::operand2:
            operation.size_operand = row->width == MemoryWidth::operand1 ? 1 : 2;
            operation.bytes = std::max<std::int64_t>(
                0, immediate(function, instruction, *operation.size_operand).value_or(0));
            break;
        case MemoryWidth::matrices:
            set_matrices(opcode, operation);
            break;
        case MemoryWidth::fragment:
            operation.bytes = fragment_bytes(opcode);
            break;
        case MemoryWidth::box:
        case MemoryWidth::nothing:
            break;
    }
    if (operation.bytes == 0 && instruction.given_bytes > 0) {
        operation.bytes = instruction.given_bytes;
        operation.size_operand.reset();
    }
    return operation;
}

std::int64_t bytes_per_thread(const MemoryOperation& operation) {
    if (operation.executor != one_thread) return operation.bytes;
    return operation.bytes / 32 + (operation.bytes % 32 != 0 ? 1 : 0);
}

}  // namespace warpnet

// The space, the bytes per thread and the executing threads of a memory operation. A table of opcode families
// (opcodes.cpp) tells how to find the bytes. A generic address gets the space of the conversions, variables
// and parameters from which its register can come, propagated to a fixpoint. If there are several spaces, it
// stays unresolved. O(instructions) per pass, at most 50 passes.

#include "netgen/code/ptx/text/memory_operations.hpp"

#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet::netgen {

namespace {

using enum MemoryExecutor;

// Atomics of global memory count as stores, those of shared memory as loads.
std::optional<AccessKind> kind_of_class(PtxClass c) {
    switch (c) {
        case PtxClass::global_load:
            return AccessKind::global_load;
        case PtxClass::global_store:
        case PtxClass::global_atomic:
            return AccessKind::global_store;
        case PtxClass::shared_load:
        case PtxClass::shared_atomic:
            return AccessKind::shared_load;
        case PtxClass::shared_store:
            return AccessKind::shared_store;
        default:
            return std::nullopt;
    }
}

// Of a copy: [destination], [source]. The first space of the opcode is the destination's.
void set_copy(std::string_view opcode, MemoryOperation& operation) {
    const bool shared = opcode.find(".shared") != std::string_view::npos;
    const bool global = has_ptx_part(opcode, "global") || ptx_base(opcode) == "multimem";
    if (!shared) {  // st.async and red.async through .global or a generic address
        operation.kind = AccessKind::global_store;
    } else if (global && opcode.find(".shared") < opcode.find(".global")) {
        operation.kind = AccessKind::global_load;
        operation.address = 1;
    } else if (global) {
        operation.kind = AccessKind::global_store;
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
            operation.kind = AccessKind::global_load;
            break;
        case MemoryTraffic::global_store:
            operation.kind = AccessKind::global_store;
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
            // A fourth operand of cp.async is the number of bytes that it reads. It fills the rest of its
            // destination with zeros.
            if (row->executor == thread) {
                const auto read = immediate(function, instruction, 3);
                if (read && *read < operation.bytes) operation.bytes = std::max<std::int64_t>(0, *read);
                if (operation.bytes == 0 && read) operation.kind.reset();
            }
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

namespace {

// The possible origins of the value of a register, as bits.
enum Origin : std::uint8_t {
    from_shared = 1,
    from_local = 2,
    from_constant = 4,
    from_global = 8,
    from_argument = 16,  // of the kernel
    from_elsewhere = 32,
    from_parameter = 64,  // the address of one
};

constexpr int most_passes = 50;

class SpaceFinder {
  public:
    explicit SpaceFinder(PtxFunction& function) : function_(function), origins_(function.registers, 0) {}

    void run() {
        const auto& instructions = function_.instructions;
        const bool any = std::any_of(instructions.begin(), instructions.end(), [](const PtxInstruction& i) {
            return is_ptx_generic_access(i.opcode, i.ptx_class);
        });
        if (!any) return;
        bool changed = true;
        for (int pass = 0; pass < most_passes && changed; ++pass) {
            changed = false;
            for (const PtxInstruction& instruction : instructions) changed |= propagate(instruction);
        }
        for (PtxInstruction& instruction : function_.instructions)
            if (is_ptx_generic_access(instruction.opcode, instruction.ptx_class))
                resolve(instruction, !changed);
    }

  private:
    static std::uint8_t origin_of_space(std::string_view space) {
        if (space == "shared" || space == "shared::cta") return from_shared;
        if (space == "local") return from_local;
        if (space == "const") return from_constant;
        if (space == "param" || space == "param::entry") return from_parameter;
        return space == "global" ? from_global : from_elsewhere;
    }

    std::uint8_t written_by(const PtxInstruction& instruction) const {
        const std::string_view opcode = instruction.opcode;
        if (ptx_base(opcode) == "cvta" && !has_ptx_part(opcode, "to")) {
            for (const std::string_view space :
                 {"shared", "shared::cta", "local", "const", "global", "param", "param::entry"})
                if (has_ptx_part(opcode, space)) return origin_of_space(space);
            return from_elsewhere;
        }
        // A value that was an integer of 32 bits or less is an offset.
        const std::int64_t bytes = ptx_access_bytes(ptx_type(opcode).empty() ? opcode : last_part(opcode));
        if (bytes < 8) return 0;
        if (instruction.ptx_class == PtxClass::param_load) {
            for (const PtxOperand& operand : function_.operands_of(instruction)) {
                if (!operand.in_address) continue;
                const auto pointer = function_.pointers.find(operand.text);
                if (pointer != function_.pointers.end()) return origin_of_space(pointer->second.substr(1));
            }
            return function_.is_kernel ? from_argument : from_elsewhere;
        }
        std::uint8_t origins = 0;
        for (const PtxOperand& operand : function_.operands_of(instruction)) {
            if (operand.in_address || instruction.ptx_class == PtxClass::call) return from_elsewhere;
            if (operand.position > 0 && operand.kind == PtxOperand::Kind::name)
                origins |= origins_[index(operand.reg)];
        }
        return origins;
    }

    // ".u64" of add.u64; the type of the source in cvt.u64.u32.
    static std::string_view last_part(std::string_view opcode) { return opcode.substr(opcode.rfind('.')); }

    bool propagate(const PtxInstruction& instruction) {
        const std::uint8_t origins = written_by(instruction);
        bool changed = false;
        for (const PtxOperand& operand : function_.operands_of(instruction)) {
            if (operand.position != 0 || operand.in_address) break;
            if (operand.kind != PtxOperand::Kind::name) continue;
            std::uint8_t& known = origins_[index(operand.reg)];
            changed |= (known | origins) != known;
            known = static_cast<std::uint8_t>(known | origins);
        }
        return changed;
    }

    void resolve(PtxInstruction& instruction, bool complete) const {
        std::uint8_t origins = 0;
        for (const PtxOperand& operand : function_.operands_of(instruction))
            if (operand.in_address && operand.kind == PtxOperand::Kind::name)
                origins |= origins_[index(operand.reg)];
        const auto space = complete ? space_of(origins) : std::nullopt;
        instruction.unresolved_space = !space;
        if (!space || *space == "global") return;
        // Acts as if the opcode had stated the space.
        instruction.ptx_class = ptx_class_of(std::string(instruction.opcode) + "." + std::string(*space));
    }

    static std::optional<std::string_view> space_of(std::uint8_t origins) {
        switch (origins) {
            case from_shared:
                return "shared";
            case from_local:
                return "local";
            case from_constant:
                return "const";
            case from_parameter:
                return "param";
            case from_global:
            case from_argument:
            case from_global | from_argument:
                return "global";
            default:
                return std::nullopt;
        }
    }

    PtxFunction& function_;
    std::vector<std::uint8_t> origins_;
};

}  // namespace

void resolve_ptx_spaces(PtxFunction& function) { SpaceFinder(function).run(); }

}  // namespace warpnet::netgen

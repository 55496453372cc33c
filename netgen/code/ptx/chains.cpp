// The parallelism of the instructions of a warp. A warp issues in order, and continues until an instruction
// reads a result that is still open [Volkov10]. So its wait is the longest chain of the dependence graph, not
// the sum of all latencies.
//
// The graph is that of the registers of one basic block. The order of PTX within a block is not that of the
// machine code, but the dependences are the same. A barrier waits for everything begun before it. Chains of
// several blocks add up, as if a warp finished one block before the next. So a loop whose iterations overlap
// is predicted too slow, never too fast. Typical latencies decide only which of two chains is longer; those
// of the device are applied to its instructions.

#include "netgen/code/ptx/chains.hpp"

#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace warpnet::netgen {
namespace {

struct Step {
    double PtxChain::*kind;
    double number;   // of such instructions
    double latency;  // typical, in cycles
};

/// Nothing for an instruction that waits only for its sources, or is none in machine code.
std::optional<Step> step_of(const PtxInstruction& instruction) {
    using enum PtxClass;
    switch (instruction.ptx_class) {
        case float32:
        case float16:
        case integer:
        case multiply:
        case logic:
        case shift:
        case compare:
        case vote:
            return Step{&PtxChain::alu, 1, 4};
        case divide:
            return Step{&PtxChain::alu, divide_instructions, 4 * divide_instructions};
        case double_:
            return Step{&PtxChain::fp64, 1, 16};
        case special:
        case convert:
            return Step{&PtxChain::special, 1, 16};
        case shared_load:
        case shared_atomic:
        case shuffle:
            return Step{&PtxChain::shared, 1, 28};
        case global_load:
        case global_atomic:
        case texture:
            return Step{&PtxChain::loads, 1, 400};
        default:
            return std::nullopt;
    }
}

struct Path {
    double cycles = 0;
    PtxChain chain;
};

bool writes_first_operand(const PtxInstruction& instruction) {
    using enum PtxClass;
    constexpr std::array none = {global_store, shared_store, local_store, param_store, async_copy,
                                 barrier,      warp_barrier, fence,       branch,      leave};
    return std::ranges::find(none, instruction.ptx_class) == none.end() &&
           !instruction.opcode.starts_with("red");
}

PtxBlockChain chain_of(const PtxFunction& function, const PtxBlock& block) {
    PtxBlockChain result;
    std::unordered_map<std::size_t, Path> value;  // per register: the path that ends in its value
    Path longest, floor;
    const auto longer = [](const Path& a, const Path& b) { return a.cycles < b.cycles ? b : a; };
    for (std::uint32_t i = block.first; i < block.last; ++i) {
        const PtxInstruction& instruction = function.instructions[i];
        const bool writes = writes_first_operand(instruction);
        Path path = floor;
        const auto read = [&](PtxRegister reg) {
            if (const auto found = value.find(index(reg)); found != value.end())
                path = longer(path, found->second);
        };
        if (instruction.guard) read(instruction.guard->reg);
        for (const PtxOperand& operand : function.operands_of(instruction))
            if (operand.kind == PtxOperand::Kind::name &&
                !(writes && operand.position == 0 && !operand.in_address))
                read(operand.reg);
        // Nothing waits for an instruction without a result register, such as red.
        if (const auto step = writes ? step_of(instruction) : std::nullopt) {
            path.cycles += step->latency;
            path.chain.*(step->kind) += step->number;
            result.all.*(step->kind) += step->number;
        }
        if (writes)
            for (const PtxOperand& operand : function.operands_of(instruction))
                if (operand.kind == PtxOperand::Kind::name && operand.position == 0 && !operand.in_address)
                    value[index(operand.reg)] = path;
        longest = longer(longest, path);
        if (instruction.ptx_class == PtxClass::barrier) floor = longest;
    }
    result.longest = longest.chain;
    return result;
}

}  // namespace

void PtxChain::add(const PtxChain& other, double times) {
    for (const auto member :
         {&PtxChain::alu, &PtxChain::fp64, &PtxChain::special, &PtxChain::shared, &PtxChain::loads})
        this->*member += times * other.*member;
}

std::vector<PtxBlockChain> block_chains(const PtxFunction& function, const PtxFlow& flow) {
    std::vector<PtxBlockChain> chains;
    chains.reserve(flow.blocks.size());
    for (const PtxBlock& block : flow.blocks) chains.push_back(chain_of(function, block));
    return chains;
}

namespace {

// Divisions, roots and other PTX operations that ptxas turns into sequences of machine instructions. The
// counts are measured with ptxas 13.0 for sm_86 and sm_90, which agree. Instructions per operation are half
// the difference between the machine code of four operations and that of two, so prologue and epilogue
// cancel. Conversions and moves that ptxas puts on either pipe count as moves. The path of ordinary numbers
// counts. The call of the routine for denormals, infinities and zeros after it is assumed not to run.
// Divisions of 64 bits are calls, and this difference does not show the length of a call. They keep the 20
// instructions of chains.hpp (divide_instructions).
//
// Fused instructions: the difference between the machine code of 400 groups of instructions and that of 200,
// per group, for sm_75 and all later architectures, which agree. A group takes: xor of and, 1 instruction;
// add of xor, 2; add, xor, add, add, 3; shl, shr, and, xor, 3; add of shl, 1.

struct Routine {
    std::string_view base, type;
    std::string_view part;  // of the opcode, or empty: any
    MachineRoutines more;
};

constexpr std::array routines = {
    Routine{"div", "f32", "approx", {.fp32 = 2, .compares = 2}},
    Routine{"div", "f32", "full", {.fp32 = 4, .compares = 3}},
    Routine{"div", "f32", "", {.fp32 = 5, .compares = 1, .other = 1, .branches = 1}},
    Routine{"rcp", "f32", "approx", {.fp32 = 2, .compares = 4}},
    Routine{"rcp", "f32", "", {.fp32 = 3, .logic = 2, .compares = 1, .branches = 1}},
    Routine{"sqrt", "f32", "approx", {.fp32 = 2, .compares = 1}},
    Routine{"sqrt", "f32", "", {.fp32 = 4, .logic = 1, .compares = 1, .other = 1, .branches = 1}},
    Routine{"rsqrt", "f32", "", {.fp32 = 2, .compares = 1}},
    Routine{"lg2", "f32", "", {.fp32 = 2, .compares = 1}},
    Routine{"sin", "f32", "", {.fp32 = 1}},
    Routine{"cos", "f32", "", {.fp32 = 1}},
    Routine{"div", "f64", "", {.fp32 = 1, .compares = 2, .fp64 = 7, .special = 1, .other = 6, .branches = 1}},
    Routine{
        "rcp", "f64", "", {.logic = 3, .compares = 1, .fp64 = 4, .special = 1, .other = 3, .branches = 1}},
    Routine{
        "sqrt", "f64", "", {.logic = 2, .compares = 1, .fp64 = 7, .special = 1, .other = 8, .branches = 1}},
    Routine{"div",
            "u32",
            "",
            {.integer = -divide_instructions,
             .logic = 5,
             .compares = 3,
             .multiplies = 7,
             .convert = 2,
             .special = 1}},
    Routine{"rem",
            "u32",
            "",
            {.integer = -divide_instructions,
             .logic = 4,
             .compares = 3,
             .multiplies = 7,
             .convert = 2,
             .special = 1}},
    Routine{"div",
            "s32",
            "",
            {.integer = -divide_instructions,
             .logic = 7,
             .compares = 4,
             .multiplies = 10,
             .convert = 2,
             .special = 1}},
    Routine{"rem",
            "s32",
            "",
            {.integer = -divide_instructions,
             .logic = 5,
             .compares = 3,
             .multiplies = 9,
             .convert = 2,
             .special = 1}},
};

/// Subnormal numbers are scaled before and after an approximation unless `.ftz` flushes them to zero.
bool is_plain_approximation(std::string_view opcode, std::string_view base) {
    return has_ptx_part(opcode, "ftz") && has_ptx_part(opcode, "approx") &&
           (base == "rcp" || base == "sqrt" || base == "rsqrt" || base == "lg2");
}

enum class Fusible : std::uint8_t { none, logic, addition, shift };

Fusible fusible(const PtxInstruction& instruction) {
    const std::string_view base = ptx_base(instruction.opcode), type = ptx_type(instruction.opcode);
    if (instruction.guard || (type != "b32" && type != "s32" && type != "u32")) return Fusible::none;
    if (base == "and" || base == "or" || base == "xor" || base == "not") return Fusible::logic;
    const bool carries = has_ptx_part(instruction.opcode, "cc") || has_ptx_part(instruction.opcode, "sat");
    if ((base == "add" || base == "sub") && !carries) return Fusible::addition;
    return base == "shl" ? Fusible::shift : Fusible::none;
}

/// An instruction that may be combined with the one that uses its result.
struct FusedInput {
    std::uint32_t instruction = 0;
    Fusible kind = Fusible::none;
    std::size_t inputs = 0;
};

/// The registers that one instruction writes and one reads.
std::vector<bool> used_once(const PtxFunction& function) {
    std::vector<std::uint32_t> uses(function.registers, 0), definitions(function.registers, 0);
    for (const PtxInstruction& instruction : function.instructions) {
        if (instruction.guard) ++uses[index(instruction.guard->reg)];
        const auto destination = ptx_destination(function, instruction);
        if (destination) ++definitions[index(*destination)];
        for (const PtxOperand& operand : function.operands_of(instruction)) {
            const bool written = destination && operand.position == 0;
            if (operand.kind == PtxOperand::Kind::name && !written) ++uses[index(operand.reg)];
        }
    }
    std::vector<bool> once(function.registers);
    for (std::size_t r = 0; r < once.size(); ++r) once[r] = uses[r] == 1 && definitions[r] == 1;
    return once;
}

}  // namespace

MachineRoutines machine_routine(const PtxFunction& function, const PtxInstruction& instruction) {
    const std::string_view opcode = instruction.opcode;
    if (instruction.ptx_class == PtxClass::constant_load) {
        const auto operands = function.operands_of(instruction);
        const bool fixed = std::none_of(operands.begin(), operands.end(), [](const PtxOperand& operand) {
            return operand.in_address && operand.text.starts_with('%');
        });
        return {.other = fixed ? -1.0 : 0.0};
    }
    const std::string_view base = ptx_base(opcode);
    if (is_plain_approximation(opcode, base)) return {};
    for (const Routine& routine : routines) {
        if (routine.base == base && has_ptx_part(opcode, routine.type) &&
            (routine.part.empty() || has_ptx_part(opcode, routine.part)))
            return routine.more;
    }
    return {};
}

std::vector<MachineRoutines> fused_instructions(const PtxFunction& function, const PtxFlow& flow) {
    std::vector<MachineRoutines> saved(function.instructions.size());
    const std::vector<bool> once = used_once(function);
    std::vector<FusedInput> made(function.registers);  // by register
    const auto fuse = [&](std::uint32_t first, std::uint32_t at, Fusible kind, PtxRegister destination) {
        const auto operands = function.operands_of(function.instructions[at]).subspan(1);
        // Only a shift by a constant can be part of LEA, which cannot add a third value.
        if (kind == Fusible::shift && operands.back().kind != PtxOperand::Kind::integer) return;
        FusedInput result{at, kind, operands.size()};
        for (const PtxOperand& operand : operands) {
            if (operand.kind != PtxOperand::Kind::name) continue;
            const FusedInput& input = made[index(operand.reg)];
            const bool shifted = input.kind == Fusible::shift;
            const bool same = shifted ? kind == Fusible::addition : input.kind == kind;
            const std::size_t inputs = result.inputs + (shifted ? 2 : input.inputs) - 1;
            if (!same || !once[index(operand.reg)] || input.instruction < first || inputs > 3) continue;
            result.inputs = inputs;
            (shifted ? saved[input.instruction].shifts : saved[input.instruction].logic) = -1;
        }
        made[index(destination)] = result;
    };
    for (const PtxBlock& block : flow.blocks) {
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            const Fusible kind = fusible(function.instructions[i]);
            const auto destination = ptx_destination(function, function.instructions[i]);
            if (kind != Fusible::none && destination) fuse(block.first, i, kind, *destination);
        }
    }
    return saved;
}

}  // namespace warpnet::netgen

// Divisions, roots and other operations of PTX that are sequences in machine code. The counts are those of
// ptxas 13.0 for sm_86 and sm_90, which agree: the machine code of four of these operations less that of two,
// halved. Conversions and moves that ptxas puts on either pipe count as moves. Taken is the path of ordinary
// numbers; the call of the routine for denormals, infinities and zeros behind it does not run. Divisions of
// 64 bits are calls whose length that difference does not show: they keep the 20 instructions of
// kernel_profile_from_ptx.cpp.

#include "netgen/code/ptx/routines.hpp"

#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpnet {

namespace {

struct Routine {
    std::string_view base, type;
    std::string_view part;  // of the opcode, or empty: any
    MachineRoutines more;
};

constexpr double counted_division = 20;  // integer instructions that a division counts as

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
            {.integer = -counted_division,
             .logic = 5,
             .compares = 3,
             .multiplies = 7,
             .convert = 2,
             .special = 1}},
    Routine{"rem",
            "u32",
            "",
            {.integer = -counted_division,
             .logic = 4,
             .compares = 3,
             .multiplies = 7,
             .convert = 2,
             .special = 1}},
    Routine{"div",
            "s32",
            "",
            {.integer = -counted_division,
             .logic = 7,
             .compares = 4,
             .multiplies = 10,
             .convert = 2,
             .special = 1}},
    Routine{"rem",
            "s32",
            "",
            {.integer = -counted_division,
             .logic = 5,
             .compares = 3,
             .multiplies = 9,
             .convert = 2,
             .special = 1}},
};

/// Subnormal numbers are scaled around an approximation unless `.ftz` takes them as zeros.
bool is_plain_approximation(std::string_view opcode, std::string_view base) {
    return has_ptx_part(opcode, "ftz") && has_ptx_part(opcode, "approx") &&
           (base == "rcp" || base == "sqrt" || base == "rsqrt" || base == "lg2");
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

}  // namespace warpnet

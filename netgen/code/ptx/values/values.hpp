#pragma once

#include "netgen/code/ptx/values/flow.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpnet::netgen {

/// A special register with the position of a thread in its launch.
struct PtxSpecial {
    enum class Kind : std::uint8_t { tid, ctaid, ntid, nctaid, lane };
    Kind kind = Kind::tid;
    std::uint8_t axis = 0;
};
std::optional<PtxSpecial> ptx_special(std::string_view name);

/// The known values of a launch. They make parameters and special registers constant.
struct PtxLaunch {
    /// Kernel parameters by their name in the PTX ("scale_param_2"), or by the text after "_param_" ("2").
    /// "bytes@11" is no parameter: the bytes of the memory operation in line 11, if its text does not say how
    /// many they are.
    std::map<std::string, std::int64_t, std::less<>> params = {};
    std::array<std::int64_t, 3> grid = {};   ///< blocks in x, y, z; 0: unknown
    std::array<std::int64_t, 3> block = {};  ///< threads of a block

    bool empty() const { return params.empty() && grid == std::array<std::int64_t, 3>{} && block == grid; }
    /// The value of a parameter that the function loads. Only parameters of kernels can be named by the text
    /// after "_param_". Throws InputError if both names of a parameter have a value.
    std::optional<std::int64_t> param(const PtxFunction& function, std::string_view name) const;
    bool gives_bytes() const;                              ///< of any line
    std::int64_t bytes_of_line(std::uint32_t line) const;  ///< 0: not given
    /// %ntid.x, %nctaid.y, …, if the shape is known; %tid and %ctaid of an axis of length 1.
    std::optional<std::int64_t> special(PtxSpecial special) const;
    /// Whether the name is one of these registers, and its shape of the block or grid is known.
    bool has_shape_of(std::string_view name) const;
};

/// The meaning of the low bits of a register as a number.
std::int64_t as_signed(std::uint64_t value, int bits);

enum class PtxOperator : std::uint8_t {
    move,
    convert,
    invert,
    negate,
    absolute,
    count_ones,
    is_zero,
    add,
    subtract,
    multiply,
    multiply_wide,
    divide,
    remainder,
    bit_and,
    bit_or,
    bit_xor,
    minimum,
    maximum,
    shift_left,
    shift_right,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    select,
    multiply_add,
    multiply_add_wide,
};

/// An integer instruction without its operands.
struct PtxOperation {
    PtxOperator op = PtxOperator::move;
    std::uint8_t sources = 1;
    int bits = 32;  ///< of the sources
    bool is_signed = false;
    int result_bits = 32;
};

/// The operation of an opcode if it is one of mov, cvt, integer arithmetic, logic, shifts, selections and
/// comparisons, in its plain form; nothing for all other opcodes.
std::optional<PtxOperation> ptx_operation(std::string_view opcode);

/// The value of its destination, exactly as the hardware computes it. Predicates are 0 and 1. A register of n
/// bits holds a number below 2^n. Nothing for a division by zero or a wrong number of sources.
std::optional<std::uint64_t> ptx_evaluate(const PtxOperation& operation,
                                          std::span<const std::uint64_t> sources);

/// A source of an instruction.
struct PtxSource {
    enum class Kind : std::uint8_t { constant, reg, special, unknown };
    Kind kind = Kind::unknown;
    std::int64_t value = 0;
    PtxRegister reg = {};
    std::size_t slot = 0;  ///< the key under which its reader keeps the register
    PtxSpecial special = {};
};

/// The sources of an integer instruction in order. Nothing if an address, a vector or a pair is among them.
std::optional<std::vector<PtxSource>> ptx_sources(const PtxFunction& function,
                                                  const PtxInstruction& instruction);

/// The register that an instruction writes: the name at position 0, outside an address. An instruction
/// without a pair or vector has at most one.
std::optional<PtxRegister> ptx_destination(const PtxFunction& function, const PtxInstruction& instruction);

/// The name of the parameter that an instruction loads (ld.param of one word, without an offset), else empty.
std::string_view ptx_loaded_param(const PtxFunction& function, const PtxInstruction& instruction);

/// Throws InputError if the value of a parameter that the function loads is no whole number, or does not fit
/// the type of the load.
void check_ptx_param_values(const PtxModule& module, const PtxFunction& function, const PtxLaunch& launch);

/// The constant registers at each point. A register is constant if every definition that reaches the point
/// gives the same constant. Pessimistic: values of unsupported instructions are not constant.
class PtxConstants {
  public:
    /// `launch`: known values besides the text; must outlive this object.
    PtxConstants(const PtxFunction& function, const PtxFlow& flow, const PtxLaunch& launch);
    PtxConstants(const PtxFunction&, const PtxFlow&, PtxLaunch&&) = delete;

    const PtxLaunch& launch() const { return launch_; }
    /// The origins of the value of a register at the end of a block, if it is no constant: parameters,
    /// special registers ("%ntid.x"), "memory", "a called function", unsupported opcodes. Sorted, without
    /// duplicates.
    std::vector<std::string> origins(std::uint32_t block, PtxRegister reg);

    /// At the end of a block.
    std::optional<std::uint64_t> at_end(std::uint32_t block, PtxRegister reg);
    /// The positions of the instructions that may write the register, in order.
    std::span<const std::uint32_t> definitions(PtxRegister reg) const;
    std::uint32_t block_of(std::uint32_t instruction) const { return block_of_[instruction]; }

    /// Goes back from an instruction of a block to the last definition of the register on each path. `found`
    /// takes a definition and returns whether earlier ones matter as well. `enter` takes a block from whose
    /// start the paths continue and returns whether to examine it. False if it ended the search. Calls may
    /// not nest.
    template <class Found, class Enter>
    bool go_back(std::uint32_t block, std::uint32_t instruction, PtxRegister reg, Found found, Enter enter);

  private:
    enum class State : std::uint8_t { unknown, in_progress, constant, varies };

    std::optional<std::uint64_t> before(std::uint32_t block, std::uint32_t instruction, PtxRegister reg);
    std::optional<std::uint64_t> of_definition(std::uint32_t instruction);
    std::optional<std::uint64_t> compute(std::uint32_t instruction);
    std::optional<std::uint32_t> last_definition(std::uint32_t from, std::uint32_t to, PtxRegister reg) const;

    const PtxFunction& function_;
    const PtxFlow& flow_;
    const PtxLaunch& launch_;
    std::vector<std::uint32_t> block_of_;          // by instruction
    std::vector<std::uint32_t> definitions_;       // sorted by register
    std::vector<std::uint32_t> first_definition_;  // by register
    std::vector<State> state_;                     // by instruction
    std::vector<std::uint64_t> value_;
    std::vector<std::uint32_t> seen_;  // by block: the search that visited it last
    std::uint32_t search_ = 0;
    int depth_ = 0;
    std::uint64_t work_ = 0;
};

template <class Found, class Enter>
bool PtxConstants::go_back(std::uint32_t block, std::uint32_t instruction, PtxRegister reg, Found found,
                           Enter enter) {
    const auto own = last_definition(flow_.blocks[block].first, instruction, reg);
    if (own && !found(*own)) return true;
    ++search_;
    std::vector<std::uint32_t> pending = {block};
    while (!pending.empty()) {
        const std::uint32_t at = pending.back();
        pending.pop_back();
        if (!enter(at)) return false;
        for (const std::uint32_t before : flow_.blocks[at].predecessors) {
            if (seen_[before] == search_) continue;
            seen_[before] = search_;
            const auto last = last_definition(flow_.blocks[before].first, flow_.blocks[before].last, reg);
            if (!last || found(*last)) pending.push_back(before);
        }
    }
    return true;
}

}  // namespace warpnet::netgen

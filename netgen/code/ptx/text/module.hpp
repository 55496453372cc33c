#pragma once

#include "netgen/cfg/graph.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpnet::netgen {

inline constexpr std::uint32_t no_function = 0xFFFFFFFFU;

/// A register of a function. Registers with the same name in different scopes are different.
enum class PtxRegister : std::uint32_t {};
constexpr std::size_t index(PtxRegister r) noexcept { return static_cast<std::size_t>(r); }

/// A name or number in an instruction. Vectors, pairs (`%r1|%p1`) and addresses are several operands of one
/// position.
struct PtxOperand {
    enum class Kind : std::uint8_t {
        name,     ///< a register, a special register, a variable, a label, a function
        integer,  ///< `value`
        real,     ///< a floating-point constant
        none,     ///< `_`
    };
    Kind kind = Kind::none;
    bool in_address = false;  ///< inside [ ]
    bool negated = false;     ///< `!%p` or `-%r`
    std::uint16_t position = 0;
    PtxRegister reg = {};  ///< of a name; without a register, the name has a number that nothing writes
    std::int64_t value = 0;
    std::string_view text = {};
};

/// `@%p` or `@!%p` before an instruction.
struct PtxGuard {
    PtxRegister reg = {};
    bool negated = false;
};

/// One instruction of a function. Operands and targets are ranges of arrays of the function, so that an
/// instruction needs no memory of its own. Texts are views into the module. `line`: from 1.
struct PtxInstruction {
    std::string_view opcode;                 ///< whole: "ld.global.nc.f32"
    PtxClass ptx_class = PtxClass::unknown;  ///< with the space of a generic address, if it was found
    bool unresolved_space = false;           ///< counted as global because the space is unknown
    CfgLanes lanes = CfgLanes::unknown;      ///< of a branch in GCN
    std::optional<PtxGuard> guard = {};
    std::uint32_t line = 0;
    std::uint32_t address = 0;  ///< of GCN: bytes from the begin of its function
    std::uint32_t first_operand = 0;
    std::uint32_t operand_count = 0;
    std::uint32_t first_target = 0;  ///< of a branch: into PtxFunction::targets
    std::uint32_t target_count = 0;
    std::int64_t given_bytes = 0;  ///< of a memory operation, if its text does not state them; 0: not given
    std::uint32_t callee = no_function;  ///< of a call: position in PtxModule::functions, or no_function
    /// Of a call through a register with known .calltargets: position in PtxFunction::callees, from 1.
    std::uint32_t callee_list = 0;
};

/// A name before an instruction.
struct PtxLabel {
    std::string_view name;
    std::uint32_t instruction = 0;  ///< the next one; the number of instructions at the end
    std::uint32_t line = 0;
    bool nounroll = false;  ///< followed by `.pragma "nounroll"`
};

/// A variable in shared memory.
struct PtxSharedVariable {
    std::string_view name;
    std::int64_t bytes = 0;  ///< 0: its size is set at launch
    std::int64_t alignment = 1;
};

/// A kernel (`.entry`) or a function (`.func`).
struct PtxFunction {
    std::string_view name;
    bool is_kernel = false;
    bool has_body = false;  ///< false: this file only declares it
    std::uint32_t line = 0;
    std::vector<PtxInstruction> instructions = {};
    std::vector<PtxOperand> operands = {};
    std::vector<PtxLabel> labels = {};                     ///< in the order of the text
    std::vector<std::uint32_t> targets = {};               ///< of all branches: positions in `labels`
    std::vector<std::vector<std::uint32_t>> callees = {};  ///< of calls: positions in PtxModule::functions
    std::uint32_t registers = 0;                           ///< the count of numbered names
    std::vector<PtxSharedVariable> shared = {};            ///< declared inside
    std::int64_t max_threads = 0;                     ///< of .maxntid or .reqntid, multiplied; 0: not given
    std::array<std::int64_t, 3> required_block = {};  ///< .reqntid; 0: not given
    std::array<std::int64_t, 3> cluster = {};         ///< .reqnctapercluster; 0: not given
    std::int64_t max_cluster = 0;                     ///< .maxclusterrank; 0: not given
    bool grid_of_clusters = false;                    ///< .blocksareclusters
    std::int64_t max_registers = 0;                   ///< .maxnreg; 0: not given
    /// Parameters that point to a space: ".ptr .shared" is {name, ".shared"}.
    std::unordered_map<std::string_view, std::string_view> pointers = {};
    std::int64_t min_blocks = 0;  ///< .minnctapersm; 0: not given
    /// Names that the text neither declares nor writes and that are no special register, with their lines.
    std::vector<std::string> undeclared_names = {};
    /// Of machine code: modifiers without a meaning here, ".part of opcode".
    std::vector<std::string> unknown_modifiers = {};

    std::span<const PtxOperand> operands_of(const PtxInstruction& instruction) const {
        return std::span(operands).subspan(instruction.first_operand, instruction.operand_count);
    }
    /// The functions in the text that an instruction may call.
    std::span<const std::uint32_t> callees_of(const PtxInstruction& instruction) const {
        if (instruction.callee_list > 0) return callees[instruction.callee_list - 1];
        return {&instruction.callee, instruction.callee == no_function ? std::size_t{0} : std::size_t{1}};
    }
    std::span<const std::uint32_t> targets_of(const PtxInstruction& instruction) const {
        return std::span(targets).subspan(instruction.first_target, instruction.target_count);
    }
};

/// Numbers the labels of a function, and the targets that name them, in the order of the instructions.
void sort_labels(PtxFunction& function);

/// A PTX text as functions and instructions. All names are views of `text`.
struct PtxModule {
    std::shared_ptr<const std::string> text;
    std::string source;  ///< its name in errors
    std::string_view version;
    std::string_view target;    ///< the first of .target: "sm_80"; the highest if there are several modules
    bool machine_code = false;  ///< read from SASS or GCN: the instructions are those that run
    std::vector<PtxFunction> functions = {};
    std::vector<PtxSharedVariable> shared = {};
    /// Ignored parts of the text, "source:line: …": unknown directives and pragmas, lines around it.
    std::vector<std::string> warnings = {};

    std::optional<std::size_t> find(std::string_view function) const;
    /// Names of the kernels that have a body, in order.
    std::vector<std::string> kernels() const;
};

/// Whether cuobjdump writes such a line before the code of a file: "Fatbin ptx code:", "arch = sm_80".
bool is_fatbin_line(std::string_view line);

/// Reads the output of nvcc and clang: PTX up to version 9.x. Checks the structure of the text, not the
/// meaning of instructions. Unknown opcodes are valid.
///
/// `source` names the text in errors. Throws InputError with source:line:column if the text is no PTX, a
/// bracket, string or comment is not closed, a branch goes to a missing label, or a function or label is
/// defined twice. O(text).
PtxModule read_ptx(std::string_view text, const std::string& source);

}  // namespace warpnet::netgen

#include "netgen/code/ptx/spaces.hpp"

#include "netgen/code/ptx/opcodes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpnet {

namespace {

// Where the value of a register can come from, as bits.
enum Origin : std::uint8_t {
    from_shared = 1,
    from_local = 2,
    from_constant = 4,
    from_global = 8,
    from_argument = 16,  // of the kernel
    from_elsewhere = 32,
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
    std::uint8_t written_by(const PtxInstruction& instruction) const {
        const std::string_view opcode = instruction.opcode;
        if (ptx_base(opcode) == "cvta" && !has_ptx_part(opcode, "to")) {
            if (has_ptx_part(opcode, "shared")) return from_shared;
            if (has_ptx_part(opcode, "shared::cta")) return from_shared;
            if (has_ptx_part(opcode, "local")) return from_local;
            if (has_ptx_part(opcode, "const")) return from_constant;
            return has_ptx_part(opcode, "global") ? from_global : from_elsewhere;
        }
        // What was an integer of 32 bits or less is an offset.
        const std::int64_t bytes = ptx_access_bytes(ptx_type(opcode).empty() ? opcode : last_part(opcode));
        if (bytes < 8) return 0;
        if (instruction.ptx_class == PtxClass::param_load)
            return function_.is_kernel ? from_argument : from_elsewhere;
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
        // As if the opcode had said it.
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

}  // namespace warpnet

#include "netgen/code/ptx/opcodes.hpp"
#include "netgen/code/ptx/values.hpp"

#include <set>

namespace warpnet {

std::vector<std::string> PtxConstants::origins(std::uint32_t block, PtxRegister reg) {
    constexpr std::size_t most_instructions = 1000;
    std::set<std::string> found;
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> pending;
    // The definition before in the same block, else every one, wherever it is: too many rather than too few.
    const auto follow = [&](PtxRegister one, std::uint32_t in, std::uint32_t before) {
        const auto own = last_definition(flow_.blocks[in].first, before, one);
        for (const std::uint32_t at : definitions(one)) {
            if (own && at != *own && !function_.instructions[*own].guard) continue;
            if (seen.size() < most_instructions && seen.insert(at).second) pending.push_back(at);
        }
    };
    if (at_end(block, reg)) return {};
    follow(reg, block, flow_.blocks[block].last);
    while (!pending.empty()) {
        const std::uint32_t at = pending.back();
        pending.pop_back();
        if (of_definition(at)) continue;
        const PtxInstruction& instruction = function_.instructions[at];
        const std::string_view param = ptx_loaded_param(function_, instruction);
        if (!param.empty()) {
            found.insert("parameter " + std::string(param));
        } else if (instruction.ptx_class == PtxClass::param_load || instruction.ptx_class == PtxClass::call) {
            found.insert("a called function or a part of a parameter");
        } else if (ptx_base(instruction.opcode) == "ld" || ptx_base(instruction.opcode) == "atom" ||
                   ptx_base(instruction.opcode) == "ldu") {
            found.insert("memory");
        } else {
            if (!ptx_operation(instruction.opcode)) found.insert(std::string(instruction.opcode));
            for (const PtxOperand& operand : function_.operands_of(instruction)) {
                if (operand.position == 0 || operand.kind != PtxOperand::Kind::name) continue;
                if (operand.text.find('.') == std::string_view::npos) {
                    follow(operand.reg, block_of_[at], at);
                } else if (!launch_.has_shape_of(operand.text)) {
                    found.insert(std::string(operand.text));
                }
            }
        }
    }
    return {found.begin(), found.end()};
}

}  // namespace warpnet

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

#include <algorithm>
#include <array>
#include <optional>
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

}  // namespace warpnet::netgen

#include "netgen/code/ptx/slice.hpp"

#include "netgen/code/ptx/memory_operations.hpp"

#include <algorithm>
#include <optional>

namespace warpnet {

PtxSlice::PtxSlice(const PtxFunction& function, const PtxFlow& flow)
    : function_(function),
      flow_(flow),
      values_(function, flow, nothing_),
      is_in_(function.instructions.size(), false),
      definitions_of_(function.operands.size()),
      seen_(flow.blocks.size(), 0) {
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
        for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
            const PtxInstruction& instruction = function.instructions[i];
            if (instruction.guard)
                follow(guards_.emplace(i, reaching(b, i, instruction.guard->reg)).first->second);
            const auto operation = memory_operation(function, instruction);
            if (!operation || !operation->follows_addresses()) continue;
            accesses_.push_back(i);
            add_operands(i, !operation->size_operand);
        }
    }
    while (!pending_.empty()) {
        const std::uint32_t at = pending_.back();
        pending_.pop_back();
        add_operands(at, false);
    }
    for (std::uint32_t i = 0; i < is_in_.size(); ++i)
        if (is_in_[i]) instructions_.push_back(i);
}

void PtxSlice::add_operands(std::uint32_t at, bool addresses_only) {
    const PtxInstruction& instruction = function_.instructions[at];
    const std::uint32_t first = instruction.first_operand;
    for (std::uint32_t o = first; o < first + instruction.operand_count; ++o) {
        const PtxOperand& operand = function_.operands[o];
        if (operand.kind != PtxOperand::Kind::name) continue;
        if (!operand.in_address && (addresses_only || operand.position == 0)) continue;
        definitions_of_[o] = reaching(values_.block_of(at), at, operand.reg);
        follow(definitions_of_[o]);
    }
}

void PtxSlice::follow(const std::vector<std::uint32_t>& definitions) {
    for (const std::uint32_t at : definitions) {
        if (at >= any_definition || is_in_[at]) continue;
        is_in_[at] = true;
        pending_.push_back(at);
    }
}

std::vector<std::uint32_t> PtxSlice::reaching(std::uint32_t block, std::uint32_t at, PtxRegister reg) {
    const auto all = values_.definitions(reg);
    if (all.empty()) return {};
    const auto last_in = [&](std::uint32_t from, std::uint32_t to) -> std::optional<std::uint32_t> {
        const auto behind = std::lower_bound(all.begin(), all.end(), to);
        if (behind == all.begin() || *(behind - 1) < from) return std::nullopt;
        return *(behind - 1);
    };
    if (const auto own = last_in(flow_.blocks[block].first, at)) return {*own};
    if (all.size() == 1) return {all[0]};
    std::vector<std::uint32_t> found;
    std::vector<std::uint32_t> pending = {block};
    // A register that is written under many conditions has as many definitions at each of them.
    constexpr std::size_t most_definitions = 64;
    constexpr std::size_t most_blocks = 2000;
    std::size_t blocks = 0;
    ++search_;
    while (!pending.empty()) {
        const std::uint32_t here = pending.back();
        pending.pop_back();
        if (++blocks > most_blocks || found.size() > most_definitions) return {any_definition};
        if (here == 0) found.push_back(no_definition);
        for (const std::uint32_t before : flow_.blocks[here].predecessors) {
            if (seen_[before] == search_) continue;
            seen_[before] = search_;
            if (const auto last = last_in(flow_.blocks[before].first, flow_.blocks[before].last)) {
                found.push_back(*last);
            } else {
                pending.push_back(before);
            }
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace warpnet

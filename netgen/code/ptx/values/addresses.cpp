// Addresses of memory accesses, lane by lane. A backward slice collects the instructions on which addresses
// and guards depend. Per warp of a block the slice is interpreted over PtxLanes until nothing changes
// (abstract interpretation [Cousot77]). A value of PtxLanes is a known number per lane plus an unknown one
// that lanes share. Definitions that meet after a divergent branch are joined lane by lane. Cost: O(slice)
// per warp and round, at most 30 rounds and 32 warps of a block. If there is no fixpoint by then, all values
// are unknown.
//
// Intervals (ranges.cpp) do not suffice here. Bank conflicts and sectors depend on the differences between
// lanes, which an interval over all lanes loses. The result of a guarded instruction is unknown and not
// joined with the earlier value, because lanes keep either of them.

#include "netgen/code/ptx/values/addresses.hpp"

#include "netgen/code/ptx/text/memory_operations.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx/values/flow.hpp"
#include "netgen/code/ptx/values/lanes.hpp"
#include "netgen/code/ptx/values/threads.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string_view>

namespace warpnet::netgen {

PtxSlice::PtxSlice(const PtxFunction& function, const PtxFlow& flow)
    : function_(function),
      flow_(flow),
      values_(function, flow, nothing_),
      is_in_(function.instructions.size(), false),
      definitions_of_(function.operands.size()) {
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
    if (all.size() < 2) return {all.begin(), all.end()};
    // A register that is written under many conditions has that many definitions at each of them.
    constexpr std::size_t most_definitions = 64;
    constexpr std::size_t most_blocks = 2000;
    std::size_t blocks = 0;
    std::vector<std::uint32_t> found;
    const bool few = values_.go_back(
        block, at, reg,
        [&](std::uint32_t definition) {
            found.push_back(definition);
            return false;
        },
        [&](std::uint32_t here) {
            if (++blocks > most_blocks || found.size() > most_definitions) return false;
            if (here == 0) found.push_back(no_definition);
            return true;
        });
    if (!few) return {any_definition};
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

namespace {

constexpr std::uint32_t all_lanes = 0xFFFFFFFF;
constexpr int most_rounds = 30;                    // of the fixpoint; without one, values are unknown
constexpr std::uint64_t most_lane_work = 200'000;  // instructions of all warps in a round
constexpr std::uint64_t pointer_alignment = 256;

bool is_memory_load(PtxClass c) {
    return c == PtxClass::global_load || c == PtxClass::shared_load || c == PtxClass::constant_load ||
           c == PtxClass::local_load;
}

/// One warp of a block.
class Warp {
  public:
    Warp(const PtxFunction& function, const PtxFlow& flow, const PtxLaunch& launch, const PtxSlice& slice,
         PtxDivergence& divergence, bool row, std::int64_t number)
        : function_(function),
          flow_(flow),
          launch_(launch),
          slice_(slice),
          divergence_(divergence),
          state_(function.instructions.size()),
          divergent_(flow.blocks.size(), false),
          row_(row),
          number_(number) {
        const auto& block = launch.block;
        const std::int64_t threads = block[0] > 0 ? block[0] * block[1] * block[2] : 32;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            const std::int64_t thread = 32 * number + lane;
            if (thread >= threads) continue;
            present_ |= 1U << lane;
            const std::int64_t x = block[0] > 0 ? block[0] : 32;
            const std::int64_t y = block[0] > 0 ? block[1] : 1;
            position_[0][lane] = static_cast<std::uint64_t>(thread % x);
            position_[1][lane] = static_cast<std::uint64_t>(thread / x % y);
            position_[2][lane] = static_cast<std::uint64_t>(thread / x / y);
        }
        // Missing lanes have the position of the first lane.
        for (auto& axis : position_)
            for (std::uint32_t lane = 1; lane < 32; ++lane)
                if (((present_ >> lane) & 1U) == 0) axis[lane] = axis[0];
        solve();
        find_masks();
    }

    std::int64_t number() const { return number_; }

    /// The lanes that execute a block, as far as conditions on known numbers determine them.
    std::uint32_t mask(std::uint32_t block) const { return masks_[block]; }

    std::uint32_t mask_of(std::uint32_t instruction) const {
        std::uint32_t lanes = mask(slice_.block_of(instruction));
        if (function_.instructions[instruction].guard) lanes &= guard_mask(instruction).value_or(all_lanes);
        return lanes;
    }

    /// The sum in the brackets, or in those of the given operand.
    PtxLanes address(std::uint32_t at, std::optional<std::uint16_t> position) const {
        const PtxInstruction& instruction = function_.instructions[at];
        PtxLanes total = PtxLanes::exact(0);
        bool any = false;
        for (std::uint32_t o = instruction.first_operand;
             o < instruction.first_operand + instruction.operand_count; ++o) {
            if (!function_.operands[o].in_address) continue;
            if (position && function_.operands[o].position != *position) continue;
            any = true;
            const std::array parts = {total, operand(o, at)};
            total = evaluate_lanes({PtxOperator::add, 2, 64, false, 64}, parts);
        }
        return any ? total : PtxLanes::unknown();
    }

    /// The value of an operand without brackets, if it is known and the same for all lanes.
    std::optional<std::int64_t> value(std::uint32_t at, std::uint16_t position) const {
        const PtxInstruction& instruction = function_.instructions[at];
        for (std::uint32_t o = instruction.first_operand;
             o < instruction.first_operand + instruction.operand_count; ++o) {
            const PtxOperand& own = function_.operands[o];
            if (own.in_address || own.position != position) continue;
            const PtxLanes lanes = operand(o, at);
            if (!lanes.is_exact() || !lanes.is_uniform()) return std::nullopt;
            return static_cast<std::int64_t>(lanes.value[0] & 0xFFFFFFFFU);
        }
        return std::nullopt;
    }

  private:
    static bool decides(const PtxInstruction& instruction) {
        return instruction.ptx_class == PtxClass::branch || instruction.ptx_class == PtxClass::leave;
    }

    /// Lanes excluded from a block are excluded from all blocks that it dominates.
    void find_masks() {
        masks_.assign(flow_.blocks.size(), present_);
        for (const std::uint32_t at : flow_.dominators_first)
            if (at != 0) masks_[at] = masks_[flow_.dominator[at]] & lanes_of_way(flow_.dominator[at], at);
    }

    /// The lanes that go from one block to another, if this is the only way to it.
    std::uint32_t lanes_of_way(std::uint32_t above, std::uint32_t at) const {
        const auto& successors = flow_.blocks[above].successors;
        if (successors.size() != 2 || flow_.blocks[at].predecessors.size() != 1 ||
            flow_.blocks[at].predecessors[0] != above)
            return all_lanes;
        const std::uint32_t branch = flow_.blocks[above].last - 1;
        if (!function_.instructions[branch].guard || !decides(function_.instructions[branch]))
            return all_lanes;
        const auto taken = guard_mask(branch);
        if (!taken) return all_lanes;
        return successors[0] == at ? *taken : ~*taken;
    }

    PtxLanes guard(std::uint32_t at) const { return merged(slice_.of_guard(at), slice_.block_of(at)); }

    /// The lanes for which a guard holds; nothing if that is unknown.
    std::optional<std::uint32_t> guard_mask(std::uint32_t at) const {
        const PtxLanes condition = guard(at);
        if (!condition.is_exact()) return std::nullopt;
        std::uint32_t lanes = 0;
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            if ((condition.value[lane] != 0) != function_.instructions[at].guard->negated)
                lanes |= 1U << lane;
        return lanes;
    }

    void solve() {
        bool changed = true;
        for (int round = 0; round < most_rounds && changed; ++round) {
            changed = false;
            for (const std::uint32_t at : slice_.instructions()) {
                PtxLanes next = join_lanes(state_[at], compute(at));
                if (next == state_[at]) continue;
                if (round + 2 >= most_rounds) next = PtxLanes::unknown();
                state_[at] = next;
                changed = true;
            }
            for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
                if (divergent_[b] || flow_.blocks[b].successors.size() < 2) continue;
                const std::uint32_t branch = flow_.blocks[b].last - 1;
                if (!function_.instructions[branch].guard) continue;
                const PtxLanes condition = guard(branch);
                if (condition.state == PtxLanes::State::unreached || condition.is_uniform()) continue;
                divergent_[b] = true;
                changed = true;
            }
        }
        if (changed)  // no fixpoint: all values may still change
            for (const std::uint32_t at : slice_.instructions()) state_[at] = PtxLanes::unknown();
    }

    PtxLanes compute(std::uint32_t at) const {
        const PtxInstruction& instruction = function_.instructions[at];
        // Under a guard the value may also be the earlier one.
        if (instruction.guard) return PtxLanes::unknown();
        if (instruction.ptx_class == PtxClass::param_load) return parameter(instruction);
        std::vector<PtxLanes> sources;
        std::uint16_t position = 0;
        bool plain = ptx_destination(function_, instruction).has_value();
        for (std::uint32_t o = instruction.first_operand;
             o < instruction.first_operand + instruction.operand_count; ++o) {
            const PtxOperand& own = function_.operands[o];
            if (own.position == 0 && !own.in_address) continue;
            plain &= own.position != position && !own.in_address && !own.negated;
            position = own.position;
            sources.push_back(operand(o, at));
            if (sources.back().state == PtxLanes::State::unreached) return {};
        }
        const std::string_view base = ptx_base(instruction.opcode);
        if (base == "cvta" && sources.size() == 1) return sources[0];
        const auto operation = ptx_operation(instruction.opcode);
        if (plain && operation) return evaluate_lanes(*operation, sources);
        if (instruction.ptx_class == PtxClass::vote) return PtxLanes::uniform(1, PtxLanes::all_blocks);
        const bool uniform =
            std::all_of(sources.begin(), sources.end(), [](const PtxLanes& s) { return s.is_uniform(); });
        const bool pure =
            is_memory_load(instruction.ptx_class) ||
            (instruction.ptx_class < PtxClass::global_load && instruction.ptx_class != PtxClass::call);
        if (!uniform || !pure) return PtxLanes::unknown();
        std::uint8_t blocks = 0;
        for (const PtxLanes& source : sources) blocks = static_cast<std::uint8_t>(blocks | source.blocks);
        if (is_memory_load(instruction.ptx_class) && instruction.ptx_class != PtxClass::constant_load)
            blocks = PtxLanes::all_blocks;
        return PtxLanes::uniform(1, blocks);
    }

    PtxLanes parameter(const PtxInstruction& instruction) const {
        if (!function_.is_kernel) return PtxLanes::unknown();
        const std::int64_t bytes = ptx_access_bytes(instruction.opcode);
        const std::string_view name = ptx_loaded_param(function_, instruction);
        const auto value = name.empty() ? std::nullopt : launch_.param(function_, name);
        if (!value) return PtxLanes::uniform(bytes == 8 ? pointer_alignment : 1, 0);
        const std::uint64_t whole = static_cast<std::uint64_t>(*value);
        return PtxLanes::exact(bytes == 4 ? whole & 0xFFFFFFFFU : whole);
    }

    PtxLanes operand(std::uint32_t o, std::uint32_t at) const {
        const PtxOperand& own = function_.operands[o];
        if (own.kind == PtxOperand::Kind::integer)
            return PtxLanes::exact(static_cast<std::uint64_t>(own.value));
        if (own.kind == PtxOperand::Kind::real) return PtxLanes::uniform(1, 0);
        if (own.kind != PtxOperand::Kind::name) return PtxLanes::unknown();
        if (slice_.is_defined(own.reg)) return merged(slice_.of_operand(o), slice_.block_of(at));
        if (own.text.starts_with('%')) return special(own.text);
        return PtxLanes::uniform(pointer_alignment, 0);  // the address of a variable
    }

    PtxLanes special(std::string_view name) const {
        using enum PtxSpecial::Kind;
        const auto known = ptx_special(name);
        PtxLanes result = PtxLanes::exact(0);
        if (known && known->kind == tid) {
            result.value = position_[known->axis];
            // A row of unknown length: this may be any of its warps.
            if (launch_.block[0] == 0) {
                if (!row_) return PtxLanes::unknown();
                result.multiple = 32;
            }
            return result;
        }
        if (known && known->kind == lane) {
            std::iota(result.value.begin(), result.value.end(), 0);
            return result;
        }
        const auto value = known ? launch_.special(*known) : std::nullopt;
        if (value) return PtxLanes::exact(static_cast<std::uint64_t>(*value));
        if (name == "%warpid" && launch_.block[0] > 0)
            return PtxLanes::exact(static_cast<std::uint64_t>(number_));
        if (name == "%warpid" || name == "%ntid" || name == "%nctaid" || (known && known->kind != ctaid))
            return PtxLanes::uniform(1, 0);
        if (known) return PtxLanes::uniform(1, static_cast<std::uint8_t>(1U << known->axis));
        if (name == "%ctaid" || name == "%smid" || name == "%gridid" || name == "%nwarpid" ||
            name == "%nsmid")
            return PtxLanes::uniform(1, PtxLanes::all_blocks);
        return PtxLanes::unknown();
    }

    /// The common value of several definitions that reach a block. If lanes have different definitions, they
    /// differ in an unknown way.
    PtxLanes merged(const std::vector<std::uint32_t>& definitions, std::uint32_t use) const {
        PtxLanes result;
        bool differ = false;
        for (const std::uint32_t at : definitions) {
            if (at == PtxSlice::any_definition) return PtxLanes::unknown();
            if (at == PtxSlice::no_definition) continue;  // a definition without a value does not count
            if (state_[at].state == PtxLanes::State::unreached) continue;
            differ |= result.state != PtxLanes::State::unreached && !(result == state_[at]);
            result = join_lanes(result, state_[at]);
        }
        if (!result.is_known()) return result;
        for (const std::uint32_t at : definitions) {
            if (at == PtxSlice::no_definition) continue;
            const std::uint32_t from = slice_.block_of(at);
            if (from == use) continue;
            const bool varies = differ || (result.multiple != 0 && flow_.loop_of[from]);
            if (varies && divergence_.splits(divergent_, from, use, differ)) return PtxLanes::unknown();
        }
        return result;
    }

    const PtxFunction& function_;
    const PtxFlow& flow_;
    const PtxLaunch& launch_;
    const PtxSlice& slice_;
    PtxDivergence& divergence_;
    std::uint32_t present_ = 0;
    std::array<std::array<std::uint64_t, 32>, 3> position_ = {};  // %tid, by axis and lane
    std::vector<PtxLanes> state_;                                 // by instruction
    std::vector<bool> divergent_;                                 // by block that ends in a branch
    std::vector<std::uint32_t> masks_;                            // by block
    bool row_ = true;  // a block of unknown shape is a row of threads
    std::int64_t number_ = 0;
};

/// Whether the threads of a block have a coordinate besides x.
bool reads_other_axes(const PtxFunction& function) {
    return std::any_of(function.operands.begin(), function.operands.end(), [](const PtxOperand& operand) {
        return operand.text == "%tid.y" || operand.text == "%tid.z";
    });
}

/// The number of bytes by which an address grows per iteration of the innermost loop around it.
class PtxAdvance {
  public:
    PtxAdvance(const PtxFunction& function, const PtxFlow& flow, const PtxSlice& slice)
        : function_(function), flow_(flow), slice_(slice) {}

    /// Nothing if that is unknown.
    std::optional<std::int64_t> of_access(std::uint32_t at, std::optional<std::uint16_t> position) const {
        const auto loop = flow_.loop_of[slice_.block_of(at)];
        if (!loop) return std::nullopt;
        const PtxInstruction& instruction = function_.instructions[at];
        std::int64_t total = 0;
        for (std::uint32_t o = instruction.first_operand;
             o < instruction.first_operand + instruction.operand_count; ++o) {
            const PtxOperand& own = function_.operands[o];
            if (!own.in_address || (position && own.position != *position)) continue;
            const auto step = of_operand(o, *loop, deepest);
            if (!step) return std::nullopt;
            total += *step;
        }
        return total;
    }

  private:
    static constexpr int deepest = 12;  // instructions from an address to the counter of its loop
    static constexpr std::int64_t most = std::int64_t{1} << 32U;

    bool is_inside(std::uint32_t definition, std::uint32_t loop) const {
        if (definition >= PtxSlice::any_definition) return false;
        for (auto at = flow_.loop_of[slice_.block_of(definition)]; at; at = flow_.loops[*at].parent)
            if (*at == loop) return true;
        return false;
    }

    std::optional<std::int64_t> constant(std::uint32_t o) const {
        const PtxOperand& own = function_.operands[o];
        if (own.kind != PtxOperand::Kind::integer || own.negated) return std::nullopt;
        const auto value = static_cast<std::int64_t>(own.value);
        return value > -most && value < most ? std::optional(value) : std::nullopt;
    }

    std::optional<std::int64_t> of_operand(std::uint32_t o, std::uint32_t loop, int depth) const {
        const PtxOperand& own = function_.operands[o];
        if (own.kind == PtxOperand::Kind::integer) return 0;
        if (own.kind != PtxOperand::Kind::name || depth == 0) return std::nullopt;
        if (!slice_.is_defined(own.reg)) return 0;
        const std::vector<std::uint32_t>& definitions = slice_.of_operand(o);
        std::optional<std::uint32_t> inside;
        for (const std::uint32_t at : definitions) {
            if (at == PtxSlice::any_definition) return std::nullopt;
            if (!is_inside(at, loop)) continue;
            if (inside) return std::nullopt;
            inside = at;
        }
        if (!inside) return 0;
        if (definitions.size() > 1) return of_counter(*inside, definitions);
        return of_instruction(*inside, loop, depth - 1);
    }

    /// The step of i in i = i + step.
    std::optional<std::int64_t> of_counter(std::uint32_t at,
                                           const std::vector<std::uint32_t>& definitions) const {
        const PtxInstruction& instruction = function_.instructions[at];
        const auto operation = ptx_operation(instruction.opcode);
        if (!operation || operation->op != PtxOperator::add || instruction.guard ||
            instruction.operand_count != 3)
            return std::nullopt;
        const std::uint32_t a = instruction.first_operand + 1, b = a + 1;
        if (function_.operands[a].kind == PtxOperand::Kind::name && slice_.of_operand(a) == definitions)
            return constant(b);
        return std::nullopt;
    }

    std::optional<std::int64_t> of_instruction(std::uint32_t at, std::uint32_t loop, int depth) const {
        const PtxInstruction& instruction = function_.instructions[at];
        const std::uint32_t a = instruction.first_operand + 1, b = a + 1, c = b + 1;
        if (instruction.guard || instruction.operand_count < 2 || instruction.operand_count > 4)
            return std::nullopt;
        const auto product = [&](std::uint32_t x, std::uint32_t y) -> std::optional<std::int64_t> {
            const auto step = of_operand(x, loop, depth);
            if (step == 0 && of_operand(y, loop, depth) == 0) return 0;
            const auto factor = constant(y);
            if (!step || !factor || std::abs(*step) > most / 2) return std::nullopt;
            std::int64_t result = 0;
            if (__builtin_mul_overflow(*step, *factor, &result) || std::abs(result) > most)
                return std::nullopt;
            return result;
        };
        if (ptx_base(instruction.opcode) == "cvta" && instruction.operand_count == 2)
            return of_operand(a, loop, depth);
        const auto operation = ptx_operation(instruction.opcode);
        if (!operation || instruction.operand_count != operation->sources + 1U) return std::nullopt;
        switch (operation->op) {
            case PtxOperator::move:
            case PtxOperator::convert:
                return of_operand(a, loop, depth);
            case PtxOperator::add:
            case PtxOperator::subtract: {
                const auto first = of_operand(a, loop, depth), second = of_operand(b, loop, depth);
                if (!first || !second) return std::nullopt;
                return operation->op == PtxOperator::add ? *first + *second : *first - *second;
            }
            case PtxOperator::multiply:
            case PtxOperator::multiply_wide:
                return product(a, b);
            case PtxOperator::shift_left: {
                const auto step = of_operand(a, loop, depth), by = constant(b);
                if (!step || !by || *by < 0 || *by > 20 || std::abs(*step) > most) return std::nullopt;
                return *step * (std::int64_t{1} << *by);
            }
            case PtxOperator::multiply_add:
            case PtxOperator::multiply_add_wide: {
                const auto scaled = product(a, b), added = of_operand(c, loop, depth);
                if (!scaled || !added) return std::nullopt;
                return *scaled + *added;
            }
            default:
                return std::nullopt;
        }
    }

    const PtxFunction& function_;
    const PtxFlow& flow_;
    const PtxSlice& slice_;
};

/// The sectors that the accesses to one row load, that is, accesses of a block whose addresses are sums of
/// the same registers. Counted over the warps of a block and over some iterations.
class RowSectors {
  public:
    explicit RowSectors(std::optional<std::int64_t> advance)
        : advance_(advance.value_or(0)), iterations_(advance ? 8 : 1) {}

    /// Adds the addresses of a warp in one execution of an access.
    void add(const WarpAddresses& access, std::int64_t warp, bool parts) {
        for (int i = 0; i < iterations_; ++i) {
            const std::size_t first = touched_.size();
            if (first > most_touched) {
                full_ = true;
                return;
            }
            const auto moved = static_cast<std::uint64_t>(i * advance_);
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
                if (((access.active >> lane) & 1U) == 0) continue;
                const std::uint64_t begin = access.address[lane] + moved;
                // Parts at unknown distances share nothing with another warp.
                const std::uint64_t part =
                    parts ? (static_cast<std::uint64_t>(warp) + 1) * 64 + access.group[lane] : 0;
                for (std::uint64_t s = begin / 32;
                     s <= (begin + static_cast<std::uint64_t>(access.bytes - 1)) / 32; ++s)
                    touched_.push_back((part << 44U) ^ s);
            }
            const auto begin = touched_.begin() + static_cast<std::ptrdiff_t>(first);
            std::sort(begin, touched_.end());
            touched_.erase(std::unique(begin, touched_.end()), touched_.end());
            asked_ += touched_.size() - first;
            for (auto at = begin; at != touched_.end(); ++at) by_warp_.emplace_back(warp, *at);
            if (i == 0)
                now_.insert(now_.end(), touched_.begin() + static_cast<std::ptrdiff_t>(first),
                            touched_.end());
        }
    }

    double fresh() { return share_of(touched_); }
    double fresh_of_warp() { return share_of(by_warp_); }
    double live_bytes() { return full_ ? 0 : 32 * static_cast<double>(different(now_)); }

  private:
    static constexpr std::size_t most_touched = 300'000;

    template <class Sectors>
    double share_of(Sectors& sectors) const {
        if (full_ || asked_ == 0) return 1;
        return static_cast<double>(different(sectors)) / static_cast<double>(asked_);
    }
    template <class Sectors>
    static std::size_t different(Sectors& sectors) {
        std::sort(sectors.begin(), sectors.end());
        sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
        return sectors.size();
    }

    std::int64_t advance_;
    int iterations_;  // a sector has eight words
    std::size_t asked_ = 0;
    bool full_ = false;
    std::vector<std::uint64_t> touched_, now_;
    std::vector<std::pair<std::int64_t, std::uint64_t>> by_warp_;
};

/// The registers that add up to an address, by their definitions.
std::vector<std::uint32_t> row_of(const PtxFunction& function, const PtxSlice& slice, std::uint32_t at) {
    const PtxInstruction& instruction = function.instructions[at];
    std::vector<std::uint32_t> row = {slice.block_of(at), static_cast<std::uint32_t>(instruction.ptx_class)};
    for (std::uint32_t o = instruction.first_operand;
         o < instruction.first_operand + instruction.operand_count; ++o) {
        const PtxOperand& own = function.operands[o];
        if (!own.in_address || own.kind != PtxOperand::Kind::name) continue;
        const std::vector<std::uint32_t>& definitions = slice.of_operand(o);
        row.push_back(static_cast<std::uint32_t>(definitions.size()));
        row.insert(row.end(), definitions.begin(), definitions.end());
        if (definitions.empty()) row.push_back(o);  // a variable: identifies its own row
    }
    return row;
}

/// Whether all lanes of the warps that make an access use the same word.
class OneWord {
  public:
    void add(const WarpAddresses& access, bool parts) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            if (((access.active >> lane) & 1U) == 0) continue;
            if (!word_) word_ = access.address[lane];
            one_ = one_ && !parts && word_ == access.address[lane];
            ++lanes_;
        }
    }
    double lanes() const { return one_ ? lanes_ : 0; }

  private:
    std::optional<std::uint64_t> word_;
    bool one_ = true;
    double lanes_ = 0;
};

/// The numbers of the examined warps: all, or the first, the last and some in between.
std::vector<std::int64_t> chosen_warps(const PtxLaunch& launch, std::size_t slice) {
    if (launch.block[0] == 0) return {0};
    const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    const std::int64_t warps = std::clamp<std::int64_t>((threads + 31) / 32, 1, 32);
    const auto affordable = static_cast<std::int64_t>(most_lane_work / std::max<std::size_t>(1, slice));
    const std::int64_t chosen = std::clamp<std::int64_t>(affordable, std::min<std::int64_t>(2, warps), warps);
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < chosen; ++i)
        numbers.push_back(chosen == 1 ? 0 : i * (warps - 1) / (chosen - 1));
    return numbers;
}

/// A copy that one thread starts. Its bytes are contiguous, at any address. False if the bytes are unknown.
bool add_copy(const Warp& warp, const MemoryOperation& operation, PtxAccess& access) {
    const auto bytes = operation.size_operand ? warp.value(access.instruction, *operation.size_operand)
                                              : std::optional(operation.bytes);
    if (!bytes || *bytes <= 0) return false;
    access.bytes += static_cast<double>(*bytes);
    const double lines = std::ceil(static_cast<double>(*bytes) / 128);
    access.transactions += is_global(*operation.kind) ? std::ceil(static_cast<double>(*bytes) / 32) : lines;
    access.distinct = 1;
    const PtxLanes address = warp.address(access.instruction, operation.address);
    access.blocks = static_cast<std::uint8_t>(access.blocks |
                                              (address.is_known() ? address.blocks : PtxLanes::all_blocks));
    access.lines += is_global(*operation.kind) ? lines : 0;
    return true;
}

/// Adds the access of one warp; false if its addresses are unknown.
bool add_access(const Warp& warp, const MemoryOperation& operation, PtxAccess& access,
                std::set<std::uint64_t>& sectors, OneWord& words, RowSectors* row) {
    WarpAddresses addresses;
    addresses.active = warp.mask_of(access.instruction);
    addresses.bytes = operation.rows > 0 ? 16 : operation.bytes;
    if (addresses.active == 0) return true;
    access.warps += 1;
    if (operation.executor == MemoryExecutor::one_thread) return add_copy(warp, operation, access);
    if (operation.rows > 0 && operation.rows < 32) addresses.active &= (1U << operation.rows) - 1;
    const PtxLanes address = warp.address(access.instruction, operation.address);
    if (!address.is_known() || addresses.bytes <= 0) return false;
    addresses.address = address.value;
    addresses.group = address.group;
    const bool shared = !is_global(*operation.kind);
    access.bytes += static_cast<double>(addresses.bytes) * std::popcount(addresses.active);
    // Parts of a warp at an unknown distance in words may or may not share a bank.
    const bool parts = std::any_of(address.group.begin(), address.group.end(),
                                   [&](std::uint8_t group) { return group != address.group[0]; });
    if (shared && parts && address.multiple % 128 != 0) return false;
    // A common addend of all lanes counts as aligned. The offset keeps the addresses above 0.
    for (std::uint64_t& value : addresses.address) value += std::uint64_t{1} << 40U;
    access.transactions += static_cast<double>(shared ? shared_passes(addresses) : global_sectors(addresses));
    if (!shared) words.add(addresses, parts);
    if (row != nullptr) row->add(addresses, warp.number(), parts);
    if (parts) access.distinct = 1;
    if (!shared && !parts) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            if (((addresses.active >> lane) & 1U) == 0) continue;
            const auto last = static_cast<std::uint64_t>(addresses.bytes - 1);
            for (std::uint64_t s = addresses.address[lane] / 32; s <= (addresses.address[lane] + last) / 32;
                 ++s)
                sectors.insert(s);
        }
    }
    access.lines += shared ? 0 : static_cast<double>(global_lines(addresses));
    access.blocks = static_cast<std::uint8_t>(access.blocks | address.blocks);
    return true;
}

}  // namespace

PtxWarps follow_ptx_warps(const PtxFunction& function, const PtxFlow& flow, const PtxLaunch& launch) {
    const PtxSlice slice(function, flow);
    PtxDivergence divergence(flow);
    PtxWarps result;
    const bool row = launch.block[0] > 0 || !reads_other_axes(function);
    result.needs_shape = !row;
    result.share.assign(flow.blocks.size(), 0);
    for (const std::uint32_t at : slice.accesses()) {
        PtxAccess access;
        access.instruction = at;
        access.warps = 0;
        access.known = true;
        access.distinct = 0;
        access.blocks = 0;
        result.accesses.push_back(access);
    }
    std::vector<MemoryOperation> operations;
    for (const PtxAccess& access : result.accesses)
        operations.push_back(*memory_operation(function, function.instructions[access.instruction]));
    std::vector<std::set<std::uint64_t>> sectors(result.accesses.size());
    std::vector<OneWord> words(result.accesses.size());
    const std::vector<std::uint32_t> guarded = guarded_ptx_units(function, flow);
    const PtxAdvance advance(function, flow, slice);
    std::map<std::vector<std::uint32_t>, RowSectors> rows;
    std::vector<RowSectors*> row_of_access(result.accesses.size(), nullptr);
    for (std::size_t a = 0; a < result.accesses.size(); ++a) {
        const std::uint32_t at = result.accesses[a].instruction;
        if (!is_global(*operations[a].kind) || operations[a].executor == MemoryExecutor::one_thread) continue;
        row_of_access[a] =
            &rows.try_emplace(row_of(function, slice, at), advance.of_access(at, operations[a].address))
                 .first->second;
    }
    const std::vector<std::int64_t> numbers = chosen_warps(launch, slice.instructions().size());
    for (const std::int64_t number : numbers) {
        const Warp warp(function, flow, launch, slice, divergence, row, number);
        std::vector<bool>& executes = result.executes.emplace_back();
        for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
            executes.push_back(warp.mask(b) != 0);
            result.share[b] += executes.back() ? 1 : 0;
        }
        std::vector<std::uint32_t>& skips = result.skips.emplace_back();
        std::copy_if(guarded.begin(), guarded.end(), std::back_inserter(skips),
                     [&](std::uint32_t i) { return warp.mask_of(i) == 0; });
        for (std::size_t a = 0; a < result.accesses.size(); ++a) {
            PtxAccess& access = result.accesses[a];
            access.known &= add_access(warp, operations[a], access, sectors[a], words[a], row_of_access[a]);
        }
    }
    const auto looked_at = static_cast<double>(numbers.size());
    for (double& share : result.share) share /= looked_at;
    for (std::size_t a = 0; a < result.accesses.size(); ++a) {
        PtxAccess& access = result.accesses[a];
        // The unknown part is also the same for all warps of a block.
        if (access.distinct < 1 && access.transactions > 0)
            access.distinct = static_cast<double>(sectors[a].size()) / access.transactions;
        if (!access.known || sectors[a].empty()) access.distinct = 1;
        if (access.warps > 0) access.transactions /= access.warps;
        if (access.warps > 0) access.bytes /= access.warps;
        if (access.warps > 0) access.passes = access.lines / access.warps;
        access.known &= access.warps > 0;
        if (!access.known) access.blocks = PtxLanes::all_blocks;
        const bool stays = !flow.loop_of[slice.block_of(access.instruction)] ||
                           advance.of_access(access.instruction, operations[a].address) == 0;
        if (access.blocks == 0 && stays) access.one_word = words[a].lanes() / access.warps;
        access.warps /= looked_at;
    }
    std::set<RowSectors*> counted;
    for (std::size_t a = 0; a < result.accesses.size(); ++a) {
        PtxAccess& access = result.accesses[a];
        if (!access.known || row_of_access[a] == nullptr) continue;
        access.fresh = row_of_access[a]->fresh();
        access.fresh_of_warp = row_of_access[a]->fresh_of_warp();
        if (counted.insert(row_of_access[a]).second) access.live_bytes = row_of_access[a]->live_bytes();
    }
    return result;
}

}  // namespace warpnet::netgen

#include "netgen/ptx/ptx_trips.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace warpnet {

namespace {

constexpr std::size_t longest_slice = 1000;  // instructions; also bounds trips * instructions below

// The instructions of one iteration on which an exit test depends, in the order of their execution, and the
// registers they use, numbered.
class ExitTest {
  public:
    ExitTest(const PtxFunction& function, const PtxFlow& flow, PtxConstants& constants, std::uint32_t loop,
             std::uint32_t exit)
        : function_(function), flow_(flow), constants_(constants), loop_(loop), exit_(exit) {}

    /// How often the test lets the loop go on before it ends it; nothing where that is no constant.
    std::optional<std::int64_t> passes() {
        const PtxBlock& block = flow_.blocks[exit_];
        const PtxInstruction& branch = function_.instructions[block.last - 1];
        if (!branch.guard || block.successors.size() != 2 || !runs_in_every_iteration(exit_))
            return std::nullopt;
        const bool taken_leaves = !flow_.is_inside(block.successors[0], loop_);
        if (taken_leaves == !flow_.is_inside(block.successors[1], loop_)) return std::nullopt;
        const std::size_t predicate = slot_of(branch.guard->reg);
        if (!collect()) return std::nullopt;
        const bool leaves_on = taken_leaves != branch.guard->negated;
        return simulate(predicate, leaves_on);
    }

  private:
    struct Source {
        bool is_register;
        std::size_t slot;
        std::uint64_t value;
    };
    struct Step {
        std::uint32_t instruction;
        PtxOperation operation;
        std::size_t destination;
        std::size_t source_count;
        std::array<Source, 3> sources;
    };

    bool runs_in_every_iteration(std::uint32_t block) const {
        const std::vector<std::uint32_t>& latches = flow_.loops[loop_].latches;
        return flow_.loop_of[block] == loop_ &&
               std::all_of(latches.begin(), latches.end(),
                           [&](std::uint32_t latch) { return flow_.dominates(block, latch); });
    }

    std::size_t slot_of(PtxRegister reg) {
        const auto [found, is_new] = slots_.emplace(index(reg), registers_.size());
        if (is_new) registers_.push_back(reg);
        return found->second;
    }

    // All definitions inside the loop of all registers needed.
    bool collect() {
        for (std::size_t slot = 0; slot < registers_.size(); ++slot) {
            for (const std::uint32_t at : constants_.definitions(registers_[slot])) {
                const std::uint32_t block = constants_.block_of(at);
                if (!flow_.is_inside(block, loop_)) continue;
                if (!runs_in_every_iteration(block) || !add_step(at, slot)) return false;
            }
        }
        // Blocks that run in every iteration dominate one another, in the order of their execution.
        std::sort(steps_.begin(), steps_.end(), [&](const Step& a, const Step& b) {
            const std::uint32_t x = constants_.block_of(a.instruction);
            const std::uint32_t y = constants_.block_of(b.instruction);
            return x == y ? a.instruction < b.instruction : flow_.dominates(x, y);
        });
        return true;
    }

    bool add_step(std::uint32_t at, std::size_t slot) {
        const PtxInstruction& instruction = function_.instructions[at];
        if (steps_.size() == longest_slice || instruction.guard) return false;
        if (!ptx_destination(function_, instruction)) return false;
        const std::string_view param = ptx_loaded_param(function_, instruction);
        if (!param.empty()) {  // the same in every iteration
            const auto value = constants_.launch().param(param);
            if (!value) return false;
            steps_.push_back({at, {PtxOperator::move, 1, 64, false, 64}, slot, 1, {}});
            steps_.back().sources[0] = {false, 0, static_cast<std::uint64_t>(*value)};
            return true;
        }
        const auto operation = ptx_operation(instruction.opcode);
        if (!operation) return false;
        Step step{at, *operation, slot, 0, {}};
        for (const PtxOperand& operand : function_.operands_of(instruction)) {
            if (operand.position == 0) continue;
            if (operand.position != step.source_count + 1 || step.source_count == step.sources.size() ||
                operand.in_address)
                return false;
            Source& source = step.sources[step.source_count++];
            if (operand.kind == PtxOperand::Kind::integer) {
                source = {false, 0, static_cast<std::uint64_t>(operand.value)};
            } else if (operand.kind == PtxOperand::Kind::name && constants_.launch().special(operand.text)) {
                source = {false, 0, static_cast<std::uint64_t>(*constants_.launch().special(operand.text))};
            } else if (operand.kind == PtxOperand::Kind::name && !operand.negated &&
                       operand.text.find('.') == std::string_view::npos) {
                source = {true, slot_of(operand.reg), 0};
            } else {
                return false;
            }
        }
        steps_.push_back(step);
        return true;
    }

    std::optional<std::int64_t> simulate(std::size_t predicate, bool leaves_on) {
        values_.assign(registers_.size(), std::nullopt);
        asked_.assign(registers_.size(), false);
        const auto end = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) {
            const std::uint32_t block = constants_.block_of(step.instruction);
            return block != exit_ && flow_.dominates(exit_, block);
        });
        for (std::int64_t passed = 0; passed <= max_proved_trips; ++passed) {
            for (auto step = steps_.begin(); step != end; ++step)
                if (!execute(*step)) return std::nullopt;
            const auto condition = value(predicate);
            if (!condition) return std::nullopt;
            if ((*condition != 0) == leaves_on) return passed;
            for (auto step = end; step != steps_.end(); ++step)
                if (!execute(*step)) return std::nullopt;
            work_ += steps_.size();
            if (work_ > most_work || never_ends(passed)) return std::nullopt;
        }
        return std::nullopt;
    }

    // A state that comes again comes for ever (Brent's cycle detection).
    bool never_ends(std::int64_t passed) {
        if (values_ == remembered_) return true;
        if (std::has_single_bit(static_cast<std::uint64_t>(passed) + 1)) remembered_ = values_;
        return false;
    }

    bool execute(const Step& step) {
        std::array<std::uint64_t, 3> sources = {};
        for (std::size_t i = 0; i < step.source_count; ++i) {
            const Source& source = step.sources[i];
            const auto one = source.is_register ? value(source.slot) : std::optional(source.value);
            if (!one) return false;
            sources[i] = *one;
        }
        const auto result = ptx_evaluate(step.operation, std::span(sources).first(step.source_count));
        values_[step.destination] = result;
        return result.has_value();
    }

    // What a register holds before the loop matters only where it is read before it is written.
    std::optional<std::uint64_t> value(std::size_t slot) {
        if (!values_[slot] && !asked_[slot]) {
            asked_[slot] = true;
            values_[slot] = at_entry(registers_[slot]);
        }
        return values_[slot];
    }

    std::optional<std::uint64_t> at_entry(PtxRegister reg) {
        const std::uint32_t header = flow_.loops[loop_].header;
        std::optional<std::uint64_t> result;
        if (header == 0) return std::nullopt;
        for (const std::uint32_t before : flow_.blocks[header].predecessors) {
            if (flow_.is_inside(before, loop_)) continue;
            const auto one = constants_.at_end(before, reg);
            if (!one || (result && *result != *one)) return std::nullopt;
            result = one;
        }
        return result;
    }

    static constexpr std::uint64_t most_work = 1'000'000;  // instructions computed for one loop

    const PtxFunction& function_;
    const PtxFlow& flow_;
    PtxConstants& constants_;
    std::uint32_t loop_;
    std::uint32_t exit_;
    std::unordered_map<std::size_t, std::size_t> slots_;
    std::vector<PtxRegister> registers_;  // by slot
    std::vector<Step> steps_;
    std::vector<std::optional<std::uint64_t>> values_;  // by slot
    std::vector<std::optional<std::uint64_t>> remembered_;
    std::vector<bool> asked_;
    std::uint64_t work_ = 0;
};

/// Whether an exit condition comes from the number of a thread or of its block.
bool depends_on_thread(const PtxFunction& function, const PtxFlow& flow, PtxConstants& constants,
                       std::uint32_t loop) {
    if (constants.launch().empty()) return false;
    const PtxLaunch nothing;
    PtxConstants unaware(function, flow, nothing);
    const std::vector<std::string> origins = missing_for_ptx_trips(function, flow, unaware, loop);
    return std::any_of(origins.begin(), origins.end(), [](const std::string& origin) {
        return origin.starts_with("%tid") || origin.starts_with("%ctaid");
    });
}

}  // namespace

std::optional<PtxTripCount> prove_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                            PtxConstants& constants, std::uint32_t loop) {
    const PtxFlowLoop& own = flow.loops[loop];
    std::optional<std::int64_t> fewest;
    for (const std::uint32_t exit : own.exits) {
        const auto passed = ExitTest(function, flow, constants, loop, exit).passes();
        if (!passed) continue;
        // Behind a test that is not the last thing in the loop the body is cut short; before, it is complete.
        const std::int64_t trips = own.leaves_early ? *passed : *passed + 1;
        fewest = std::min(fewest.value_or(std::numeric_limits<std::int64_t>::max()), trips);
    }
    if (!fewest) return std::nullopt;
    PtxTripCount count{*fewest, own.exits.size() == 1};
    count.first_thread = depends_on_thread(function, flow, constants, loop);
    return count;
}

std::vector<std::string> missing_for_ptx_trips(const PtxFunction& function, const PtxFlow& flow,
                                               PtxConstants& constants, std::uint32_t loop) {
    std::vector<std::string> missing;
    for (const std::uint32_t exit : flow.loops[loop].exits) {
        const PtxBlock& block = flow.blocks[exit];
        if (block.first == block.last) continue;
        const PtxInstruction& branch = function.instructions[block.last - 1];
        if (!branch.guard) continue;
        for (std::string& origin : constants.origins(exit, branch.guard->reg))
            missing.push_back(std::move(origin));
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    return missing;
}

}  // namespace warpnet

// The execution of one warp: its instruction string with loops, and averages over the warps of a launch.
// Instructions, bytes and transactions of a block are multiplied by the number of times that the mean warp
// runs it (tally.hpp). Transactions follow from known addresses (values/addresses.hpp). Accesses with unknown
// addresses count as neighbouring words. Linear in the instructions, and in the length of the string.

#include "netgen/code/ptx/execution.hpp"

#include "engine/base/round_up.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/chains.hpp"
#include "netgen/code/ptx/shares.hpp"
#include "netgen/code/ptx/structure.hpp"
#include "netgen/code/ptx/text/memory_operations.hpp"
#include "netgen/code/ptx/text/names.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"
#include "netgen/code/ptx/values/addresses.hpp"
#include "netgen/code/ptx/values/trips.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

constexpr std::size_t most_rolled_letters = 1'000'000;
// Visited blocks. A chain of functions that each call the next one twice visits exponentially many without a
// letter.
constexpr std::size_t most_visits = 20'000'000;

[[noreturn]] void fail_long(const PtxProgram& program, std::size_t most) {
    throw InputError(program.module().source + ": kernel '" +
                     std::string(program.function(program.kernel()).name) +
                     "': its instruction string is longer than " + std::to_string(most) + " letters");
}

// Walks through the instructions of the kernel and of the functions that it calls. The sink has letter(char),
// begin_loop() and end_loop(trips); letter() returns false to end the walk.
template <class Sink>
class Walk {
  public:
    Walk(const PtxProgram& program, PtxLetters letters, bool with_last, Sink& sink)
        : program_(program), letters_(letters), with_last_(with_last), sink_(sink) {}

    void run(std::optional<std::uint32_t> until_loop = {}) {
        until_ = until_loop;
        pass(program_.kernel(), program_.structure(program_.kernel()).whole, true);
    }

  private:
    // False: the walk has ended.
    bool pass(std::size_t function, const PtxPass& items, bool of_kernel) {
        const PtxStructure& structure = program_.structure(function);
        for (const PtxItem item : items) {
            if (++visits_ > most_visits) fail_long(program_, most_visits);
            if (!item.is_loop) {
                if (!block(function, structure.flow.blocks[item.number])) return false;
                continue;
            }
            const PtxLoopStructure& loop = structure.loops[item.number];
            sink_.begin_loop();
            if (!pass(function, loop.body, of_kernel)) return false;
            sink_.end_loop(loop.trips);
            if (of_kernel && until_ == item.number) return false;
            if (with_last_ && !pass(function, loop.last, of_kernel)) return false;
        }
        return true;
    }

    bool block(std::size_t function, const PtxBlock& block) {
        for (std::uint32_t i = block.first; i < block.last; ++i) {
            const char letter = ptx_letter(program_.class_of(function, i), letters_);
            if (letter != '-' && !sink_.letter(letter)) return false;
            for (const std::uint32_t callee : program_.called(function, i))
                if (program_.function(callee).has_body &&
                    !pass(callee, program_.structure(callee).whole, false))
                    return false;
        }
        return true;
    }

    const PtxProgram& program_;
    PtxLetters letters_;
    bool with_last_;
    Sink& sink_;
    std::optional<std::uint32_t> until_;
    std::size_t visits_ = 0;
};

struct Letters {
    std::string text;
    bool too_long = false;

    bool letter(char c) {
        text += c;
        too_long = text.size() > most_rolled_letters;
        return !too_long;
    }
    void begin_loop() {}
    void end_loop(std::optional<std::int64_t>) {}
};

struct Formula {
    std::string text;
    char run = 0;
    std::size_t length = 0;

    bool letter(char c) {
        if (c != run) flush();
        run = c;
        ++length;
        return text.size() <= most_rolled_letters;
    }
    void flush() {
        if (length == 0) return;
        separate();
        if (length > 1) text += std::to_string(length);
        text += run;
        length = 0;
    }
    void separate() {
        if (!text.empty() && text.back() != '(') text += ' ';
    }
    void begin_loop() {
        flush();
        separate();
        text += '(';
    }
    void end_loop(std::optional<std::int64_t> trips) {
        flush();
        text += ")*" + (trips ? std::to_string(*trips) : std::string("?"));
    }
};

struct Unrolled {
    std::string text;
    std::size_t most;
    std::vector<std::size_t> loops;  // the beginnings of the bodies
    bool too_long = false;

    bool letter(char c) {
        text += c;
        too_long = too_long || text.size() > most;
        return !too_long;
    }
    void begin_loop() { loops.push_back(text.size()); }
    void end_loop(std::optional<std::int64_t> trips) {
        const std::size_t begin = loops.back();
        loops.pop_back();
        const std::string body = text.substr(begin);
        if (body.empty()) return;
        const auto times = static_cast<std::uint64_t>(trips.value_or(1));
        if (times > (most - begin) / body.size()) {
            too_long = true;
            return;
        }
        text.resize(begin);
        for (std::uint64_t i = 0; i < times; ++i) text += body;
    }
};

}  // namespace

std::string ptx_rolled_string(const PtxProgram& program, PtxLetters letters,
                              std::optional<std::uint32_t> until_loop) {
    Letters string;
    Walk(program, letters, false, string).run(until_loop);
    if (string.too_long) fail_long(program, most_rolled_letters);
    return std::move(string.text);
}

std::string ptx_formula(const PtxProgram& program, PtxLetters letters) {
    Formula formula;
    Walk(program, letters, true, formula).run();
    formula.flush();
    if (formula.text.size() > most_rolled_letters) fail_long(program, most_rolled_letters);
    return std::move(formula.text);
}

std::string ptx_expanded_string(const PtxProgram& program, PtxLetters letters, std::size_t most_letters) {
    Unrolled unrolled;
    unrolled.most = most_letters;
    Walk(program, letters, true, unrolled).run();
    if (unrolled.too_long) fail_long(program, most_letters);
    return std::move(unrolled.text);
}

namespace {

// Static shared memory of a block: the variables outside functions that the kernel or a called function
// names, and those inside these functions. Variables of large alignment are placed first, which needs the
// least space.
std::int64_t shared_bytes_of(const PtxProgram& program) {
    std::vector<PtxSharedVariable> variables;
    for (const PtxSharedVariable& variable : program.module().shared) {
        const bool named = std::any_of(program.order().begin(), program.order().end(), [&](std::size_t f) {
            const std::vector<PtxOperand>& operands = program.function(f).operands;
            return std::any_of(operands.begin(), operands.end(), [&](const PtxOperand& operand) {
                return operand.kind == PtxOperand::Kind::name && operand.text == variable.name;
            });
        });
        if (named) variables.push_back(variable);
    }
    for (const std::size_t f : program.order())
        variables.insert(variables.end(), program.function(f).shared.begin(),
                         program.function(f).shared.end());
    std::stable_sort(variables.begin(), variables.end(),
                     [](const auto& a, const auto& b) { return a.alignment > b.alignment; });
    std::int64_t bytes = 0;
    for (const PtxSharedVariable& variable : variables) {
        if (variable.bytes == 0) continue;
        bytes = rounded_up(bytes, variable.alignment);
        if (__builtin_add_overflow(bytes, variable.bytes, &bytes))
            throw InputError(program.module().source + ": more than 2^63 - 1 bytes of shared memory");
    }
    // The limit of ptxas; a launch may request more.
    constexpr std::int64_t most = std::int64_t{48} * 1024;
    const PtxFunction& kernel = program.function(program.kernel());
    if (bytes > most && !program.module().machine_code)
        throw InputError(
            fmt::format("{}:{}: kernel '{}' declares {} bytes of shared memory, expected at most {} "
                        "(more as .extern, with its size at launch)",
                        program.module().source, kernel.line, kernel.name, bytes, most));
    return bytes;
}

bool depends_on_thread_alone(const std::vector<std::string>& origins) {
    const auto has = [&](std::string_view begin) {
        return std::any_of(origins.begin(), origins.end(),
                           [&](const std::string& origin) { return origin.starts_with(begin); });
    };
    return has("%tid") && !has("%ctaid");
}

/// By block: whether a condition on the number of the thread alone dominates it and leads to it on one side.
std::vector<bool> entered_by_some_threads(const PtxFunction& kernel, const PtxFlow& flow,
                                          PtxConstants& values) {
    std::vector<bool> entered(flow.blocks.size(), false);
    if (flow.loops.empty()) return entered;
    for (const std::uint32_t at : flow.dominators_first) {
        const std::uint32_t above = flow.dominator[at];
        const PtxBlock& block = flow.blocks[above];
        entered[at] = entered[above];
        if (at == 0 || entered[at] || block.first == block.last || block.successors.size() != 2) continue;
        const auto& guard = kernel.instructions[block.last - 1].guard;
        entered[at] = guard &&
                      flow.dominates(block.successors[0], at) != flow.dominates(block.successors[1], at) &&
                      depends_on_thread_alone(values.origins(above, guard->reg));
    }
    return entered;
}

/// Marks parts of the kernel itself that depend on the number of the thread: loops that only some threads
/// enter, and loads from constant memory that serialise.
void mark_threads(const PtxProgram& program, PtxExecution& profile) {
    const PtxFunction& kernel = program.function(program.kernel());
    const PtxFlow& flow = program.structure(program.kernel()).flow;
    const PtxLaunch unknown;
    PtxConstants values(kernel, flow, unknown);
    const std::vector<bool> entered = entered_by_some_threads(kernel, flow, values);
    for (std::uint32_t l = 0; l < flow.loops.size(); ++l) {
        if (!entered[flow.loops[l].header]) continue;
        // A loop that strides over the threads of a block ends differently for each thread, but all threads
        // enter it.
        const std::vector<std::string> ends = missing_for_ptx_trips(kernel, flow, values, l);
        if (std::none_of(ends.begin(), ends.end(),
                         [](const std::string& end) { return end.starts_with("%tid"); }))
            profile.some_threads.push_back(flow.loops[l].name);
    }
    const std::vector<std::int64_t> executions = program.executions(program.kernel());
    for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
        for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
            const PtxInstruction& instruction = kernel.instructions[i];
            if (instruction.ptx_class != PtxClass::constant_load) continue;
            for (const PtxOperand& operand : kernel.operands_of(instruction)) {
                if (!operand.in_address || operand.kind != PtxOperand::Kind::name) continue;
                const std::vector<std::string> origins = values.origins(b, operand.reg);
                const bool of_thread =
                    std::any_of(origins.begin(), origins.end(), [](const std::string& origin) {
                        return origin.starts_with("%tid") || origin == "memory";
                    });
                if (of_thread) profile.indexed_constants += executions[b];
            }
        }
    }
}

/// The transactions of an access with an unknown address: neighbouring words, no bank conflicts.
double plain_transactions(const MemoryOperation& operation) {
    const auto bytes = static_cast<double>(operation.bytes);
    const bool global = is_global(*operation.kind);
    if (operation.executor == MemoryExecutor::one_thread) return std::ceil(bytes / (global ? 32 : 128));
    return std::max(1.0, global ? bytes : bytes / 4);
}

/// Bytes that a warp moves in an operation: 0 if they are unknown.
double warp_bytes(const MemoryOperation& operation, const PtxAccess* access) {
    if (access != nullptr && access->known) return access->bytes;
    const bool one = operation.executor == MemoryExecutor::one_thread;
    return static_cast<double>(operation.bytes) * (one ? 1 : 32);
}

/// Blocks access the same data if they differ only in coordinates on which the address does not depend.
double dram_share(const PtxAccess& access, const std::array<std::int64_t, 3>& grid) {
    double share = access.distinct;
    for (unsigned axis = 0; axis < 3; ++axis)
        if (((access.blocks >> axis) & 1U) == 0 && grid[axis] > 0) share /= static_cast<double>(grid[axis]);
    return access.blocks == 0 ? 0 : share;
}

/// Per instruction of the kernel, the share of the arriving warps of a block whose guard lets them execute
/// it.
std::vector<double> guard_shares_of(const PtxWarps& warps, const PtxFlow& flow, std::vector<double> shares) {
    const auto count = static_cast<double>(warps.skips.size());
    std::vector<double> skipped(shares.size(), 0);
    for (const std::vector<std::uint32_t>& skips : warps.skips)
        for (const std::uint32_t i : skips) skipped[i] += 1 / count;
    for (std::size_t b = 0; b < flow.blocks.size(); ++b)
        for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i)
            if (skipped[i] > 0) shares[i] *= warps.share[b] > 0 ? (1 - skipped[i]) / warps.share[b] : 0;
    return shares;
}

/// Averages over the warps of a block: shares of branches, warps that conditions exclude.
PtxMix averages_of(const PtxProgram& program, const std::vector<std::vector<double>>& frequencies,
                   const PtxWarps& warps, bool by_share, const std::array<std::int64_t, 3>& grid) {
    PtxMix mix;
    for (const std::size_t f : program.order()) {
        const PtxFunction& function = program.function(f);
        const PtxFlow& flow = program.structure(f).flow;
        const bool is_kernel = f == program.kernel();
        std::vector<const PtxAccess*> access_at(is_kernel ? function.instructions.size() : 0, nullptr);
        if (is_kernel)
            for (const PtxAccess& access : warps.accesses) access_at[access.instruction] = &access;
        std::vector<double> guards = program.guard_shares(f);
        if (is_kernel && by_share) guards = guard_shares_of(warps, flow, std::move(guards));
        const std::vector<MachineRoutines> fused =
            program.module().machine_code ? std::vector<MachineRoutines>(function.instructions.size())
                                          : fused_instructions(function, flow);
        const std::vector<PtxBlockChain> chains = program.module().machine_code
                                                      ? std::vector<PtxBlockChain>(flow.blocks.size())
                                                      : block_chains(function, flow);
        for (std::size_t b = 0; b < frequencies[f].size(); ++b) {
            const double of_block = frequencies[f][b] * (is_kernel && by_share ? warps.share[b] : 1);
            mix.chains.all.add(chains[b].all, of_block);
            mix.chains.longest.add(chains[b].longest, of_block);
            double live = 0;
            for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
                const double times = of_block * guards[i];
                const PtxTally own = program.own_tally(f, i);
                mix.by_class[static_cast<std::size_t>(function.instructions[i].ptx_class)] += times;
                mix.by_class[static_cast<std::size_t>(PtxClass::skipped)] += of_block - times;
                for (const AccessKind kind : access_kinds)
                    mix.bytes[kind] += times * static_cast<double>(own.bytes[kind]);
                mix.wide_conversions += times * static_cast<double>(own.wide_conversions);
                mix.integer_conversions += times * static_cast<double>(own.integer_conversions);
                if (!(times > 0)) continue;
                const auto operation = memory_operation(function, function.instructions[i]);
                if (!program.module().machine_code)
                    mix.routines.add(machine_routine(function, function.instructions[i]), times);
                mix.fused.add(fused[i], times);
                if (!operation || !operation->kind) continue;
                const AccessKind kind = *operation->kind;
                const PtxAccess* access = is_kernel ? access_at[i] : nullptr;
                const bool known = access != nullptr && access->known;
                const double own_bytes = warp_bytes(*operation, access);
                if (!(own_bytes > 0)) continue;  // named in the profile
                const double transactions = known ? access->transactions : plain_transactions(*operation);
                mix.requests[kind] += times;
                mix.transactions[kind] += times * transactions;
                if (is_global(kind)) mix.dense_sectors[kind] += times * own_bytes / 32;
                if (known) mix.repeated_sectors[kind] += times * transactions * (1 - access->fresh);
                if (known && function.instructions[i].ptx_class == PtxClass::global_atomic)
                    (function.instructions[i].opcode.ends_with(".f32") ? mix.one_word_float_atomics
                                                                       : mix.one_word_atomics) +=
                        times * access->one_word;
                if (is_global(kind))
                    mix.passes[kind] += times * (known ? access->passes : std::ceil(own_bytes / 128));
                if (known && kind == AccessKind::global_load)
                    mix.again += times * (1 - access->fresh_of_warp);
                if (known && kind == AccessKind::global_load) live += access->live_bytes;
                if (kind == AccessKind::global_load)
                    mix.dram_sectors += times * transactions * (known ? dram_share(*access, grid) : 1);
                if (!known || access->blocks != 0 || kind != AccessKind::global_load) continue;
                mix.common_sectors += times * transactions;
                mix.common_lines += access->lines;
            }
            mix.live_bytes = std::max(mix.live_bytes, live);
        }
    }
    return mix;
}

/// Rounds counts, because shares of branches make fractions. No count exceeds the sum of both sides, which
/// fits.
void round_counts(const PtxMix& mix, PtxExecution& profile) {
    const auto rounded = [](double value) { return static_cast<std::int64_t>(std::llround(value)); };
    for (std::size_t c = 0; c < ptx_class_count; ++c) profile.counts.by_class[c] = rounded(mix.by_class[c]);
    for (const AccessKind kind : access_kinds) profile.bytes[kind] = rounded(mix.bytes[kind]);
    profile.wide_conversions = rounded(mix.wide_conversions);
    profile.integer_conversions = rounded(mix.integer_conversions);
}

/// The instructions of the mean warp of a block, as a share of those of the longest warp.
double busy_share(const PtxProgram& program, const std::vector<double>& frequencies, const PtxWarps& warps) {
    double total = 0;
    double most = 0;
    const PtxFlow& flow = program.structure(program.kernel()).flow;
    std::vector<double> totals;
    for (const PtxBlock& block : flow.blocks)
        totals.push_back(static_cast<double>(program.tally_of(program.kernel(), block).total()));
    for (std::size_t w = 0; w < warps.executes.size(); ++w) {
        double own = 0;
        auto skip = warps.skips[w].begin();
        for (std::size_t b = 0; b < frequencies.size(); ++b) {
            if (warps.executes[w][b]) own += frequencies[b] * totals[b];
            for (; skip != warps.skips[w].end() && *skip < flow.blocks[b].last; ++skip)
                for (const std::uint32_t callee : program.called(program.kernel(), *skip))
                    if (warps.executes[w][b])
                        own -= frequencies[b] * static_cast<double>(program.tally(callee).total());
        }
        total += own;
        most = std::max(most, own);
    }
    return most > 0 ? total / most / static_cast<double>(warps.executes.size()) : 1;
}

/// Reports the accesses and the conditions of called functions, because addresses and threads are followed
/// only in the kernel. The report includes branches that accept shares.
void name_unfollowed(const PtxProgram& program, const std::vector<std::vector<double>>& frequencies,
                     PtxExecution& profile) {
    if (program.module().machine_code) return;
    for (const std::size_t f : program.order()) {
        const PtxFunction& function = program.function(f);
        const PtxFlow& flow = program.structure(f).flow;
        for (std::uint32_t b = 0; f != program.kernel() && b < flow.blocks.size(); ++b) {
            if (!(frequencies[f][b] > 0)) continue;
            for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
                const PtxInstruction& instruction = function.instructions[i];
                if (program.class_of(f, i) == PtxClass::skipped) continue;
                const auto operation = memory_operation(function, instruction);
                if (operation && operation->follows_addresses() && operation->bytes > 0)
                    profile.unknown_accesses.push_back(instruction.line);
                const std::vector<std::uint32_t>& ways = flow.blocks[b].successors;
                const bool decides = i + 1 == flow.blocks[b].last && ways.size() == 2;
                const bool both = decides && frequencies[f][ways[0]] > 0 && frequencies[f][ways[1]] > 0 &&
                                  (!takes_ptx_share(function, flow, b) || !program.structure(f).is_open(b));
                const bool ends_loop = decides && flow.loop_of[b] &&
                                       std::any_of(ways.begin(), ways.end(), [&](std::uint32_t to) {
                                           return !flow.is_inside(to, *flow.loop_of[b]) ||
                                                  to == flow.loops[*flow.loop_of[b]].header;
                                       });
                if (instruction.guard && ((both && !ends_loop) || ptx_has_unit(instruction.ptx_class)))
                    profile.unfollowed_conditions.push_back(instruction.line);
            }
        }
    }
}

PtxWarps follow_warps(const PtxProgram& program, const PtxOptions& options, PtxExecution& profile) {
    const std::vector<std::vector<double>> frequencies = program.frequencies();
    const std::size_t number = program.kernel();
    const PtxFunction& kernel = program.function(number);
    const PtxFlow& flow = program.structure(number).flow;
    PtxWarps warps;
    warps.share.assign(flow.blocks.size(), 1);
    if (!options.taken.empty())
        round_counts(averages_of(program, frequencies, warps, true, options.launch.grid), profile);
    profile.averaged = !options.taken.empty();
    if (options.follow_addresses) warps = follow_ptx_warps(kernel, flow, options.launch);
    // The mean warp of a launch omits the blocks that conditions on its threads exclude.
    const bool mean_known = options.launch.block[0] > 0;
    profile.mix = averages_of(program, mean_known ? program.frequencies(true) : frequencies, warps,
                              !mean_known, options.launch.grid);
    if (!options.follow_addresses) return warps;
    profile.busy_share = busy_share(program, frequencies[number], warps);
    profile.needs_shape = warps.needs_shape;
    for (const PtxAccess& access : warps.accesses) {
        std::uint32_t b = 0;
        while (flow.blocks[b].last <= access.instruction) ++b;
        const PtxInstruction& instruction = kernel.instructions[access.instruction];
        const bool runs = access.warps > 0 && frequencies[number][b] > 0 &&
                          program.class_of(number, access.instruction) != PtxClass::skipped;
        if (!access.known && runs && memory_operation(kernel, instruction)->bytes > 0)
            profile.unknown_accesses.push_back(instruction.line);
    }
    name_unfollowed(program, frequencies, profile);
    return warps;
}

/// Reports the operations of the kernel and its functions that the table of memory operations lacks.
void name_unknown_operations(const PtxProgram& program, const PtxWarps& warps, PtxExecution& profile) {
    std::set<std::string> unsized;
    std::set<std::string> modifiers;
    std::unordered_set<std::string_view> opcodes;
    std::vector<std::string> undeclared;
    for (const std::size_t f : program.order()) {
        const PtxFunction& function = program.function(f);
        std::set<std::uint32_t> sized;
        if (f == program.kernel())
            for (const PtxAccess& access : warps.accesses)
                if (access.known || access.warps == 0) sized.insert(access.instruction);
        for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
            const PtxInstruction& instruction = function.instructions[i];
            const auto operation = memory_operation(function, instruction);
            if (operation && operation->kind && operation->bytes == 0 && sized.count(i) == 0)
                unsized.insert(program.module().machine_code  // whose opcodes are counterparts
                                   ? fmt::format("line {}", instruction.line)
                                   : fmt::format("{} (line {})", instruction.opcode, instruction.line));
            // For machine code the reader reports them, because the opcodes here are counterparts.
            if (program.module().machine_code || instruction.ptx_class == PtxClass::unknown ||
                !opcodes.insert(instruction.opcode).second)
                continue;
            for (const std::string_view part : unknown_modifiers(instruction.opcode))
                modifiers.insert(fmt::format(".{} of {}", part, instruction.opcode));
        }
        modifiers.insert(function.unknown_modifiers.begin(), function.unknown_modifiers.end());
        undeclared.insert(undeclared.end(), function.undeclared_names.begin(),
                          function.undeclared_names.end());
    }
    profile.undeclared_names = std::move(undeclared);
    profile.unsized_operations.assign(unsized.begin(), unsized.end());
    profile.unknown_modifiers.assign(modifiers.begin(), modifiers.end());
}

std::vector<std::string> both_sides_of(const PtxProgram& program, const PtxOptions& options) {
    std::vector<std::string> labels;
    if (options.paths == PtxPaths::longest) return labels;
    const std::vector<std::vector<double>> frequencies = program.frequencies();
    for (const std::size_t f : program.order()) {
        const PtxFunction& function = program.function(f);
        const PtxFlow& flow = program.structure(f).flow;
        for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
            if (!(frequencies[f][b] > 0) || !takes_ptx_share(function, flow, b) ||
                !program.structure(f).is_open(b) || given_ptx_share(options, function, flow, b))
                continue;
            const std::vector<std::uint32_t>& sides = flow.blocks[b].successors;
            if (!(frequencies[f][sides[0]] > 0) || !(frequencies[f][sides[1]] > 0)) continue;
            const PtxInstruction& branch = function.instructions[flow.blocks[b].last - 1];
            const std::string name(function.labels[function.targets_of(branch)[0]].name);
            if (std::find(labels.begin(), labels.end(), name) == labels.end()) labels.push_back(name);
        }
    }
    return labels;
}

}  // namespace

PtxExecution ptx_execution(const PtxProgram& program) {
    const PtxOptions& options = program.options();
    const PtxFunction& kernel = program.function(program.kernel());
    const PtxTally& tally = program.tally(program.kernel());
    PtxExecution profile;
    profile.kernel = kernel.name;
    profile.counts = tally.counts;
    profile.bytes = tally.bytes;
    profile.unresolved_generic = tally.unresolved;
    profile.wide_conversions = tally.wide_conversions;
    profile.integer_conversions = tally.integer_conversions;
    profile.target = program.module().target;
    profile.machine_code = program.module().machine_code;
    name_unknown_operations(program, follow_warps(program, options, profile), profile);
    profile.both_sides = both_sides_of(program, options);
    mark_threads(program, profile);
    profile.max_threads = kernel.max_threads;
    profile.threads_required = kernel.required_block[0] > 0;
    profile.max_registers = kernel.max_registers;
    profile.min_blocks = kernel.min_blocks;
    if (kernel.grid_of_clusters && options.launch.grid[0] > 0) profile.cluster = kernel.cluster;
    profile.static_shared_bytes = shared_bytes_of(program);
    std::set<std::string> unknown;
    for (const std::size_t f : program.order()) {
        for (const PtxInstruction& instruction : program.function(f).instructions)
            if (instruction.ptx_class == PtxClass::unknown) unknown.emplace(instruction.opcode);
    }
    profile.unknown_opcodes.assign(unknown.begin(), unknown.end());
    profile.string = ptx_rolled_string(program, options.letters);
    return profile;
}

}  // namespace warpnet::netgen

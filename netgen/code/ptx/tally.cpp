// Counts. The tally of a block is the sum over its instructions. The tally of a loop is that of its body
// times its trips, and a call adds the tally of the called function. Sums are taken bottom-up and products
// that leave 63 bits are errors. PtxWarpCounter does the same for one warp of a launch. Lanes with the trips
// t(1), t(2) of two nested loops execute a block in a union of boxes, whose area is exact for two dimensions.
// If lanes differ in more loops, the product of the most trips bounds it.
//
// Each function is visited once, after the functions that it calls, and each of its instructions is added a
// constant number of times. One addition takes time in the number of classes. PtxWarpCounter takes O(p log p
// + p * d) per block and class of warps, for p paths of the class and d loops around the block. Recursion is
// an error, because its depth is unknown. Calls nest at most deepest_call deep, which bounds the recursion
// here.
//
// If the lanes differ in three or more loops, the union of their boxes is not computed. The bound is then
// marked as not exact, and is an upper bound for any number of loops.

#include "netgen/code/ptx/tally.hpp"

#include "engine/base/capped.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/text/memory_operations.hpp"
#include "netgen/code/ptx/text/opcodes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace {

/// The area of the union of [0, first) x [0, second).
std::int64_t area(std::vector<std::pair<std::int64_t, std::int64_t>> rectangles) {
    std::sort(rectangles.rbegin(), rectangles.rend());
    std::int64_t sum = 0;
    std::int64_t highest = 0;
    for (std::size_t i = 0; i < rectangles.size(); ++i) {
        highest = std::max(highest, rectangles[i].second);
        const std::int64_t next = i + 1 < rectangles.size() ? rectangles[i + 1].first : 0;
        sum = capped_sum(sum, capped_product(rectangles[i].first - next, highest));
    }
    return sum;
}

}  // namespace

PtxWarpCounter::PtxWarpCounter(const PtxStructure& structure)
    : structure_(structure),
      around_(structure.flow.blocks.size()),
      counts_(structure.flow.blocks.size(), false) {
    const std::size_t loops = structure.loops.size();
    enum : std::uint8_t { body = 1, last = 2 };
    std::vector<std::uint8_t> block_is(structure.flow.blocks.size(), 0);
    std::vector<std::uint8_t> loop_is(loops, 0);
    const auto mark = [&](const PtxPass& pass, std::uint8_t as) {
        for (const PtxItem& item : pass) (item.is_loop ? loop_is : block_is)[item.number] |= as;
    };
    mark(structure.whole, body);
    for (const PtxLoopStructure& loop : structure.loops) {
        mark(loop.body, body);
        mark(loop.last, last);
    }
    for (std::uint32_t b = 0; b < around_.size(); ++b) {
        std::uint8_t is = block_is[b];
        counts_[b] = is != 0;
        for (auto l = structure.flow.loop_of[b]; l; l = structure.flow.loops[*l].parent) {
            around_[b].push_back({*l, (is & body) != 0, (is & last) != 0});
            is = loop_is[*l];
            if (is == 0) counts_[b] = false;
        }
    }
}

std::int64_t PtxWarpCounter::trips(const PtxPath& path, std::uint32_t loop, bool fewest) const {
    const PtxLoopStructure& own = structure_.loops[loop];
    const auto& proved = path.trips[loop];
    if (!proved) return own.counted_trips();
    return std::min(fewest ? proved->low : proved->high, own.given.value_or(proved->high));
}

PtxWarpExecutions PtxWarpCounter::executions(const PtxWarpClass& warps, bool fewest) const {
    const std::vector<PtxPath>& paths = structure_.threads->paths;
    PtxWarpExecutions result;
    result.blocks.assign(around_.size(), 0);
    for (const std::uint32_t path : warps.paths) result.exact &= paths[path].exact;
    std::vector<std::vector<std::int64_t>> boxes;
    for (std::uint32_t b = 0; b < around_.size(); ++b) {
        boxes.clear();
        if (counts_[b])
            for (const std::uint32_t path : warps.paths)
                if (paths[path].reached[b]) boxes.push_back(box(paths[path], b, fewest));
        result.blocks[b] = union_of(boxes, result.exact);
        for (auto [g, end] = structure_.threads->guarded_in(structure_.flow.blocks[b]); g < end; ++g) {
            boxes.clear();
            bool all = true;
            for (const std::uint32_t path : warps.paths) {
                if (!counts_[b] || !paths[path].reached[b]) continue;
                all &= paths[path].guards[g];
                if (paths[path].guards[g]) boxes.push_back(box(paths[path], b, fewest));
            }
            result.guarded.push_back(all ? result.blocks[b] : union_of(boxes, result.exact));
        }
    }
    return result;
}

std::vector<std::int64_t> PtxWarpCounter::box(const PtxPath& path, std::uint32_t block, bool fewest) const {
    std::vector<std::int64_t> box;
    for (const Around& around : around_[block]) {
        const std::int64_t times = around.in_body ? trips(path, around.loop, fewest) : 0;
        box.push_back(capped_sum(times, around.in_last ? 1 : 0));
    }
    return box;
}

std::int64_t PtxWarpCounter::union_of(const std::vector<std::vector<std::int64_t>>& boxes, bool& exact) {
    if (boxes.empty()) return 0;
    std::int64_t times = 1;
    std::vector<std::size_t> differ;
    for (std::size_t d = 0; d < boxes[0].size(); ++d) {
        const bool same =
            std::all_of(boxes.begin(), boxes.end(), [&](const auto& box) { return box[d] == boxes[0][d]; });
        if (same) {
            times = capped_product(times, boxes[0][d]);
        } else {
            differ.push_back(d);
        }
    }
    if (differ.size() == 2) {
        std::vector<std::pair<std::int64_t, std::int64_t>> rectangles;
        rectangles.reserve(boxes.size());
        for (const auto& box : boxes) rectangles.emplace_back(box[differ[0]], box[differ[1]]);
        return capped_product(times, area(std::move(rectangles)));
    }
    exact &= differ.size() < 2;
    for (const std::size_t d : differ) {
        std::int64_t most = 0;
        for (const auto& box : boxes) most = std::max(most, box[d]);
        times = capped_product(times, most);
    }
    return times;
}

double PtxWarpCounter::most(std::uint32_t block) const {
    double times = counts_[block] ? 1 : 0;
    for (const Around& around : around_[block])
        times *= (around.in_body ? static_cast<double>(structure_.loops[around.loop].counted_trips()) : 0) +
                 (around.in_last ? 1 : 0);
    return times;
}

PtxMeanShares mean_shares(const PtxStructure& structure) {
    const std::size_t count = structure.flow.blocks.size();
    const PtxWarpCounter counter(structure);
    std::vector<double> mean(count, 0);
    std::vector<double> guarded(structure.threads->guarded.size(), 0);
    double warps = 0;
    for (const PtxWarpClass& own : structure.threads->classes) {
        const auto weight = static_cast<double>(own.warps);
        warps += weight;
        const PtxWarpExecutions most = counter.executions(own);
        const PtxWarpExecutions fewest = counter.executions(own, true);
        const auto add = [&](std::vector<double>& sums, const std::vector<std::int64_t>& high,
                             const std::vector<std::int64_t>& low) {
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] += weight * (static_cast<double>(high[i]) + static_cast<double>(low[i])) / 2;
        };
        add(mean, most.blocks, fewest.blocks);
        add(guarded, most.guarded, fewest.guarded);
    }
    PtxMeanShares shares{std::vector<double>(count, 1), std::move(guarded)};
    for (std::uint32_t b = 0; b < count; ++b) {
        const double most = counter.most(b);
        shares.blocks[b] = most > 0 ? mean[b] / warps / most : 0;
        for (auto [g, end] = structure.threads->guarded_in(structure.flow.blocks[b]); g < end; ++g)
            shares.guarded[g] = mean[b] > 0 ? shares.guarded[g] / mean[b] : 0;
    }
    return shares;
}

namespace {

constexpr std::size_t deepest_call = 200;

bool is_narrow(std::string_view opcode) {
    return has_ptx_part(opcode, "s8") || has_ptx_part(opcode, "u8") || has_ptx_part(opcode, "s16") ||
           has_ptx_part(opcode, "u16");
}

bool add_product(std::int64_t& sum, std::int64_t value, std::int64_t times) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(value, times, &product) && !__builtin_add_overflow(sum, product, &sum);
}

std::optional<PtxModule> with_given_bytes(const PtxModule& module, const PtxLaunch& launch) {
    std::optional<PtxModule> sized;
    for (std::size_t f = 0; launch.gives_bytes() && f < module.functions.size(); ++f) {
        for (std::size_t i = 0; i < module.functions[f].instructions.size(); ++i) {
            const std::int64_t bytes = launch.bytes_of_line(module.functions[f].instructions[i].line);
            if (bytes == 0) continue;
            if (!sized) sized = module;
            sized->functions[f].instructions[i].given_bytes = bytes;
        }
    }
    return sized;
}

}  // namespace

bool PtxTally::add(const PtxTally& other, std::int64_t times) {
    bool fits = true;
    for (std::size_t c = 0; c < counts.by_class.size(); ++c)
        fits &= add_product(counts.by_class[c], other.counts.by_class[c], times);
    for (const AccessKind kind : access_kinds) fits &= add_product(bytes[kind], other.bytes[kind], times);
    fits &= add_product(unresolved, other.unresolved, times);
    fits &= add_product(wide_conversions, other.wide_conversions, times);
    fits &= add_product(integer_conversions, other.integer_conversions, times);
    std::int64_t total = 0;
    for (const std::int64_t count : counts.by_class) fits &= !__builtin_add_overflow(total, count, &total);
    return fits;
}

namespace {

PtxOptions with_grid_of_blocks(const PtxModule& module, std::string_view kernel, PtxOptions options) {
    const auto found = module.find(kernel);
    if (!found || !module.functions[*found].grid_of_clusters) return options;
    for (std::size_t axis = 0; axis < options.launch.grid.size(); ++axis)
        if (__builtin_mul_overflow(options.launch.grid[axis], module.functions[*found].cluster[axis],
                                   &options.launch.grid[axis]))
            throw InputError(
                fmt::format("{}: the grid of '{}' has too many clusters", module.source, kernel));
    return options;
}

}  // namespace

PtxProgram::PtxProgram(const PtxModule& module, std::string_view kernel, const PtxOptions& options)
    : sized_(with_given_bytes(module, options.launch)),
      module_(sized_ ? *sized_ : module),
      active_(module.functions.size(), false),
      structures_(module.functions.size()),
      tallies_(module.functions.size()),
      uniform_(module.functions.size(), false),
      options_(with_grid_of_blocks(module, kernel, options)) {
    const auto found = module.find(kernel);
    if (!found || !module.functions[*found].is_kernel || !module.functions[*found].has_body)
        throw InputError(module.source + ": no kernel '" + std::string(kernel) + "'");
    kernel_ = *found;
    visit(kernel_, 0);
    if (structures_[kernel_]->threads && options_.launch.block[0] > 0)
        mean_ = mean_shares(*structures_[kernel_]);
}

void PtxProgram::visit(std::size_t number, std::size_t depth) {
    const PtxFunction& function = module_.functions[number];
    const std::string where = module_.source + ":" + std::to_string(function.line) + ": function '" +
                              std::string(function.name) + "'";
    if (active_[number]) {
        std::string cycle = "'" + std::string(function.name) + "'";
        for (auto at = std::find(callers_.begin(), callers_.end(), number) + 1; at != callers_.end(); ++at)
            cycle += " calls '" + std::string(module_.functions[*at].name) + "', which";
        throw InputError(where + " calls itself (" + cycle + " calls '" + std::string(function.name) +
                         "'): how often is not known");
    }
    if (depth > deepest_call) throw InputError(where + " is called more than 200 calls deep");
    active_[number] = true;
    callers_.push_back(number);
    for (const PtxInstruction& instruction : function.instructions) {
        for (const std::uint32_t callee : function.callees_of(instruction))
            if (module_.functions[callee].has_body && (active_[callee] || !structures_[callee]))
                visit(callee, depth + 1);
    }
    check_ptx_param_values(module_, function, options_.launch);
    structures_[number] = ptx_structure(module_, function, options_,
                                        [&](const PtxBlock& block, const std::vector<bool>& skipped) {
                                            return tally_of(number, block, skipped).total();
                                        });
    const PtxStructure& structure = *structures_[number];
    std::vector<PtxTally> loops(structure.loops.size());
    for (std::size_t l = 0; l < structure.loops.size(); ++l) {
        const bool fits = loops[l].add(tally_of(number, structure.loops[l].body, loops),
                                       structure.loops[l].counted_trips()) &&
                          loops[l].add(tally_of(number, structure.loops[l].last, loops));
        if (!fits) {
            throw InputError(where + ": with these trips loop '" + structure.flow.loops[l].name +
                             "' takes more than 2^63 - 1 instructions");
        }
    }
    tallies_[number] = tally_of(number, structure.whole, loops);
    uniform_[number] = structure.threads && structure.threads->lanes_alike &&
                       structure.threads->paths.size() == 1 && structure.threads->paths[0].exact &&
                       std::all_of(function.instructions.begin(), function.instructions.end(),
                                   [&](const PtxInstruction& instruction) {
                                       return calls_uniformly(function, instruction);
                                   });
    active_[number] = false;
    callers_.pop_back();
    order_.push_back(number);
}

std::span<const std::uint32_t> PtxProgram::called(std::size_t number, std::uint32_t instruction) const {
    if (structures_[number]->skipped[instruction]) return {};
    return callees_of(number, instruction);
}

PtxClass PtxProgram::class_of(std::size_t number, std::uint32_t instruction) const {
    return structures_[number]->skipped[instruction]
               ? PtxClass::skipped
               : module_.functions[number].instructions[instruction].ptx_class;
}

std::span<const std::uint32_t> PtxProgram::callees_of(std::size_t number, std::uint32_t instruction) const {
    const PtxFunction& function = module_.functions[number];
    const auto callees = function.callees_of(function.instructions[instruction]);
    if (options_.paths == PtxPaths::all_sides || callees.size() < 2) return callees;
    const auto most = std::max_element(callees.begin(), callees.end(), [&](std::uint32_t a, std::uint32_t b) {
        return tallies_[a].total() < tallies_[b].total();
    });
    return callees.subspan(static_cast<std::size_t>(most - callees.begin()), 1);
}

bool PtxProgram::calls_uniformly(const PtxFunction& function, const PtxInstruction& instruction) const {
    const auto callees = function.callees_of(instruction);
    return callees.size() < 2 && std::all_of(callees.begin(), callees.end(), [&](std::uint32_t callee) {
               return !module_.functions[callee].has_body || uniform_[callee];
           });
}

PtxTally PtxProgram::own_tally(std::size_t number, std::uint32_t i) const {
    const PtxFunction& function = module_.functions[number];
    const PtxInstruction& instruction = function.instructions[i];
    PtxTally tally;
    tally.counts[instruction.ptx_class] = 1;
    tally.unresolved = instruction.unresolved_space ? 1 : 0;
    if (instruction.ptx_class == PtxClass::convert) {
        const auto has = [&](std::string_view part) { return has_ptx_part(instruction.opcode, part); };
        const bool floating = has("f64") || has("f32") || has("f16");
        const bool long_word = has("s64") || has("u64");
        const bool word = long_word || has("s32") || has("u32");
        tally.wide_conversions = has("f64") || (floating && long_word) ? 1 : 0;
        tally.integer_conversions = !floating && word && !is_narrow(instruction.opcode) ? 1 : 0;
    }
    if (const auto operation = memory_operation(function, instruction); operation && operation->kind)
        tally.bytes[*operation->kind] = bytes_per_thread(*operation);
    return tally;
}

void PtxProgram::fail_large(std::size_t number) const {
    const PtxFunction& function = module_.functions[number];
    throw InputError(fmt::format("{}:{}: function '{}' takes more than 2^63 - 1 instructions", module_.source,
                                 function.line, function.name));
}

PtxTally PtxProgram::whole_tally(std::size_t number, std::uint32_t i) const {
    PtxTally tally = own_tally(number, i);
    for (const std::uint32_t callee : callees_of(number, i)) {
        if (!tally.add(tallies_[callee])) fail_large(number);
    }
    return tally;
}

PtxTally PtxProgram::tally_of(std::size_t number, const PtxBlock& block,
                              const std::vector<bool>& skipped) const {
    PtxTally tally;
    bool fits = true;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
        if (skipped[i]) {
            ++tally.counts[PtxClass::skipped];
        } else {
            fits &= tally.add(whole_tally(number, i));
        }
    }
    if (!fits) fail_large(number);
    return tally;
}

PtxTally PtxProgram::tally_of(std::size_t number, const PtxBlock& block) const {
    return tally_of(number, block, structures_[number]->skipped);
}

PtxTally PtxProgram::tally_of(std::size_t number, const PtxPass& pass,
                              const std::vector<PtxTally>& loops) const {
    PtxTally tally;
    bool fits = true;
    for (const PtxItem item : pass) {
        fits &= tally.add(item.is_loop ? loops[item.number]
                                       : tally_of(number, structures_[number]->flow.blocks[item.number]));
    }
    if (!fits) fail_large(number);
    return tally;
}

std::vector<std::int64_t> PtxProgram::executions(std::size_t number) const {
    const PtxStructure& structure = *structures_[number];
    std::vector<std::int64_t> blocks(structure.flow.blocks.size(), 0);
    std::vector<std::int64_t> entries(structure.loops.size(), 0);
    // The trips of a loop of empty blocks may exceed the range of a number.
    const auto run = [&](const PtxPass& pass, std::int64_t times) {
        for (const PtxItem item : pass) {
            std::int64_t& count = item.is_loop ? entries[item.number] : blocks[item.number];
            if (__builtin_add_overflow(count, times, &count))
                throw InputError(module_.source + ": a block runs more than 2^63 - 1 times");
        }
    };
    run(structure.whole, 1);
    for (std::size_t l = structure.loops.size(); l-- > 0;) {
        std::int64_t times = 0;
        if (__builtin_mul_overflow(entries[l], structure.loops[l].counted_trips(), &times))
            throw InputError(module_.source + ": a loop runs more than 2^63 - 1 times");
        run(structure.loops[l].body, times);
        run(structure.loops[l].last, entries[l]);
    }
    return blocks;
}

std::vector<std::vector<double>> PtxProgram::frequencies(bool of_mean_warp) const {
    std::vector<std::vector<double>> result(module_.functions.size());
    std::vector<double> calls(module_.functions.size(), 0);
    calls[kernel_] = 1;
    // Callers before the functions that they call.
    for (auto number = order_.rbegin(); number != order_.rend(); ++number) {
        const PtxStructure& structure = *structures_[*number];
        std::vector<double>& blocks = result[*number];
        blocks.assign(structure.flow.blocks.size(), 0);
        std::vector<double> entries(structure.loops.size(), 0);
        const auto run = [&](const PtxPass& pass, double times) {
            for (const PtxItem item : pass)
                (item.is_loop ? entries[item.number] : blocks[item.number]) += times * item.share;
        };
        run(structure.whole, calls[*number]);
        for (std::size_t l = structure.loops.size(); l-- > 0;) {
            run(structure.loops[l].body,
                entries[l] * static_cast<double>(structure.loops[l].counted_trips()));
            run(structure.loops[l].last, entries[l]);
        }
        std::vector<double> guards;
        if (of_mean_warp && *number == kernel_ && mean_) {
            for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] *= mean_->blocks[b];
            guards = guard_shares(*number);
        }
        for (std::size_t b = 0; b < blocks.size(); ++b)
            for (std::uint32_t i = structure.flow.blocks[b].first; i < structure.flow.blocks[b].last; ++i)
                for (const std::uint32_t callee : called(*number, i))
                    calls[callee] += blocks[b] * (guards.empty() ? 1 : guards[i]);
    }
    return result;
}

std::vector<double> PtxProgram::guard_shares(std::size_t number) const {
    const PtxStructure& structure = *structures_[number];
    std::vector<double> shares;
    for (const bool skipped : structure.skipped) shares.push_back(skipped ? 0 : 1);
    for (std::size_t g = 0; number == kernel_ && mean_ && g < mean_->guarded.size(); ++g)
        shares[structure.threads->guarded[g]] = mean_->guarded[g];
    return shares;
}

std::vector<PtxWarpGroup> PtxProgram::class_counts() const {
    const PtxStructure& structure = *structures_[kernel_];
    std::vector<PtxWarpGroup> groups;
    if (!structure.threads || options_.launch.block[0] == 0) return groups;
    const PtxFunction& kernel = function(kernel_);
    const std::size_t count = structure.flow.blocks.size();
    // Guarded instructions are counted separately.
    std::vector<bool> guarded(kernel.instructions.size(), false);
    for (const std::uint32_t i : structure.threads->guarded) guarded[i] = true;
    std::vector<PtxTally> tallies;
    std::vector<bool> exact(count, true);
    for (std::size_t b = 0; b < count; ++b) {
        tallies.push_back(tally_of(kernel_, structure.flow.blocks[b], guarded));
        for (std::uint32_t i = structure.flow.blocks[b].first; i < structure.flow.blocks[b].last; ++i) {
            if (!guarded[i] && !calls_uniformly(kernel, kernel.instructions[i])) exact[b] = false;
        }
    }
    // The longest path does not describe a warp. Branches that take a share are open.
    const bool decided = options_.paths == PtxPaths::all_sides;
    const PtxWarpCounter counter(structure);
    for (const PtxWarpClass& own : structure.threads->classes) {
        const PtxWarpExecutions executions = counter.executions(own);
        PtxWarpGroup& group = groups.emplace_back();
        group.warps = own.warps;
        group.exact = executions.exact && decided;
        PtxTally tally;
        for (std::size_t b = 0; b < count; ++b) {
            // All warps together execute no more than the structure, which fits.
            if (!tally.add(tallies[b], executions.blocks[b]))
                throw InputError(module_.source + ": a warp takes more than 2^63 - 1 instructions");
            if (executions.blocks[b] > 0 && !exact[b]) group.exact = false;
        }
        for (std::size_t g = 0; g < executions.guarded.size(); ++g) {
            const std::int64_t times = executions.guarded[g];
            const std::uint32_t i = structure.threads->guarded[g];
            if (times > 0 && !calls_uniformly(kernel, kernel.instructions[i])) group.exact = false;
            if (!tally.add(whole_tally(kernel_, i), times))
                throw InputError(module_.source + ": a warp takes more than 2^63 - 1 instructions");
            tally.counts[PtxClass::skipped] -= times;
        }
        group.counts = tally.counts;
    }
    return groups;
}

}  // namespace warpnet::netgen

// The public functions for a kernel in PTX, on top of one PtxProgram: report, strings, control flow. Names
// that users give for loops and parameters are checked against all functions of the module, since one set of
// flags may serve several kernels. Messages list the valid names.
//
// Each public function makes a PtxProgram of its own. Nothing is stored between calls. Bounds and strings
// need whole counts. They reject shares of branches, which make averages, and loops without trips, for which
// any number would be a guess.

#include "netgen/code/ptx/kernel.hpp"

#include "engine/base/text.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/ptx/execution.hpp"
#include "netgen/code/ptx/kernel_names.hpp"
#include "netgen/code/ptx/structure.hpp"
#include "netgen/code/ptx/tally.hpp"
#include "netgen/code/ptx/text/memory_operations.hpp"
#include "netgen/code/ptx/values/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::netgen {

namespace {

const PtxLabel& header_label(const PtxFunction& function, const PtxFlow& flow, std::uint32_t loop) {
    return function.labels[*flow.blocks[flow.loops[loop].header].label];
}

std::vector<PtxLoopReport> loops_of(const PtxProgram& program, std::size_t number) {
    const PtxFunction& function = program.function(number);
    const PtxStructure& structure = program.structure(number);
    std::vector<PtxLoopReport> loops;
    for (std::uint32_t l = 0; l < structure.loops.size(); ++l) {
        const PtxLabel& label = header_label(function, structure.flow, l);
        loops.push_back({structure.flow.loops[l].name, std::string(function.name), label.line,
                         structure.flow.loops[l].depth, structure.loops[l].trips, structure.loops[l].source,
                         structure.loops[l].least, label.nounroll, structure.loops[l].needs});
        if (!function.is_kernel) continue;
        loops.back().source_loop = ptx_source_key(structure.source_places[l]);
        loops.back().given_by_iterations = structure.loops[l].given_by_iterations;
        const auto pair = unrolled_loop_of(structure.unrolled, l);
        if (!pair) continue;
        loops.back().factor = l == pair->main ? pair->factor : 1;
        loops.back().remainder = l == pair->remainder;
    }
    std::sort(loops.begin(), loops.end(), [](const PtxLoopReport& a, const PtxLoopReport& b) {
        return std::pair(a.line, a.depth) < std::pair(b.line, b.depth);
    });
    return loops;
}

std::string block_id(std::size_t block) { return "b" + std::to_string(block + 1); }

CfgLanes lanes_at(const PtxFunction& function, const PtxBlock& block) {
    return block.first < block.last ? function.instructions[block.last - 1].lanes : CfgLanes::unknown;
}

std::vector<PtxBlockReport> blocks_of(const PtxProgram& program) {
    const PtxFunction& function = program.function(program.kernel());
    const PtxFlow& flow = program.structure(program.kernel()).flow;
    const std::vector<std::int64_t> executions = program.executions(program.kernel());
    const std::vector<double> frequencies = program.frequencies()[program.kernel()];
    std::vector<PtxBlockReport> blocks;
    for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
        const PtxBlock& block = flow.blocks[b];
        PtxBlockReport report{block_id(b), {}, 0, 0, executions[b], frequencies[b]};
        if (block.label) report.label = function.labels[*block.label].name;
        if (block.first < block.last) report.line = function.instructions[block.first].line;
        report.instructions = program.tally_of(program.kernel(), block).total();
        report.lanes = lanes_at(function, block);
        for (const std::uint32_t next : block.successors) report.successors.push_back(block_id(next));
        blocks.push_back(std::move(report));
    }
    return blocks;
}

// Called, but not in the file: "vprintf"; "(through a register)".
std::vector<std::string> calls_elsewhere(const PtxProgram& program) {
    std::set<std::string> names;
    for (const std::size_t f : program.order()) {
        for (const PtxInstruction& instruction : program.function(f).instructions) {
            if (instruction.ptx_class != PtxClass::call) continue;
            const auto callees = program.function(f).callees_of(instruction);
            if (callees.empty()) names.emplace("a function through a register");
            for (const std::uint32_t callee : callees)
                if (!program.function(callee).has_body) names.emplace(program.function(callee).name);
        }
    }
    return {names.begin(), names.end()};
}

void require_trips(const PtxProgram& program) {
    for (const std::size_t f : program.order()) {
        for (const PtxLoopReport& loop : loops_of(program, f)) {
            if (loop.trips) continue;
            throw InputError(program.module().source + ":" + std::to_string(loop.line) +
                             ": the trips of loop '" + loop.label + "' of '" + loop.function +
                             "' cannot be proved; give --trips '" + loop.label + "=N'");
        }
    }
}

}  // namespace

std::string_view to_string(PtxPaths paths) { return paths == PtxPaths::longest ? "longest" : "all"; }

std::string_view to_string(PtxTripSource source) {
    switch (source) {
        case PtxTripSource::unknown:
            return "unknown";
        case PtxTripSource::given:
            return "given";
        case PtxTripSource::proved:
            return "proved";
        case PtxTripSource::proved_at_most:
            return "proved_at_most";
    }
    return "";
}

bool PtxReport::complete() const {
    return std::all_of(loops.begin(), loops.end(),
                       [](const PtxLoopReport& l) { return l.trips.has_value(); });
}

namespace {

/// The warps of the launch, and those of a block.
void add_warps(const PtxProgram& program, PtxReport& report) {
    using Key = std::tuple<std::int64_t, std::array<std::int64_t, ptx_class_count>, bool>;
    std::map<Key, std::int64_t> warps;
    const std::vector<PtxWarpGroup> counts = program.class_counts();
    for (std::size_t c = 0; c < counts.size(); ++c) {
        const PtxWarpGroup& own = counts[c];
        warps[{own.counts.total(), own.counts.by_class, own.exact}] += own.warps;
        const std::uint32_t numbers = program.structure(program.kernel()).threads->classes[c].numbers;
        const auto most = static_cast<std::size_t>(std::bit_width(numbers));
        report.warps_of_block.resize(std::max(report.warps_of_block.size(), most));
        for (std::size_t w = 0; w < most; ++w) {
            if (((numbers >> w) & 1U) == 0) continue;
            auto& of_warp = report.warps_of_block[w].by_class;
            for (std::size_t k = 0; k < of_warp.size(); ++k)
                of_warp[k] = std::max(of_warp[k], own.counts.by_class[k]);
        }
    }
    for (auto own = warps.rbegin(); own != warps.rend(); ++own)
        report.groups.push_back({own->second, {std::get<1>(own->first)}, std::get<2>(own->first)});
}

}  // namespace

PtxReport analyse_ptx(const PtxModule& module, std::string_view kernel, const PtxOptions& options) {
    const PtxProgram program(module, kernel, options);
    PtxReport report;
    report.profile = ptx_execution(program);
    for (auto f = program.order().rbegin(); f != program.order().rend(); ++f) {
        const std::vector<PtxLoopReport> loops = loops_of(program, *f);
        report.loops.insert(report.loops.end(), loops.begin(), loops.end());
        report.unreachable_instructions += program.structure(*f).flow.unreachable_instructions;
    }
    report.blocks = blocks_of(program);
    report.formula = ptx_formula(program, options.letters);
    report.not_in_file = calls_elsewhere(program);
    if (report.complete()) add_warps(program, report);
    return report;
}

namespace {

void refuse_shares(const PtxModule& module, const PtxOptions& options, std::string_view what) {
    if (options.taken.empty()) return;
    throw InputError(module.source + ": shares of branches make averages; " + std::string(what) +
                     " has every block in whole");
}

}  // namespace

std::string expand_ptx_string(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                              std::size_t most_letters) {
    refuse_shares(module, options, "a string");
    const PtxProgram program(module, kernel, options);
    require_trips(program);
    std::string string = ptx_expanded_string(program, options.letters, most_letters);
    if (string.find('?') != std::string::npos) {
        throw InputError(
            module.source + ": kernel '" + std::string(kernel) +
            "' has instructions that are not known here: " + ptx_execution(program).unknown_opcodes.front());
    }
    return string;
}

std::string ptx_string_until(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                             const std::string& loop) {
    const PtxProgram program(module, kernel, options);
    const PtxFlow& flow = program.structure(program.kernel()).flow;
    const PtxFunction& kernel_function = program.function(program.kernel());
    PtxOptions asked;
    asked.trips[loop] = 1;
    for (std::uint32_t l = 0; l < flow.loops.size(); ++l)
        if (given_ptx_trips(asked, flow.loops[l].name, ptx_loop_place(kernel_function, flow, l)))
            return ptx_rolled_string(program, options.letters, l);
    throw InputError(module.source + ": kernel '" + std::string(kernel) + "' has no loop '" + loop + "'");
}

namespace {

/// Throws InputError for more than 2^63 - 1 steps.
std::int64_t steps_of(const PtxCounts& counts, const PtxTimes& times, const std::string& block) {
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < times.size(); ++c) {
        std::int64_t part = 0;
        if (__builtin_mul_overflow(counts.by_class[c], times[c], &part) ||
            __builtin_add_overflow(sum, part, &sum))
            throw InputError(fmt::format("block {} takes more than 2^63 - 1 steps", block));
    }
    return sum;
}

}  // namespace

ControlFlowGraph ptx_control_flow(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                                  const PtxTimes& times) {
    refuse_shares(module, options, "a graph");
    const PtxProgram program(module, kernel, options);
    require_trips(program);
    const PtxStructure& structure = program.structure(program.kernel());
    const PtxFlow& flow = structure.flow;
    ControlFlowGraph graph;
    for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
        CfgNode node{block_id(b),
                     steps_of(program.tally_of(program.kernel(), flow.blocks[b]).counts, times, block_id(b))};
        node.successors.assign(flow.blocks[b].successors.begin(), flow.blocks[b].successors.end());
        node.lanes = lanes_at(program.function(program.kernel()), flow.blocks[b]);
        graph.nodes.push_back(std::move(node));
    }
    for (std::uint32_t l = 0; l < flow.loops.size(); ++l) {
        // The bound is that of the header, which runs once more than the body if the test precedes it.
        const std::int64_t trips = *structure.loops[l].trips;
        graph.nodes[flow.loops[l].header].loop_bound =
            flow.loops[l].leaves_early ? trips + 1 : std::max<std::int64_t>(trips, 1);
        if (trips > 0 || flow.loops[l].leaves_early) continue;
        for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
            if (flow.is_inside(b, l)) graph.nodes[b].time = 0;
    }
    for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
        std::size_t at = b;
        for (int part = 2; graph.nodes[at].successors.size() > 2; ++part) {
            CfgNode rest{block_id(b) + "_" + std::to_string(part)};
            std::vector<std::size_t>& ways = graph.nodes[at].successors;
            rest.successors.assign(ways.begin() + 1, ways.end());
            ways.resize(1);
            ways.push_back(graph.nodes.size());
            at = graph.nodes.size();
            graph.nodes.push_back(std::move(rest));
        }
    }
    return graph;
}

void check_ptx_trips(const PtxModule& module, const PtxOptions& options) {
    if (options.trips.empty()) return;
    PtxOptions unused = options;
    std::string there;
    for (const PtxFunction& function : module.functions) {
        if (!function.has_body) continue;
        const PtxFlow flow = ptx_flow(module, function);
        if (function.is_kernel) {
            const PtxConstants constants(function, flow, options.launch);
            const auto places = ptx_source_places(flow, find_unrolled_loops(function, flow, constants));
            for (const std::size_t place : places) unused.trips.erase(ptx_source_key(place));
        }
        for (std::uint32_t l = 0; l < flow.loops.size(); ++l) {
            const std::string name = flow.loops[l].name;
            there += (there.empty() ? "" : ", ") + name;
            for (const std::string& key : ptx_loop_keys(name, ptx_loop_place(function, flow, l)))
                unused.trips.erase(key);
        }
    }
    if (unused.trips.empty()) return;
    throw UsageError("--trips", module.source + ": no loop begins at '" + unused.trips.begin()->first +
                                    "'; " +
                                    (there.empty()                           ? "there are none"
                                     : there.find(", ") == std::string::npos ? "there is " + there
                                                                             : "there are " + there));
}

namespace {

/// The parameters that functions load and a launch sets, and those that it must not set.
struct LoadedParams {
    PtxLaunch unused;
    std::set<std::string_view> whole;
    std::set<std::string_view> in_parts;  // parameters whose parts are loaded: structures
    std::set<std::uint32_t> unsized;      // lines of memory operations of unknown size

    void use_bytes(const PtxModule& module, std::uint32_t line) {
        if (!unsized.insert(line).second) return;
        const std::string key = "bytes@" + std::to_string(line);
        if (unused.params.contains(key) && unused.bytes_of_line(line) <= 0)
            throw InputError(module.source + ": expected at least 1 byte for '" + key + "'");
        unused.params.erase(key);
    }

    void load(const PtxFunction& function, const PtxInstruction& instruction) {
        const std::string_view param = ptx_loaded_param(function, instruction);
        if (param.empty() && instruction.ptx_class == PtxClass::param_load)
            for (const PtxOperand& operand : function.operands_of(instruction))
                if (operand.in_address && operand.kind == PtxOperand::Kind::name)
                    in_parts.insert(operand.text);
        if (param.empty()) return;
        whole.insert(param);
        std::erase_if(unused.params, [&](const auto& own) {
            PtxLaunch one;
            one.params.insert(own);
            return one.param(function, param).has_value();
        });
    }

    /// Suggestions for an unknown parameter name.
    std::string alternatives() const {
        std::string text = "none is loaded";
        if (!whole.empty()) {
            text = fmt::format("there {} {} (or what follows _param_)", whole.size() == 1 ? "is" : "are",
                               fmt::join(whole, ", "));
        } else if (!in_parts.empty()) {
            text += " as a whole";
        }
        if (in_parts.empty()) return text;
        return fmt::format(
            "{}; of {} parts are loaded, and the value of a part cannot be given (--trips says "
            "how often loops run)",
            text, fmt::join(in_parts, ", "));
    }
};

}  // namespace

void check_ptx_params(const PtxModule& module, const PtxOptions& options) {
    if (options.launch.params.empty()) return;
    LoadedParams loaded{options.launch, {}, {}, {}};
    for (const PtxFunction& function : module.functions) {
        for (const PtxInstruction& instruction : function.instructions) {
            const auto operation = memory_operation(function, instruction);
            if (operation && operation->kind && operation->bytes == 0)
                loaded.use_bytes(module, instruction.line);
            loaded.load(function, instruction);
        }
    }
    const PtxLaunch& unused = loaded.unused;
    if (unused.params.empty()) return;
    if (unused.gives_bytes())
        throw InputError(fmt::format(
            "{}: expected '{}' to name a line with a memory operation of unknown size, there is {}",
            module.source, unused.params.lower_bound("bytes@")->first,
            loaded.unsized.empty() ? "none" : fmt::format("{}", fmt::join(loaded.unsized, ", "))));
    throw InputError(fmt::format("{}: no kernel loads a parameter '{}'; {}", module.source,
                                 unused.params.begin()->first, loaded.alternatives()));
}

namespace {

std::int64_t volume(const std::array<std::int64_t, 3>& shape) { return shape[0] * shape[1] * shape[2]; }

}  // namespace

void check_ptx_block(const PtxModule& module, std::string_view kernel, const PtxLaunch& launch, bool linear) {
    if (launch.block[0] == 0) return;
    for (const PtxFunction& function : module.functions) {
        if (!function.is_kernel || function.name != kernel || function.max_threads == 0) continue;
        const std::array<std::int64_t, 3>& required = function.required_block;
        const bool fits = required[0] == 0 ? volume(launch.block) <= function.max_threads
                          : linear         ? volume(launch.block) == function.max_threads
                                           : launch.block == required;
        if (fits) continue;
        throw InputError(
            fmt::format("{}:{}: the launch fails: kernel '{}' is compiled for {}, the block is {}",
                        module.source, function.line, visible(function.name),
                        required[0] == 0 ? fmt::format("at most {} threads (.maxntid)", function.max_threads)
                                         : fmt::format("blocks of {} (.reqntid)", fmt::join(required, " x ")),
                        fmt::join(launch.block, " x ")));
    }
}

void check_ptx_grid(const PtxModule& module, std::string_view kernel, const PtxLaunch& launch, bool linear) {
    if (launch.grid[0] == 0) return;
    for (const PtxFunction& function : module.functions) {
        if (!function.is_kernel || function.name != kernel || (function.grid_of_clusters && !linear))
            continue;
        if (volume(function.cluster) == 0) continue;
        bool fits = volume(launch.grid) % volume(function.cluster) == 0;
        for (std::size_t axis = 0; axis < launch.grid.size() && !linear; ++axis)
            fits = fits && launch.grid[axis] % function.cluster[axis] == 0;
        if (fits) continue;
        throw InputError(fmt::format(
            "{}:{}: the launch fails: kernel '{}' is compiled for clusters of {} blocks "
            "(.reqnctapercluster), "
            "of which the grid of {} is no multiple",
            module.source, function.line, visible(function.name), fmt::join(function.cluster, " x "),
            linear ? fmt::format("{} blocks", launch.grid[0])
                   : fmt::format("{}", fmt::join(launch.grid, " x "))));
    }
}

namespace {

/// `there`: all kernels, with commas.
std::string no_kernel(std::string_view wanted, const std::vector<std::string>& kernels,
                      const std::string& there) {
    const std::string nearest = most_similar(wanted, kernels);
    return fmt::format("no kernel '{}'; {}", wanted,
                       !nearest.empty()      ? "did you mean " + nearest + "?"
                       : kernels.size() == 1 ? "there is " + there
                                             : "there are " + there);
}

}  // namespace

std::string ptx_kernel_name(const PtxModule& module, std::string_view wanted) {
    const std::vector<std::string> kernels = module.kernels();
    std::string there;
    std::string fitting;
    std::size_t fit = 0;
    for (const std::string& kernel : kernels) {
        if (kernel == wanted) return kernel;
        there += (there.empty() ? "" : ", ") + kernel;
        if (!is_ptx_name(kernel, wanted)) continue;
        fitting += (fit++ == 0 ? "" : ", ") + kernel;
    }
    if (fit == 1) return fitting;
    if (fit > 1) {
        throw InputError(module.source + ": several kernels are called '" + std::string(wanted) +
                         "', expected one of " + fitting);
    }
    if (wanted.empty() && kernels.size() == 1) return kernels.front();
    if (kernels.empty()) throw InputError(module.source + ": no kernel (.entry with a body) in this file");
    throw UsageError("--kernel",
                     module.source + ": " +
                         (wanted.empty() ? "several kernels, expected --kernel with one of " + there
                                         : no_kernel(wanted, kernels, there)));
}

}  // namespace warpnet::netgen

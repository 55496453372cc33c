#include "netgen/ptx/ptx_kernel.hpp"

#include "engine/net/error.hpp"
#include "netgen/ptx/ptx_plan.hpp"
#include "netgen/ptx/ptx_tally.hpp"
#include "netgen/ptx/ptx_text.hpp"
#include "netgen/ptx/ptx_trips.hpp"
#include "netgen/ptx/ptx_values.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace warpnet {

namespace {

const PtxLabel& header_label(const PtxFunction& function, const PtxFlow& flow, std::uint32_t loop) {
    return function.labels[*flow.blocks[flow.loops[loop].header].label];
}

std::vector<PtxLoopReport> loops_of(const PtxProgram& program, std::size_t number) {
    const PtxFunction& function = program.function(number);
    const PtxPlan& plan = program.plan(number);
    std::vector<PtxLoopReport> loops;
    for (std::uint32_t l = 0; l < plan.loops.size(); ++l) {
        const PtxLabel& label = header_label(function, plan.flow, l);
        loops.push_back({ptx_loop_name(function, plan.flow, l), std::string(function.name), label.line,
                         plan.flow.loops[l].depth, plan.loops[l].trips, plan.loops[l].source, label.nounroll,
                         plan.loops[l].needs});
    }
    std::sort(loops.begin(), loops.end(), [](const PtxLoopReport& a, const PtxLoopReport& b) {
        return std::pair(a.line, a.depth) < std::pair(b.line, b.depth);
    });
    return loops;
}

std::string block_id(std::size_t block) { return "b" + std::to_string(block + 1); }

std::vector<PtxBlockReport> blocks_of(const PtxProgram& program) {
    const PtxFunction& function = program.function(program.kernel());
    const PtxFlow& flow = program.plan(program.kernel()).flow;
    const std::vector<std::int64_t> executions = program.executions(program.kernel());
    std::vector<PtxBlockReport> blocks;
    for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
        const PtxBlock& block = flow.blocks[b];
        PtxBlockReport report{block_id(b), {}, 0, 0, executions[b]};
        if (block.label) report.label = function.labels[*block.label].name;
        if (block.first < block.last) report.line = function.instructions[block.first].line;
        report.instructions = program.tally_of(program.kernel(), block).total();
        for (const std::uint32_t next : block.successors) report.successors.push_back(block_id(next));
        blocks.push_back(std::move(report));
    }
    return blocks;
}

// Bytes of the shared variables outside functions that the kernel or what it calls names.
std::int64_t module_shared_bytes(const PtxProgram& program) {
    std::int64_t bytes = 0;
    for (const PtxSharedVariable& variable : program.module().shared) {
        const bool named = std::any_of(program.order().begin(), program.order().end(), [&](std::size_t f) {
            const std::vector<PtxOperand>& operands = program.function(f).operands;
            return std::any_of(operands.begin(), operands.end(), [&](const PtxOperand& operand) {
                return operand.kind == PtxOperand::Kind::name && operand.text == variable.name;
            });
        });
        if (named) bytes += variable.bytes;
    }
    return bytes;
}

bool depends_on_thread_alone(const std::vector<std::string>& origins) {
    const auto has = [&](std::string_view begin) {
        return std::any_of(origins.begin(), origins.end(),
                           [&](const std::string& origin) { return origin.starts_with(begin); });
    };
    return has("%tid") && !has("%ctaid");
}

/// What in the kernel itself depends on the number of the thread: loops that only some threads enter, and
/// loads from constant memory that serialise.
void mark_threads(const PtxProgram& program, PtxProfile& profile) {
    const PtxFunction& kernel = program.function(program.kernel());
    const PtxFlow& flow = program.plan(program.kernel()).flow;
    const PtxLaunch unknown;
    PtxConstants values(kernel, flow, unknown);
    for (std::uint32_t l = 0; l < flow.loops.size(); ++l) {
        // A loop that strides over the threads of a block ends differently for each, but all of them enter
        // it.
        const std::vector<std::string> ends = missing_for_ptx_trips(kernel, flow, values, l);
        if (std::any_of(ends.begin(), ends.end(),
                        [](const std::string& end) { return end.starts_with("%tid"); }))
            continue;
        for (std::uint32_t at = flow.dominator[flow.loops[l].header]; at != 0 || flow.loops[l].header != 0;
             at = flow.dominator[at]) {
            const PtxBlock& block = flow.blocks[at];
            const bool decides = block.last > block.first && kernel.instructions[block.last - 1].guard &&
                                 block.successors.size() == 2 && !flow.is_inside(at, l) &&
                                 (flow.dominates(block.successors[0], flow.loops[l].header) !=
                                  flow.dominates(block.successors[1], flow.loops[l].header));
            if (decides &&
                depends_on_thread_alone(values.origins(at, kernel.instructions[block.last - 1].guard->reg))) {
                profile.some_threads.push_back(ptx_loop_name(kernel, flow, l));
                break;
            }
            if (at == 0) break;
        }
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

PtxProfile profile_of(const PtxProgram& program, const PtxOptions& options) {
    const PtxFunction& kernel = program.function(program.kernel());
    const PtxTally& tally = program.tally(program.kernel());
    PtxProfile profile;
    profile.kernel = kernel.name;
    profile.counts = tally.counts;
    profile.global_load_bytes = tally.bytes[0];
    profile.global_store_bytes = tally.bytes[1];
    profile.shared_load_bytes = tally.bytes[2];
    profile.shared_store_bytes = tally.bytes[3];
    profile.unresolved_generic = tally.unresolved;
    profile.wide_conversions = tally.wide_conversions;
    profile.integer_conversions = tally.integer_conversions;
    profile.machine_code = program.module().machine_code;
    mark_threads(program, profile);
    profile.max_threads = kernel.max_threads;
    profile.min_blocks = kernel.min_blocks;
    profile.static_shared_bytes = module_shared_bytes(program);
    std::set<std::string> unknown;
    for (const std::size_t f : program.order()) {
        profile.static_shared_bytes += program.function(f).shared_bytes;
        for (const PtxInstruction& instruction : program.function(f).instructions)
            if (instruction.ptx_class == PtxClass::unknown) unknown.emplace(instruction.opcode);
    }
    profile.unknown_opcodes.assign(unknown.begin(), unknown.end());
    profile.string = ptx_rolled_string(program, options.control_as_core);
    return profile;
}

// Called, but not in the file: "vprintf"; "(through a register)".
std::vector<std::string> calls_elsewhere(const PtxProgram& program) {
    std::set<std::string> names;
    for (const std::size_t f : program.order()) {
        for (const PtxInstruction& instruction : program.function(f).instructions) {
            if (instruction.ptx_class != PtxClass::call) continue;
            if (instruction.callee == no_function) {
                names.emplace("a function through a register");
            } else if (!program.function(instruction.callee).has_body) {
                names.emplace(program.function(instruction.callee).name);
            }
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
        case PtxTripSource::first_thread:
            return "first_thread";
    }
    return "";
}

bool PtxReport::complete() const {
    return std::all_of(loops.begin(), loops.end(),
                       [](const PtxLoopReport& l) { return l.trips.has_value(); });
}

PtxReport analyse_ptx(const PtxModule& module, std::string_view kernel, const PtxOptions& options) {
    const PtxProgram program(module, kernel, options);
    PtxReport report;
    report.profile = profile_of(program, options);
    for (auto f = program.order().rbegin(); f != program.order().rend(); ++f) {
        const std::vector<PtxLoopReport> loops = loops_of(program, *f);
        report.loops.insert(report.loops.end(), loops.begin(), loops.end());
        report.unreachable_instructions += program.plan(*f).flow.unreachable_instructions;
    }
    report.blocks = blocks_of(program);
    report.formula = ptx_formula(program, options.control_as_core);
    report.not_in_file = calls_elsewhere(program);
    return report;
}

std::string expand_ptx_string(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                              std::size_t most_letters) {
    const PtxProgram program(module, kernel, options);
    require_trips(program);
    std::string string = ptx_expanded_string(program, options.control_as_core, most_letters);
    if (string.find('?') != std::string::npos) {
        throw InputError(module.source + ": kernel '" + std::string(kernel) +
                         "' has instructions that are not known here: " +
                         profile_of(program, options).unknown_opcodes.front());
    }
    return string;
}

std::string ptx_string_until(const PtxModule& module, std::string_view kernel, const PtxOptions& options,
                             const std::string& loop) {
    const PtxProgram program(module, kernel, options);
    const PtxFlow& flow = program.plan(program.kernel()).flow;
    const PtxFunction& kernel_function = program.function(program.kernel());
    PtxOptions asked;
    asked.trips[loop] = 1;
    for (std::uint32_t l = 0; l < flow.loops.size(); ++l)
        if (given_ptx_trips(asked, ptx_loop_name(kernel_function, flow, l),
                            ptx_loop_place(kernel_function, flow, l)))
            return ptx_rolled_string(program, options.control_as_core, l);
    throw InputError(module.source + ": kernel '" + std::string(kernel) + "' has no loop '" + loop + "'");
}

ControlFlowGraph ptx_control_flow(const PtxModule& module, std::string_view kernel,
                                  const PtxOptions& options) {
    const PtxProgram program(module, kernel, options);
    require_trips(program);
    const PtxPlan& plan = program.plan(program.kernel());
    const PtxFlow& flow = plan.flow;
    ControlFlowGraph graph;
    for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
        CfgNode node{block_id(b), program.tally_of(program.kernel(), flow.blocks[b]).total()};
        node.successors.assign(flow.blocks[b].successors.begin(), flow.blocks[b].successors.end());
        graph.nodes.push_back(std::move(node));
    }
    for (std::uint32_t l = 0; l < flow.loops.size(); ++l) {
        // The bound is that of the header, which runs once more than the body where a test lies before it.
        const std::int64_t trips = *plan.loops[l].trips;
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

WarpCounts ptx_warp_counts(const PtxCounts& counts) {
    WarpCounts result;
    result.shared = counts.shared();
    result.global = counts.global() + counts.local() + counts[PtxClass::texture];
    result.arith = counts.total() - result.shared - result.global;
    return result;
}

void check_ptx_trips(const PtxModule& module, const PtxOptions& options) {
    if (options.trips.empty()) return;
    PtxOptions unused = options;
    std::string there;
    for (const PtxFunction& function : module.functions) {
        if (!function.has_body) continue;
        const PtxFlow flow = ptx_flow(module, function);
        for (std::uint32_t l = 0; l < flow.loops.size(); ++l) {
            const std::string name = ptx_loop_name(function, flow, l);
            there += (there.empty() ? "" : ", ") + name;
            for (const std::string& key : ptx_loop_keys(name, ptx_loop_place(function, flow, l)))
                unused.trips.erase(key);
        }
    }
    if (unused.trips.empty()) return;
    throw InputError(module.source + ": no loop begins at '" + unused.trips.begin()->first + "'; " +
                     (there.empty() ? "there are none" : "there are " + there));
}

void check_ptx_params(const PtxModule& module, const PtxOptions& options) {
    PtxLaunch unused = options.launch;
    std::set<std::string_view> there;
    for (const PtxFunction& function : module.functions) {
        for (const PtxInstruction& instruction : function.instructions) {
            const std::string_view param = ptx_loaded_param(function, instruction);
            if (param.empty()) continue;
            there.insert(param);
            for (auto own = unused.params.begin(); own != unused.params.end();) {
                PtxLaunch one;
                one.params.insert(*own);
                own = one.param(param) ? unused.params.erase(own) : std::next(own);
            }
        }
    }
    if (unused.params.empty()) return;
    std::string names;
    for (const std::string_view name : there) names += (names.empty() ? "" : ", ") + std::string(name);
    throw InputError(
        module.source + ": no kernel loads a parameter '" + unused.params.begin()->first + "'; " +
        (names.empty() ? "none is loaded" : "there are " + names + " (or what stands behind _param_)"));
}

std::string ptx_kernel_name(const PtxModule& module, std::string_view wanted) {
    const std::vector<std::string> kernels = module.kernels();
    std::string there;
    for (const std::string& kernel : kernels) {
        if (kernel == wanted) return kernel;
        there += (there.empty() ? "" : ", ") + kernel;
    }
    if (wanted.empty() && kernels.size() == 1) return kernels.front();
    if (kernels.empty()) throw InputError(module.source + ": no kernel (.entry with a body) in this file");
    throw InputError(module.source + ": " +
                     (wanted.empty() ? std::string("several kernels, expected --kernel with one of ")
                                     : "no kernel '" + std::string(wanted) + "'; there are ") +
                     there);
}

}  // namespace warpnet

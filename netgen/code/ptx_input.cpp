// Kernels as users name them: a file of PTX or SASS, values for loops, parameters and branches, and the shape
// of the launch. Flags are parsed here and not in the program, because Python takes the same texts. A file
// with both PTX and machine code is rejected, because only one of them would be read.

#include "netgen/code/ptx_input.hpp"

#include "engine/base/text.hpp"
#include "engine/input/file_format.hpp"
#include "engine/input/flag_items.hpp"
#include "engine/input/input_file.hpp"
#include "engine/input/lines.hpp"
#include "engine/net/error.hpp"
#include "netgen/code/gcn/gem5_times.hpp"
#include "netgen/code/gcn/read_gcn.hpp"
#include "netgen/code/ptx/kernel_profile_from_ptx.hpp"
#include "netgen/code/ptx/shares.hpp"
#include "netgen/code/ptx/text/module.hpp"
#include "netgen/code/sass/read_sass.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace warpnet::netgen {

namespace {

/// Adds "NAME=VALUE,…" to the values. `parse` returns nothing for a value that is not one of `expected`.
template <class Values, class Parse>
void parse_named(const std::string& flag, const std::string& text, std::string_view expected, Parse parse,
                 Values& values) {
    each_item(text, [&](const std::string& item) {
        const NamedItem named(item);
        const auto value = named.name.empty() ? std::nullopt : parse(named.value);
        if (!value) throw UsageError(flag, fmt::format("expected {}, found '{}'", expected, text));
        require_once(values.emplace(named.name, *value).second, flag, named.name);
    });
}

/// Whether values of parameters may prove the trips: floating-point values are not followed.
bool parameters_suffice(const PtxLoopReport& loop) {
    const auto is_parameter = [](std::string_view need) { return need.starts_with("parameter "); };
    const auto is_float = [](std::string_view need) {
        return need.ends_with(".f32") || need.ends_with(".f64") || need.ends_with(".f16");
    };
    return std::ranges::any_of(loop.needs, is_parameter) && std::ranges::none_of(loop.needs, is_float);
}

}  // namespace

void parse_trips(const std::string& text, PtxOptions& options) {
    const auto parse = [](std::string_view number) {
        const auto trips = parse_count(number);
        return trips && *trips >= 0 ? trips : std::nullopt;
    };
    parse_named(
        "--trips", text,
        "labels with how often the loop's body runs, such as '$L__BB0_2=64' (in single quotes: $ means "
        "something to the shell)",
        parse, options.trips);
}

void parse_params(const std::string& text, PtxOptions& options) {
    parse_named("--param", text,
                "parameters with whole numbers, such as scale_param_2=1024 or 2=1024 (2: the third one)",
                parse_count, options.launch.params);
}

void parse_shares(const std::string& text, PtxOptions& options) {
    const auto parse = [](std::string_view number) {
        const auto share = parse_number<double>(number);
        return share && *share >= 0 && *share <= 1 ? share : std::nullopt;
    };
    parse_named("--taken", text,
                "labels with the share of executions that take the branch there, 0 to 1, such as "
                "'$L__BB0_3=0.3'",
                parse, options.taken);
}

void parse_latencies(const std::string& text, PtxTimes& times) {
    std::set<std::string> seen;
    std::vector<std::pair<std::size_t, std::int64_t>> given;
    each_item(text, [&](const std::string& item) {
        const NamedItem named(item);
        const auto steps = parse_number<std::int64_t>(named.value);
        if (!steps || *steps < 0)
            throw UsageError(
                "--latencies",
                fmt::format("expected classes with steps, such as global_load=300, found '{}'", text));
        require_once(seen.insert(named.name).second, "--latencies", named.name);
        if (named.name == "default") {
            times.fill(*steps);
            return;
        }
        std::string known;
        for (std::size_t c = 0; c < ptx_class_count; ++c) {
            const std::string_view name = to_string(static_cast<PtxClass>(c));
            known += fmt::format("{}{}", c == 0 ? "" : ", ", name);
            if (name == named.name) given.emplace_back(c, *steps);
        }
        if (given.empty() || to_string(static_cast<PtxClass>(given.back().first)) != named.name)
            throw UsageError("--latencies",
                             fmt::format("expected default or a class ({}), found '{}'", known, named.name));
    });
    for (const auto& [c, steps] : given) times[c] = steps;
}

ControlFlowGraph ptx_graph_of(const PtxModule& module, const PtxInput& input,
                              std::vector<std::string>& unmeasured) {
    const std::string kernel = ptx_kernel_of(module, input);
    ControlFlowGraph graph = ptx_control_flow(module, kernel, input.options, input.times);
    if (!input.times_file.empty())
        unmeasured =
            add_gem5_times(graph, module, kernel, read_text(input.times_file), input_name(input.times_file));
    return graph;
}

namespace {

/// Throws InputError for a text with PTX and machine code, of which only one would be read.
void refuse_both(std::string_view text, const std::string& source) {
    std::size_t ptx = 0, machine_code = 0;  // lines, from 1
    each_line(text, [&](std::size_t number, std::string_view line) {
        line = trimmed(line);
        if (ptx == 0 && line.starts_with(".version")) ptx = number;
        if (machine_code == 0 &&
            (line.starts_with("Function :") || (line.starts_with(".text.") && line.ends_with(':'))))
            machine_code = number;
    });
    if (ptx == 0 || machine_code == 0) return;
    throw InputError(fmt::format(
        "{}:{}: expected PTX or machine code, found PTX (line {}) and machine code (line {}), as "
        "'cuobjdump -ptx -sass' prints them; give what 'cuobjdump -sass' or 'cuobjdump -ptx' prints",
        source, std::max(ptx, machine_code), ptx, machine_code));
}

}  // namespace

bool is_code(std::string_view text) {
    const bool ptx = text.starts_with(".version") || text.find("\n.version") != std::string_view::npos;
    return ptx || is_sass(text) || is_gcn(text);
}

PtxModule read_code(std::string_view text, const std::string& source) {
    refuse_both(text, source);
    if (is_gcn(text)) return read_gcn(text, source);
    return is_sass(text) ? read_sass(text, source) : read_ptx(text, source);
}

LaunchShape parse_shape(const std::string& flag, const std::string& text, const LaunchShape& largest) {
    LaunchShape shape = {1, 1, 1};
    std::size_t axis = 0;
    each_item(
        text,
        [&](const std::string& item) {
            const auto value = parse_count(item);
            if (axis == shape.size() || !value || *value < 1)
                throw UsageError(flag, "expected a shape such as 256 or 16,16,1, found '" + text + "'");
            if (*value > largest[axis])
                throw UsageError(
                    flag, fmt::format("expected at most {}, found '{}'", fmt::join(largest, " x "), text));
            shape[axis++] = *value;
        },
        ",x");
    return shape;
}

void parse_block(const std::string& text, PtxOptions& options) {
    constexpr LaunchShape largest = {1024, 1024, 64};
    const LaunchShape shape = parse_shape("--block", text, largest);
    if (shape[0] * shape[1] * shape[2] > largest[0])
        throw UsageError("--block", fmt::format("expected at most {} threads, found '{}'", largest[0], text));
    options.launch.block = shape;
}

void parse_grid(const std::string& text, PtxOptions& options) {
    options.launch.grid = parse_shape("--grid", text, {2'147'483'647, 65535, 65535});
}

PtxModule read_code_file(const std::string& file) {
    const std::string text = read_text(file);
    require_format(text, input_name(file), "PTX, a listing of machine code or AMD GPU assembly",
                   {FileFormat::ptx});
    return read_code(text, input_name(file));
}

void check_ptx_names(const PtxModule& module, const PtxOptions& options) {
    check_ptx_trips(module, options);
    check_ptx_params(module, options);
    check_ptx_shares(module, options);
}

std::string ptx_kernel_of(const PtxModule& module, const PtxInput& input) {
    std::string kernel = ptx_kernel_name(module, input.kernel);
    try {
        check_ptx_block(module, kernel, input.options.launch, input.linear_block);
    } catch (const InputError& error) {
        throw UsageError(input.linear_block ? "--block-threads" : "--block", error.what());
    }
    try {
        check_ptx_grid(module, kernel, input.options.launch, input.linear_grid);
    } catch (const InputError& error) {
        throw UsageError(input.linear_grid ? "--blocks" : "--grid", error.what());
    }
    return kernel;
}

std::string missing_trips(const PtxReport& report) {
    std::string flags, needs;
    bool of_parameters = false;
    for (const PtxLoopReport& loop : report.loops) {
        if (loop.trips) continue;
        // Both loops that the source has as one need the same number.
        const bool pair = loop.factor > 1 || loop.remainder;
        const std::string flag = (pair ? loop.source_loop : loop.label) + "=N";
        if (flags.find(flag) == std::string::npos) flags += (flags.empty() ? "" : ",") + flag;
        if (loop.needs.empty()) continue;
        needs +=
            fmt::format("\n  {} (line {}) depends on {}", loop.label, loop.line, fmt::join(loop.needs, ", "));
        of_parameters |= parameters_suffice(loop);
    }
    return fmt::format("give --trips '{}'{}{}", flags, of_parameters ? " or --param NAME=VALUE" : "", needs);
}

void require_trips(const PtxReport& report, const PtxModule& module) {
    if (report.complete()) return;
    std::string lines;
    for (const PtxLoopReport& loop : report.loops)
        if (!loop.trips) lines += fmt::format("{}{}", lines.empty() ? "line " : ", ", loop.line);
    throw InputError(fmt::format("{}: kernel '{}': how often its loops run ({}) cannot be proved; {}",
                                 module.source, report.profile.kernel, lines, missing_trips(report)));
}

PtxReport ptx_report_of(const PtxModule& module, const PtxInput& input) {
    check_ptx_names(module, input.options);
    const std::string kernel = ptx_kernel_of(module, input);
    PtxOptions options = input.options;
    if (const PtxFunction& function = module.functions[*module.find(kernel)];
        function.grid_of_clusters && input.linear_grid)
        options.launch.grid[0] /= function.cluster[0] * function.cluster[1] * function.cluster[2];
    PtxReport report = analyse_ptx(module, kernel, options);
    require_trips(report, module);
    return report;
}

std::int64_t blocks_of_launch(const PtxInput& input, const PtxReport& report) {
    std::int64_t blocks = input.options.launch.grid[0] > 0 ? 1 : 0;
    for (std::size_t axis = 0; axis < input.options.launch.grid.size(); ++axis) {
        const std::int64_t cluster =
            input.linear_grid ? 1 : std::max<std::int64_t>(1, report.profile.cluster[axis]);
        if (__builtin_mul_overflow(blocks, input.options.launch.grid[axis], &blocks) ||
            __builtin_mul_overflow(blocks, cluster, &blocks))
            throw UsageError("--grid", "expected at most 2^63 - 1 blocks");
    }
    return blocks;
}

std::optional<KernelProfile> launch_profile_of(const PtxInput& input, const PtxReport& report) {
    const PtxLaunch& launch = input.options.launch;
    if (launch.block[0] == 0) return std::nullopt;
    KernelProfile kernel = kernel_profile_from_ptx(report.profile);
    kernel.threads = launch.block[0] * launch.block[1] * launch.block[2];
    kernel.blocks = 1;
    kernel.blocks = std::max<std::int64_t>(1, blocks_of_launch(input, report));
    return kernel;
}

void check_resources(const KernelProfile& launch, const PtxReport& report, double rounding) {
    if (report.profile.max_registers > 0 && launch.registers > report.profile.max_registers)
        throw InputError(
            fmt::format("kernel '{}': its code is compiled for at most {} registers per thread "
                        "(.maxnreg), and the launch has {}",
                        visible(report.profile.kernel), report.profile.max_registers, launch.registers));
    const std::int64_t declared = report.profile.static_shared_bytes;
    if (static_cast<double>(launch.shared_bytes) + rounding >= static_cast<double>(declared)) return;
    throw InputError(fmt::format(
        "kernel '{}': its code declares {} bytes of shared memory per block, and the launch has {}; expected "
        "the declared and the dynamic bytes together, {} if these {} are dynamic",
        visible(report.profile.kernel), declared, launch.shared_bytes, declared + launch.shared_bytes,
        launch.shared_bytes));
}

std::vector<std::string> warnings_of(const PtxReport& report) {
    const PtxExecution& profile = report.profile;
    std::vector<std::string> warnings;
    const auto warn = [&](const std::string& message) {
        warnings.push_back(fmt::format("kernel '{}': {}", visible(profile.kernel), visible(message)));
    };
    if (profile.cluster[0] > 0) {
        warn(fmt::format("its launch counts clusters (.blocksareclusters): the grid has {} blocks for each",
                         fmt::join(profile.cluster, " x ")));
    }
    for (const PtxLoopReport& loop : report.loops)
        if (loop.factor > 1 && loop.source == PtxTripSource::given && !loop.given_by_iterations)
            warn(
                fmt::format("loop {} is unrolled: each of its {} does {} iterations of the source (--trips "
                            "'{}=N' gives iterations)",
                            loop.label, plural(static_cast<std::uint64_t>(*loop.trips), "trip"), loop.factor,
                            loop.source_loop));
    if (!profile.unknown_opcodes.empty()) {
        warn(fmt::format("not known here and of no class: {} ({} of its instructions)",
                         fmt::join(profile.unknown_opcodes, ", "), profile.counts[PtxClass::unknown]));
    }
    if (!profile.unsized_operations.empty()) {
        warn(fmt::format(
            "the bytes of memory operations are unknown, and no traffic of theirs is counted: {}; "
            "--param bytes@LINE=N gives them",
            fmt::join(profile.unsized_operations, ", ")));
    }
    if (!profile.unknown_modifiers.empty()) {
        warn(fmt::format("unknown modifiers, ignored: {}", fmt::join(profile.unknown_modifiers, ", ")));
    }
    if (!profile.undeclared_names.empty()) {
        warn(fmt::format("names that are neither declared nor special registers: {}",
                         fmt::join(profile.undeclared_names, ", ")));
    }
    if (!report.not_in_file.empty()) {
        warn(fmt::format("calls {}: instructions that are not in the file are not counted",
                         fmt::join(report.not_in_file, ", ")));
    }
    if (profile.unresolved_generic > 0) {
        warn(fmt::format(
            "accesses through generic addresses that may point anywhere, counted as global memory: {}",
            profile.unresolved_generic));
    }
    return warnings;
}

std::string warning_of_target(const PtxExecution& kernel, std::string_view compute_capability) {
    std::string_view number = std::string_view(kernel.target).substr(kernel.target.find('_') + 1);
    const bool own = number.ends_with('a');
    const bool family = number.ends_with('f');
    if (own || family) number.remove_suffix(1);
    const bool other_machine = kernel.target.starts_with("gfx");
    const auto code = parse_number<int>(number);
    const std::size_t dot = compute_capability.find('.');
    const auto major = parse_number<int>(compute_capability.substr(0, dot));
    const auto minor =
        parse_number<int>(compute_capability.substr(std::min(dot, compute_capability.size() - 1) + 1));
    if (!major || !minor || (!code && !other_machine)) return "";
    const int device = 10 * *major + *minor;
    const bool one_major = kernel.machine_code || family;
    if (!other_machine && (own ? device == *code : device >= *code && (!one_major || *major == *code / 10)))
        return "";
    return fmt::format(
        "kernel '{}': {} for {} does not run on compute capability {}; its instructions count as if it "
        "did",
        visible(kernel.kernel), kernel.machine_code ? "machine code" : "PTX", visible(kernel.target),
        compute_capability);
}

}  // namespace warpnet::netgen

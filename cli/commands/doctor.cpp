// `doctor`: versions, libraries, Graphviz, memory, cores, the temporary folder, and a run whose number of
// steps is known. Each finding is judged by itself, so a report of a bug shows all of them.

#include "analysis/pictures/net/subprocess.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/options.hpp"
#include "cli/output/json_answer.hpp"
#include "cli/shell/process.hpp"
#include "cli/shell/team.hpp"
#include "engine/base/to_json.hpp"
#include "engine/base/version.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/plan.hpp"
#include "engine/run/run.hpp"
#include "netgen/warps/warps.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <boost/version.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/task_arena.h>
#include <tbb/version.h>

namespace warpnet::cli {

namespace {

struct Finding {
    std::string what;
    bool well = true;
    std::string text;
};

std::string size_text(std::uint64_t bytes) {
    return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1024.0 * 1024 * 1024));
}

Finding compiler() {
#ifdef __clang__
    const std::string name = "clang ";
#else
    const std::string name = "GCC ";
#endif
#ifdef NDEBUG
    const std::string kind = "optimised";
#else
    const std::string kind = "with assertions";
#endif
    return {"compiler", true,
            name + __VERSION__ + ", C++" + std::to_string(__cplusplus / 100 % 100) + ", " + kind};
}

Finding libraries() {
    return {
        "libraries", true,
        fmt::format("Boost {}.{}.{}, fmt {}.{}.{}, nlohmann-json {}.{}.{}, oneTBB {}", BOOST_VERSION / 100000,
                    BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100, FMT_VERSION / 10000,
                    FMT_VERSION / 100 % 100, FMT_VERSION % 100, NLOHMANN_JSON_VERSION_MAJOR,
                    NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH, TBB_runtime_version())};
}

/// Graphviz, which draws pictures.
Finding dot() {
    constexpr const char* missing =
        "'draw', 'report' and pictures of 'respond' need Graphviz (package graphviz)";
    try {
        const pictures::ProcessResult drawn =
            pictures::run_process({"dot", "-Tsvg"}, "digraph { a -> b }", std::chrono::seconds(20));
        if (drawn.exit_code != 0 || drawn.output.find("<svg") == std::string::npos)
            return {"dot", false, fmt::format("ends with exit code {}: {}", drawn.exit_code, missing)};
        std::string version = pictures::run_process({"dot", "-V"}, "", std::chrono::seconds(20)).errors;
        while (version.ends_with('\n')) version.pop_back();
        return {"dot", true, version.empty() ? "draws" : version};
    } catch (const std::system_error&) {
        return {"dot", false, fmt::format("not found: {}", missing)};
    }
}

Finding memory() {
    const MachineMemory memory = machine_memory();
    std::string text =
        fmt::format("{} of {} available", size_text(memory.available), size_text(memory.total));
    if (memory.limit) text += fmt::format(", this program takes at most {}", size_text(*memory.limit));
    constexpr std::uint64_t little = std::uint64_t{256} << 20;
    const bool well = default_memory_limit() >= little && memory.available >= little;
    return {"memory", well, text + (well ? "" : ": less than 256 MiB is too little")};
}

/// A run of known length: one warp of 10 instructions alone takes 4·10 + 1 steps.
Finding check() {
    netgen::WarpsSpec spec;
    spec.warps.assign(1, {10, 0, 0});
    const RunResult result = run(compile(netgen::warps_net(spec)), {});
    return {"check", result.steps == 41, fmt::format("a run of 41 steps took {}", result.steps)};
}

Finding temporary_folder() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    const std::filesystem::space_info space = std::filesystem::space(folder, error);
    if (error) return {"temporary", false, "no folder for temporary files"};
    return {"temporary", space.available > (std::uint64_t{16} << 20),
            fmt::format("{} free in {}", size_text(space.available), folder.string())};
}

ExitCode doctor(bool json) {
    std::vector<Finding> findings = {
        {"version", true, fmt::format("warpnet {} ({})", version, version_date)},
        compiler(),
        libraries(),
        {"MPI", true, std::string(mpi_support()) + mpi_state()},
        dot(),
        memory(),
        {"cores", true,
         fmt::format("{} (--threads 0 uses them all)", tbb::this_task_arena::max_concurrency())},
        temporary_folder(),
        check()};
    bool well = true;
    for (const Finding& one : findings) well = well && one.well;
    if (json) {
        nlohmann::ordered_json object = {{"ok", well}, {"findings", nlohmann::ordered_json::array()}};
        for (const Finding& one : findings)
            object["findings"].push_back({{"what", one.what}, {"ok", one.well}, {"text", one.text}});
        fmt::print("{}", json_answer({"doctor", {}, {}}, object));
    } else {
        for (const Finding& one : findings)
            fmt::print("{:<4} {:<10} {}\n", one.well ? "ok" : "BAD", one.what, one.text);
        print_verdict(well ? "all is well\n" : "something is missing\n");
    }
    return well ? ExitCode::done : ExitCode::no;
}

}  // namespace

void add_doctor(Command& program, ExitCode& exit_code) {
    const auto json = std::make_shared<bool>(false);
    Command command =
        program.add_subcommand("doctor", "Show available and missing parts of the installation");
    add_json(command, *json);
    command.footer(
        "Exit code 0: all is well; 1: something is missing. Add the output to a bug report."
        "\n\nExamples:\n  warpnet doctor");
    command.callback([json, &exit_code] { exit_code = doctor(*json); });
}

}  // namespace warpnet::cli

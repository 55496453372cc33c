// Limits and streams of the process. Closed standard streams are occupied at the start, because otherwise the
// first opened file would become one of them. The standard output is flushed before the exit code is known,
// so a full disk is an error. The default memory limit is three quarters of the machine or of its control
// group. The limit applies to data (RLIMIT_DATA), so an allocation fails before the system kills the program.

#include "cli/shell/process.hpp"

#include "cli/output/json_answer.hpp"
#include "engine/base/text.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace warpnet::cli {

OutputError::OutputError(int error)
    : runtime_error("cannot write to the standard output" +
                    (error != 0 ? ": " + std::system_category().message(error) : std::string())) {}

void occupy_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) != -1) continue;
        // open() takes the lowest free number, which is this stream. The wrong direction makes every use an
        // error.
        if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1) return;
    }
}

namespace {

bool set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

/// The number in the first of these variables that is set.
std::optional<std::int64_t> number_of_environment(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        // The environment is read before any thread begins.
        if (const char* text = std::getenv(name))
            return parse_number<std::int64_t>(text);  // NOLINT(concurrency-mt-unsafe)
    }
    return {};
}

}  // namespace

// mpirun sets the first variable of each list; the plugins of srun for PMI-2 and PMIx set the second and
// third.
std::optional<std::int64_t> rank_of_environment() {
    return number_of_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"});
}

bool is_one_of_several() {
    return rank_of_environment() &&
           number_of_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}).value_or(1) >
               1;
}

void print_verdict(std::string_view text, std::string_view begin) {
    const char* const terminal = std::getenv("TERM");
    // mpirun gives each rank its own terminal.
    const bool plain = isatty(STDOUT_FILENO) == 0 || is_one_of_several() || set("NO_COLOR") ||
                       (terminal != nullptr && std::string_view(terminal) == "dumb");
    std::size_t start = 0;
    while (start < text.size() && !text.substr(start).starts_with(begin))
        start = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (plain || start >= end) return print_answer(text);
    answer_begins();
    fmt::print("{}\033[1m{}\033[0m{}", visible(text.substr(0, start)),
               visible(text.substr(start, end - start)), visible(text.substr(end)));
}

void flush_standard_output() {
    // std::cout has no buffer of its own, and would hide the reason of an error.
    errno = 0;
    const int error = std::fflush(stdout) == 0 ? 0 : errno;
    std::cout.flush();
    if (error != 0 || !std::cout || std::ferror(stdout) != 0) throw OutputError(error);
}

namespace {

// The shadow memory of AddressSanitizer counts as terabytes towards the limit.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool shadowed = true;
#elif defined(__has_feature)
constexpr bool shadowed = __has_feature(address_sanitizer);
#else
constexpr bool shadowed = false;
#endif

/// The path of the process's control group below /sys/fs/cgroup: the line "0::/path" of version 2.
std::string group_path() {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (line.starts_with("0::")) return line.substr(3);
    }
    return "";
}

std::optional<std::uint64_t> group_limit() {
    for (const std::string& folder : {group_path(), std::string()}) {
        std::ifstream file("/sys/fs/cgroup" + folder + "/memory.max");
        if (std::string text; std::getline(file, text)) return parse_group_limit(text);
    }
    return {};
}

}  // namespace

std::optional<std::uint64_t> parse_group_limit(std::string_view text) {
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error != std::errc() || end == text.data()) return {};
    return bytes;
}

std::uint64_t default_memory_limit() {
    const auto pages = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_PHYS_PAGES)));
    const auto page = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_PAGESIZE)));
    return std::min(pages * page, group_limit().value_or(pages * page)) / 4 * 3;
}

MachineMemory machine_memory() {
    MachineMemory memory;
    std::uint64_t number = 0;
    std::ifstream file("/proc/meminfo");
    for (std::string name, unit; file >> name >> number >> unit;) {
        if (name == "MemTotal:") memory.total = number * 1024;
        if (name == "MemAvailable:") memory.available = number * 1024;
    }
    struct rlimit own {};
    if (getrlimit(RLIMIT_DATA, &own) == 0 && own.rlim_cur != RLIM_INFINITY) memory.limit = own.rlim_cur;
    return memory;
}

void limit_memory(std::uint64_t bytes) {
    constexpr std::uint64_t mebibyte = 1 << 20;
    const std::uint64_t program = mebibyte * (320 + 8 * std::max(1U, std::thread::hardware_concurrency()));
    bytes = std::max(bytes, program);
    struct rlimit limit {};
    if (shadowed || getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= bytes) return;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace warpnet::cli

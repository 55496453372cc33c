#include "cli/shell/memory_limit.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace warpnet::cli {

namespace {

// The shadow of AddressSanitizer is terabytes of what the limit counts.
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

void limit_memory(std::uint64_t bytes) {
    struct rlimit limit {};
    if (shadowed || getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur <= bytes) return;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_DATA, &limit);
}

}  // namespace warpnet::cli

#include "cli/input/options.hpp"

namespace warpnet::cli {

void check_range(const std::string& flag, const std::string& text, std::optional<std::int64_t> value,
                 std::int64_t least, std::int64_t most) {
    if (value && *value >= least && *value <= most) return;
    const std::string range = most == std::numeric_limits<std::int64_t>::max()
                                  ? "from " + std::to_string(least)
                                  : std::to_string(least) + " to " + std::to_string(most);
    throw CLI::ValidationError(flag, "expected a whole number (" + range + "), found '" + text + "'");
}

CLI::Option* add_duration(CLI::App& command, const std::string& flag,
                          std::optional<std::chrono::milliseconds>& target, const std::string& help) {
    return command
        .add_option_function<std::string>(
            flag,
            [&target, flag](const std::string& text) {
                target = parse_duration(text);
                if (!target) {
                    throw CLI::ValidationError(
                        flag, "expected a time such as 500ms, 30s, 2m or 1h, found '" + text + "'");
                }
            },
            help)
        ->type_name("TIME");
}

void add_json(CLI::App& command, bool& json) {
    command.add_flag("--json", json, "Print one JSON object instead of text");
}

void add_common(CLI::App& command, CommonOptions& options) {
    add_json(command, options.json);
    add_number(command, "--threads", options.threads, "Threads; 0: all cores. Results do not depend on it", 0,
               4096);
    add_number(command, "--seed", options.seed, "Same seed, same results");
}

}  // namespace warpnet::cli

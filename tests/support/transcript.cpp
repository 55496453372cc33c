#include "tests/support/transcript.hpp"

#include "analysis/pictures/net/subprocess.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace warpnet::testing {

namespace fs = std::filesystem;

namespace {

/// Whether the lines of `found` from `f` on match those of `expected` from `e` on; `...` matches any number
/// of lines.
bool matches(const std::vector<std::string>& expected, std::size_t e, const std::vector<std::string>& found,
             std::size_t f) {
    if (e == expected.size()) return f == found.size();
    if (expected[e] == "...") {
        for (std::size_t skipped = f; skipped <= found.size(); ++skipped) {
            if (matches(expected, e + 1, found, skipped)) return true;
        }
        return false;
    }
    return f < found.size() && expected[e] == found[f] && matches(expected, e + 1, found, f + 1);
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "    " + line + "\n";
    return text;
}

std::string without_trailing_space(std::string line) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    return line;
}

}  // namespace

fs::path program() { return fs::read_symlink("/proc/self/exe").parent_path() / "../../warpnet"; }

namespace {

/// A folder with a program that calls warpnet and keeps a copy of every answer to --json.
class Listener {
  public:
    Listener() {
        fs::create_directory(answers());
        const fs::path script = folder_.path() / "warpnet";
        std::ofstream(script) << "#!/bin/bash\n"
                                 "for word; do [[ $word = --json ]] && json=1; done\n"
                                 "[[ $json && -e /proc/self/fd/1 && ! /proc/self/fd/1 -ef /dev/full ]] ||\n"
                                 "    exec '" +
                                     program().string() +
                                     "' \"$@\"\n"
                                     "answer='" +
                                     answers().string() + "'/$BASHPID.$RANDOM\n'" + program().string() +
                                     "' \"$@\" > \"$answer\"\ncode=$?\ncat \"$answer\"\nexit $code\n";
        fs::permissions(script, fs::perms::owner_all);
    }

    std::string path() const { return folder_.path().string(); }

    /// The faults of the answers since the last call.
    std::string faults() const {
        std::string text;
        for (const auto& entry : fs::directory_iterator(answers())) {
            const std::string answer = read_file(entry.path());
            fs::remove(entry.path());
            if (!answer.empty()) text += fault_of(answer);
        }
        return text;
    }

  private:
    fs::path answers() const { return folder_.path() / "answers"; }

    static std::string fault_of(const std::string& answer) {
        using Json = JsonSchema::Json;
        const Json json = Json::parse(answer, nullptr, false);
        if (!json.is_object() || !json.contains("command")) return "  no answer in JSON: " + answer + "\n";
        constexpr std::size_t members_of_head = 8;  // 'warpnet help json': alone if there is no result
        const Json limits = json.value("limits", Json());
        if (json.size() == members_of_head &&
            (limits == Json{"time_limit"} || limits == Json{"memory_limit"}))
            return "";
        const std::string command = json.at("command");
        const fs::path file = source_dir() / "cli/schema" / (command + ".json");
        const std::string fault = JsonSchema(Json::parse(read_file(file))).fault(json);
        return fault.empty() ? "" : "  " + file.filename().string() + ": " + fault + "\n";
    }

    TemporaryFolder folder_;
};

const Listener& listener() {
    static const Listener one;
    return one;
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(without_trailing_space(std::string(text.substr(0, end))));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::vector<TypedCommand> parse_transcript(std::string_view text) {
    std::vector<TypedCommand> commands;
    for (const std::string& line : lines_of(text)) {
        if (line.starts_with("# ")) continue;
        if (line.starts_with("$ ")) {
            commands.push_back({line.substr(2), {}});
        } else if (!commands.empty() && commands.back().expected.empty() &&
                   commands.back().text.ends_with('\\')) {
            commands.back().text += "\n" + line;
        } else if (!commands.empty()) {
            commands.back().expected.push_back(line);
        } else if (!line.empty()) {
            throw std::runtime_error("a transcript must begin with a command, found: " + line);
        }
    }
    for (TypedCommand& command : commands) {  // blank lines between commands are only for readability
        while (!command.expected.empty() && command.expected.back().empty()) command.expected.pop_back();
    }
    return commands;
}

std::vector<std::string> fenced_blocks(std::string_view markdown, std::string_view language) {
    std::vector<std::string> blocks;
    bool inside = false, wanted = false;
    for (const std::string& line : lines_of(markdown)) {
        if (line.starts_with("```")) {
            inside = !inside;
            wanted = inside && line.substr(3) == language;
            if (wanted) blocks.emplace_back();
        } else if (wanted) {
            blocks.back() += line + "\n";
        }
    }
    return blocks;
}

std::vector<std::string> run_command(const TypedCommand& command, const fs::path& folder) {
    const fs::path examples = folder / "examples";
    if (!fs::exists(examples)) fs::create_directory_symlink(source_dir() / "examples", examples);
    // The commands are in one group, so that every part of a pipeline writes to the same stream.
    const std::string script = "cd '" + folder.string() + "' && PATH='" + listener().path() + ":" +
                               program().parent_path().string() + "':$PATH && export LC_ALL=C && {\n" +
                               command.text + "\n} 2>&1";
    const pictures::ProcessResult result =
        pictures::run_process({"bash", "-c", script}, "", std::chrono::minutes(5));
    std::vector<std::string> shown = lines_of(result.output);
    while (!shown.empty() && shown.back().empty()) shown.pop_back();
    if (result.exit_code != 0) shown.push_back("[exit " + std::to_string(result.exit_code) + "]");
    return shown;
}

std::string run_transcript(const std::vector<TypedCommand>& commands, const fs::path& folder) {
    std::string differences;
    for (const TypedCommand& command : commands) {
        const std::vector<std::string> shown = run_command(command, folder);
        if (!matches(command.expected, 0, shown, 0)) {
            differences += "$ " + command.text + "\n  expected:\n" + joined(command.expected) + "  found:\n" +
                           joined(shown);
        }
        if (const std::string faults = listener().faults(); !faults.empty())
            differences += "$ " + command.text + "\n" + faults;
    }
    return differences;
}

std::string record_transcript(std::string_view text, const fs::path& folder) {
    std::string recorded;
    std::vector<TypedCommand> commands = parse_transcript(text);
    auto command = commands.begin();
    bool blank_before = false;
    for (const std::string& line : lines_of(text)) {
        const bool ours = line.starts_with("# ") || line.starts_with("$ ");
        if (ours && blank_before) recorded += '\n';
        if (line.starts_with("# ")) recorded += line + "\n";
        if (line.starts_with("$ ")) {
            recorded += "$ " + command->text + "\n";
            const bool wildcard = std::find(command->expected.begin(), command->expected.end(), "...") !=
                                  command->expected.end();
            const auto shown = run_command(*command, folder);
            for (const std::string& shown_line : wildcard ? command->expected : shown)
                recorded += shown_line + "\n";
            ++command;
        }
        blank_before = line.empty();
    }
    return recorded;
}

std::string read_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + file.string());
    return {std::istreambuf_iterator<char>(stream), {}};
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "warpnet-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder " + name);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace warpnet::testing

// The text of --help. The name of an option decides its group, because a flag means the same in every
// command. An option that no table lists belongs to the command itself.
//
// CLI11 has groups per option, which each declaration would have to name. A table per group keeps a flag in
// the same group in all commands, and a new flag without an entry appears under Options. A flag never begins
// a line inside a description, because it would look like an entry. Three examples come before the options
// and the rest after them, so that the first screen shows how to begin.

#include "cli/shell/help_format.hpp"

#include "engine/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace warpnet::cli {

namespace {

constexpr std::array input_flags = {
    "string",        "ptx",           "template",        "repeat",         "gpu-threads",
    "kernel",        "trips",         "taken",           "paths",          "param",
    "grid",          "block",         "rolled",          "counts",         "metrics",
    "row",           "facts",         "resources",       "blocks",         "warps",
    "warp",          "arith",         "shared",          "global",         "registers",
    "footprint",     "sectors",       "l1-share",        "dram-share",     "conflicts",
    "block-threads", "shared-memory", "control-as-core", "common-sectors", "kind",
    "latencies",     "times",         "active"};
constexpr std::array machine_flags = {
    "device",      "devices",     "set",        "without",        "units",
    "own-units",   "chip-units",  "schedulers", "latency",        "pipelined",
    "wait",        "pessimistic", "assignment", "dispatch",       "fairness",
    "sms",         "sm-policy",   "one-big-sm", "dispatcher",     "margin",
    "step-cycles", "clock",       "published",  "global-latency", "shared-latency"};
constexpr std::array output_flags = {"output",    "json",           "csv",         "plot",
                                     "picture",   "gantt",          "graph",       "log",
                                     "trace",     "theme",          "font-size",   "legend",
                                     "marking",   "counts",         "statistics",  "all",
                                     "jobs",      "steps",          "tables",      "table",
                                     "pnml",      "write-schedule", "write-order", "write-cfg",
                                     "write-ptx", "write-chain",    "title",       "format",
                                     "quiet",     "no-frames",      "layout",      "keep-positions"};
constexpr std::array limit_flags = {"threads",    "seed",     "time-limit", "memory",     "max-steps",
                                    "max-states", "max-jobs", "resume",     "save-every", "scratch"};

enum class HelpGroup : std::uint8_t { arguments, input, machine, own, output, limits };
constexpr std::array<std::string_view, 6> group_names = {  // of HelpGroup
    "Arguments", "Kernel and launch", "Machine", "Options", "Output", "Limits, threads and seeds"};

HelpGroup group_of(const CLI::App& command, const CLI::Option& option) {
    if (!option.nonpositional()) return HelpGroup::arguments;
    const std::string& name = option.get_single_name();
    const auto in = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
    // In 'run', --counts and --marking select output.
    if (in(output_flags) && (name != "counts" || value_name(option).empty())) return HelpGroup::output;
    if (in(input_flags)) return HelpGroup::input;
    // 'explore --without' is about methods.
    if (in(machine_flags) && (name != "without" || command.get_option_no_throw("--device") != nullptr))
        return HelpGroup::machine;
    return in(limit_flags) ? HelpGroup::limits : HelpGroup::own;
}

std::size_t terminal_width() {
    constexpr std::size_t usual = 100, least = 60, most = 120;
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return usual;
    return std::clamp<std::size_t>(size.ws_col, least, most);
}

/// Splits a text into lines of words. A flag stays on the line of the preceding word, so that no line of a
/// description looks like the entry of a flag.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> words, lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string word(text.substr(at, end - at));
        if (word.starts_with('-') && !words.empty())
            words.back() += " " + word;
        else if (!word.empty())
            words.push_back(word);
        at = end + 1;
    }
    for (const std::string& word : words) {
        if (!lines.empty() && lines.back().size() + 1 + word.size() <= width)
            lines.back() += " " + word;
        else
            lines.push_back(word);
    }
    return lines;
}

std::string names_of(const CLI::Option& option) {
    if (!option.nonpositional()) return value_name(option);
    std::string names;
    for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
    names += "--" + option.get_lnames().front();
    const std::string value = value_name(option);
    return names + (value.empty() ? "" : " " + value);
}

/// The description, the default, and the flags that the option needs or excludes, if the list is short.
std::string description_of(const CLI::Option& option) {
    std::string text = option.get_description();
    if (option.get_required()) text += " (required)";
    if (!option.get_default_str().empty() && !value_name(option).empty() &&
        text.find("default") == std::string::npos)
        text += " [" + option.get_default_str() + "]";
    const auto listed = [&](const std::set<CLI::Option*>& others, std::string_view words) {
        constexpr std::size_t most = 3;
        if (others.empty() || others.size() > most) return;
        std::vector<std::string> names;
        names.reserve(others.size());
        for (const CLI::Option* other : others) names.push_back(other->get_name());
        std::ranges::sort(names);
        text += fmt::format(" ({} {})", words, fmt::join(names, ", "));
    };
    const bool told = text.find("ith --") != std::string::npos;
    if (!told) listed(option.get_needs(), "with");
    listed(option.get_excludes(), "not with");
    return text;
}

std::string entry(std::string_view names, std::string_view description, std::size_t width) {
    constexpr std::size_t column = 28;
    std::string text = fmt::format("  {}", names);
    bool first = text.size() + 2 <= column;
    if (!first) text += '\n';
    for (const std::string& line : wrapped(description, width - column)) {
        text += std::string(first ? column - text.size() : column, ' ') + line + '\n';
        first = false;
    }
    return text.ends_with('\n') ? text : text + "\n";
}

/// The parts of a footer: the text before and after the examples, and the examples.
struct Footer {
    std::string notes;
    std::vector<std::string> examples;
};

Footer parts_of(const std::string& footer) {
    constexpr std::string_view heading = "Examples:\n";
    Footer parts;
    const std::size_t begin = footer.find(heading);
    if (begin == std::string::npos) return {footer, {}};
    const std::size_t end = std::min(footer.find("\n\n", begin), footer.size());
    for (std::size_t at = begin + heading.size(); at < end;) {
        const std::size_t line_end = std::min(footer.find('\n', at), end);
        parts.examples.push_back(footer.substr(at, line_end - at));
        at = line_end + 1;
    }
    parts.notes = footer.substr(0, begin) + footer.substr(std::min(end + 2, footer.size()));
    return parts;
}

/// Where the last column of a line begins: behind two or more blanks, or at its first word.
std::size_t last_column(std::string_view line) {
    const std::size_t gap = line.rfind("  ");
    return gap == std::string_view::npos ? 0 : gap + 2;
}

/// The text with its paragraphs, and the last columns of its lists, wrapped. Other lines stay if they fit.
std::string reflowed(std::string_view text, std::size_t width) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    const std::vector<std::string_view> lines = split(text, '\n');
    std::string result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t column = last_column(lines[i]);
        const std::string_view before = lines[i].substr(0, column);
        const bool continues = column == 0 || before.find_first_not_of(' ') != std::string_view::npos;
        std::string words(lines[i].substr(column));
        while (continues && !words.empty() && i + 1 < lines.size() &&
               lines[i + 1].find_first_not_of(' ') == column && last_column(lines[i + 1]) == column)
            words += fmt::format(" {}", lines[++i].substr(column));
        const auto parts = wrapped(words, width - std::min(width / 2, column));
        result += fmt::format("{}{}\n", before, fmt::join(parts, "\n" + std::string(column, ' ')));
    }
    return result;
}

std::string paragraphs(std::string_view notes, std::size_t width) {
    std::string text;
    for (std::size_t at = 0; at < notes.size();) {
        const std::size_t end = std::min(notes.find("\n\n", at), notes.size());
        std::string_view paragraph = notes.substr(at, end - at);
        while (paragraph.starts_with('\n')) paragraph.remove_prefix(1);
        while (paragraph.ends_with('\n')) paragraph.remove_suffix(1);
        if (!paragraph.empty()) text += "\n" + reflowed(paragraph, width);
        at = end + 2;
    }
    return text;
}

/// The words of a command line that stay together: a flag with its value, && and | with what follows.
std::vector<std::string> command_parts(std::string_view line) {
    std::vector<std::string> parts;
    char quote = 0;
    std::size_t begin = 0;
    bool joined = false;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i < line.size() && line[i] != ' ') {
            if (quote == 0 ? line[i] == '\'' || line[i] == '"' : line[i] == quote)
                quote = quote == 0 ? line[i] : '\0';
            continue;
        }
        if (quote != 0 && i < line.size()) continue;
        const std::string word(line.substr(begin, i - begin));
        begin = i + 1;
        if (word.empty()) continue;
        const bool flag = word.starts_with('-') && word != "-", links = word == "&&" || word == "|";
        if (joined && !flag && !links)
            parts.back() += " " + word;
        else
            parts.push_back(word);
        joined = flag || links;
    }
    return parts;
}

/// An example, divided between words as a shell allows if it is too long.
std::string example_lines(const std::string& example, std::size_t width) {
    if (example.size() <= width) return example + "\n";
    constexpr std::string_view next_line = " \\\n      ";
    std::string text = "  ";
    std::size_t length = 0;
    for (const std::string& part : command_parts(example)) {
        if (length == 0) {
            length = text.size();
        } else if (length + 1 + part.size() + 2 > width) {
            text += next_line;
            length = next_line.size() - 3;
        } else {
            text += ' ';
            ++length;
        }
        text += part;
        length += part.size();
    }
    return text + "\n";
}

std::string usage_of(const CLI::App& command, const std::string& name) {
    std::string text = "Usage: " + name;
    for (const CLI::Option* option : command.get_options()) {
        if (option->nonpositional()) continue;
        const std::string value = value_name(*option);
        text += option->get_required() ? " " + value : " [" + value + "]";
    }
    const bool family = name != "warpnet";
    return text + (commands_of(command).empty() ? " [options]\n"
                   : family                     ? " FAMILY [options]\n"
                                                : " COMMAND [options]\n");
}

class HelpFormatter : public CLI::FormatterBase {
  public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        // CLI11 passes the words before the command. For a program it passes its name.
        while (name.ends_with(' ')) name.pop_back();
        const std::size_t width = terminal_width();
        const Footer footer = parts_of(app->get_footer());
        constexpr std::size_t first_examples = 3;
        std::string text = app->get_description() + "\n\n" + usage_of(*app, name);
        add_examples(text, "Examples", footer.examples, 0, first_examples, width);
        if (const auto commands = commands_of(*app); !commands.empty()) {
            text += name == "warpnet" ? "\nCommands:\n" : "\nFamilies:\n";
            for (const CLI::App* command : commands)
                text += entry(command->get_name(), command->get_description(), width);
        }
        for (std::size_t group = 0; group < group_names.size(); ++group) {
            std::string entries;
            for (const CLI::Option* option : app->get_options())
                if (!option->get_group().empty() &&
                    static_cast<std::size_t>(group_of(*app, *option)) == group)
                    entries += entry(names_of(*option), description_of(*option), width);
            if (!entries.empty()) text += fmt::format("\n{}:\n{}", group_names[group], entries);
        }
        add_examples(text, "More examples", footer.examples, first_examples, footer.examples.size(), width);
        text += paragraphs(footer.notes, width);
        if (mode == CLI::AppFormatMode::All)
            for (const CLI::App* command : commands_of(*app))
                text += "\n" + make_help(command, name + " " + command->get_name(), mode);
        return text;
    }

  private:
    static void add_examples(std::string& text, std::string_view heading,
                             const std::vector<std::string>& examples, std::size_t begin, std::size_t end,
                             std::size_t width) {
        if (begin >= examples.size()) return;
        text += fmt::format("\n{}:\n", heading);
        for (std::size_t i = begin; i < std::min(end, examples.size()); ++i)
            text += example_lines(examples[i], width);
    }
};

}  // namespace

std::string wrapped_to_terminal(const std::string& text) { return reflowed(text, terminal_width()); }

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

std::string full_name(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

std::vector<std::string> command_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* sub : commands_of(command)) names.push_back(sub->get_name());
    return names;
}

std::string value_name(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0) return "";
    const std::string type = option.get_type_name();
    return type.substr(0, type.find(':'));
}

std::string short_help() {
    return R"(How many steps, and how long, a GPU kernel takes: typically, and in the worst case

  generate, ptx        make the net of a kernel from counts, PTX or a task set
  run, worst, explore  simulate a net, search and certify its longest run, check it
  predict, compare     microseconds on a GPU, compared with measurements
  respond, split       response times of task sets, splits of wavefronts

Start with:  warpnet generate warps --warps 4 --arith 20 --shared 5 --global 2 -o four.pnml
All commands: warpnet --help
)";
}

}  // namespace warpnet::cli

#include "cli/shell/man_page.hpp"

#include "cli/shell/usage_message.hpp"
#include "engine/base/version.hpp"
#include "pnml/write_file.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpnet::cli {

namespace {

/// Text as roff reads it literally.
std::string roff(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        const bool line_start = escaped.empty() || escaped.back() == '\n';
        if (line_start && (c == '.' || c == '\'')) escaped += "\\&";
        if (c == '\\') {
            escaped += "\\e";
        } else if (c == '-') {
            escaped += "\\-";
        } else if (c == '\'') {
            escaped += "\\(aq";
        } else if (c == '^') {
            escaped += "\\(ha";
        } else if (c == '~') {
            escaped += "\\(ti";
        } else if (c == '`') {
            escaped += "\\(ga";
        } else {
            escaped += c;
        }
    }
    return escaped;
}

/// Running text, in lines that are not too long.
std::string roff_lines(std::string_view text) {
    constexpr std::size_t longest = 72;
    std::string lines, line;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (!line.empty() && line.size() + word.size() > longest) {
            lines += roff(line) + "\n";
            line.clear();
        }
        if (!word.empty()) line.append(line.empty() ? "" : " ").append(word);
        at = end + 1;
    }
    return lines + roff(line);
}

std::string page_name(const CLI::App& command) {
    std::string name = full_name(command);
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::vector<const CLI::App*> subcommands(const CLI::App& command) {
    return command.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

std::string option_entry(const CLI::Option& option) {
    const bool positional = option.get_lnames().empty() && option.get_snames().empty();
    std::string names;
    for (const std::string& name : option.get_snames())
        names += (names.empty() ? "\\-" : ", \\-") + roff(name);
    for (const std::string& name : option.get_lnames())
        names += (names.empty() ? "\\-\\-" : ", \\-\\-") + roff(name);
    const std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
    std::string text = ".TP\n";
    if (positional) {
        text += ".I " + roff(type.empty() ? option.get_name() : type) + "\n";
    } else {
        text += ".B " + names + (type.empty() ? "" : " \\fI" + roff(type) + "\\fR") + "\n";
    }
    text += roff_lines(option.get_description());
    if (!option.get_default_str().empty() && !type.empty())
        text += fmt::format("\n(default: {})", roff(option.get_default_str()));
    return text + "\n";
}

std::string options_text(const CLI::App& command) {
    std::string text;
    for (const bool positional : {true, false}) {
        for (const CLI::Option* option : command.get_options()) {
            const bool is_positional = option->get_lnames().empty() && option->get_snames().empty();
            if (is_positional == positional && !option->get_group().empty()) text += option_entry(*option);
        }
    }
    return text;
}

std::string synopsis(const CLI::App& command) {
    std::string text = ".B " + roff(full_name(command));
    if (!subcommands(command).empty()) return text + "\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_lnames().empty() || !option->get_snames().empty()) continue;
        const std::string name = "\\fI" + roff(option->get_type_name()) + "\\fR";
        text += "\n" + (option->get_required() ? name : "[" + name + "]");
    }
    return text + "\n[\\fIOPTIONS\\fR]\n";
}

/// The text below the options of --help: lines kept as they are; "Examples:" begins a section.
std::string footer_sections(const CLI::App& command, const char* section) {
    std::string footer = command.get_footer();
    if (footer.empty()) return "";
    std::string text;
    const std::size_t examples = footer.find("Examples:\n");
    const auto verbatim = [&](std::string_view title, std::string_view lines) {
        while (lines.ends_with('\n')) lines.remove_suffix(1);
        while (lines.starts_with('\n')) lines.remove_prefix(1);
        if (!lines.empty()) text += fmt::format("{} {}\n.nf\n{}\n.fi\n", section, title, roff(lines));
    };
    // Examples end with an empty line; what follows them is a note again.
    const std::size_t end = examples == std::string::npos ? examples : footer.find("\n\n", examples);
    const std::string_view all = footer;
    verbatim("NOTES", all.substr(0, examples));
    if (end != std::string::npos && command.get_parent() != nullptr)
        text += (examples > 0 ? ".PP\n" : fmt::format("{} NOTES\n", section)) +
                roff_lines(all.substr(end + 2)) + "\n";
    if (examples != std::string::npos) {
        const std::size_t begin = examples + std::string_view("Examples:\n").size();
        verbatim("EXAMPLES", all.substr(begin, end == std::string::npos ? end : end - begin));
    }
    return text;
}

std::string paragraphs(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find("\n\n", at), text.size());
        result += (result.empty() ? "" : ".PP\n") + roff_lines(std::string_view(text).substr(at, end - at));
        if (!result.ends_with('\n')) result += '\n';
        at = std::min(end + 2, text.size());
    }
    return result;
}

constexpr const char* exit_status =
    ".SH EXIT STATUS\n"
    ".TP\n0\ndone\n.TP\n1\nthe answer is no, where a question was asked\n.TP\n2\nwrong usage\n"
    ".TP\n3\nbad input\n.TP\n4\na limit was reached before the answer; what is known is printed\n"
    ".TP\n70\na bug in this program\n.TP\n130\ninterrupted\n";

std::string see_also(const CLI::App& command) {
    std::vector<std::string> pages;
    const CLI::App& program = command.get_parent() == nullptr ? command : *command.get_parent();
    if (&program != &command) pages.push_back(page_name(program));
    for (const CLI::App* other : subcommands(program)) {
        if (other != &command) pages.push_back(page_name(*other));
    }
    std::sort(pages.begin(), pages.end());
    std::string text = ".SH SEE ALSO\n";
    for (std::size_t i = 0; i < pages.size(); ++i)
        text += fmt::format(".BR {} (1){}\n", roff(pages[i]), i + 1 == pages.size() ? "" : ",");
    return text;
}

}  // namespace

std::string man_page(const CLI::App& command) {
    const std::string name = page_name(command);
    std::string title = name;
    std::transform(title.begin(), title.end(), title.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::string summary = command.get_description();
    while (summary.ends_with('?') || summary.ends_with('.')) summary.pop_back();
    std::string page = fmt::format(".TH {} 1 \"{}\" \"warpnet {}\" \"User Commands\"\n.SH NAME\n{} \\-\n{}\n",
                                   roff(title), version_date, version, roff(name), roff_lines(summary));
    page += ".SH SYNOPSIS\n" + synopsis(command);
    const std::string text = man_text(command.get_parent() == nullptr ? "" : command.get_name());
    page += ".SH DESCRIPTION\n" +
            (text.empty() ? roff_lines(command.get_description()) + ".\n" : paragraphs(text));
    const bool program = command.get_parent() == nullptr;
    const auto parts = subcommands(command);
    if (!parts.empty()) {
        page += ".SH COMMANDS\n";
        for (const CLI::App* part : parts) {
            page +=
                fmt::format(".TP\n.B {}\n{}\n", roff(part->get_name()), roff_lines(part->get_description()));
        }
    }
    page += ".SH OPTIONS\n" + options_text(command) + footer_sections(command, ".SH");
    if (!program) {
        for (const CLI::App* part : parts) {
            std::string upper = full_name(*part);
            page += fmt::format(".SH {}\n{}{}{}", roff(upper), synopsis(*part), options_text(*part),
                                footer_sections(*part, ".SS"));
        }
    }
    return page + exit_status + see_also(command);
}

void write_man_pages(const CLI::App& program, const std::string& folder) {
    write_file(folder + "/warpnet.1", man_page(program));
    for (const CLI::App* command : subcommands(program))
        write_file(folder + "/" + page_name(*command) + ".1", man_page(*command));
}

}  // namespace warpnet::cli

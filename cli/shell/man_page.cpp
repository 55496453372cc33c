// Manual pages from the declared options, as roff.

#include "cli/shell/help_format.hpp"
#include "engine/base/version.hpp"
#include "pnml/write_file.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
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

std::string option_entry(const CLI::Option& option) {
    const bool positional = option.get_lnames().empty() && option.get_snames().empty();
    std::string names;
    for (const std::string& name : option.get_snames())
        names += (names.empty() ? "\\-" : ", \\-") + roff(name);
    for (const std::string& name : option.get_lnames())
        names += (names.empty() ? "\\-\\-" : ", \\-\\-") + roff(name);
    const std::string type = value_name(option);
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
    if (!commands_of(command).empty()) return text + "\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_lnames().empty() || !option->get_snames().empty()) continue;
        const std::string name = "\\fI" + roff(value_name(*option)) + "\\fR";
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
    // Examples end with an empty line; the text after them is a note again.
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
    for (const CLI::App* other : commands_of(program)) {
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
    const auto parts = commands_of(command);
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
    pnml::write_file(folder + "/warpnet.1", man_page(program));
    for (const CLI::App* command : commands_of(program))
        pnml::write_file(folder + "/" + page_name(*command) + ".1", man_page(*command));
}

std::string man_text(const std::string& command) {
    static const std::map<std::string, std::string>
        texts =
            {
                {"",
                 R"(warpnet computes how many steps a GPU kernel takes on one streaming multiprocessor, from a Petri net of its warps. It also runs, searches, checks and draws any place/transition net with inhibitor and read arcs, weights, priorities and immediate transitions.

A step is a set of transitions that fire together. Inputs, inhibitor and read arcs are judged against the marking before the step; what its members produce can be used in the next one; nothing could be added to it. A run ends in a dead marking.

Results go to the standard output, messages to the standard error. '-' names the standard input or output, --json prints one JSON object, --seed fixes every random choice whatever the number of threads. A file is written whole or not at all. Ctrl-C ends a long computation, and what is known so far is printed.)"},
                {"generate",
                 R"(Writes the net of a model as PNML. Every family has flags of its own; all take -o, and --pnml for the dialect: compat (each inhibitor arc in three spellings, which most tools read), strict (plain ISO 15909-2; inhibitor arcs are replaced by complement places, which keeps interleaving behaviour but not step counts) or pipe.)"},
                {"run",
                 R"(Executes a net to its dead marking, once or many times, and prints how many steps it took.

Of the transitions that compete for tokens, the policy says who is served first; by default in a uniformly random order. Run R of a seed is the same run on any number of threads. --plain uses the reference executor, which reads like the definition; with a deterministic policy, or with --keyed, it makes the identical runs.

--until ends a run in the first marking where a condition holds, the initial one included, exactly, however many steps the executor would have skipped. A condition compares sums with =, !=, <, <=, >, >= and joins comparisons with and, or, not and parentheses. The id of a place is its number of tokens, that of a transition its firings since the start of the run; a number may multiply either. Ids that hold anything but letters, digits, '_' and '.' stand in quotes.

--statistics tells of each place the mean number of tokens over the timed steps of all runs (of the marking that a step is judged against), the share of steps before which it had any, and the most it ever held; of each transition its firings per run. Such runs are made step by step, and are slower.

--resume names a file for the runs that are done, which are saved at intervals and not made again; more of them can be asked for later. Under mpirun the runs are divided among the ranks, and rank 0 prints what one process would print.

--trace writes the steps of a single run. The CSV has a row a step and a column a place; the JSON and JSON lines list what fired and the places that are not empty; the VCD opens in waveform viewers, one second being one step.)"},
                {"play",
                 R"(Shows the marking of a net and the steps that are possible in it, and makes the one that is chosen: by its number, by the transitions in it, or at random. Steps can be taken back and made again, and the game can be saved as a schedule that 'run --replay' checks and repeats.

Every step made is checked against the semantics as a replay would. Random steps alone are run 0 of the seed.)"},
                {"worst",
                 R"(Searches the longest (or with --best the shortest) run of a net or a kernel, and, where it can, proves it. What was found is a schedule that 'run --replay' checks; 'at most' (with --best 'at least') is a certified bound. They are equal if the result is exact. Both are true of one machine, which is printed; of a kernel from PTX or for a GPU, so is what they leave out.

--method tempering searches kernels with chains on a ladder of temperatures, which neighbours exchange now and then. Under mpirun the chains are divided among the ranks, with the same result.)"},
                {"sweep",
                 R"(Makes the nets of a family over a range of one parameter, and says of each what run says of its runs and what worst says of its longest. With --statistics, how much of the schedulers and units is in use and how often nothing of them: more warps hide latency.)"},
                {"inspect",
                 R"(Structure of a net: sizes, conflict clusters, class, rank, minimal invariants, siphons, boundedness, and what in it looks like a mistake of the model. It names any limit that cut the analysis short.)"},
                {"explore",
                 R"(Visits every marking that a net can reach and tells their number, the steps between them, the dead ones and the bounds of places. Under interleaving the figures are those of the StateSpace examination of the Model Checking Contest. Where a limit of markings or memory ends it early, it says so, and the figures are lower bounds.)"},
                {"convert",
                 R"(Writes a net in another format or in another form. It says what the new form keeps of the behaviour and what it does not.)"},
                {"respond",
                 R"(Response times of kernels that run beside each other on the multiprocessors of a GPU, block by block, from the resources that their blocks need and the order in which they are launched.)"},
                {"doctor",
                 R"(Says of which version this program is, what it was built with, and whether what it needs is there: Graphviz, memory, room for files. A run whose length is known is made as a check.)"},
                {"help",
                 R"(Explains what several commands have in common, or prints what COMMAND --help says.)"},
                {"completions",
                 R"(Prints the script with which a shell completes commands, options and their values. It is made from the options themselves.)"},
                {"draw",
                 R"(Draws a net in the conventional symbols: circles with their tokens, boxes for timed and bars for immediate transitions, inhibitor arcs that end in a small circle, dashed read arcs. Nodes that share a prefix such as w1_ are framed; places that many use are repeated, dashed, where they are used.

Up to about 800 nodes and arcs, and wherever there are frames, arcs point downwards; from five frames on each frame is laid out by itself. Larger nets are laid out by forces.

--after shows the marking after so many steps, --heat colours transitions by their firings on a logarithmic scale that the picture explains, and --trace makes an animation of a run: one SVG file that any browser plays.)"},
                {"report",
                 R"(One self-contained HTML page about a net or a search, which opens from disk and without a network.)"},
                {"split",
                 R"(Where to split the wavefronts of a control flow graph over several units so that the worst-case execution time is least, with proofs by brute force for small graphs.)"},
                {"ptx",
                 R"(Counts the instructions of the kernels in a PTX file by class, and writes their instruction strings; loops need a trip count where the file does not tell it.)"},
            };
    const auto text = texts.find(command);
    return text == texts.end() ? "" : text->second;
}

}  // namespace warpnet::cli

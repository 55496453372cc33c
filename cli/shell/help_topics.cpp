// The texts of `help TOPIC`, and `help COMMAND` from the declared options.

#include "cli/output/json_answer.hpp"
#include "cli/shell/help_format.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpnet::cli {

namespace {

constexpr const char* semantics = R"(What a step is (--semantics)

  maximal       a set of transitions that fire together, each at most once, to which no further transition can
                be added. The default of all commands except 'explore'.
  multiset      the same, but a transition may fire several times in a step.
  interleaving  one transition per step: the usual semantics of Petri nets, and the default of 'explore'.
  all           only for 'run': all three, side by side.

The time of a run is its number of steps. Input, inhibitor and read arcs are judged against the marking before the
step. Tokens that a step produces can be used in the next step. If two transitions are in conflict, the --policy
decides. 'random' serves the transitions in a uniformly random order. Immediate transitions fire in steps that cost
no time, before any timed transition. Within a step, higher priorities are served first. Under interleaving, only
transitions of the highest enabled priority may fire. A run ends in a dead marking, in which nothing can fire.

A transition without inputs fires in every maximal step. In multiset steps it is rejected.
docs/reference/semantics.md shows each rule on a small net.
)";

constexpr const char* formats = R"(File formats

  .pnml            nets, read by every command; FILE#ID or FILE#2 is one of several nets in a file
  .lola .net .aut  nets of LoLA, Tina and Aldebaran; 'convert' reads and writes them
  graphs           .dot, .aut: 'explore --graph', the reachable markings; 'explore --coverability'
  schedules        CSV with the columns step,immediate,transition; .json for Perfetto, .trc for TAPAAL
                   ('--write-schedule' of 'run', 'worst', 'explore')
  orders           CSV: warp,cycle or part,priority,choice or transition ('worst --write-order', '--order')
  traces           .csv, .json, .jsonl, .vcd ('run --trace')
  measurements     CSV for 'compare' and 'predict --metrics', separated by commas, semicolons or tabs; 'compare
                   --columns' lists the columns. Output of nvprof and Nsight Compute needs no conversion
  devices          tab-separated text; 'warpnet devices NAME --table' writes one
  tasks            JSON of GPU and kernels, configurations of the scheduling examiner, AMALTHEA models ('respond')
  cfg              JSON, .cfg or .graph of control-flow graphs ('split')
  PTX, SASS        'ptx', and --ptx of other commands
  properties       XML of the Model Checking Contest ('explore --properties')
  pictures         .svg, .png, .pdf, .dot ('draw'); pages: .html ('report')

'-' is the standard input or output. Files are replaced atomically: a file is written under another name, and then
renamed. Input and output are never the same file.
)";

constexpr const char* devices = R"(GPUs (--device)

'warpnet devices' lists the presets; 'warpnet devices NAME' shows all facts of one with their sources. Case, blanks
and hyphens are ignored, and so are the leading words NVIDIA, GeForce and Tesla. A fact with ? is not verified:
it is taken from a related GPU, quoted from memory, or assumed. '-' is unknown.

  --set FACT=VALUE,...           changes facts; may be repeated ('warpnet devices --columns' lists the facts)
  --device mine.tsv              your own device: a file with one device
  --device NAME --devices FILE   one of several devices in a file
  warpnet devices NAME --table   writes a preset as such a file, a starting point for your own

'predict', 'compare', 'worst', 'generate sm' and 'generate kernel' take these flags; 'generate warps' takes all but
--set. A task set of 'respond' names a preset as "device" of its GPU or of a kernel. Model and limitations:
docs/reference/family-sm.md.
)";

constexpr const char* exit_codes = R"(Exit codes

  0    success; for a question: the answer is yes
  1    the answer to a question is no (a deadline is missed with --check, a property does not hold)
  2    wrong usage: an invalid flag, or an invalid value of a flag
  3    bad input: an unusable file (the message gives the place, what was expected and what was found), or
       a result that cannot be written, even to the standard output
  4    a limit of steps, time or memory was reached before the answer; the results so far are printed
  70   a bug in this program: please report it
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); the results so far are printed
)";

constexpr const char* json = R"(JSON (--json)

Every answer is one object. It begins with these members:

  tool         "warpnet"
  version      of the program, such as "0.3.0"
  command      the first word of the command line, such as "worst"
  schema       the version of the schemas. Within one version, members are only added
  complete     whether all work was done, without reaching a limit or being interrupted
  limits       the limits that ended a part of the work: step_limit, time_limit, memory_limit, state_limit,
               effort_limit, job_limit, overflow, immediate_loop
  interrupted  whether a signal ended the work (Ctrl-C)
  seed         the seed of commands that make random choices, otherwise null

If --time-limit or --memory ends a command before it has a result, its answer is these members alone.

'warpnet help json COMMAND' lists the members of a command. The JSON Schemas are in share/warpnet/schema. All
commands use the same names: found, upper, lower, exact, proof, rows (an array), count.
)";

constexpr const char* limits = R"(Limits

  --time-limit TIME   stop after this time: 500ms, 30s, 2m, 1h. The results so far are printed, with exit code 4
  --memory BYTES      stop before more memory is in use: 500M, 4G. It limits data that grow with the work, such as
                      states and results, but not the net itself. If a default is needed, it is 4G on every
                      machine, so that equal commands give equal results. The whole program never uses more than
                      three quarters of the memory of the machine or of its control group
  --max-steps K       stop a run after K steps
  --threads T         0: all cores. Results do not depend on it
  --seed S            the same seed gives the same results

An input file is at most 1 GiB long, a plain PNML file 64 GiB.

Ctrl-C ends a long command, and the results so far are printed. 'run --resume FILE' saves runs and continues later.
'warpnet doctor' shows the memory and the cores of the machine.
)";

constexpr const char* counts = R"(Counts of a kernel: what its warps execute

  --ptx FILE        PTX, machine code of 'cuobjdump -sass' or AMD GPU assembly; no GPU and no CUDA are needed
  --metrics FILE    counters of nvprof or Nsight Compute ('compare --metrics-for ncu' prints the command that
                    collects them); --row chooses a kernel
  --resources FILE  registers and shared memory, as 'nvcc -Xptxas -v' and 'cuobjdump -res-usage' print them
  --counts NAME=N,...                by hand, for the family 'sm' and 'predict': fp32, integer, loads, ...
  --arith N --shared N --global N    by hand, for the family 'warps'

Flags supply facts that PTX lacks:

  --grid X,Y,Z --block X,Y,Z   the launch
  --param NAME=VALUE,...       parameters of the kernel, which prove trips of loops
  --trips LABEL=N,...          trips of other loops; 'warpnet ptx FILE' lists the loops
  --taken LABEL=SHARE,...      how often a branch is taken; without it both sides count

'warpnet ptx FILE' shows the counts; 'generate', 'worst', 'split' and 'predict' take the same flags. More:
docs/how-to/counts.md, docs/reference/ptx.md.
)";

constexpr const char* tasks = R"(Task sets (respond, generate blocks)

A JSON file with the kernels, copies and CPU segments of a program, in launch order:

  {"unit": "us", "gpu": {"device": "JetsonOrin"}, "kernels": [
    {"name": "load", "kind": "copy", "time": 40, "stream": 1},
    {"name": "filter", "blocks": 20, "threads": 256, "time": 90, "period": 1000, "stream": 1},
    {"name": "add", "ptx": "add.ptx", "grid": 64, "block": 256, "param": "3=16384", "period": 1000},
    {"name": "plan", "kind": "cpu", "core": 2, "time": 30, "period": 1000, "priority": 1}]}

  blocks, threads, time   of a kernel, with the time of one block. Or its code: ptx with grid and block; the time
                          is then the certified bound of 'predict --worst' on the device
  kind                    kernel (default), copy, cpu
  release, period         release of the first job, and time between releases; without a period there is one job
  deadline                relative to the release; the default is the period
  stream                  jobs of one stream run one after the other
  priority                larger numbers go first
  shared, registers       bytes of a block, registers of a thread
  choice, variant         alternatives for 'respond --choose'
  gpu                     device, or sms, threads_per_sm, blocks_per_sm, shared_per_sm, registers_per_sm

AMALTHEA models (.amxmi) and configurations of cuda_scheduling_examiner are also supported. All members and
their defaults: docs/reference/task-sets.md.
)";

}  // namespace

const std::vector<HelpTopic>& help_topics() {
    static const std::vector<HelpTopic> topics = {
        {"semantics", "what a step is", semantics},
        {"formats", "file formats", formats},
        {"devices", "GPUs, and how to describe one", devices},
        {"counts", "instruction counts of a kernel, and their sources", counts},
        {"tasks", "task sets of 'respond'", tasks},
        {"exit-codes", "exit codes, for scripts", exit_codes},
        {"json", "the members of every answer; 'help json COMMAND': the members of one command", json},
        {"limits", "time, memory, steps", limits},
    };
    return topics;
}

std::optional<std::string> help_about(const CLI::App& program, const std::vector<std::string>& words) {
    if (words.empty()) {
        std::string text = "Topics of 'warpnet help TOPIC':\n";
        for (const HelpTopic& topic : help_topics())
            text += fmt::format("  {:<12} {}\n", topic.name, topic.summary);
        text += "\nCommands of 'warpnet help COMMAND' or 'warpnet COMMAND --help':\n";
        for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
            text += fmt::format("  {:<12} {}\n", command->get_name(), command->get_description());
        return text;
    }
    if (words.size() == 1) {
        const auto& topics = help_topics();
        const auto topic = std::find_if(topics.begin(), topics.end(),
                                        [&](const HelpTopic& one) { return one.name == words.front(); });
        if (topic != topics.end()) return wrapped_to_terminal(topic->text);
    }
    if (words.size() == 2 && words.front() == "json") {
        const std::string members = json_help(words.back());
        if (!members.empty()) return wrapped_to_terminal(members);
    }
    const CLI::App* command = &program;
    for (const std::string& word : words) {
        const auto found =
            command->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
        if (found.empty()) return std::nullopt;
        command = found.front();
    }
    return command->help(full_name(*command->get_parent()));
}

}  // namespace warpnet::cli

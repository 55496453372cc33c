#include "cli/shell/man_page.hpp"

#include <map>

namespace warpnet::cli {

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

#pragma once

#include "analysis/explore/explore.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/condition/property.hpp"
#include "engine/net/net.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpnet::cli {

/// What `explore` is asked, instead of for all figures.
struct ExploreQuestions {
    std::string reach, always, maximum, minimum, ctl, live, file;
    bool stable = false;
    bool any() const { return stable || !(reach + always + maximum + minimum + ctl + live + file).empty(); }
};

/// --reach, --always, --max, --min, --stable, --live, --ctl, --properties: one of them at most.
void add_questions(CLI::App& command, ExploreQuestions& questions);

/// How answers are looked for and shown.
struct QuestionOptions {
    ExploreOptions explore;
    bool json = false;
    std::string schedule_file;  ///< where the witness goes; empty: nowhere
};

/// Answers and prints. On the threads of the caller's arena.
ExitCode ask(const Net& net, const CompiledNet& compiled, const ExploreQuestions& questions,
             const QuestionOptions& options);

}  // namespace warpnet::cli

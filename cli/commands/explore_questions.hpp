#pragma once

#include "analysis/states/explore/explore.hpp"
#include "cli/shell/exit_code.hpp"
#include "engine/compile/compiled_net.hpp"
#include "engine/formula/property.hpp"
#include "engine/net/net.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpnet::cli {

class Command;

/// Who looks at the states: whoever is faster, one by one, or all at once.
enum class ExploreEngine : std::uint8_t { automatic, one_by_one, diagrams };
std::string_view to_string(ExploreEngine engine);

/// What `explore` is asked, instead of for all figures.
struct ExploreQuestions {
    std::string reach, always, maximum, minimum, ctl, live, file;
    bool stable = false, bounded = false;
    std::vector<std::string> without;  ///< parts that are not asked
    bool any() const {
        return stable || bounded || !(reach + always + maximum + minimum + ctl + live + file).empty();
    }
};

/// --reach, --always, --max, --min, --stable, --bounded, --live, --ctl, --properties: one of them at most;
/// --without.
void add_questions(Command& command, ExploreQuestions& questions);

/// How answers are looked for and shown.
struct QuestionOptions {
    ExploreOptions explore;
    ExploreEngine engine = ExploreEngine::automatic;
    bool json = false;
    std::uint64_t seed = 1;
    std::string schedule_file;  ///< where the witness goes; empty: nowhere
    bool symmetric = true;      ///< states that a permutation of equal parts leads to are explored together
};

/// Answers and prints. On the threads of the caller's arena.
ExitCode ask(const Net& net, const CompiledNet& compiled, const ExploreQuestions& questions,
             const QuestionOptions& options);

}  // namespace warpnet::cli

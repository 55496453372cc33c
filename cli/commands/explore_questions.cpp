// The questions of `explore` by flags or a file of properties. A file that does not exist may be the name of
// a global property of the contest.

#include "cli/commands/explore_questions.hpp"

#include "cli/input/command.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "pnml/read_properties.hpp"

#include <filesystem>
#include <utility>

namespace warpnet::cli {

namespace {

/// The values of --without.
constexpr std::pair<const char*, bool states::AskOptions::*> asked_parts[] = {
    {"path-rules", &states::AskOptions::path_rules},
    {"random-runs", &states::AskOptions::random_runs},
    {"decision-diagrams", &states::AskOptions::decision_diagrams},
    {"state-equation", &states::AskOptions::state_equation},
    {"guided-search", &states::AskOptions::guided_search},
    {"stubborn-sets", &states::AskOptions::stubborn_sets},
    {"reductions", &states::AskOptions::reductions},
    {"local-evaluation", &states::AskOptions::local_evaluation},
    {"partial-graph", &states::AskOptions::partial_graph}};

std::vector<Property> from_file(const std::string& file, const Net& net) {
    if (!std::filesystem::exists(file)) {
        auto global = pnml::global_property(file, net);
        if (!global.empty()) return global;
    }
    return pnml::read_properties(read_text(file), input_name(file), net);
}

}  // namespace

void add_questions(Command& command, ExploreQuestions& questions) {
    std::vector<Option> all;
    const auto add = [&](const char* flag, std::string& target, const char* help, const char* type) {
        all.push_back(command.add_option(flag, target, help));
        all.back().type_name(type).not_empty();
    };
    add("--reach", questions.reach, "Can a marking with this condition be reached? A schedule to it",
        "CONDITION");
    add("--always", questions.always,
        "Does the condition hold in every reachable marking? If not: a schedule to one without it",
        "CONDITION");
    add("--max", questions.maximum,
        "The largest value of a sum of tokens, e.g. 'p + 2*q', or that it is unbounded", "SUM");
    add("--min", questions.minimum, "The smallest value", "SUM");
    all.push_back(
        command.add_flag("--stable", questions.stable, "Are there places whose tokens never change?"));
    all.push_back(command.add_flag("--bounded", questions.bounded,
                                   "Is every place bounded? If not: steps that add tokens again and again"));
    add("--live", questions.live,
        "Can the transition (or each one: 'all') fire again from every reachable marking?", "TRANSITION");
    all.push_back(command.add_flag("--reversible", questions.reversible,
                                   "Does every reachable marking lead back to the initial one?"));
    add("--home", questions.home,
        "Can every reachable marking still reach a marking with this condition? '--reversible' asks this for "
        "the initial marking",
        "CONDITION");
    add("--ctl", questions.ctl, "Does a formula hold at the start, e.g. 'AG (p > 0 -> EF enabled(t))'?",
        "FORMULA");
    add("--properties", questions.file,
        "The questions of a file of the Model Checking Contest; or ReachabilityDeadlock, OneSafe, "
        "QuasiLiveness, Liveness, StableMarking",
        "FILE");
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j)
            if (i != j) all[i].excludes(all[j]);
    std::vector<std::string> names;
    for (const auto& [name, asked] : asked_parts) names.emplace_back(name);
    command.add_option("--without", questions.without, "Methods that are not used to answer questions")
        .delimiter(',')
        .one_of(names)
        .type_name("METHOD,...")
        .belongs_to(all);
}

std::vector<Property> properties_of(const ExploreQuestions& questions, const Net& net) {
    if (!questions.file.empty()) return from_file(questions.file, net);
    return {states::property_of(questions, net)};
}

void leave_out(const std::vector<std::string>& parts, states::AskOptions& options) {
    for (const std::string& part : parts)
        for (const auto& [name, asked] : asked_parts)
            if (part == name) options.*asked = false;
}

}  // namespace warpnet::cli

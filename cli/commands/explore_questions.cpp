#include "cli/commands/explore_questions.hpp"

#include "analysis/ranks/collectives.hpp"
#include "analysis/states/properties/boundedness.hpp"
#include "analysis/states/properties/solve.hpp"
#include "analysis/studies/files/schedule_csv.hpp"
#include "cli/input/command.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/output_file.hpp"
#include "cli/report/property_report.hpp"
#include "cli/shell/standard_output.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/error.hpp"
#include "pnml/read_properties.hpp"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace warpnet::cli {

namespace {

Property formula_property(std::string id, Formula formula) {
    Property property;
    property.id = std::move(id);
    property.formula = std::move(formula);
    return property;
}

Property sum_property(std::string id, Property::Kind kind, LinearSum sum) {
    Property property;
    property.id = std::move(id);
    property.kind = kind;
    property.sum = std::move(sum);
    return property;
}

Property live_property(const std::string& id, const Net& net) {
    Property property;
    property.id = "live " + id;
    property.kind = Property::Kind::live;
    const auto transition = NodeIndex(net).transition(id);
    if (!transition && id != "all")
        throw InputError("--live: expected the id of a transition of net '" + net.id() +
                         "' or 'all', found '" + id + "'");
    for (std::size_t t = 0; t < net.transitions().size(); ++t)
        if (!transition || index(*transition) == t)
            property.transitions.push_back(static_cast<std::uint32_t>(t));
    return property;
}

std::vector<Property> from_file(const std::string& file, const Net& net) {
    if (!std::filesystem::exists(file)) {
        auto global = global_property(file, net);
        if (!global.empty()) return global;
    }
    return read_properties(read_text(file), input_name(file), net);
}

std::vector<Property> properties_of(const ExploreQuestions& questions, const Net& net) {
    using Kind = Formula::Kind;
    const auto condition = [&](const std::string& text) {
        return parse_formula(text, net, FormulaLanguage::of_markings);
    };
    if (!questions.file.empty()) return from_file(questions.file, net);
    if (!questions.reach.empty())
        return {formula_property("reach " + questions.reach,
                                 temporal(Kind::finally, false, {condition(questions.reach)}))};
    if (!questions.always.empty())
        return {formula_property("always " + questions.always,
                                 temporal(Kind::globally, true, {condition(questions.always)}))};
    if (!questions.ctl.empty())
        return {formula_property("ctl " + questions.ctl,
                                 parse_formula(questions.ctl, net, FormulaLanguage::temporal))};
    if (!questions.maximum.empty())
        return {sum_property("max " + questions.maximum, Property::Kind::maximum,
                             parse_sum(questions.maximum, net))};
    if (!questions.minimum.empty())
        return {sum_property("min " + questions.minimum, Property::Kind::minimum,
                             parse_sum(questions.minimum, net))};
    if (!questions.live.empty()) return {live_property(questions.live, net)};
    Property stable;
    stable.id = "stable places";
    stable.kind = Property::Kind::stable;
    return {std::move(stable)};
}

/// A witness is believed once it has been run.
void check_witnesses(const Net& net, const CompiledNet& compiled, Semantics semantics,
                     const SolveSummary& summary) {
    for (const PropertyAnswer& answer : summary.answers) {
        if (answer.witness) replay(compiled, net, *answer.witness, semantics);
    }
}

ExitCode ask_bounded(const Net& net, const CompiledNet& compiled, const QuestionOptions& options) {
    const Semantics semantics = options.explore.semantics;
    const BoundednessAnswer answer = decide_boundedness(net, compiled, options.explore);
    Schedule schedule = answer.prefix;
    schedule.insert(schedule.end(), answer.pump.begin(), answer.pump.end());
    replay(compiled, net, schedule, semantics);
    if (!options.schedule_file.empty() && answer.bounded == false)
        write_text(options.schedule_file, write_schedule_csv(net, schedule));
    if (!takes_standard_output({options.schedule_file}, options.json))
        print_answer(options.json ? bounded_json(net, semantics, answer)
                                  : bounded_text(net, semantics, answer));
    if (answer.bounded) return *answer.bounded ? ExitCode::done : ExitCode::no;
    return answer.stop == WorkEnd::interrupted ? ExitCode::interrupted : ExitCode::limit;
}

}  // namespace

std::string_view to_string(ExploreEngine engine) {
    switch (engine) {
        case ExploreEngine::automatic:
            return "auto";
        case ExploreEngine::one_by_one:
            return "explicit";
        case ExploreEngine::diagrams:
            return "dd";
    }
    return "";
}

void add_questions(Command& command, ExploreQuestions& questions) {
    std::vector<Option> all;
    const auto add = [&](const char* flag, std::string& target, const char* help, const char* type) {
        all.push_back(command.add_option(flag, target, help));
        all.back().type_name(type);
    };
    add("--reach", questions.reach, "Can a marking with this condition be reached? A schedule to it",
        "CONDITION");
    add("--always", questions.always, "Does every reachable marking have it? Else a schedule to one without",
        "CONDITION");
    add("--max", questions.maximum, "The largest value of a sum of tokens, e.g. 'p + 2*q'", "SUM");
    add("--min", questions.minimum, "The smallest value", "SUM");
    all.push_back(
        command.add_flag("--stable", questions.stable, "Are there places whose tokens never change?"));
    all.push_back(command.add_flag(
        "--bounded", questions.bounded,
        "Can every place hold only so many tokens? Else steps that add some again and again"));
    add("--live", questions.live, "Can the transition (or 'all') fire again, whatever has happened?",
        "TRANSITION");
    add("--ctl", questions.ctl, "Does a formula hold at the start, e.g. 'AG (p > 0 -> EF enabled(t))'?",
        "FORMULA");
    add("--properties", questions.file,
        "The questions of a file of the Model Checking Contest; or ReachabilityDeadlock, OneSafe, "
        "QuasiLiveness, Liveness, StableMarking",
        "FILE");
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j)
            if (i != j) all[i].excludes(all[j]);
    command.add_option("--without", questions.without, "Parts that are not asked for answers")
        .delimiter(',')
        .one_of({"random-runs", "decision-diagrams", "state-equation", "guided-search", "stubborn-sets",
                 "reductions"})
        .type_name("PART,...");
}

ExitCode ask(const Net& net, const CompiledNet& compiled, const ExploreQuestions& questions,
             const QuestionOptions& options) {
    if (questions.bounded) return ask_bounded(net, compiled, options);
    const std::vector<Property> properties = properties_of(questions, net);
    SolveOptions solve_options;
    solve_options.explore = options.explore;
    solve_options.symmetry = options.symmetric;
    solve_options.witnesses = questions.file.empty();
    solve_options.seed = options.seed;
    if (options.engine == ExploreEngine::one_by_one) solve_options.decision_diagrams = false;
    if (options.engine == ExploreEngine::diagrams) {
        solve_options.random_runs = solve_options.state_equation = solve_options.guided_search = false;
        solve_options.reductions = false;
        solve_options.diagram_effort = 0;
        solve_options.explore.max_states = solve_options.first_states;
    }
    for (const std::string& part : questions.without) {
        if (part == "random-runs") solve_options.random_runs = false;
        if (part == "decision-diagrams") solve_options.decision_diagrams = false;
        if (part == "state-equation") solve_options.state_equation = false;
        if (part == "guided-search") solve_options.guided_search = false;
        if (part == "stubborn-sets") solve_options.stubborn_sets = false;
        if (part == "reductions") solve_options.reductions = false;
    }
    const SolveSummary summary = solve(net, compiled, properties, solve_options);
    if (options.explore.ranks != nullptr && options.explore.ranks->rank() > 0) return ExitCode::done;
    check_witnesses(net, compiled, options.explore.semantics, summary);
    if (!options.schedule_file.empty() && summary.answers.front().witness)
        write_text(options.schedule_file, write_schedule_csv(net, *summary.answers.front().witness));
    const PropertyReport report{net, options.explore.semantics, properties, summary};
    const bool single = questions.file.empty();
    if (!takes_standard_output({options.schedule_file}, options.json))
        print_answer(options.json ? property_json(report, single) : property_text(report, single));
    return exit_code_of(report);
}

}  // namespace warpnet::cli

// The questions of `explore`: flags and files of properties become values of Property. A file that does not
// exist may be the name of a global property of the contest.

#include "cli/commands/explore_questions.hpp"

#include "analysis/states/properties/conditions.hpp"
#include "cli/input/command.hpp"
#include "cli/input/net_io.hpp"
#include "cli/input/options.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/net/error.hpp"
#include "pnml/read_properties.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

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
        throw UsageError("--live",
                         fmt::format("expected the id of a transition of net '{}' or 'all', found '{}'{}",
                                     net.id(), id, did_you_mean(id, ids_of(net.transitions()))));
    for (std::size_t t = 0; t < net.transitions().size(); ++t)
        if (!transition || index(*transition) == t)
            property.transitions.push_back(static_cast<std::uint32_t>(t));
    return property;
}

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
    add("--max", questions.maximum, "The largest value of a sum of tokens, e.g. 'p + 2*q'", "SUM");
    add("--min", questions.minimum, "The smallest value", "SUM");
    all.push_back(
        command.add_flag("--stable", questions.stable, "Are there places whose tokens never change?"));
    all.push_back(command.add_flag("--bounded", questions.bounded,
                                   "Is every place bounded? If not: steps that add tokens again and again"));
    add("--live", questions.live, "Can the transition (or 'all') fire again, whatever has happened?",
        "TRANSITION");
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
        .type_name("PART,...")
        .belongs_to(all);
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
    if (!questions.home.empty())
        return {formula_property(
            "home " + questions.home,
            temporal(Kind::globally, true, {temporal(Kind::finally, false, {condition(questions.home)})}))};
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
    if (questions.reversible) return {formula_property("reversible", states::reversible(net))};
    Property property;
    property.id = questions.bounded ? "bounded" : "stable places";
    property.kind = questions.bounded ? Property::Kind::bounded : Property::Kind::stable;
    return {std::move(property)};
}

std::optional<Schedule> witness_of(const Property& property, const states::PropertyAnswer& answer) {
    using Kind = Formula::Kind;
    if (answer.witness || !answer.holds || answer.by != states::AnswerPart::initial_marking ||
        property.kind != Property::Kind::formula)
        return answer.witness;
    const Formula& formula = property.formula;
    const bool shown = *answer.holds ? formula.kind == Kind::finally && !formula.on_all_paths
                                     : formula.kind == Kind::globally && formula.on_all_paths;
    return shown ? std::optional(Schedule{}) : std::nullopt;
}

void leave_out(const std::vector<std::string>& parts, states::AskOptions& options) {
    for (const std::string& part : parts)
        for (const auto& [name, asked] : asked_parts)
            if (part == name) options.*asked = false;
}

}  // namespace warpnet::cli

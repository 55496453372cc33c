// Questions as text become properties: a condition that can be reached is EF, one that always holds AG, and a
// home condition AG EF.

#include "analysis/states/properties/question.hpp"

#include "analysis/states/properties/conditions.hpp"
#include "engine/base/text.hpp"
#include "engine/formula/parse_formula.hpp"
#include "engine/input/usage_error.hpp"

#include <utility>

#include <fmt/format.h>

namespace warpnet::states {

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
        throw UsageError("--live",
                         fmt::format("expected the id of a transition of net '{}' or 'all', found '{}'{}",
                                     net.id(), id, did_you_mean(id, ids_of(net.transitions()))));
    for (std::size_t t = 0; t < net.transitions().size(); ++t)
        if (!transition || index(*transition) == t)
            property.transitions.push_back(static_cast<std::uint32_t>(t));
    return property;
}

}  // namespace

Property property_of(const Question& question, const Net& net) {
    using Kind = Formula::Kind;
    const auto condition = [&](const std::string& text) {
        return parse_formula(text, net, FormulaLanguage::of_markings);
    };
    if (!question.reach.empty())
        return formula_property("reach " + question.reach,
                                temporal(Kind::finally, false, {condition(question.reach)}));
    if (!question.always.empty())
        return formula_property("always " + question.always,
                                temporal(Kind::globally, true, {condition(question.always)}));
    if (!question.home.empty())
        return formula_property(
            "home " + question.home,
            temporal(Kind::globally, true, {temporal(Kind::finally, false, {condition(question.home)})}));
    if (!question.ctl.empty())
        return formula_property("ctl " + question.ctl,
                                parse_formula(question.ctl, net, FormulaLanguage::temporal));
    if (!question.maximum.empty())
        return sum_property("max " + question.maximum, Property::Kind::maximum,
                            parse_sum(question.maximum, net));
    if (!question.minimum.empty())
        return sum_property("min " + question.minimum, Property::Kind::minimum,
                            parse_sum(question.minimum, net));
    if (!question.live.empty()) return live_property(question.live, net);
    if (question.reversible) return formula_property("reversible", states::reversible(net));
    Property property;
    property.id = question.bounded ? "bounded" : "stable places";
    property.kind = question.bounded ? Property::Kind::bounded : Property::Kind::stable;
    return property;
}

std::optional<Schedule> witness_of(const Property& property, const PropertyAnswer& answer) {
    using Kind = Formula::Kind;
    if (answer.witness || !answer.holds || answer.by != AnswerPart::initial_marking ||
        property.kind != Property::Kind::formula)
        return answer.witness;
    const Formula& formula = property.formula;
    const bool shown = *answer.holds ? formula.kind == Kind::finally && !formula.on_all_paths
                                     : formula.kind == Kind::globally && formula.on_all_paths;
    return shown ? std::optional(Schedule{}) : std::nullopt;
}

}  // namespace warpnet::states

// The JSON of a worst case: found value, bound, proof, machine, and the figures of the search.

#include "analysis/worst/worst_json.hpp"

#include "analysis/states/properties/to_json.hpp"
#include "engine/base/to_json.hpp"

namespace warpnet::worst {

using OrderedJson = nlohmann::ordered_json;

OrderedJson to_json(const Machine& machine) {
    OrderedJson json = {{"schedulers", nullptr}};
    if (machine.schedulers == SchedulerUse::shared)
        json = {{"schedulers", "shared"}, {"scheduler_count", machine.count}};
    if (machine.schedulers == SchedulerUse::fixed || machine.schedulers == SchedulerUse::any)
        json = {{"schedulers", machine.schedulers == SchedulerUse::fixed ? "fixed" : "any"},
                {"scheduler_count", machine.count},
                {"dispatch_units", machine.dispatch_units}};
    if (machine.schedulers == SchedulerUse::unlimited) json = {{"schedulers", "unlimited"}};
    if (!machine.units.empty()) json["units"] = machine.units;
    if (!machine.own_units.empty()) json["own_units"] = machine.own_units;
    if (!machine.latencies.empty()) json["latencies"] = machine.latencies;
    json["text"] = to_text(machine);
    return json;
}

OrderedJson to_json(const Net& net, const WorstCase& worst, bool with_schedule) {
    const bool longest = worst.objective == Objective::longest;
    OrderedJson json;
    json["objective"] = longest ? "max" : "min";
    json["found"] = or_null(worst.found);
    json["upper"] = longest ? or_null(worst.bound) : OrderedJson();
    if (!longest) json["lower"] = or_null(worst.bound);
    json["replayed"] = worst.found ? OrderedJson(worst.replayed) : OrderedJson();
    json["exact"] = worst.exact;
    json["endless"] = worst.endless == EndlessRuns::none_known ? OrderedJson()
                      : worst.endless == EndlessRuns::every    ? OrderedJson("every")
                                                               : OrderedJson("some");
    json["machine"] = to_json(worst.machine);
    json["covers"] = worst.covers.empty() ? "all runs of this net" : worst.covers;
    json["leaves_out"] = worst.leaves_out;
    if (worst.policy) {
        json["policy"] = to_string(*worst.policy);
        json["policy_decides"] = worst.policy_decides;
    }
    json["method"] = worst.method;
    json["chains"] = worst.chains;
    json["iterations"] = worst.iterations;
    json["seconds"] = worst.seconds;
    json["start_values"] = worst.start_values;
    json["proof"] = worst.arguments;
    json["bounds"] = OrderedJson::array();
    for (const StepBound& bound : worst.bounds)
        json["bounds"].push_back({{"value", bound.steps}, {"argument", bound.argument}});
    json["unfinished"] = worst.limits_hit;
    json["interrupted"] = worst.interrupted;
    if (worst.closed_form) json["fermi_bound"] = *worst.closed_form;
    if (!worst.cycle.empty())
        json["cycle"] = {{"prefix", states::to_json(net, worst.cycle_prefix)},
                         {"steps", states::to_json(net, worst.cycle)}};
    if (with_schedule)
        json["schedule"] = worst.has_schedule() ? states::to_json(net, worst.schedule) : OrderedJson();
    return json;
}

}  // namespace warpnet::worst

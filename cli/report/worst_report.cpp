#include "cli/report/worst_report.hpp"

#include "cli/report/report_row.hpp"
#include "cli/report/schedule_json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::cli {

namespace {

using Json = nlohmann::ordered_json;

/// The texts in their order; of equal ones the first, with how many there are.
std::vector<std::string> each_once(const std::vector<std::string>& texts) {
    std::vector<std::string> result;
    for (auto at = texts.begin(); at != texts.end(); ++at) {
        if (std::find(texts.begin(), at, *at) != at) continue;
        const auto times = std::count(at, texts.end(), *at);
        result.push_back(times == 1 ? *at : fmt::format("{} ({} times)", *at, times));
    }
    return result;
}

/// How much is open between what was found and what is certified.
std::string width_of_bracket(std::uint64_t found, std::uint64_t bound) {
    const auto [low, high] = std::minmax(found, bound);
    return fmt::format("{:.1f} % is open", 100 * static_cast<double>(high - low) / static_cast<double>(high));
}

}  // namespace

void WorstReport::set_endless(EndlessRuns which, std::string argument) {
    exact = true;
    endless = which;
    found.reset();
    bound.reset();
    bounds.clear();
    arguments = {std::move(argument)};
}

std::string no_worst_case(const WorstReport& report) {
    if (report.endless == EndlessRuns::every)
        return report.longest ? "no finite worst case: every run is endless"
                              : "no shortest run: every run is endless";
    if (!report.longest) return "";
    if (report.endless == EndlessRuns::some)
        return "no finite bound over all runs: some end, some are endless";
    if (report.endless == EndlessRuns::one) return "no finite bound over all runs: at least one is endless";
    if (report.time_stands_still)
        return "no worst case: immediate transitions fire forever, time does not advance";
    return "";
}

nlohmann::ordered_json machine_json(const Machine& machine) {
    Json json = {{"schedulers", nullptr}};
    if (machine.schedulers == SchedulerUse::shared)
        json = {{"schedulers", "shared"}, {"scheduler_count", machine.count}};
    if (machine.schedulers == SchedulerUse::unlimited) json = {{"schedulers", "unlimited"}};
    if (!machine.units.empty()) json["units"] = machine.units;
    if (!machine.latencies.empty()) json["latencies"] = machine.latencies;
    return json;
}

std::string worst_json(const Net& net, const WorstReport& report) {
    Json json;
    json["objective"] = report.longest ? "max" : "min";
    json["found"] = or_null(report.found);
    json["upper"] = report.longest ? or_null(report.bound) : Json();
    if (!report.longest) json["lower"] = or_null(report.bound);
    json["exact"] = report.exact;
    json["endless"] = report.endless == EndlessRuns::none_known ? Json()
                      : report.endless == EndlessRuns::every    ? Json("every")
                                                                : Json("some");
    json["machine"] = machine_json(report.machine);
    json["leaves_out"] = report.leaves_out;
    if (!report.policy.empty()) json["policy"] = report.policy;
    json["method"] = report.method;
    json["chains"] = report.chains;
    json["iterations"] = report.iterations;
    json["seconds"] = report.seconds;
    json["start_values"] = report.start_values;
    json["arguments"] = report.arguments;
    json["bounds"] = Json::array();
    for (const StepBound& bound : report.bounds)
        json["bounds"].push_back({{"value", bound.steps}, {"argument", bound.argument}});
    json["limits_hit"] = report.limits_hit;
    json["interrupted"] = report.interrupted;
    if (report.fermi_bound) json["fermi_bound"] = *report.fermi_bound;
    if (!report.cycle.empty()) {
        json["cycle"] = {{"prefix", schedule_json(net, report.cycle_prefix)},
                         {"steps", schedule_json(net, report.cycle)}};
    }
    if (report.with_schedule)
        json["schedule"] = report.has_schedule() ? schedule_json(net, report.schedule) : Json();
    return json.dump(2) + "\n";
}

std::string worst_text(const Net& net, const WorstReport& report) {
    std::string text;
    const auto line = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<12}{}\n", name, value);
    };
    const std::string no_worst = no_worst_case(report);
    line(report.longest ? "longest" : "shortest",
         !no_worst.empty()                    ? no_worst
         : report.bound_only && !report.bound ? report.longest ? "no upper bound" : "no lower bound"
         : !report.found && report.bound ? report.chains == 0 ? "not searched" : "no run that ends was found"
         : !report.found                 ? "none: no run that ends is known"
         : report.exact                  ? fmt::format("{} steps, exact", *report.found)
         : report.replayed
             ? fmt::format("{} steps found, with a schedule that was replayed", *report.found)
             : fmt::format("{} steps found; no time was left to replay the schedule", *report.found));
    if (report.bound && !report.exact) {
        line(report.longest ? "at most" : "at least",
             fmt::format("{} steps, certified{}", *report.bound,
                         report.found ? "; " + width_of_bracket(*report.found, *report.bound) : ""));
    }
    if (report.found || report.bound) line("machine", to_text(report.machine));
    if (!report.leaves_out.empty()) line("leaves out", fmt::format("{}", fmt::join(report.leaves_out, "; ")));
    if (report.fermi_bound) {
        line("closed form",
             fmt::format("{} steps: {}", *report.fermi_bound,
                         !report.exact || !report.found ? "not compared, the exact value is not known"
                         : static_cast<std::uint64_t>(*report.fermi_bound) == *report.found ? "equal"
                         : static_cast<std::uint64_t>(*report.fermi_bound) < *report.found
                             ? "too small, this is no bound here"
                             : "not reached"));
    }
    if (!report.policy.empty())
        line("policy",
             report.policy + ", which says who is served" +
                 (report.bound && !report.exact ? "; the bound holds for every service order" : ""));
    if (!report.method.empty()) line("method", report.method);
    for (const std::string& argument : each_once(report.arguments)) line("  proof", argument);
    for (const std::string& limit : each_once(report.limits_hit)) line("  limit", limit);
    if (report.chains > 0) {
        line("search", fmt::format("{} chains, {} iterations, {:.1f} s", report.chains, report.iterations,
                                   report.seconds));
    }
    for (const auto& [start, value] : report.start_values)
        line("  start", fmt::format("{} {}", start, value));
    if (!report.cycle.empty()) {
        const auto steps = [](std::size_t count) {
            return fmt::format("{} step{}", count, count == 1 ? "" : "s");
        };
        line("forever",
             fmt::format("after {} {} without end:", steps(report.cycle_prefix.size()),
                         report.cycle.size() == 1 ? "this one repeats"
                                                  : fmt::format("these {} repeat", report.cycle.size())));
        for (const ScheduledStep& step : report.cycle) {
            std::string ids;
            for (const std::uint32_t t : step.transitions) ids += " " + net.transitions()[t].id;
            line("", ids);
        }
    }
    if (report.interrupted) line("interrupted", "this is what was known by then");
    return text;
}

ExitCode exit_code_of(const WorstReport& report) {
    if (report.interrupted) return ExitCode::interrupted;
    return report.limit_reached ? ExitCode::limit : ExitCode::done;
}

}  // namespace warpnet::cli

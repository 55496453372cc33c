// Lists the assumptions behind a certified time. A bound is proved for the net of an SM, and holds for a GPU
// only as far as the assumptions do. Margins move uncertain facts to their pessimistic end. A longer latency
// only delays, and a lower rate only lengthens waits for credits, so the bound grows with both.
//
// A margin belongs to one fact, to all latencies, to all rates or to all unverified facts, and the largest
// that applies counts. Counts, such as schedulers, have no margin, because no direction makes them worse in
// every kernel. Assumptions are a list with a key for each, so that a program can look for one.

#include "analysis/studies/predict/assumptions.hpp"

#include "engine/base/text.hpp"
#include "engine/input/flag_items.hpp"
#include "engine/input/usage_error.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpnet::studies {
namespace {

enum class FactKind : std::uint8_t { count, latency, rate };

/// The direction in which a fact gets worse: up for latencies and costs, down for rates. Counts are certain.
FactKind kind_of(std::string_view fact) {
    for (const std::string_view more : {"event_us", "block_launch", "launch_us", "integer_cost"})
        if (fact == more) return FactKind::latency;
    if (fact.starts_with("lat_")) return FactKind::latency;
    for (const std::string_view rate :
         {"issue", "fp32", "int32", "fp64", "special", "convert", "convert64", "compare", "shift", "multiply",
          "ldst", "clock_mhz", "dram_gbs", "dram_efficiency", "l2_sectors"})
        if (fact == rate) return FactKind::rate;
    return FactKind::count;
}

double margin_of(const std::vector<FactMargin>& margins, std::string_view fact, bool verified) {
    const FactKind kind = kind_of(fact);
    double percent = 0;
    for (const FactMargin& margin : margins) {
        const bool meant = margin.fact == fact || (margin.fact == "latencies" && kind == FactKind::latency) ||
                           (margin.fact == "rates" && kind == FactKind::rate) ||
                           (margin.fact == "unverified" && !verified && kind != FactKind::count);
        if (meant) percent = std::max(percent, margin.percent);
    }
    return percent;
}

std::string counted(std::int64_t count, const char* noun) {
    return plural(static_cast<std::uint64_t>(count), noun);
}

std::string text_of_dispatcher(const SmPrediction& prediction) {
    return prediction.dispatcher == Dispatcher::any
               ? "an SM with room for a block gets the next one, whichever SM that is"
               : fmt::format("blocks go to the SMs in turn: the busiest gets {}", prediction.blocks);
}

/// The source of the warps of the net.
std::string text_of_counts(const PredictedLaunch& launch) {
    if (launch.longest)
        return "each warp executes the most that any warp of the launch executes, class by class";
    return launch.alike ? "all warps of the launch execute the same counts"
                        : "each warp executes the mean of the counts of the launch";
}

}  // namespace

std::vector<FactMargin> parse_margins(std::string_view text) {
    std::vector<FactMargin> margins;
    each_item(std::string(text), [&](const std::string& item) {
        const NamedItem named(item);
        const bool group = named.name == "latencies" || named.name == "rates" || named.name == "unverified";
        if (!group && kind_of(named.name) == FactKind::count)
            throw UsageError("--margin",
                             fmt::format("expected FACT=PERCENT with latencies, rates, unverified, or "
                                         "a latency or rate of 'warpnet devices --columns'; found "
                                         "'{}'",
                                         item));
        std::string_view number = named.value;
        if (number.ends_with('%')) number.remove_suffix(1);
        const auto percent = parse_number<double>(number);
        if (!percent || !(*percent >= 0 && *percent <= 1000))
            throw UsageError("--margin", fmt::format("expected 0 to 1000 percent, found '{}'", item));
        require_once(std::ranges::none_of(
                         margins, [&](const FactMargin& before) { return before.fact == named.name; }),
                     "--margin", named.name);
        margins.push_back({std::string(named.name), *percent});
    });
    return margins;
}

netgen::Device pessimistic_device(netgen::Device device, const std::vector<FactMargin>& margins) {
    for (auto& [name, fact] : device.facts) {
        const double factor = 1 + margin_of(margins, name, fact.verified) / 100;
        if (factor == 1) continue;
        if (kind_of(name) == FactKind::latency)
            fact.value *= factor;
        else
            fact.value /= factor;
    }
    return device;
}

std::vector<Assumption> assumptions_of(const netgen::Device& device, const std::vector<FactMargin>& margins,
                                       const PredictedLaunch& launch) {
    const SmPrediction& prediction = launch.prediction;
    const double clock = pessimistic_device(device, margins).at("clock_mhz");
    std::vector<Assumption> list = {
        {"machine", fmt::format("{} of each SM fixed to warps, by the number of the warp",
                                counted(static_cast<std::int64_t>(device.at("schedulers")), "scheduler"))},
        {"dispatcher", text_of_dispatcher(prediction)},
        {"counts", text_of_counts(launch)},
        {"clock", fmt::format("the SMs run at {:g} MHz all the time", clock)},
        {"caches", prediction.warm_caches ? "L2 holds the data that the counters show as DRAM traffic"
                                          : "caches serve the shares of the accesses that the counts give"},
        {"bandwidth", "L2 and DRAM serve all SMs with blocks equally; the DRAM efficiency includes refresh"},
        {"alone", "no other kernel, copy or context runs on the GPU"},
        {"code", "the instructions are in the caches, and ptxas generates no more instructions than counted"},
        {"launch",
         fmt::format("driver and launch take {:g} µs", pessimistic_device(device, margins).at("launch_us"))},
    };
    if (launch.paths)
        list.push_back(
            {"paths", *launch.paths == netgen::PtxPaths::longest
                          ? "a warp takes a path with the most instructions, and no other path takes longer"
                          : "a warp executes both sides of a branch that the launch leaves open"});
    if (!launch.trips.empty())
        list.push_back({"trips", "loops run the given number of trips: " + launch.trips});
    for (const std::string& shape : launch.assumed)
        list.push_back({"launch", fmt::format("the {} of the launch are assumed", shape)});
    for (const std::string& unknown : launch.longest ? launch.longest->unknowns : launch.kernel.unknowns)
        list.push_back({"kernel", unknown});
    if (const auto facts = unverified_facts(device); !facts.empty())
        list.push_back({"unverified", fmt::format("facts of {} that are not verified: {}", device.name,
                                                  fmt::join(facts, ", "))});
    std::string used;
    for (const FactMargin& margin : margins)
        used += fmt::format("{}{} {:g} %", used.empty() ? "" : ", ", margin.fact, margin.percent);
    if (!used.empty()) list.push_back({"margin", "facts may be worse by: " + used});
    return list;
}

namespace {

// Predicts a kernel on a device with one fact doubled, for each fact. Facts are not halved or varied by their
// uncertainty, because the question is which part of a GPU is worth enlarging. Latencies are facts too. For
// them the answer shows how well warps hide them.

netgen::DeviceInput with_fact(netgen::DeviceInput device, const std::string& fact, double value) {
    std::erase_if(device.changes, [&](const auto& change) { return change.first == fact; });
    device.changes.emplace_back(fact, value);
    return device;
}

}  // namespace

std::vector<PredictedLaunch> predict_launches(const netgen::DeviceInput& device,
                                              const std::vector<KernelLaunch>& launches,
                                              SmPredictOptions options,
                                              const std::vector<FactMargin>& margins,
                                              std::optional<double> deadline_us) {
    const netgen::SmDevice sm = device.sm();
    const netgen::Device facts = device.device();
    if (!margins.empty()) {
        options.worst_device = netgen::sm_device(pessimistic_device(facts, margins));
        options.worst_device->mechanisms = sm.mechanisms;
    }
    std::vector<PredictedLaunch> predicted;
    predicted.reserve(launches.size());
    std::atomic<std::uint64_t> finished = 0;
    const auto part =
        launches.size() > 1 ? begin_part(options.progress, {"kernels", launches.size(), &finished}) : nullptr;
    for (const KernelLaunch& launch : launches) {
        options.worst_kernel = launch.longest;
        auto prediction = predict_sm(sm, launch.kernel, options);
        if (!prediction) break;
        PredictedLaunch& added = predicted.emplace_back(PredictedLaunch{launch, std::move(*prediction)});
        added.uncounted = (launch.longest ? *launch.longest : launch.kernel).uncounted;
        added.uncounted.insert(added.uncounted.end(), launch.uncounted.begin(), launch.uncounted.end());
        if (!launch.assumed.empty())
            added.uncounted.push_back(fmt::format("other launches: the {} of this one are assumed",
                                                  fmt::join(launch.assumed, " and ")));
        if (added.prediction.worst) added.assumptions = assumptions_of(facts, margins, added);
        added.deadline_us = deadline_us;
        ++finished;
    }
    return predicted;
}

std::vector<WhatIf> what_if(const netgen::DeviceInput& device, const netgen::KernelProfile& kernel,
                            const SmPredictOptions& options, double us) {
    std::vector<WhatIf> answers;
    const netgen::Device known = device.device();
    std::atomic<std::uint64_t> finished = 0;
    const auto part =
        begin_part(options.progress, {"facts doubled", netgen::device_columns().size(), &finished});
    for (const netgen::DeviceColumn& column : netgen::device_columns()) {
        ++finished;
        const auto fact = known.facts.find(column.name);
        if (fact == known.facts.end()) continue;
        const double value = 2 * fact->second.value;
        std::optional<SmPrediction> doubled;
        try {
            netgen::check_fact(column.name, value);
            doubled = predict_sm(with_fact(device, std::string(column.name), value).sm(), kernel, options);
        } catch (const InputError&) {
            continue;  // such a device cannot be, or cannot run the kernel
        }
        if (!doubled) break;
        // Differences below a thousandth of the time are due to the seed.
        if (std::abs(doubled->us - us) < 1e-3 * us) continue;
        answers.push_back({std::string(column.name), value, doubled->us, doubled->closed.binding});
    }
    std::ranges::stable_sort(answers, {}, &WhatIf::us);
    return answers;
}

nlohmann::ordered_json to_json(const std::vector<WhatIf>& answers) {
    auto json = nlohmann::ordered_json::array();
    for (const WhatIf& answer : answers)
        json.push_back({{"fact", answer.fact},
                        {"value", answer.value},
                        {"us", answer.us},
                        {"limited_by", with_underscores(to_string(answer.limited_by))}});
    return json;
}

}  // namespace warpnet::studies

// Predicts a kernel on a device with one fact doubled, for each fact. Facts are not halved or varied by their
// uncertainty, because the question is which part of a GPU is worth enlarging. Latencies are facts too. For
// them the answer shows how well warps hide them.

#include "analysis/studies/predict/what_if.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

namespace warpnet::studies {

namespace {

netgen::DeviceInput with_fact(netgen::DeviceInput device, const std::string& fact, double value) {
    std::erase_if(device.changes, [&](const auto& change) { return change.first == fact; });
    device.changes.emplace_back(fact, value);
    return device;
}

}  // namespace

std::vector<WhatIf> what_if(const netgen::DeviceInput& device, const netgen::KernelProfile& kernel,
                            const SmPredictOptions& options, double us) {
    std::vector<WhatIf> answers;
    const netgen::Device known = device.device();
    for (const netgen::DeviceColumn& column : netgen::device_columns()) {
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

#include "cli/report/schedule_json.hpp"

#include <nlohmann/json.hpp>

namespace warpnet::cli {

nlohmann::ordered_json schedule_json(const Net& net, const Schedule& schedule) {
    auto steps = nlohmann::ordered_json::array();
    for (const ScheduledStep& step : schedule) {
        auto ids = nlohmann::ordered_json::array();
        for (const std::uint32_t t : step.transitions) ids.push_back(net.transitions()[t].id);
        steps.push_back(std::move(ids));
    }
    return steps;
}

}  // namespace warpnet::cli

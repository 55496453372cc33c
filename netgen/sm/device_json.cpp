#include "netgen/sm/device_json.hpp"

#include <nlohmann/json.hpp>

namespace warpnet {

namespace {

using nlohmann::ordered_json;

}  // namespace

nlohmann::ordered_json to_json(const Device& device) {
    ordered_json facts = ordered_json::object();
    for (const DeviceColumn& column : device_columns()) {
        const auto found = device.facts.find(column.name);
        if (found == device.facts.end()) continue;
        const DeviceFact& fact = found->second;
        facts[std::string(column.name)] = {
            {"value", fact.value}, {"source", fact.source}, {"verified", fact.verified}};
    }
    return {{"name", device.name},
            {"architecture", device.architecture},
            {"compute_capability", device.compute_capability},
            {"facts", facts}};
}

nlohmann::ordered_json to_json(const DeviceTable& table, const std::vector<Device>& devices) {
    ordered_json json;
    json["devices"] = ordered_json::array();
    for (const Device& device : devices) json["devices"].push_back(to_json(device));
    json["sources"] = table.sources;
    json["columns"] = ordered_json::array();
    for (const DeviceColumn& column : device_columns())
        json["columns"].push_back(
            {{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
    return json;
}

}  // namespace warpnet

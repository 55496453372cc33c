#include "netgen/blocks/tasks_json.hpp"

#include "engine/input/json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 40;

StreamingMultiprocessor read_sm(const JsonValue& value, const StreamingMultiprocessor& otherwise,
                                const std::string& suffix) {
    return {value.integer_or("threads" + suffix, otherwise.threads, 1, most),
            value.integer_or("blocks" + suffix, otherwise.blocks, 1, most),
            value.integer_or("shared" + suffix, otherwise.shared, 0, most),
            value.integer_or("registers" + suffix, otherwise.registers, 0, most)};
}

Gpu read_gpu(const JsonValue& value) {
    Gpu gpu;
    const StreamingMultiprocessor sm = read_sm(value, {}, "_per_sm");
    if (value.has("sms") && value.at("sms").is_array()) {
        gpu.sms.clear();
        for (const JsonValue& element : value.at("sms").elements())
            gpu.sms.push_back(read_sm(element, sm, ""));
    } else {
        gpu.sms.assign(static_cast<std::size_t>(value.integer_or("sms", 2, 1, 100'000)), sm);
    }
    gpu.warp_size = value.integer_or("warp_size", gpu.warp_size, 1, 1 << 20);
    gpu.register_unit = value.integer_or("register_unit", 1, 1, 1 << 20);
    return gpu;
}

/// `index` counts from 0.
Operation read_operation(const JsonValue& value, std::size_t index) {
    Operation operation;
    operation.name = value.text_or("name", fmt::format("k{}", index + 1));
    const std::string kind = value.text_or("kind", "kernel");
    if (kind == "copy")
        operation.kind = OperationKind::copy;
    else if (kind == "cpu")
        operation.kind = OperationKind::cpu;
    else if (kind != "kernel")
        value.at("kind").fail("\"kernel\", \"copy\" or \"cpu\"");
    operation.time = value.at("time").integer(1);
    operation.release = value.integer_or("release", 0, 0);
    if (value.has("period")) operation.period = value.at("period").integer(1);
    operation.jitter = value.integer_or("jitter", 0, 0, most);
    operation.deadline = operation.period;
    if (value.has("deadline")) operation.deadline = value.at("deadline").integer(0);
    if (value.has("stream")) operation.stream = value.at("stream").integer();
    operation.priority = static_cast<std::int32_t>(value.integer_or("priority", 0, -1'000'000, 1'000'000));
    if (operation.kind == OperationKind::kernel) {
        operation.blocks = value.at("blocks").integer(1, most);
        operation.threads = value.at("threads").integer(1, most);
        operation.shared = value.integer_or("shared", 0, 0, most);
        operation.registers = value.integer_or("registers", 0, 0, 1 << 20);
    } else {
        for (const char* field : {"blocks", "threads", "shared", "registers"})
            if (value.has(field))
                value.at(field).fail(
                    fmt::format("no such member: a {} takes nothing from an SM", to_string(operation.kind)));
    }
    if (operation.kind == OperationKind::cpu) {
        operation.core = value.integer_or("core", 0, 0);
        operation.keeps_core = value.boolean_or("keeps_core", false);
    } else {
        for (const char* field : {"core", "keeps_core"})
            if (value.has(field)) value.at(field).fail("no such member: only a CPU segment has a core");
    }
    return operation;
}

}  // namespace

TaskSet read_tasks_json(std::string_view text, const std::string& source) {
    TaskSet tasks = read_json(text, source, [](const JsonValue& root) {
        TaskSet result;
        result.unit = root.text_or("unit", "step");
        if (const auto gpu = root.find("gpu")) result.gpu = read_gpu(*gpu);
        for (const JsonValue& kernel : root.at("kernels").elements())
            result.operations.push_back(read_operation(kernel, result.operations.size()));
        return result;
    });
    validate_from(tasks, source);
    return tasks;
}

std::string write_tasks_json(const TaskSet& tasks) {
    nlohmann::ordered_json document;
    document["unit"] = tasks.unit;
    nlohmann::ordered_json& gpu = document["gpu"];
    for (const StreamingMultiprocessor& sm : tasks.gpu.sms)
        gpu["sms"].push_back(nlohmann::ordered_json{{"threads", sm.threads},
                                                    {"blocks", sm.blocks},
                                                    {"shared", sm.shared},
                                                    {"registers", sm.registers}});
    gpu["warp_size"] = tasks.gpu.warp_size;
    gpu["register_unit"] = tasks.gpu.register_unit;
    for (const Operation& operation : tasks.operations) {
        nlohmann::ordered_json entry{
            {"name", operation.name}, {"time", operation.time}, {"release", operation.release}};
        if (operation.period) entry["period"] = *operation.period;
        if (operation.jitter > 0) entry["jitter"] = operation.jitter;
        if (operation.deadline) entry["deadline"] = *operation.deadline;
        if (operation.stream) entry["stream"] = *operation.stream;
        entry["priority"] = operation.priority;
        if (operation.kind == OperationKind::copy) {
            entry["kind"] = "copy";
        } else if (operation.kind == OperationKind::cpu) {
            entry["kind"] = "cpu";
            entry["core"] = operation.core;
            entry["keeps_core"] = operation.keeps_core;
        } else {
            entry["blocks"] = operation.blocks;
            entry["threads"] = operation.threads;
            entry["shared"] = operation.shared;
            entry["registers"] = operation.registers;
        }
        document["kernels"].push_back(std::move(entry));
    }
    return document.dump(2) + "\n";
}

}  // namespace warpnet

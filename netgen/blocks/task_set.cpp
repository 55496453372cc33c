// Task sets: their checks, their JSON, and the numbers that all analyses share. Checks come first and throw,
// so that later sums and products cannot overflow. The hyperperiod is the least common multiple of the
// periods. It is an error if it exceeds 64 bits.
//
// release_horizon() proves that the analyses stay below half of 64 bits. Something runs while something is
// pending, so all jobs end within the horizon plus all the work. Sums for this proof have 128 bits. Times are
// whole numbers of one unit, so that events at the same time compare as equal. Cost: jobs_before() takes
// O(jobs log jobs), all other functions at most O(operations^2).

#include "netgen/blocks/task_set.hpp"

#include "engine/base/round_up.hpp"
#include "engine/base/to_json.hpp"
#include "engine/input/json.hpp"
#include "engine/net/error.hpp"
#include "netgen/sm/device.hpp"
#include "netgen/sm/presets.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet::netgen {

namespace {

constexpr Time max_time = std::numeric_limits<Time>::max();
constexpr std::int64_t max_amount = std::int64_t{1} << 40;  // of anything an SM or a grid can have

[[noreturn]] void fail(const Operation& operation, const std::string& expected) {
    throw InputError(fmt::format("{} '{}': {}", to_string(operation.kind), operation.name, expected));
}

void require_range(const Operation& operation, const char* field, std::int64_t value, std::int64_t least,
                   std::int64_t most = max_amount) {
    if (value < least || value > most)
        fail(operation, fmt::format("expected {} in {}..{}, found {}", field, least, most, value));
}

void validate_gpu(const Gpu& gpu) {
    if (gpu.sms.empty()) throw InputError("gpu: expected at least one SM, found none");
    const auto require = [](const std::string& field, std::int64_t value, std::int64_t least) {
        if (value < least || value > max_amount)
            throw InputError(
                fmt::format("gpu: expected {} in {}..{}, found {}", field, least, max_amount, value));
    };
    for (std::size_t i = 0; i < gpu.sms.size(); ++i) {
        const StreamingMultiprocessor& sm = gpu.sms[i];
        require(fmt::format("threads of SM {}", i), sm.threads, 1);
        require(fmt::format("blocks of SM {}", i), sm.blocks, 1);
        require(fmt::format("shared memory of SM {}", i), sm.shared, 0);
        require(fmt::format("registers of SM {}", i), sm.registers, 0);
    }
    if (!gpu.compute_capability.empty() && find_limits(gpu.compute_capability) == nullptr)
        throw InputError(fmt::format("gpu: expected a compute capability from {} to {}, found '{}'",
                                     compute_capabilities().front().name, compute_capabilities().back().name,
                                     gpu.compute_capability));
    require("warp_size", gpu.warp_size, 1);
    require("register_unit", gpu.register_unit, 1);
}

/// The limits of an SM for NVIDIA's occupancy calculator; nothing if the GPU is not one of NVIDIA's.
std::optional<SmLimits> limits_of(const Gpu& gpu, const StreamingMultiprocessor& sm) {
    const SmLimits* const known = gpu.warp_size == 32 ? find_limits(gpu.compute_capability) : nullptr;
    if (known == nullptr) return std::nullopt;
    SmLimits limits = *known;
    limits.warps = sm.threads / 32;
    limits.blocks = sm.blocks;
    limits.registers = sm.registers;
    limits.shared_bytes = sm.shared;
    limits.register_unit = gpu.register_unit;
    if (gpu.register_unit == 1) {  // resources as given
        limits.partitions = limits.warp_unit = limits.shared_unit = 1;
        limits.reserved_shared_bytes = 0;
    }
    return limits;
}

/// The reason why the device rejects the launch of a block that fits on every SM; empty if it does not.
std::string rejected(const Gpu& gpu, const Operation& kernel) {
    std::string why;
    for (const StreamingMultiprocessor& sm : gpu.sms) {
        const std::optional<SmLimits> limits = limits_of(gpu, sm);
        if (!limits) return "";
        if (room_for(block_demand(gpu, kernel), sm) == 0) continue;
        try {
            resident_blocks(*limits, {kernel.threads, kernel.registers, kernel.shared});
            return "";
        } catch (const InputError& error) {
            why = error.what();
        }
    }
    return why;
}

void validate_operation(const Gpu& gpu, const Operation& operation) {
    require_range(operation, "blocks", operation.blocks, 1);
    require_range(operation, "time", operation.time, 1, max_time);
    require_range(operation, "release", operation.release, 0, max_time);
    if (operation.period) require_range(operation, "period", *operation.period, 1, max_time);
    require_range(operation, "jitter", operation.jitter, 0, max_time);
    if (operation.deadline) require_range(operation, "deadline", *operation.deadline, 0, max_time);
    require_range(operation, "core", operation.core, 0);
    if (operation.keeps_core && operation.kind != OperationKind::cpu)
        fail(operation, "only a CPU segment keeps its core");
    if (operation.kind != OperationKind::kernel) {
        if (operation.blocks != 1)
            fail(operation, operation.kind == OperationKind::copy
                                ? "a copy is one transfer: expected blocks 1"
                                : "a CPU segment runs on one core: expected blocks 1");
        return;
    }
    require_range(operation, "threads", operation.threads, 1);
    require_range(operation, "shared", operation.shared, 0);
    require_range(operation, "registers", operation.registers, 0, 1 << 20);
    const BlockDemand demand = block_demand(gpu, operation);
    if (std::none_of(gpu.sms.begin(), gpu.sms.end(),
                     [&](const StreamingMultiprocessor& sm) { return room_for(demand, sm) > 0; }))
        fail(operation,
             fmt::format("a block of {} threads, {} bytes of shared memory and {} registers fits on no SM",
                         demand.threads, demand.shared, demand.registers));
    if (const std::string why = rejected(gpu, operation); !why.empty())
        fail(operation, fmt::format("{} (compute capability {})", why, gpu.compute_capability));
}

/// The next CPU segment after one that keeps its core must be able to take over the core.
void validate_kept_cores(const TaskSet& tasks) {
    for (std::size_t i = 0; i < tasks.operations.size(); ++i) {
        const Operation& before = tasks.operations[i];
        if (!before.keeps_core) continue;
        const auto next = std::find_if(tasks.operations.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       tasks.operations.end(), [&](const Operation& operation) {
                                           return operation.kind == OperationKind::cpu && before.stream &&
                                                  operation.stream == before.stream;
                                       });
        if (next == tasks.operations.end() || next->core != before.core ||
            next->priority != before.priority || next->period != before.period ||
            next->release != before.release || next->jitter != before.jitter)
            fail(before,
                 "it keeps its core: expected a CPU segment behind it in its stream with the same core, "
                 "priority, release, period and jitter");
    }
}

}  // namespace

std::string_view to_string(OperationKind kind) {
    switch (kind) {
        case OperationKind::kernel:
            return "kernel";
        case OperationKind::copy:
            return "copy";
        case OperationKind::cpu:
            return "CPU segment";
    }
    return {};
}

std::string_view to_string(SmPolicy policy) { return policy == SmPolicy::first_fit ? "first" : "free"; }

BlockDemand block_demand(const Gpu& gpu, const Operation& kernel) {
    const std::int64_t threads = rounded_up(kernel.threads, gpu.warp_size);
    const std::int64_t warps = threads / gpu.warp_size;
    const std::int64_t of_warp = rounded_up(kernel.registers * gpu.warp_size, gpu.register_unit);
    BlockDemand demand{threads, kernel.shared, warps * of_warp};
    const auto limits = gpu.sms.empty() ? std::nullopt : limits_of(gpu, gpu.sms.front());
    if (!limits || gpu.register_unit == 1) return demand;
    demand.shared = rounded_up(kernel.shared + limits->reserved_shared_bytes, limits->shared_unit);
    // A warp has its registers in one partition of the register file. The rest of a full partition counts as
    // that of its warps, in equal shares, so that as many blocks fit as with resident_blocks().
    const std::int64_t partition = limits->registers / limits->partitions;
    if (of_warp > 0 && of_warp <= partition) demand.registers = warps * partition / (partition / of_warp);
    return demand;
}

std::int64_t room_for(const BlockDemand& demand, const StreamingMultiprocessor& free) {
    if (free.threads < demand.threads || free.shared < demand.shared || free.registers < demand.registers)
        return 0;
    std::int64_t room = std::min(free.blocks, free.threads / demand.threads);
    if (demand.shared > 0) room = std::min(room, free.shared / demand.shared);
    if (demand.registers > 0) room = std::min(room, free.registers / demand.registers);
    return room;
}

void validate(const TaskSet& tasks) {
    validate_gpu(tasks.gpu);
    if (tasks.operations.empty()) throw InputError("expected at least one kernel or copy, found none");
    refuse_choices(tasks);
    std::unordered_set<std::string> names;
    std::unordered_map<std::int64_t, const Operation*> first_of_stream;
    for (const Operation& operation : tasks.operations) {
        if (operation.name.empty()) throw InputError("expected a name for every kernel, found an empty one");
        if (!names.insert(operation.name).second)
            fail(operation, "expected a name of its own, found it twice");
        validate_operation(tasks.gpu, operation);
        if (!operation.stream || operation.kind == OperationKind::cpu) continue;
        const Operation& first = *first_of_stream.emplace(*operation.stream, &operation).first->second;
        if (first.priority != operation.priority)
            fail(operation,
                 fmt::format(
                     "priority is a property of the stream: expected {} as for '{}' in stream {}, found {}",
                     first.priority, first.name, *operation.stream, operation.priority));
    }
    validate_kept_cores(tasks);
    release_horizon(tasks);
}

std::vector<Choice> choices_of(const TaskSet& tasks) {
    std::vector<Choice> choices;
    for (const Operation& operation : tasks.operations) {
        if (operation.choice.empty()) continue;
        auto choice = std::ranges::find(choices, operation.choice, &Choice::name);
        if (choice == choices.end()) choice = choices.insert(choices.end(), {operation.choice, {}});
        if (std::ranges::find(choice->variants, operation.variant) == choice->variants.end())
            choice->variants.push_back(operation.variant);
    }
    return choices;
}

TaskSet with_variants(const TaskSet& tasks, const std::vector<std::size_t>& chosen) {
    const std::vector<Choice> choices = choices_of(tasks);
    TaskSet result{tasks.gpu, {}, tasks.unit};
    for (Operation operation : tasks.operations) {
        if (!operation.choice.empty()) {
            const auto choice = std::ranges::find(choices, operation.choice, &Choice::name);
            const std::size_t variant = chosen.at(static_cast<std::size_t>(choice - choices.begin()));
            if (choice->variants.at(variant) != operation.variant) continue;
            operation.choice.clear();
            operation.variant.clear();
        }
        result.operations.push_back(std::move(operation));
    }
    return result;
}

namespace {

void validate_variants(const TaskSet& tasks) {
    const std::vector<Choice> choices = choices_of(tasks);
    std::vector<std::size_t> chosen(choices.size(), 0);
    validate(with_variants(tasks, chosen));
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (choices[i].variants.size() < 2)
            throw InputError(fmt::format("choice '{}': expected two variants or more, found '{}' alone",
                                         choices[i].name, choices[i].variants.front()));
        for (chosen[i] = 1; chosen[i] < choices[i].variants.size(); ++chosen[i])
            validate(with_variants(tasks, chosen));
        chosen[i] = 0;
    }
}

}  // namespace

void validate_from(const TaskSet& tasks, const std::string& source) {
    try {
        validate_variants(tasks);
    } catch (const InputError& error) {
        throw InputError(source + ": " + error.what());
    }
}

void refuse_jitter(const TaskSet& tasks, const std::string& source) {
    for (const Operation& operation : tasks.operations)
        if (operation.jitter > 0)
            throw InputError(
                fmt::format("{}'{}' has a jitter: only 'respond --sporadic' bounds what it delays",
                            source.empty() ? "" : source + ": ", operation.name));
}

void refuse_choices(const TaskSet& tasks, const std::string& source) {
    for (const Operation& operation : tasks.operations)
        if (!operation.choice.empty())
            throw InputError(
                fmt::format("{}choice '{}' is open: only 'respond --choose' chooses one of its variants",
                            source.empty() ? "" : source + ": ", operation.choice));
}

TaskSet one_big_sm(TaskSet tasks) {
    StreamingMultiprocessor all{0, 0, 0, 0};
    for (const StreamingMultiprocessor& sm : tasks.gpu.sms) {
        all.threads += sm.threads;
        all.blocks += sm.blocks;
        all.shared += sm.shared;
        all.registers += sm.registers;
    }
    tasks.gpu.sms = {all};
    return tasks;
}

std::optional<Time> hyperperiod(const TaskSet& tasks) {
    std::optional<Time> result;
    for (const Operation& operation : tasks.operations) {
        if (!operation.period) continue;
        const Time so_far = result.value_or(1);
        Time next = 0;
        if (__builtin_mul_overflow(so_far / std::gcd(so_far, *operation.period), *operation.period, &next))
            fail(operation,
                 fmt::format("expected periods whose least common multiple a 64-bit number holds, found one "
                             "above {} with period {}",
                             so_far, *operation.period));
        result = next;
    }
    return result;
}

Time release_horizon(const TaskSet& tasks) {
    Time last_release = 0;
    for (const Operation& operation : tasks.operations)
        last_release = std::max(last_release, operation.release);
    const Time cycle = hyperperiod(tasks).value_or(1);
    // Something runs while something is pending, so everything ends within the horizon plus all the work.
    // Half of the range leaves room for further hyperperiods.
    __extension__ using Wide = __int128;
    const Wide horizon = Wide{last_release} + cycle;
    Wide end = horizon;
    for (const Operation& operation : tasks.operations) {
        const Wide jobs =
            operation.period ? (horizon - operation.release + *operation.period - 1) / *operation.period : 1;
        if (jobs > max_time) fail(operation, "expected jobs that a 64-bit number can count");
        const Wide block_times = jobs * operation.blocks;
        if (block_times > max_time) fail(operation, "expected blocks that a 64-bit number can count");
        end += block_times * operation.time;
        if (end > max_time / 2)
            fail(operation, "expected times whose total a 64-bit number holds twice; choose a larger unit");
    }
    return static_cast<Time>(horizon);
}

std::int64_t job_count(const TaskSet& tasks, Time horizon) {
    std::int64_t count = 0;
    for (const Operation& operation : tasks.operations) {
        if (!operation.period)
            ++count;
        else if (operation.release < horizon)
            count += (horizon - operation.release - 1) / *operation.period + 1;
    }
    return count;
}

std::vector<Job> jobs_before(const TaskSet& tasks, Time horizon, std::int64_t max_jobs) {
    if (const std::int64_t count = job_count(tasks, horizon); count > max_jobs)
        throw InputError(
            fmt::format("expected at most {} jobs up to time {}, found {}", max_jobs, horizon, count));
    std::vector<Job> jobs;
    for (std::uint32_t i = 0; i < tasks.operations.size(); ++i) {
        const Operation& operation = tasks.operations[i];
        if (operation.period && operation.release >= horizon) continue;
        Time release = operation.release;
        for (std::int64_t index = 0;; ++index) {
            jobs.push_back({i, index, release});
            if (!operation.period || horizon - release <= *operation.period) break;
            release += *operation.period;
        }
    }
    std::stable_sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
        return a.release != b.release ? a.release < b.release : a.operation < b.operation;
    });
    return jobs;
}

std::vector<std::uint32_t> dense_streams(const TaskSet& tasks) {
    std::unordered_map<std::int64_t, std::uint32_t> numbers;
    std::vector<std::uint32_t> result;
    for (const Operation& operation : tasks.operations) {
        const auto next = static_cast<std::uint32_t>(numbers.size());
        result.push_back(operation.stream ? numbers.emplace(*operation.stream, next).first->second
                                          : own_stream);
    }
    return result;
}

std::vector<std::int32_t> kernel_priorities(const TaskSet& tasks) {
    std::vector<std::int32_t> priorities;
    for (const Operation& operation : tasks.operations)
        if (operation.kind == OperationKind::kernel) priorities.push_back(operation.priority);
    std::sort(priorities.begin(), priorities.end(), std::greater<>{});
    priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
    return priorities;
}

std::vector<std::int64_t> cores_of(const TaskSet& tasks) {
    std::vector<std::int64_t> cores;
    for (const Operation& operation : tasks.operations)
        if (operation.kind == OperationKind::cpu) cores.push_back(operation.core);
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    return cores;
}

std::vector<bool> kept_cores(const TaskSet& tasks) {
    std::vector<bool> kept;
    std::unordered_map<std::int64_t, bool> keeps;  // the last CPU segment of each stream
    for (const Operation& operation : tasks.operations) {
        kept.push_back(operation.kind == OperationKind::cpu && operation.stream && keeps[*operation.stream]);
        if (operation.kind == OperationKind::cpu && operation.stream)
            keeps[*operation.stream] = operation.keeps_core;
    }
    return kept;
}

namespace {

constexpr std::int64_t most = std::int64_t{1} << 40;

StreamingMultiprocessor read_sm(const JsonValue& value, const StreamingMultiprocessor& otherwise,
                                const std::string& suffix) {
    return {value.integer_or("threads" + suffix, otherwise.threads, 1, most),
            value.integer_or("blocks" + suffix, otherwise.blocks, 1, most),
            value.integer_or("shared" + suffix, otherwise.shared, 0, most),
            value.integer_or("registers" + suffix, otherwise.registers, 0, most)};
}

constexpr const char* default_capability = "6.2";  // of the Jetson TX2

/// The preset that a GPU names; nothing if it names none.
const Device* preset_of(const JsonValue& gpu) {
    const auto name = gpu.find("device");
    if (!name) return nullptr;
    try {
        return &preset_devices().at(name->text());
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", name->where(), error.what()));
    }
}

Gpu read_gpu(const JsonValue& value, const Device* device) {
    Gpu gpu;
    gpu.compute_capability = value.text_or(
        "compute_capability", device != nullptr ? device->compute_capability : default_capability);
    const SmLimits* const limits = find_limits(gpu.compute_capability);
    if (limits == nullptr && !gpu.compute_capability.empty())
        value.at("compute_capability")
            .fail(fmt::format("one from {} to {}, or an empty text", compute_capabilities().front().name,
                              compute_capabilities().back().name));
    StreamingMultiprocessor otherwise;
    const bool chosen = limits != nullptr && (device || value.has("compute_capability"));
    if (device) {
        const SmLimits of_device = sm_limits(*device);
        otherwise = {of_device.warps * 32, of_device.blocks, of_device.shared_bytes, of_device.registers};
    } else if (chosen) {
        otherwise = {limits->warps * 32, limits->blocks, limits->shared_bytes, limits->registers};
    }
    const StreamingMultiprocessor sm = read_sm(value, otherwise, "_per_sm");
    if (value.has("sms") && value.at("sms").is_array()) {
        gpu.sms.clear();
        for (const JsonValue& element : value.at("sms").elements())
            gpu.sms.push_back(read_sm(element, sm, ""));
    } else {
        const std::int64_t sms = device != nullptr ? static_cast<std::int64_t>(device->at("sms")) : 2;
        gpu.sms.assign(static_cast<std::size_t>(value.integer_or("sms", sms, 1, 100'000)), sm);
    }
    gpu.warp_size = value.integer_or("warp_size", gpu.warp_size, 1, 1 << 20);
    gpu.register_unit = value.integer_or("register_unit", chosen ? limits->register_unit : 1, 1, 1 << 20);
    return gpu;
}

/// The number of microseconds in a unit of time; nothing for an unknown unit.
std::optional<double> us_of_unit(std::string_view name) {
    for (const auto& [unit, us] :
         {std::pair("ns", 1e-3), std::pair("us", 1.0), std::pair("ms", 1e3), std::pair("s", 1e6)})
        if (name == unit) return us;
    return {};
}

/// A set without a unit has steps.
std::string unit_found(const TaskSet& tasks) {
    return tasks.unit == "step" ? "no unit" : fmt::format("'{}'", tasks.unit);
}

/// The blocks of a kernel and the time of each.
void read_blocks(const JsonValue& value, const KernelByCodeReader& by_code, const std::string& device,
                 const TaskSet& tasks, Operation& operation) {
    for (const char* const code : {"ptx", "predict"}) {
        if (!value.has(code)) continue;
        if (!by_code) value.at(code).fail("no such member: only 'respond' and 'generate blocks' read code");
        if (!us_of_unit(tasks.unit))
            throw InputError(
                fmt::format("{}: expected a set whose \"unit\" is ns, us, ms or s, since a certificate has a "
                            "time; found {}",
                            value.at(code).where(), unit_found(tasks)));
        const KernelByCode kernel = by_code(value, operation.name, device);
        operation.blocks = kernel.blocks;
        operation.threads = kernel.threads;
        operation.shared = kernel.shared;
        operation.registers = kernel.registers;
        operation.time = time_of_us(kernel.us, tasks);
        return;
    }
    operation.time = value.at("time").integer(1);
    operation.blocks = value.at("blocks").integer(1, most);
    operation.threads = value.at("threads").integer(1, most);
    operation.shared = value.integer_or("shared", 0, 0, most);
    operation.registers = value.integer_or("registers", 0, 0, 1 << 20);
}

/// The next operation of a set.
Operation read_operation(const JsonValue& value, const KernelByCodeReader& by_code, const std::string& device,
                         const TaskSet& tasks) {
    const std::size_t index = tasks.operations.size();  // from 0
    Operation operation;
    operation.name = value.text_or("name", fmt::format("k{}", index + 1));
    const std::string kind = value.text_or("kind", "kernel");
    if (kind == "copy")
        operation.kind = OperationKind::copy;
    else if (kind == "cpu")
        operation.kind = OperationKind::cpu;
    else if (kind != "kernel")
        value.at("kind").fail("\"kernel\", \"copy\" or \"cpu\"");
    operation.release = value.integer_or("release", 0, 0);
    if (value.has("period")) operation.period = value.at("period").integer(1);
    operation.jitter = value.integer_or("jitter", 0, 0, most);
    operation.deadline = operation.period;
    if (value.has("deadline")) operation.deadline = value.at("deadline").integer(0);
    if (value.has("stream")) operation.stream = value.at("stream").integer();
    operation.choice = value.text_or("choice", "");
    operation.variant = value.text_or("variant", "");
    if (operation.choice.empty() != operation.variant.empty())
        value.fail("members \"choice\" and \"variant\" together, or none of them");
    operation.priority = static_cast<std::int32_t>(value.integer_or("priority", 0, -1'000'000, 1'000'000));
    if (operation.kind == OperationKind::kernel) {
        read_blocks(value, by_code, device, tasks, operation);
    } else {
        operation.time = value.at("time").integer(1);
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

double us_of_time(Time time, const TaskSet& tasks) {
    if (const auto us = us_of_unit(tasks.unit)) return static_cast<double>(time) * *us;
    throw InputError(fmt::format("unit: expected ns, us, ms or s, since a time is given in them; found {}",
                                 unit_found(tasks)));
}

Time time_of_us(double us, const TaskSet& tasks) {
    return std::max<Time>(1, static_cast<Time>(std::min(std::ceil(us / us_of_time(1, tasks)), 9e18)));
}

TaskSet read_tasks_json(std::string_view text, const std::string& source, const KernelByCodeReader& by_code) {
    TaskSet tasks = read_json(text, source, [&](const JsonValue& root) {
        TaskSet result;
        result.unit = root.text_or("unit", "step");
        result.gpu.compute_capability = default_capability;
        const Device* device = nullptr;
        if (const auto gpu = root.find("gpu")) {
            device = preset_of(*gpu);
            result.gpu = read_gpu(*gpu, device);
        }
        for (const JsonValue& kernel : root.at("kernels").elements())
            result.operations.push_back(
                read_operation(kernel, by_code, device != nullptr ? device->name : "", result));
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
    gpu["compute_capability"] = tasks.gpu.compute_capability;
    for (const Operation& operation : tasks.operations) {
        nlohmann::ordered_json entry{
            {"name", operation.name}, {"time", operation.time}, {"release", operation.release}};
        if (operation.period) entry["period"] = *operation.period;
        if (operation.jitter > 0) entry["jitter"] = operation.jitter;
        if (operation.deadline) entry["deadline"] = *operation.deadline;
        if (operation.stream) entry["stream"] = *operation.stream;
        entry["priority"] = operation.priority;
        if (!operation.choice.empty()) {
            entry["choice"] = operation.choice;
            entry["variant"] = operation.variant;
        }
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
    return json_text(document, 2) + "\n";
}

}  // namespace warpnet::netgen

#include "netgen/blocks/scheduling_examiner.hpp"

#include "engine/base/parse_number.hpp"
#include "engine/net/error.hpp"
#include "netgen/common/json_value.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpnet {
namespace {

constexpr std::int64_t most_iterations = 10'000;

/// Seconds of the file, nanoseconds here.
Time nanoseconds(const JsonValue& seconds) {
    const double value = seconds.number();
    if (!(value >= 0 && value < 9e9)) seconds.fail("a number of seconds in 0..9e9");
    return std::llround(value * 1e9);
}

/// Counts are numbers, or one number per dimension.
std::int64_t count_of(const JsonValue& value) {
    if (!value.raw().is_array()) return value.integer(0, std::int64_t{1} << 40);
    std::int64_t product = 1;
    for (const JsonValue& factor : value.elements())
        if (__builtin_mul_overflow(product, factor.integer(1, std::int64_t{1} << 31), &product))
            value.fail("a product that a 64-bit number holds");
    return product;
}

/// A whole number, also as text.
std::int64_t duration_of(const JsonValue& value) {
    if (!value.raw().is_string()) return value.integer(1);
    const auto result = parse_number<std::int64_t>(value.text());
    if (!result || *result < 1) value.fail("nanoseconds as a whole number of at least 1");
    return *result;
}

std::string base_name(const std::string& path) {
    std::string name = path.substr(path.find_last_of('/') + 1);
    if (const std::size_t dot = name.find('.'); dot != std::string::npos) name.resize(dot);
    return name;
}

class ConfigReader {
  public:
    ConfigReader(const JsonValue& root, const Gpu& gpu) : root_(root) {
        result_.tasks.gpu = gpu;
        result_.tasks.unit = "ns";
    }

    ExaminerConfig read() {
        if (root_.boolean_or("use_processes", false))
            root_.at("use_processes").fail("false: the scheduler's rules hold for threads of one process");
        for (const JsonValue& benchmark : root_.at("benchmarks").elements()) read_benchmark(benchmark);
        return std::move(result_);
    }

  private:
    void read_benchmark(const JsonValue& value) {
        label_ = value.text_or("label", fmt::format("benchmark {}", result_.benchmarks.size() + 1));
        result_.benchmarks.push_back({label_, {}});
        // As in CUDA a lower number goes first there.
        const std::int64_t priority = -value.integer_or("stream_priority", 0, -1'000'000, 1'000'000);

        Operation kernel;
        kernel.stream = static_cast<std::int64_t>(result_.benchmarks.size());
        kernel.priority = static_cast<std::int32_t>(priority);
        kernel.blocks = value.has("block_count") ? count_of(value.at("block_count")) : 0;
        kernel.threads = value.has("thread_count") ? count_of(value.at("thread_count")) : 0;
        kernel.release = value.has("release_time") ? nanoseconds(value.at("release_time")) : 0;

        const JsonValue& limits = value.has("max_iterations") ? value : root_;
        iterations_ = limits.integer_or("max_iterations", 0, 0);
        if (iterations_ == 0 || iterations_ > most_iterations)
            throw InputError(
                fmt::format("{}: expected max_iterations in 1..{}: a run limited by time alone depends on "
                            "the machine",
                            limits.where(), most_iterations));
        for (iteration_ = 1; iteration_ <= iterations_; ++iteration_) read_kernels(value, kernel);
    }

    void read_kernels(const JsonValue& value, const Operation& kernel) {
        const std::string benchmark = base_name(value.at("filename").text());
        const JsonValue info = value.at("additional_info");
        if (benchmark == "timer_spin") {
            add(value, kernel, info, info.raw().is_object() ? info.at("duration") : info, "");
        } else if (benchmark == "sharedmem_timer_spin") {
            if (info.raw().is_object())
                add(value, kernel, info, info.at("duration"), "");
            else
                add(value, kernel, info, info, "");
        } else if (benchmark == "multikernel") {
            Operation next = kernel;
            std::size_t number = 0;
            for (const JsonValue& launch : info.elements()) {
                if (launch.has("delay")) next.release += nanoseconds(launch.at("delay"));
                add(launch, next, launch, launch.at("duration"),
                    launch.text_or("kernel_label", fmt::format("{}", ++number)));
            }
        } else if (benchmark == "stream_action") {
            read_actions(info, kernel);
        } else {
            value.at("filename")
                .fail(
                    "timer_spin, sharedmem_timer_spin, multikernel or stream_action, the benchmarks "
                    "whose block time is in the configuration");
        }
    }

    void read_actions(const JsonValue& info, Operation kernel) {
        if (info.boolean_or("use_null_stream", false))
            info.at("use_null_stream").fail("false: the NULL stream is not modelled");
        std::size_t number = 0;
        for (const JsonValue& action : info.at("actions").elements()) {
            if (action.has("delay")) kernel.release += nanoseconds(action.at("delay"));
            const std::string type = action.at("type").text();
            if (type == "synchronize") continue;  // the next launch waits in its stream just the same
            if (type != "kernel")
                action.at("type").fail("\"kernel\": how long other actions take is not known");
            const JsonValue parameters = action.at("parameters");
            if (parameters.text_or("type", "timer_spin") != "timer_spin")
                parameters.at("type").fail("\"timer_spin\", whose time is known");
            add(parameters, kernel, parameters, parameters.at("duration"),
                action.text_or("label", fmt::format("{}", ++number)));
        }
    }

    /// `counts` may hold block_count and thread_count, `shared` a number of 32-bit words.
    void add(const JsonValue& counts, Operation kernel, const JsonValue& shared, const JsonValue& duration,
             const std::string& suffix) {
        if (counts.has("block_count")) kernel.blocks = count_of(counts.at("block_count"));
        if (counts.has("thread_count")) kernel.threads = count_of(counts.at("thread_count"));
        if (kernel.blocks < 1)
            throw InputError(fmt::format("{}: expected block_count of at least 1, found {}", counts.where(),
                                         kernel.blocks));
        if (kernel.threads < 1)
            throw InputError(fmt::format("{}: expected thread_count of at least 1, found {}", counts.where(),
                                         kernel.threads));
        kernel.time = duration_of(duration);
        if (shared.raw().is_object())
            kernel.shared = 4 * shared.integer_or("shared_memory_size", 0, 0, 1 << 30);
        std::string name = suffix.empty() ? label_ : fmt::format("{}: {}", label_, suffix);
        if (iterations_ > 1) name += fmt::format(" #{}", iteration_);
        kernel.name = name;
        for (int copy = 2; !names_.insert(kernel.name).second; ++copy)
            kernel.name = fmt::format("{} ({})", name, copy);
        result_.benchmarks.back().operations.push_back(
            static_cast<std::uint32_t>(result_.tasks.operations.size()));
        result_.tasks.operations.push_back(kernel);
    }

    const JsonValue& root_;
    ExaminerConfig result_;
    std::string label_;
    std::int64_t iterations_ = 1;
    std::int64_t iteration_ = 1;
    std::set<std::string> names_;
};

MeasuredKernel read_kernel(const JsonValue& value) {
    MeasuredKernel kernel;
    kernel.name = value.text_or("kernel_name", "");
    if (value.has("cuda_launch_times")) {
        const std::vector<JsonValue> times = value.at("cuda_launch_times").elements();
        if (times.size() < 2)
            value.at("cuda_launch_times").fail("at least two times: before and after the launch");
        kernel.launched = nanoseconds(times[1]);
    }
    const JsonValue times_value = value.at("block_times");
    const std::vector<JsonValue> times = times_value.elements();
    if (times.empty() || times.size() % 2 != 0)
        times_value.fail("a start and an end for each of at least one block");
    std::vector<JsonValue> sms;
    if (value.has("block_smids")) {
        sms = value.at("block_smids").elements();
        if (sms.size() != times.size() / 2)
            value.at("block_smids").fail("one SM for each pair of block_times");
    }
    for (std::size_t i = 0; i < times.size(); i += 2) {
        MeasuredBlock block{nanoseconds(times[i]), nanoseconds(times[i + 1]), {}};
        if (block.end < block.start) times[i + 1].fail("an end not before the block's start");
        if (!sms.empty()) block.sm = sms[i / 2].integer(0, 1 << 20);
        kernel.blocks.push_back(block);
    }
    return kernel;
}

}  // namespace

Gpu jetson_tx2() {
    Gpu gpu;
    gpu.warp_size = 32;
    gpu.register_unit = 256;
    return gpu;
}

bool is_examiner_config(std::string_view text) {
    try {
        const nlohmann::json document = parse_json(text, "");
        return document.is_object() && document.contains("benchmarks");
    } catch (const InputError&) {
        return false;
    }
}

ExaminerConfig read_examiner_config(std::string_view text, const std::string& source, const Gpu& gpu) {
    const nlohmann::json document = parse_json(text, source);
    const JsonValue root(document, source);
    ExaminerConfig config = ConfigReader(root, gpu).read();
    validate_from(config.tasks, source);
    return config;
}

MeasuredLog read_examiner_log(std::string_view text, const std::string& source) {
    const nlohmann::json document = parse_json(text, source);
    const JsonValue root(document, source);
    MeasuredLog log;
    log.label = root.text_or("label", "");
    if (root.has("max_resident_threads")) log.resident_threads = root.at("max_resident_threads").integer(1);
    // The first entry is empty, some hold times of the CPU only.
    for (const JsonValue& entry : root.at("times").elements())
        if (entry.has("block_times")) log.kernels.push_back(read_kernel(entry));
    if (log.kernels.empty()) root.at("times").fail("at least one entry with block_times");
    return log;
}

}  // namespace warpnet

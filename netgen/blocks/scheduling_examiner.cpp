// Reads configurations and logs of the CUDA scheduling examiner [Otterness17]. A configuration starts one
// stream per benchmark. The launches of its plug-ins are taken from their sources and not guessed: an unknown
// plug-in is an error. Logs give the measured times of kernels and blocks, which `respond` compares with its
// bounds.

#include "netgen/blocks/scheduling_examiner.hpp"

#include "engine/base/text.hpp"
#include "engine/input/json.hpp"
#include "engine/net/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace warpnet::netgen {
namespace {

constexpr std::int64_t most_iterations = 10'000;
constexpr Time default_spin = 10'000'000;  // of timer_spin

/// Seconds of the file, nanoseconds here.
Time nanoseconds(const JsonValue& seconds) {
    const double value = seconds.number();
    if (!(value >= 0 && value < 9e9)) seconds.fail("a number of seconds in 0..9e9");
    return std::llround(value * 1e9);
}

/// Counts are numbers, or one number per dimension.
std::int64_t count_of(const JsonValue& value) {
    if (!value.is_array()) return value.integer(0, std::int64_t{1} << 40);
    constexpr std::size_t most_dimensions = 3;
    const std::vector<JsonValue> factors = value.elements();
    if (factors.empty() || factors.size() > most_dimensions)
        value.fail("a number, or one for each of one to three dimensions");
    std::int64_t product = 1;
    for (const JsonValue& factor : factors)
        if (__builtin_mul_overflow(product, factor.integer(1, std::int64_t{1} << 31), &product))
            value.fail("a product that a 64-bit number holds");
    return product;
}

/// Of the plug-ins only multikernel takes counts with several dimensions.
void check_one_dimension(const JsonValue& count) {
    if (!count.is_array()) return;
    const std::vector<JsonValue> factors = count.elements();
    for (std::size_t i = 1; i < factors.size(); ++i)
        if (factors[i].integer() != 1) count.fail("one dimension: the plug-in takes no other");
}

/// A whole number, also as text.
std::int64_t duration_of(const JsonValue& value) {
    if (!value.is_text()) return value.integer(1);
    const auto result = parse_number<std::int64_t>(value.text());
    if (!result || *result < 1) value.fail("nanoseconds as a whole number of at least 1");
    return *result;
}

/// Bytes; the plug-ins have kernels for these numbers of 32-bit words alone.
std::int64_t shared_of(const JsonValue& value) {
    const std::int64_t words = value.integer_or("shared_memory_size", 0);
    if (words != 0 && words != 4096 && words != 8192 && words != 10240)
        value.at("shared_memory_size").fail("0, 4096, 8192 or 10240 words");
    return 4 * words;
}

/// A mask excludes blocks from some SMs, so that the rules for one pool of SMs do not hold.
void check_mask(const JsonValue& value) {
    const auto mask = value.find("sm_mask");
    if (!mask) return;
    std::string_view digits = mask->text();
    const bool inverted = digits.starts_with('~');
    if (inverted) digits.remove_prefix(1);
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    std::uint64_t bits = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, bits, 16);
    if (error != std::errc() || rest != end) mask->fail("a hexadecimal mask");
    if ((inverted ? ~bits : bits) != 0)
        mask->fail("a mask that disables no TPC: partitions are not modelled");
}

std::string base_name(const std::string& path) {
    std::string name = path.substr(path.find_last_of('/') + 1);
    if (const std::size_t dot = name.find('.'); dot != std::string::npos) name.resize(dot);
    return name;
}

/// The behaviour of the plug-ins is taken from their sources ([Otterness17] `src/`). Times of the CPU are
/// known from the release up to the first wait for a kernel, since launches take no time. After that, a sleep
/// is a CPU segment in the benchmark's stream, on a core of its own.
class ConfigReader {
  public:
    ConfigReader(const JsonValue& root, const Gpu& gpu, const ExaminerOptions& options)
        : root_(root), options_(options) {
        result_.tasks.gpu = gpu;
        result_.tasks.unit = "ns";
    }

    ExaminerConfig read() {
        if (const auto processes = root_.find("use_processes"); processes && processes->boolean())
            processes->fail("false: the scheduler's rules hold for threads of one process");
        const auto together = root_.find("sync_every_iteration");
        together_ = together && together->boolean();
        for (const JsonValue& benchmark : root_.at("benchmarks").elements()) read_benchmark(benchmark);
        if (together_) release_together(*together);
        return std::move(result_);
    }

  private:
    void read_benchmark(const JsonValue& value) {
        label_ = value.text_or("label", fmt::format("benchmark {}", result_.benchmarks.size() + 1));
        result_.benchmarks.push_back({label_, {}, 0});
        next_ = {};
        next_.blocks = next_.threads = 0;
        next_.stream = static_cast<std::int64_t>(result_.benchmarks.size());
        // As in CUDA, a lower number is served first. Numbers outside the range of the GPU count as 0.
        next_.priority = static_cast<std::int32_t>(-value.integer_or("stream_priority", 0, -1, 0));
        if (const auto release = value.find("release_time")) next_.release = nanoseconds(*release);
        result_.benchmarks.back().release = next_.release;
        if (const auto size = value.find("data_size")) result_.benchmarks.back().data_size = size->number();
        first_release_ = std::max(first_release_, next_.release);
        if (together_) next_.release = 0;
        time_known_ = true;
        launched_ = launched_since_wait_ = false;
        check_mask(value);

        iterations_ = read_iterations(value);
        for (iteration_ = 1; iteration_ <= iterations_; ++iteration_) {
            if (together_) {
                next_.release = 0;
                time_known_ = true;
                launched_ = false;
            }
            read_iteration(value);
            wait_for_stream();
        }
        if (result_.benchmarks.back().operations.empty()) value.fail("a benchmark with at least one kernel");
    }

    std::int64_t read_iterations(const JsonValue& value) {
        const auto own = value.find("max_iterations");
        if (own && together_) own->fail("no number of its own, as sync_every_iteration is true");
        const auto limit = own ? own : root_.find("max_iterations");
        const std::int64_t iterations = limit ? limit->integer(0) : 0;
        if (iterations == 0 || iterations > most_iterations)
            throw InputError(
                fmt::format("{}: expected max_iterations in 1..{}: a run limited by time alone depends on "
                            "the machine",
                            (own ? value : root_).where(), most_iterations));
        const auto own_time = value.find("max_time");
        const auto time = own_time ? own_time : root_.find("max_time");
        if (time && nanoseconds(*time) > 0 && iterations > 1)
            time->note("", "may end a benchmark before its last iteration; all iterations are counted");
        return iterations;
    }

    void read_iteration(const JsonValue& value) {
        const JsonValue filename = value.at("filename");
        const std::string plug_in = base_name(filename.text());
        constexpr std::array<std::string_view, 3> of_one_dimension = {"timer_spin", "sharedmem_timer_spin",
                                                                      "stream_action"};
        if (std::ranges::find(of_one_dimension, plug_in) != of_one_dimension.end())
            for (const char* const key : {"block_count", "thread_count"})
                if (const auto count = value.find(key)) check_one_dimension(*count);
        if (plug_in == "timer_spin") {
            const auto info = value.find("additional_info");
            add(value, info ? duration_of(*info) : default_spin, 0, "");
        } else if (plug_in == "sharedmem_timer_spin") {
            const JsonValue info = value.at("additional_info");
            add(value, duration_of(info.at("duration")), shared_of(info), "");
        } else if (plug_in == "multikernel") {
            std::size_t number = 0;
            for (const JsonValue& launch : value.at("additional_info").elements()) {
                const std::string name = launch.text_or("kernel_label", fmt::format("{}", ++number));
                if (const auto delay = launch.find("delay"); delay && nanoseconds(*delay) > 0) {
                    wait_for_stream();
                    sleep(*delay, name);
                }
                check_mask(launch);
                for (const char* const copy : {"copy_in_count", "copy_out_count"})
                    if (const auto count = launch.find(copy); count && count->integer(0) > 0)
                        count->fail("0: how long a copy takes is not in the configuration");
                add(launch, duration_of(launch.at("duration")), shared_of(launch), name);
            }
        } else if (plug_in == "stream_action") {
            read_actions(value);
        } else {
            filename.fail(
                "timer_spin, sharedmem_timer_spin, multikernel or stream_action, the plug-ins whose block "
                "time is in the configuration");
        }
    }

    void read_actions(const JsonValue& value) {
        const JsonValue info = value.at("additional_info");
        if (const auto null_stream = info.find("use_null_stream"); null_stream && null_stream->boolean())
            null_stream->fail("false: the NULL stream is not modelled");
        std::size_t number = 0;
        for (const JsonValue& action : info.at("actions").elements()) {
            const std::string type = action.at("type").text();
            const std::string name = action.text_or("label", fmt::format("{}", number + 1));
            if (const auto delay = action.find("delay"); delay && nanoseconds(*delay) > 0)
                sleep(*delay, name);
            const auto parameters = action.find("parameters");
            if (type == "synchronize") {
                if (const auto device = parameters ? parameters->find("device") : std::nullopt;
                    device && device->boolean())
                    device->fail("false: a wait for all streams is not modelled");
                wait_for_stream();
                continue;
            }
            if (type != "kernel")
                action.at("type").fail(
                    "\"kernel\" or \"synchronize\": how long other actions take is not known");
            const JsonValue kernel = action.at("parameters");
            if (kernel.text_or("type", "timer_spin") != "timer_spin")
                kernel.at("type").fail("\"timer_spin\", whose time is known");
            ++number;
            next_.blocks = count_or_zero(value, "block_count");
            next_.threads = count_or_zero(value, "thread_count");
            add(kernel, duration_of(kernel.at("duration")), shared_of(kernel), name);
        }
    }

    void wait_for_stream() {
        if (launched_) time_known_ = false;
        launched_since_wait_ = false;
    }

    void sleep(const JsonValue& delay, const std::string& before) {
        if (time_known_) {
            next_.release += nanoseconds(delay);
            return;
        }
        if (launched_since_wait_)
            delay.fail("a delay behind \"synchronize\": the launch before this one has no known time");
        Operation segment;
        segment.kind = OperationKind::cpu;
        segment.stream = next_.stream;
        segment.core = *next_.stream;
        segment.release = next_.release;
        segment.time = nanoseconds(delay);
        add_named(segment, "sleep before " + before);
    }

    static std::int64_t count_or_zero(const JsonValue& value, const char* key) {
        const auto count = value.find(key);
        return count ? count_of(*count) : 0;
    }

    /// `counts` may hold block_count and thread_count.
    void add(const JsonValue& counts, Time time, std::int64_t shared, const std::string& suffix) {
        Operation kernel = next_;
        for (const auto& [key, count] :
             {std::pair("block_count", &Operation::blocks), std::pair("thread_count", &Operation::threads)}) {
            if (const auto found = counts.find(key)) kernel.*count = count_of(*found);
            if (kernel.*count < 1)
                throw InputError(fmt::format("{}: expected {} of at least 1, found {}", counts.where(), key,
                                             kernel.*count));
        }
        kernel.time = time;
        kernel.shared = shared;
        result_.benchmarks.back().operations.push_back(
            static_cast<std::uint32_t>(result_.tasks.operations.size()));
        launched_ = launched_since_wait_ = true;
        add_named(kernel, suffix);
    }

    void add_named(Operation operation, const std::string& suffix) {
        std::string name = suffix.empty() ? label_ : fmt::format("{}: {}", label_, suffix);
        if (iterations_ > 1) name += fmt::format(" #{}", iteration_);
        operation.name = name;
        for (int copy = 2; !names_.insert(operation.name).second; ++copy)
            operation.name = fmt::format("{} ({})", name, copy);
        result_.tasks.operations.push_back(operation);
        iteration_of_.push_back(iteration_);
    }

    /// An iteration begins when all benchmarks have ended the previous one. No state remains, so all
    /// iterations take the same time.
    void release_together(const JsonValue& member) {
        if (!options_.makespan) member.fail("false: iterations that begin together are not modelled here");
        TaskSet one = result_.tasks;
        one.operations.clear();
        for (std::size_t i = 0; i < iteration_of_.size(); ++i)
            if (iteration_of_[i] == 1) one.operations.push_back(result_.tasks.operations[i]);
        validate_from(one, member.where());
        const Time length = options_.makespan(one);
        for (std::size_t i = 0; i < iteration_of_.size(); ++i) {
            Time begin = 0;
            if (__builtin_mul_overflow(iteration_of_[i] - 1, length, &begin))
                member.fail("iterations whose end a 64-bit number holds");
            result_.tasks.operations[i].release += first_release_ + begin;
        }
    }

    const JsonValue& root_;
    const ExaminerOptions& options_;
    ExaminerConfig result_;
    std::string label_;       // of the benchmark
    Operation next_;          // its next kernel
    bool time_known_ = true;  // next_.release is the time at which the CPU continues
    bool launched_ = false, launched_since_wait_ = false;
    bool together_ = false;
    Time first_release_ = 0;  // the latest of all benchmarks
    std::int64_t iterations_ = 1;
    std::int64_t iteration_ = 1;
    std::vector<std::int64_t> iteration_of_;  // of each operation
    std::set<std::string> names_;
};

/// Members that affect no time of a kernel: threads of one process share the device, set-up and warm-up end
/// before the first release, and these plug-ins use no data.
constexpr IgnoredPart no_effect[] = {
    {"name", ""},
    {"max_time", ""},
    {"max_iterations", ""},
    {"cuda_device", ""},
    {"base_result_directory", ""},
    {"pin_cpus", ""},
    {"do_warmup", ""},
    {"benchmarks/log_name", ""},
    {"benchmarks/mps_thread_percentage", "it limits processes under MPS alone, and all are threads of one"},
    {"benchmarks/cpu_core", ""},
    {"benchmarks/block_count", ""},
    {"benchmarks/thread_count", ""}};

MeasuredKernel read_kernel(const JsonValue& value) {
    MeasuredKernel kernel;
    kernel.name = value.text_or("kernel_name", "");
    if (const auto launch = value.find("cuda_launch_times")) {
        const std::vector<JsonValue> times = launch->elements();
        if (times.size() < 2) launch->fail("at least two times: before and after the launch");
        kernel.launched = nanoseconds(times[1]);
    }
    const JsonValue times_value = value.at("block_times");
    const std::vector<JsonValue> times = times_value.elements();
    if (times.empty() || times.size() % 2 != 0)
        times_value.fail("a start and an end for each of at least one block");
    if (const auto blocks = value.find("block_count");
        blocks && count_of(*blocks) != static_cast<std::int64_t>(times.size() / 2))
        blocks->fail(fmt::format("the {} blocks of block_times", times.size() / 2));
    if (const auto threads = value.find("thread_count")) kernel.threads = count_of(*threads);
    if (const auto shared = value.find("shared_memory")) kernel.shared = shared->integer(0);
    std::vector<JsonValue> sms;
    if (const auto numbers = value.find("block_smids")) {
        sms = numbers->elements();
        if (sms.size() != times.size() / 2) numbers->fail("one SM for each pair of block_times");
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
    gpu.compute_capability = "6.2";
    return gpu;
}

bool is_examiner_config(std::string_view text) {
    try {
        return JsonDocument(text, "").root().has("benchmarks");
    } catch (const InputError&) {
        return false;
    }
}

ExaminerConfig read_examiner_config(std::string_view text, const std::string& source,
                                    const ExaminerOptions& options, const Gpu& gpu) {
    ExaminerConfig config = read_json(
        text, source, [&](const JsonValue& root) { return ConfigReader(root, gpu, options).read(); },
        no_effect, options.warnings);
    validate_from(config.tasks, source);
    return config;
}

MeasuredLog read_examiner_log(std::string_view text, const std::string& source) {
    constexpr IgnoredPart no_effect_on_times[] = {{"scenario_name", ""},
                                                  {"benchmark_name", ""},
                                                  {"PID", ""},
                                                  {"TID", ""},
                                                  {"times/cpu_times", ""},
                                                  {"times/copy_in_times", ""},
                                                  {"times/execute_times", ""},
                                                  {"times/copy_out_times", ""},
                                                  {"times/cpu_core", ""}};
    return read_json(
        text, source,
        [](const JsonValue& root) {
            MeasuredLog log;
            log.label = root.text_or("label", "");
            if (const auto threads = root.find("max_resident_threads"))
                log.resident_threads = threads->integer(1);
            if (const auto release = root.find("release_time")) log.release = nanoseconds(*release);
            if (const auto size = root.find("data_size")) log.data_size = size->number();
            // The first entry is empty, some hold times of the CPU only.
            for (const JsonValue& entry : root.at("times").elements())
                if (entry.has("block_times")) log.kernels.push_back(read_kernel(entry));
            if (log.kernels.empty()) root.at("times").fail("at least one entry with block_times");
            return log;
        },
        no_effect_on_times);
}

}  // namespace warpnet::netgen

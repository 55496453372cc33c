#include "netgen/blocks/scheduling_examiner.hpp"

#include "tests/support/bad_input.hpp"
#include "tests/support/shared_data.hpp"

#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

template <class Read>
std::string message(Read&& read) {
    return input_error_of(read, "read");
}

std::string config_with(const std::string& benchmark) {
    return R"({"name":"n","max_iterations":1,"max_time":0,"benchmarks":[)" + benchmark + "]}";
}

std::string config_message(const std::string& benchmark) {
    return message([&] { netgen::read_examiner_config(config_with(benchmark), "c.json"); });
}

}  // namespace

TEST_CASE("examiner: a measured configuration") {
    const auto file = warpnet::testing::shared_data("measurements/tx2_scenario1/rta_config.json");
    SKIP_WITHOUT(file, "measurements/tx2_scenario1/rta_config.json");
    std::ifstream stream(*file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    CHECK(netgen::is_examiner_config(text));
    const netgen::ExaminerConfig config = netgen::read_examiner_config(text, "rta_config.json");
    CHECK(config.tasks.unit == "ns");
    REQUIRE(config.tasks.operations.size() == 4);
    const netgen::Operation& kernel = config.tasks.operations[1];
    CHECK(kernel.name == "Kernel 2");
    CHECK(kernel.blocks == 7);
    CHECK(kernel.threads == 512);
    CHECK(kernel.time == 6'000'000'000);
    CHECK(kernel.release == 0);
    CHECK(kernel.stream == std::optional<std::int64_t>(2));
}

TEST_CASE("examiner: kernels of one benchmark share a stream") {
    const netgen::ExaminerConfig config = netgen::read_examiner_config(
        config_with(
            R"({"filename":"./bin/multikernel.so","label":"A","thread_count":0,"block_count":0,"data_size":0,
                        "release_time":0.4,"additional_info":[
                          {"kernel_label":"K4","duration":1000000000,"block_count":4,"thread_count":256,
                           "shared_memory_size":8192,"delay":0.2},
                          {"kernel_label":"K6","duration":"500","block_count":2,"thread_count":[16,8],"delay":2.0}]},
                       {"filename":"./bin/stream_action.so","label":"B","thread_count":512,"block_count":2,
                        "stream_priority":-1,"additional_info":{"actions":[
                          {"type":"synchronize"},
                          {"delay":0.2,"type":"kernel","label":"K3","parameters":{"duration":250000000}}]}},
                       {"filename":"timer_spin.so","label":"C","thread_count":32,"block_count":1,"max_iterations":2,
                        "additional_info":"7"})"),
        "c.json");
    const std::vector<netgen::Operation>& kernels = config.tasks.operations;
    REQUIRE(kernels.size() == 6);
    CHECK(kernels[0].name == "A: K4");
    CHECK(kernels[0].shared == 32768);
    CHECK(kernels[0].release == 600'000'000);
    CHECK(kernels[1].name == "A: sleep before K6");  // multikernel waits for its stream before it sleeps
    CHECK(kernels[1].kind == netgen::OperationKind::cpu);
    CHECK(kernels[1].time == 2'000'000'000);
    CHECK(kernels[1].stream == kernels[0].stream);
    CHECK(kernels[2].threads == 128);
    CHECK(kernels[2].time == 500);
    CHECK(kernels[2].stream == kernels[0].stream);
    CHECK(kernels[3].priority == 1);
    CHECK(kernels[3].threads == 512);
    CHECK(kernels[3].release == 200'000'000);
    CHECK(kernels[4].name == "C #1");
    CHECK(kernels[5].name == "C #2");
    CHECK(config.benchmarks[0].operations == std::vector<std::uint32_t>{0, 2});
    CHECK(config.benchmarks[2].operations == std::vector<std::uint32_t>{4, 5});
}

TEST_CASE("examiner: stream_action sleeps without waiting, unless it synchronizes") {
    const auto releases = [](const std::string& actions) {
        const netgen::ExaminerConfig config = netgen::read_examiner_config(
            config_with(R"({"filename":"stream_action.so","label":"S","thread_count":32,"block_count":1,
                            "additional_info":{"actions":[)" +
                        actions + "]}}"),
            "c.json");
        std::vector<std::pair<std::string, netgen::Time>> result;
        for (const netgen::Operation& operation : config.tasks.operations)
            result.emplace_back(operation.name, operation.kind == netgen::OperationKind::cpu
                                                    ? operation.time
                                                    : operation.release);
        return result;
    };
    const auto kernel = [](const std::string& label, double delay) {
        return R"({"type":"kernel","label":")" + label + R"(","delay":)" + std::to_string(delay) +
               R"(,"parameters":{"duration":5,"type":"timer_spin"}})";
    };
    using Releases = std::vector<std::pair<std::string, netgen::Time>>;
    CHECK(releases(kernel("a", 0) + "," + kernel("b", 1) + "," + kernel("c", 1)) ==
          Releases{{"S: a", 0}, {"S: b", 1'000'000'000}, {"S: c", 2'000'000'000}});
    const std::string wait = R"(,{"type":"synchronize","label":"w","parameters":{"device":false}},)";
    CHECK(releases(kernel("a", 1) + wait + kernel("b", 2) + "," + kernel("c", 0)) ==
          Releases{{"S: a", 1'000'000'000},
                   {"S: sleep before b", 2'000'000'000},
                   {"S: b", 1'000'000'000},
                   {"S: c", 1'000'000'000}});
    CHECK_THAT(message([&] { releases(kernel("a", 1) + wait + kernel("b", 2) + "," + kernel("c", 3)); }),
               Contains("actions[3].delay: expected a delay behind \"synchronize\""));
    CHECK_THAT(message([&] {
                   releases(kernel("a", 1) + R"(,{"type":"synchronize","parameters":{"device":true}})");
               }),
               Contains("parameters.device: expected false"));
}

TEST_CASE("examiner: iterations that begin together") {
    const std::string text = R"({"max_iterations":3,"sync_every_iteration":true,"benchmarks":[
        {"filename":"timer_spin.so","label":"slow","thread_count":256,"block_count":1,"additional_info":500},
        {"filename":"timer_spin.so","label":"fast","thread_count":512,"block_count":1,"additional_info":250,
         "release_time":1e-6}]})";
    netgen::ExaminerOptions options;
    options.makespan = [](const netgen::TaskSet& tasks) {
        CHECK(tasks.operations.size() == 2);
        return netgen::Time{500};
    };
    const netgen::ExaminerConfig config = netgen::read_examiner_config(text, "c.json", options);
    REQUIRE(config.tasks.operations.size() == 6);
    CHECK(config.tasks.operations[1].name == "slow #2");
    CHECK(config.tasks.operations[3].release == 1'000);  // all jobs wait for the last release
    CHECK(config.tasks.operations[4].release == 1'500);
    CHECK(config.tasks.operations[5].release == 2'000);
    CHECK_THAT(message([&] { netgen::read_examiner_config(text, "c.json"); }),
               Contains("c.json:1: sync_every_iteration: expected false"));
    CHECK_THAT(
        message([&] {
            netgen::read_examiner_config(
                R"({"max_iterations":3,"sync_every_iteration":true,"benchmarks":[{"max_iterations":1}]})",
                "c.json", options);
        }),
        Contains("benchmarks[0].max_iterations: expected no number of its own"));
}

TEST_CASE("examiner: what changes no time, and what might") {
    netgen::ExaminerOptions options;
    std::vector<std::string> warnings;
    options.warnings = &warnings;
    const netgen::ExaminerConfig config = netgen::read_examiner_config(
        R"({"name":"n","comment":"a","comment":"b","max_iterations":2,"max_time":5,"cuda_device":0,"pin_cpus":true,
            "do_warmup":true,"base_result_directory":".","use_processes":false,"benchmarks":[{"filename":"timer_spin.so",
            "log_name":"l","cpu_core":1,"mps_thread_percentage":50,"data_size":8,"thread_count":32,"block_count":1,
            "sm_mask":"~0xffffffffffffffff"}]})",
        "c.json", options);
    CHECK(config.tasks.operations.size() == 2);
    CHECK(config.tasks.operations[0].time == 10'000'000);  // the default time of timer_spin
    CHECK(warnings ==
          std::vector<std::string>{"c.json:1: max_time: may end a benchmark before its "
                                   "last iteration; all iterations are counted",
                                   "c.json:3: benchmarks[0]: member 'mps_thread_percentage' is ignored: it "
                                   "limits processes under MPS alone, and all are threads of one"});
}

TEST_CASE("examiner: what is not modelled or wrong is refused") {
    const std::string common = R"("label":"A","thread_count":32,"block_count":1)";
    CHECK_THAT(config_message(R"({"filename":"mandelbrot.so","additional_info":1,)" + common + "}"),
               Contains("benchmarks[0].filename: expected timer_spin"));
    CHECK_THAT(config_message(R"({"filename":"mandelbrot.so",)" + common + "}"),
               Contains("benchmarks[0].filename: expected timer_spin"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","relase_time":5,)" + common + "}"),
               Contains("benchmarks[0]: unknown member 'relase_time'; did you mean 'release_time'?"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","sm_mask":"0x2",)" + common + "}"),
               Contains("benchmarks[0].sm_mask: expected a mask that disables no TPC"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","sm_mask":"g",)" + common + "}"),
               Contains("a hexadecimal mask"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","stream_priority":-2,)" + common + "}"),
               Contains("stream_priority: expected a whole number in -1..0"));
    CHECK_THAT(config_message(R"({"filename":"sharedmem_timer_spin.so","additional_info":{"duration":1,
                                   "shared_memory_size":4097},)" +
                              common + "}"),
               Contains("expected 0, 4096, 8192 or 10240 words"));
    CHECK_THAT(
        config_message(R"({"filename":"multikernel.so","additional_info":[{"duration":1,"block_count":1,
                                   "thread_count":1,"copy_in_count":1}]})"),
        Contains("additional_info[0].copy_in_count: expected 0"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","additional_info":"1 s",)" + common + "}"),
               Contains("nanoseconds"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","additional_info":-1,)" + common + "}"),
               Contains("at least 1"));
    CHECK_THAT(config_message(
                   R"({"filename":"timer_spin.so","additional_info":1,"thread_count":32,"block_count":0})"),
               Contains("block_count of at least 1"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","additional_info":1,"thread_count":32})"),
               Contains("block_count of at least 1"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","additional_info":1,"max_iterations":0,)" +
                              common + "}"),
               Contains("max_iterations"));
    CHECK_THAT(config_message(R"({"filename":"timer_spin.so","additional_info":1,"release_time":-1,)" +
                              common + "}"),
               Contains("seconds"));
    CHECK_THAT(config_message(
                   R"({"filename":"timer_spin.so","additional_info":1,"thread_count":4096,"block_count":1})"),
               Contains("fits on no SM"));
    CHECK_THAT(
        config_message(
            R"({"filename":"stream_action.so","additional_info":{"use_null_stream":true,"actions":[]},)" +
            common + "}"),
        Contains("NULL stream"));
    CHECK_THAT(config_message(
                   R"({"filename":"stream_action.so","additional_info":{"actions":[{"type":"memset"}]},)" +
                   common + "}"),
               Contains("actions[0].type"));
    CHECK_THAT(
        message([] { netgen::read_examiner_config(R"({"use_processes":true,"benchmarks":[]})", "c.json"); }),
        Contains("threads of one process"));
    CHECK_THAT(
        message([] { netgen::read_examiner_config(R"({"max_iterations":1,"benchmarks":[]})", "c.json"); }),
        Contains("at least one kernel"));
    CHECK(!netgen::is_examiner_config("{]"));
    CHECK(!netgen::is_examiner_config(R"({"kernels":[]})"));
}

TEST_CASE("examiner: a result log") {
    const netgen::MeasuredLog log = netgen::read_examiner_log(
        R"({"label":"K","max_resident_threads":4096,"times":[{},{"cpu_times":[0.1,0.2]},
            {"kernel_name":"GPUSpin","cuda_launch_times":[0.1,0.25,0.5],"block_times":[0.3,0.4,0.3,0.5],
             "block_smids":[1,0],"block_count":2,"thread_count":[16,4],"shared_memory":4096}],"release_time":0.5})",
        "l.json");
    CHECK(log.label == "K");
    CHECK(log.resident_threads == std::optional<std::int64_t>(4096));
    REQUIRE(log.kernels.size() == 1);
    CHECK(log.kernels[0].launched == std::optional<netgen::Time>(250'000'000));
    REQUIRE(log.kernels[0].blocks.size() == 2);
    CHECK(log.kernels[0].blocks[1].end == 500'000'000);
    CHECK(log.kernels[0].blocks[0].sm == std::optional<std::int64_t>(1));
    CHECK(log.kernels[0].threads == std::optional<std::int64_t>(64));
    CHECK(log.kernels[0].shared == std::optional<std::int64_t>(4096));
    CHECK(log.release == std::optional<netgen::Time>(500'000'000));
}

TEST_CASE("examiner: bad logs") {
    const auto log_message = [](const std::string& text) {
        return message([&] { netgen::read_examiner_log(text, "l.json"); });
    };
    CHECK_THAT(log_message("{"), Contains("l.json") && Contains("line 1"));
    CHECK_THAT(log_message(R"({"times":[{}]})"), Contains("block_times"));
    CHECK_THAT(log_message(R"({"times":[{"block_times":[1]}]})"), Contains("a start and an end"));
    CHECK_THAT(log_message(R"({"times":[{"block_times":[2,1]}]})"), Contains("times[0].block_times[1]"));
    CHECK_THAT(log_message(R"({"times":[{"block_times":[1,2],"block_smids":[0,1]}]})"),
               Contains("one SM for each"));
    CHECK_THAT(log_message(R"({"times":[{"block_times":[1,2],"block_count":9}]})"),
               Contains("block_count: expected the 1 blocks of block_times"));
    CHECK_THAT(log_message(R"({"times":[{"block_times":[1,-2]}]})"), Contains("seconds"));
}

TEST_CASE("examiner: dimensions, and benchmarks without a kernel") {
    const auto count = [](const std::string& threads) {
        return config_message(
            R"({"filename":"timer_spin.so","additional_info":1,"block_count":1,"thread_count":)" + threads +
            "}");
    };
    CHECK_THAT(count("[1,1,1,1]"),
               Contains("thread_count: expected a number, or one for each of one to three dimensions"));
    CHECK_THAT(count("[]"), Contains("one to three dimensions"));
    CHECK_THAT(count("[32,32]"),
               Contains("thread_count: expected one dimension: the plug-in takes no other"));
    CHECK_THAT(count("[32,1,1]"), !Contains("thread_count"));
    CHECK_THAT(config_message(R"({"filename":"matrix_multiply.so","block_count":1,"thread_count":[16,16]})"),
               Contains("filename: expected timer_spin"));
    CHECK_THAT(count("1056"), Contains("1056 threads, and 1 to 1024 are possible"));
    CHECK_THAT(config_message(R"({"filename":"multikernel.so","additional_info":[]})"),
               Contains("expected a benchmark with at least one kernel"));
    CHECK_THAT(config_message(R"({"filename":"stream_action.so","block_count":1,"thread_count":1,
                                  "additional_info":{"actions":[{"type":"synchronize"}]}})"),
               Contains("expected a benchmark with at least one kernel"));
}

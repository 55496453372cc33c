#include "engine/input/json.hpp"
#include "netgen/blocks/task_set.hpp"
#include "tests/support/bad_input.hpp"

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

std::string message(const std::string& text) {
    return input_error_of([&] { netgen::read_tasks_json(text, "t.json"); }, "read");
}

/// A set with one kernel, to which `members` are added.
std::string with_kernel(const std::string& members) {
    return R"({"kernels":[{"name":"k","blocks":1,"threads":32,"time":5},{)" + members + "}]}";
}

}  // namespace

TEST_CASE("tasks json: variants of a choice, and back") {
    const std::string text =
        R"({"kernels":[{"name":"a","blocks":1,"threads":32,"time":5,"choice":"c","variant":"GPU"},
        {"name":"b","kind":"cpu","time":9,"choice":"c","variant":"core"},{"name":"d","kind":"copy","time":1}]})";
    const netgen::TaskSet tasks = netgen::read_tasks_json(text, "t.json");
    CHECK(netgen::choices_of(tasks) == std::vector<netgen::Choice>{{"c", {"GPU", "core"}}});
    CHECK(netgen::read_tasks_json(netgen::write_tasks_json(tasks), "t.json") == tasks);
    const netgen::TaskSet second = netgen::with_variants(tasks, {1});
    REQUIRE(second.operations.size() == 2);
    CHECK(second.operations[0].name == "b");
    CHECK(second.operations[0].choice.empty());
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":5,"choice":"c")")),
               Contains("\"choice\" and \"variant\" together"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":5,"choice":"c","variant":"v")")),
               Contains("choice 'c': expected two variants or more, found 'v' alone"));
    // A variant that cannot run is named although another variant can.
    CHECK_THAT(
        message(R"({"kernels":[{"name":"a","blocks":1,"threads":32,"time":5,"choice":"c","variant":"x"},
        {"name":"b","blocks":1,"threads":4096,"time":5,"choice":"c","variant":"y"}]})"),
        Contains("kernel 'b'") && Contains("fits on no SM"));
}

TEST_CASE("tasks json: defaults") {
    const netgen::TaskSet tasks =
        netgen::read_tasks_json(R"({"kernels":[{"blocks":7,"threads":512,"time":6}]})", "t.json");
    netgen::Gpu jetson;
    jetson.compute_capability = "6.2";
    CHECK(tasks.gpu == jetson);
    CHECK(tasks.unit == "step");
    REQUIRE(tasks.operations.size() == 1);
    netgen::Operation expected;
    expected.name = "k1";
    expected.blocks = 7;
    expected.threads = 512;
    expected.time = 6;
    CHECK(tasks.operations[0] == expected);
}

TEST_CASE("tasks json: every field, and back") {
    const std::string text = R"({
        "comment": "ignored", "unit": "us",
        "gpu": {"sms": [{"threads": 1024}, {"blocks": 2, "shared": 4096, "registers": 100000}],
                "threads_per_sm": 1536, "blocks_per_sm": 16, "shared_per_sm": 49152, "registers_per_sm": 32768,
                "warp_size": 32, "register_unit": 256},
        "kernels": [
            {"name": "in", "kind": "copy", "time": 3, "stream": -2, "priority": 4},
            {"name": "a b", "blocks": 2, "threads": 96, "time": 1e3, "release": 7, "period": 5000, "stream": -2,
             "priority": 4, "shared": 1000, "registers": 24},
            {"blocks": 1, "threads": 1, "time": 1, "period": 100, "deadline": 50},
            {"name": "pre", "kind": "cpu", "time": 2, "core": 3, "priority": 5, "stream": 6, "keeps_core": true},
            {"name": "post", "kind": "cpu", "time": 2, "core": 3, "priority": 5, "stream": 6}]})";
    const netgen::TaskSet tasks = netgen::read_tasks_json(text, "t.json");
    CHECK(tasks.gpu.sms ==
          std::vector<netgen::StreamingMultiprocessor>{{1024, 16, 49152, 32768}, {1536, 2, 4096, 100000}});
    CHECK(tasks.operations[0].kind == netgen::OperationKind::copy);
    CHECK(tasks.operations[1].time == 1000);
    CHECK(tasks.operations[1].deadline == std::optional<netgen::Time>(5000));
    CHECK(tasks.operations[2].deadline == std::optional<netgen::Time>(50));
    CHECK(tasks.operations[2].name == "k3");
    CHECK(!tasks.operations[2].stream);
    CHECK(tasks.operations[3].kind == netgen::OperationKind::cpu);
    CHECK(tasks.operations[3].core == 3);
    CHECK(tasks.operations[3].keeps_core);
    CHECK_FALSE(tasks.operations[4].keeps_core);
    CHECK(netgen::read_tasks_json(netgen::write_tasks_json(tasks), "again") == tasks);
}

TEST_CASE("tasks json: a block that no device launches is an error") {
    const auto with = [](const std::string& gpu, const std::string& kernel) {
        return message(R"({"gpu":{)" + gpu + R"(},"kernels":[{"name":"a","time":1,"blocks":1,)" + kernel +
                       "}]}");
    };
    CHECK_THAT(with("", R"("threads":1056)"),
               Contains("kernel 'a': the launch fails: a block has 1056 threads, and 1 to 1024 are possible "
                        "(compute capability 6.2)"));
    CHECK_THAT(with("", R"("threads":64,"shared":65536)"), Contains("49152 is the limit of a block"));
    CHECK_THAT(with("", R"("threads":64,"registers":256)"), Contains("255 is the limit of the device"));
    CHECK(with(R"("compute_capability":"")", R"("threads":1056)") == "read");
    CHECK(with(R"("compute_capability":"7.0")", R"("threads":64,"shared":65536)") == "read");
    CHECK_THAT(with(R"("compute_capability":"6.3")", R"("threads":64)"),
               Contains("gpu.compute_capability: expected one from 2.0 to 12.1"));
    const netgen::TaskSet ampere = netgen::read_tasks_json(
        R"({"gpu":{"compute_capability":"8.6"},"kernels":[{"time":1,"blocks":1,"threads":32}]})", "t.json");
    CHECK(ampere.gpu.sms.front() == netgen::StreamingMultiprocessor{1536, 16, 102400, 65536});
    CHECK(ampere.gpu.register_unit == 256);
    CHECK(netgen::read_tasks_json(netgen::write_tasks_json(ampere), "again") == ampere);
}

TEST_CASE("tasks json: kernels by their code, on the GPU of a preset") {
    const std::string text =
        R"({"unit":"us","gpu":{"device":"JetsonOrin"},"kernels":[{"name":"a","ptx":"a.ptx","period":900},
            {"name":"b","time":5,"blocks":2,"threads":64}]})";
    std::string asked;
    const auto by_code = [&](const JsonValue& kernel, const std::string& name, const std::string& device) {
        asked += name + " " + kernel.at("ptx").text() + " " + device;
        return netgen::KernelByCode{40, 96, 1024, 32, 12.25};
    };
    const netgen::TaskSet tasks = netgen::read_tasks_json(text, "t.json", by_code);
    CHECK(asked == "a a.ptx JetsonOrin");
    CHECK(tasks.gpu.sms.size() == 16);
    CHECK(tasks.gpu.sms.front().threads == 1536);
    CHECK(tasks.gpu.compute_capability == "8.7");
    CHECK(tasks.operations[0].blocks == 40);
    CHECK(tasks.operations[0].threads == 96);
    CHECK(tasks.operations[0].shared == 1024);
    CHECK(tasks.operations[0].registers == 32);
    CHECK(tasks.operations[0].time == 13);  // rounded up
    CHECK(tasks.operations[0].deadline == 900);
    CHECK(tasks.operations[1].time == 5);
    netgen::TaskSet in_ms;
    in_ms.unit = "ms";
    CHECK(netgen::time_of_us(1500.5, in_ms) == 2);
    CHECK(netgen::us_of_time(3, in_ms) == 3000);
    CHECK_THAT(message(text), Contains("kernels[0].ptx"));
    const auto fault = [&](const std::string& of) {
        return input_error_of([&] { netgen::read_tasks_json(of, "t.json", by_code); }, "read");
    };
    CHECK_THAT(fault(R"({"kernels":[{"ptx":"a.ptx"}]})"), Contains("ns, us, ms or s"));
    CHECK_THAT(fault(R"({"gpu":{"device":"Nothing"},"kernels":[]})"), Contains("gpu.device"));
    CHECK_THAT(fault(R"({"unit":"us","kernels":[{"ptx":"a.ptx","time":4}]})"), Contains("time"));
}

TEST_CASE("tasks json: bad input says where") {
    CHECK_THAT(message("{\"kernels\": [\n  {,"), Contains("t.json") && Contains("line 2, column 4"));
    CHECK_THAT(message(""), Contains("t.json: expected JSON, found an empty file"));
    CHECK_THAT(message("[]"), Contains("t.json: expected an object"));
    CHECK_THAT(message("{}"), Contains("expected member 'kernels'"));
    CHECK_THAT(message(R"({"kernels":[]})"), Contains("at least one kernel"));
    CHECK_THAT(message(R"({"kernels":{}})"), Contains("kernels: expected an array"));
    CHECK_THAT(message(R"({"kernels":[5]})"), Contains("kernels[0]: expected an object"));
    CHECK_THAT(message(R"({"kernels":[], "kernel":[]})"), Contains("unknown member 'kernel'"));
    CHECK_THAT(message(R"({"gpu":{"sms":0},"kernels":[]})"),
               Contains("gpu.sms: expected a whole number in 1.."));
    CHECK_THAT(message(R"({"gpu":{"sm":2},"kernels":[]})"), Contains("gpu: unknown member 'sm'"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32)")),
               Contains("kernels[1]: expected member 'time'"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":-5)")),
               Contains("kernels[1].time") && Contains("at least 1") && Contains("found -5"));
    CHECK_THAT(message(with_kernel(R"("blocks":0,"threads":32,"time":5)")), Contains("kernels[1].blocks"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":2.5)")), Contains("found 2.5"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":"5")")), Contains("found \"5\""));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":99999999999999999999)")),
               Contains("time"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":18446744073709551615)")),
               Contains("time"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":4096,"time":5)")),
               Contains("t.json") && Contains("fits on no SM"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":5,"kind":"memset")")),
               Contains("kernels[1].kind: expected \"kernel\", \"copy\" or \"cpu\""));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":5,"core":1)")),
               Contains("only a CPU segment has a core"));
    CHECK_THAT(message(with_kernel(R"("kind":"cpu","time":5,"threads":32)")),
               Contains("a CPU segment takes nothing"));
    CHECK_THAT(message(with_kernel(R"("kind":"copy","time":5,"blocks":1)")),
               Contains("a copy takes nothing"));
    CHECK_THAT(message(with_kernel(R"("blocks":1,"threads":32,"time":5,"release":-1)")), Contains("release"));
}

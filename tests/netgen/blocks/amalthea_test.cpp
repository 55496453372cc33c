#include "netgen/blocks/amalthea.hpp"

#include "engine/net/error.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

/// A GPU of two SMs at 2 GHz with 4 GB/s, a task `Cpu` of period 10 ms that triggers the GPU task `Gpu`.
const char* const model = R"(<?xml version="1.0" encoding="UTF-8"?>
<am:Amalthea xmlns:am="http://app4mc.eclipse.org/amalthea/1.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <swModel>
    <tasks name="Cpu" stimuli="every?type=PeriodicStimulus"><activityGraph>
      <items xsi:type="am:Group"><items xsi:type="am:InterProcessTrigger" stimulus="go?type=InterProcessStimulus"/></items>
    </activityGraph></tasks>
    <tasks name="Gpu" stimuli="go?type=InterProcessStimulus"><activityGraph>
      <items xsi:type="am:RunnableCall" runnable="In?type=Runnable"/>
      <items xsi:type="am:RunnableCall" runnable="Work?type=Runnable"/>
    </activityGraph></tasks>
    <runnables name="In"><activityGraph>
      <items xsi:type="am:LabelAccess" data="L?type=Label" access="read"/>
      <items xsi:type="am:LabelAccess" data="L?type=Label" access="write"/>
    </activityGraph></runnables>
    <runnables name="Work"><activityGraph><items xsi:type="am:Ticks">
      <extended key="Def?type=ProcessingUnitDefinition">
        <value xsi:type="am:DiscreteValueStatistics" lowerBound="1000" upperBound="3001" average="2000"/></extended>
    </items></activityGraph></runnables>
    <labels name="L"><size value="2" unit="kB"/></labels>
  </swModel>
  <hwModel>
    <definitions xsi:type="am:ProcessingUnitDefinition" name="Def" puType="GPU" features="SMs/SM_2?type=HwFeature"/>
    <featureCategories name="SMs"><features name="SM_2" value="2.0"/></featureCategories>
    <structures name="S"><structures name="Island">
      <modules xsi:type="am:ProcessingUnit" name="PU" frequencyDomain="Dom?type=FrequencyDomain" definition="Def?type=ProcessingUnitDefinition">
        <accessElements name="a"><dataRate value="4" unit="GBPerSecond"/></accessElements></modules>
    </structures></structures>
    <domains xsi:type="am:FrequencyDomain" name="Dom"><defaultValue value="2.0" unit="GHz"/></domains>
  </hwModel>
  <stimuliModel>
    <stimuli xsi:type="am:InterProcessStimulus" name="go"/>
    <stimuli xsi:type="am:PeriodicStimulus" name="every"><recurrence value="10" unit="ms"/></stimuli>
  </stimuliModel>
  <mappingModel>
    <schedulerAllocation scheduler="Sched?type=TaskScheduler" responsibility="PU?type=ProcessingUnit"/>
    <taskAllocation task="Gpu?type=Task" scheduler="Sched?type=TaskScheduler"/>
  </mappingModel>
</am:Amalthea>)";

/// The message about the model with one piece of text replaced.
std::string message(const std::string& old_text, const std::string& new_text) {
    std::string text = model;
    const std::size_t at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    text.replace(at, old_text.size(), new_text);
    return input_error_of([&] { read_amalthea(text, "m.amxmi"); }, "read");
}

}  // namespace

TEST_CASE("amalthea: a small model") {
    const TaskSet tasks = read_amalthea(model, "m.amxmi");
    CHECK(tasks.unit == "ns");
    CHECK(tasks.gpu.sms.size() == 2);
    REQUIRE(tasks.operations.size() == 2);
    const Operation& copy = tasks.operations[0];
    CHECK(copy.kind == OperationKind::copy);
    CHECK(copy.name == "Gpu/In");
    CHECK(copy.time == 1000);  // 2 kB read and 2 kB written at 4 GB/s
    const Operation& kernel = tasks.operations[1];
    CHECK(kernel.name == "Gpu/Work");
    CHECK(kernel.time == 1501);  // 3001 ticks at 2 GHz, rounded up
    CHECK(kernel.blocks == 2);
    CHECK(kernel.threads == 2048);
    CHECK(kernel.period == std::optional<Time>(10'000'000));
    CHECK(kernel.deadline == kernel.period);
    CHECK(kernel.stream == copy.stream);

    AmaltheaOptions options;
    options.copies = false;
    options.blocks = 12;
    options.threads = 128;
    const TaskSet other = read_amalthea(model, "m.amxmi", options);
    REQUIRE(other.operations.size() == 1);
    CHECK(other.operations[0].blocks == 12);
    CHECK(other.operations[0].threads == 128);
}

TEST_CASE("amalthea: the model of the WATERS 2019 challenge") {
    const auto file = warpnet::testing::shared_data("measurements/mobstr_original.amxmi");
    SKIP_WITHOUT(file, "measurements/mobstr_original.amxmi");
    std::ifstream stream(*file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const TaskSet tasks = read_amalthea(text, "mobstr_original.amxmi", {.cpu = false});
    CHECK(tasks.gpu.sms.size() == 2);
    REQUIRE(tasks.operations.size() == 12);
    std::vector<std::string> kernels;
    std::vector<Time> times;
    std::vector<Time> periods;
    for (const Operation& operation : tasks.operations)
        if (operation.kind == OperationKind::kernel) {
            kernels.push_back(operation.name);
            times.push_back(operation.time);
            periods.push_back(operation.period.value() / 1'000'000);
        }
    CHECK(kernels == std::vector<std::string>{"SFM/SFM_Function", "Localization/Localization_Function",
                                              "Lane_detection/Lane_Detection_Function",
                                              "Detection/Detection_Function"});
    // Upper bounds of 11.85, 186, 41 and 174 million ticks at 1.5 GHz.
    CHECK(times == std::vector<Time>{7'900'000, 124'000'000, 27'333'334, 116'000'000});
    CHECK(periods == std::vector<Time>{33, 400, 66, 200});
    CHECK(hyperperiod(tasks) == std::optional<Time>(13'200'000'000));
    // 2 MB and 256 B, read and written at 20 GB/s.
    CHECK(tasks.operations[0].time == 200'026);
}

TEST_CASE("amalthea: the CPU side of the WATERS 2019 challenge") {
    const auto file = warpnet::testing::shared_data("measurements/mobstr_original.amxmi");
    SKIP_WITHOUT(file, "measurements/mobstr_original.amxmi");
    std::ifstream stream(*file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const TaskSet tasks = read_amalthea(text, "mobstr_original.amxmi");
    const auto named = [&](const std::string& name) {
        return *std::find_if(tasks.operations.begin(), tasks.operations.end(),
                             [&](const Operation& operation) { return operation.name == name; });
    };
    CHECK(tasks.operations.size() == 12 + 9 + 6);  // of the GPU, around it, and of other tasks
    // Upper bounds of 6355142 and 7064516 ticks of a Denver core at 2 GHz, 33 ms, an active wait between.
    const Operation before = named("PRE_SFM_gpu_POST/SFM_Preprocessing");
    const Operation behind = named("PRE_SFM_gpu_POST/SFM_Postprocessing");
    CHECK(before.kind == OperationKind::cpu);
    CHECK(before.time == 3'177'571);
    CHECK(behind.time == 3'532'258);
    CHECK(before.core == 1);  // of cores 0 and 1 the one with less to do so far
    CHECK(before.keeps_core);
    CHECK_FALSE(behind.keeps_core);
    CHECK(before.stream == named("SFM/SFM_Function").stream);
    CHECK(behind.period == std::optional<Time>(33'000'000));
    // Detection waits passively, on an A57 core.
    CHECK_FALSE(named("PRE_Detection_gpu_POST/Detection_Preprocessing").keeps_core);
    CHECK(named("PRE_Detection_gpu_POST/Detection_Preprocessing").core == 5);
    CHECK(named("PRE_Detection_gpu_POST/Detection_Preprocessing").time == 3'689'560);
    std::vector<std::string> detection;
    for (const Operation& operation : tasks.operations)
        if (operation.stream == named("Detection/Detection_Function").stream)
            detection.push_back(operation.name);
    CHECK(detection == std::vector<std::string>{"PRE_Detection_gpu_POST/Detection_Preprocessing",
                                                "Detection/Detection_host_to_device",
                                                "Detection/Detection_Function",
                                                "Detection/Detection_device_to_host",
                                                "PRE_Detection_gpu_POST/AsyncOffloadingCosts",
                                                "PRE_Detection_gpu_POST/Detection_Postprocessing"});
}

TEST_CASE("amalthea: items nested as deep as one likes are opened") {
    std::string groups, ends;
    for (int i = 0; i < 200'000; ++i) {
        groups += "<items>";
        ends += "</items>";
    }
    const std::string model =
        "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/1.0.0/am\"><swModel><tasks>"
        "<activityGraph>" +
        groups + ends + "</activityGraph></tasks></swModel></am:Amalthea>";
    CHECK_THROWS_WITH(read_amalthea(model, "m.amxmi"), Contains("GPU"));
}

TEST_CASE("amalthea: bad models say where") {
    CHECK_THAT(message("</swModel>", "</swModels>"), Contains("m.amxmi: offset"));
    CHECK_THAT(message("puType=\"GPU\"", "puType=\"CPU\""), Contains("processing unit of type GPU"));
    CHECK_THAT(message("runnable=\"Work", "runnable=\"Wrok"),
               Contains("runnable 'Wrok' is not in the model"));
    CHECK_THAT(message("stimuli=\"go", "stimuli=\"stop"), Contains("stimuli 'stop' is not in the model"));
    CHECK_THAT(message("frequencyDomain=\"Dom", "frequencyDomain=\"Dam"),
               Contains("'Dam' is not in the model"));
    CHECK_THAT(message("data=\"L?", "data=\"M?"), Contains("data 'M' is not in the model"));
    CHECK_THAT(message("stimulus=\"go", "stimulus=\"come"), Contains("a task that triggers this one"));
    CHECK_THAT(message("stimuli=\"every", "stimuli=\"go"), Contains("in a cycle"));
    CHECK_THAT(message("unit=\"ms\"", "unit=\"weeks\""), Contains("known unit, found '10 weeks'"));
    CHECK_THAT(message("value=\"10\"", "value=\"-10\""), Contains("positive value"));
    CHECK_THAT(message("upperBound=\"3001\"", "upperBound=\"0\""), Contains("positive ticks"));
    CHECK_THAT(message("SMs/SM_2?", "Cores/X?"), Contains("number of SMs"));
    CHECK_THAT(message("value=\"2.0\"/></featureCategories>", "value=\"0\"/></featureCategories>"),
               Contains("SMs"));
    CHECK_THAT(message("<dataRate value=\"4\" unit=\"GBPerSecond\"/>", ""), Contains("dataRate"));
    CHECK_THAT(message("task=\"Gpu?", "task=\"Other?"), Contains("tasks allocated to the GPU"));
    CHECK_THAT(message("<am:Amalthea", "<am:Amaltheia"), Contains("offset"));
    try {
        read_amalthea("<pnml/>", "m.amxmi");
        FAIL("a net is no AMALTHEA model");
    } catch (const InputError& error) {
        CHECK_THAT(error.what(), Contains("expected an AMALTHEA model, found element <pnml>"));
    }
}

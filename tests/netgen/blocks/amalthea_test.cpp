#include "netgen/blocks/amalthea.hpp"

#include "engine/base/random.hpp"
#include "engine/net/error.hpp"
#include "tests/support/bad_input.hpp"
#include "tests/support/case_count.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace warpnet;
using namespace warpnet::testing;
using Catch::Matchers::Contains;

namespace {

/// A GPU of two SMs at 2 GHz with 4 GB/s, and a task `Cpu` with period 10 ms that triggers the GPU task
/// `Gpu`.
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

/// The error message for the model with one piece of text replaced.
std::string message(const std::string& old_text, const std::string& new_text) {
    std::string text = model;
    const std::size_t at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    text.replace(at, old_text.size(), new_text);
    return input_error_of([&] { netgen::read_amalthea(text, "m.amxmi"); }, "read");
}

/// A GPU and a core at 1 GHz, a GPU task of two kernels (1 us, 1 ms) and a CPU task of one segment (0.5 ms),
/// every 20 ms; `changes` are pairs of a text in the model and its replacement.
std::string small_model(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    const auto runnable = [](const std::string& name, const std::string& ticks) {
        return "<runnables name='" + name +
               "'><activityGraph><items xsi:type='am:Ticks'><default xsi:type='am:DiscreteValueConstant' "
               "value='" +
               ticks + "'/></items></activityGraph></runnables>\n";
    };
    const auto task = [](const std::string& name, const std::string& calls) {
        return "<tasks name='" + name + "' stimuli='slow?type=PeriodicStimulus'><activityGraph>" + calls +
               "</activityGraph></tasks>\n";
    };
    const auto call = [](const std::string& name) {
        return "<items xsi:type='am:RunnableCall' runnable='" + name + "?type=Runnable'/>";
    };
    std::string text =
        "<am:Amalthea xmlns:am='http://app4mc.eclipse.org/amalthea/1.0.0' "
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>\n<swModel>\n" +
        task("Gpu", call("Small") + call("Kernel")) + task("Cpu", call("Work")) + runnable("Small", "1000") +
        runnable("Kernel", "1000000") + runnable("Work", "500000") + runnable("Helper", "2000000") +
        R"(</swModel><hwModel>
<definitions xsi:type='am:ProcessingUnitDefinition' name='G' puType='GPU' features='SMs/n?type=HwFeature'/>
<definitions xsi:type='am:ProcessingUnitDefinition' name='C' puType='CPU'/>
<featureCategories name='SMs'><features name='n' value='2.0'/></featureCategories>
<structures name='S'>
<modules xsi:type='am:ProcessingUnit' name='Core0' frequencyDomain='F?' definition='C?'/>
<modules xsi:type='am:ProcessingUnit' name='GP' frequencyDomain='F?' definition='G?'/></structures>
<domains xsi:type='am:FrequencyDomain' name='F'><defaultValue value='1.0' unit='GHz'/></domains>
</hwModel><osModel><operatingSystems><taskSchedulers name='Os'>
<schedulingAlgorithm xsi:type='am:FixedPriorityPreemptive'/></taskSchedulers></operatingSystems></osModel>
<stimuliModel><stimuli xsi:type='am:PeriodicStimulus' name='slow'><recurrence value='20' unit='ms'/></stimuli>
</stimuliModel><mappingModel>
<schedulerAllocation scheduler='Os?' responsibility='Core0?'/>
<schedulerAllocation scheduler='Dr?' responsibility='GP?'/>
<taskAllocation task='Gpu?' scheduler='Dr?'/>
<taskAllocation task='Cpu?' scheduler='Os?'><schedulingParameters priority='1'/></taskAllocation>
</mappingModel></am:Amalthea>)";
    for (const auto& [before, after] : changes) {
        const std::size_t at = text.find(before);
        REQUIRE(at != std::string::npos);
        text.replace(at, before.size(), after);
    }
    return text;
}

using Changes = std::vector<std::pair<std::string, std::string>>;

std::string small_message(const Changes& changes) {
    return input_error_of([&] { netgen::read_amalthea(small_model(changes), "m.amxmi"); }, "read");
}

/// Names and times of the operations.
std::vector<std::pair<std::string, netgen::Time>> small_times(const Changes& changes,
                                                              std::vector<std::string>* warnings = nullptr) {
    netgen::AmaltheaOptions options;
    options.warnings = warnings;
    std::vector<std::pair<std::string, netgen::Time>> times;
    for (const netgen::Operation& operation :
         netgen::read_amalthea(small_model(changes), "m.amxmi", options).operations)
        times.emplace_back(operation.name, operation.time);
    return times;
}

using Times = std::vector<std::pair<std::string, netgen::Time>>;

const std::string call_of_kernel = "<items xsi:type='am:RunnableCall' runnable='Kernel?type=Runnable'/>";
const std::string call_of_work = "<items xsi:type='am:RunnableCall' runnable='Work?type=Runnable'/>";
const std::string ticks_of_work =
    "<items xsi:type='am:Ticks'><default xsi:type='am:DiscreteValueConstant' value='500000'/></items>";

}  // namespace

TEST_CASE("amalthea: a small model") {
    const netgen::TaskSet tasks = netgen::read_amalthea(model, "m.amxmi");
    CHECK(tasks.unit == "ns");
    CHECK(tasks.gpu.sms.size() == 2);
    REQUIRE(tasks.operations.size() == 2);
    const netgen::Operation& copy = tasks.operations[0];
    CHECK(copy.kind == netgen::OperationKind::copy);
    CHECK(copy.name == "Gpu/In");
    CHECK(copy.time == 1000);  // 2 kB read and 2 kB written at 4 GB/s
    const netgen::Operation& kernel = tasks.operations[1];
    CHECK(kernel.name == "Gpu/Work");
    CHECK(kernel.time == 1501);  // 3001 ticks at 2 GHz, rounded up
    CHECK(kernel.blocks == 2);
    CHECK(kernel.threads == 2048);
    CHECK(kernel.period == std::optional<netgen::Time>(10'000'000));
    CHECK(kernel.deadline == kernel.period);
    CHECK(kernel.stream == copy.stream);

    netgen::AmaltheaOptions options;
    options.copies = false;
    options.blocks = 12;
    options.threads = 128;
    const netgen::TaskSet other = netgen::read_amalthea(model, "m.amxmi", options);
    REQUIRE(other.operations.size() == 1);
    CHECK(other.operations[0].blocks == 12);
    CHECK(other.operations[0].threads == 128);
}

TEST_CASE("amalthea: the model of the WATERS 2019 challenge") {
    const auto file = warpnet::testing::shared_data("measurements/mobstr_original.amxmi");
    SKIP_WITHOUT(file, "measurements/mobstr_original.amxmi");
    std::ifstream stream(*file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const netgen::TaskSet tasks = netgen::read_amalthea(text, "mobstr_original.amxmi", {.cpu = false});
    CHECK(tasks.gpu.sms.size() == 2);
    REQUIRE(tasks.operations.size() == 12);
    std::vector<std::string> kernels;
    std::vector<netgen::Time> times;
    std::vector<netgen::Time> periods;
    for (const netgen::Operation& operation : tasks.operations)
        if (operation.kind == netgen::OperationKind::kernel) {
            kernels.push_back(operation.name);
            times.push_back(operation.time);
            periods.push_back(operation.period.value() / 1'000'000);
        }
    CHECK(kernels == std::vector<std::string>{"SFM/SFM_Function", "Localization/Localization_Function",
                                              "Lane_detection/Lane_Detection_Function",
                                              "Detection/Detection_Function"});
    // Upper bounds of 11.85, 186, 41 and 174 million ticks at 1.5 GHz.
    CHECK(times == std::vector<netgen::Time>{7'900'000, 124'000'000, 27'333'334, 116'000'000});
    CHECK(periods == std::vector<netgen::Time>{33, 400, 66, 200});
    CHECK(netgen::hyperperiod(tasks) == std::optional<netgen::Time>(13'200'000'000));
    // 2 MB and 256 B, read and written at 20 GB/s.
    CHECK(tasks.operations[0].time == 200'026);
}

TEST_CASE("amalthea: the CPU side of the WATERS 2019 challenge") {
    const auto file = warpnet::testing::shared_data("measurements/mobstr_original.amxmi");
    SKIP_WITHOUT(file, "measurements/mobstr_original.amxmi");
    std::ifstream stream(*file);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    const netgen::TaskSet tasks = netgen::read_amalthea(text, "mobstr_original.amxmi");
    const auto named = [&](const std::string& name) {
        return *std::find_if(tasks.operations.begin(), tasks.operations.end(),
                             [&](const netgen::Operation& operation) { return operation.name == name; });
    };
    CHECK(tasks.operations.size() == 12 + 9 + 6);  // of the GPU, around it, and of other tasks
    // Upper bounds of 6355142 and 7064516 ticks of a Denver core at 2 GHz, 33 ms, with an active wait
    // between.
    const netgen::Operation before = named("PRE_SFM_gpu_POST/SFM_Preprocessing");
    const netgen::Operation behind = named("PRE_SFM_gpu_POST/SFM_Postprocessing");
    CHECK(before.kind == netgen::OperationKind::cpu);
    CHECK(before.time == 3'177'571);
    CHECK(behind.time == 3'532'258);
    CHECK(before.core == 1);  // the core with less work so far, out of cores 0 and 1
    CHECK(before.keeps_core);
    CHECK_FALSE(behind.keeps_core);
    CHECK(before.stream == named("SFM/SFM_Function").stream);
    CHECK(behind.period == std::optional<netgen::Time>(33'000'000));
    // Detection waits passively, on an A57 core.
    CHECK_FALSE(named("PRE_Detection_gpu_POST/Detection_Preprocessing").keeps_core);
    CHECK(named("PRE_Detection_gpu_POST/Detection_Preprocessing").core == 5);
    CHECK(named("PRE_Detection_gpu_POST/Detection_Preprocessing").time == 3'689'560);
    std::vector<std::string> detection;
    for (const netgen::Operation& operation : tasks.operations)
        if (operation.stream == named("Detection/Detection_Function").stream)
            detection.push_back(operation.name);
    CHECK(detection == std::vector<std::string>{"PRE_Detection_gpu_POST/Detection_Preprocessing",
                                                "Detection/Detection_host_to_device",
                                                "Detection/Detection_Function",
                                                "Detection/Detection_device_to_host",
                                                "PRE_Detection_gpu_POST/AsyncOffloadingCosts",
                                                "PRE_Detection_gpu_POST/Detection_Postprocessing"});
}

TEST_CASE("amalthea: tasks of the GPU that could run on a core are choices if asked for") {
    const std::string text = [] {
        std::string with_core = model;
        const auto insert = [&](const std::string& behind, const std::string& added) {
            const std::size_t at = with_core.find(behind);
            REQUIRE(at != std::string::npos);
            with_core.insert(at + behind.size(), added);
        };
        insert(
            "average=\"2000\"/></extended>",
            "<extended key=\"C?type=ProcessingUnitDefinition\"><value xsi:type=\"am:DiscreteValueConstant\" "
            "value=\"7000\"/></extended>");
        insert("<hwModel>",
               "<definitions xsi:type=\"am:ProcessingUnitDefinition\" name=\"C\" puType=\"CPU\"/>");
        insert("<structures name=\"Island\">",
               "<modules xsi:type=\"am:ProcessingUnit\" name=\"Core3\" frequencyDomain=\"Dom?\" "
               "definition=\"C?\"/>");
        insert("<mappingModel>",
               "<schedulerAllocation scheduler=\"Os?\" responsibility=\"Core3?\"/><taskAllocation "
               "task=\"Cpu?type=Task\" scheduler=\"Os?\"/>");
        return with_core;
    }();
    netgen::AmaltheaOptions options;
    CHECK(netgen::choices_of(netgen::read_amalthea(text, "m.amxmi", options)).empty());
    options.variants = true;
    const netgen::TaskSet tasks = netgen::read_amalthea(text, "m.amxmi", options);
    CHECK(netgen::choices_of(tasks) == std::vector<netgen::Choice>{{"Gpu", {"GPU", "core"}}});
    REQUIRE(tasks.operations.size() == 3);  // copy, kernel, segment
    const netgen::Operation& segment = tasks.operations[2];
    CHECK(segment.kind == netgen::OperationKind::cpu);
    CHECK(segment.core == 3);
    CHECK(segment.time == 3500);  // 7,000 ticks at 2 GHz, in ns
    CHECK(segment.stream == tasks.operations[1].stream);
    CHECK(segment.period == tasks.operations[1].period);
    // Without ticks for the core there is no choice.
    std::string without = text;
    without.replace(without.find("key=\"C?"), 7, "key=\"Def2");
    CHECK_THROWS_AS(netgen::read_amalthea(without, "m.amxmi", options), InputError);
    std::vector<std::string> warnings;
    options.warnings = &warnings;
    std::string gpu_only = model;
    CHECK(netgen::choices_of(netgen::read_amalthea(gpu_only, "m.amxmi", options)).empty());
}

TEST_CASE("amalthea: kernels and segments of one model") {
    std::vector<std::string> warnings;
    CHECK(small_times({}, &warnings) ==
          Times{{"Gpu/Small", 1'000}, {"Gpu/Kernel", 1'000'000}, {"Cpu/Work", 500'000}});
    CHECK(warnings ==
          std::vector<std::string>{"m.amxmi:8: <swModel> in <am:Amalthea>: element <runnables> is "
                                   "ignored: no task that is read calls it"});
    CHECK(small_times({{call_of_kernel, call_of_kernel + call_of_kernel}}) ==
          Times{{"Gpu/Small", 1'000},
                {"Gpu/Kernel", 1'000'000},
                {"Gpu/Kernel (2)", 1'000'000},
                {"Cpu/Work", 500'000}});
    // In versions up to 0.9.6 the graph is called <callGraph>.
    CHECK(small_times({{"1.0.0", "0.9.5"},
                       {"<activityGraph>" + call_of_work + "</activityGraph>",
                        "<callGraph>" + call_of_work + "</callGraph>"}})
              .size() == 3);
    // Without a GPU, all of them are segments on cores.
    const netgen::TaskSet cores =
        netgen::read_amalthea(small_model({{"puType='GPU'", "puType='CPU'"}}), "m.amxmi");
    REQUIRE(cores.operations.size() == 3);
    CHECK(cores.operations[1].kind == netgen::OperationKind::cpu);
    CHECK(cores.operations[1].core == 1);
    CHECK(cores.operations[2].core == 0);
}

TEST_CASE("amalthea: a worst case counts what may run") {
    std::vector<std::string> warnings;
    const auto times =
        small_times({{call_of_kernel, "<items xsi:type='am:ProbabilitySwitch'><entries probability='0.5'>" +
                                          call_of_kernel + "</entries><entries probability='0.5'/></items>"}},
                    &warnings);
    CHECK(times[1] == std::pair<std::string, netgen::Time>("Gpu/Kernel", 1'000'000));
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0] ==
          "m.amxmi:3: <items> in <activityGraph> in <tasks> 'Gpu': ProbabilitySwitch: the longest of its "
          "entries is "
          "taken");
    CHECK(small_times({{ticks_of_work,
                        "<items xsi:type='am:ModeSwitch'><entries name='a'>" + ticks_of_work +
                            "</entries><defaultEntry><items xsi:type='am:RunnableCall' runnable='Helper?'/>"
                            "</defaultEntry></items>"}})[2] ==
          std::pair<std::string, netgen::Time>("Cpu/Work", 2'000'000));
    CHECK(small_times({{ticks_of_work,
                        "<items xsi:type='am:RunnableCall' runnable='Helper?'/>" + ticks_of_work}})[2] ==
          std::pair<std::string, netgen::Time>("Cpu/Work", 2'500'000));
    CHECK(
        small_times(
            {{call_of_work, "<items xsi:type='am:Group'>" + ticks_of_work + call_of_work + "</items>"}}) ==
        Times{
            {"Gpu/Small", 1'000}, {"Gpu/Kernel", 1'000'000}, {"Cpu/Ticks", 500'000}, {"Cpu/Work", 500'000}});
    const auto with_ticks = [&](const std::string& value) {
        return small_times({{"<default xsi:type='am:DiscreteValueConstant' value='500000'/>", value}})[2]
            .second;
    };
    CHECK(
        with_ticks(
            "<default xsi:type='am:DiscreteValueWeibullEstimatorsDistribution' lowerBound='1' upperBound='9' "
            "average='2' pRemainPromille='5'/>") == 9);
    CHECK(with_ticks("<default xsi:type='am:DiscreteValueHistogram'><entries lowerBound='1' upperBound='7' "
                     "occurrences='2'/><entries lowerBound='8' upperBound='12'/></default>") == 12);
    CHECK(with_ticks(
              "<default xsi:type='am:DiscreteValueConstant' value='5'/><extended key='C?'><value "
              "xsi:type='am:DiscreteValueBoundaries' samplingType='WorstCase' lowerBound='1' upperBound='8'/>"
              "</extended>") == 8);
}

TEST_CASE("amalthea: stimuli") {
    const std::string stimulus = "<recurrence value='20' unit='ms'/>";
    const auto first = [&](const Changes& changes) {
        return netgen::read_amalthea(small_model(changes), "m.amxmi").operations.at(0);
    };
    CHECK(first({{stimulus, "<recurrence value='20000000000' unit='ps'/>"}}).period == 20'000'000);
    CHECK(first({{stimulus, stimulus + "<offset value='3' unit='us'/>"}}).release == 3'000);
    CHECK(first({{stimulus, stimulus + "<offset value='0' unit='us'/>"}}).release == 0);
    const std::string negative = "expected a time that is not negative, found -3000 ns";
    const std::string before = " value='-3' unit='us'/>";
    CHECK_THAT(small_message({{stimulus, stimulus + "<offset" + before}}), Contains(negative));
    CHECK_THAT(small_message({{"am:PeriodicStimulus' name", "am:SingleStimulus' name"},
                              {stimulus, "<occurrence" + before}}),
               Contains(negative));
    CHECK_THAT(small_message({{"am:PeriodicStimulus' name", "am:PeriodicSyntheticStimulus' name"},
                              {stimulus, stimulus + "<occurrenceTimes" + before}}),
               Contains(negative));
    const netgen::Operation once = first({{"am:PeriodicStimulus' name", "am:SingleStimulus' name"},
                                          {stimulus, "<occurrence value='2' unit='ns'/>"}});
    CHECK(once.release == 2);
    CHECK_FALSE(once.period);
    std::vector<std::string> warnings;
    netgen::read_amalthea(
        small_model({{"am:PeriodicStimulus' name", "am:SingleStimulus' name"}, {stimulus, ""}}), "m.amxmi",
        {.warnings = &warnings});
    CHECK_THAT(warnings.at(0), Contains("SingleStimulus without <occurrence>: it is taken to occur at 0"));
    // Each of several stimuli starts the task.
    const netgen::TaskSet twice = netgen::read_amalthea(
        small_model({{"stimuli='slow?type=PeriodicStimulus'", "stimuli='slow? fast?'"},
                     {"<stimuli xsi",
                      "<stimuli xsi:type='am:PeriodicStimulus' name='fast'><recurrence value='5' "
                      "unit='ms'/></stimuli><stimuli xsi"}}),
        "m.amxmi");
    REQUIRE(twice.operations.size() == 5);
    CHECK(twice.operations[2].name == "Gpu/Small (2)");
    CHECK(twice.operations[2].period == 5'000'000);
    CHECK(twice.operations[2].stream == twice.operations[0].stream);
}

TEST_CASE("amalthea: releases that are known late, or by a least distance alone") {
    const std::string stimulus = "<recurrence value='20' unit='ms'/>";
    const auto with = [&](const std::string& type, const std::string& content) {
        return small_model({{"am:PeriodicStimulus' name", "am:" + type + "' name"}, {stimulus, content}});
    };
    const auto all = [&](const std::string& type, const std::string& content) {
        return netgen::read_amalthea(with(type, content), "m.amxmi", {.sporadic = true}).operations;
    };
    const auto refused = [&](const std::string& type, const std::string& content, bool sporadic = true) {
        return input_error_of(
            [&] { netgen::read_amalthea(with(type, content), "m.amxmi", {.sporadic = sporadic}); }, "read");
    };
    const auto between = [](const std::string& name, const std::string& least, const std::string& most) {
        return "<" + name + "><lowerBound " + least + "/><upperBound " + most + "/></" + name + ">";
    };
    // A jitter from -1 to 2 us, and the shift of a constant offset.
    const std::string late = stimulus + "<offset value='5' unit='us'/>" +
                             between("jitter", "value='-1' unit='us'", "value='2' unit='us'");
    const netgen::Operation first = all("PeriodicStimulus", late).at(0);
    CHECK(first.period == 20'000'000);
    CHECK(first.jitter == 3'000);
    CHECK(first.release == 4'000);
    CHECK_THAT(refused("PeriodicStimulus", late, false),
               Contains("expected releases that are known, found <jitter>: only 'respond --sporadic'"));
    const std::string shifted =
        stimulus + "<jitter xsi:type='am:TimeConstant'><value value='7' unit='ns'/></jitter>";
    CHECK(refused("PeriodicStimulus", shifted, false) == "read");
    CHECK(all("PeriodicStimulus", shifted).at(0).release == 7);
    CHECK(all("PeriodicStimulus",
              stimulus + "<jitter xsi:type='am:TimeHistogram'>"
                         "<entries><lowerBound value='0'/><upperBound value='2' unit='ns'/></entries>"
                         "<entries><lowerBound value='4' unit='ns'/><upperBound value='9' unit='ns'/>"
                         "</entries></jitter>")
              .at(0)
              .jitter == 9);
    CHECK_THAT(
        refused("PeriodicStimulus",
                stimulus +
                    "<jitter xsi:type='am:TimeGaussDistribution'><upperBound value='1' unit='s'/></jitter>"),
        Contains("expected <lowerBound>, found none: it has no bound"));
    CHECK_THAT(refused("PeriodicStimulus", stimulus + between("jitter", "value='3' unit='ns'", "value='0'")),
               Contains("a lower bound that is not above the upper one"));
    // The minimum time to the next occurrence; Sporadic and its deviation up to version 0.8.2.
    const std::string next = "value='2' unit='ms'";
    CHECK(all("RelativePeriodicStimulus", between("nextOccurrence", next, "value='9' unit='ms'"))
              .at(0)
              .period == 2'000'000);
    CHECK(all("Sporadic", between("stimulusDeviation", next, "value='9' unit='ms'")).at(0).period ==
          2'000'000);
    CHECK_THAT(refused("RelativePeriodicStimulus", between("nextOccurrence", "value='0'", next)),
               Contains("expected a lower bound of at least 1 ns, found 0 ns"));
    CHECK_THAT(refused("RelativePeriodicStimulus", between("nextOccurrence", next, next), false),
               Contains("found RelativePeriodicStimulus: only 'respond --sporadic'"));
    // Every time in the list, in every period.
    const std::vector<netgen::Operation> list =
        all("PeriodicSyntheticStimulus", stimulus +
                                             "<offset value='1' unit='ns'/><occurrenceTimes value='0'/>"
                                             "<occurrenceTimes value='3' unit='ms'/>");
    REQUIRE(list.size() == 6);
    CHECK(list[0].release == 1);
    CHECK(list[2].release == 3'000'001);
    CHECK(list[2].period == 20'000'000);
    CHECK(all("Synthetic",
              "<period value='20' unit='ms'/><triggerTimes><timestamps value='2' unit='ms'/>"
              "</triggerTimes>")
              .at(0)
              .release == 2'000'000);
    for (const auto& [type, reason] : {std::pair("VariableRateStimulus", "how its occurrences lie"),
                                       {"EventStimulus", "when its events"},
                                       {"CustomStimulus", "its times are not"},
                                       {"InterProcessStimulus", "no task triggers it"},
                                       {"Brandnew", "found Brandnew"}})
        CHECK_THAT(refused(type, ""), Contains(reason));
    CHECK_THAT(refused("PeriodicStimulus", stimulus + "<clock/>"), Contains("a clock that does not change"));
}

TEST_CASE("amalthea: no occurrences of an arrival curve come closer than the release jitter allows") {
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= case_count(2000); ++seed) {
        CAPTURE(seed);
        CounterRandom random(5, seed);
        // A random pattern of gaps, repeated, and the minimum distances for some numbers of occurrences.
        std::vector<netgen::Time> gaps(1 + random.below(6));
        for (netgen::Time& gap : gaps) gap = 1 + random.below(9);
        const auto least_of = [&](std::size_t occurrences) {
            netgen::Time least = std::numeric_limits<netgen::Time>::max();
            for (std::size_t from = 0; from < gaps.size(); ++from) {
                netgen::Time distance = 0;
                for (std::size_t i = 1; i < occurrences; ++i) distance += gaps[(from + i) % gaps.size()];
                least = std::min(least, distance);
            }
            return least;
        };
        std::string entries;
        for (std::size_t number = 2; number <= 12; ++number)
            if (random.below(3) == 0 || (number == 12 && entries.empty()))
                entries += fmt::format(
                    "<entries numberOfOccurrences='{}'><lowerTimeBorder value='{}' unit='ns'/></entries>",
                    number, least_of(number));
        const netgen::Operation operation =
            netgen::read_amalthea(small_model({{"am:PeriodicStimulus' name", "am:ArrivalCurveStimulus' name"},
                                               {"<recurrence value='20' unit='ms'/>", entries}}),
                                  "m.amxmi", {.sporadic = true})
                .operations.at(0);
        REQUIRE(operation.period);
        for (std::size_t number = 2; number <= 60; ++number)
            REQUIRE(least_of(number) >=
                    static_cast<netgen::Time>(number - 1) * *operation.period - operation.jitter);
        ++checked;
    }
    CHECK(checked >= static_cast<int>(least_count(1000)));
    const auto curve = [](const std::string& entries) {
        return small_model({{"am:PeriodicStimulus' name", "am:ArrivalCurve' name"},
                            {"<recurrence value='20' unit='ms'/>", entries}});
    };
    // Two events in 1 us, five in 20 us: one every 5 us, late by up to (4 - 1) * 5 - 1 us.
    const netgen::Operation burst =
        netgen::read_amalthea(
            curve("<arrivalCurveEntries numberOfEvents='2'><lowerTimeBorder value='1' unit='us'/>"
                  "</arrivalCurveEntries><arrivalCurveEntries numberOfEvents='5'>"
                  "<lowerTimeBorder value='20' unit='us'/></arrivalCurveEntries>"),
            "m.amxmi", {.sporadic = true})
            .operations.at(0);
    CHECK(burst.period == 5'000);
    CHECK(burst.jitter == 14'000);
    CHECK_THAT(input_error_of([&] { netgen::read_amalthea(curve(""), "m.amxmi", {.sporadic = true}); }),
               Contains("expected a least time between two occurrences, found none"));
}

namespace {

/// A core at 100 MHz * 0.5 with two instructions per cycle, in the notation of versions 0.7.0 to 0.8.0.
std::string old_model(const Changes& changes = {}) {
    std::string text = R"(<am:Amalthea xmlns:am='http://app4mc.eclipse.org/amalthea/0.8.0'
 xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>
<swModel>
<tasks name='A' priority='3' osekTaskGroup='1' stimuli='every?type=Periodic'><callGraph>
<graphEntries xsi:type='am:CallSequence'><calls xsi:type='am:TaskRunnableCall' runnable='R?'/></graphEntries>
<graphEntries xsi:type='am:ProbabiltitySwitch'><entries probability='1'><items xsi:type='am:CallSequence'>
<calls xsi:type='am:InterProcessActivation' stimulus='go?'/></items></entries></graphEntries></callGraph></tasks>
<tasks name='B' priority='9' osekTaskGroup='2' stimuli='go?type=InterProcess'><callGraph>
<graphEntries xsi:type='am:CallSequence'><calls xsi:type='am:TaskRunnableCall' runnable='G?'/></graphEntries>
</callGraph></tasks>
<runnables name='R'><runnableItems xsi:type='am:RunnableInstructions'>
<default xsi:type='am:InstructionsDeviation'><deviation><lowerBound xsi:type='am:LongObject' value='10'/>
<upperBound xsi:type='am:LongObject' value='200'/><distribution xsi:type='am:UniformDistribution'/></deviation></default>
</runnableItems></runnables>
<runnables name='G'><runnableItems xsi:type='am:Group' ordered='true'><items><runnableItem
 xsi:type='am:InstructionsConstant' value='50'/></items><items><runnableItem xsi:type='am:ProbabilityGroup'>
<items probability='1'><runnableItem xsi:type='am:InstructionsConstant' value='30'/></items></runnableItem></items>
</runnableItems></runnables>
</swModel><hwModel>
<coreTypes name='T' bitWidth='32' instructionsPerCycle='2.0'/><memoryTypes name='M'/>
<system name='S'><ecus name='E'><microcontrollers name='C'><quartzes name='Q' type='STATIC'><frequency value='100.0' unit='MHz'/></quartzes>
<cores name='Core_1' coreType='T?type=CoreType'><prescaler clockRatio='0.5' quartz='Q?type=Quartz'/></cores>
</microcontrollers></ecus></system></hwModel>
<osModel><operatingSystems><taskSchedulers name='Os'><schedulingAlgorithm xsi:type='am:OSEK'/></taskSchedulers>
</operatingSystems></osModel>
<stimuliModel><stimuli xsi:type='am:Periodic' name='every'><offset unit='ms'/><recurrence value='1' unit='ms'/></stimuli>
<stimuli xsi:type='am:InterProcess' name='go'/></stimuliModel>
<mappingModel><coreAllocation scheduler='Os?type=TaskScheduler' core='Core_1?type=Core'/>
<taskAllocation task='A?type=Task' scheduler='Os?type=TaskScheduler' priority='0'/>
<taskAllocation task='B?type=Task' scheduler='Os?type=TaskScheduler' priority='4'/></mappingModel>
</am:Amalthea>)";
    for (const auto& [before, after] : changes) {
        const std::size_t at = text.find(before);
        REQUIRE(at != std::string::npos);
        text.replace(at, before.size(), after);
    }
    return text;
}

std::string old_message(const Changes& changes) {
    return input_error_of([&] { netgen::read_amalthea(old_model(changes), "m.amxmi"); }, "read");
}

}  // namespace

TEST_CASE("amalthea: cores, instructions and mapping up to version 0.8.3") {
    std::vector<std::string> warnings;
    netgen::AmaltheaOptions options;
    options.warnings = &warnings;
    const std::vector<netgen::Operation> all =
        netgen::read_amalthea(old_model(), "m.amxmi", options).operations;
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "A/R");
    CHECK(all[0].kind == netgen::OperationKind::cpu);
    CHECK(all[0].core == 1);
    CHECK(all[0].period == 1'000'000);
    CHECK(all[0].time == 2'000);  // 200 instructions at 50 MHz, two per cycle
    CHECK(all[0].priority == 3);  // the task's priority, because its own is 0, which means none
    CHECK(all[1].time == 800);
    CHECK(all[1].priority == 4);  // the priority of the allocation
    CHECK(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("instructionsPerCycle: Instructions run at this rate") != std::string::npos;
    }));
    const auto first = [](const Changes& changes) {
        return netgen::read_amalthea(old_model(changes), "m.amxmi").operations.at(0);
    };
    // Extended definitions by the type of the core, other names in the mapping, a frequency in Hz.
    CHECK(first({{"</default>\n</runnableItems>",
                  "</default><extended key='T?type=CoreType'><value xsi:type='am:InstructionsConstant' "
                  "value='20'/></extended></runnableItems>"}})
              .time == 200);
    CHECK(first({{"coreAllocation", "schedulerAllocation"},
                 {"core='Core", "responsibility='Core"},
                 {" priority='0'/>", "><schedulingParameters priority='7'/></taskAllocation>"}})
              .priority == 7);
    CHECK(first({{"><frequency value='100.0' unit='MHz'/></quartzes>", " frequency='100000000'/>"}}).time ==
          2'000);
    CHECK(first({{" unit='MHz'", ""}}).time == 2'000'000'000);
    // References to elements of the same file as children.
    CHECK(first({{"coreType='T?type=CoreType'>", "><coreType href='amlt:/#T?type=CoreType'/>"}}).time ==
          2'000);
    CHECK_THAT(old_message({{"coreType='T?type=CoreType'>", "><coreType href='amlt:/#U?type=CoreType'/>"}}),
               Contains("expected coreType within this file, found a reference to another file"));
    // A model without a safe bound.
    CHECK_THAT(old_message({{"clockRatio='0.5' ", ""}}), Contains("expected a positive clockRatio, found 0"));
    CHECK_THAT(old_message({{"STATIC", "DYNAMIC"}}), Contains("a frequency that does not change"));
    CHECK_THAT(old_message({{" instructionsPerCycle='2.0'", ""}}),
               Contains("expected a processing unit with a feature of category 'Instructions', found none"));
    CHECK_THAT(old_message({{"PerCycle='2.0'", "PerCycle='0'"}}),
               Contains("a positive instructionsPerCycle"));
    CHECK_THAT(old_message({{"<upperBound xsi:type='am:LongObject' value='200'/>", ""}}),
               Contains("expected an upper bound in element <upperBound>, found none"));
    CHECK_THAT(old_message({{"osekTaskGroup='2'", "osekTaskGroup='1'"}}),
               Contains("osekTaskGroup '1' twice"));
    CHECK_THAT(old_message({{"stimulus='go?'", "stimulus='every?'"}}),
               Contains("expected tasks to trigger an InterProcessStimulus alone, found PeriodicStimulus"));
    CHECK_THAT(old_message({{"<quartzes", "<quartzes name='Q'/><quartzes"}}),
               Contains("expected one quartz of each name"));
    CHECK_THAT(old_message({{"<items><runnableItem\n", "<items/><items><runnableItem\n"}}),
               Contains("one without a type"));
}

TEST_CASE("amalthea: execution needs take the rate of their category") {
    const auto with = [](const std::string& item, const std::string& features = "IPC/slow?") {
        return Changes{
            {ticks_of_work, "<items xsi:type='am:ExecutionNeed'>" + item + "</items>"},
            {"name='C' puType='CPU'", "name='C' puType='CPU' features='" + features + "'"},
            {"<structures",
             "<featureCategories name='IPC'><features name='slow' value='0.5'/></featureCategories>"
             "<structures"}};
    };
    const auto need = [](const std::string& tag, const std::string& key, const std::string& value) {
        return "<" + tag + " key='" + key + "'><value xsi:type='am:NeedConstant' value='" + value + "'/></" +
               tag + ">";
    };
    CHECK(small_times(with(need("default", "IPC", "100")))[2].second == 200);
    CHECK(small_times(with(need("needs", "IPC", "100")))[2].second == 200);
    CHECK(small_times(with(need("default", "IPC", "100") + "<extended key='C?'>" + need("value", "IPC", "7") +
                           "</extended><extended key='G?'>" + need("value", "IPC", "9") + "</extended>"))[2]
              .second == 14);
    CHECK_THAT(small_message(with(need("default", "FLOP", "100"))),
               Contains("a feature of category 'FLOP', found none"));
    CHECK_THAT(small_message(with(need("default", "IPC", "100"), "IPC/fast?")),
               Contains("expected features of the model, found 'IPC/fast', which is not in the model"));
    CHECK(small_times({with(need("default", "IPC", "100"), "IPC/slow? IPC/least?")[0],
                       with(need("default", "IPC", "100"), "IPC/slow? IPC/least?")[1],
                       {"<structures",
                        "<featureCategories name='IPC'><features name='slow' value='0.5'/><features "
                        "name='least' value='0.25'/></featureCategories><structures"}})[2]
              .second == 400);
    CHECK_THAT(small_message(with("<default key='IPC'/>")), Contains("expected <value>, found none"));
}

TEST_CASE("amalthea: what has no upper bound is refused by its name and place") {
    const auto item = [&](const std::string& type) {
        return small_message(
            {{call_of_work, "<items xsi:type='am:" + type + "'>" + call_of_work + "</items>"}});
    };
    CHECK(
        item("WhileLoop") ==
        "m.amxmi:4: <items> in <activityGraph> in <tasks> 'Cpu': expected an item with an upper bound, found "
        "WhileLoop: how often it runs is not in the model");
    for (const char* const type :
         {"SemaphoreAccess", "EnforcedMigration", "SynchronousServerCall", "Brandnew"})
        CHECK_THAT(item(type), Contains("found " + std::string(type)));
    CHECK_THAT(
        small_message({{call_of_work,
                        "<items xsi:type='am:WaitEvent'><eventMask events='E?'/></items>" + call_of_work}}),
        Contains("expected a wait for events that a GPU task sets"));
    CHECK_THAT(
        small_message({{call_of_kernel, "<items xsi:type='am:ModeSwitch'><entries>" + call_of_kernel +
                                            "</entries><entries><items xsi:type='am:LabelAccess' "
                                            "data='L?'/></entries></items>"},
                       {"</swModel>", "<labels name='L'><size value='1' unit='B'/></labels></swModel>"}}),
        Contains("expected entries of kernels alone or of copies alone"));
    CHECK_THAT(small_message({{ticks_of_work, call_of_work}}), Contains("or a cycle"));
    CHECK_THAT(small_message({{"'am:DiscreteValueConstant' value='500000'",
                               "'am:DiscreteValueGaussDistribution' mean='5' sd='1'"}}),
               Contains("expected an upper bound in attribute 'upperBound', found none"));
    CHECK_THAT(small_message({{"</swModel>", "<isrs name='I'><activityGraph/></isrs></swModel>"},
                              {"</mappingModel>", "<isrAllocation isr='I?'/></mappingModel>"}}),
               Contains("an interrupt with an allocation"));
    CHECK_THAT(small_message({{"FixedPriorityPreemptive", "EarliestDeadlineFirst"}}),
               Contains("found 'EarliestDeadlineFirst'"));
    CHECK_THAT(small_message({{"puType='GPU'", "puType='CPU'"},
                              {"<tasks name='Cpu'", "<tasks preemption='cooperative' name='Cpu'"},
                              {"scheduler='Dr?'/>", "scheduler='Os?'/>"}}),
               Contains("expected preemption=\"preemptive\" where several tasks share a core"));
    const auto grouped = [](const std::string& inner) {
        return "<items xsi:type='am:Group' interruptible='false'>" + inner + "</items>";
    };
    const auto shared = [](Changes changes) {
        changes.insert(changes.end(),
                       {{"puType='GPU'", "puType='CPU'"}, {"scheduler='Dr?'/>", "scheduler='Os?'/>"}});
        return small_message(changes);
    };
    const std::string whole =
        "expected interruptible=\"true\" where several tasks share a core, found 'false'";
    CHECK(shared({}) == "read");
    CHECK(small_message({{call_of_work, grouped(call_of_work)}}) == "read");
    CHECK_THAT(shared({{call_of_work, grouped(call_of_work)}}), Contains(whole));
    CHECK_THAT(shared({{ticks_of_work, grouped(ticks_of_work)}}), Contains(whole));
    CHECK_THAT(
        shared({{call_of_work, "<items xsi:type='am:ModeSwitch'><entries>" + call_of_kernel +
                                   "</entries><entries>" + grouped(call_of_work) + "</entries></items>"}}),
        Contains(whole));
    CHECK_THAT(shared({{ticks_of_work, "<items xsi:type='am:ModeSwitch'><entries>" + grouped(ticks_of_work) +
                                           "</entries></items>"}}),
               Contains(whole));
    CHECK(shared({{call_of_work, call_of_work + grouped("")}}) == "read");
    CHECK_THAT(small_message({{"priority='1'", "priority='1' minBudget='3'"}}),
               Contains("unknown attribute 'minBudget'"));
    CHECK_THAT(small_message({{"name='Cpu'", "name='Cpu' colour='red'"}}),
               Contains("m.amxmi:4: <tasks> 'Cpu': unknown attribute 'colour'"));
    CHECK_THAT(small_message({{"1.0.0", "0.6.9"}}), Contains("version 0.7.0 or later"));
    for (const char* const version : {"0.7.0", "0.9.3", "0.9.9", "2.2.0"})
        CHECK(small_message({{"1.0.0", version}}) == "read");
    CHECK_THAT(small_message({{"task='Cpu?'", "task='Gpu?'"}}),
               Contains("expected one allocation of each task"));
}

TEST_CASE("amalthea: periods round down, priorities and cores that contradict are named") {
    const auto read = [](const Changes& changes, std::string& said) {
        std::vector<std::string> warnings;
        netgen::TaskSet tasks =
            netgen::read_amalthea(small_model(changes), "m.amxmi", {.warnings = &warnings});
        said = fmt::format("{}", fmt::join(warnings, "\n"));
        return tasks.operations;
    };
    std::string said;
    const std::string recurrence = "<recurrence value='20' unit='ms'/>";
    CHECK(read({{recurrence, "<recurrence value='20000000500' unit='ps'/>"}}, said).at(0).period ==
          std::optional<netgen::Time>(20'000'000));
    CHECK_THAT(said, Contains("period of a fraction of a ns: it is rounded down"));
    CHECK(read({{recurrence, "<recurrence value='20000000000' unit='ps'/>"}}, said).at(0).period ==
          std::optional<netgen::Time>(20'000'000));
    CHECK_THAT(said, !Contains("rounded"));
    CHECK_THAT(small_message({{recurrence, "<recurrence value='1' unit='ps'/>"}}),
               Contains("expected a period of at least 1 ns"));

    // From version 2.0 on, one element per parameter.
    const auto priority = [&](const std::string& parameters) {
        for (const netgen::Operation& operation :
             read({{"<schedulingParameters priority='1'/>", parameters}}, said))
            if (operation.kind == netgen::OperationKind::cpu) return operation.priority;
        return -1;
    };
    const std::string seven =
        "<schedulingParameters key='priority?type=SchedulingParameterDefinition'>"
        "<value xsi:type='am:IntegerObject' value='7'/></schedulingParameters>";
    CHECK(priority(seven) == 7);
    CHECK_THAT(said, !Contains("priority"));
    CHECK(priority("<schedulingParameters key='minBudget?type=SchedulingParameterDefinition'><value "
                   "xsi:type='am:TimeObject' value='3' unit='ms'/></schedulingParameters>" +
                   seven) == 7);
    CHECK_THAT(said, Contains("scheduling parameter 'minBudget': it is ignored"));
    CHECK_THAT(small_message({{"<schedulingParameters priority='1'/>",
                               "<schedulingParameters key='priority'><value xsi:type='am:IntegerObject' "
                               "value='high'/></schedulingParameters>"}}),
               Contains("expected a whole number in attribute 'value', found 'high'"));

    // Tasks that share a core.
    const Changes two = {
        {"<runnables name='Small'",
         "<tasks name='Other' stimuli='slow?type=PeriodicStimulus'><activityGraph>" + call_of_work +
             "</activityGraph></tasks><runnables name='Small'"},
        {"</mappingModel>", "<taskAllocation task='Other?' scheduler='Os?'/></mappingModel>"}};
    read(two, said);
    CHECK_THAT(said, Contains("'Other': task without a priority: it counts as 0"));
    CHECK_THAT(said, !Contains("'Cpu': task without"));
    read({{"<schedulingParameters priority='1'/>", ""}}, said);
    CHECK_THAT(said, !Contains("without a priority"));

    const Changes other_core = {
        {"<modules xsi:type='am:ProcessingUnit' name='GP'",
         "<modules xsi:type='am:ProcessingUnit' name='Core1' frequencyDomain='F?' definition='C?'/>"
         "<modules xsi:type='am:ProcessingUnit' name='GP'"},
        {"task='Cpu?' scheduler='Os?'", "task='Cpu?' scheduler='Os?' affinity='Core1?'"}};
    read(other_core, said);
    CHECK_THAT(said,
               Contains("affinity to a unit that its scheduler is not responsible for: the task runs on"));
}

TEST_CASE("amalthea: what is left out is a warning") {
    std::vector<std::string> warnings;
    small_times(
        {{"<taskAllocation task='Cpu?' scheduler='Os?'><schedulingParameters priority='1'/></taskAllocation>",
          ""}},
        &warnings);
    CHECK_THAT(warnings.at(0),
               Contains("m.amxmi:4: <tasks> 'Cpu': element <tasks> is ignored: it is allocated to no core"));
    warnings.clear();
    small_times({{"</am:Amalthea>", "<constraintsModel><requirements/></constraintsModel></am:Amalthea>"}},
                &warnings);
    CHECK_THAT(warnings.back(),
               Contains("element <constraintsModel> is ignored: requirements are not checked"));
    const auto said = [](const Changes& changes) {
        std::vector<std::string> all;
        small_times(changes, &all);
        return fmt::format("{}", fmt::join(all, "\n"));
    };
    CHECK_THAT(said({{"<tasks name='Cpu'", "<tasks name='Cpu' multipleTaskActivationLimit='1'"}}),
               Contains("multipleTaskActivationLimit: every activation is kept"));
    CHECK_THAT(said({{"name='F'>", "name='F' clockGating='true'>"}}),
               Contains("clockGating: the clock is taken to run always"));
    CHECK(said({{"name='F'>", "name='F' clockGating='false'>"}}) == said({}));
    warnings.clear();
    small_times({{"</swModel>", "<isrs name='I'><activityGraph/></isrs></swModel>"}}, &warnings);
    CHECK_THAT(warnings.at(0), Contains("<isrs> 'I': element <isrs> is ignored: it is allocated to no core"));
}

TEST_CASE("amalthea: bad models say where") {
    CHECK_THAT(message("</swModel>", "</swModels>"), Contains("m.amxmi:20: expected well-formed XML"));
    CHECK_THAT(message("runnable=\"Work", "runnable=\"Wrok"),
               Contains("expected runnable of the model, found 'Wrok', which is not in the model"));
    CHECK_THAT(message("stimuli=\"go", "stimuli=\"stop"),
               Contains("expected stimuli of the model, found 'stop', which is not in the model"));
    CHECK_THAT(message("frequencyDomain=\"Dom", "frequencyDomain=\"Dam"),
               Contains("found 'Dam', which is not in the model"));
    CHECK_THAT(message("data=\"L?", "data=\"M?"), Contains("expected data of the model, found 'M'"));
    CHECK_THAT(message("stimulus=\"go", "stimulus=\"come"), Contains("a task that triggers this one"));
    CHECK_THAT(message("stimuli=\"every", "stimuli=\"go"), Contains("in a cycle"));
    CHECK_THAT(message("unit=\"ms\"", "unit=\"weeks\""), Contains("known unit, found '10 weeks'"));
    CHECK_THAT(message("value=\"10\"", "value=\"-10\""), Contains("positive value"));
    CHECK_THAT(message("upperBound=\"3001\"", "upperBound=\"0\""), Contains("positive ticks"));
    CHECK_THAT(message("SMs/SM_2?", "Cores/X?"), Contains("number of SMs"));
    CHECK_THAT(message("value=\"2.0\"/></featureCategories>", "value=\"0\"/></featureCategories>"),
               Contains("SMs"));
    CHECK_THAT(message("<dataRate value=\"4\" unit=\"GBPerSecond\"/>", ""), Contains("dataRate"));
    CHECK_THAT(message("task=\"Gpu?", "task=\"Other?"),
               Contains("expected task of the model, found 'Other'"));
    CHECK_THAT(
        message("    <taskAllocation task=\"Gpu?type=Task\" scheduler=\"Sched?type=TaskScheduler\"/>\n", ""),
        Contains("expected tasks with ticks that are allocated to a core or the GPU"));
    CHECK_THAT(message("<am:Amalthea", "<am:Amaltheia"), Contains("m.amxmi:38: expected well-formed XML"));
    CHECK_THAT(input_error_of([] { netgen::read_amalthea("<pnml/>", "m.amxmi"); }),
               Contains("expected an AMALTHEA model, found element <pnml>"));
    CHECK_THAT(
        input_error_of([] {
            netgen::read_amalthea(small_model({{"puType='GPU'", "puType='CPU'"}}), "m.amxmi", {.cpu = false});
        }),
        Contains("expected a processing unit of type GPU, found none"));
}

TEST_CASE("amalthea: ticks that the processing unit does not have are an error, not no time") {
    const std::string kernel =
        "<items xsi:type='am:Ticks'><default xsi:type='am:DiscreteValueConstant' value='1000000'/></items>";
    const auto ticks = [&](const std::string& content) {
        return small_message({{kernel, "<items xsi:type='am:Ticks'>" + content + "</items>"}});
    };
    const auto extended = [](const std::string& key) {
        return "<extended key='" + key +
               "'><value xsi:type='am:DiscreteValueConstant' value='7'/></extended>";
    };
    CHECK(ticks(extended("G?type=ProcessingUnitDefinition")) == "read");
    CHECK(ticks(extended("Gone?type=ProcessingUnitDefinition")) ==
          "m.amxmi:6: <extended> in <items> in <activityGraph> in <runnables> 'Kernel': expected key of the "
          "model, found 'Gone', which is not in the model");
    CHECK(
        ticks(extended("C?type=ProcessingUnitDefinition")) ==
        "m.amxmi:6: <items> in <activityGraph> in <runnables> 'Kernel': expected ticks for 'G' in <default> "
        "or <extended>, found those for 'C' alone");
    CHECK_THAT(
        ticks(extended("GP?type=ProcessingUnit")),
        Contains("expected a reference to a ProcessingUnitDefinition, found 'GP?type=ProcessingUnit'"));
    CHECK_THAT(ticks(""), Contains("expected ticks for 'G' in <default> or <extended>, found none"));
    CHECK_THAT(ticks("<extended><value xsi:type='am:DiscreteValueConstant' value='7'/></extended>"),
               Contains("expected key of the model, found none"));
    CHECK_THAT(ticks(extended("G?") + extended("G?")),
               Contains("expected one <extended> of each key, found a second one of 'G'"));
    // References to a definition percent-encode its name.
    CHECK(small_times({{kernel, "<items xsi:type='am:Ticks'>" + extended("G%2B%3f?") + "</items>"},
                       {"name='G' puType", "name='G+?' puType"},
                       {"definition='G?'", "definition='G%2B%3F?'"}})[1]
              .second == 7);
    // Execution needs, and the ticks of a core.
    CHECK_THAT(small_message({{kernel, "<items xsi:type='am:ExecutionNeed'/>"}}),
               Contains("expected ticks for 'G' in <default> or <extended>, found none"));
    CHECK_THAT(small_message({{ticks_of_work, "<items xsi:type='am:Ticks'/>"}}),
               Contains("expected ticks for 'C' in <default> or <extended>, found none"));
    CHECK_THAT(small_message({{call_of_kernel, ""},
                              {"<items xsi:type='am:RunnableCall' runnable='Small?type=Runnable'/>", ""}}),
               Contains("expected ticks for 'G' or label accesses in a task of the GPU, found none"));
    std::vector<std::string> warnings;
    small_times({{ticks_of_work, ""}}, &warnings);
    CHECK(warnings.at(0) == "m.amxmi:7: <runnables> 'Work': runnable without ticks: it takes no time");
}

TEST_CASE("amalthea: references lead to one element of the right type") {
    CHECK_THAT(small_message({{"runnable='Kernel?type=Runnable'", "runnable='Kernel?type=Label'"}}),
               Contains("expected a reference to a Runnable, found 'Kernel?type=Label'"));
    CHECK_THAT(small_message({{"task='Gpu?'", "task='Gpu?type=ISR'"}}),
               Contains("expected a reference to a Task"));
    CHECK_THAT(
        small_message({{"task='Gpu?' scheduler='Dr?'", "task='Gpu?'"}}),
        Contains("<taskAllocation> in <mappingModel> in <am:Amalthea>: expected one scheduler, found none"));
    CHECK_THAT(small_message({{"task='Gpu?' scheduler='Dr?'", "task='Gpu?' scheduler='Drr?'"}}),
               Contains("expected scheduler of the model, found 'Drr', which is not in the model"));
    CHECK_THAT(small_message({{"responsibility='GP?'", "responsibility='GPU?'"}}),
               Contains("expected responsibility of the model, found 'GPU', which is not in the model"));
    CHECK_THAT(small_message({{"scheduler='Os?'><", "scheduler='Os?' affinity='Core0? Core9?'><"}}),
               Contains("expected affinity of the model, found 'Core9', which is not in the model"));
    CHECK_THAT(small_message({{"responsibility='GP?'", "responsibility='GP? Core0?'"}}),
               Contains("expected the GPU or other processing units to run it, found both"));
    // The affinity decides.
    const netgen::TaskSet tasks = netgen::read_amalthea(
        small_model({{"responsibility='GP?'", "responsibility='GP? Core0?'"},
                     {"task='Gpu?' scheduler='Dr?'", "task='Gpu?' scheduler='Dr?' affinity='Core0?'"}}),
        "m.amxmi");
    CHECK(tasks.operations.at(0).kind == netgen::OperationKind::cpu);
    CHECK_THAT(small_message({{"features='SMs/n?", "features='SMs/m?"}}),
               Contains("expected features of the model, found 'SMs/m', which is not in the model"));
    CHECK_THAT(small_message({{"</mappingModel>", "<isrAllocation isr='I?'/></mappingModel>"}}),
               Contains("expected isr of the model, found 'I', which is not in the model"));
    std::vector<std::string> warnings;
    netgen::read_amalthea(small_model({{"<taskAllocation task='Gpu?' scheduler='Dr?'/>", ""},
                                       {"stimuli='slow?type=PeriodicStimulus'><activityGraph>" + call_of_work,
                                        "stimuli='slow?'><activityGraph>" + call_of_work},
                                       {"task='Cpu?' scheduler='Os?'", "task='Cpu?' scheduler='Dr?'"},
                                       {call_of_work, call_of_kernel},
                                       {"<schedulingParameters priority='1'/>", ""}}),
                          "m.amxmi", {.cpu = false, .warnings = &warnings});
    CHECK(warnings.at(0) ==
          "m.amxmi:3: <tasks> 'Gpu': element <tasks> is ignored: it is allocated to no processing unit");
}

TEST_CASE("amalthea: two elements of one name are an error") {
    const auto twice = [](const std::string& element) {
        return small_message({{element, element + element}});
    };
    CHECK_THAT(
        small_message({{"<runnables name='Work'>", "<runnables name='Kernel'/><runnables name='Work'>"}}),
        Contains("m.amxmi:7: <runnables> 'Kernel': expected one <runnables> of each name, found a "
                 "second 'Kernel'"));
    CHECK_THAT(small_message({{"<tasks name='Cpu'", "<tasks name='Gpu'/><tasks name='Cpu'"}}),
               Contains("expected one <tasks> of each name, found a second 'Gpu'"));
    CHECK_THAT(small_message({{"</swModel>", "<labels name='L'/><labels name='L'/></swModel>"}}),
               Contains("expected one <labels> of each name, found a second 'L'"));
    CHECK_THAT(twice("<definitions xsi:type='am:ProcessingUnitDefinition' name='C' puType='CPU'/>"),
               Contains("expected one <definitions> of each name"));
    CHECK_THAT(twice("<features name='n' value='2.0'/>"), Contains("expected one <features> of each name"));
    CHECK_THAT(twice("<featureCategories name='SMs'><features name='n' value='2.0'/></featureCategories>"),
               Contains("expected one <featureCategories> of each name"));
    CHECK_THAT(twice("<domains xsi:type='am:FrequencyDomain' name='F'><defaultValue value='1.0' "
                     "unit='GHz'/></domains>"),
               Contains("expected one <domains> of each name"));
    CHECK_THAT(twice("<stimuli xsi:type='am:PeriodicStimulus' name='slow'><recurrence value='20' "
                     "unit='ms'/></stimuli>"),
               Contains("expected one <stimuli> of each name"));
    CHECK_THAT(twice("<taskSchedulers name='Os'>\n<schedulingAlgorithm "
                     "xsi:type='am:FixedPriorityPreemptive'/></taskSchedulers>"),
               Contains("expected one scheduler of each name"));
    // A domain of another kind is another element.
    CHECK(small_message({{"<domains", "<domains xsi:type='am:PowerDomain' name='F'/><domains"}}) == "read");
}

TEST_CASE("amalthea: figures that contradict themselves") {
    const auto ticks = [](const std::string& content) {
        return small_message({{"<default xsi:type='am:DiscreteValueConstant' value='500000'/>", content}});
    };
    CHECK(ticks("<default xsi:type='am:DiscreteValueBoundaries' lowerBound='9' upperBound='5'/>") ==
          "m.amxmi:7: <default> in <items> in <activityGraph> in <runnables> 'Work': expected a lower bound "
          "that is not above the upper one, found 9 and 5");
    CHECK_THAT(ticks("<default xsi:type='am:DiscreteValueHistogram'><entries lowerBound='9' "
                     "upperBound='5'/></default>"),
               Contains("found 9 and 5"));
    CHECK_THAT(ticks("<default xsi:type='am:DiscreteValueHistogram'/>"),
               Contains("expected <entries> with positive ticks, found none"));
    CHECK_THAT(old_message({{"value='10'/>", "value='1000'/>"}}), Contains("found 1000 and 200"));
    CHECK_THAT(small_message({{"name='n' value='2.0'", "name='n' value='2.5'"}}),
               Contains("expected a whole number of SMs from 1 to 100000, found 2.5"));
    for (const char* const space :
         {"http://app4mc.eclipse.org/amalthe/1.0.0", "http://app4mc.eclipse.org/amalthea/",
          "http://app4mc.eclipse.org/amalthea/one", "", "http://www.amalthea.itea2.org/model/1.3.0/central"})
        CHECK_THAT(small_message({{"http://app4mc.eclipse.org/amalthea/1.0.0", space}}),
                   Contains("expected namespace 'http://app4mc.eclipse.org/amalthea/VERSION'"));
    std::vector<std::string> warnings;
    small_times({{"1.0.0", "4.0.0"}}, &warnings);
    CHECK(warnings.at(0) ==
          "m.amxmi:1: <am:Amalthea>: version 4.0.0: it is later than 3.3, and is read as 3.3");
}

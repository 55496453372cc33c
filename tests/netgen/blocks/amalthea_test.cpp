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

/// A GPU and a core at 1 GHz, a GPU task of two kernels (1 us, 1 ms) and a CPU task of one segment (0.5 ms),
/// every 20 ms; `changes` are pairs of a text in it and what comes in its place.
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
    return input_error_of([&] { read_amalthea(small_model(changes), "m.amxmi"); }, "read");
}

/// Names and times of the operations.
std::vector<std::pair<std::string, Time>> small_times(const Changes& changes,
                                                      std::vector<std::string>* warnings = nullptr) {
    AmaltheaOptions options;
    options.warnings = warnings;
    std::vector<std::pair<std::string, Time>> times;
    for (const Operation& operation : read_amalthea(small_model(changes), "m.amxmi", options).operations)
        times.emplace_back(operation.name, operation.time);
    return times;
}

using Times = std::vector<std::pair<std::string, Time>>;

const std::string call_of_kernel = "<items xsi:type='am:RunnableCall' runnable='Kernel?type=Runnable'/>";
const std::string call_of_work = "<items xsi:type='am:RunnableCall' runnable='Work?type=Runnable'/>";
const std::string ticks_of_work =
    "<items xsi:type='am:Ticks'><default xsi:type='am:DiscreteValueConstant' value='500000'/></items>";

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
    // Up to version 0.9.6 the graph was called <callGraph>.
    CHECK(small_times({{"1.0.0", "0.9.5"},
                       {"<activityGraph>" + call_of_work + "</activityGraph>",
                        "<callGraph>" + call_of_work + "</callGraph>"}})
              .size() == 3);
    // Without a GPU all are segments of cores.
    const TaskSet cores = read_amalthea(small_model({{"puType='GPU'", "puType='CPU'"}}), "m.amxmi");
    REQUIRE(cores.operations.size() == 3);
    CHECK(cores.operations[1].kind == OperationKind::cpu);
    CHECK(cores.operations[1].core == 1);
    CHECK(cores.operations[2].core == 0);
}

TEST_CASE("amalthea: a worst case counts what may run") {
    std::vector<std::string> warnings;
    const auto times =
        small_times({{call_of_kernel, "<items xsi:type='am:ProbabilitySwitch'><entries probability='0.5'>" +
                                          call_of_kernel + "</entries><entries probability='0.5'/></items>"}},
                    &warnings);
    CHECK(times[1] == std::pair<std::string, Time>("Gpu/Kernel", 1'000'000));
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0] ==
          "m.amxmi:3: <items> in <activityGraph> in <tasks> 'Gpu': ProbabilitySwitch: the longest of its "
          "entries is "
          "taken");
    CHECK(small_times({{ticks_of_work,
                        "<items xsi:type='am:ModeSwitch'><entries name='a'>" + ticks_of_work +
                            "</entries><defaultEntry><items xsi:type='am:RunnableCall' runnable='Helper?'/>"
                            "</defaultEntry></items>"}})[2] ==
          std::pair<std::string, Time>("Cpu/Work", 2'000'000));
    CHECK(small_times({{ticks_of_work,
                        "<items xsi:type='am:RunnableCall' runnable='Helper?'/>" + ticks_of_work}})[2] ==
          std::pair<std::string, Time>("Cpu/Work", 2'500'000));
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
        return read_amalthea(small_model(changes), "m.amxmi").operations.at(0);
    };
    CHECK(first({{stimulus, "<recurrence value='20000000000' unit='ps'/>"}}).period == 20'000'000);
    CHECK(first({{stimulus, stimulus + "<offset value='3' unit='us'/>"}}).release == 3'000);
    CHECK(first({{stimulus, stimulus + "<offset value='0' unit='us'/>"}}).release == 0);
    const Operation once = first({{"am:PeriodicStimulus' name", "am:SingleStimulus' name"},
                                  {stimulus, "<occurrence value='2' unit='ns'/>"}});
    CHECK(once.release == 2);
    CHECK_FALSE(once.period);
    // Each of several stimuli starts the task.
    const TaskSet twice = read_amalthea(
        small_model({{"stimuli='slow?type=PeriodicStimulus'", "stimuli='slow? fast?'"},
                     {"<stimuli xsi",
                      "<stimuli xsi:type='am:PeriodicStimulus' name='fast'><recurrence value='5' "
                      "unit='ms'/></stimuli><stimuli xsi"}}),
        "m.amxmi");
    REQUIRE(twice.operations.size() == 5);
    CHECK(twice.operations[2].name == "Gpu/Small (2)");
    CHECK(twice.operations[2].period == 5'000'000);
    CHECK(twice.operations[2].stream == twice.operations[0].stream);
    CHECK_THAT(small_message({{stimulus, stimulus + "<jitter xsi:type='am:TimeConstant'/>"}}),
               Contains("expected releases without jitter"));
    CHECK_THAT(small_message({{"am:PeriodicStimulus' name", "am:SporadicStimulus' name"}}),
               Contains("found SporadicStimulus"));
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
    CHECK_THAT(small_message({{"priority='1'", "priority='1' minBudget='3'"}}),
               Contains("unknown attribute 'minBudget'"));
    CHECK_THAT(small_message({{"name='Cpu'", "name='Cpu' colour='red'"}}),
               Contains("m.amxmi:4: <tasks> 'Cpu': unknown attribute 'colour'"));
    for (const char* const version : {"0.7.0", "0.9.2"})
        CHECK_THAT(small_message({{"1.0.0", version}}), Contains("version 0.9.3 or later"));
    for (const char* const version : {"0.9.3", "0.9.9", "2.2.0"})
        CHECK(small_message({{"1.0.0", version}}) == "read");
    CHECK_THAT(small_message({{"task='Cpu?'", "task='Gpu?'"}}),
               Contains("expected one allocation of each task"));
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
    CHECK_THAT(input_error_of([] { read_amalthea("<pnml/>", "m.amxmi"); }),
               Contains("expected an AMALTHEA model, found element <pnml>"));
    CHECK_THAT(input_error_of([] {
                   read_amalthea(small_model({{"puType='GPU'", "puType='CPU'"}}), "m.amxmi", {.cpu = false});
               }),
               Contains("expected a processing unit of type GPU, found none"));
}

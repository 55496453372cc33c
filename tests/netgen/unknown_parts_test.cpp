// Readers drop nothing silently: a construct that a format does not know is in an error or a warning,
// wherever it is inserted.

#include "tests/support/unknown_parts.hpp"

#include "netgen/blocks/amalthea.hpp"
#include "netgen/blocks/scheduling_examiner.hpp"
#include "netgen/blocks/tasks_json.hpp"
#include "netgen/cfg/text.hpp"
#include "netgen/sm/device.hpp"
#include "tests/support/shared_data.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

using namespace warpnet;
using namespace warpnet::testing;

namespace {

std::string file_text(const std::filesystem::path& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void read_configuration(const std::string& text, std::vector<std::string>& warnings) {
    ExaminerOptions options;
    options.warnings = &warnings;
    options.makespan = [](const TaskSet&) { return Time{1}; };
    read_examiner_config(text, "c.json", options);
}

void read_model(const std::string& text, std::vector<std::string>& warnings) {
    AmaltheaOptions options;
    options.warnings = &warnings;
    read_amalthea(text, "m.amxmi", options);
}

/// Something of all that is read.
const char* const whole_model = R"(<am:Amalthea xmlns:am='http://app4mc.eclipse.org/amalthea/1.0.0'
 xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:xmi='http://www.omg.org/XMI' xmi:version='2.0' version='1'>
<commonElements><tags name='t'/></commonElements>
<swModel>
<tasks name='Cpu' stimuli='slow? once?' preemption='preemptive' multipleTaskActivationLimit='1' tags='t?'><customProperties key='k'/>
<activityGraph><items xsi:type='am:Group' name='g' ordered='false'>
<items xsi:type='am:RunnableCall' runnable='Before?'><counter prescaler='2' offset='0'/><statistic/></items>
<items xsi:type='am:InterProcessTrigger' stimulus='go?'/>
<items xsi:type='am:WaitEvent' waitingBehaviour='active' maskType='OR'><eventMask events='E?'/></items>
<items xsi:type='am:ClearEvent'><eventMask events='E?'/></items>
<items xsi:type='am:ModeSwitch'><entries name='e'><condition/><items xsi:type='am:RunnableCall' runnable='After?'/></entries>
<defaultEntry/></items><items xsi:type='am:TerminateProcess'/></items></activityGraph></tasks>
<tasks name='Gpu' stimuli='go?'><activityGraph>
<items xsi:type='am:RunnableCall' runnable='Copy?'/><items xsi:type='am:RunnableCall' runnable='Kernel?'/>
<items xsi:type='am:SetEvent' process='Cpu?'><eventMask events='E?'/></items></activityGraph></tasks>
<tasks name='Nowhere' stimuli='slow?'/>
<isrs name='I'><activityGraph/></isrs>
<runnables name='Before' callback='false' service='false'><activityGraph>
<items xsi:type='am:Ticks'><default xsi:type='am:DiscreteValueStatistics' lowerBound='1' upperBound='9' average='2'/></items>
<items xsi:type='am:LabelAccess' data='L?' access='read'/><items xsi:type='am:ModeLabelAccess' data='M?' access='read'/>
<items xsi:type='am:ChannelSend' data='C?'><transmissionPolicy/></items></activityGraph></runnables>
<runnables name='After'><activityGraph><items xsi:type='am:ProbabilitySwitch'><entries probability='0.5'>
<items xsi:type='am:Ticks'><default xsi:type='am:DiscreteValueHistogram'><entries lowerBound='1' upperBound='2' occurrences='3'/></default>
</items></entries></items><items xsi:type='am:RunnableCall' runnable='Before?'/></activityGraph></runnables>
<runnables name='Copy'><activityGraph><items xsi:type='am:LabelAccess' data='L?' access='read'/></activityGraph></runnables>
<runnables name='Kernel'><activityGraph><items xsi:type='am:Ticks'><extended key='G?'>
<value xsi:type='am:DiscreteValueConstant' value='100'/></extended></items>
<items xsi:type='am:LabelAccess' data='L?' access='write'/></activityGraph></runnables>
<runnables name='Unused'><activityGraph/></runnables>
<labels name='L' constant='false' bVolatile='false'><size value='2' unit='kB'/></labels><labels name='M'/>
<events name='E'/><channels name='C'/></swModel>
<hwModel><definitions xsi:type='am:ProcessingUnitDefinition' name='G' puType='GPU' features='SMs/n?'/>
<definitions xsi:type='am:ProcessingUnitDefinition' name='D' puType='CPU'/><definitions name='cache'/>
<featureCategories name='SMs' featureType='performance'><features name='n' value='2.0'/><features name='m' value='3'/></featureCategories>
<structures name='S' structureType='System'><structures name='T'>
<modules xsi:type='am:ProcessingUnit' name='Core0' frequencyDomain='F?' definition='D?'><ports name='p'/></modules>
<modules xsi:type='am:ProcessingUnit' name='GP' frequencyDomain='F?' definition='G?'>
<accessElements name='a' destination='b'><dataRate value='4' unit='GBPerSecond'/><readLatency/></accessElements></modules>
<modules xsi:type='am:Memory' name='Mem'/><connections/></structures></structures>
<domains xsi:type='am:FrequencyDomain' name='F' clockGating='false'><defaultValue value='1.0' unit='GHz'/></domains><domains name='P'/></hwModel>
<osModel><operatingSystems name='o'><taskSchedulers name='Os'><schedulingAlgorithm xsi:type='am:FixedPriorityPreemptive'/>
</taskSchedulers><taskSchedulers name='Dr'><schedulingAlgorithm xsi:type='am:UserSpecificSchedulingAlgorithm'/></taskSchedulers>
</operatingSystems><osOverheads/></osModel>
<stimuliModel><stimuli xsi:type='am:PeriodicStimulus' name='slow'><recurrence value='20' unit='ms'/><offset value='0' unit='ms'/>
<minDistance value='1' unit='ms'/></stimuli>
<stimuli xsi:type='am:SingleStimulus' name='once'><occurrence value='3' unit='us'/><executionCondition/></stimuli>
<stimuli xsi:type='am:InterProcessStimulus' name='go'/><stimuli xsi:type='am:EventStimulus' name='never'/></stimuliModel>
<eventModel/><constraintsModel><requirements/></constraintsModel>
<mappingModel addressMappingType='address'>
<schedulerAllocation scheduler='Os?' responsibility='Core0?' executingPU='Core0?'/><schedulerAllocation scheduler='Dr?' responsibility='GP?'/>
<taskAllocation task='Cpu?' scheduler='Os?' affinity='Core0?'><schedulingParameters priority='1'/></taskAllocation>
<taskAllocation task='Gpu?' scheduler='Dr?'><schedulingParameters priority='1'/><parameterExtensions key='k' value='v'/></taskAllocation>
<memoryMapping/></mappingModel></am:Amalthea>)";

}  // namespace

TEST_CASE("unknown parts: task sets") {
    check_unknown_parts(
        R"({"unit":"us","comment":"c","gpu":{"sms":[{"threads":2048,"blocks":32,"shared":1,"registers":1},{}],
            "threads_per_sm":2048,"warp_size":32,"register_unit":256},"kernels":[
            {"name":"a","kind":"copy","time":4,"stream":1},{"blocks":2,"threads":32,"time":9,"period":100,"stream":1},
            {"kind":"cpu","core":1,"time":3,"priority":2,"keeps_core":false}]})",
        insert_member, 1'000,
        [](const std::string& text, std::vector<std::string>&) { read_tasks_json(text, "t.json"); });
}

TEST_CASE("unknown parts: tables of devices") {
    check_unknown_parts("#source k = a page\ndevice\tcc\tsms\tlat_l1\nOne\t8.6\t4@k\t30?\nTwo\t-\t8\t-\n",
                        insert_word, 1'000, [](const std::string& text, std::vector<std::string>& warnings) {
                            // What follows a key is its meaning, whatever it is.
                            for (const auto& source : read_devices(text, "d.tsv").sources)
                                warnings.push_back(source.second);
                        });
    CHECK(input_error_of([] { read_devices("#source k = a\n#source k = b\ndevice\n", "d.tsv"); }) ==
          "d.tsv:2: source 'k' stands twice");
}

TEST_CASE("unknown parts: control-flow graphs") {
    check_unknown_parts(
        R"({"name":"n","blocks":[{"id":"a","time":1,"true":["b"],"false":[]},{"id":"b","time":2,"name":"x"}],
                           "root":["a"],"comment":"c"})",
        insert_member, 1'000,
        [](const std::string& text, std::vector<std::string>&) { read_cfg(text, "g.json"); });
    check_unknown_parts(
        "a 1 b c\nb 2 d\nc 3 d\nd 4 loop=2 d e\ne 5\n", insert_word, 1'000,
        [](const std::string& text, std::vector<std::string>&) { read_cfg(text, "g.graph"); });
    const auto graph = shared_data("cfg_graphs/depth4test04.graph");
    SKIP_WITHOUT(graph, "cfg_graphs/depth4test04.graph");
    check_unknown_parts(
        file_text(*graph), insert_word, 200,
        [](const std::string& text, std::vector<std::string>&) { read_cfg(text, "g.graph"); });
}

TEST_CASE("unknown parts: configurations and logs of cuda_scheduling_examiner") {
    check_unknown_parts(
        R"({"name":"n","max_iterations":2,"max_time":1,"cuda_device":0,"sync_every_iteration":true,"comment":"c","benchmarks":[
            {"filename":"timer_spin.so","log_name":"l","label":"a","thread_count":32,"block_count":[1],"data_size":0,"additional_info":5},
            {"filename":"sharedmem_timer_spin.so","thread_count":32,"block_count":1,"additional_info":{"duration":4,"shared_memory_size":4096}},
            {"filename":"multikernel.so","release_time":0.5,"additional_info":[{"kernel_label":"k","duration":3,"block_count":1,
             "thread_count":1,"delay":0.1,"copy_in_count":0}]},
            {"filename":"stream_action.so","thread_count":1,"block_count":1,"additional_info":{"use_null_stream":false,"actions":[
             {"type":"kernel","label":"k","parameters":{"duration":1}},{"type":"synchronize","parameters":{}}]}}]})",
        insert_member, 1'000, read_configuration);
    check_unknown_parts(
        R"({"scenario_name":"s","label":"a","max_resident_threads":4096,"times":[{},{"cpu_times":[0,1]},
            {"kernel_name":"k","block_count":1,"cuda_launch_times":[0,1,2],"block_times":[1,2],"block_smids":[0]}]})",
        insert_member, 1'000,
        [](const std::string& text, std::vector<std::string>&) { read_examiner_log(text, "l.json"); });
    const auto config = shared_data("measurements/tx2_scenario1/rta_config.json");
    SKIP_WITHOUT(config, "measurements/tx2_scenario1/rta_config.json");
    check_unknown_parts(file_text(*config), insert_member, 200, read_configuration);
}

TEST_CASE("unknown parts: AMALTHEA models") {
    check_unknown_parts(
        whole_model, insert_xml, 2'000, read_model,
        {"t", "Nowhere", "I", "Unused", "M", "E", "C", "cache", "m", "p", "Mem", "P", "never"});
    const auto model = shared_data("measurements/mobstr_original.amxmi");
    SKIP_WITHOUT(model, "measurements/mobstr_original.amxmi");
    std::string text = file_text(*model);
    std::replace(text.begin(), text.end(), '"', '\'');
    std::set<std::string> left_out;  // caches and memories, the labels that only cores use, and the like
    for (std::size_t at = 0; (at = text.find(" name='", at)) != std::string::npos; ++at)
        left_out.insert(text.substr(at + 7, text.find('\'', at + 7) - at - 7));
    check_unknown_parts(text, insert_xml, 100, read_model, left_out);
}

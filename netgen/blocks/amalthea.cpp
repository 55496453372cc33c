// Reads AMALTHEA models of APP4MC, versions 0.7.0 to 3.3, as a task set. Names and references are indexed
// first, since elements refer to each other in any order. Tasks follow in the order of the file, with their
// mapping, their stimuli and their work (amalthea_work). If a model leaves something open on which the answer
// depends, that is an error. amalthea_ignored.hpp judges elements that are not read. O(model), plus the tasks
// that triggers reach.
//
// An element that is not understood is never dropped silently. Reading only the known items was rejected,
// because a switch or a call in another form would make a task shorter than it is. Constructs without an
// upper bound, such as loops, semaphores and migrations, are errors. An interrupt with an allocation is one,
// too. Simplifications are warnings. Periods are rounded down, since rounding up would take releases out of
// the analysis.

#include "netgen/blocks/amalthea.hpp"

#include "engine/base/text.hpp"
#include "engine/input/xml.hpp"
#include "engine/net/error.hpp"
#include "netgen/blocks/amalthea_ignored.hpp"
#include "netgen/blocks/amalthea_stimuli.hpp"
#include "netgen/blocks/amalthea_work.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet::netgen {

namespace amalthea {
namespace {

constexpr std::size_t no_segment = static_cast<std::size_t>(-1);
constexpr int oldest_minor = 7;  // of 0.x
constexpr int latest_major = 3;

const std::map<std::string, double, std::less<>>& frequency_units() {
    static const std::map<std::string, double, std::less<>> units = {
        {"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
    return units;
}

class AmaltheaReader {
  public:
    AmaltheaReader(const XmlElement& root, const AmaltheaOptions& options)
        : root_(root), options_(options), work_((check_version(root), root.child("swModel"))) {}

    TaskSet read() {
        index_elements();
        tasks_.unit = "ns";
        find_gpu();
        if (options_.cpu) find_cores();
        const XmlElement software = root_.child("swModel");
        for (const XmlElement& interrupt : software.children("isrs")) check_interrupt(interrupt);
        for (const XmlElement& task : software.children("tasks")) {
            if (on_gpu(task)) {
                if (!options_.cpu || !with_its_trigger(task)) add_gpu_stream(task);
            } else if (options_.cpu) {
                add_cpu_task(task);
            } else {
                if (units_for(task).empty())
                    task.note("element <tasks> is ignored", "it is allocated to no processing unit");
                task.read_all();
            }
        }
        check_preemption();
        check_priorities();
        if (tasks_.operations.empty())
            root_.fail(options_.cpu ? "tasks with ticks that are allocated to a core or the GPU"
                                    : "tasks with ticks that are allocated to the GPU",
                       "none");
        return std::move(tasks_);
    }

  private:
    /// Also rejects documents that are no AMALTHEA model.
    static void check_version(const XmlElement& root) {
        const std::string_view name = root.name();
        const std::string_view local = name.substr(name.find(':') + 1);
        if (local != "Amalthea" && local != "AMALTHEA")  // the latter up to version 0.6
            root.fail("an AMALTHEA model", fmt::format("element <{}>", name));
        const std::string prefix =
            name == local ? "xmlns" : "xmlns:" + std::string(name.substr(0, name.find(':')));
        const std::string_view space = root.attribute_or(prefix.c_str(), "");
        constexpr std::string_view own_space = "http://app4mc.eclipse.org/amalthea/";
        const std::string_view version = space.substr(std::min(own_space.size(), space.size()));
        const auto number = [](std::string_view text) {
            return parse_number<int>(text.substr(0, text.find('.'))).value_or(-1);
        };
        const int major = number(version);
        const int minor = number(version.substr(std::min(version.find('.'), version.size() - 1) + 1));
        if (!space.starts_with(own_space) || major < 0 || minor < 0 || (major == 0 && minor < oldest_minor))
            root.fail(fmt::format("namespace '{}VERSION' of version 0.7.0 or later, to which APP4MC converts "
                                  "older models",
                                  own_space),
                      space.empty() ? "none" : fmt::format("'{}'", space));
        if (major > latest_major)
            root.note(fmt::format("version {}", version), "it is later than 3.3, and is read as 3.3");
    }

    void index_elements() {
        const XmlElement software = root_.child("swModel");
        const XmlElement hardware = root_.child("hwModel");
        const XmlElement mapping = root_.child("mappingModel");
        tasks_by_name_ = elements_of(software, "tasks");
        stimuli_ = elements_of(root_.child("stimuliModel"), "stimuli");
        definitions_ = elements_of(hardware, "definitions", "ProcessingUnitDefinition");
        definitions_.merge(elements_of(hardware, "coreTypes"));
        domains_ = elements_of(hardware, "domains", "FrequencyDomain");
        for (const auto& [name, category] : elements_of(hardware, "featureCategories"))
            for (const auto& [feature, element] : elements_of(category, "features"))
                features_.emplace(fmt::format("{}/{}", name, feature), element);
        for (const char* const kind : {"modules", "cores"})
            for (const XmlElement& unit : named_inside(hardware, kind))
                unit_names_.insert(std::string(unit.attribute_or("name", "")));
        for (const XmlElement& system : root_.child("osModel").children("operatingSystems"))
            for (const XmlElement& scheduler : system.children("taskSchedulers"))
                if (!schedulers_.emplace(scheduler.attribute_or("name", ""), scheduler).second)
                    scheduler.fail("one scheduler of each name", "a second one");
        const Elements interrupts = elements_of(software, "isrs");
        // The names of elements and attributes up to version 0.8.0, 0.8.3 and later.
        for (const auto& [kind, units] :
             {std::pair("coreAllocation", "core"), {"schedulerAllocation", "responsibility"}})
            for (const XmlElement& allocation : mapping.children(kind)) {
                std::vector<std::string>& of_scheduler = units_of_[scheduler_of(allocation)];
                for (std::string& unit : known_units(allocation, units))
                    of_scheduler.push_back(std::move(unit));
            }
        for (const XmlElement& allocation : mapping.children("taskAllocation")) {
            resolve(tasks_by_name_, allocation, "task");
            if (const std::string scheduler = scheduler_of(allocation);
                !schedulers_.contains(scheduler) && !units_of_.contains(scheduler))
                allocation.fail("scheduler of the model",
                                fmt::format("'{}', which is not in the model", scheduler));
            check_affinity(allocation);
            if (!allocation_of_.emplace(references(allocation, "task").front(), allocation).second)
                allocation.fail("one allocation of each task", "a second one");
        }
        for (const XmlElement& allocation : mapping.children("isrAllocation")) {
            allocation.attribute("controller");
            allocation.attribute("priority");
            referenced(interrupts, allocation, "isr");
            allocated_interrupts_.insert(references(allocation, "isr").front());
        }
        // The tasks that contain each InterProcessTrigger, by the stimulus that it starts.
        for (const XmlElement& task : software.children("tasks"))
            for (const char* const type : {"InterProcessTrigger", "InterProcessActivation"})
                for (const XmlElement& item : items_inside(task, type))
                    for (const std::string& stimulus : references(item, "stimulus"))
                        triggering_tasks_[stimulus].push_back(task);
    }

    /// The wanted elements inside an element, at any depth. They stay unread.
    template <class Wanted>
    static std::vector<XmlElement> inside(const XmlElement& element, Wanted wanted) {
        std::vector<XmlElement> found;
        std::vector<XmlElement> open{element};
        while (!open.empty()) {
            const XmlElement next = open.back();
            open.pop_back();
            const std::vector<XmlElement> inner = next.peek();
            open.insert(open.end(), inner.begin(), inner.end());
            if (wanted(next)) found.push_back(next);
        }
        return found;
    }

    static std::vector<XmlElement> items_inside(const XmlElement& task, std::string_view type) {
        return inside(task, [&](const XmlElement& item) { return type_of(item) == type; });
    }

    static std::vector<XmlElement> named_inside(const XmlElement& element, std::string_view name) {
        return inside(element, [&](const XmlElement& one) { return one.name() == name; });
    }

    static std::string scheduler_of(const XmlElement& allocation) {
        const std::vector<std::string> names = references(allocation, "scheduler");
        if (names.size() != 1)
            allocation.fail("one scheduler", names.empty() ? "none" : fmt::format("{}", names.size()));
        return names.front();
    }

    /// The processing units that an attribute refers to.
    std::vector<std::string> known_units(const XmlElement& from, const char* attribute) const {
        std::vector<std::string> names = references(from, attribute);
        for (const std::string& name : names)
            if (!unit_names_.contains(name))
                from.fail(fmt::format("{} of the model", attribute),
                          fmt::format("'{}', which is not in the model", name));
        return names;
    }

    std::vector<std::string> affinity_of(const XmlElement& allocation) const {
        std::vector<std::string> names = known_units(allocation, "affinity");
        return names.empty() ? known_units(allocation, "coreAffinity") : names;
    }

    /// Units of a task that do not belong to its scheduler.
    void check_affinity(const XmlElement& allocation) const {
        const std::vector<std::string> names = affinity_of(allocation);
        const auto units = units_of_.find(scheduler_of(allocation));
        if (units == units_of_.end()) return;
        for (const std::string& name : names)
            if (std::find(units->second.begin(), units->second.end(), name) == units->second.end())
                allocation.note("affinity to a unit that its scheduler is not responsible for",
                                "the task runs on the unit of the affinity");
    }

    void check_interrupt(const XmlElement& interrupt) const {
        const std::string name(interrupt.attribute_or("name", ""));
        if (!interrupt.child("activityGraph") && !interrupt.child("callGraph")) {
            interrupt.read_all();
            interrupt.note("element <isrs> is ignored", "it takes no time");
        } else if (allocated_interrupts_.contains(name)) {
            interrupt.fail("tasks alone", "an interrupt with an allocation: what it delays is not modelled");
        } else {
            interrupt.read_all();
            interrupt.note("element <isrs> is ignored", "it is allocated to no core");
        }
    }

    /// Processing units of a type, with their definitions.
    std::vector<std::pair<XmlElement, XmlElement>> processing_units(std::string_view type) const {
        std::vector<std::pair<XmlElement, XmlElement>> units;
        std::vector<XmlElement> open = root_.child("hwModel").children("structures");
        std::reverse(open.begin(), open.end());
        while (!open.empty()) {
            const XmlElement structure = open.back();
            open.pop_back();
            for (const auto& module : structure.peek("modules")) {
                if (type_of(module) != "ProcessingUnit") continue;
                module.read();
                if (!module.attribute("definition") && module.peek("definition").empty()) {
                    module.read_all();
                    module.note("element <modules> is ignored",
                                "it has no definition, so that tasks on it are left out");
                    continue;
                }
                module.attribute("frequencyDomain");
                const XmlElement definition = resolve(definitions_, module, "definition");
                type_of(definition);
                definition.attribute("features");
                const std::string_view kind = definition.attribute_or("puType", "");
                if (kind == type) units.emplace_back(module, definition);
                if (kind != "CPU" && kind != "GPU")
                    definition.note(
                        kind.empty() ? "definition without a puType" : fmt::format("puType '{}'", kind),
                        "it is neither CPU nor GPU, so that tasks on such units are left out");
            }
            std::vector<XmlElement> inner = structure.children("structures");
            open.insert(open.end(), inner.rbegin(), inner.rend());
        }
        return units;
    }

    /// Cores up to version 0.8.3, in the order of the file.
    std::vector<XmlElement> old_cores() const {
        std::vector<XmlElement> cores;
        for (const XmlElement& system : root_.child("hwModel").children("system"))
            for (const XmlElement& ecu : system.children("ecus"))
                for (const XmlElement& microcontroller : ecu.children("microcontrollers"))
                    for (const XmlElement& core : microcontroller.children("cores")) cores.push_back(core);
        return cores;
    }

    /// Quartzes up to version 0.8.3, by their names.
    Elements quartzes() const {
        Elements found;
        for (const XmlElement& quartz : named_inside(root_.child("hwModel"), "quartzes"))
            if (!found.emplace(quartz.attribute_or("name", ""), quartz).second)
                quartz.fail("one quartz of each name", "a second one");
        return found;
    }

    /// Without a unit it is in Hz, as in version 0.7.0. Returns the lowest possible frequency.
    static double quartz_hertz(const XmlElement& quartz) {
        XmlElement at = quartz;
        const char* attribute = "frequency";
        if (!quartz.attribute(attribute)) {
            if (!quartz.peek("frequency").empty() && quartz.child("frequency").attribute("unit"))
                return quantity(quartz, "frequency", frequency_units());
            at = quartz.child("frequency");
            attribute = "value";
            if (!at) quartz.fail("<frequency>", "none");
        }
        const double hertz = number_of(at, attribute);
        if (!(hertz > 0)) at.fail("a positive frequency", fmt::format("{}", hertz));
        at.note("frequency without a unit", "it is taken to be in Hz");
        return hertz;
    }

    double frequency_of(const XmlElement& unit) const {
        if (const XmlElement prescaler = unit.child("prescaler")) {
            prescaler.read();
            const XmlElement quartz = resolve(quartzes(), prescaler, "quartz");
            for (XmlElement parent = quartz.parent(); parent != root_; parent = parent.parent())
                parent.read();
            if (quartz.attribute_or("type", "") == "DYNAMIC")
                quartz.fail("a frequency that does not change", "type 'DYNAMIC'");
            const double ratio = prescaler.attribute("clockRatio") ? number_of(prescaler, "clockRatio") : 0;
            if (!(ratio > 0)) prescaler.fail("a positive clockRatio", fmt::format("{}", ratio));
            return ratio * quartz_hertz(quartz);
        }
        const XmlElement domain = resolve(domains_, unit, "frequencyDomain");
        type_of(domain);
        if (domain.attribute_or("clockGating", "false") != "false")
            domain.note("clockGating", "the clock is taken to run always");
        return quantity(domain, "defaultValue", frequency_units());
    }

    struct Core {
        std::int64_t number = 0;
        XmlElement definition;  // which ticks refer to
        double hertz = 0;
        double utilisation = 0;         // of the tasks put on it so far
        std::vector<XmlElement> tasks;  // put on it so far
        XmlElement uninterrupted = {};  // a group of one of them, if there is one
    };

    /// Numbered by the ends of their names if these are distinct numbers, otherwise in the order of the
    /// model.
    void find_cores() {
        auto units = processing_units("CPU");
        for (const XmlElement& core : old_cores()) {
            core.read();
            if (core.attribute("coreType") || !core.peek("coreType").empty()) {
                units.emplace_back(core, resolve(definitions_, core, "coreType"));
                continue;
            }
            core.read_all();
            core.note("element <cores> is ignored", "it has no type, so that tasks on it are left out");
        }
        std::set<std::int64_t> numbers;
        for (const auto& [unit, definition] : units) {
            const std::string name(unit.attribute_or("name", ""));
            const std::string digits = name.substr(name.find_last_not_of("0123456789") + 1);
            const std::int64_t number = parse_number<std::int64_t>(digits).value_or(-1);
            if (number >= 0) numbers.insert(number);
            if (!units_.emplace(name, unit).second) unit.fail("one core of each name", "a second one");
            cores_[name] = {number, definition, 0, 0, {}, {}};
        }
        if (numbers.size() == units.size()) return;
        std::int64_t position = 0;
        for (const auto& [unit, definition] : units)
            cores_[std::string(unit.attribute_or("name", ""))].number = position++;
    }

    /// The kind of a processing unit, given its definition, or the type of its core up to version 0.8.3.
    Unit unit_of(const XmlElement& definition, bool gpu) const {
        Unit unit{std::string(definition.attribute_or("name", "")), gpu, {}, &definitions_};
        if (definition.attribute("instructionsPerCycle"))
            unit.rates.emplace("Instructions", Rate{definition, "instructionsPerCycle"});
        for (const std::string& path : references(definition, "features")) {
            const XmlElement feature = feature_of(definition, path);
            const auto [rate, first] = unit.rates.emplace(path.substr(0, path.find('/')), Rate{feature});
            if (first) continue;
            definition.note("several features of a category", "the lowest is taken");
            if (number_of(feature, "value") < number_of(rate->second.element, rate->second.attribute))
                rate->second = Rate{feature};
        }
        return unit;
    }

    /// Of a name "category/feature".
    XmlElement feature_of(const XmlElement& definition, const std::string& path) const {
        const auto found = features_.find(path);
        if (found == features_.end())
            definition.fail("features of the model", fmt::format("'{}', which is not in the model", path));
        return found->second;
    }

    /// The first processing unit of type GPU, and its schedulers.
    void find_gpu() {
        const auto units = processing_units("GPU");
        if (units.empty()) {
            if (!options_.cpu) root_.fail("a processing unit of type GPU", "none");
            return;
        }
        std::tie(gpu_, gpu_definition_) = units.front();
        for (std::size_t i = 1; i < units.size(); ++i)
            units[i].first.note("second GPU", "tasks on it are left out");
        tasks_.gpu.warp_size = 32;
        tasks_.gpu.register_unit = 256;
        if (const XmlElement access = gpu_.child("accessElements")) {
            if (access.child("dataRate"))
                bytes_per_second_ = quantity(access, "dataRate",
                                             {{"bitPerSecond", 0.125},
                                              {"kbitPerSecond", 125},
                                              {"MbitPerSecond", 125e3},
                                              {"GbitPerSecond", 125e6},
                                              {"BPerSecond", 1},
                                              {"kBPerSecond", 1e3},
                                              {"MBPerSecond", 1e6},
                                              {"GBPerSecond", 1e9},
                                              {"KiBPerSecond", 1024},
                                              {"MiBPerSecond", 1024.0 * 1024},
                                              {"GiBPerSecond", 1024.0 * 1024 * 1024}});
        }
    }

    /// The value of the definition's feature in the category "SMs".
    std::size_t count_sms() const {
        for (const std::string& path : references(gpu_definition_, "features")) {
            if (!path.starts_with("SMs/")) continue;
            const XmlElement feature = feature_of(gpu_definition_, path);
            feature.parent().read();
            feature.read();
            const double value = number_of(feature, "value");
            if (!(value >= 1 && value <= 100'000) || value != std::floor(value))
                feature.fail("a whole number of SMs from 1 to 100000", fmt::format("{}", value));
            return static_cast<std::size_t>(value);
        }
        gpu_definition_.fail("a feature 'SMs/...' with the number of SMs", "none");
    }

    /// Of a task, or of the tasks that trigger it.
    std::vector<Activation> activations_of(const XmlElement& task) const {
        std::vector<Activation> result;
        std::set<std::string> seen;
        std::vector<XmlElement> open{task};
        for (std::size_t i = 0; i < open.size(); ++i) {
            const XmlElement from = open[i];
            const std::vector<std::string> names = references(from, "stimuli");
            if (names.empty() && from.child("stimuli"))
                from.fail("stimuli of this file", "a reference to another file");
            if (names.empty()) from.note("element <tasks> is ignored", "no stimulus starts it");
            for (const std::string& name : names) {
                const auto stimulus = stimuli_.find(name);
                if (stimulus == stimuli_.end())
                    from.fail("stimuli of the model", fmt::format("'{}', which is not in the model", name));
                stimulus->second.read();
                if (!seen.insert(name).second)
                    task.fail("each stimulus to start it once",
                              fmt::format("'{}' twice, or tasks that trigger each other in a cycle", name));
                const std::string_view type = stimulus_type(stimulus->second);
                const auto triggers = triggering_tasks_.find(name);
                if (is_timed(type)) {
                    if (triggers != triggering_tasks_.end())
                        stimulus->second.fail("tasks to trigger an InterProcessStimulus alone", type);
                    for (Activation& activation : activations_by(stimulus->second, type, options_.sporadic))
                        result.push_back(activation);
                    continue;
                }
                if (type != "InterProcessStimulus" || triggers == triggering_tasks_.end())
                    stimulus->second.fail("a stimulus with times, or a task that triggers this one",
                                          why_refused(type));
                if (const XmlElement counter = stimulus->second.child("counter")) {
                    counter.attribute("prescaler");
                    counter.attribute("offset");
                    counter.note("counter", "what it skips is counted at every time");
                }
                open.insert(open.end(), triggers->second.begin(), triggers->second.end());
            }
        }
        if (open.size() > 1) task.note("triggered task", "it is released with the task that triggers it");
        return result;
    }

    /// The processing units on which a task may run, or for which its scheduler is responsible.
    std::vector<std::string> units_for(const XmlElement& task) const {
        const auto allocation = allocation_of_.find(std::string(task.attribute_or("name", "")));
        if (allocation == allocation_of_.end()) return {};
        std::vector<std::string> names = affinity_of(allocation->second);
        if (const auto units = units_of_.find(scheduler_of(allocation->second));
            names.empty() && units != units_of_.end())
            names = units->second;
        return names;
    }

    bool on_gpu(const XmlElement& task) const {
        if (!gpu_) return false;
        const std::vector<std::string> units = units_for(task);
        const bool found =
            std::find(units.begin(), units.end(), gpu_.attribute_or("name", "")) != units.end();
        if (found && std::any_of(units.begin(), units.end(), [&](const std::string& name) {
                return name != gpu_.attribute_or("name", "");
            }))
            task.fail("the GPU or other processing units to run it", "both");
        return found;
    }

    /// Whether a GPU task is read with the CPU task that triggers it.
    bool with_its_trigger(const XmlElement& task) const {
        const std::vector<std::string> names = references(task, "stimuli");
        if (names.size() != 1) return false;
        const auto triggers = triggering_tasks_.find(names.front());
        const auto stimulus = stimuli_.find(names.front());
        return triggers != triggering_tasks_.end() && stimulus != stimuli_.end() &&
               stimulus_type(stimulus->second) == "InterProcessStimulus" &&
               std::all_of(triggers->second.begin(), triggers->second.end(), [&](const XmlElement& trigger) {
                   return !on_gpu(trigger) && !cores_for(trigger).empty();
               });
    }

    /// The common part of all operations of one activation.
    static Operation operation_of(const Activation& activation, std::int64_t stream) {
        Operation operation;
        operation.stream = stream;
        operation.release = activation.release;
        operation.period = activation.period;
        operation.deadline = activation.period;
        operation.jitter = activation.jitter;
        return operation;
    }

    void add_gpu_stream(const XmlElement& task) {
        const std::int64_t stream = ++streams_;
        const std::vector<Activation> activations = activations_of(task);
        if (activations.empty()) task.read_all();
        for (const Activation& activation : activations) add_gpu_task(task, operation_of(activation, stream));
    }

    /// Adds an operation with a unique name. If a runnable is called several times, all calls but the first
    /// have a number.
    void add(Operation operation, const XmlElement& task, const std::string& runnable) {
        const std::string name = fmt::format("{}/{}", task.attribute_or("name", ""), runnable);
        operation.name = name;
        for (int copy = 2; !names_.insert(operation.name).second; ++copy)
            operation.name = fmt::format("{} ({})", name, copy);
        tasks_.operations.push_back(std::move(operation));
    }

    void add_gpu_task(const XmlElement& task, const Operation& operation) {
        if (hertz_ == 0) {
            tasks_.gpu.sms.assign(count_sms(), {});
            hertz_ = frequency_of(gpu_);
        }
        read_task_attributes(task);
        const std::vector<Step> steps = work_.steps(task, unit_of(gpu_definition_, true));
        if (std::none_of(steps.begin(), steps.end(),
                         [](const Step& step) { return step.work.ticks > 0 || step.work.bytes > 0; }))
            task.fail(fmt::format("ticks for '{}' or label accesses in a task of the GPU",
                                  gpu_definition_.attribute_or("name", "")),
                      "none");
        for (const Step& step : steps) {
            if (step.kind == Step::Kind::wait) step.item.fail("no wait in a task of the GPU", "WaitEvent");
            Operation next = operation;
            if (step.work.ticks > 0) {
                next.time = rounded_up(step.item, step.work.ticks / hertz_ * 1e9);
                next.blocks = options_.blocks.value_or(static_cast<std::int64_t>(tasks_.gpu.sms.size()));
                next.threads = options_.threads.value_or(tasks_.gpu.sms.front().threads);
                add(next, task, step.name);
            } else if (step.work.bytes > 0 && options_.copies) {
                if (bytes_per_second_ <= 0) gpu_.fail("a dataRate for copies", "none");
                next.kind = OperationKind::copy;
                next.time = rounded_up(step.item, step.work.bytes / bytes_per_second_ * 1e9);
                add(next, task, step.name);
            }
        }
    }

    void read_task_attributes(const XmlElement& task) const {
        task.attribute("stimuli");
        task.attribute("preemption");
        if (task.attribute("multipleTaskActivationLimit"))
            task.note("multipleTaskActivationLimit", "every activation is kept, however many there are");
    }

    std::vector<std::string> cores_for(const XmlElement& task) const {
        std::vector<std::string> names = units_for(task);
        std::erase_if(names, [&](const std::string& name) { return !cores_.contains(name); });
        return names;
    }

    /// The core with the least load so far, and the first of several; nothing if the task is allocated to no
    /// core.
    Core* core_of(const XmlElement& task) {
        const std::vector<std::string> names = cores_for(task);
        if (names.empty()) return nullptr;
        if (names.size() > 1)
            task.note("several cores", "the task stays on the one with the least load so far");
        Core* best = nullptr;
        for (const std::string& name : names) {
            Core& core = cores_.at(name);
            if (best != nullptr && core.utilisation >= best->utilisation) continue;
            best = &core;
            best->hertz = frequency_of(units_.at(name));
        }
        return best;
    }

    std::int32_t priority_of(const XmlElement& task) {
        const XmlElement allocation = allocation_of_.at(std::string(task.attribute_or("name", "")));
        check_scheduler(allocation);
        // Up to version 0.8.0 the allocation has the attribute itself, and it overwrites that of the task.
        // The default is 0, which only some tools write.
        std::optional<std::int32_t> result;
        const auto take = [&](const XmlElement& from, const char* attribute, std::string_view text) {
            const auto value = parse_number<std::int32_t>(text);
            if (!value)
                from.fail(fmt::format("a whole number in attribute '{}'", attribute),
                          fmt::format("'{}'", text));
            if (*value != 0 || !result) result = *value;
        };
        for (const XmlElement& from : {task, allocation})
            if (const auto priority = from.attribute("priority")) take(from, "priority", *priority);
        for (const XmlElement& parameter : allocation.children("schedulingParameters")) {
            if (const auto priority = parameter.attribute("priority")) take(parameter, "priority", *priority);
            // From version 2.0 on there is one element per parameter.
            const std::string key = referenced_name(parameter.attribute_or("key", ""));
            const XmlElement value = key == "priority" ? parameter.child("value") : XmlElement();
            if (value) {
                type_of(value);
                take(value, "value", value.attribute_or("value", "0"));
            } else if (!key.empty()) {
                parameter.read_all();
                parameter.note(fmt::format("scheduling parameter '{}'", key), "it is ignored");
            }
        }
        if (!result) unranked_.push_back(task);
        return result.value_or(0);
    }

    /// Cores follow fixed priorities with preemption.
    void check_scheduler(const XmlElement& allocation) const {
        const std::string name = scheduler_of(allocation);
        const auto scheduler = schedulers_.find(name);
        if (scheduler == schedulers_.end()) {
            allocation.note("scheduler",
                            "the model has none of that name: fixed priorities with preemption are assumed");
            return;
        }
        std::string algorithm = referenced_name(scheduler->second.attribute_or("definition", ""));
        if (const XmlElement found = scheduler->second.child("schedulingAlgorithm"))
            algorithm = type_of(found);
        if (const XmlElement parent = scheduler->second.child("parentAssociation"))
            parent.fail("schedulers without a parent", "<parentAssociation>");
        if (algorithm.empty())
            scheduler->second.note("scheduler without an algorithm",
                                   "fixed priorities with preemption are assumed");
        else if (algorithm != "FixedPriorityPreemptive" && algorithm != "OSEK")
            scheduler->second.fail("an algorithm with fixed priorities and preemption on a core",
                                   fmt::format("'{}'", algorithm));
    }

    /// The runnables of a task on the CPU in their order, and its GPU tasks at the position of their
    /// triggers.
    void add_cpu_task(const XmlElement& task) {
        Core* const core = core_of(task);
        if (core == nullptr) {
            task.read_all();
            task.note("element <tasks> is ignored", "it is allocated to no core and not to the first GPU");
            return;
        }
        read_task_attributes(task);
        const std::vector<Activation> activations = activations_of(task);
        if (activations.empty()) return task.read_all();
        core->tasks.push_back(task);
        const std::int32_t priority = priority_of(task);
        const std::int64_t stream = ++streams_;
        for (const Activation& activation : activations)
            add_cpu_stream(task, *core, priority, operation_of(activation, stream));
    }

    void add_cpu_stream(const XmlElement& task, Core& core, std::int32_t priority,
                        const Operation& operation) {
        Operation segment = operation;
        segment.kind = OperationKind::cpu;
        segment.core = core.number;
        segment.priority = priority;
        std::size_t last = no_segment;     // segment of this task
        std::size_t keeper = no_segment;   // the last one, if an active wait follows it
        std::set<std::string> set_events;  // by GPU tasks that have been triggered
        for (const Step& step : work_.steps(task, unit_of(core.definition, false))) {
            if (step.kind == Step::Kind::trigger) {
                trigger(step.item, operation, core, segment, set_events);
            } else if (step.kind == Step::Kind::wait) {
                check_wait(step.item, set_events);
                if (step.item.attribute_or("waitingBehaviour", "passive") != "active") continue;
                if (last == no_segment) task.fail("a runnable on its core before the active wait", "none");
                keeper = last;
            } else if (step.work.ticks > 0) {
                if (step.work.uninterrupted) core.uninterrupted = step.work.uninterrupted;
                segment.time = rounded_up(step.item, step.work.ticks / core.hertz * 1e9);
                core.utilisation += static_cast<double>(segment.time) /
                                    static_cast<double>(segment.period.value_or(segment.time));
                if (keeper != no_segment) tasks_.operations[keeper].keeps_core = true;
                keeper = no_segment;
                last = tasks_.operations.size();
                add(segment, task, step.name);
            }
        }
        if (keeper != no_segment) task.fail("a runnable on its core behind the active wait", "none");
    }

    /// GPU tasks that this starts become a part of the stream. `segment`: a CPU segment of the stream.
    void trigger(const XmlElement& item, const Operation& operation, const Core& core,
                 const Operation& segment, std::set<std::string>& set_events) {
        referenced(stimuli_, item, "stimulus");
        const std::string name = references(item, "stimulus").front();
        bool starts = false;
        for (const XmlElement& other : root_.child("swModel").children("tasks")) {
            const std::vector<std::string> stimuli = references(other, "stimuli");
            starts |= std::find(stimuli.begin(), stimuli.end(), name) != stimuli.end();
            if (!on_gpu(other) || !with_its_trigger(other) || stimuli.front() != name) continue;
            stimuli_.at(name).read();
            type_of(stimuli_.at(name));
            const std::size_t first = tasks_.operations.size();
            add_gpu_task(other, operation);
            if (options_.variants) add_core_variant(other, core, segment, first);
            for (const XmlElement& set : items_inside(other, "SetEvent"))
                for (const std::string& event : events_of(set)) set_events.insert(event);
        }
        if (!starts) item.note("trigger", fmt::format("no task has its stimulus '{}'", name));
    }

    /// Makes the operations from `first` on the variant "GPU" of that task, and adds the variant "core".
    void add_core_variant(const XmlElement& task, const Core& core, const Operation& segment,
                          std::size_t first) {
        std::vector<Step> steps;
        try {
            steps = work_.steps(task, unit_of(core.definition, false));
        } catch (const InputError&) {
            // The model lacks the ticks of some runnable for the core.
        }
        std::erase_if(steps, [](const Step& step) { return !(step.work.ticks > 0); });
        if (steps.empty())
            return task.note("no variant on a core",
                             "its runnables have no ticks for the core of its trigger");
        const std::string choice(task.attribute_or("name", ""));
        for (std::size_t i = first; i < tasks_.operations.size(); ++i) {
            tasks_.operations[i].choice = choice;
            tasks_.operations[i].variant = "GPU";
        }
        for (const Step& step : steps) {
            Operation next = segment;
            next.time = rounded_up(step.item, step.work.ticks / core.hertz * 1e9);
            next.choice = choice;
            next.variant = "core";
            add(next, task, step.name + " on the core");
        }
    }

    static std::vector<std::string> events_of(const XmlElement& item) {
        return referenced_names(item.child("eventMask").attribute_or("events", ""));
    }

    static void check_wait(const XmlElement& item, const std::set<std::string>& set_events) {
        for (const std::string& event : events_of(item))
            if (!set_events.contains(event))
                item.fail("a wait for events that a GPU task sets which this task has triggered",
                          fmt::format("'{}'", event));
    }

    /// Tasks without a priority that share a core.
    void check_priorities() const {
        for (const auto& [name, core] : cores_)
            for (const XmlElement& task : core.tasks)
                if (core.tasks.size() > 1 &&
                    std::find(unranked_.begin(), unranked_.end(), task) != unranked_.end())
                    task.note("task without a priority",
                              "it counts as 0, and tasks of one priority follow in "
                              "order of release");
    }

    /// Throws for work that is not preempted, because the delay of other tasks on its core is not modelled.
    void check_preemption() const {
        for (const auto& [name, core] : cores_)
            for (const XmlElement& task : core.tasks)
                if (const std::string_view preemption = task.attribute_or("preemption", "preemptive");
                    preemption != "preemptive" && preemption != "unknown" && core.tasks.size() > 1)
                    task.fail("preemption=\"preemptive\" where several tasks share a core",
                              fmt::format("'{}'", preemption));
        for (const auto& [name, core] : cores_)
            if (core.uninterrupted && core.tasks.size() > 1)
                core.uninterrupted.fail("interruptible=\"true\" where several tasks share a core", "'false'");
        // Up to version 0.8.0 tasks of one group do not preempt each other.
        for (const auto& [name, core] : cores_) {
            std::set<std::string_view> groups;
            for (const XmlElement& task : core.tasks)
                if (const std::string_view group = task.attribute_or("osekTaskGroup", "0");
                    group != "0" && !groups.insert(group).second)
                    task.fail("tasks of a core in different groups",
                              fmt::format("osekTaskGroup '{}' twice", group));
        }
    }

    const XmlElement root_;
    const AmaltheaOptions& options_;
    WorkReader work_;
    XmlElement gpu_, gpu_definition_;
    Elements tasks_by_name_, stimuli_, domains_, schedulers_;
    Elements definitions_;  // of processing units, and the types of cores up to version 0.8.3
    Elements features_;     // by "category/feature"
    std::map<std::string, XmlElement> units_;                          // cores by name
    std::map<std::string, std::vector<std::string>> units_of_;         // of each scheduler
    std::map<std::string, XmlElement> allocation_of_;                  // of each task
    std::map<std::string, std::vector<XmlElement>> triggering_tasks_;  // of each inter-process stimulus
    std::set<std::string> allocated_interrupts_, unit_names_, names_;
    std::map<std::string, Core> cores_;  // by name
    std::vector<XmlElement> unranked_;   // tasks without a priority
    double hertz_ = 0;                   // of the GPU, once a task is on it
    double bytes_per_second_ = 0;
    std::int64_t streams_ = 0;
    TaskSet tasks_;
};

}  // namespace
}  // namespace amalthea

TaskSet read_amalthea(std::string_view text, const std::string& source, const AmaltheaOptions& options) {
    TaskSet tasks = read_xml(
        text, source, [&](const XmlElement& root) { return amalthea::AmaltheaReader(root, options).read(); },
        amalthea::ignored, options.warnings);
    validate_from(tasks, source);
    return tasks;
}

}  // namespace warpnet::netgen

#include "netgen/blocks/amalthea.hpp"

#include "engine/base/parse_number.hpp"
#include "engine/input/xml.hpp"
#include "engine/net/error.hpp"
#include "netgen/blocks/amalthea_ignored.hpp"
#include "netgen/blocks/amalthea_work.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace warpnet {

namespace amalthea {
namespace {

constexpr std::size_t no_segment = static_cast<std::size_t>(-1);
constexpr double oldest_version = 9.3;  // of 0.x: before it hardware was described in another way

const std::map<std::string, double, std::less<>>& time_units() {
    static const std::map<std::string, double, std::less<>> units = {
        {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"ps", 1e-3}};
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
                task.read_all();
            }
        }
        check_preemption();
        if (tasks_.operations.empty())
            root_.fail(options_.cpu ? "tasks with ticks that are allocated to a core or the GPU"
                                    : "tasks with ticks that are allocated to the GPU",
                       "none");
        return std::move(tasks_);
    }

  private:
    /// Also refuses whatever is no AMALTHEA model.
    static void check_version(const XmlElement& root) {
        const std::string_view name = root.name();
        const std::string_view local = name.substr(name.find(':') + 1);
        if (local != "Amalthea" && local != "AMALTHEA")
            root.fail("an AMALTHEA model", fmt::format("element <{}>", name));
        const std::string prefix =
            name == local ? "xmlns" : "xmlns:" + std::string(name.substr(0, name.find(':')));
        const std::string_view space = root.attribute_or(prefix.c_str(), "");
        const std::string_view version = space.substr(space.rfind('/') + 1);
        const bool old = version.starts_with("0.") &&
                         parse_number<double>(version.substr(2)).value_or(oldest_version) < oldest_version;
        if (local == "AMALTHEA" || old)
            root.fail("a model of AMALTHEA version 0.9.3 or later, to which APP4MC converts older ones",
                      fmt::format("'{}'", space));
    }

    void index_elements() {
        const XmlElement software = root_.child("swModel");
        const XmlElement hardware = root_.child("hwModel");
        const XmlElement mapping = root_.child("mappingModel");
        tasks_by_name_ = software.by_name("tasks");
        stimuli_ = root_.child("stimuliModel").by_name("stimuli");
        definitions_ = hardware.by_name("definitions");
        domains_ = hardware.by_name("domains");
        categories_ = hardware.peek("featureCategories");
        for (const XmlElement& system : root_.child("osModel").children("operatingSystems"))
            for (const XmlElement& scheduler : system.children("taskSchedulers"))
                schedulers_.emplace(scheduler.attribute_or("name", ""), scheduler);
        for (const XmlElement& allocation : mapping.children("schedulerAllocation")) {
            std::vector<std::string>& units =
                units_of_[referenced_name(allocation.attribute_or("scheduler", ""))];
            for (std::string& unit : referenced_names(allocation.attribute_or("responsibility", "")))
                units.push_back(std::move(unit));
        }
        for (const XmlElement& allocation : mapping.children("taskAllocation")) {
            resolve(tasks_by_name_, allocation, "task");
            allocation.attribute("scheduler");
            allocation.attribute("affinity");
            const std::string task = referenced_name(*allocation.attribute("task"));
            if (!allocation_of_.emplace(task, allocation).second)
                allocation.fail("one allocation of each task", "a second one");
        }
        for (const XmlElement& allocation : mapping.children("isrAllocation")) {
            allocation.attribute("controller");
            allocation.attribute("priority");
            allocated_interrupts_.insert(referenced_name(allocation.attribute_or("isr", "")));
        }
        // What an InterProcessTrigger starts: the tasks that contain it.
        for (const XmlElement& task : software.children("tasks"))
            for (const XmlElement& item : inside(task, "InterProcessTrigger"))
                triggering_tasks_[referenced_name(item.attribute_or("stimulus", ""))].push_back(task);
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
                if (!module.attribute("definition") && !module.child("definition")) {
                    module.read_all();
                    module.note("element <modules> is ignored",
                                "it has no definition, so that tasks on it are left out");
                    continue;
                }
                module.attribute("frequencyDomain");
                const XmlElement definition = resolve(definitions_, module, "definition");
                type_of(definition);
                definition.attribute("features");
                if (definition.attribute_or("puType", "") == type) units.emplace_back(module, definition);
            }
            std::vector<XmlElement> inner = structure.children("structures");
            open.insert(open.end(), inner.rbegin(), inner.rend());
        }
        return units;
    }

    double frequency_of(const XmlElement& unit) const {
        const XmlElement domain = resolve(domains_, unit, "frequencyDomain");
        type_of(domain);
        return quantity(domain, "defaultValue", {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}});
    }

    struct Core {
        std::int64_t number = 0;
        std::string definition;  // name, which ticks refer to
        double hertz = 0;
        double utilisation = 0;         // of the tasks put on it so far
        std::vector<XmlElement> tasks;  // put on it so far
    };

    /// Numbered as their names end, where these are different numbers; else in the order of the model.
    void find_cores() {
        const auto units = processing_units("CPU");
        std::set<std::int64_t> numbers;
        for (const auto& [unit, definition] : units) {
            const std::string name(unit.attribute_or("name", ""));
            const std::string digits = name.substr(name.find_last_not_of("0123456789") + 1);
            const std::int64_t number = parse_number<std::int64_t>(digits).value_or(-1);
            if (number >= 0) numbers.insert(number);
            cores_[name] = {number, std::string(definition.attribute_or("name", "")), 0, 0, {}};
            units_.emplace(name, unit);
        }
        if (numbers.size() == units.size()) return;
        std::int64_t position = 0;
        for (const auto& [unit, definition] : units)
            cores_[std::string(unit.attribute_or("name", ""))].number = position++;
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
        const std::string name(gpu_.attribute_or("name", ""));
        for (const auto& [scheduler, responsible] : units_of_)
            if (std::find(responsible.begin(), responsible.end(), name) != responsible.end())
                gpu_schedulers_.insert(scheduler);
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
        for (const std::string& path : referenced_names(gpu_definition_.attribute_or("features", ""))) {
            const std::size_t slash = path.find('/');
            if (slash == std::string::npos || path.substr(0, slash) != "SMs") continue;
            for (const XmlElement& category : categories_) {
                const Elements features = category.by_name("features");
                const auto feature = features.find(path.substr(slash + 1));
                if (feature == features.end()) continue;
                category.read();
                feature->second.read();
                const double value = number_of(feature->second, "value");
                if (!(value >= 1 && value <= 100'000))
                    feature->second.fail("1 to 100000 SMs", fmt::format("{}", value));
                return static_cast<std::size_t>(value);
            }
        }
        gpu_definition_.fail("a feature 'SMs/...' with the number of SMs", "none");
    }

    static Time rounded_up(const XmlElement& at, double nanoseconds) {
        // Products of decimal figures that mean a whole number are off by rounding only.
        const double rounded = std::ceil(nanoseconds - 1e-6);
        if (!(rounded < 4e18)) at.fail("a time that a 64-bit number of nanoseconds holds", "a longer one");
        return std::max<Time>(1, static_cast<Time>(rounded));
    }

    /// When a task begins.
    struct Activation {
        Time release = 0;
        std::optional<Time> period = {};
        std::string stimulus;
    };

    static Activation activation_of(const XmlElement& stimulus, std::string_view type) {
        Activation result;
        result.stimulus = stimulus.attribute_or("name", "");
        const char* const begin = type == "SingleStimulus" ? "occurrence" : "offset";
        if (const XmlElement offset = stimulus.child(begin)) {
            offset.attribute("unit");
            if (number_of(offset, "value") != 0)
                result.release = rounded_up(stimulus, quantity(stimulus, begin, time_units()));
        }
        if (type == "PeriodicStimulus") {
            result.period = rounded_up(stimulus, quantity(stimulus, "recurrence", time_units()));
            if (const XmlElement jitter = stimulus.child("jitter"))
                jitter.fail("releases without jitter", "<jitter>: what it delays is not modelled");
        }
        return result;
    }

    /// Of a task, or of the ones that trigger it.
    std::vector<Activation> activations_of(const XmlElement& task) const {
        std::vector<Activation> result;
        std::set<std::string> seen;
        std::vector<XmlElement> open{task};
        for (std::size_t i = 0; i < open.size(); ++i) {
            const XmlElement from = open[i];
            const std::vector<std::string> names = referenced_names(from.attribute_or("stimuli", ""));
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
                const std::string_view type = type_of(stimulus->second);
                if (type == "PeriodicStimulus" || type == "SingleStimulus") {
                    result.push_back(activation_of(stimulus->second, type));
                    continue;
                }
                const auto triggers = triggering_tasks_.find(name);
                if (triggers == triggering_tasks_.end())
                    stimulus->second.fail("a periodic or single stimulus, or a task that triggers this one",
                                          fmt::format("{}", type.empty() ? "one without a type" : type));
                open.insert(open.end(), triggers->second.begin(), triggers->second.end());
            }
        }
        if (open.size() > 1) task.note("triggered task", "it is released with the task that triggers it");
        return result;
    }

    bool on_gpu(const XmlElement& task) const {
        const auto allocation = allocation_of_.find(std::string(task.attribute_or("name", "")));
        return allocation != allocation_of_.end() &&
               gpu_schedulers_.contains(referenced_name(allocation->second.attribute_or("scheduler", "")));
    }

    /// Whether a GPU task is read with the CPU task that triggers it.
    bool with_its_trigger(const XmlElement& task) const {
        const std::vector<std::string> names = referenced_names(task.attribute_or("stimuli", ""));
        if (names.size() != 1) return false;
        const auto triggers = triggering_tasks_.find(names.front());
        return triggers != triggering_tasks_.end() &&
               std::all_of(triggers->second.begin(), triggers->second.end(), [&](const XmlElement& trigger) {
                   return !on_gpu(trigger) && !cores_for(trigger).empty();
               });
    }

    /// What all operations of one activation share.
    static Operation operation_of(const Activation& activation, std::int64_t stream) {
        Operation operation;
        operation.stream = stream;
        operation.release = activation.release;
        operation.period = activation.period;
        operation.deadline = activation.period;
        return operation;
    }

    void add_gpu_stream(const XmlElement& task) {
        const std::int64_t stream = ++streams_;
        const std::vector<Activation> activations = activations_of(task);
        if (activations.empty()) task.read_all();
        for (const Activation& activation : activations) add_gpu_task(task, operation_of(activation, stream));
    }

    /// A name of its own: of several calls of one runnable all but the first have a number.
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
        const std::string definition(gpu_definition_.attribute_or("name", ""));
        for (const Step& step : work_.steps(task, {definition, true})) {
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
    }

    /// The cores that a task may run on, or that its scheduler is responsible for.
    std::vector<std::string> cores_for(const XmlElement& task) const {
        const auto allocation = allocation_of_.find(std::string(task.attribute_or("name", "")));
        if (allocation == allocation_of_.end()) return {};
        std::vector<std::string> names = referenced_names(allocation->second.attribute_or("affinity", ""));
        if (const auto units =
                units_of_.find(referenced_name(allocation->second.attribute_or("scheduler", "")));
            names.empty() && units != units_of_.end())
            names = units->second;
        std::erase_if(names, [&](const std::string& name) { return !cores_.contains(name); });
        return names;
    }

    /// The least loaded one so far, of equals the first; nothing if the task is allocated to no core.
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

    std::int32_t priority_of(const XmlElement& task) const {
        const XmlElement allocation = allocation_of_.at(std::string(task.attribute_or("name", "")));
        check_scheduler(allocation);
        const XmlElement parameters = allocation.child("schedulingParameters");
        if (!parameters) return 0;
        const auto priority = parameters.attribute("priority");
        if (!priority) return 0;
        const auto value = parse_number<std::int32_t>(*priority);
        if (!value) parameters.fail("a whole number in attribute 'priority'", fmt::format("'{}'", *priority));
        return *value;
    }

    /// Cores follow fixed priorities with preemption.
    void check_scheduler(const XmlElement& allocation) const {
        const std::string name = referenced_name(allocation.attribute_or("scheduler", ""));
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

    /// Its runnables on the CPU in their order, and what it triggers on the GPU where it does.
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
        std::size_t keeper = no_segment;   // the last one, where an active wait follows it
        std::set<std::string> set_events;  // by GPU tasks that have been triggered
        for (const Step& step : work_.steps(task, {core.definition, false})) {
            if (step.kind == Step::Kind::trigger) {
                trigger(step.item, operation, set_events);
            } else if (step.kind == Step::Kind::wait) {
                check_wait(step.item, set_events);
                if (step.item.attribute_or("waitingBehaviour", "passive") != "active") continue;
                if (last == no_segment) task.fail("a runnable on its core before the active wait", "none");
                keeper = last;
            } else if (step.work.ticks > 0) {
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

    /// GPU tasks that this starts become a part of the stream.
    void trigger(const XmlElement& item, const Operation& operation, std::set<std::string>& set_events) {
        const std::string name = referenced_name(item.attribute_or("stimulus", ""));
        if (!stimuli_.contains(name)) resolve(stimuli_, item, "stimulus");
        for (const XmlElement& other : root_.child("swModel").children("tasks")) {
            if (!on_gpu(other) || !with_its_trigger(other) ||
                referenced_names(other.attribute_or("stimuli", "")).front() != name)
                continue;
            stimuli_.at(name).read();
            type_of(stimuli_.at(name));
            add_gpu_task(other, operation);
            for (const XmlElement& set : inside(other, "SetEvent"))
                for (const std::string& event : events_of(set)) set_events.insert(event);
        }
    }

    /// The items of a type in a task, in any depth.
    static std::vector<XmlElement> inside(const XmlElement& task, std::string_view type) {
        std::vector<XmlElement> found;
        std::vector<XmlElement> open{task};
        while (!open.empty()) {
            const XmlElement element = open.back();
            open.pop_back();
            const std::vector<XmlElement> inner = element.peek();
            open.insert(open.end(), inner.begin(), inner.end());
            if (type_of(element) == type) found.push_back(element);
        }
        return found;
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

    /// A task that is not preempted delays those of its core in a way that is not modelled.
    void check_preemption() const {
        for (const auto& [name, core] : cores_)
            for (const XmlElement& task : core.tasks)
                if (const std::string_view preemption = task.attribute_or("preemption", "preemptive");
                    preemption != "preemptive" && core.tasks.size() > 1)
                    task.fail("preemption=\"preemptive\" where several tasks share a core",
                              fmt::format("'{}'", preemption));
    }

    const XmlElement root_;
    const AmaltheaOptions& options_;
    WorkReader work_;
    XmlElement gpu_, gpu_definition_;
    Elements tasks_by_name_, stimuli_, definitions_, domains_, schedulers_;
    std::vector<XmlElement> categories_;
    std::map<std::string, XmlElement> units_;                          // cores by name
    std::map<std::string, std::vector<std::string>> units_of_;         // of each scheduler
    std::map<std::string, XmlElement> allocation_of_;                  // of each task
    std::map<std::string, std::vector<XmlElement>> triggering_tasks_;  // of each inter-process stimulus
    std::set<std::string> allocated_interrupts_, gpu_schedulers_, names_;
    std::map<std::string, Core> cores_;  // by name
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

}  // namespace warpnet

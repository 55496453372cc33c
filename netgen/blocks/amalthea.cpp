#include "netgen/blocks/amalthea.hpp"

#include "engine/net/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

namespace warpnet {
namespace {

constexpr std::size_t no_segment = static_cast<std::size_t>(-1);

/// A reference reads "Name?type=Kind"; names are percent-encoded there.
std::string referenced_name(std::string_view reference) {
    reference = reference.substr(0, reference.find('?'));
    std::string name;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        unsigned code = 0;
        const char* digits = reference.data() + i + 1;
        if (reference[i] == '%' && i + 2 < reference.size() &&
            std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
            name.push_back(static_cast<char>(code));
            i += 2;
        } else {
            name.push_back(reference[i] == '+' ? ' ' : reference[i]);
        }
    }
    return name;
}

std::vector<std::string> referenced_names(const char* references) {
    std::vector<std::string> names;
    std::string_view rest = references;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (end > 0) names.push_back(referenced_name(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return names;
}

class AmaltheaReader {
  public:
    AmaltheaReader(const std::string& source, const AmaltheaOptions& options)
        : source_(source), options_(options) {}

    TaskSet read(std::string_view text) {
        const pugi::xml_parse_result parsed = document_.load_buffer(text.data(), text.size());
        if (!parsed)
            throw InputError(fmt::format("{}: offset {}: {}", source_, parsed.offset, parsed.description()));
        root_ = document_.document_element();
        if (std::strcmp(local_name(root_), "Amalthea") != 0)
            throw InputError(
                fmt::format("{}: expected an AMALTHEA model, found element <{}>", source_, root_.name()));
        software_ = root_.child("swModel");
        index_nodes();
        find_gpu();
        if (options_.cpu) find_cores();
        for (const pugi::xml_node task : software_.children("tasks")) {
            if (done_.count(task.attribute("name").value()) > 0) continue;
            if (on_gpu(task)) {
                if (!options_.cpu || !with_its_trigger(task)) add_gpu_task(task, begin_stream(task));
            } else if (options_.cpu) {
                add_cpu_task(task);
            }
        }
        if (!has_gpu_task_)
            throw InputError(fmt::format("{}: expected tasks allocated to the GPU '{}', found none", source_,
                                         gpu_.attribute("name").value()));
        return std::move(tasks_);
    }

  private:
    static const char* local_name(const pugi::xml_node& node) {
        const char* colon = std::strchr(node.name(), ':');
        return colon == nullptr ? node.name() : colon + 1;
    }

    [[noreturn]] void fail(const pugi::xml_node& node, const std::string& expected) const {
        throw InputError(fmt::format("{}: <{}> '{}' at offset {}: {}", source_, node.name(),
                                     node.attribute("name").value(), node.offset_debug(), expected));
    }

    static bool is_type(const pugi::xml_node& node, const char* type) {
        return std::strcmp(node.attribute("xsi:type").value(), type) == 0;
    }

    const pugi::xml_node& resolve(const std::map<std::string, pugi::xml_node>& nodes,
                                  const pugi::xml_node& from, const char* attribute) const {
        const std::string name = referenced_name(from.attribute(attribute).value());
        const auto found = nodes.find(name);
        if (found == nodes.end()) fail(from, fmt::format("{} '{}' is not in the model", attribute, name));
        return found->second;
    }

    static std::map<std::string, pugi::xml_node> by_name(const pugi::xml_node& parent, const char* element) {
        std::map<std::string, pugi::xml_node> nodes;
        for (const pugi::xml_node node : parent.children(element))
            nodes.emplace(node.attribute("name").value(), node);
        return nodes;
    }

    void index_nodes() {
        runnables_ = by_name(software_, "runnables");
        labels_ = by_name(software_, "labels");
        stimuli_ = by_name(root_.child("stimuliModel"), "stimuli");
        definitions_ = by_name(root_.child("hwModel"), "definitions");
        domains_ = by_name(root_.child("hwModel"), "domains");
        for (const pugi::xml_node allocation : root_.child("mappingModel").children("taskAllocation")) {
            const std::string task = referenced_name(allocation.attribute("task").value());
            scheduler_of_[task] = referenced_name(allocation.attribute("scheduler").value());
            allocation_of_[task] = allocation;
        }
        // What an InterProcessTrigger starts: the task that contains it.
        for (const pugi::xml_node task : software_.children("tasks"))
            for (const pugi::xml_node item : items_of(task))
                if (is_type(item, "am:InterProcessTrigger"))
                    triggering_task_.emplace(referenced_name(item.attribute("stimulus").value()), task);
    }

    /// Calls visit(element) for the elements of a name in a node, and for those in these, in the order of the
    /// file. They may nest as deep as they like.
    template <class Visit>
    static void for_each_nested(const pugi::xml_node& top, const char* name, Visit&& visit) {
        pugi::xml_node at = top.child(name);
        while (at) {
            visit(at);
            pugi::xml_node next = at.child(name);
            for (; !next && at != top; at = at.parent()) next = at.next_sibling(name);
            at = next;
        }
    }

    /// All items of a task or runnable in order, groups opened.
    static std::vector<pugi::xml_node> items_of(const pugi::xml_node& node) {
        std::vector<pugi::xml_node> items;
        for_each_nested(node.child("activityGraph"), "items",
                        [&](const pugi::xml_node& item) { items.push_back(item); });
        return items;
    }

    /// Processing units of a type, with their definitions.
    std::vector<std::pair<pugi::xml_node, pugi::xml_node>> processing_units(const char* type) const {
        std::vector<std::pair<pugi::xml_node, pugi::xml_node>> units;
        for_each_nested(root_.child("hwModel"), "structures", [&](const pugi::xml_node& structure) {
            for (const pugi::xml_node module : structure.children("modules")) {
                if (!is_type(module, "am:ProcessingUnit")) continue;
                const auto definition =
                    definitions_.find(referenced_name(module.attribute("definition").value()));
                if (definition != definitions_.end() &&
                    std::strcmp(definition->second.attribute("puType").value(), type) == 0)
                    units.emplace_back(module, definition->second);
            }
        });
        return units;
    }

    double frequency_of(const pugi::xml_node& unit) const {
        return quantity(resolve(domains_, unit, "frequencyDomain").child("defaultValue"),
                        {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}});
    }

    struct Core {
        std::int64_t number = 0;
        std::string definition;  // name, which ticks refer to
        double hertz = 0;
        double utilisation = 0;  // of the tasks put on it so far
    };

    /// Numbered as their names end, where these are different numbers; else in the order of the model.
    void find_cores() {
        const auto units = processing_units("CPU");
        std::set<std::int64_t> numbers;
        for (const auto& [unit, definition] : units) {
            const std::string name = unit.attribute("name").value();
            std::int64_t number = -1;
            const char* digits = name.c_str() + name.find_last_not_of("0123456789") + 1;
            std::from_chars(digits, name.c_str() + name.size(), number);
            if (number >= 0) numbers.insert(number);
            cores_[name] = {number, definition.attribute("name").value(), frequency_of(unit), 0};
        }
        if (numbers.size() == units.size()) return;
        std::int64_t position = 0;
        for (const auto& [unit, definition] : units)
            cores_[unit.attribute("name").value()].number = position++;
    }

    /// The first processing unit of type GPU, its schedulers, its SMs and its frequency.
    void find_gpu() {
        if (const auto units = processing_units("GPU"); !units.empty())
            std::tie(gpu_, gpu_definition_) = units.front();
        if (!gpu_) throw InputError(source_ + ": expected a processing unit of type GPU, found none");

        const std::string name = gpu_.attribute("name").value();
        for (const pugi::xml_node allocation : root_.child("mappingModel").children("schedulerAllocation")) {
            const auto units = referenced_names(allocation.attribute("responsibility").value());
            if (std::find(units.begin(), units.end(), name) != units.end())
                gpu_schedulers_.insert(referenced_name(allocation.attribute("scheduler").value()));
        }
        tasks_.unit = "ns";
        tasks_.gpu.sms.assign(count_sms(), {});
        tasks_.gpu.warp_size = 32;
        tasks_.gpu.register_unit = 256;
        hertz_ = frequency_of(gpu_);
        if (const pugi::xml_node rate = gpu_.child("accessElements").child("dataRate"))
            bytes_per_second_ = quantity(rate, {{"bitPerSecond", 0.125},
                                                {"kbitPerSecond", 125},
                                                {"MbitPerSecond", 125e3},
                                                {"GbitPerSecond", 125e6},
                                                {"BPerSecond", 1},
                                                {"kBPerSecond", 1e3},
                                                {"MBPerSecond", 1e6},
                                                {"GBPerSecond", 1e9}});
    }

    /// The value of the definition's feature in the category "SMs".
    std::size_t count_sms() const {
        for (const std::string& path : referenced_names(gpu_definition_.attribute("features").value())) {
            const std::size_t slash = path.find('/');
            if (slash == std::string::npos || path.substr(0, slash) != "SMs") continue;
            for (const pugi::xml_node category : root_.child("hwModel").children("featureCategories"))
                for (const pugi::xml_node feature : category.children("features"))
                    if (path.substr(slash + 1) == feature.attribute("name").value()) {
                        const double value = feature.attribute("value").as_double();
                        if (!(value >= 1 && value <= 100'000)) fail(feature, "expected 1 to 100000 SMs");
                        return static_cast<std::size_t>(value);
                    }
        }
        fail(gpu_definition_, "expected a feature 'SMs/...' with the number of SMs, found none");
    }

    double quantity(const pugi::xml_node& node, const std::map<std::string, double>& units) const {
        const auto unit = units.find(node.attribute("unit").value());
        const double value = node.attribute("value").as_double(-1);
        if (unit == units.end() || !(value > 0))
            fail(node.parent(),
                 fmt::format("expected <{}> with a positive value and a known unit, found '{} {}'",
                             node.empty() ? "?" : node.name(), node.attribute("value").value(),
                             node.attribute("unit").value()));
        return value * unit->second;
    }

    Time rounded_up(const pugi::xml_node& node, double nanoseconds) const {
        // Products of decimal figures that mean a whole number are off by rounding only.
        const double rounded = std::ceil(nanoseconds - 1e-6);
        if (!(rounded < 4e18)) fail(node, "expected a time that a 64-bit number of nanoseconds holds");
        return std::max<Time>(1, static_cast<Time>(rounded));
    }

    static const std::map<std::string, double>& time_units() {
        static const std::map<std::string, double> units = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
        return units;
    }

    /// Period and offset of the task, or of the one that triggers it.
    void set_period(const pugi::xml_node& task, Operation& operation) const {
        pugi::xml_node from = task;
        std::set<std::string> seen;
        for (;;) {
            if (!seen.insert(from.attribute("name").value()).second)
                fail(task, "is triggered by tasks that trigger each other in a cycle");
            const pugi::xml_node stimulus = resolve(stimuli_, from, "stimuli");
            if (is_type(stimulus, "am:PeriodicStimulus")) {
                operation.period = rounded_up(stimulus, quantity(stimulus.child("recurrence"), time_units()));
                if (const pugi::xml_node offset = stimulus.child("offset");
                    offset && offset.attribute("value").as_double() > 0)
                    operation.release = rounded_up(stimulus, quantity(offset, time_units()));
                operation.deadline = operation.period;
                return;
            }
            const auto trigger = triggering_task_.find(stimulus.attribute("name").value());
            if (trigger == triggering_task_.end())
                fail(stimulus, "expected a periodic stimulus, or a task that triggers this one");
            from = trigger->second;
        }
    }

    bool on_gpu(const pugi::xml_node& task) const {
        const auto scheduler = scheduler_of_.find(task.attribute("name").value());
        return scheduler != scheduler_of_.end() && gpu_schedulers_.count(scheduler->second) > 0;
    }

    /// Whether a GPU task is read with the CPU task that triggers it.
    bool with_its_trigger(const pugi::xml_node& task) const {
        const auto stimulus = stimuli_.find(referenced_name(task.attribute("stimuli").value()));
        if (stimulus == stimuli_.end()) return false;
        const auto trigger = triggering_task_.find(stimulus->second.attribute("name").value());
        return trigger != triggering_task_.end() && !core_of(trigger->second).empty();
    }

    Operation begin_stream(const pugi::xml_node& task) {
        Operation operation;
        operation.stream = static_cast<std::int64_t>(++streams_);
        set_period(task, operation);
        return operation;
    }

    void add_gpu_task(const pugi::xml_node& task, const Operation& operation) {
        has_gpu_task_ = true;
        const std::string name = task.attribute("name").value();
        done_.insert(name);
        for (const pugi::xml_node call : items_of(task)) {
            if (!is_type(call, "am:RunnableCall")) continue;
            const pugi::xml_node runnable = resolve(runnables_, call, "runnable");
            Operation next = operation;
            next.name = fmt::format("{}/{}", name, runnable.attribute("name").value());
            const double ticks = ticks_on(runnable, gpu_definition_.attribute("name").value());
            if (ticks > 0) {
                next.time = rounded_up(runnable, ticks / hertz_ * 1e9);
                next.blocks = options_.blocks.value_or(static_cast<std::int64_t>(tasks_.gpu.sms.size()));
                next.threads = options_.threads.value_or(tasks_.gpu.sms.front().threads);
                tasks_.operations.push_back(next);
            } else if (const double bytes = accessed_bytes(runnable); bytes > 0 && options_.copies) {
                if (bytes_per_second_ <= 0) fail(gpu_, "expected a dataRate for copies, found none");
                next.kind = OperationKind::copy;
                next.time = rounded_up(runnable, bytes / bytes_per_second_ * 1e9);
                tasks_.operations.push_back(next);
            }
        }
    }

    /// Of the cores that a task may run on, or that its scheduler is responsible for, the least loaded one so
    /// far, of equals the first; empty: the task is not allocated to a core.
    std::string core_of(const pugi::xml_node& task) const {
        const auto allocation = allocation_of_.find(task.attribute("name").value());
        if (allocation == allocation_of_.end()) return {};
        std::vector<std::string> names = referenced_names(allocation->second.attribute("affinity").value());
        const std::string scheduler = referenced_name(allocation->second.attribute("scheduler").value());
        for (const pugi::xml_node other : root_.child("mappingModel").children("schedulerAllocation"))
            if (names.empty() && referenced_name(other.attribute("scheduler").value()) == scheduler)
                names = referenced_names(other.attribute("responsibility").value());
        std::string best;
        for (const std::string& name : names)
            if (cores_.count(name) > 0 &&
                (best.empty() || cores_.at(name).utilisation < cores_.at(best).utilisation))
                best = name;
        return best;
    }

    /// Its runnables on the CPU in their order, and what it triggers on the GPU where it does.
    void add_cpu_task(const pugi::xml_node& task) {
        const std::string core_name = core_of(task);
        if (core_name.empty()) return;
        Core& core = cores_.at(core_name);
        const std::string name = task.attribute("name").value();
        const Operation operation = begin_stream(task);
        Operation segment = operation;
        segment.kind = OperationKind::cpu;
        segment.core = core.number;
        segment.priority =
            allocation_of_.at(name).child("schedulingParameters").attribute("priority").as_int();
        std::size_t last = no_segment;    // segment of this task
        std::size_t keeper = no_segment;  // the last one, where an active wait follows it
        for (const pugi::xml_node item : items_of(task)) {
            if (is_type(item, "am:InterProcessTrigger")) {
                for (const pugi::xml_node other : software_.children("tasks"))
                    if (on_gpu(other) && referenced_name(other.attribute("stimuli").value()) ==
                                             referenced_name(item.attribute("stimulus").value()))
                        add_gpu_task(other, operation);
            } else if (is_type(item, "am:WaitEvent") &&
                       std::strcmp(item.attribute("waitingBehaviour").value(), "active") == 0) {
                if (last == no_segment)
                    fail(task, "expected a runnable on its core before the active wait, found none");
                keeper = last;
            } else if (is_type(item, "am:RunnableCall")) {
                const pugi::xml_node runnable = resolve(runnables_, item, "runnable");
                const double ticks = ticks_on(runnable, core.definition);
                if (ticks <= 0) continue;
                segment.name = fmt::format("{}/{}", name, runnable.attribute("name").value());
                segment.time = rounded_up(runnable, ticks / core.hertz * 1e9);
                core.utilisation += static_cast<double>(segment.time) /
                                    static_cast<double>(segment.period.value_or(segment.time));
                if (keeper != no_segment) tasks_.operations[keeper].keeps_core = true;
                keeper = no_segment;
                last = tasks_.operations.size();
                tasks_.operations.push_back(segment);
            }
        }
        if (keeper != no_segment)
            fail(task, "expected a runnable on its core behind the active wait, found none");
    }

    /// The largest number of ticks on a processing unit, all Ticks items of a runnable together; 0: none.
    double ticks_on(const pugi::xml_node& runnable, const std::string& definition) const {
        double ticks = 0;
        for (const pugi::xml_node item : items_of(runnable)) {
            if (!is_type(item, "am:Ticks")) continue;
            pugi::xml_node value = item.child("default");
            for (const pugi::xml_node extended : item.children("extended"))
                if (referenced_name(extended.attribute("key").value()) == definition)
                    value = extended.child("value");
            if (!value) continue;
            const pugi::xml_attribute most =
                value.attribute("upperBound") ? value.attribute("upperBound") : value.attribute("value");
            const double number = most.as_double(-1);
            if (!(number > 0))
                fail(runnable, fmt::format("expected positive ticks, found '{}'", most.value()));
            ticks += number;
        }
        return ticks;
    }

    /// A copy reads what it copies and writes it elsewhere.
    double accessed_bytes(const pugi::xml_node& runnable) const {
        double bytes = 0;
        for (const pugi::xml_node item : items_of(runnable)) {
            if (!is_type(item, "am:LabelAccess")) continue;
            const pugi::xml_node label = resolve(labels_, item, "data");
            bytes += quantity(label.child("size"), {{"bit", 0.125},
                                                    {"kbit", 125},
                                                    {"Mbit", 125e3},
                                                    {"B", 1},
                                                    {"kB", 1e3},
                                                    {"MB", 1e6},
                                                    {"GB", 1e9},
                                                    {"KiB", 1024},
                                                    {"MiB", 1024.0 * 1024},
                                                    {"GiB", 1024.0 * 1024 * 1024}});
        }
        return bytes;
    }

    const std::string& source_;
    const AmaltheaOptions& options_;
    pugi::xml_document document_;
    pugi::xml_node root_, software_, gpu_, gpu_definition_;
    std::map<std::string, pugi::xml_node> runnables_, labels_, stimuli_, definitions_, domains_;
    std::map<std::string, std::string> scheduler_of_;        // of each task
    std::map<std::string, pugi::xml_node> triggering_task_;  // of each inter-process stimulus
    std::map<std::string, pugi::xml_node> allocation_of_;    // of each task
    std::set<std::string> gpu_schedulers_;
    std::map<std::string, Core> cores_;  // by name
    std::set<std::string> done_;         // GPU tasks
    bool has_gpu_task_ = false;
    double hertz_ = 0;
    double bytes_per_second_ = 0;
    std::size_t streams_ = 0;
    TaskSet tasks_;
};

}  // namespace

TaskSet read_amalthea(std::string_view text, const std::string& source, const AmaltheaOptions& options) {
    TaskSet tasks = AmaltheaReader(source, options).read(text);
    validate_from(tasks, source);
    return tasks;
}

}  // namespace warpnet

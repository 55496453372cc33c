#include "netgen/blocks/amalthea_work.hpp"

#include "engine/base/parse_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace warpnet::amalthea {

namespace {

constexpr int most_nested = 50;  // items and calls in one another

const std::map<std::string, double, std::less<>>& size_units() {
    static const std::map<std::string, double, std::less<>> units = {{"bit", 0.125},
                                                                     {"kbit", 125},
                                                                     {"Mbit", 125e3},
                                                                     {"Gbit", 125e6},
                                                                     {"B", 1},
                                                                     {"kB", 1e3},
                                                                     {"MB", 1e6},
                                                                     {"GB", 1e9},
                                                                     {"Kibit", 128},
                                                                     {"Mibit", 128.0 * 1024},
                                                                     {"Gibit", 128.0 * 1024 * 1024},
                                                                     {"KiB", 1024},
                                                                     {"MiB", 1024.0 * 1024},
                                                                     {"GiB", 1024.0 * 1024 * 1024}};
    return units;
}

/// The names of items in the versions of the format.
std::vector<XmlElement> items_of(const XmlElement& container) {
    for (const char* const name : {"items", "graphEntries", "calls", "runnableItems", "runnableItem"})
        if (auto items = container.children(name); !items.empty()) return items;
    return {};
}

XmlElement graph_of(const XmlElement& executable) {
    for (const char* const name : {"activityGraph", "callGraph"})
        if (const XmlElement graph = executable.child(name)) return graph;
    return executable;
}

bool is_call(std::string_view type) { return type == "RunnableCall" || type == "TaskRunnableCall"; }
/// Up to version 0.7.1 each item of a group is wrapped into an element without a type.
bool is_group(const XmlElement& item, std::string_view type) {
    return type == "Group" || type == "CallSequence" || (type.empty() && !item.peek("runnableItem").empty());
}
bool is_trigger(std::string_view type) {
    return type == "InterProcessTrigger" || type == "InterProcessActivation";
}
bool is_switch(std::string_view type) {
    for (const char* const one : {"Switch", "ModeSwitch", "RunnableModeSwitch", "ProbabilitySwitch",
                                  "RunnableProbabilitySwitch", "ProbabiltitySwitch", "ProbabilityGroup"})
        if (type == one) return true;
    return false;
}

std::vector<XmlElement> entries_of(const XmlElement& item, std::string_view type) {
    item.note(std::string(type), "the longest of its entries is taken");
    std::vector<XmlElement> entries = item.children(type == "ProbabilityGroup" ? "items" : "entries");
    if (const XmlElement otherwise = item.child("defaultEntry")) entries.push_back(otherwise);
    return entries;
}

void read_group(const XmlElement& item) {
    if (item.attribute_or("ordered", "true") == "false")
        item.note("ordered=\"false\"", "the items run in the order of the file");
}

/// Calls and triggers may be made every so many times only.
void read_counter(const XmlElement& item) {
    const XmlElement counter = item.child("counter");
    if (!counter) return;
    counter.attribute("prescaler");
    counter.attribute("offset");
    item.note("counter", "what it skips is counted at every time");
}

double upper_bound(const XmlElement& value) {
    const std::string_view type = type_of(value);
    if (type == "DiscreteValueHistogram") {
        double most = 0;
        for (const XmlElement& entry : value.children("entries"))
            most = std::max(most, number_of(entry, "upperBound"));
        return most;
    }
    if (type == "InstructionsDeviation" || type == "NeedDeviation") {
        const XmlElement bound = value.child("deviation").child("upperBound");
        if (!bound) value.fail("an upper bound in element <upperBound>", "none");
        const double most = number_of(bound, "value");
        if (!(most > 0)) bound.fail("a positive upper bound", fmt::format("'{}'", *bound.attribute("value")));
        return most;
    }
    const bool constant =
        type == "DiscreteValueConstant" || type == "InstructionsConstant" || type == "NeedConstant";
    const char* const bound = constant ? "value" : "upperBound";
    if (!value.attribute(bound)) value.fail(fmt::format("an upper bound in attribute '{}'", bound), "none");
    const double most = number_of(value, bound);
    if (!(most > 0)) value.fail("positive ticks", fmt::format("'{}'", *value.attribute(bound)));
    return most;
}

bool is_for(const XmlElement& extended, const Unit& unit) {
    const std::vector<std::string> keys = references(extended, "key");
    return keys.size() == 1 && keys.front() == unit.definition;
}

/// The ticks of an item on a kind of processing unit; 0 if it has none there.
double ticks_of(const XmlElement& item, const Unit& unit) {
    double ticks = 0;
    if (const XmlElement value = item.child("default")) ticks = upper_bound(value);
    for (const XmlElement& extended : item.children("extended")) {
        const XmlElement value = extended.child("value");
        if (!value) extended.fail("<value>", "none");
        const double most = upper_bound(value);
        if (is_for(extended, unit)) ticks = most;
    }
    return ticks;
}

bool is_instructions(std::string_view type) {
    return type == "RunnableInstructions" || type == "InstructionsConstant" ||
           type == "InstructionsDeviation";
}

/// What a unit does in a cycle.
double rate_of(const XmlElement& item, const Unit& unit, std::string_view category) {
    const auto found = unit.rates.find(category);
    if (found == unit.rates.end())
        item.fail(fmt::format("a processing unit with a feature of category '{}'", category), "none");
    const auto& [element, attribute] = found->second;
    element.read();
    element.parent().read();
    const double rate = number_of(element, attribute);
    if (!(rate > 0)) element.fail(fmt::format("a positive {}", attribute), fmt::format("'{}'", rate));
    element.note(attribute, fmt::format("{} run at this rate in the worst case, too", category));
    return rate;
}

/// The ticks of execution needs on a kind of processing unit: those of the unit, or else the default ones.
double ticks_of_needs(const XmlElement& item, const Unit& unit) {
    std::vector<XmlElement> needs = item.children("default");
    for (const XmlElement& need : item.children("needs")) needs.push_back(need);
    for (const XmlElement& extended : item.children("extended")) {
        std::vector<XmlElement> of_unit = extended.children("value");
        for (const XmlElement& need : of_unit) {
            need.attribute("key");
            if (!need.child("value")) need.fail("<value>", "none");
            upper_bound(need.child("value"));
        }
        if (!is_for(extended, unit)) continue;
        for (const XmlElement& other : needs) other.read_all();
        needs = std::move(of_unit);
    }
    double ticks = 0;
    for (const XmlElement& need : needs) {
        const std::string category = referenced_name(need.attribute_or("key", ""));
        const XmlElement value = need.child("value");
        if (!value) need.fail("<value>", "none");
        ticks += upper_bound(value) / rate_of(need, unit, category);
    }
    return ticks;
}

/// The ticks of an item that does nothing else; nothing if it is another one.
std::optional<double> own_ticks(const XmlElement& item, std::string_view type, const Unit& unit) {
    if (type == "Ticks") return ticks_of(item, unit);
    if (type == "ExecutionNeed") return ticks_of_needs(item, unit);
    if (!is_instructions(type)) return std::nullopt;
    const double instructions = type == "RunnableInstructions" ? ticks_of(item, unit) : upper_bound(item);
    return instructions / rate_of(item, unit, "Instructions");
}

/// Items that take no time, or that have no upper bound.
void read_other(const XmlElement& item, std::string_view type) {
    static const std::map<std::string_view, std::string_view> refused = {
        {"WhileLoop", "how often it runs is not in the model"},
        {"SemaphoreAccess", "how long it blocks is not modelled"},
        {"EnforcedMigration", "a task stays on its core"},
        {"SynchronousServerCall", "calls of other tasks are not modelled"},
        {"AsynchronousServerCall", "calls of other tasks are not modelled"},
        {"GetResultServerCall", "calls of other tasks are not modelled"},
        {"WaitEvent", "only a task waits, for a GPU task that it triggers"},
        {"InterProcessTrigger", "only a task triggers another, outside of switches"},
        {"InterProcessActivation", "only a task triggers another, outside of switches"},
    };
    // Modes have no effect where the longest entry of each switch is taken, and events none where only waits
    // for a GPU task are read.
    if (const XmlElement mask = item.child("eventMask")) mask.attribute("events");
    for (const char* const one : {"ModeLabelAccess", "LocalModeLabelAssignment", "SetEvent", "ClearEvent",
                                  "CustomEventTrigger", "SchedulePoint"})
        if (type == one) return;
    for (const char* const one :
         {"ChannelSend", "ChannelReceive", "ChannelAccess", "SenderReceiverRead", "SenderReceiverWrite"})
        if (type == one) return item.note(one, "communication takes no time");
    if (type == "TerminateProcess") return item.note("TerminateProcess", "what follows it is counted");
    const auto reason = refused.find(type);
    item.fail("an item with an upper bound", fmt::format("{}{}{}", type.empty() ? "one without a type" : type,
                                                         reason == refused.end() ? "" : ": ",
                                                         reason == refused.end() ? "" : reason->second));
}

void check_depth(const XmlElement& item, int depth) {
    if (depth > most_nested)
        item.fail(fmt::format("at most {} items and calls in one another", most_nested), "more, or a cycle");
}

}  // namespace

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

std::vector<std::string> referenced_names(std::string_view references) {
    std::vector<std::string> names;
    while (!references.empty()) {
        const std::size_t end = std::min(references.find(' '), references.size());
        if (end > 0) names.push_back(referenced_name(references.substr(0, end)));
        references.remove_prefix(std::min(end + 1, references.size()));
    }
    return names;
}

std::vector<std::string> references(const XmlElement& from, const char* name) {
    std::vector<std::string> names = referenced_names(from.attribute_or(name, ""));
    for (const XmlElement& child : from.peek(name)) {
        const std::string_view target = child.attribute_or("href", "");
        if (!target.starts_with("amlt:/#")) continue;
        child.read();
        type_of(child);
        names.push_back(referenced_name(target.substr(target.find('#') + 1)));
    }
    return names;
}

std::string_view type_of(const XmlElement& element) {
    std::string_view type = element.attribute_or("xsi:type", "");
    if (const std::size_t colon = type.find(':'); colon != std::string_view::npos)
        type.remove_prefix(colon + 1);
    return type;
}

double number_of(const XmlElement& element, const char* attribute) {
    const std::string_view text = element.attribute_or(attribute, "");
    const auto number = parse_number<double>(text);
    if (!number || !std::isfinite(*number))
        element.fail(fmt::format("a number in attribute '{}'", attribute), fmt::format("'{}'", text));
    return *number;
}

double quantity(const XmlElement& parent, const char* child,
                const std::map<std::string, double, std::less<>>& units, double least) {
    const XmlElement found = parent.child(child);
    if (!found) parent.fail(fmt::format("<{}>", child), "none");
    const std::string_view unit = found.attribute_or("unit", "");
    const auto factor = units.find(unit);
    const double value = number_of(found, "value");
    if (factor == units.end() || value < least || (least == 0 && value == 0))
        found.fail("a positive value and a known unit", fmt::format("'{} {}'", value, unit));
    return value * factor->second;
}

XmlElement resolve(const Elements& elements, const XmlElement& from, const char* attribute) {
    const bool outside = !from.attribute(attribute) && from.child(attribute);
    const std::vector<std::string> names = references(from, attribute);
    const auto found = names.size() == 1 ? elements.find(names.front()) : elements.end();
    if (found == elements.end() && outside)
        from.fail(fmt::format("{} within this file", attribute), "a reference to another file");
    if (found == elements.end())
        from.fail(fmt::format("{} of the model", attribute),
                  names.empty() ? "none" : fmt::format("'{}', which is not in the model", names.front()));
    found->second.read();
    return found->second;
}

WorkReader::WorkReader(const XmlElement& software)
    : runnables_(software.by_name("runnables")), labels_(software.by_name("labels")) {}

std::vector<Step> WorkReader::steps(const XmlElement& task, const Unit& unit) {
    std::vector<Step> result;
    add_steps(graph_of(task), unit, 0, result);
    return result;
}

void WorkReader::add_steps(const XmlElement& container, const Unit& unit, int depth,
                           std::vector<Step>& steps) {
    check_depth(container, depth);
    for (const XmlElement& item : items_of(container)) {
        const std::string_view type = type_of(item);
        if (is_call(type)) {
            const Work work = runnable_work(item, unit, depth + 1);
            steps.push_back({Step::Kind::run, references(item, "runnable").front(), work, item});
        } else if (const auto ticks = own_ticks(item, type, unit)) {
            steps.push_back({Step::Kind::run, std::string(type), {*ticks, 0}, item});
        } else if (is_group(item, type)) {
            read_group(item);
            add_steps(item, unit, depth + 1, steps);
        } else if (is_switch(type)) {
            add_longest(item, unit, depth + 1, steps);
        } else if (is_trigger(type)) {
            read_counter(item);
            steps.push_back({Step::Kind::trigger, {}, {}, item});
        } else if (type == "LabelAccess") {
            steps.push_back({Step::Kind::run, "LabelAccess", {0, accessed_bytes(item, unit)}, item});
        } else if (type == "WaitEvent") {
            steps.push_back({Step::Kind::wait, {}, {}, item});
        } else {
            read_other(item, type);
        }
    }
}

/// Entries of kernels and copies, or of waits, have no order by length. Every trigger is counted.
void WorkReader::add_longest(const XmlElement& item, const Unit& unit, int depth, std::vector<Step>& steps) {
    std::vector<Step> longest, triggers;
    double most = -1;
    bool kernels = false, copies = false;
    for (const XmlElement& entry : entries_of(item, type_of(item))) {
        std::vector<Step> one;
        add_steps(entry, unit, depth, one);
        double length = 0;
        for (const Step& step : one) {
            if (step.kind == Step::Kind::wait) read_other(step.item, type_of(step.item));
            if (step.kind == Step::Kind::trigger) triggers.push_back(step);
            const bool copy = step.work.ticks == 0 && step.work.bytes > 0;
            kernels |= step.work.ticks > 0;
            copies |= copy;
            length += copy ? step.work.bytes : step.work.ticks;
        }
        std::erase_if(one, [](const Step& step) { return step.kind != Step::Kind::run; });
        if (length > most) longest = std::move(one);
        most = std::max(most, length);
    }
    if (kernels && copies) item.fail("entries of kernels alone or of copies alone", "both");
    if (!triggers.empty()) item.note("triggers in a switch", "each is counted in every job");
    steps.insert(steps.end(), longest.begin(), longest.end());
    steps.insert(steps.end(), triggers.begin(), triggers.end());
}

double WorkReader::accessed_bytes(const XmlElement& item, const Unit& unit) const {
    if (unit.gpu) return quantity(resolve(labels_, item, "data"), "size", size_units());
    item.note("LabelAccess", "takes no time on a core: memories are not modelled");
    return 0;
}

Work WorkReader::runnable_work(const XmlElement& call, const Unit& unit, int depth) {
    read_counter(call);
    const XmlElement runnable = resolve(runnables_, call, "runnable");
    const auto key = std::pair(references(call, "runnable").front(), unit.definition);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    check_depth(call, depth);
    const Work work = work_of(graph_of(runnable), unit, depth);
    known_.emplace(key, work);
    return work;
}

Work WorkReader::work_of(const XmlElement& container, const Unit& unit, int depth) {
    check_depth(container, depth);
    Work work;
    const auto add = [&](const Work& more) {
        work.ticks += more.ticks;
        work.bytes += more.bytes;
    };
    for (const XmlElement& item : items_of(container)) {
        const std::string_view type = type_of(item);
        if (const auto ticks = own_ticks(item, type, unit)) {
            work.ticks += *ticks;
        } else if (is_call(type)) {
            add(runnable_work(item, unit, depth + 1));
        } else if (is_group(item, type)) {
            read_group(item);
            add(work_of(item, unit, depth + 1));
        } else if (is_switch(type)) {
            Work most;
            for (const XmlElement& entry : entries_of(item, type)) {
                const Work one = work_of(entry, unit, depth + 1);
                most = {std::max(most.ticks, one.ticks), std::max(most.bytes, one.bytes)};
            }
            add(most);
        } else if (type == "LabelAccess") {
            work.bytes += accessed_bytes(item, unit);
        } else {
            read_other(item, type);
        }
    }
    if (unit.gpu && work.ticks > 0 && work.bytes > 0)
        container.note("LabelAccess", "takes no time in a kernel: memories are not modelled");
    return work;
}

}  // namespace warpnet::amalthea
